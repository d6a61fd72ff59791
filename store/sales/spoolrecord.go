package sales

import (
	"encoding/binary"
	"errors"

	"concilia/store/ledger/ownsales"
	"concilia/store/spool"
)

// appendRecord appends the members of a record.
func appendRecord(b []byte, r *ownsales.Record) []byte {
	w := &recordWriter{b}
	passRecord(w, r)
	return w.out
}

// readRecord calls fn for a record of a kind with the members that appendRecord appended.
func readRecord(kind byte, members []byte, fn func(*ownsales.Record) error) error {
	r := &ownsales.Record{}
	switch kind {
	case spooledPayment:
		r.Payment = &ownsales.Payment{}
	case spooledVoid:
		r.Void = &ownsales.Void{}
	default:
		r.Numbers = &ownsales.Numbers{}
	}
	in := &recordReader{rest: members, texts: string(members)}
	passRecord(in, r)
	if in.broken || len(in.rest) > 0 {
		return spool.Failure("read back rows", errors.New("they are not as they were written"))
	}
	return fn(r)
}

// members takes the members of a record out of it, or puts them into it.
type members interface {
	passNumber(*int64)
	passText(*string)
}

// passRecord passes every member of a record, in one order for both ways.
func passRecord(m members, r *ownsales.Record) {
	switch {
	case r.Payment != nil:
		passPayment(m, r.Payment)
	case r.Void != nil:
		m.passText(&r.Void.Sale)
		m.passText((*string)(&r.Void.Status))
		m.passNumber((*int64)(&r.Void.At))
		m.passNumber((*int64)(&r.Void.Amount))
	case r.Numbers != nil:
		m.passText(&r.Numbers.Emitter)
		m.passText(&r.Numbers.Model)
		m.passText(&r.Numbers.Series)
		m.passNumber(&r.Numbers.From)
		m.passNumber(&r.Numbers.To)
		passInteger(m, &r.Numbers.Day)
	}
}

func passPayment(m members, p *ownsales.Payment) {
	for _, s := range [...]*string{
		&p.Sale, (*string)(&p.Method), (*string)(&p.Status), &p.Brand, &p.NSU, &p.Auth, &p.TID, &p.Reference, &p.PaymentID, &p.Last4, &p.Terminal,
		&p.Institution, &p.SlipID, &p.OurNumber, &p.Document,
	} {
		m.passText(s)
	}
	for _, n := range [...]*int64{(*int64)(&p.SoldAt), (*int64)(&p.Amount), (*int64)(&p.Account), (*int64)(&p.CancelledAt), (*int64)(&p.Interest.V)} {
		m.passNumber(n)
	}
	passInteger(m, &p.Number)
	passInteger(m, &p.Installments)
	passBool(m, &p.Timed)
	passBool(m, &p.Interest.OK)
}

func passInteger[T ~int | ~int32](m members, n *T) {
	wide := int64(*n)
	m.passNumber(&wide)
	*n = T(wide)
}

func passBool(m members, b *bool) {
	n := 0
	if *b {
		n = 1
	}
	passInteger(m, &n)
	*b = n == 1
}

// recordWriter takes members out of records.
type recordWriter struct{ out []byte }

func (w *recordWriter) passNumber(n *int64) { w.out = binary.AppendVarint(w.out, *n) }

func (w *recordWriter) passText(s *string) {
	w.out = append(binary.AppendUvarint(w.out, uint64(len(*s))), *s...)
}

// recordReader puts members into records. Their texts are parts of one.
type recordReader struct {
	rest   []byte
	texts  string // from the first member on
	broken bool
}

func (r *recordReader) passNumber(n *int64) {
	v, size := binary.Varint(r.rest)
	if size <= 0 {
		r.broken = true
		return
	}
	*n, r.rest = v, r.rest[size:]
}

func (r *recordReader) passText(s *string) {
	v, size := binary.Uvarint(r.rest)
	if size <= 0 || v > uint64(len(r.rest)-size) {
		r.broken = true
		return
	}
	r.rest = r.rest[size:]
	at := len(r.texts) - len(r.rest)
	*s, r.rest = r.texts[at:at+int(v)], r.rest[v:]
}
