package table_test

import (
	"bytes"
	"io"

	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ledgertest"
)

// The short names of values in these tests.
var (
	day  = ledgertest.Date
	at   = ledgertest.LocalTime
	brl  = ledgertest.Reais
	rate = ledgertest.Percent
)

// shares has a column of every type but Value and Number, and labels.
func shares() *table.Table {
	text := func(id, pt, en string) table.Column {
		return table.Column{ID: id, Header: pt, HeaderEN: en, Type: table.TypeText, Null: "not sent"}
	}
	count := func(id, pt, en string) table.Column {
		return table.Column{ID: id, Header: pt, HeaderEN: en, Type: table.TypeInt}
	}
	number := func(id, pt, en string, of table.Type, decimals int) table.Column {
		return table.Column{ID: id, Header: pt, HeaderEN: en, Type: of, Decimals: decimals, Null: "not sent"}
	}
	return &table.Table{ID: "shares", Sheet: "Partes", Layout: 1, Columns: []table.Column{
		text("account", "Conta", "Account"),
		{ID: "sale_at", Header: "Data da venda", HeaderEN: "Sale date and time", Type: table.TypeDateTime},
		text("nsu", "NSU", "NSU"), text("auth", "Autorização", "Authorization"),
		count("installment", "Parcela", "Installment"), count("share", "Ordem", "Ordinal"),
		text("beneficiary", "Beneficiário", "Beneficiary"),
		number("pct", "Percentual", "Percent", table.TypeRate, 4),
		number("base", "Base", "Base", table.TypeMoney, 4), number("value", "Valor", "Value", table.TypeMoney, 2),
		number("difference", "Diferença", "Difference", table.TypeMoney, 2),
		{ID: "effective_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: table.TypeDate, Null: "not received"},
		{ID: "class", Header: "Situação", HeaderEN: "Class", Type: table.TypeEnum, Labels: func(id string) (string, bool) { return "aberta", id == "open" }},
		{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: table.TypeList, Null: "none"},
		{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
	}}
}

// share fills a row of shares.
func share(text, codes string, n int64, money ledger.Amount, rate ledger.Rate, on ledger.Date) table.Row {
	return table.Row{
		table.Text("1001"), table.Clock(at("2026-11-02T10:30:00")), table.Text(text), table.Text("A"), table.Int(n), table.Int(1),
		table.Text(text), table.Pct(rate), table.Exact(money), table.Cents(money),
		{},
		table.Day(on), table.Text("open"), table.Text(codes),
	}
}

// writeCSV writes rows as csv.
func writeCSV(w io.Writer, t *table.Table, rows ...table.Row) error {
	c, err := table.NewCSVWriter(w, t)
	for i := 0; i < len(rows) && err == nil; i++ {
		err = addCSV(c, rows[i])
	}
	if err != nil {
		return err
	}
	return c.Flush()
}

// addCSV writes a row whose text nothing else needs.
func addCSV(c *table.CSVWriter, row table.Row) error {
	text, err := c.Encode(row)
	if err != nil {
		return err
	}
	return c.Write(text, row)
}

// readCSV reads the rows of a csv.
func readCSV(r io.Reader, t *table.Table) (rows []table.Row, err error) {
	_, err = table.ReadCSV(r, t, func(row table.Row) error {
		rows = append(rows, append(table.Row(nil), row...))
		return nil
	})
	return rows, err
}

// spell writes rows in a spelling, by way of their csv.
func spell(s table.RowFormat, t *table.Table, l table.Language, rows ...table.Row) ([]byte, error) {
	c, err := table.NewCSVWriter(io.Discard, t)
	out := s.AppendHeader(nil, t, l)
	for i := 0; i < len(rows) && err == nil; i++ {
		var csv []byte
		if csv, err = c.Encode(rows[i]); err == nil {
			out = s.AppendRow(out, t, rows[i], c.Hash(csv), l)
		}
	}
	return out, err
}

// format is one of the text formats, as a whole file.
type format struct {
	name  string
	write func(t *table.Table, rows ...table.Row) ([]byte, error)
	read  func(r io.Reader, t *table.Table) (table.Counter, error)
}

func formats() []format {
	spelling := func(name string, s table.RowFormat) format {
		return format{name, func(t *table.Table, rows ...table.Row) ([]byte, error) {
			return spell(s, t, table.Portuguese, rows...)
		}, s.ReadBack}
	}
	return []format{
		{"csv", func(t *table.Table, rows ...table.Row) ([]byte, error) {
			var out bytes.Buffer
			err := writeCSV(&out, t, rows...)
			return out.Bytes(), err
		}, func(r io.Reader, t *table.Table) (table.Counter, error) { return table.ReadCSV(r, t, nil) }},
		spelling("csv-br", table.BrazilianCSV()),
		spelling("jsonl", table.JSONLines()),
	}
}
