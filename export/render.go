package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"concilia/store/ledger"
)

// Render writes what is asked for of a set, proves it against the ledger and publishes it; or finds that all of it
// stands already and writes nothing. On an error nothing of this revision is visible as done. A *TieError says that
// a file and the ledger differ.
func Render(ctx context.Context, job Job, feed Feed, target Target) (Result, error) {
	if job.Language == "" {
		job.Language = Portuguese
	}
	if err := job.check(target); err != nil {
		return Result{}, err
	}
	dir, err := os.MkdirTemp(target.Staging, "set-")
	if err != nil {
		return Result{}, fmt.Errorf("staging: %w", err)
	}
	r := &rendering{job: &job, feed: feed, target: target, dir: dir, tables: make(map[string]*tableFile), ledger: make(map[string]Sums)}
	err = r.all(ctx)
	return r.result, errors.Join(err, r.closeTables(), os.RemoveAll(dir))
}

// rendering is one set on its way through the steps of all.
type rendering struct {
	job    *Job
	feed   Feed
	target Target
	dir    string // staging
	result Result

	tables   map[string]*tableFile
	summary  *summary
	days     *slipDays
	subjects subjects // of the titles an EDI file of the slips would have

	staged []*stagedFile
	left   []left
	ledger map[string]Sums // its own figures, asked for once
	noDate map[string]int64
	idents []Identity
}

// stagedFile is a written file that is not published yet.
type stagedFile struct {
	local   string // path in staging
	figures []Figure
	read    func(path string) (func(Figure) int64, error)
	file    File
	ext     string
	what    string // table, kind or settlement
}

// all is a rendering, step by step.
func (r *rendering) all(ctx context.Context) error {
	if err := r.cards(ctx); err != nil {
		return err
	}
	if err := r.slipDigests(ctx); err != nil {
		return err
	}
	if r.decide() {
		return nil
	}
	steps := []func(context.Context) error{
		r.writeCardsEDI, r.writeSlips, r.countLeftOut, r.stageTables, r.stageWorkbook, r.prove, r.writeControl, r.publish,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rests on any kind of cards: the pass over installments is needed.
func (r *rendering) sideAsked(side string) bool {
	for _, k := range r.job.Kinds {
		if k != ControlKind && k.Side() == side {
			return true
		}
	}
	return false
}

// cards makes every table of cards in one pass: rows as they come, sums when they have all come.
func (r *rendering) cards(ctx context.Context) error {
	if !r.sideAsked("cards") {
		return nil
	}
	cases, err := firing(ctx, r.feed)
	if err != nil {
		return err
	}
	r.summary = newSummary(r.job.Basis, r.job.NetOfSplits, cases)
	payable := newPayables()
	for _, t := range []*Table{summaryTable, installmentsTable, splitsTable, payableTable} {
		if err := r.open(t); err != nil {
			return err
		}
	}
	err = r.feed.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		return r.card(v, e, payable)
	})
	if err != nil {
		return err
	}
	if err := r.summary.rows(r.tables[summaryTable.ID].add); err != nil {
		return err
	}
	if err := payable.rows(r.job.clear(SplitsKind), r.tables[payableTable.ID].add); err != nil {
		return err
	}
	r.result.Totals.Cards = r.summary.total.totals()
	r.idents = append(r.idents, r.cardIdentities()...)
	return r.closeTables()
}

// cardIdentities are those of the summary, and that the installments add up to it.
func (r *rendering) cardIdentities() []Identity {
	total := &r.summary.total
	detail := ledger.FromCents(r.tables[installmentsTable.ID].sums().sum("gross_cents"))
	rest := detail - total.gross.printed - total.cancelledGross.printed
	return append(total.identities(r.job.NetOfSplits), Identity{
		Name: "detail", Formula: "installments.gross_cents = gross + cancelled_gross", Printed: rest, Exact: rest,
	})
}

// card carries one installment into every table that has a part of it.
func (r *rendering) card(v *ledger.InstallmentVersion, e *ledger.Expectation, payable *payables) error {
	if e == nil {
		return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", v.Key().Subject())
	}
	if err := r.summary.add(v, e); err != nil {
		return err
	}
	payable.add(v, e)
	t := r.tables[installmentsTable.ID]
	installmentRow(t.row, v, e, r.job.Unit)
	if err := t.add(t.row); err != nil {
		return fmt.Errorf("%s: %w", v.Key().Subject(), err)
	}
	t = r.tables[splitsTable.ID]
	for i := range v.Splits {
		splitRow(t.row, v, e, i, r.job.Unit, r.job.clear(SplitsKind))
		if err := t.add(t.row); err != nil {
			return fmt.Errorf("%s: %w", v.Key().Subject(), err)
		}
	}
	return nil
}

// slipDigests passes over the slips without writing: their numbers are reserved only when something is written.
func (r *rendering) slipDigests(ctx context.Context) error {
	if !r.sideAsked("slips") {
		return nil
	}
	r.days = newSlipDays(r.job.Basis, r.job.AsOf)
	slips, days := newDigester(slipsTable), newDigester(slipDaysTable)
	row := slipsTable.newRow()
	err := r.feed.Slips(ctx, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		if e == nil {
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", s.Subject())
		}
		r.days.add(s, e)
		r.subjects.add(s, r.job.edi(SlipsKind))
		slipRow(row, s, e, "", r.job.clear(SlipsKind))
		if err := slips.add(row); err != nil {
			return fmt.Errorf("%s: %w", s.Subject(), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.days.rows(days.add); err != nil {
		return err
	}
	r.tables[slipsTable.ID] = &tableFile{table: slipsTable, digest: slips}
	r.tables[slipDaysTable.ID] = &tableFile{table: slipDaysTable, digest: days}
	r.result.Totals.Slips = r.days.total.totals()
	r.idents = append(r.idents, r.days.total.identities()...)
	return nil
}

// writeSlips writes the slips' tables, now that they may have their numbers, and their EDI file.
func (r *rendering) writeSlips(ctx context.Context) error {
	if r.days == nil {
		return nil
	}
	for _, t := range []*Table{slipsTable, slipDaysTable} {
		if err := r.open(t); err != nil {
			return err
		}
	}
	numbers, edi, err := r.slipNumbers(ctx)
	if err != nil {
		return err
	}
	t := r.tables[slipsTable.ID]
	err = r.feed.Slips(ctx, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		slipRow(t.row, s, e, numbers[s.Subject()], r.job.clear(SlipsKind))
		if err := t.add(t.row); err != nil {
			return fmt.Errorf("%s: %w", s.Subject(), err)
		}
		if edi == nil {
			return nil
		}
		return edi.addSlip(s, e, numbers, r.job.clear(SlipsKind))
	})
	if edi != nil {
		err = errors.Join(err, r.stageEDI(ctx, SlipsKind, edi))
	}
	if err != nil {
		return err
	}
	if err := r.days.rows(r.tables[slipDaysTable.ID].add); err != nil {
		return err
	}
	return r.closeTables()
}

// writeCardsEDI passes over the installments again, for the titles.
func (r *rendering) writeCardsEDI(ctx context.Context) error {
	if !r.job.edi(InstallmentsKind) {
		return nil
	}
	var subjects []string
	err := r.feed.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e.GrossCents >= 0 {
			subjects = append(subjects, v.Key().Subject())
		}
		return nil
	})
	if err != nil {
		return err
	}
	nsa, numbers, err := r.target.Numbers.ReserveEDI(ctx, subjects, nil)
	if err != nil {
		return err
	}
	edi, err := newEDIFile(r.path("installments.ret"), r.job, nsa)
	if err != nil {
		return err
	}
	edi.nsa = nsa
	err = r.feed.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		return edi.addCard(v, e, r.job.NetOfSplits, numbers)
	})
	return errors.Join(err, r.stageEDI(ctx, InstallmentsKind, edi))
}

func (r *rendering) countLeftOut(ctx context.Context) error {
	cards, slips, err := r.feed.LeftOut(ctx)
	if err != nil {
		return err
	}
	r.noDate = make(map[string]int64)
	if r.summary != nil {
		r.noDate["cards"] = cards
	}
	if r.days != nil {
		r.noDate["slips"] = slips
	}
	return nil
}

func (r *rendering) path(name string) string { return filepath.Join(r.dir, name) }
