package othersides

import (
	"context"
	"fmt"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// BankTable has a row per match, and per group and line of a payer that is left, in order of bank account, day, payer, day of
// credit, match and first subject.
var BankTable = &table.Table{ID: "bank", Sheet: "Conferência bancária", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "bank", Header: "Conta bancária", HeaderEN: "Bank", Type: table.TypeText},
	{ID: "bank_date", Header: "Data no banco", HeaderEN: "Bank date", Type: table.TypeDate},
	{ID: "credit_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: table.TypeDate, Null: "no group"},
	{ID: "payer", Header: "Pagador", HeaderEN: "Payer", Type: table.TypeText},
	{ID: "parts", Header: "Composição", HeaderEN: "Parts", Type: table.TypeList, Null: "no group"},
	{ID: "items", Header: "Qtd itens", HeaderEN: "Items", Type: table.TypeInt},
	{ID: "expected", Header: "Esperado", HeaderEN: "Expected", Type: table.TypeMoney, Decimals: 2, Null: "no group"},
	{ID: "debits", Header: "Débitos conhecidos", HeaderEN: "Debits", Type: table.TypeMoney, Decimals: 2},
	{ID: "credited", Header: "Creditado", HeaderEN: "Credited", Type: table.TypeMoney, Decimals: 2, Null: "no line"},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true},
	{ID: "lines", Header: "Qtd lançamentos", HeaderEN: "Lines", Type: table.TypeInt},
	{ID: "text", Header: "Histórico", HeaderEN: "Text", Type: table.TypeText, Null: "no line"},
	{ID: "shift_days", Header: "Dias de desvio", HeaderEN: "Shift days", Type: table.TypeInt, Null: "not matched", NoTotal: true},
	{ID: "status", Header: "Situação", HeaderEN: "Status", Type: table.TypeEnum, Labels: words.Labels("deposit_status")},
	{ID: "pass", Header: "Passo", HeaderEN: "Pass", Type: table.TypeInt, Null: "not matched", NoTotal: true},
	{ID: "match", Header: "Conciliação", HeaderEN: "Match", Type: table.TypeText, Null: "not matched"},
	{ID: "explanation", Header: "Explicação", HeaderEN: "Explanation", Type: table.TypeText, Null: "none"},
	{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: table.TypeList, Null: "none"},
	{ID: "impact", Header: "Impacto", HeaderEN: "Impact", Type: table.TypeMoney, Decimals: 2, Null: "no code", Signed: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// BankDaysTable has a row per day of the statements of a bank account, in order of bank account and day.
var BankDaysTable = &table.Table{ID: "bank-days", Sheet: "Extrato por dia", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "bank", Header: "Conta bancária", HeaderEN: "Bank", Type: table.TypeText},
	{ID: "day", Header: "Dia", HeaderEN: "Day", Type: table.TypeDate},
	{ID: "state", Header: "Estado", HeaderEN: "State", Type: table.TypeEnum, Labels: words.Labels("bank_day")},
	{ID: "lines", Header: "Lançamentos", HeaderEN: "Lines", Type: table.TypeInt},
	{ID: "credits", Header: "Créditos", HeaderEN: "Credits", Type: table.TypeMoney, Decimals: 2},
	{ID: "debits", Header: "Débitos", HeaderEN: "Debits", Type: table.TypeMoney, Decimals: 2},
	{ID: "other", Header: "Outros lançamentos", HeaderEN: "Other", Type: table.TypeInt},
	{ID: "balance", Header: "Saldo informado", HeaderEN: "Balance", Type: table.TypeMoney, Decimals: 2, Null: "none stated", NoTotal: true},
	{ID: "residual", Header: "Diferença da cadeia", HeaderEN: "Residual", Type: table.TypeMoney, Decimals: 2, Null: "in no link", HighlightNonZero: true, NoTotal: true},
	{ID: "file", Header: "Arquivo", HeaderEN: "File", Type: table.TypeText, Null: "none"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// BankDefinition is the kind bank.
var BankDefinition = &report.Definition{
	Kind: report.BankKind, OnDemand: true, Tables: []*table.Table{BankTable, BankDaysTable}, Bases: []report.Basis{report.ByCredit}, Formats: report.ExceptEDI, Unfiltered: true,
	View: map[string]report.View{
		"bank":      {PageColumns: "account bank bank_date payer expected debits credited difference status", FrozenColumns: 3},
		"bank-days": {PageColumns: "account bank day state lines credits debits balance residual", FrozenColumns: 3},
	},
	Begin:     beginBank,
	NewReader: func(ledger.Date) report.RowReader { return bankReader{} },
}

// Bank writes what became of both sides of the bank accounts, and the days of their statements.
type Bank struct {
	report.ColumnTotals
	set                                     *report.Set
	deposits, days                          report.Rows
	row, dayRow                             table.Row
	expected, debits, credited, differences table.Money
}

func beginBank(_ context.Context, set *report.Set) (report.Content, error) {
	deposits, err := set.Open(BankTable)
	if err != nil {
		return nil, err
	}
	days, err := set.Open(BankDaysTable)
	return &Bank{set: set, deposits: deposits, days: days, row: BankTable.NewRow(), dayRow: BankDaysTable.NewRow()}, err
}

// Intake takes the rows of both tables, in report order.
func (b *Bank) Intake() report.Intake { return report.Intake{Deposit: b.addDeposit, BankDay: b.addDay} }

func (b *Bank) addDeposit(d *banking.Deposit) error {
	b.expected.Add(d.Expected.V)
	b.debits.Add(d.Debits)
	b.credited.Add(d.Credited.V)
	b.differences.Add(d.Difference())
	copy(b.row, table.Row{
		table.Text(d.Account.String()), table.Text(d.Bank), table.Day(d.Day), table.Day(d.CreditDay), table.Text(d.Payer), table.Text(d.Parts),
		table.Int(d.Items), table.OptCents(d.Expected), table.Cents(d.Debits), table.OptCents(d.Credited), table.Cents(d.Difference()),
		table.Int(d.Lines), table.Text(d.Text), table.OptInt(d.Shift), table.Text(d.Status), table.OptInt(d.Pass), table.Text(d.Match),
		table.Text(DescribeReason(b.set.Language, &d.Reason)), table.Text(d.Codes), table.OptCents(d.Impact),
	})
	if err := b.deposits.Write(b.row); err != nil {
		return fmt.Errorf("bank account %s, %s: %w", d.Bank, d.Name, err)
	}
	return nil
}

// DescribeReason says in a language where a person should look; empty: nowhere.
func DescribeReason(l table.Language, r *banking.DepositReason) string {
	if r.ID == "" {
		return ""
	}
	amount := r.Amount.Fixed(2)
	if l != table.English {
		amount = strings.ReplaceAll(amount, ".", ",")
	}
	return words.Text(l, "deposit_reasons."+r.ID, "names", r.Names, "amount", amount)
}

func (b *Bank) addDay(d *banking.SeenDay) error {
	copy(b.dayRow, table.Row{
		table.Text(d.Account.String()), table.Text(d.Bank), table.Day(d.Day), table.Text(string(d.State)), table.Int(d.Lines),
		table.Cents(d.Credits), table.Cents(d.Debits), table.Int(d.Other), table.OptCents(d.Balance), table.OptCents(d.Residual), table.Text(d.File),
	})
	if err := b.days.Write(b.dayRow); err != nil {
		return fmt.Errorf("bank account %s, %s: %w", d.Bank, d.Day, err)
	}
	return nil
}

// Identities are that the difference is what was expected less what is known to be kept and what came.
func (b *Bank) Identities() []report.Identity {
	return report.PlaceUnderTable(BankTable, []report.Identity{report.NewIdentity(
		"bank_difference", "bank.difference = bank.expected - bank.debits - bank.credited",
		b.differences, report.NegateMoney(b.expected), b.debits, b.credited,
	)})
}

// bankReader checks that the amounts of each row add up.
type bankReader struct{}

func (bankReader) ReadRow(t *table.Table, row table.Row) error {
	if t != BankTable {
		return nil
	}
	amount := func(id string) ledger.Amount { return ledger.Amount(row[t.ColumnIndex(id)].N) }
	if is, should := amount("difference"), amount("expected")-amount("debits")-amount("credited"); is != should {
		return fmt.Errorf("difference says %s, its parts come to %s", is, should)
	}
	return nil
}

func (bankReader) Terms() map[string]ledger.Amount { return nil }
