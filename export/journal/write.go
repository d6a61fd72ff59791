package journal

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Format is a program's way to write a journal.
type Format string

// The formats.
const (
	Beancount Format = "beancount"
	HLedger   Format = "hledger"
	Dominio   Format = "dominio"
)

// Balance is what the journal has of a role and a brand.
type Balance struct {
	Role            bookkeeping.Role
	Brand           string
	Opening         ledger.Amount // at the end of the day before the first
	Debits, Credits ledger.Amount // posted from the first day to the last
	Closing         ledger.Amount // as the rows have it at the end of the last day
}

// Head is what a file begins and ends with.
type Head struct {
	Account  ledger.Account
	Document string // of the account
	Period   ledger.Period
	Balances []Balance
	// Chained marks a file that is read after others: it has entries alone. First marks the first of them, which has the accounts and
	// the opening balances too.
	Chained, First bool
}

// NewWriter starts a file and writes its head.
func NewWriter(out io.Writer, f Format, c *Chart, h *Head) (*Writer, error) {
	w := &Writer{out: bufio.NewWriterSize(out, 1<<16), chart: c, head: h}
	switch f {
	case Beancount:
		w.dialect = &beancount{}
	case HLedger:
		w.dialect = &hledger{}
	case Dominio:
		w.dialect = &dominio{}
	case CSV:
		w.dialect = &ownCSV{values: c.OwnValues(), layout: c.Layout}
	default:
		return nil, fmt.Errorf("no journal is written as %q", f)
	}
	if err := w.dialect.writeHead(w); err != nil {
		return nil, err
	}
	return w, nil
}

// Totals are what the entries of a file count and add up to.
type Totals struct {
	Entries         int64 // of an office's own CSV its rows
	Debits, Credits ledger.Amount
}

// Writer writes a file.
type Writer struct {
	Totals  Totals // of the entries so far
	out     *bufio.Writer
	chart   *Chart
	head    *Head
	dialect dialect
	line    []byte
}

// dialect is how a format spells what every file has.
type dialect interface {
	writeHead(w *Writer) error
	appendEntry(b []byte, w *Writer, e *bookkeeping.Entry) ([]byte, error)
	writeEnd(w *Writer) error
}

// Write writes an entry.
func (w *Writer) Write(e *bookkeeping.Entry) error {
	if sum := e.Balance(); sum != 0 || len(e.Lines) < 2 {
		return fmt.Errorf("entry %s: debits and credits differ by %s", e.ID(), sum.Fixed(2))
	}
	b, err := w.dialect.appendEntry(w.line[:0], w, e)
	if err != nil {
		return fmt.Errorf("entry %s: %w", e.ID(), err)
	}
	w.line = b
	w.Totals.Entries++
	if own, ok := w.dialect.(*ownCSV); ok {
		w.Totals.Entries = own.rows
	}
	for _, l := range e.Lines {
		if l.Amount > 0 {
			w.Totals.Debits += l.Amount
		} else {
			w.Totals.Credits -= l.Amount
		}
	}
	_, err = w.out.Write(b)
	return err
}

// Close writes the end.
func (w *Writer) Close() error {
	if err := w.dialect.writeEnd(w); err != nil {
		return err
	}
	return w.out.Flush()
}

// pathOf is the path of a line of an entry.
func (w *Writer) pathOf(brand string, r bookkeeping.Role) (string, error) {
	a := w.chart.AccountOf(w.head.Account, brand, r)
	if a.Path == "" {
		return "", fmt.Errorf("the chart has no path for role %s", r)
	}
	return a.Path, nil
}

// pathSum is what a path has.
type pathSum struct {
	path   string
	amount ledger.Amount
}

// sumPaths adds up balances by path, in the order of roles, and leaves out roles that the journal does not use.
func (w *Writer) sumPaths(of func(*Balance) (ledger.Amount, bool)) (out []pathSum, err error) {
	for _, r := range bookkeeping.Roles() {
		for i := range w.head.Balances {
			b := &w.head.Balances[i]
			if b.Role != r {
				continue
			}
			amount, used := of(b)
			if !used {
				continue
			}
			path, err := w.pathOf(b.Brand, r)
			if err != nil {
				return nil, err
			}
			at := slices.IndexFunc(out, func(s pathSum) bool { return s.path == path })
			if at < 0 {
				at = len(out)
				out = append(out, pathSum{path: path})
			}
			out[at].amount += amount
		}
	}
	return out, nil
}

func isUsed(b *Balance) bool {
	return b.Opening != 0 || b.Debits != 0 || b.Credits != 0 || b.Closing != 0
}

// usedPaths are the paths that a file declares.
func (w *Writer) usedPaths() (out []string, err error) {
	if w.head.Chained {
		for _, r := range bookkeeping.Roles() {
			for _, p := range w.chart.listPaths(r) {
				if !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
		return out, nil
	}
	sums, err := w.sumPaths(func(b *Balance) (ledger.Amount, bool) { return 0, isUsed(b) })
	for _, s := range sums {
		out = append(out, s.path)
	}
	if opening, _ := w.openingSums(); err == nil && len(opening) > 0 {
		path, pathErr := w.pathOf("", bookkeeping.RoleOpening)
		if err = pathErr; err == nil && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out, err
}

// openingSums are the balances that a file begins with, without the opening itself.
func (w *Writer) openingSums() ([]pathSum, error) {
	sums, err := w.sumPaths(func(b *Balance) (ledger.Amount, bool) { return b.Opening, b.Opening != 0 && b.Role.HasBalance() })
	return slices.DeleteFunc(sums, func(s pathSum) bool { return s.amount == 0 }), err
}

// closingSums are the balances that a file ends with, of the paths of assets and liabilities of which the journal has all. below says that a program counts to a
// path what lies below it, too.
func (w *Writer) closingSums(below bool) ([]pathSum, error) {
	out, err := w.sumPaths(func(b *Balance) (ledger.Amount, bool) { return 0, b.Role.IsWhole() && isUsed(b) })
	if err != nil {
		return nil, err
	}
	all, err := w.sumPaths(func(b *Balance) (ledger.Amount, bool) {
		if b.Role.HasBalance() {
			return b.Closing, isUsed(b)
		}
		return b.Debits - b.Credits, isUsed(b)
	})
	if err != nil {
		return nil, err
	}
	opening, err := w.openingEntry()
	if n := len(opening); n > 0 && err == nil {
		if path, _ := w.pathOf("", bookkeeping.RoleOpening); opening[n-1].path == path {
			all = append(all, opening[n-1])
		}
	}
	for i := range out {
		for _, s := range all {
			if s.path == out[i].path || below && strings.HasPrefix(s.path, out[i].path+":") {
				out[i].amount += s.amount
			}
		}
	}
	return out, err
}

// openingText is what the opening balances are called.
const openingText = "Saldo anterior"

// openingEntry are the opening balances with their counter entry; nil: there are none.
func (w *Writer) openingEntry() ([]pathSum, error) {
	sums, err := w.openingSums()
	if err != nil || len(sums) == 0 {
		return nil, err
	}
	var total ledger.Amount
	for _, s := range sums {
		total += s.amount
	}
	path, err := w.pathOf("", bookkeeping.RoleOpening)
	if err != nil || total == 0 {
		return sums, err
	}
	return append(sums, pathSum{path, -total}), nil
}

// formatTitle names a file of a period.
func (w *Writer) formatTitle() string {
	h := w.head
	return fmt.Sprintf("concilia %s %s %s %s", h.Account, h.Period.From, h.Period.To, w.chart.Method)
}

// appendRow appends the subject of an entry with its version.
func appendRow(b []byte, e *bookkeeping.Entry) []byte {
	b = append(append(b, e.Subject...), " v"...)
	return strconv.AppendInt(b, int64(e.Version), 10)
}

// withoutQuotes is a text without what ends a quoted one.
func withoutQuotes(s string) string {
	if !strings.ContainsAny(s, "\"\\\r\n") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"\\\r\n", r) {
			return ' '
		}
		return r
	}, s)
}
