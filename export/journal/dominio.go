package journal

import (
	"cmp"
	"fmt"
	"strings"

	"concilia/store/ledger"
)

// dominio writes entries for the import of Domínio Sistemas: cp1252, which texts of ASCII are as they are, and CR LF.
type dominio struct{}

const lineEnd = "\r\n"

func (d *dominio) writeHead(w *Writer) error {
	company := cmp.Or(w.chart.Company, w.head.Document)
	_, err := fmt.Fprintf(w.out, "|0000|%s|"+lineEnd, withoutBars(company))
	return err
}

// appendEntry appends an entry: one debit with one credit is a line (X), one debit with many credits (D), one credit with many debits
// (C), or many of both (V).
func (d *dominio) appendEntry(b []byte, w *Writer, e *ledger.Entry) ([]byte, error) {
	debits := 0
	for _, l := range e.Lines {
		if l.Amount > 0 {
			debits++
		}
	}
	credits := len(e.Lines) - debits
	kind := "V"
	lines := e.Lines
	switch {
	case debits == 1 && credits == 1:
		kind = "X"
	case debits == 1:
		kind = "D"
	case credits == 1:
		kind = "C"
		lines = append([]ledger.EntryLine{lines[len(lines)-1]}, lines[:len(lines)-1]...)
	}
	b = fmt.Appendf(b, "|6000|%s||||"+lineEnd, kind)
	codes := make([]string, len(lines))
	for i, l := range lines {
		if codes[i] = w.chart.AccountOf(w.head.Account, e.Brand, l.Role).Code; codes[i] == "" {
			return b, fmt.Errorf("the chart has no code for role %s", l.Role)
		}
	}
	if kind == "X" {
		return d.appendLine(b, e, codes[0], codes[1], lines[0].Amount), nil
	}
	for i, l := range lines {
		if l.Amount > 0 {
			b = d.appendLine(b, e, codes[i], "", l.Amount)
		} else {
			b = d.appendLine(b, e, "", codes[i], -l.Amount)
		}
	}
	return b, nil
}

func (d *dominio) appendLine(b []byte, e *ledger.Entry, debit, credit string, amount ledger.Amount) []byte {
	return fmt.Appendf(b, "|6100|%s|%s|%s|%s||%s||||"+lineEnd, e.Posted.Brazilian(), debit, credit,
		strings.Replace(amount.Fixed(2), ".", ",", 1), withoutBars(e.Text))
}

func (d *dominio) writeEnd(*Writer) error { return nil }

// withoutBars is a text without what ends a field or a line.
func withoutBars(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '|' || r == '\r' || r == '\n' {
			return ' '
		}
		return r
	}, s)
}
