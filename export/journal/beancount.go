package journal

import (
	"fmt"

	"concilia/store/ledger/bookkeeping"
)

// beancount writes journals of beancount 2 and 3. Balances are asserted to the cent: without a tolerance of their own, the program
// lets one cent pass.
type beancount struct{}

func (d *beancount) writeHead(w *Writer) error {
	h := w.head
	if h.Chained && !h.First {
		return nil
	}
	paths, err := w.usedPaths()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "option \"title\" \"%s\"\noption \"operating_currency\" \"BRL\"\n", w.formatTitle())
	for _, p := range paths {
		fmt.Fprintf(w.out, "%s open %s BRL\n", h.Period.From, p)
	}
	opening, err := w.openingEntry()
	if err != nil || len(opening) == 0 {
		return err
	}
	fmt.Fprintf(w.out, "\n%s * \"%s\"\n", h.Period.From, openingText)
	for _, s := range opening {
		fmt.Fprintf(w.out, "  %s  %s BRL\n", s.path, s.amount.Fixed(2))
	}
	return nil
}

func (d *beancount) appendEntry(b []byte, w *Writer, e *bookkeeping.Entry) ([]byte, error) {
	b = append(b, '\n')
	b = append(b, e.Posted.String()...)
	b = append(append(append(b, ` * "`...), withoutQuotes(e.Text)...), `" ^`...)
	b = append(append(b, e.ID()...), '\n')
	if e.Subject != "" {
		b = appendRow(append(b, `  row: "`...), e)
		b = append(b, "\"\n"...)
	}
	if e.Reverses != "" {
		b = append(append(append(b, `  reverses: "`...), e.Reverses...), "\"\n"...)
	}
	for _, l := range e.Lines {
		path, err := w.pathOf(e.Brand, l.Role)
		if err != nil {
			return b, err
		}
		b = append(append(append(b, "  "...), path...), "  "...)
		b = append(l.Amount.Append(b, 2), " BRL\n"...)
	}
	return b, nil
}

func (d *beancount) writeEnd(w *Writer) error {
	if w.head.Chained {
		return nil
	}
	sums, err := w.closingSums(true)
	for i, s := range sums {
		if i == 0 {
			fmt.Fprintln(w.out)
		}
		fmt.Fprintf(w.out, "%s balance %s  %s ~ 0 BRL\n", w.head.Period.To+1, s.path, s.amount.Fixed(2))
	}
	return err
}
