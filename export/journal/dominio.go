package journal

import (
	"cmp"
	"fmt"
	"strings"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
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
func (d *dominio) appendEntry(b []byte, w *Writer, e *bookkeeping.Entry) ([]byte, error) {
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
		lines = append([]bookkeeping.EntryLine{lines[len(lines)-1]}, lines[:len(lines)-1]...)
	}
	b = append(append(append(b, "|6000|"...), kind...), "||||"+lineEnd...)
	l := &dominioLine{day: e.Posted.Brazilian(), text: withoutBars(e.Text)}
	if kind == "X" {
		debit, err := d.codeOf(w, e, lines[0].Role)
		credit, creditErr := d.codeOf(w, e, lines[1].Role)
		return l.appendLine(b, debit, credit, lines[0].Amount), cmp.Or(err, creditErr)
	}
	for _, line := range lines {
		code, err := d.codeOf(w, e, line.Role)
		if err != nil {
			return b, err
		}
		if line.Amount > 0 {
			b = l.appendLine(b, code, "", line.Amount)
		} else {
			b = l.appendLine(b, "", code, -line.Amount)
		}
	}
	return b, nil
}

func (d *dominio) codeOf(w *Writer, e *bookkeeping.Entry, r bookkeeping.Role) (string, error) {
	code := w.chart.AccountOf(w.head.Account, e.Brand, r).Code
	if code == "" {
		return "", fmt.Errorf("the chart has no code for role %s", r)
	}
	return code, nil
}

// dominioLine is what all lines of an entry have.
type dominioLine struct{ day, text string }

// appendLine appends a line, whose cents follow a comma.
func (l *dominioLine) appendLine(b []byte, debit, credit string, amount ledger.Amount) []byte {
	b = append(append(append(b, "|6100|"...), l.day...), '|')
	b = append(append(append(append(b, debit...), '|'), credit...), '|')
	b = amount.Append(b, 2)
	b[len(b)-len(".00")] = ','
	return append(append(append(b, "||"...), l.text...), "||||"+lineEnd...)
}

func (d *dominio) writeEnd(*Writer) error { return nil }

// withoutBars is a text without what ends a field or a line.
func withoutBars(s string) string {
	if !strings.ContainsAny(s, "|\r\n") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '|' || r == '\r' || r == '\n' {
			return ' '
		}
		return r
	}, s)
}
