package cnab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// Record is one line of a file: 240 bytes and their layout. Setters collect their errors; Err returns them, so that a
// record is filled without checks in between and checked once.
type Record struct {
	layout *Layout
	raw    [Width]byte
	faults []error
}

// NewRecord is an empty record: zeros in numeric columns, blanks in others, and the fixed content of its layout.
func NewRecord(l *Layout) *Record {
	r := &Record{}
	r.Reset(l)
	return r
}

// Reset makes the record an empty one of that layout.
func (r *Record) Reset(l *Layout) {
	r.layout, r.raw, r.faults = l, l.empty, r.faults[:0]
}

// Layout explains the record.
func (r *Record) Layout() *Layout { return r.layout }

// Bytes are the 240 columns, without CR LF. The slice is the record's own.
func (r *Record) Bytes() []byte { return r.raw[:] }

// Err returns all errors of the setters, joined, or nil.
func (r *Record) Err() error { return errors.Join(r.faults...) }

// SetNum sets a numeric field. A negative number, or one that is too wide, is an error.
func (r *Record) SetNum(id string, v int64) {
	if v < 0 {
		r.rejectValue(id, "negative")
		return
	}
	r.SetDigits(id, strconv.FormatInt(v, 10))
}

// SetDigits sets a numeric field from text: digits, and in tax ids upper-case letters. Text that is too wide, or
// holds anything else, is an error. Empty text is zeros.
func (r *Record) SetDigits(id, s string) {
	f := r.findField(id, Num)
	if f == nil {
		return
	}
	for i := range len(s) {
		if !f.allowsChar(s[i]) {
			r.rejectValue(id, "not a number")
			return
		}
	}
	if len(s) > f.Width() {
		r.rejectValue(id, fmt.Sprintf("%d characters do not fit", len(s)))
		return
	}
	columns := r.raw[f.From-1 : f.To]
	gap := len(columns) - len(s)
	for i := range gap {
		columns[i] = '0'
	}
	copy(columns[gap:], s)
}

// SetText sets a text field to s in upper-case ASCII, cut on the right when it is too long.
func (r *Record) SetText(id, s string) { r.setText(id, s, true) }

// SetCode sets a text field like SetText, except that a text too long is an error: a cut code would be another code.
func (r *Record) SetCode(id, s string) { r.setText(id, s, false) }

func (r *Record) setText(id, s string, cut bool) {
	f := r.findField(id, Alfa)
	if f == nil {
		return
	}
	s = plainText(s)
	if len(s) > f.Width() {
		if !cut {
			r.rejectValue(id, fmt.Sprintf("%d characters do not fit", len(s)))
			return
		}
		s = s[:f.Width()]
	}
	columns := r.raw[f.From-1 : f.To]
	for i := copy(columns, s); i < len(columns); i++ {
		columns[i] = ' '
	}
}

// SetAmount sets a field of two implied decimals. A negative amount, one that is not whole cents, or one that is
// too wide is an error: the caller rounds.
func (r *Record) SetAmount(id string, a ledger.Amount) {
	c, err := a.ExactCents()
	switch {
	case err != nil:
		r.rejectValue(id, err.Error())
	case a < 0:
		r.rejectValue(id, a.String()+" is negative; the columns have no sign")
	default:
		r.SetNum(id, c)
	}
}

// SetDate sets a date as DDMMAAAA; no date is zeros.
func (r *Record) SetDate(id string, d ledger.Date) {
	if d == 0 {
		r.SetNum(id, 0)
		return
	}
	y, m, day := d.Time().Date()
	r.SetNum(id, int64(day)*1_000_000+int64(m)*10_000+int64(y))
}

// findField returns the field of that id and kind, or nil; a wrong id or kind is an error of the record.
func (r *Record) findField(id string, k Kind) *Field {
	f, ok := r.layout.byID[id]
	switch {
	case !ok:
		r.faults = append(r.faults, fmt.Errorf("cnab %s: no field %q", r.layout.name, id))
		return nil
	case f.Kind != k:
		r.rejectValue(id, "is of kind "+f.Kind.String())
		return nil
	}
	return f
}

func (r *Record) rejectValue(id, why string) {
	f, ok := r.layout.byID[id]
	if !ok {
		r.faults = append(r.faults, fmt.Errorf("cnab %s: no field %q", r.layout.name, id))
		return
	}
	r.faults = append(r.faults, fmt.Errorf("cnab %s field %q (%s): %s", r.layout.name, id, f.columnRange(), why))
}

// Raw is the content of a field, blanks included; empty when there is no such field.
func (r *Record) Raw(id string) string {
	f, ok := r.layout.byID[id]
	if !ok {
		return ""
	}
	return string(r.raw[f.From-1 : f.To])
}

// Text is the content of a field without the blanks on its right.
func (r *Record) Text(id string) string { return strings.TrimRight(r.Raw(id), " ") }

// Num reads a numeric field of up to 18 digits; a blank one is 0.
func (r *Record) Num(id string) (int64, error) { return parseNum(r.Raw(id)) }

// Amount reads a field of two implied decimals; a blank one is 0.
func (r *Record) Amount(id string) (ledger.Amount, error) { return parseCents(r.Raw(id)) }

// Date reads DDMMAAAA; zeros and blanks are no date.
func (r *Record) Date(id string) (ledger.Date, error) { return parseDay(r.Raw(id)) }

// RecordWriter writes records unchanged, one line each. From the records that Read passes to OnRecord it reproduces the
// file.
type RecordWriter struct {
	w *bufio.Writer
	n int
}

// NewRecordWriter buffers; Flush ends it.
func NewRecordWriter(w io.Writer) *RecordWriter {
	return &RecordWriter{w: bufio.NewWriterSize(w, 64<<10)}
}

// Write writes one record and its CR LF. A record with an error (Record.Err) is not written.
func (w *RecordWriter) Write(r *Record) error {
	if err := r.Err(); err != nil {
		return err
	}
	w.n++
	_, _ = w.w.Write(r.raw[:]) // a bufio.Writer keeps its first error for the next call
	_, err := w.w.WriteString("\r\n")
	return err
}

// Records is the number of records written.
func (w *RecordWriter) Records() int { return w.n }

// Flush hands what is buffered to the underlying writer.
func (w *RecordWriter) Flush() error { return w.w.Flush() }
