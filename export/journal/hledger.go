package journal

import (
	"fmt"

	"concilia/store/ledger/bookkeeping"
)

// hledger writes journals that hledger takes in its strict mode and ledger in its pedantic one.
type hledger struct{}

func (d *hledger) writeHead(w *Writer) error {
	h := w.head
	if h.Chained && !h.First {
		return nil
	}
	paths, err := w.usedPaths()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "; %s\ntag entry\ntag row\ntag reverses\ncommodity BRL\n  format 1000.00 BRL\n", w.formatTitle())
	for _, p := range paths {
		fmt.Fprintf(w.out, "account %s\n", p)
	}
	opening, err := w.openingEntry()
	if err != nil || len(opening) == 0 {
		return err
	}
	fmt.Fprintf(w.out, "\n%s * %s\n", h.Period.From, openingText)
	for _, s := range opening {
		fmt.Fprintf(w.out, "    %s  %s BRL\n", s.path, s.amount.Fixed(2))
	}
	return nil
}

func (d *hledger) appendEntry(b []byte, w *Writer, e *bookkeeping.Entry) ([]byte, error) {
	b = append(b, '\n')
	b = append(b, e.Posted.String()...)
	b = append(append(append(b, " * "...), withoutQuotes(e.Text)...), "\n    ; entry: "...)
	b = append(append(b, e.ID()...), '\n')
	if e.Subject != "" {
		b = append(appendRow(append(b, "    ; row: "...), e), '\n')
	}
	if e.Reverses != "" {
		b = append(append(append(b, "    ; reverses: "...), e.Reverses...), '\n')
	}
	for _, l := range e.Lines {
		path, err := w.pathOf(e.Brand, l.Role)
		if err != nil {
			return b, err
		}
		b = append(append(append(b, "    "...), path...), "  "...)
		b = append(l.Amount.Append(b, 2), " BRL\n"...)
	}
	return b, nil
}

func (d *hledger) writeEnd(w *Writer) error {
	if w.head.Chained {
		return nil
	}
	sums, err := w.closingSums(false)
	for i, s := range sums {
		if i == 0 {
			fmt.Fprintf(w.out, "\n%s * Saldos\n", w.head.Period.To+1)
		}
		fmt.Fprintf(w.out, "    %s  0.00 BRL = %s BRL\n", s.path, s.amount.Fixed(2))
	}
	return err
}
