package journal

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"concilia/store/ledger"
)

// maxLine bounds a line in bytes.
const maxLine = 1 << 14

// ReadTotals reads a file back: it counts the entries and adds up what they debit and credit, and refuses one that is not balanced. The
// balances at both ends are no entries.
func ReadTotals(in io.Reader, f Format) (Totals, error) {
	r := &reader{}
	takeLine := r.takePlain
	switch f {
	case Dominio:
		takeLine = r.takeDominio
	case Beancount, HLedger:
	default:
		return Totals{}, fmt.Errorf("no journal is written as %q", f)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for n := 1; lines.Scan(); n++ {
		if err := takeLine(lines.Text()); err != nil {
			return r.totals, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return r.totals, err
	}
	return r.totals, r.endEntry()
}

// reader adds up entries.
type reader struct {
	totals  Totals
	open    bool // an entry is being read
	counted bool // it is no balance
	lines   int
	sum     ledger.Amount
}

func (r *reader) endEntry() error {
	open := r.open
	sum, lines, needed := r.sum, r.lines, 1 // the balances may be those of one account
	if r.counted {
		needed = 2
	}
	r.open, r.counted, r.lines, r.sum = false, false, 0, 0
	if open && (sum != 0 || lines < needed) {
		return fmt.Errorf("an entry of %d lines whose debits and credits differ by %s", lines, sum.Fixed(2))
	}
	return nil
}

// takePlain takes a line of beancount or hledger.
func (r *reader) takePlain(line string) error {
	text := strings.TrimLeft(line, " ")
	indented := len(text) < len(line)
	switch {
	case text == "":
		return r.endEntry()
	case !indented && len(text) > 12 && text[10:12] == " *" && text[0] >= '0' && text[0] <= '9':
		if err := r.endEntry(); err != nil {
			return err
		}
		r.open, r.counted = true, strings.Contains(text, `" ^`)
		return nil
	case !indented:
		return r.endEntry()
	case strings.HasPrefix(text, "; entry: "):
		r.counted = true
		return nil
	case !r.open, text[0] == ';', strings.HasPrefix(text, "row: "), strings.HasPrefix(text, "reverses: "):
		return nil
	}
	_, amount, ok := strings.Cut(text, "  ")
	amount, currency, _ := strings.Cut(amount, " ")
	if a, err := ledger.ParseAmount(amount); ok && err == nil && strings.HasPrefix(currency, "BRL") {
		r.addLine(a)
		return nil
	}
	return fmt.Errorf("%.80q is no line of an entry", text)
}

// addLine adds a line of the open entry.
func (r *reader) addLine(a ledger.Amount) {
	r.lines++
	r.sum += a
	if !r.counted {
		return
	}
	if r.lines == 1 {
		r.totals.Entries++
	}
	if a > 0 {
		r.totals.Debits += a
	} else {
		r.totals.Credits -= a
	}
}

// takeDominio takes a line of Domínio.
func (r *reader) takeDominio(line string) error {
	fields := strings.Split(strings.TrimSuffix(line, "\r"), "|")
	switch {
	case len(fields) == 4 && fields[1] == "0000":
		return nil
	case len(fields) == 7 && fields[1] == "6000":
		err := r.endEntry()
		r.open, r.counted = true, true
		return err
	case len(fields) != 12 || fields[1] != "6100" || !r.open:
		return fmt.Errorf("%.80q is no line of an entry", line)
	}
	a, err := ledger.ParseAmount(strings.Replace(fields[5], ",", ".", 1))
	if err != nil || a <= 0 || fields[3] == "" && fields[4] == "" {
		return fmt.Errorf("%.80q is no line of an entry", line)
	}
	if fields[3] != "" {
		r.addLine(a)
	}
	if fields[4] != "" {
		r.addLine(-a)
	}
	return nil
}
