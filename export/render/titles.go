package render

import (
	"context"
	"errors"
	"fmt"

	"concilia/export/cnab"
	"concilia/export/edi"
	"concilia/export/report"
	"concilia/export/staging"
	"concilia/export/table"
	"concilia/store/ledger"
)

// deferredTitle is a title of an installment that has no number yet.
type deferredTitle struct {
	Subject string
	Title   cnab.Title
}

// deferredSlip is a slip that has no number yet, and its title.
type deferredSlip struct {
	Subject   string
	Title     *cnab.Title // nil: the slip has no title
	OurNumber string
	Reference string
}

// cardTitles collects the titles for the EDI file of the installments.
type cardTitles struct {
	*staging.TempFile[deferredTitle]
	builder     edi.TitleBuilder
	netOfSplits bool // splits are taken out of what is received
}

// addCard keeps the title of an installment, if it has one. It does nothing on nil.
func (c *cardTitles) addCard(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
	if c == nil {
		return nil
	}
	splits := ledger.Amount(0)
	if c.netOfSplits {
		splits = report.SplitCents(v)
	}
	t, ok := c.builder.CardTitle(v, e, splits)
	if !ok {
		return nil
	}
	return c.Add(&deferredTitle{v.Key().Subject(), t})
}

// openCardTitles creates the temporary file of card titles, if an EDI file of installments is requested.
func (r *rendering) openCardTitles() error {
	if !r.Job.HasEDI(report.InstallmentsKind) {
		return nil
	}
	kept, err := staging.NewTempFile[deferredTitle](r.Path("installments.titles"))
	if err != nil {
		return err
	}
	r.cardTitles = &cardTitles{TempFile: kept, netOfSplits: r.Job.NetOfSplits}
	return nil
}

// numberBatch is how many titles get their numbers in one transaction, and are in memory at once.
const numberBatch = 10_000

// writeCardsEDI numbers the titles and writes them.
func (r *rendering) writeCardsEDI(ctx context.Context) error {
	if r.cardTitles == nil {
		return nil
	}
	file := r.ediName(string(report.InstallmentsKind))
	nsa, _, err := r.numbers.ReserveEDI(ctx, file, nil, nil)
	if err != nil {
		return err
	}
	out, err := r.openEDI(ctx, report.InstallmentsKind, nsa)
	if err != nil {
		return err
	}
	out.omitted = r.cardTitles.builder.Omitted
	batch := make([]deferredTitle, 0, numberBatch)
	write := func() error {
		subjects := make([]string, len(batch))
		for i := range batch {
			subjects[i] = batch[i].Subject
		}
		_, numbers, err := r.numbers.ReserveEDI(ctx, file, subjects, nil)
		if err != nil {
			return err
		}
		for i := range batch {
			batch[i].Title.TitleNumber = numbers[batch[i].Subject]
			if err := out.writeTitle(batch[i].Subject, &batch[i].Title); err != nil {
				return err
			}
		}
		batch = batch[:0]
		return nil
	}
	err = r.cardTitles.Each(func(t *deferredTitle) error {
		if batch = append(batch, *t); len(batch) < numberBatch {
			return nil
		}
		return write()
	})
	if err == nil {
		err = write()
	}
	return errors.Join(err, r.stageEDI(ctx, report.InstallmentsKind, out))
}

// keepSlip keeps what is needed when the slip has its number, and its title if it has one, in the order of the slips' rows.
func (r *rendering) keepSlip(s *ledger.Slip, e *ledger.SlipExpectation) error {
	x := deferredSlip{Subject: s.Subject(), OurNumber: s.OurNumber, Reference: s.ReferenceCode}
	if r.Job.HasEDI(report.SlipsKind) {
		if t, ok := r.slipSubjects.builder.SlipTitle(s, e, r.Job.ShowsPersons(report.SlipsKind)); ok {
			x.Title = &t
		}
	}
	r.slipSubjects.addSlip(s, x.Title != nil)
	return r.deferredSlips.Add(&x)
}

// writeSlips writes the table of slips with title numbers, and their EDI file.
func (r *rendering) writeSlips(ctx context.Context) error {
	late := r.deferredSlipRows
	if late == nil {
		return nil
	}
	if err := r.OpenTable(report.SlipsTable); err != nil {
		return err
	}
	numbers, out, err := r.slipNumbers(ctx)
	if err != nil {
		return err
	}
	if out != nil {
		out.omitted = r.slipSubjects.builder.Omitted
	}
	slips, err := r.deferredSlips.Reader()
	if err != nil {
		return err
	}
	t := r.Tables[report.SlipsTable.ID]
	err = late.Each(func(row *table.Row) error {
		var x deferredSlip
		if err := slips(&x); err != nil {
			return err
		}
		number := numbers[x.Subject]
		(*row)[report.TitleNumberColumn] = table.Text(number)
		if err := t.Write(*row); err != nil {
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
	return r.CloseTables()
}

// slipSubjects are the slips of the set, and those with a title in the EDI file.
type slipSubjects struct {
	all     []string
	titles  []string
	own     map[string]string
	builder edi.TitleBuilder // of the file
}

func (x *slipSubjects) addSlip(s *ledger.Slip, title bool) {
	subject := s.Subject()
	x.all = append(x.all, subject)
	if !title {
		return
	}
	x.titles = append(x.titles, subject)
	if n, ok := edi.UsableOurNumber(s); ok {
		if x.own == nil {
			x.own = make(map[string]string)
		}
		x.own[subject] = n
	}
}

// slipNumbers reserves the numbers of an EDI file of slips and opens it. Without such a file it looks up the numbers that slips
// have already.
func (r *rendering) slipNumbers(ctx context.Context) (map[string]string, *ediFile, error) {
	if r.numbers == nil {
		return nil, nil, nil
	}
	known, err := r.numbers.TitleNumbers(ctx, r.slipSubjects.all)
	if err != nil || !r.Job.HasEDI(report.SlipsKind) {
		return known, nil, err
	}
	nsa, numbers, err := r.numbers.ReserveEDI(ctx, r.ediName(string(report.SlipsKind)), r.slipSubjects.titles, r.slipSubjects.own)
	if err != nil {
		return nil, nil, err
	}
	for subject, n := range known {
		if _, ok := numbers[subject]; !ok {
			numbers[subject] = n
		}
	}
	out, err := r.openEDI(ctx, report.SlipsKind, nsa)
	if err != nil {
		return nil, nil, err
	}
	return numbers, out, nil
}
