package cnab

import (
	"errors"
	"fmt"
	"io"

	"concilia/store/ledger"
)

// Limits of a file (standard, part 2: the columns of the counters).
const (
	maxLoteTitles  = 49_999
	maxLoteDetails = 99_999
	maxLotes       = 9_998
	maxFileRecords = 999_999
	maxNSA         = 999_999
)

// ErrFileFull is the error of a title or entry that does not fit any more: close the file and write it into the next one.
var ErrFileFull = errors.New("cnab: the file is full")

// Header are the values of the file header.
type Header struct {
	Account Account
	Profile Profile
	AsOf    ledger.Date // data de geração; the hour is always zero, so that equal nights give equal files
	NSA     int         // 1 to 999999
	// Remark is written to reservado empresa and describes the file; empty in cobrança files. With profile BB the columns
	// stay blank, because its readers verify that they are.
	Remark string
	// MaxRecords is the most records of the file, when fewer than the counter's 999,999; 0 is 999,999.
	MaxRecords int
}

// RecordLimit returns the most records of a file: the smaller of asked and the counter's 999,999, which 0 means, too.
func RecordLimit(asked int) int {
	if asked > 0 {
		return min(asked, maxFileRecords)
	}
	return maxFileRecords
}

// newRecord returns the file header record with that layout number, or every reason why it can't be written.
func (h Header) newRecord(version string) (*Record, error) {
	if err := h.Account.Validate(h.Profile); err != nil {
		return nil, err
	}
	if h.NSA < 1 || h.NSA > maxNSA || h.AsOf == 0 {
		return nil, fmt.Errorf("cnab file header: as-of %q and NSA %d: need a day and a number from 1 to %d",
			h.AsOf, h.NSA, maxNSA)
	}
	r := NewRecord(FileHeader)
	h.Account.fillAccount(r, h.Profile)
	r.SetDate("data_geracao", h.AsOf)
	r.SetNum("nsa", int64(h.NSA))
	r.SetDigits("layout_arquivo", version)
	r.SetDigits("densidade", editions[h.Profile].density)
	if !editions[h.Profile].blankRemark {
		r.SetCode("reservado_empresa", h.Remark)
	}
	return r, r.Err()
}

// Writer writes a cobrança retorno file: NewWriter, WriteTitle for each title, Close. It is not for concurrent use.
type Writer struct {
	header   Header
	out      *RecordWriter
	rec      *Record
	totals   Totals
	lote     loteSums
	loteOpen bool
	err      error // the first failure of the underlying writer, or a closed file
}

// loteSums are the counts and sums of the open lote, for its trailer.
type loteSums struct {
	titles  int
	details int
	count   [len(portfolioIDs)]int
	face    [len(portfolioIDs)]ledger.Amount
}

// portfolioIDs are the portfolios a lote trailer counts, in order of their code from 1; vendor and cessão (5 and
// 6) have no columns.
var portfolioIDs = [...]string{"simples", "vinculada", "caucionada", "descontada"}

// NewWriter checks the header and writes it.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	r, err := h.newRecord(editions[h.Profile].file)
	if err != nil {
		return nil, err
	}
	out := &Writer{header: h, out: NewRecordWriter(w)}
	out.rec = r
	return out, out.out.Write(r)
}

// WriteTitle writes one title's records, in a new lote when the open one is full. A title whose amounts are inconsistent
// or do not fit their columns is an error that lists every reason; nothing of it is written, and more titles may follow.
func (w *Writer) WriteTitle(t Title) error {
	if w.err != nil {
		return w.err
	}
	records, err := w.titleRecords(&t)
	if err != nil {
		return fmt.Errorf("title %d of the file: %w", w.totals.Titles+1, err)
	}
	if err := w.makeRoom(len(records)); err != nil {
		return err
	}
	totals, lote := w.totals, w.lote
	if err := errors.Join(totals.addTitle(&t), lote.addTitle(t.Portfolio, t.Face)); err != nil {
		return fmt.Errorf("title %d of the file: %w", w.totals.Titles+1, err)
	}
	w.totals, w.lote = totals, lote
	for _, r := range records {
		w.lote.details++
		r.SetNum("lote", int64(w.totals.Lotes))
		r.SetNum("numero_registro", int64(w.lote.details))
		w.keepFirstError(w.out.Write(r))
	}
	return w.err
}

// Close writes the trailers and flushes; a file without titles gets an empty lote. The underlying writer stays
// open.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if w.totals.Lotes == 0 {
		w.openLote()
	}
	w.closeLote()
	r := w.rec
	r.Reset(FileTrailer)
	r.SetDigits("banco", w.header.Account.BankCode)
	r.SetNum("qtde_lotes", int64(w.totals.Lotes))
	r.SetNum("qtde_registros", int64(w.out.Records()+1))
	w.keepFirstError(w.out.Write(r))
	w.keepFirstError(w.out.Flush())
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("cnab: the file is closed")
	return nil
}

// Totals count and add up what has been written so far; after Close, the whole file.
func (w *Writer) Totals() Totals {
	t := w.totals
	t.Records = w.out.Records()
	return t
}

// titleRecords returns the title's records without lote and record number.
func (w *Writer) titleRecords(t *Title) ([]*Record, error) {
	faults := []error{t.CheckAmounts()}
	account := w.header.Account
	records := make([]*Record, 0, 2+len(t.Splits))
	begin := func(l *Layout) *Record {
		r := NewRecord(l)
		r.SetDigits("banco", account.BankCode)
		records = append(records, r)
		return r
	}
	r := begin(SegmentT)
	account.fillNumbers(r, w.header.Profile)
	t.fillT(r)
	t.fillU(begin(SegmentU))
	for _, s := range t.Splits {
		r := begin(SegmentY50)
		account.fillNumbers(r, w.header.Profile)
		s.fillY50(r, *t)
	}
	for _, r := range records {
		faults = append(faults, r.Err())
	}
	if len(records) > maxLoteDetails {
		faults = append(faults, fmt.Errorf("%d shares, at most %d", len(t.Splits), maxLoteDetails-2))
	}
	return records, errors.Join(faults...)
}

// makeRoom opens a lote if n more detail records need one, after closing a full one.
func (w *Writer) makeRoom(n int) error {
	full := w.lote.titles == maxLoteTitles || w.lote.details+n > maxLoteDetails
	after := w.out.Records() + n + 2 // the trailers of lote and file
	if !w.loteOpen {
		after++
	} else if full {
		after += 2
	}
	if after > RecordLimit(w.header.MaxRecords) || (full || !w.loteOpen) && w.totals.Lotes == maxLotes {
		return ErrFileFull
	}
	if w.loteOpen && full {
		w.closeLote()
	}
	if !w.loteOpen {
		w.openLote()
	}
	return w.err
}

func (w *Writer) openLote() {
	w.totals.Lotes++
	w.lote, w.loteOpen = loteSums{}, true
	r := w.rec
	r.Reset(CobrancaHeader)
	w.header.Account.fillAccount(r, w.header.Profile)
	r.SetNum("lote", int64(w.totals.Lotes))
	r.SetDigits("layout_lote", editions[w.header.Profile].lote)
	r.SetNum("numero_remessa_retorno", int64(w.header.NSA))
	r.SetDate("data_gravacao", w.header.AsOf)
	w.keepFirstError(w.out.Write(r))
}

func (w *Writer) closeLote() {
	r := w.rec
	r.Reset(CobrancaTrailer)
	r.SetDigits("banco", w.header.Account.BankCode)
	r.SetNum("lote", int64(w.totals.Lotes))
	r.SetNum("qtde_registros_lote", int64(w.lote.details+2))
	for i, id := range portfolioIDs {
		r.SetNum("qtde_"+id, int64(w.lote.count[i]))
		r.SetAmount("valor_"+id, w.lote.face[i])
	}
	w.keepFirstError(w.out.Write(r))
	w.loteOpen = false
}

func (w *Writer) keepFirstError(err error) {
	if w.err == nil {
		w.err = err
	}
}

// addTitle counts a title of that portfolio; 0 counts as 1.
func (s *loteSums) addTitle(portfolio int, face ledger.Amount) error {
	s.titles++
	i := max(portfolio, 1) - 1
	if i >= len(s.count) {
		return nil
	}
	s.count[i]++
	return addAmount(&s.face[i], face)
}
