package export

import (
	"context"
	"errors"
	"fmt"

	"concilia/export/edi"
	"concilia/export/table"
	"concilia/store/ledger"
)

// slipDigests passes over the slips and keeps their rows: their numbers are reserved only when something is written.
func (r *rendering) slipDigests(ctx context.Context) error {
	if !r.sideAsked("slips") {
		return nil
	}
	r.days = newSlipDays(r.job.Basis, r.job.AsOf)
	slips, days := table.NewDigester(slipsTable), table.NewDigester(slipDaysTable)
	row := slips.Counter.Table.NewRow()
	var err error
	if r.slips, err = newSpool[spooledSlip](r.path("slips.rows")); err != nil {
		return err
	}
	err = r.feed.Slips(ctx, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		if e == nil {
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", s.Subject())
		}
		r.days.add(s, e)
		if err := r.causes.passSlip(s, e); err != nil {
			return err
		}
		slipRow(row, s, e, r.job.clear(SlipsKind))
		if err := slips.Add(row); err != nil {
			return fmt.Errorf("%s: %w", s.Subject(), err)
		}
		return r.slips.add(r.spooled(s, e, row))
	})
	if err != nil {
		return err
	}
	if err := r.days.rows(func(row table.Row) error { return days.Add(row) }); err != nil {
		return err
	}
	r.tables[slipsTable.ID] = &tableFile{table: slips.Counter.Table, digest: slips}
	r.tables[slipDaysTable.ID] = &tableFile{table: days.Counter.Table, digest: days}
	r.result.Totals.Slips = r.days.total.totals()
	r.idents = append(r.idents, r.days.total.identities()...)
	return nil
}

// spooled is a slip as it waits for its number.
func (r *rendering) spooled(s *ledger.Slip, e *ledger.SlipExpectation, row table.Row) *spooledSlip {
	x := &spooledSlip{Subject: s.Subject(), Row: row, OurNumber: s.OurNumber, Reference: s.ReferenceCode}
	if r.job.edi(SlipsKind) {
		if t, ok := r.subjects.made.SlipTitle(s, e, r.job.clear(SlipsKind)); ok {
			x.Title = &t
		}
	}
	r.subjects.add(s, x.Title != nil)
	return x
}

// writeSlips writes the slips' tables, now that they may have their numbers, and their EDI file.
func (r *rendering) writeSlips(ctx context.Context) error {
	if r.days == nil {
		return nil
	}
	for _, t := range []*table.Table{slipsTable, slipDaysTable} {
		if err := r.open(t); err != nil {
			return err
		}
	}
	numbers, out, err := r.slipNumbers(ctx)
	if err != nil {
		return err
	}
	if out != nil {
		out.left = r.subjects.made.Omitted
	}
	t := r.tables[slipsTable.ID]
	err = r.slips.each(func(x *spooledSlip) error {
		number := numbers[x.Subject]
		x.Row[titleNumberAt] = table.Text(number)
		if err := t.add(x.Row); err != nil {
			return fmt.Errorf("%s: %w", x.Subject, err)
		}
		if out == nil || x.Title == nil {
			return nil
		}
		edi.NumberSlip(x.Title, number, x.OurNumber, x.Reference)
		return out.title(x.Subject, x.Title)
	})
	if out != nil {
		err = errors.Join(err, r.stageEDI(ctx, SlipsKind, out))
	}
	if err != nil {
		return err
	}
	if err := r.days.rows(r.tables[slipDaysTable.ID].add); err != nil {
		return err
	}
	return r.closeTables()
}
