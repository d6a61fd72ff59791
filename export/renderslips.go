package export

import (
	"context"
	"errors"
	"fmt"

	"concilia/export/edi"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// keepSlip keeps, in the order of the slips' rows, what a slip needs when it has its number, and its title if it is one.
func (r *rendering) keepSlip(s *ledger.Slip, e *ledger.SlipExpectation) error {
	x := spooledSlip{Subject: s.Subject(), OurNumber: s.OurNumber, Reference: s.ReferenceCode}
	if r.job.edi(report.SlipsKind) {
		if t, ok := r.subjects.made.SlipTitle(s, e, r.job.clear(report.SlipsKind)); ok {
			x.Title = &t
		}
	}
	r.subjects.add(s, x.Title != nil)
	return r.slips.add(&x)
}

// writeSlips writes the table of slips, now that its rows may have their numbers, and their EDI file.
func (r *rendering) writeSlips(ctx context.Context) error {
	late := r.late
	if late == nil {
		return nil
	}
	if err := r.open(report.SlipsTable); err != nil {
		return err
	}
	numbers, out, err := r.slipNumbers(ctx)
	if err != nil {
		return err
	}
	if out != nil {
		out.left = r.subjects.made.Omitted
	}
	slips, err := r.slips.reader()
	if err != nil {
		return err
	}
	t := r.tables[report.SlipsTable.ID]
	err = late.rows.each(func(row *table.Row) error {
		var x spooledSlip
		if err := slips(&x); err != nil {
			return err
		}
		number := numbers[x.Subject]
		(*row)[report.TitleNumberColumn] = table.Text(number)
		if err := t.add(*row); err != nil {
			return fmt.Errorf("%s: %w", x.Subject, err)
		}
		if out == nil || x.Title == nil {
			return nil
		}
		edi.NumberSlip(x.Title, number, x.OurNumber, x.Reference)
		return out.title(x.Subject, x.Title)
	})
	if out != nil {
		err = errors.Join(err, r.stageEDI(ctx, report.SlipsKind, out))
	}
	if err != nil {
		return err
	}
	return r.closeTables()
}
