package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export/table"
	"concilia/store/ledger"
)

// SplitsTable has a row per split of an installment, in the order of the installments, then of the split.
var SplitsTable = &table.Table{ID: "splits", Sheet: "Splits", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "sale_at", Header: "Data da venda", HeaderEN: "Sale date and time", Type: table.TypeDateTime},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: table.TypeText, Digits: true, Null: "not sent"},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: table.TypeText, Null: "not sent"},
	{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: table.TypeInt, NoTotal: true},
	{ID: "installments", Header: "Parcelas", HeaderEN: "Installments", Type: table.TypeInt, NoTotal: true},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not sent"},
	{ID: "split", Header: "Ordem", HeaderEN: "Ordinal", Type: table.TypeInt, NoTotal: true},
	{ID: "beneficiary", Header: "Beneficiário", HeaderEN: "Beneficiary", Type: table.TypeText, Digits: true, Null: "not sent"},
	{ID: "split_type", Header: "Tipo", HeaderEN: "Type", Type: table.TypeText, Null: "not sent"},
	{ID: "pct", Header: "Percentual", HeaderEN: "Percent", Type: table.TypeRate, Decimals: 4, Null: "not sent"},
	{ID: "base", Header: "Base", HeaderEN: "Base", Type: table.TypeMoney, Decimals: 2, Null: "not sent", NoTotal: true},
	{ID: "value", Header: "Valor", HeaderEN: "Value", Type: table.TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "expected_value", Header: "Valor esperado", HeaderEN: "Expected value", Type: table.TypeMoney, Decimals: 2, Null: "no pct or base"},
	{ID: "contract_pct", Header: "Percentual contratado", HeaderEN: "Contract percent", Type: table.TypeRate, Decimals: 4, Null: "no agreement"},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, Null: "no expected value", HighlightNonZero: true, Signed: true},
	{ID: "effective_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: table.TypeDate, Null: "not received"},
	{ID: "class", Header: "Situação", HeaderEN: "Class", Type: table.TypeEnum, Labels: CardClassLabels},
	{ID: "verdict", Header: "Conferência", HeaderEN: "Verdict", Type: table.TypeEnum, Labels: verdictLabels},
	{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: table.TypeList, Null: "none"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// payableTable has a row per beneficiary and credit day, in order of account, credit_date, beneficiary; what was
// not received comes last. Cancelled and charged-back rows are left out.
var payableTable = &table.Table{ID: "splits-payable", Sheet: "A repassar", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "beneficiary", Header: "Beneficiário", HeaderEN: "Beneficiary", Type: table.TypeText, Digits: true, Null: "not sent"},
	{ID: "credit_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: table.TypeDate, Null: "not received"},
	{ID: "splits", Header: "Qtd splits", HeaderEN: "Splits", Type: table.TypeInt},
	{ID: "value", Header: "Valor", HeaderEN: "Value", Type: table.TypeMoney, Decimals: 2},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// SplitsDefinition is the kind splits.
var SplitsDefinition = &Definition{
	Kind: SplitsKind, Side: CardSide, Tables: []*table.Table{SplitsTable, payableTable}, Bases: cardBases, Formats: ExceptEDI,
	FollowsFromRows: true,
	Needs:           []Kind{SummaryKind},
	View: map[string]View{
		"splits":         {PageColumns: "sale_at nsu installment beneficiary pct value expected_value difference verdict codes"},
		"splits-payable": {PageColumns: "account beneficiary credit_date splits value"},
	},
	Begin: beginSplits,
}

// splits writes a row per split as its installment passes, and what each beneficiary is to get at the end.
type splits struct {
	ColumnTotals
	set        *Set
	out, toPay Rows
	row        table.Row
	day        payables // of the sale day at hand
	payables   payables // of the days before
}

func beginSplits(_ context.Context, set *Set) (Content, error) {
	out, err := set.Open(SplitsTable)
	if err != nil {
		return nil, err
	}
	toPay, err := set.Open(payableTable)
	return &splits{set: set, out: out, toPay: toPay, row: SplitsTable.NewRow(), day: newPayables(), payables: newPayables()}, err
}

func (c *splits) Intake() Intake {
	return Intake{Card: func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		c.day.addSplits(v, e)
		for i := range v.Splits {
			splitRow(c.row, v, e, i, c.set.Unit, c.set.ShowsPersons(SplitsKind))
			if err := c.out.Write(c.row); err != nil {
				return fmt.Errorf("%s: %w", v.Key().Subject(), err)
			}
		}
		return nil
	}}
}

func (c *splits) Finish(context.Context) error {
	c.endDay()
	return c.payables.writeRows(c.set.ShowsPersons(SplitsKind), c.toPay)
}

// splitRow fills the row of split i (from 0) of an installment.
func splitRow(row table.Row, v *ledger.InstallmentVersion, e *ledger.Expectation, i int, unit ledger.Unit, clear bool) {
	s := &v.Splits[i]
	var x ledger.SplitExpectation
	if i < len(e.Splits) {
		x = e.Splits[i]
	}
	difference := table.Cell{}
	if x.Expected.OK {
		// Of printed figures, so that the row adds up as it is read.
		difference = table.Total(
			s.Value.Or(0).Rounded(ledger.HalfAwayFromZero)-x.Expected.V.Rounded(ledger.HalfAwayFromZero),
			s.Value.Or(0)-x.Expected.V)
	}
	copy(row, table.Row{
		table.Text(v.Account.String()), table.Clock(v.SoldAt), table.Text(v.NSU), table.Text(v.Auth),
		table.Int(int64(v.Key().Number)), table.Int(int64(v.InstallmentCount())), table.Text(e.Brand), table.Int(int64(i + 1)),
		table.Text(maskBeneficiary(s.Beneficiary, clear)), table.Text(s.Type), table.OptPct(s.Pct, unit), table.OptCents(s.Base), table.OptCents(s.Value),
		table.OptCents(x.Expected), table.OptPct(x.ContractPct, ledger.Percent), difference, table.Day(v.Effective),
		table.Text(string(e.Class)), table.Text(string(x.Verdict)), table.Text(strings.Join(x.Codes, "|")),
	})
}

// payables adds up what is owed to each beneficiary.
type payables struct {
	lines map[payableKey]*payableLine
}

func newPayables() payables { return payables{lines: make(map[payableKey]*payableLine)} }

type payableKey struct {
	account     ledger.Account
	credited    ledger.Date
	beneficiary string // as sent, so that two masked alike stay two
}

type payableLine struct {
	splits int64
	value  table.Money
}

func (p *payables) addSplits(v *ledger.InstallmentVersion, e *ledger.Expectation) {
	if e.Class.IsReversal() {
		return
	}
	for i := range v.Splits {
		k := payableKey{v.Account, v.Effective, v.Splits[i].Beneficiary}
		line := p.lines[k]
		if line == nil {
			line = &payableLine{}
			p.lines[k] = line
		}
		line.splits++
		line.value.Add(v.Splits[i].Value.Or(0))
	}
}

// writeRows writes the lines in report order.
func (p *payables) writeRows(clear bool, out Rows) error {
	keys := make([]payableKey, 0, len(p.lines))
	for k := range p.lines {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b payableKey) int {
		return cmp.Or(cmp.Compare(a.account, b.account), CompareUndatedLast(a.credited, b.credited),
			cmp.Compare(a.beneficiary, b.beneficiary))
	})
	row := payableTable.NewRow()
	for _, k := range keys {
		line := p.lines[k]
		if err := line.value.Err(); err != nil {
			return err
		}
		copy(row, table.Row{
			table.Text(k.account.String()), table.Text(maskBeneficiary(k.beneficiary, clear)), table.Day(k.credited), table.Int(line.splits),
			line.value.Cell(),
		})
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}
