package cnab

import (
	"errors"
	"fmt"

	"concilia/export/words"
	"concilia/store/ledger"
)

// The services read.
const (
	cobrancaService = "01"
	extratoService  = "04"
)

// processRecord updates the state of the file by one record.
func (r *reader) processRecord(rec *Record) error {
	if !r.headerRead {
		if rec.layout != FileHeader {
			r.addFault(rec, CodeOrder, "cnab_fault.no_header")
		}
		r.headerRead, r.bank = true, rec.Raw("banco")
		r.file.Header = FileInfo{}
		if rec.layout == FileHeader {
			r.file.Header = fileInfoFrom(rec)
			return nil
		}
	}
	switch rec.raw[7] {
	case '0':
		r.addFault(rec, CodeOrder, "cnab_fault.second_header")
	case '1':
		return r.beginLote(rec)
	case '3':
		return r.readDetail(rec)
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
		r.statementLotes++
	}
	if r.file.Service == "" {
		r.file.Service = service
	}
	if service != r.file.Service {
		r.addFault(rec, CodeRecord, "cnab_fault.other_service")
	}
	if readNum(rec, "lote") != r.loteCount {
		r.addFieldFault(rec, "lote", CodeLote, "cnab_fault.should_be", "want", fmt.Sprintf("%04d", r.loteCount))
	}
	header := *rec
	r.lote = &openLote{service: service, records: 1, lote: Lote{Number: r.loteCount, Service: service, Header: &header}}
	return nil
}

// readDetail reads a record of type 3: first the fields all of them share, then those of its segment.
func (r *reader) readDetail(rec *Record) error {
	l := r.lote
	if l == nil {
		r.addFault(rec, CodeOrder, "cnab_fault.outside_lote")
		return nil
	}
	r.checkLoteNumber(rec)
	l.records++
	l.details++
	if want, ok := l.sequence.next(readNum(rec, "numero_registro")); !ok {
		r.addFieldFault(rec, "numero_registro", CodeSequence, "cnab_fault.should_be", "want", fmt.Sprintf("%05d", want))
	}
	switch rec.layout {
	case SegmentT:
		return r.beginTitle(rec)
	case SegmentU:
		r.completeTitle(rec)
	case SegmentY50:
		r.readSplit(rec)
	case SegmentE:
		return r.readEntry(rec)
	default:
		r.readOtherDetail(rec)
	}
	return nil
}

// checkLoteNumber checks the lote number of a record. Where the number of the header is wrong and was reported, records
// that repeat it are not reported again.
func (r *reader) checkLoteNumber(rec *Record) {
	if n := readNum(rec, "lote"); n != r.lote.lote.Number && n != readNum(r.lote.lote.Header, "lote") {
		r.addFieldFault(rec, "lote", CodeLote, "cnab_fault.as_lote_header", "want", fmt.Sprintf("%04d", r.lote.lote.Number))
	}
}

// readOtherDetail reports a segment that has no layout here. Y records other than 50 (Pix data, messages) are optional
// records of banks: a warning, and they are skipped.
func (r *reader) readOtherDetail(rec *Record) {
	if segment := rec.Raw("segmento"); segment != "Y" || r.lote.service != cobrancaService {
		r.addFault(rec, CodeRecord, "cnab_fault.foreign_segment", "segment", fmt.Sprintf("%q", segment), "service", r.lote.service)
		return
	}
	r.addWarning(rec, CodeRecord, "cnab_fault.optional")
}

// endLote reads a lote trailer and compares it with the lote.
func (r *reader) endLote(rec *Record) error {
	l := r.lote
	if l == nil {
		r.addFault(rec, CodeOrder, "cnab_fault.outside_lote")
		return nil
	}
	r.checkLoteNumber(rec)
	l.records++
	if err := r.closeTitle(rec); err != nil {
		return err
	}
	r.checkCount(rec, "qtde_registros_lote", l.records)
	if l.service == cobrancaService {
		for i, id := range portfolioIDs {
			r.checkCount(rec, "qtde_"+id, l.sums.count[i])
			r.checkSum(rec, "valor_"+id, l.sums.face[i])
		}
	} else {
		r.checkStatementTrailer(rec)
	}
	trailer := *rec
	l.lote.Trailer = &trailer
	r.file.Lotes = append(r.file.Lotes, l.lote)
	r.lote = nil
	return nil
}

// closeLote ends a lote that has no trailer; rec is the record found in its place, nil at the end of the file.
func (r *reader) closeLote(rec *Record) error {
	if r.lote == nil {
		return nil
	}
	err := r.closeTitle(rec)
	r.addFault(rec, CodeOrder, "cnab_fault.lote_trailer", "lote", fmt.Sprintf("%04d", r.lote.lote.Number))
	r.file.Lotes = append(r.file.Lotes, r.lote.lote)
	r.lote = nil
	return err
}

func (r *reader) endFile(rec *Record) error {
	err := r.closeLote(rec)
	r.trailerRead = true
	r.checkCount(rec, "qtde_lotes", r.loteCount)
	r.checkCount(rec, "qtde_registros", r.file.Totals.Records)
	r.checkCount(rec, "qtde_contas_concil", r.statementLotes)
	return err
}

// recordSequence follows the record numbers of a lote: 1, 2, 3…, and after 99,999 from 0.
type recordSequence struct {
	count     int
	shift     int // how far the numbers are ahead of count since the last reported gap
	resumeAt  int // the number after the last one out of turn
	outOfTurn bool
}

// next takes the number of the next record and returns the expected one. A number out of turn is a fault; when the
// following numbers continue from it, records were left out or repeated at that place, and they are no further faults.
func (s *recordSequence) next(got int) (want int, ok bool) {
	const turn = maxLoteDetails + 1
	s.count++
	want = (s.count + s.shift) % turn
	ok = got == want
	if !ok && s.outOfTurn && got == s.resumeAt {
		s.shift = (got - s.count) % turn
		want, ok = got, true
	}
	s.outOfTurn, s.resumeAt = !ok, (got+1)%turn
	return want, ok
}

// beginTitle reads a T, the first record of a title.
func (r *reader) beginTitle(rec *Record) error {
	err := r.closeTitle(rec)
	t := *rec
	r.lote.pendingT, r.lote.titleLine, r.lote.damaged = &t, r.line, r.damaged
	return err
}

// completeTitle reads a U and makes the title of it and the T before it.
func (r *reader) completeTitle(rec *Record) {
	l := r.lote
	if l.pendingT == nil {
		r.addFault(rec, CodeOrder, "cnab_fault.without_t")
		return
	}
	l.damaged = l.damaged || r.damaged
	r.checkMovement(rec, l.pendingT.Raw("movimento"))
	t := titleFrom(l.pendingT, rec)
	l.pendingT, l.title = nil, &t
}

// readSplit reads a Y-50 and adds its share to the title.
func (r *reader) readSplit(rec *Record) {
	t := r.lote.title
	if t == nil {
		r.addFault(rec, CodeOrder, "cnab_fault.without_title")
		return
	}
	if r.lote.damaged = r.lote.damaged || r.damaged; r.lote.damaged {
		return
	}
	r.checkMovement(rec, t.Movement.String())
	if rec.Text("nosso_numero") != t.TitleNumber {
		r.addFieldFault(rec, "nosso_numero", CodeSplit, "cnab_fault.as_title", "want", t.TitleNumber)
	}
	if rec.Raw("tipo_valor") == "1" {
		r.addWarning(rec, CodeSplit, "cnab_fault.percent")
	}
	t.Splits = append(t.Splits, splitFrom(rec))
}

func (r *reader) checkMovement(rec *Record, want string) {
	if !r.lote.damaged && rec.Raw("movimento") != want {
		r.addFieldFault(rec, "movimento", CodeMovement, "cnab_fault.as_title", "want", want)
	}
}

// closeTitle checks and delivers the title whose records have all been read. rec is the record that follows it.
func (r *reader) closeTitle(rec *Record) error {
	l := r.lote
	if l.pendingT != nil {
		r.addFault(rec, CodeOrder, "cnab_fault.without_u", "line", l.titleLine)
		l.pendingT = nil
	}
	if l.title == nil {
		return nil
	}
	t := *l.title
	l.title = nil
	if l.damaged {
		return nil
	}
	if wrong := t.describeAmounts(); len(wrong) > 0 {
		f := Fault{Code: CodeIdentity, Line: l.titleLine, Record: SegmentT.name, Text: words.NewMessage("cnab_fault.several", "faults", wrong)}
		r.keepFault(f, !r.options.StrictIdentities)
	}
	r.reportOverflow(rec, errors.Join(r.file.Totals.addTitle(&t), l.sums.addTitle(t.Portfolio, t.Face)))
	if r.options.OnTitle != nil {
		return r.options.OnTitle(l.titleLine, t)
	}
	l.lote.Titles = append(l.lote.Titles, t)
	return nil
}

// readEntry reads an E, one entry of a statement.
func (r *reader) readEntry(rec *Record) error {
	if r.damaged {
		return nil
	}
	e := entryFrom(rec)
	sign := rec.Raw("tipo_dc")
	if sign != "C" && sign != "D" {
		r.addFieldFault(rec, "tipo_dc", CodeSign, "cnab_fault.credit_or_debit")
	}
	if categorySide(e.Category) != sign {
		r.addFieldFault(rec, "categoria", CodeSign, "cnab_fault.category", "sign", fmt.Sprintf("%q", sign))
	}
	r.reportOverflow(rec, r.lote.entries.addEntry(&e))
	r.reportOverflow(rec, r.file.Totals.addEntry(&e))
	if r.options.OnEntry != nil {
		return r.options.OnEntry(r.line, e)
	}
	r.lote.lote.Entries = append(r.lote.lote.Entries, e)
	return nil
}

// checkStatementTrailer compares an extrato trailer with its entries, and its balance with the opening one.
func (r *reader) checkStatementTrailer(rec *Record) {
	l := r.lote
	r.checkSum(rec, "soma_debitos", l.entries.Debits)
	r.checkSum(rec, "soma_creditos", l.entries.Credits)
	want := readBalance(l.lote.Header, "valor_saldo_inicial") + l.entries.Credits - l.entries.Debits
	if readBalance(rec, "valor_saldo_final") != want {
		r.addFieldFault(rec, "valor_saldo_final", CodeSum, "cnab_fault.closing", "want", want)
	}
}

// readBalance returns a balance, negative where situacao is D.
func readBalance(rec *Record, id string) ledger.Amount {
	if rec.Raw("situacao") == "D" {
		return -readAmount(rec, id)
	}
	return readAmount(rec, id)
}
