package asof

import (
	"context"
	"fmt"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// RecoveriesTable has a row per case that was ever disputed, with what came of it, in order of account, day of the claim and case.
var RecoveriesTable = &table.Table{ID: "recoveries", Sheet: "Ressarcimentos", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "case", Header: "Caso", HeaderEN: "Case", Type: table.TypeText},
	{ID: "code", Header: "Código", HeaderEN: "Code", Type: table.TypeText},
	{ID: "subject", Header: "Item", HeaderEN: "Subject", Type: table.TypeText},
	{ID: "sentence", Header: "Explicação", HeaderEN: "Sentence", Type: table.TypeText},
	{ID: "owner", Header: "Cobrar de", HeaderEN: "Owner", Type: table.TypeText, Null: "nobody takes a next step"},
	{ID: "claimed_on", Header: "Contestado em", HeaderEN: "Claimed on", Type: table.TypeDate},
	{ID: "reference", Header: "Protocolo", HeaderEN: "Reference", Type: table.TypeText, Null: "none"},
	{ID: "claimed", Header: "Valor contestado", HeaderEN: "Claimed", Type: table.TypeMoney, Decimals: 2},
	{ID: "follow_up", Header: "Acompanhar em", HeaderEN: "Follow-up", Type: table.TypeDate, Null: "none"},
	{ID: "answer", Header: "Resposta", HeaderEN: "Answer", Type: table.TypeEnum, Null: "not answered", Labels: words.Labels("claim_reply")},
	{ID: "answered_on", Header: "Respondido em", HeaderEN: "Answered on", Type: table.TypeDate, Null: "not answered"},
	{ID: "recovered", Header: "Recuperado", HeaderEN: "Recovered", Type: table.TypeMoney, Decimals: 2, Null: "nothing"},
	{ID: "recovered_on", Header: "Recuperado em", HeaderEN: "Recovered on", Type: table.TypeDate, Null: "nothing recovered"},
	{ID: "given_up", Header: "Baixado", HeaderEN: "Given up", Type: table.TypeMoney, Decimals: 2, Null: "nothing"},
	{ID: "open", Header: "Em aberto", HeaderEN: "Open", Type: table.TypeMoney, Decimals: 2},
	{ID: "claim_state", Header: "Situação", HeaderEN: "Claim state", Type: table.TypeEnum, Labels: words.Labels("claim_state")},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// RecoveryAnchor begins the anchor of a claim, whose case has one by its own id among the exceptions.
const RecoveryAnchor = "recovery-"

// RecoveriesDefinition is the kind recoveries.
var RecoveriesDefinition = &report.Definition{
	Kind: report.RecoveriesKind, Tables: []*table.Table{RecoveriesTable}, Bases: asOfBasis, Formats: report.ExceptEDI,
	FollowsFromRows: true,
	View: map[string]report.View{"recoveries": {
		PageColumns: "sentence reference claimed recovered open given_up claimed_on follow_up claim_state owner account", FrozenColumns: 3,
		Anchor: func(row table.Row) string { return RecoveryAnchor + row[1].S },
	}},
	Begin:     beginRecoveries,
	NewReader: func(ledger.Date) report.RowReader { return recoveriesReader{} },
}

// Recoveries writes a row per claim, and adds the claims up.
type Recoveries struct {
	report.ColumnTotals
	out                               report.Rows
	row                               table.Row
	claimed, recovered, open, givenUp table.Money
}

func beginRecoveries(_ context.Context, set *report.Set) (report.Content, error) {
	out, err := set.Open(RecoveriesTable)
	return &Recoveries{out: out, row: RecoveriesTable.NewRow()}, err
}

// Intake takes every claim, in report order.
func (x *Recoveries) Intake() report.Intake { return report.Intake{Claim: x.addClaim} }

func (x *Recoveries) addClaim(c *report.Claim) error {
	var claimed, recovered, givenUp table.Money
	claimed.Add(c.Claimed)
	recovered.Add(c.Recovered)
	givenUp.Add(c.GivenUp)
	open := table.Money{Printed: claimed.Printed - recovered.Printed - givenUp.Printed, Exact: c.Open} // so that the cents of a row add up
	happened := func(m table.Money) table.Cell {
		if m.Exact == 0 {
			return table.Cell{}
		}
		return m.Cell()
	}
	copy(x.row, table.Row{
		table.Text(c.Account.String()), table.Text(c.Case), table.Text(c.Code), table.Text(c.Subject), table.Text(c.Sentence), table.Text(c.Owner),
		table.Day(c.ClaimedOn), table.Text(c.Reference), claimed.Cell(), table.Day(c.FollowUp), table.Text(string(c.Answer)), table.Day(c.AnsweredOn),
		happened(recovered), table.Day(c.RecoveredOn), happened(givenUp), open.Cell(), table.Text(c.State),
	})
	x.claimed.Merge(&claimed)
	x.recovered.Merge(&recovered)
	x.open.Merge(&open)
	x.givenUp.Merge(&givenUp)
	for _, m := range []*table.Money{&x.claimed, &x.recovered, &x.open, &x.givenUp} {
		if err := m.Err(); err != nil {
			return fmt.Errorf("claim of case %s: %w", c.Case, err)
		}
	}
	if err := x.out.Write(x.row); err != nil {
		return fmt.Errorf("claim of case %s: %w", c.Case, err)
	}
	return nil
}

// Identities are that what was claimed is recovered, open or given up.
func (x *Recoveries) Identities() []report.Identity {
	return report.PlaceUnderTable(RecoveriesTable, []report.Identity{report.NewIdentity(
		"recoveries", "recoveries.claimed = recoveries.recovered + recoveries.open + recoveries.given_up",
		x.claimed, report.NegateMoney(x.recovered), report.NegateMoney(x.open), report.NegateMoney(x.givenUp),
	)})
}

// recoveriesReader checks that the amounts of each row add up.
type recoveriesReader struct{}

func (recoveriesReader) ReadRow(t *table.Table, row table.Row) error {
	amount := func(id string) ledger.Amount { return ledger.Amount(row[t.ColumnIndex(id)].N) }
	if is, should := amount("claimed"), amount("recovered")+amount("open")+amount("given_up"); is != should {
		return fmt.Errorf("claimed says %s, its parts come to %s", is, should)
	}
	return nil
}

func (recoveriesReader) Terms() map[string]ledger.Amount { return nil }
