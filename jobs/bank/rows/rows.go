// Package rows keeps the rows of a statement while its file is read: in order of day, and in little memory however many there are.
package rows

import (
	"encoding/binary"
	"errors"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/spool"
)

// partSize is how many bytes of rows are in memory at most, about.
const partSize = 2 << 20

// Rows are rows that are added one by one and read in order of day, those of a day as they were added.
type Rows struct {
	spool       *spool.Spool
	key, value  []byte
	n           int
	first, last ledger.Date
}

// New returns Rows without any.
func New() *Rows { return &Rows{spool: spool.New(partSize)} }

// Add keeps a copy of a row that was read from a file: one in which no payer was forgotten.
func (r *Rows) Add(row *banking.Row) error {
	if r.n++; r.first == 0 || row.Day < r.first {
		r.first = row.Day
	}
	r.last = max(r.last, row.Day)
	r.key = binary.BigEndian.AppendUint32(r.key[:0], uint32(row.Day))
	scheduled := byte(0)
	if row.Scheduled {
		scheduled = 1
	}
	v := binary.AppendVarint(append(r.value[:0], scheduled), int64(row.Amount))
	for _, text := range [...]string{row.Text, row.Document, row.Category} {
		v = append(binary.AppendUvarint(v, uint64(len(text))), text...)
	}
	r.value = v
	return r.spool.Add(r.key, r.value)
}

// Len is how many rows there are.
func (r *Rows) Len() int { return r.n }

// Days are the first and the last day that a row is of; 0 where there is no row.
func (r *Rows) Days() (first, last ledger.Date) { return r.first, r.last }

// Close lets go of the rows.
func (r *Rows) Close() error { return r.spool.Close() }

var errRow = spool.Failure("read back rows", errors.New("they are not as they were written"))

// Each calls fn for every row, in order. The row is fn's until it returns. It may be called again; nothing is added after it.
func (r *Rows) Each(fn func(*banking.Row) error) error {
	if err := r.spool.EndAdding(); err != nil {
		return err
	}
	var row banking.Row
	return r.spool.Read(func(key, value []byte) error {
		scheduled := value[0] == 1
		value = value[1:]
		amount, size := binary.Varint(value)
		if size <= 0 {
			return errRow
		}
		row = banking.Row{Day: ledger.Date(binary.BigEndian.Uint32(key)), Amount: ledger.Amount(amount), Scheduled: scheduled}
		rest := string(value[size:]) // of which the texts are parts
		for _, text := range [...]*string{&row.Text, &row.Document, &row.Category} {
			length, size := binary.Uvarint(value[len(value)-len(rest):])
			if size <= 0 || length > uint64(len(rest)-size) {
				return errRow
			}
			*text, rest = rest[size:size+int(length)], rest[size+int(length):]
		}
		return fn(&row)
	})
}
