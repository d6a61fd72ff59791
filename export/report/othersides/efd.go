package othersides

import (
	"context"
	"fmt"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// EFDTable has a row per store, month and institution: what the store sold through it, and what the service says, for record 1601 of
// the EFD.
var EFDTable = &table.Table{ID: "efd-1601", Sheet: "EFD 1601", SheetEN: "EFD 1601", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "store", Header: "Loja", HeaderEN: "Store", Type: table.TypeText},
	{ID: "month", Header: "Mês", HeaderEN: "Month", Type: table.TypeText},
	{ID: "institution", Header: "Instituição", HeaderEN: "Institution", Type: table.TypeText, Digits: true, Null: "not declared, or not told"},
	{ID: "participant", Header: "Participante", HeaderEN: "Participant", Type: table.TypeText, Null: "not declared"},
	{ID: "own_total", Header: "Total da loja", HeaderEN: "Store total", Type: table.TypeMoney, Decimals: 2},
	{ID: "service_total", Header: "Total da operadora", HeaderEN: "Service total", Type: table.TypeMoney, Decimals: 2, Null: "another institution"},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, Null: "another institution", HighlightNonZero: true},
	{ID: "days_missing", Header: "Dias sem arquivo", HeaderEN: "Days missing", Type: table.TypeInt, NoTotal: true, HighlightNonZero: true},
	{ID: "line", Header: "Linha", HeaderEN: "Line", Type: table.TypeText, Null: "no participant"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// EFDDefinition is the kind efd-1601.
var EFDDefinition = &report.Definition{
	Kind: report.EFDKind, OnDemand: true, Tables: []*table.Table{EFDTable}, Bases: operationBasis, Formats: report.ExceptEDI, Unfiltered: true, WholeMonth: true,
	View:      map[string]report.View{"efd-1601": {PageColumns: "store month institution own_total service_total difference days_missing line", FrozenColumns: 3}},
	Begin:     beginEFD,
	NewReader: func(ledger.Date) report.RowReader { return efdReader{} },
}

// formatRecord is record 1601 of the EFD.
func formatRecord(m *report.EFDMonth) string {
	if m.Participant == "" {
		return ""
	}
	total := m.OwnTotal
	if m.ServiceTotal.OK {
		total = m.ServiceTotal.V
	}
	return fmt.Sprintf("|1601|%s||%s|0,00|0,00|", m.Participant, strings.Replace(total.Fixed(2), ".", ",", 1))
}

// efd writes the months of stores.
type efd struct {
	report.ColumnTotals
	out                      report.Rows
	own, service, difference table.Money
}

func beginEFD(_ context.Context, set *report.Set) (report.Content, error) {
	out, err := set.Open(EFDTable)
	return &efd{out: out}, err
}

// Intake takes the months.
func (e *efd) Intake() report.Intake { return report.Intake{OwnMonth: e.addMonth} }

func (e *efd) addMonth(m *report.EFDMonth) error {
	difference := m.Difference()
	if m.ServiceTotal.OK {
		e.own.Add(m.OwnTotal)
		e.service.Add(m.ServiceTotal.V)
		e.difference.Add(difference.V)
	}
	institution := m.Institution
	if !m.OfService && institution == ownsales.UnknownInstitution {
		institution = ""
	}
	row := append(EFDTable.NewRow()[:0],
		table.Text(m.Account.String()), table.Text(m.Store), table.Text(m.Month.String()[:7]), table.Text(institution), table.Text(m.Participant),
		table.Cents(m.OwnTotal), table.OptCents(m.ServiceTotal), table.OptCents(difference), table.Int(int64(m.DaysMissing)), table.Text(formatRecord(m)))
	if err := e.out.Write(row); err != nil {
		return fmt.Errorf("store %s, %s: %w", m.Store, m.Month.String()[:7], err)
	}
	return nil
}

// Identities are that the difference is what the store counts less what the service says.
func (e *efd) Identities() []report.Identity {
	return report.PlaceUnderTable(EFDTable, []report.Identity{report.NewIdentity(
		"efd_difference", "efd-1601.difference = efd-1601.own_total of the service - efd-1601.service_total", e.difference, report.NegateMoney(e.own), e.service,
	)})
}

// efdReader checks the difference and the line of each row.
type efdReader struct{}

func (efdReader) ReadRow(t *table.Table, row table.Row) error {
	cell := func(id string) table.Cell { return row[t.ColumnIndex(id)] }
	m := report.EFDMonth{MonthTotal: ownsales.MonthTotal{OwnTotal: ledger.Amount(cell("own_total").N), Participant: cell("participant").S}}
	if service := cell("service_total"); service.OK {
		m.ServiceTotal = ledger.Some(ledger.Amount(service.N))
	}
	if is, should := cell("difference"), m.Difference(); is.OK != should.OK || ledger.Amount(is.N) != should.V {
		return fmt.Errorf("difference says %s, its parts come to %s", ledger.Amount(is.N), should.V)
	}
	if is := cell("line").S; is != formatRecord(&m) {
		return fmt.Errorf("line says %q, its parts come to %q", is, formatRecord(&m))
	}
	return nil
}

func (efdReader) Terms() map[string]ledger.Amount { return nil }
