package cnab

import (
	"errors"
	"fmt"
	"io"

	"concilia/store/ledger"
)

// Opening is the balance a statement begins with: negative is a debit balance. Day is that of the balance, the day
// before the first one of the statement.
type Opening struct {
	Day     ledger.Date
	Balance ledger.Amount
	// Partial marks a balance within the day: the file continues another one that was full.
	Partial bool
}

// StatementWriter writes an extrato file of one account: NewStatementWriter, WriteEntry for each entry, Close. When a lote
// is full it begins another, whose opening balance is the closing balance of the last. It is not for concurrent use.
type StatementWriter struct {
	header  Header
	out     *RecordWriter
	rec     *Record
	totals  Totals
	lote    Totals // of the open lote: entries and sums
	opening Opening
	balance ledger.Amount
	last    ledger.Date // of the last entry
	err     error       // the first failure of the underlying writer, or a closed file
}

// NewStatementWriter checks header and opening balance and writes the header records. Header.Remark names the account.
func NewStatementWriter(w io.Writer, h Header, o Opening) (*StatementWriter, error) {
	out := NewRecordWriter(w)
	r, err := h.newRecord(editions[h.Profile].statementFile)
	if err != nil {
		return nil, err
	}
	if _, err := o.Balance.ExactCents(); err != nil || o.Day == 0 {
		return nil, errors.Join(fmt.Errorf("cnab opening balance %s of %q: need whole cents and a day", o.Balance, o.Day), err)
	}
	s := &StatementWriter{header: h, out: out, rec: r, opening: o, balance: o.Balance, last: o.Day}
	s.keepFirstError(out.Write(r))
	s.openLote()
	return s, s.err
}

// WriteEntry writes one entry, in a new lote when the open one is full. An entry that does not fit its columns, or whose
// category disagrees with its side, is an error that lists every reason; nothing of it is written, and more entries may
// follow. On ErrFileFull the entry belongs into the next file, after CloseFull.
func (s *StatementWriter) WriteEntry(e Entry) error {
	if s.err != nil {
		return s.err
	}
	r := NewRecord(SegmentE)
	s.header.Account.fillAccount(r, s.header.Profile)
	e.fillE(r)
	if s.header.Profile == BB {
		r.SetCode("complemento", bbNoComplement)
	}
	totals, lote := s.totals, s.lote
	balance, over := s.balance.Add(e.signedAmount())
	if err := errors.Join(r.Err(), e.checkCategory(), over, totals.addEntry(&e), lote.addEntry(&e)); err != nil {
		return fmt.Errorf("entry %d of the file: %w", s.totals.Entries+1, err)
	}
	if s.lote.Entries == maxLoteDetails {
		if s.totals.Lotes == maxLotes || s.out.Records()+5 > RecordLimit(s.header.MaxRecords) {
			return ErrFileFull
		}
		// The closing balance of this lote and the opening balance of the next are of the day of the last entry, and partial.
		s.closeLote(s.last, partialBalance)
		s.opening = s.nextOpening()
		s.openLote()
		lote = Totals{}
		if err := lote.addEntry(&e); err != nil {
			return err
		}
		totals.Lotes = s.totals.Lotes
	}
	if s.out.Records()+3 > RecordLimit(s.header.MaxRecords) {
		return ErrFileFull
	}
	s.totals, s.lote, s.balance, s.last = totals, lote, balance, e.Booked
	r.SetNum("lote", int64(s.totals.Lotes))
	r.SetNum("numero_registro", int64(s.lote.Entries))
	s.keepFirstError(s.out.Write(r))
	return s.err
}

// Close writes the trailers with the closing balance of that day and flushes. The underlying writer stays open.
func (s *StatementWriter) Close(day ledger.Date) error { return s.closeFile(day, finalBalance) }

// CloseFull closes a file that is full, with the partial balance of the day of its last entry, and returns the opening
// balance of the next file.
func (s *StatementWriter) CloseFull() (Opening, error) {
	return s.nextOpening(), s.closeFile(s.last, partialBalance)
}

// nextOpening is the opening balance of the lote or file that continues after the last entry.
func (s *StatementWriter) nextOpening() Opening {
	return Opening{Day: s.last, Balance: s.balance, Partial: true}
}

func (s *StatementWriter) closeFile(day ledger.Date, position string) error {
	if s.err != nil {
		return s.err
	}
	s.closeLote(day, position)
	r := s.rec
	r.Reset(FileTrailer)
	r.SetDigits("banco", s.header.Account.BankCode)
	r.SetNum("qtde_lotes", int64(s.totals.Lotes))
	r.SetNum("qtde_registros", int64(s.out.Records()+1))
	r.SetNum("qtde_contas_concil", int64(s.totals.Lotes))
	s.keepFirstError(s.out.Write(r))
	s.keepFirstError(s.out.Flush())
	if s.err != nil {
		return s.err
	}
	s.err = errors.New("cnab: the file is closed")
	return nil
}

// Balance is the opening balance and everything written so far; after Close, the closing balance.
func (s *StatementWriter) Balance() ledger.Amount { return s.balance }

// Totals count and add up what has been written so far; after Close, the whole file.
func (s *StatementWriter) Totals() Totals {
	t := s.totals
	t.Records = s.out.Records()
	return t
}

// The positions of a balance (standard note: posição do saldo).
const (
	finalBalance   = "F"
	partialBalance = "P"
)

// bbNoComplement is what readers of Banco do Brasil's files expect where no complement is given.
const bbNoComplement = "00000000000000000000"

// maxStatementSequence is what the five columns of the sequence of statements hold; it starts over after it.
const maxStatementSequence = 100_000

func (s *StatementWriter) openLote() {
	s.totals.Lotes++
	s.lote = Totals{}
	r := s.rec
	r.Reset(ExtratoHeader)
	s.header.Account.fillAccount(r, s.header.Profile)
	r.SetNum("lote", int64(s.totals.Lotes))
	r.SetDigits("layout_lote", editions[s.header.Profile].statementLote)
	r.SetDate("data_saldo_inicial", s.opening.Day)
	r.setBalance("valor_saldo_inicial", s.opening.Balance)
	if s.opening.Partial {
		r.SetCode("posicao", partialBalance)
	}
	r.SetNum("seq_extrato", int64(s.header.NSA%maxStatementSequence))
	s.keepFirstError(s.out.Write(r))
}

func (s *StatementWriter) closeLote(day ledger.Date, position string) {
	r := s.rec
	r.Reset(ExtratoTrailer)
	s.header.Account.fillAccount(r, s.header.Profile)
	r.SetNum("lote", int64(s.totals.Lotes))
	r.SetDate("data_saldo_final", day)
	r.setBalance("valor_saldo_final", s.balance)
	r.SetCode("posicao", position)
	r.SetNum("qtde_registros_lote", int64(s.lote.Entries+2))
	r.SetAmount("soma_debitos", s.lote.Debits)
	r.SetAmount("soma_creditos", s.lote.Credits)
	s.keepFirstError(s.out.Write(r))
}

func (s *StatementWriter) keepFirstError(err error) {
	if s.err == nil {
		s.err = err
	}
}

// setBalance sets a balance and its side: C when it is not negative, else D with the absolute value.
func (r *Record) setBalance(id string, a ledger.Amount) {
	side := "C"
	if a < 0 {
		side = "D"
	}
	r.SetAmount(id, a.Abs())
	r.SetCode("situacao", side)
}

// signedAmount is the entry's amount, negative for a debit.
func (e *Entry) signedAmount() ledger.Amount {
	if e.Debit {
		return -e.Amount
	}
	return e.Amount
}

func (e *Entry) sideCode() string {
	if e.Debit {
		return "D"
	}
	return "C"
}

// checkCategory checks that the category is of the entry's side: readers refuse an entry whose two columns disagree.
func (e *Entry) checkCategory() error {
	if len(e.Category) == 3 && categorySide(e.Category) == e.sideCode() {
		return nil
	}
	return fmt.Errorf("category %q does not agree with D/C %q", e.Category, e.sideCode())
}

// categorySide returns D or C by the first digit of a category, or an empty text.
func categorySide(category string) string {
	return map[byte]string{'1': "D", '2': "C"}[category[0]]
}

// fillE sets the entry's fields of a segment E; the writer sets the lote's numbers and the account fields.
func (e *Entry) fillE(r *Record) {
	r.SetDate("data_contabil", e.Booked)
	r.SetDate("data_lancamento", e.Posted)
	r.SetAmount("valor", e.Amount)
	r.SetCode("tipo_dc", e.sideCode())
	r.SetDigits("categoria", e.Category)
	r.SetCode("cod_historico", e.History)
	r.SetText("historico", e.Text)
	r.SetText("numero_documento", e.Document)
}
