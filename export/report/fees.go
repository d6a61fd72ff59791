package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/export/table"
	"concilia/store/ledger"
)

// feesTable has a row per fee, brand, product, band and contract line, in order of account, fee, brand, product, band,
// valid_from; rows without a contract line come first. Cancelled and charged-back rows are left out.
//
// MDR counts every live installment, the other fees those on which they were charged or should have been. Practised is
// the stated rate, or fee, weighted by gross; without a stated MDR rate it is what the MDR comes to. due is charged less
// the deviation from the contract, so that a tolerated cent is due; difference is the deviation, the sum of the claims.
var feesTable = &table.Table{ID: "fees", Sheet: "Taxas", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "fee", Header: "Taxa", HeaderEN: "Fee", Type: table.TypeEnum, Labels: feeLabels},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not sent", Labels: ProductLabels},
	{ID: "band", Header: "Faixa de parcelas", HeaderEN: "Installment band", Type: table.TypeText, Labels: bandLabels},
	{ID: "valid_from", Header: "Vigência de", HeaderEN: "Valid from", Type: table.TypeDate, Null: "no contract line"},
	{ID: "valid_to", Header: "Vigência até", HeaderEN: "Valid to", Type: table.TypeDate, Null: "no contract line, or open"},
	{ID: "contract", Header: "Contratado", HeaderEN: "Contract", Type: table.TypeNumber, Decimals: 4, Null: "no contract line", Ratio: true},
	{ID: "practised", Header: "Praticado (ponderado)", HeaderEN: "Practised (weighted)", Type: table.TypeNumber, Decimals: 4, Null: "no rows with gross", Ratio: true},
	{ID: "practised_min", Header: "Praticado mínimo", HeaderEN: "Practised, lowest", Type: table.TypeNumber, Decimals: 4, Null: "no rows with gross", Ratio: true},
	{ID: "practised_max", Header: "Praticado máximo", HeaderEN: "Practised, highest", Type: table.TypeNumber, Decimals: 4, Null: "no rows with gross", Ratio: true},
	{ID: "installments", Header: "Qtd parcelas", HeaderEN: "Installments", Type: table.TypeInt, NoTotal: true},
	{ID: "gross", Header: "Valor bruto", HeaderEN: "Gross", Type: table.TypeMoney, Decimals: 2, NoTotal: true},
	{ID: "due", Header: "Devido", HeaderEN: "Due", Type: table.TypeMoney, Decimals: 2, Null: "no contract line"},
	{ID: "charged", Header: "Cobrado", HeaderEN: "Charged", Type: table.TypeMoney, Decimals: 2},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, Null: "no contract line", HighlightNonZero: true, Signed: true, InParts: true},
	{ID: "deviating", Header: "Qtd divergentes", HeaderEN: "Deviating installments", Type: table.TypeInt, Null: "no contract line"},
	{ID: "first_deviation", Header: "Primeiro desvio", HeaderEN: "First deviation", Type: table.TypeDate, Null: "none"},
	{ID: "last_deviation", Header: "Último desvio", HeaderEN: "Last deviation", Type: table.TypeDate, Null: "none"},
	{ID: "overcharged", Header: "Cobrado a mais", HeaderEN: "Charged above", Type: table.TypeMoney, Decimals: 2, Null: "no contract line", Appended: true},
	{ID: "undercharged", Header: "Cobrado a menos", HeaderEN: "Charged below", Type: table.TypeMoney, Decimals: 2, Null: "no contract line", Appended: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// FeesDefinition is the kind fees.
var FeesDefinition = &Definition{
	Kind: FeesKind, Side: CardSide, Tables: []*table.Table{feesTable}, Bases: cardBases, Formats: ExceptEDI,
	FollowsFromRows: true,
	Needs:           []Kind{SummaryKind},
	View: map[string]View{"fees": {
		PageColumns: "account fee brand product band installments gross due charged overcharged undercharged deviating",
	}},
	Begin: beginFees,
}

// feeAudit adds the charges of installments up by fee, brand, product, band and contract line: memory grows with these.
type feeAudit struct {
	ColumnTotals
	out     Rows
	unit    ledger.Unit
	agreed  map[string]*AgreedLine
	current charge              // the charge that is yielded; one value is reused for all
	day     map[feeKey]*feeLine // of the sale day at hand
	lines   map[feeKey]*feeLine // of the days before
}

type feeKey struct {
	account ledger.Account
	fee     string
	brand   string
	product ledger.Product
	band    string
	line    string // id of the contract line
}

type feeLine struct {
	agreed              *AgreedLine
	contract            int64
	practised           weightedMean
	rows                int64
	gross, due, charged table.Money
	deviation           table.Money
	above, below        table.Money // of off, what was charged above the contract and below it
	deviating           int64
	first, last         ledger.Date // of sale
	claimed             table.Money // sum of the claims written
}

func beginFees(_ context.Context, set *Set) (Content, error) {
	out, err := set.Open(feesTable)
	a := &feeAudit{
		out: out, unit: set.Unit, agreed: make(map[string]*AgreedLine, len(set.Agreed)), day: make(map[feeKey]*feeLine),
		lines: make(map[feeKey]*feeLine),
	}
	for id, l := range set.Agreed {
		a.agreed[id] = &l
	}
	return a, err
}

// Intake takes every charge of an installment.
func (a *feeAudit) Intake() Intake { return Intake{Card: a.addInstallment} }

// contractLineOf returns the contract line that a row was evaluated with, nil if it had none.
func (a *feeAudit) contractLineOf(e *ledger.Expectation) (*AgreedLine, error) {
	if e.ContractLine == "" {
		return nil, nil
	}
	l, ok := a.agreed[e.ContractLine]
	if !ok {
		return nil, fmt.Errorf("%s: contract line %s is not in the contract of the run: reconcile the account first",
			e.Key.Subject(), e.ContractLine)
	}
	return l, nil
}

// forEachCharge yields the charges of an installment; a cancelled or charged-back one has none.
func (a *feeAudit) forEachCharge(v *ledger.InstallmentVersion, e *ledger.Expectation, fn func(feeKey, *charge) error) error {
	if e.Class.IsReversal() {
		return nil
	}
	line, err := a.contractLineOf(e)
	if err != nil {
		return err
	}
	for i := range feeList {
		f := &feeList[i]
		c, ok := f.chargeOf(v, e, line)
		if !ok {
			continue
		}
		a.current = c
		if err := fn(feeKey{v.Account, f.id, e.Brand, e.Product, e.Band, e.ContractLine}, &a.current); err != nil {
			return err
		}
	}
	return nil
}

// addInstallment counts one installment.
func (a *feeAudit) addInstallment(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
	return a.forEachCharge(v, e, func(k feeKey, c *charge) error {
		l := a.day[k]
		if l == nil {
			l = newFeeLine(c.fee, c.agreed)
			a.day[k] = l
		}
		return l.addCharge(v, e, c, a.unit)
	})
}

func newFeeLine(f *fee, agreed *AgreedLine) *feeLine {
	l := &feeLine{agreed: agreed}
	if agreed != nil {
		l.contract = f.agreed(agreed)
	}
	return l
}

func (l *feeLine) addCharge(v *ledger.InstallmentVersion, e *ledger.Expectation, c *charge, unit ledger.Unit) error {
	l.rows++
	l.gross.AddRounded(ledger.FromCents(e.GrossCents), v.Gross)
	l.charged.Add(c.charged.Or(0))
	l.due.AddRounded(c.dueCents(), c.charged.Or(0)-c.deviation)
	if p := c.practisedValue(v, unit); p.OK && v.Gross > 0 {
		if err := l.practised.addValue(p.V, int64(v.Gross)); err != nil {
			return err
		}
	}
	if c.deviationCase == "" {
		return nil
	}
	l.deviating++
	l.deviation.AddRounded(c.deviationCents(), c.deviation)
	l.above.AddRounded(max(c.deviationCents(), 0), max(c.deviation, 0))
	l.below.AddRounded(max(-c.deviationCents(), 0), max(-c.deviation, 0))
	day := v.SoldAt.Date()
	if l.first == 0 || day < l.first {
		l.first = day
	}
	l.last = max(l.last, day)
	return nil
}

// Finish writes the lines in report order.
func (a *feeAudit) Finish(context.Context) error {
	if err := a.endDay(); err != nil {
		return err
	}
	row := feesTable.NewRow()
	for _, k := range a.sortedKeys() {
		l := a.lines[k]
		if err := l.checkOverflow(); err != nil {
			return fmt.Errorf("fees of %s %s %s: %w", k.account, k.fee, k.brand, err)
		}
		l.fillRow(row, k)
		if err := a.out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// sortedKeys are in report order. Two lines that a contract has for the same sales follow each other by their ids.
func (a *feeAudit) sortedKeys() []feeKey {
	keys := make([]feeKey, 0, len(a.lines))
	for k := range a.lines {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y feeKey) int {
		return cmp.Or(cmp.Compare(x.account, y.account), cmp.Compare(x.fee, y.fee), cmp.Compare(x.brand, y.brand),
			cmp.Compare(x.product, y.product), cmp.Compare(x.band, y.band),
			cmp.Compare(a.lines[x].validFrom(), a.lines[y].validFrom()), cmp.Compare(x.line, y.line))
	})
	return keys
}

// validFrom is the first sale day the line holds for, none without a contract line.
func (l *feeLine) validFrom() ledger.Date {
	if l.agreed == nil {
		return 0
	}
	return l.agreed.From
}

func (l *feeLine) fillRow(row table.Row, k feeKey) {
	clear(row)
	copy(row, table.Row{table.Text(k.account.String()), table.Text(k.fee), table.Text(k.brand), table.Text(string(k.product)), table.Text(k.band)})
	if l.practised.weight != 0 {
		copy(row[8:], table.Row{table.Number(l.practised.roundedMean()), table.Number(l.practised.least), table.Number(l.practised.greatest)})
	}
	row[11], row[12], row[14] = table.Int(l.rows), l.gross.Cell(), l.charged.Cell()
	if l.agreed == nil {
		return
	}
	row[5], row[6], row[7] = table.Day(l.agreed.From), table.Day(l.agreed.To), table.Number(l.contract)
	row[13], row[15], row[16] = l.due.Cell(), l.deviation.Cell(), table.Int(l.deviating)
	row[17], row[18], row[19], row[20] = table.Day(l.first), table.Day(l.last), l.above.Cell(), l.below.Cell()
}

// allAmounts are the line's amounts, but for what is claimed.
func (l *feeLine) allAmounts() []*table.Money {
	return []*table.Money{&l.gross, &l.due, &l.charged, &l.deviation, &l.above, &l.below}
}

func (l *feeLine) checkOverflow() error {
	for _, m := range l.allAmounts() {
		if err := m.Err(); err != nil {
			return err
		}
	}
	return nil
}
