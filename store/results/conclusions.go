package results

import (
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/lookup"
	"concilia/store/sqldb"
	"concilia/store/totals"
)

// conclusionWriter writes what a reconcile concludes of single rows and cases, and gathers of which months it changed something.
type conclusionWriter struct {
	*accountTx
	installments  *expectationWriter
	row           ExpectationRow // that was written last
	slips         *expectationWriter
	cases         *caselog.Writer
	words         *lookup.Writer
	sale          *ledger.Sale // see SetSale
	saleIsNoted   bool         // its months are in moved
	moved         MovedMonths
	caseEvents    int64                // events of cases that were written
	totals        totals.Cards         // what was summed of the installments so far: the background's until the transaction has settled
	totalsAreRead bool                 // what is written from here on is not in them
	written       *totals.WrittenCards // installments of days that are not summed yet; nil: not every installment is evaluated
}

// newConclusionWriter returns a writer; again says that the run has reconciled the account before.
func newConclusionWriter(tx *accountTx, again bool) *conclusionWriter {
	return &conclusionWriter{
		accountTx: tx, moved: make(MovedMonths), written: &totals.WrittenCards{},
		installments: newExpectationWriter(tx.t, tx.run.ID, InstallmentExpectations), slips: newExpectationWriter(tx.t, tx.run.ID, SlipExpectations),
		cases: caselog.NewWriter(tx.ctx, tx.t, tx.run, tx.account, again, tx.doing), words: lookup.NewWriter(tx.ctx, tx.t, tx.account, tx.run.ID),
	}
}

// dropConclusions forgets what is gathered.
func (w *conclusionWriter) dropConclusions() {
	w.installments.dropBatch()
	w.slips.dropBatch()
	w.totals, w.totalsAreRead = totals.Cards{}, false
	if w.written != nil {
		w.written = &totals.WrittenCards{}
	}
	w.cases.Drop()
	w.words.Drop()
	clear(w.moved)
	w.sale, w.saleIsNoted, w.caseEvents = nil, false, 0
}

// SetSale says that what is written from here on is about the rows of a sale, which have their whole histories; nil: about anything. So
// the reconcile knows of which months it changed something, and by which words people look for what is new of the sale.
func (w *conclusionWriter) SetSale(s *ledger.Sale) {
	if w.sale, w.saleIsNoted = s, false; s != nil {
		w.words.AddSale(s)
	}
}

// noteMoved notes that something about the sale at hand changed, or, without one, anything.
func (w *conclusionWriter) noteMoved() {
	switch {
	case w.sale == nil:
		w.moved.addEverything()
	case !w.saleIsNoted:
		w.moved.addSale(w.sale)
		w.saleIsNoted = true
	}
}

// WriteExpectation writes the run's expectation of an installment's version unless the current one, before, is equal, and
// reports whether it differs. e.Run is ignored: it is the run's. It is called once for each key.
func (w *conclusionWriter) WriteExpectation(e *ledger.Expectation, before *ledger.StoredExpectation) (bool, error) {
	if err := w.checkAccount(e.Key.Account); err != nil {
		return false, err
	}
	if err := w.dropReadTotals(); err != nil {
		return false, w.wrapError(err)
	}
	if w.written != nil {
		w.written.Add(e, w.sale)
	}
	other, err := w.installments.writeIfChanged(w.ctx, before, func(row sqldb.Row) { putKey(row, &e.Key) },
		func(row sqldb.Row) error { return w.row.putExpectation(row, e) })
	if other {
		w.noteMoved()
		w.moved.add(saleDays, e.Key.Day)
	}
	return other, w.wrapError(err)
}

// WriteSlipExpectation is WriteExpectation for a slip.
func (w *conclusionWriter) WriteSlipExpectation(e *ledger.SlipExpectation, before *ledger.StoredExpectation) (bool, error) {
	if err := w.checkAccount(e.Account); err != nil {
		return false, err
	}
	key := func(row sqldb.Row) {
		row.Int(int64(e.Account))
		row.Text(e.ID)
	}
	other, err := w.slips.writeIfChanged(w.ctx, before, key, func(row sqldb.Row) error {
		putSlipExpectation(row, e)
		return nil
	})
	return other, w.wrapError(err)
}

// ReplaceExpectation is WriteExpectation for a caller that did not read the current expectation: it is looked up. The last one
// written by a run holds.
func (w *conclusionWriter) ReplaceExpectation(e *ledger.Expectation) error {
	if err := w.checkAccount(e.Key.Account); err != nil {
		return err
	}
	before, err := w.installments.readCurrent(w.ctx, keyArgs(e.Key))
	if err == nil {
		_, err = w.WriteExpectation(e, before)
	}
	return w.wrapError(err)
}

// ReplaceSlipExpectation is ReplaceExpectation for a slip.
func (w *conclusionWriter) ReplaceSlipExpectation(e *ledger.SlipExpectation) error {
	if err := w.checkAccount(e.Account); err != nil {
		return err
	}
	before, err := w.slips.readCurrent(w.ctx, []any{int64(e.Account), e.ID})
	if err == nil {
		_, err = w.WriteSlipExpectation(e, before)
	}
	return w.wrapError(err)
}

// EndExpectation ends the current expectation of an installment that vanished.
func (w *conclusionWriter) EndExpectation(k ledger.InstallmentKey) error {
	if err := w.checkAccount(k.Account); err != nil {
		return err
	}
	w.noteMoved()
	w.moved.add(saleDays, k.Day)
	err := w.dropReadTotals()
	if err == nil {
		err = w.installments.endCurrent(w.ctx, keyArgs(k))
	}
	return w.wrapError(err)
}

// EndSlipExpectation ends the current expectation of a slip that no list shows any more.
func (w *conclusionWriter) EndSlipExpectation(id string) error {
	return w.wrapError(w.slips.endCurrent(w.ctx, []any{int64(w.account), id}))
}

// dropReadTotals drops totals that a write would make wrong.
func (w *conclusionWriter) dropReadTotals() error {
	if !w.totalsAreRead {
		return nil
	}
	if err := w.t.WaitBackground(); err != nil {
		return err
	}
	w.totals, w.totalsAreRead = totals.Cards{}, false
	return nil
}

// takeWritten returns the installments that were written since it was called last, as they add up.
func (w *conclusionWriter) takeWritten() *totals.WrittenCards {
	if w.written == nil {
		return &totals.WrittenCards{}
	}
	taken := w.written
	w.written = &totals.WrittenCards{}
	return taken
}

// flushAll writes what is gathered.
func (w *conclusionWriter) flushAll() error {
	if err := w.installments.flushBatch(w.ctx); err != nil {
		return err
	}
	if err := w.cases.Flush(); err != nil {
		return err
	}
	if err := w.slips.flushBatch(w.ctx); err != nil {
		return err
	}
	return w.t.WaitBackground()
}

// MakeWordsAnew has AddWords make the words of everything anew: SetSale is called with every sale of the account.
func (w *conclusionWriter) MakeWordsAnew() { w.words.MakeAnew() }

// AddWords adds the words by which people look for what this reconcile is the first to take into account.
func (w *conclusionWriter) AddWords() error { return w.wrapError(w.words.Finish()) }

// CurrentCases returns every case of the account, in any state, as it was evaluated last, in order of case.
func (w *conclusionWriter) CurrentCases() ([]ledger.Finding, error) { return w.cases.CurrentCases() }

// WriteCase keeps the case as it is seen now, and with event set an event that holds all its numbers. The same event of
// the same run is kept once. f.Case may be empty: it follows from account, subject and code.
func (w *conclusionWriter) WriteCase(f ledger.Finding, event bool) error {
	if event {
		w.noteCase(f.Subject)
	}
	return w.cases.WriteCase(f, event)
}

// WriteUnchangedCase is WriteCase without an event for a case that has not changed: only LastRun and LastSeen are written.
func (w *conclusionWriter) WriteUnchangedCase(f *ledger.Finding) error {
	return w.cases.WriteUnchangedCase(f)
}

// noteCase notes that a case got an event: it counts in the months of the sale at hand, or in those that its subject names.
func (w *conclusionWriter) noteCase(subject string) {
	w.caseEvents++
	if w.sale != nil {
		w.noteMoved()
		return
	}
	w.moved.addCase(subject)
}
