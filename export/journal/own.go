package journal

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// CSV is the format of the office's own CSV, whose columns the chart names.
const CSV Format = "csv"

// Layout is what a row of the office's own CSV is of.
type Layout string

// The layouts: a row per line of an entry, or per pair of a debit and its credit.
const (
	ByLine Layout = "lines"
	ByPair Layout = "pairs"
)

// Column is a column of the office's own CSV.
type Column struct {
	Header string
	Value  string // id of what it shows, one of Layout.Values
}

// Values are the ids of what a row can show: those of the table of the journal, with the account and the amount of each side or of both.
func (l Layout) Values() []string {
	out := []string{"entry", "line", "set", "posted_on", "occurred_on", "type", "reverses", "subject", "version", "brand", "product", "text"}
	if l == ByPair {
		return append(out, debitCode, creditCode, amountValue, hashValue)
	}
	return append(out, "role", codeValue, pathValue, debitValue, creditValue, hashValue)
}

// Values that are not copied from the entry alone.
const (
	codeValue   = "code"
	pathValue   = "path"
	debitCode   = "debit_code"
	creditCode  = "credit_code"
	debitValue  = "debit"
	creditValue = "credit"
	amountValue = "amount"
	hashValue   = "row_hash"
)

// sums are the values that a file is proved by.
func (l Layout) sums() []string {
	if l == ByPair {
		return []string{amountValue}
	}
	return []string{debitValue, creditValue}
}

// HasOwnCSV reports whether the office has a CSV of its own in place of the journal's table.
func (c *Chart) HasOwnCSV() bool { return len(c.Columns) > 0 || c.Layout == ByPair }

// OwnColumns are the columns of the office's own CSV.
func (c *Chart) OwnColumns() []Column {
	if len(c.Columns) > 0 {
		return c.Columns
	}
	var out []Column
	for _, id := range c.Layout.Values() {
		out = append(out, Column{id, id})
	}
	return out
}

// OwnValues are the ids of what the columns of the office's own CSV show.
func (c *Chart) OwnValues() []string {
	var out []string
	for _, column := range c.OwnColumns() {
		out = append(out, column.Value)
	}
	return out
}

// DigitHeaders are the headers of the columns of the office's own CSV whose texts may be digits alone, which a spreadsheet that guesses
// types takes for numbers.
func (c *Chart) DigitHeaders() (out []string) {
	for _, column := range c.OwnColumns() {
		if slices.Contains([]string{codeValue, debitCode, creditCode}, column.Value) {
			out = append(out, column.Header)
		}
	}
	return out
}

// Pair is an amount of an entry that is in one of its debits and in one of its credits.
type Pair struct {
	Debit, Credit bookkeeping.Role
	Amount        ledger.Amount // > 0
}

// ListPairs parts a balanced entry into pairs: debits and credits are used up in their order, each pair has the smaller rest of both.
func ListPairs(e *bookkeeping.Entry) (out []Pair) {
	lines := slices.Clone(e.Lines)
	debit, credit := 0, 0
	for {
		for debit < len(lines) && lines[debit].Amount <= 0 {
			debit++
		}
		for credit < len(lines) && lines[credit].Amount >= 0 {
			credit++
		}
		if debit == len(lines) || credit == len(lines) {
			return out
		}
		d, c := &lines[debit], &lines[credit]
		part := min(d.Amount, -c.Amount)
		out = append(out, Pair{d.Role, c.Role, part})
		d.Amount -= part
		c.Amount += part
	}
}

// ownCSV writes the office's own CSV.
type ownCSV struct {
	values []string
	layout Layout
	rows   int64
	rest   []byte // the last row without its hash
	hash   []byte // of it
}

func (d *ownCSV) writeHead(w *Writer) error {
	var b []byte
	for i, c := range w.chart.OwnColumns() {
		if i > 0 {
			b = append(b, ',')
		}
		b = table.AppendText(b, c.Header)
	}
	_, err := w.out.Write(append(b, '\n'))
	return err
}

// ownRow is what a row shows of its line, or of its pair.
type ownRow struct {
	number                int // within the entry
	role                  bookkeeping.Role
	code, path            string
	debitCode, creditCode string
	debit, credit, amount ledger.Amount // 0: not shown
}

func (d *ownCSV) appendEntry(b []byte, w *Writer, e *bookkeeping.Entry) ([]byte, error) {
	accountOf := func(r bookkeeping.Role) Account { return w.chart.AccountOf(w.head.Account, e.Brand, r) }
	if d.layout == ByPair {
		for i, p := range ListPairs(e) {
			b = d.appendRow(b, e, &ownRow{
				number: i + 1, debitCode: accountOf(p.Debit).Code, creditCode: accountOf(p.Credit).Code, amount: p.Amount,
			})
		}
		return b, nil
	}
	for i, l := range e.Lines {
		a := accountOf(l.Role)
		b = d.appendRow(b, e, &ownRow{
			number: i + 1, role: l.Role, code: a.Code, path: a.Path, debit: max(l.Amount, 0), credit: max(-l.Amount, 0),
		})
	}
	return b, nil
}

// appendRow appends a row with its hash, if it has one, and its line end.
func (d *ownCSV) appendRow(b []byte, e *bookkeeping.Entry, r *ownRow) []byte {
	d.rows++
	if at := slices.Index(d.values, hashValue); at >= 0 {
		d.rest = d.appendValues(d.rest[:0], slices.Concat(d.values[:at], d.values[at+1:]), e, r)
		d.hash = table.AppendHash(d.hash[:0], d.rest)
	}
	return append(d.appendValues(b, d.values, e, r), '\n')
}

func (d *ownCSV) appendValues(b []byte, values []string, e *bookkeeping.Entry, r *ownRow) []byte {
	for i, id := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if id == hashValue {
			b = append(b, d.hash...)
			continue
		}
		b = appendValue(b, id, e, r)
	}
	return b
}

// appendValue appends what an entry or a row of it says; what several rows or none have is empty.
func appendValue(b []byte, id string, e *bookkeeping.Entry, r *ownRow) []byte {
	switch id {
	case "entry":
		return append(b, e.ID()...)
	case "line":
		return appendCount(b, r.number)
	case "set":
		return appendCount(b, e.Set)
	case "posted_on":
		return append(b, e.Posted.String()...)
	case "occurred_on":
		if e.Occurred != 0 {
			b = append(b, e.Occurred.String()...)
		}
		return b
	case "type":
		return append(b, e.Type...)
	case "reverses":
		return append(b, e.Reverses...)
	case "subject":
		return table.AppendText(b, e.Subject)
	case "version":
		return appendCount(b, e.Version)
	case "brand":
		return table.AppendText(b, e.Brand)
	case "product":
		return append(b, e.Product...)
	case "text":
		return table.AppendText(b, e.Text)
	}
	return r.appendSide(b, id)
}

// appendSide appends a value of a line or a pair alone.
func (r *ownRow) appendSide(b []byte, id string) []byte {
	switch id {
	case "role":
		return append(b, r.role...)
	case codeValue:
		return table.AppendText(b, r.code)
	case pathValue:
		return table.AppendText(b, r.path)
	case debitCode:
		return table.AppendText(b, r.debitCode)
	case creditCode:
		return table.AppendText(b, r.creditCode)
	case debitValue:
		return appendAmount(b, r.debit)
	case creditValue:
		return appendAmount(b, r.credit)
	}
	return appendAmount(b, r.amount)
}

func appendCount(b []byte, n int) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(b, int64(n), 10)
}

func appendAmount(b []byte, a ledger.Amount) []byte {
	if a == 0 {
		return b
	}
	return a.Append(b, 2)
}

func (d *ownCSV) writeEnd(*Writer) error { return nil }

// ReadOwn reads an office's own CSV back, whose columns show values: it counts the rows, as entries, and adds up what they debit and credit.
func ReadOwn(in io.Reader, values []string) (t Totals, err error) {
	r := csv.NewReader(in)
	r.FieldsPerRecord = len(values)
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return t, fmt.Errorf("header: %w", err)
	}
	for n := 2; ; n++ {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, checkBalanced(&t)
		}
		if err != nil {
			return t, err
		}
		for i, id := range values {
			if !slices.Contains([]string{debitValue, creditValue, amountValue}, id) || fields[i] == "" {
				continue
			}
			a, err := ledger.ParseAmount(fields[i])
			if err != nil || a <= 0 {
				return t, fmt.Errorf("row %d: %.40q is no amount of an entry", n, fields[i])
			}
			if id != creditValue {
				t.Debits += a
			}
			if id != debitValue {
				t.Credits += a
			}
		}
		t.Entries++
	}
}

func checkBalanced(t *Totals) error {
	if t.Debits != t.Credits {
		return fmt.Errorf("debits and credits differ by %s", (t.Debits - t.Credits).Fixed(2))
	}
	return nil
}
