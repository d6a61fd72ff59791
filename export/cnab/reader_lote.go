package cnab

import "fmt"

// The services read.
const (
	cobrancaService = "01"
	extratoService  = "04"
)

// take moves the state of the file on by one record.
func (r *reader) take(rec *Record) error {
	if !r.begun {
		if rec.layout != FileHeader {
			r.fault(rec, CodeOrder, "the file does not begin with its header")
		}
		r.begun, r.bank = true, rec.Raw("banco")
		r.file.Header = FileInfo{}
		if rec.layout == FileHeader {
			r.file.Header = fileInfoFrom(rec)
			return nil
		}
	}
	switch rec.raw[7] {
	case '0':
		r.fault(rec, CodeOrder, "a second file header")
	case '1':
		return r.beginLote(rec)
	case '3':
		return r.detail(rec)
	case '5':
		return r.endLote(rec)
	case '9':
		return r.endFile(rec)
	}
	return nil
}

func (r *reader) beginLote(rec *Record) error {
	if err := r.closeLote(rec); err != nil {
		return err
	}
	r.loteCount++
	r.file.Totals.Lotes = r.loteCount
	service := cobrancaService
	if rec.layout == ExtratoHeader {
		service = extratoService
		r.statements++
	}
	if r.file.Service == "" {
		r.file.Service = service
	}
	if service != r.file.Service {
		r.fault(rec, CodeRecord, "a lote of another service than the first: a file holds one")
	}
	if number(rec, "lote") != r.loteCount {
		r.faultAt(rec, "lote", CodeLote, "should be %04d", r.loteCount)
	}
	header := *rec
	r.lote = &openLote{service: service, records: 1, lote: Lote{Number: r.loteCount, Service: service, Header: &header}}
	return nil
}

// detail takes a record of type 3: what all of them share, then what its segment says.
func (r *reader) detail(rec *Record) error {
	l := r.lote
	if l == nil {
		r.fault(rec, CodeOrder, "stands outside a lote")
		return nil
	}
	r.loteNumber(rec)
	l.records++
	l.details++
	if want, ok := l.numbers.next(number(rec, "numero_registro")); !ok {
		r.faultAt(rec, "numero_registro", CodeSequence, "should be %05d", want)
	}
	switch rec.layout {
	case SegmentT:
		return r.beginTitle(rec)
	case SegmentU:
		r.secondHalf(rec)
	case SegmentY50:
		r.share(rec)
	case SegmentE:
		return r.entry(rec)
	default:
		r.otherDetail(rec)
	}
	return nil
}

// loteNumber holds a record to its lote. Where the header itself is out of turn, what agrees with it is right too: one
// number out of turn is one fault.
func (r *reader) loteNumber(rec *Record) {
	if n := number(rec, "lote"); n != r.lote.lote.Number && n != number(r.lote.lote.Header, "lote") {
		r.faultAt(rec, "lote", CodeLote, "should be %04d, as in the header of its lote", r.lote.lote.Number)
	}
}

// otherDetail takes a segment that is not of these services. Y records other than 50 (Pix data, messages) come
// from banks and are passed over.
func (r *reader) otherDetail(rec *Record) {
	if segment := rec.Raw("segmento"); segment != "Y" || r.lote.service != cobrancaService {
		r.fault(rec, CodeRecord, fmt.Sprintf("segment %q does not belong into a lote of service %s", segment, r.lote.service))
		return
	}
	r.warn(rec, CodeRecord, "an optional record other than Y-50: passed over")
}

// endLote takes a lote trailer.
func (r *reader) endLote(rec *Record) error {
	l := r.lote
	if l == nil {
		r.fault(rec, CodeOrder, "stands outside a lote")
		return nil
	}
	r.loteNumber(rec)
	l.records++
	if err := r.closeTitle(rec); err != nil {
		return err
	}
	r.countIs(rec, "qtde_registros_lote", l.records)
	if l.service == cobrancaService {
		for i, id := range portfolioIDs {
			r.countIs(rec, "qtde_"+id, l.sums.count[i])
			r.sumIs(rec, "valor_"+id, l.sums.face[i])
		}
	} else {
		r.statementEnd(rec)
	}
	trailer := *rec
	l.lote.Trailer = &trailer
	r.file.Lotes = append(r.file.Lotes, l.lote)
	r.lote = nil
	return nil
}

// closeLote ends a lote that has no trailer; rec is what stands in its place, nil at the end of the file.
func (r *reader) closeLote(rec *Record) error {
	if r.lote == nil {
		return nil
	}
	err := r.closeTitle(rec)
	r.fault(rec, CodeOrder, fmt.Sprintf("lote %04d has no trailer", r.lote.lote.Number))
	r.file.Lotes = append(r.file.Lotes, r.lote.lote)
	r.lote = nil
	return err
}

func (r *reader) endFile(rec *Record) error {
	err := r.closeLote(rec)
	r.done = true
	r.countIs(rec, "qtde_lotes", r.loteCount)
	r.countIs(rec, "qtde_registros", r.file.Totals.Records)
	r.countIs(rec, "qtde_contas_concil", r.statements)
	return err
}

// sequence follows the record numbers of a lote: 1, 2, 3…, and after 99,999 from 0.
type sequence struct {
	count   int
	shift   int // by how much the numbers run ahead since a gap that was told
	after   int // what would follow the number last out of turn
	doubted bool
}

// next takes the number of the next record and says which one it should be. One that is out of turn is a fault; when the
// following ones go on from it, records are missing or stand twice there, and they are none.
func (s *sequence) next(got int) (want int, ok bool) {
	const turn = maxLoteDetails + 1
	s.count++
	want = (s.count + s.shift) % turn
	ok = got == want
	if !ok && s.doubted && got == s.after {
		s.shift = (got - s.count) % turn
		want, ok = got, true
	}
	s.doubted, s.after = !ok, (got+1)%turn
	return want, ok
}
