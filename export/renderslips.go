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
	x := deferredSlip{Subject: s.Subject(), OurNumber: s.OurNumber, Reference: s.ReferenceCode}
	if r.job.hasEDI(report.SlipsKind) {
		if t, ok := r.slipSubjects.builder.SlipTitle(s, e, r.job.showsPersons(report.SlipsKind)); ok {
			x.Title = &t
		}
	}
	r.slipSubjects.addSlip(s, x.Title != nil)
	return r.deferredSlips.add(&x)
}

// writeSlips writes the table of slips, now that its rows may have their numbers, and their EDI file.
func (r *rendering) writeSlips(ctx context.Context) error {
	late := r.deferredSlipRows
	if late == nil {
		return nil
	}
	if err := r.openTable(report.SlipsTable); err != nil {
		return err
	}
	numbers, out, err := r.slipNumbers(ctx)
	if err != nil {
		return err
	}
	if out != nil {
		out.omitted = r.slipSubjects.builder.Omitted
	}
	slips, err := r.deferredSlips.reader()
	if err != nil {
		return err
	}
	t := r.tables[report.SlipsTable.ID]
	err = late.rows.each(func(row *table.Row) error {
		var x deferredSlip
		if err := slips(&x); err != nil {
			return err
		}
		number := numbers[x.Subject]
		(*row)[report.TitleNumberColumn] = table.Text(number)
		if err := t.addRow(*row); err != nil {
			return fmt.Errorf("%s: %w", x.Subject, err)
		}
		if out == nil || x.Title == nil {
			return nil
		}
		edi.NumberSlip(x.Title, number, x.OurNumber, x.Reference)
		return out.writeTitle(x.Subject, x.Title)
	})
	if out != nil {
		err = errors.Join(err, r.stageEDI(ctx, report.SlipsKind, out))
	}
	if err != nil {
		return err
	}
	return r.closeTables()
}
