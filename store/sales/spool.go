package sales

import (
	"encoding/binary"

	"concilia/store/ledger/ownsales"
	"concilia/store/spool"
)

// recordSpool keeps the payments, voids and numbers that a file tells, in order of their keys: payments by sale and number, then voids by
// sale, then numbers by series.
type recordSpool struct {
	*spool.Spool
	key, value []byte
}

// partSize is how many bytes of records are sorted at once.
const partSize = 16 << 20

func newSpool(partSize int) *recordSpool { return &recordSpool{Spool: spool.New(partSize)} }

// What a record is; the order is that in which they are merged.
const (
	spooledPayment = iota
	spooledVoid
	spooledNumbers
)

// add keeps a copy of a record, unless it is one that is only reported.
func (s *recordSpool) add(r *ownsales.Record) error {
	b := s.key[:0]
	switch {
	case r.Payment != nil:
		b = append(append(b, spooledPayment), r.Payment.Sale...)
		b = binary.BigEndian.AppendUint32(append(b, 0), uint32(r.Payment.Number))
	case r.Void != nil:
		b = append(append(b, spooledVoid), r.Void.Sale...)
	case r.Numbers != nil:
		b = append(append(append(append(b, spooledNumbers), r.Numbers.Emitter...), r.Numbers.Model...), r.Numbers.Series...)
		b = binary.BigEndian.AppendUint64(b, uint64(r.Numbers.From))
	default:
		return nil
	}
	s.key, s.value = b, appendRecord(s.value[:0], r)
	return s.Add(s.key, s.value)
}

// read calls fn for the records in order, those with one key as they came. It may be called again.
func (s *recordSpool) read(fn func(*ownsales.Record) error) error {
	return s.Read(func(key, value []byte) error { return readRecord(key[0], value, fn) })
}
