package caseview

import (
	"io"

	"concilia/export/table"
	"concilia/export/words"
)

// caseTable is a list of cases as a file, in the order of its columns on the page.
func caseTable() *table.Table {
	return &table.Table{ID: "cases", Sheet: "Casos", Layout: 1, Columns: []table.Column{
		{ID: "sentence", Header: "O que houve", HeaderEN: "What happened", Type: table.TypeText},
		{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: table.TypeText, Digits: true},
		{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: table.TypeText},
		{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: table.TypeInt},
		{ID: "slip", Header: "Boleto", HeaderEN: "Slip", Type: table.TypeText},
		{ID: "impact", Header: "Impacto", HeaderEN: "Impact", Type: table.TypeMoney, Decimals: 2},
		{ID: "due_date", Header: "Previsto ou vencimento", HeaderEN: "Forecast or due", Type: table.TypeDate},
		{ID: "age_days", Header: "Idade em dias", HeaderEN: "Age, days", Type: table.TypeInt},
		{ID: "state", Header: "Situação", HeaderEN: "State", Type: table.TypeText},
		{ID: "owner", Header: "Quem resolve", HeaderEN: "Who goes on", Type: table.TypeText},
		{ID: "assignee", Header: "Com quem", HeaderEN: "With whom", Type: table.TypeText},
		{ID: "reference", Header: "Protocolo", HeaderEN: "Reference", Type: table.TypeText},
		{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
		{ID: "severity", Header: "Gravidade", HeaderEN: "Severity", Type: table.TypeText},
		{ID: "code", Header: "Código", HeaderEN: "Code", Type: table.TypeText},
		{ID: "case", Header: "Caso", HeaderEN: "Case", Type: table.TypeText},
		{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
	}}
}

// WriteBrazilianCSV writes cases as the csv-br of the reports: what a spreadsheet would take for a formula is kept from being one.
func WriteBrazilianCSV(w io.Writer, rows []CaseRow, lang string) error {
	t, format, language := caseTable(), table.BrazilianCSV(), table.Language(lang)
	b := format.AppendHeader(nil, t, language)
	for i := range rows {
		r := &rows[i]
		cells := table.Row{
			table.Text(r.Sentence), table.Text(r.NSU), table.Text(r.Auth),
			{},
			table.Text(r.Slip),
			{},
			table.Day(r.Due),
			{},
			table.Text(words.Name(lang, "case_state", string(r.State))), table.Text(r.Owner), table.Text(r.Assignee), table.Text(r.Protocol), table.Text(r.Account.String()),
			table.Text(words.Text(lang, "severities."+string(r.Severity))), table.Text(r.Code), table.Text(r.Case.Case),
		}
		if r.Number != 0 {
			cells[3] = table.Int(int64(r.Number))
		}
		if r.Impact.OK {
			cells[5] = table.Cents(r.Impact.V)
		}
		if r.Age >= 0 {
			cells[7] = table.Int(int64(r.Age))
		}
		b = format.AppendRow(b, t, cells, nil, language)
		if len(b) >= 64<<10 {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := w.Write(b)
	return err
}
