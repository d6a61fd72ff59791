package report

import (
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// JournalTable has a row per line of an entry of the journal.
var JournalTable = &table.Table{ID: "journal", Sheet: "Diário", SheetEN: "Journal", Layout: 1, Columns: []table.Column{
	{ID: "entry", Header: "Lançamento", HeaderEN: "Entry", Type: table.TypeText},
	{ID: "line", Header: "Linha", HeaderEN: "Line", Type: table.TypeInt, NoTotal: true},
	{ID: "set", Header: "Conjunto", HeaderEN: "Set", Type: table.TypeInt, NoTotal: true},
	{ID: "posted_on", Header: "Data do lançamento", HeaderEN: "Posted on", Type: table.TypeDate},
	{ID: "occurred_on", Header: "Ocorrido em", HeaderEN: "Occurred on", Type: table.TypeDate, Null: "several rows"},
	{ID: "type", Header: "Tipo", HeaderEN: "Type", Type: table.TypeEnum, Labels: words.Labels("entry_type")},
	{ID: "reverses", Header: "Estorna", HeaderEN: "Reverses", Type: table.TypeText, Null: "not a reversal, or several rows"},
	{ID: "subject", Header: "Objeto", HeaderEN: "Subject", Type: table.TypeText, Null: "several rows"},
	{ID: "version", Header: "Versão", HeaderEN: "Version", Type: table.TypeInt, NoTotal: true, Null: "several rows"},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not of a card"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not of a card", Labels: productLabels},
	{ID: "text", Header: "Histórico", HeaderEN: "Text", Type: table.TypeText},
	{ID: "role", Header: "Papel", HeaderEN: "Role", Type: table.TypeEnum, Labels: words.Labels("journal_role")},
	{ID: "code", Header: "Código reduzido", HeaderEN: "Code", Type: table.TypeText, Digits: true, Null: "not in the chart"},
	{ID: "path", Header: "Conta contábil", HeaderEN: "Path", Type: table.TypeText, Null: "not in the chart"},
	{ID: "debit", Header: "Débito", HeaderEN: "Debit", Type: table.TypeMoney, Decimals: 2, Null: "a credit"},
	{ID: "credit", Header: "Crédito", HeaderEN: "Credit", Type: table.TypeMoney, Decimals: 2, Null: "a debit"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// JournalLine fills the row of a line of an entry, whose account has a code, a path, or both.
func JournalLine(row table.Row, e *ledger.Entry, line int, code, path string) {
	l := &e.Lines[line]
	copy(row, table.Row{
		table.Text(e.ID()), table.Int(int64(line + 1)), table.Int(int64(e.Set)), table.Day(e.Posted), table.Day(e.Occurred), table.Text(string(e.Type)),
		table.Text(e.Reverses), table.Text(e.Subject), ordinal(e.Version), table.Text(e.Brand), table.Text(string(e.Product)), table.Text(e.Text),
		table.Text(string(l.Role)), table.Text(code), table.Text(path),
		{},
		{},
	})
	if l.Amount > 0 {
		row[15] = table.Cents(l.Amount)
	} else {
		row[16] = table.Cents(-l.Amount)
	}
}
