package export

import (
	"cmp"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// splitsTable has a row per split of an installment, in the order of the installments, then of the split.
var splitsTable = &Table{ID: "splits", Kind: SplitsKind, Sheet: "Splits", Layout: 1, Columns: []Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: TypeText},
	{ID: "sale_at", Header: "Data da venda", HeaderEN: "Sale date and time", Type: TypeDateTime},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: TypeText, Null: "not sent"},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: TypeText, Null: "not sent"},
	{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: TypeInt, NoTotal: true},
	{ID: "installments", Header: "Parcelas", HeaderEN: "Installments", Type: TypeInt, NoTotal: true},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: TypeText, Null: "not sent"},
	{ID: "split", Header: "Ordem", HeaderEN: "Ordinal", Type: TypeInt, NoTotal: true},
	{ID: "beneficiary", Header: "Beneficiário", HeaderEN: "Beneficiary", Type: TypeText, Null: "not sent"},
	{ID: "split_type", Header: "Tipo", HeaderEN: "Type", Type: TypeText, Null: "not sent"},
	{ID: "pct", Header: "Percentual", HeaderEN: "Percent", Type: TypeRate, Decimals: 4, Null: "not sent"},
	{ID: "base", Header: "Base", HeaderEN: "Base", Type: TypeMoney, Decimals: 2, Null: "not sent", NoTotal: true},
	{ID: "value", Header: "Valor", HeaderEN: "Value", Type: TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "expected_value", Header: "Valor esperado", HeaderEN: "Expected value", Type: TypeMoney, Decimals: 2, Null: "no pct or base"},
	{ID: "contract_pct", Header: "Percentual contratado", HeaderEN: "Contract percent", Type: TypeRate, Decimals: 4, Null: "no agreement"},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: TypeMoney, Decimals: 2, Null: "no expected value", Mark: true},
	{ID: "effective_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: TypeDate, Null: "not received"},
	{ID: "class", Header: "Situação", HeaderEN: "Class", Type: TypeEnum, Labels: cardClassLabels},
	{ID: "verdict", Header: "Conferência", HeaderEN: "Verdict", Type: TypeEnum, Labels: verdictLabels},
	{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: TypeList, Null: "none"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: TypeHash},
}}

// payableTable has a row per beneficiary and credit day, in order of account, credit_date, beneficiary; what was
// not received comes last. Cancelled and charged-back rows are left out.
var payableTable = &Table{ID: "splits-payable", Kind: SplitsKind, Sheet: "A repassar", Layout: 1, Columns: []Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: TypeText},
	{ID: "beneficiary", Header: "Beneficiário", HeaderEN: "Beneficiary", Type: TypeText, Null: "not sent"},
	{ID: "credit_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: TypeDate, Null: "not received"},
	{ID: "splits", Header: "Qtd splits", HeaderEN: "Splits", Type: TypeInt},
	{ID: "value", Header: "Valor", HeaderEN: "Value", Type: TypeMoney, Decimals: 2},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: TypeHash},
}}

// splitRow fills the row of split i (from 0) of an installment.
func splitRow(row Row, v *ledger.InstallmentVersion, e *ledger.Expectation, i int, unit ledger.Unit, clear bool) {
	s := &v.Splits[i]
	var x ledger.SplitExpectation
	if i < len(e.Splits) {
		x = e.Splits[i]
	}
	difference := Cell{}
	if x.Expected.OK {
		// Of printed figures, so that the row adds up as it is read.
		difference = Total(
			s.Value.Or(0).Rounded(ledger.HalfAwayFromZero)-x.Expected.V.Rounded(ledger.HalfAwayFromZero),
			s.Value.Or(0)-x.Expected.V)
	}
	copy(row, Row{
		Text(v.Account.String()), Clock(v.SoldAt), Text(v.NSU), Text(v.Auth),
		Int(int64(v.Key().Number)), Int(int64(v.Of())), Text(e.Brand), Int(int64(i + 1)),
		Text(beneficiary(s.Beneficiary, clear)), Text(s.Type), optPct(s.Pct, unit), optCents(s.Base), optCents(s.Value),
		optCents(x.Expected), optPct(x.ContractPct, ledger.Percent), difference, Day(v.Effective),
		Text(string(e.Class)), Text(string(x.Verdict)), Text(strings.Join(x.Codes, "|")),
	})
}

// payables adds up what is owed to each beneficiary.
type payables struct {
	lines map[payableKey]*payableLine
}

type payableKey struct {
	account     ledger.Account
	credited    ledger.Date
	beneficiary string // as sent, so that two masked alike stay two
}

type payableLine struct {
	splits int64
	value  money
}

func newPayables() *payables { return &payables{lines: make(map[payableKey]*payableLine)} }

func (p *payables) add(v *ledger.InstallmentVersion, e *ledger.Expectation) {
	if e.Class.Reversal() {
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
		line.value.add(v.Splits[i].Value.Or(0))
	}
}

// rows hands out the lines in report order.
func (p *payables) rows(clear bool, fn func(Row) error) error {
	keys := make([]payableKey, 0, len(p.lines))
	for k := range p.lines {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b payableKey) int {
		return cmp.Or(cmp.Compare(a.account, b.account), compareLast(a.credited, b.credited),
			cmp.Compare(a.beneficiary, b.beneficiary))
	})
	row := payableTable.newRow()
	for _, k := range keys {
		line := p.lines[k]
		if err := line.value.err(); err != nil {
			return err
		}
		copy(row, Row{
			Text(k.account.String()), Text(beneficiary(k.beneficiary, clear)), Day(k.credited), Int(line.splits),
			line.value.cell(),
		})
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// compareLast orders dates, no date after every other.
func compareLast(a, b ledger.Date) int {
	if (a == 0) != (b == 0) {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}
