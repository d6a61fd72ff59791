package export

import (
	"context"
	"errors"
	"fmt"

	"concilia/store/ledger"
)

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
