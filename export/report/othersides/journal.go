package othersides

import (
	"context"
	"fmt"
	"strconv"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger/bookkeeping"
)

// JournalTable has a row per line of an entry of the journal.
var JournalTable = &table.Table{ID: "journal", Sheet: "Diário", SheetEN: "Journal", Layout: 1, Columns: []table.Column{
	{ID: "entry", Header: "Lançamento", HeaderEN: "Entry", Type: table.TypeText},
	{ID: "line", Header: "Linha", HeaderEN: "Line", Type: table.TypeText},
	{ID: "set", Header: "Conjunto", HeaderEN: "Set", Type: table.TypeText},
	{ID: "posted_on", Header: "Data do lançamento", HeaderEN: "Posted on", Type: table.TypeDate},
	{ID: "occurred_on", Header: "Ocorrido em", HeaderEN: "Occurred on", Type: table.TypeDate, Null: "several rows"},
	{ID: "type", Header: "Tipo", HeaderEN: "Type", Type: table.TypeEnum, Labels: words.Labels("entry_type")},
	{ID: "reverses", Header: "Estorna", HeaderEN: "Reverses", Type: table.TypeText, Null: "not a reversal, or several rows"},
	{ID: "subject", Header: "Objeto", HeaderEN: "Subject", Type: table.TypeText, Null: "several rows"},
	{ID: "version", Header: "Versão", HeaderEN: "Version", Type: table.TypeText, Null: "several rows"},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not of a card"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not of a card", Labels: report.ProductLabels},
	{ID: "text", Header: "Histórico", HeaderEN: "Text", Type: table.TypeText},
	{ID: "role", Header: "Papel", HeaderEN: "Role", Type: table.TypeEnum, Labels: words.Labels("journal_role")},
	{ID: "code", Header: "Código reduzido", HeaderEN: "Code", Type: table.TypeText, Digits: true, Null: "not in the chart"},
	{ID: "path", Header: "Conta contábil", HeaderEN: "Path", Type: table.TypeText, Null: "not in the chart"},
	{ID: "debit", Header: "Débito", HeaderEN: "Debit", Type: table.TypeMoney, Decimals: 2, Null: "a credit"},
	{ID: "credit", Header: "Crédito", HeaderEN: "Credit", Type: table.TypeMoney, Decimals: 2, Null: "a debit"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// JournalLine fills the row of a line of an entry, whose account has a code, a path, or both. The first line fills what the others have,
// too: they follow it into the same row.
func JournalLine(row table.Row, e *bookkeeping.Entry, line int, code, path string) {
	if line == 0 {
		copy(row, table.Row{
			table.Text(e.ID()),
			{},
			table.Text(strconv.Itoa(e.Set)), table.Day(e.Posted), table.Day(e.Occurred), table.Text(string(e.Type)),
			table.Text(e.Reverses), table.Text(e.Subject), versionText(e.Version), table.Text(e.Brand), table.Text(string(e.Product)), table.Text(e.Text),
		})
	}
	l := &e.Lines[line]
	row[1] = table.Text(strconv.Itoa(line + 1))
	debit, credit := table.Cell{}, table.Cell{}
	if l.Amount > 0 {
		debit = table.Cents(l.Amount)
	} else {
		credit = table.Cents(-l.Amount)
	}
	copy(row[12:], table.Row{table.Text(string(l.Role)), table.Text(code), table.Text(path), debit, credit})
}

func versionText(n int) table.Cell {
	if n == 0 {
		return table.Cell{}
	}
	return table.Text(strconv.Itoa(n))
}

// JournalFormats are the formats of the journal: a table's, and those of accountants' programs.
func JournalFormats() []report.Format {
	return []report.Format{report.CSV, report.JSONL, report.Beancount, report.HLedger, report.Dominio}
}

// JournalDefinition is the kind journal.
var JournalDefinition = &report.Definition{
	Kind: report.JournalKind, Tables: []*table.Table{JournalTable}, Bases: []report.Basis{report.ByPosting, report.ByMovement}, Formats: JournalFormats(), Unfiltered: true,
	Begin: func(_ context.Context, set *report.Set) (report.Content, error) {
		out, err := set.Open(JournalTable)
		return &journal{set: set, out: out, row: JournalTable.NewRow()}, err
	},
}

// journal writes a row per line of an entry.
type journal struct {
	report.ColumnTotals
	set *report.Set
	out report.Rows
	row table.Row
}

func (c *journal) Intake() report.Intake {
	return report.Intake{Entry: func(e *bookkeeping.Entry) error {
		for i := range e.Lines {
			code, path := c.set.BookAccount(e, e.Lines[i].Role)
			JournalLine(c.row, e, i, code, path)
			if err := c.out.Write(c.row); err != nil {
				return fmt.Errorf("entry %s: %w", e.ID(), err)
			}
		}
		return nil
	}}
}
