package export

import (
	"context"
	"errors"

	"concilia/export/edi"
	"concilia/export/report"
	"concilia/store/ledger"
)

// cardTitles are the titles that an EDI file of the installments will have.
type cardTitles struct {
	*tempFile[deferredTitle]
	builder     edi.TitleBuilder
	netOfSplits bool // splits are taken out of what is received
}

// addCard keeps the title of an installment, if it is one. nil keeps none.
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
	return c.add(&deferredTitle{v.Key().Subject(), t})
}

// openCardTitles begins to keep the titles of an EDI file of the installments, where one is asked for.
func (r *rendering) openCardTitles() error {
	if !r.job.hasEDI(report.InstallmentsKind) {
		return nil
	}
	kept, err := newTempFile[deferredTitle](r.stagingPath("installments.titles"))
	if err != nil {
		return err
	}
	r.cardTitles = &cardTitles{tempFile: kept, netOfSplits: r.job.NetOfSplits}
	return nil
}

// numberBatch is how many titles take their numbers together: what is held of them in memory.
const numberBatch = 10_000

// writeCardsEDI numbers the titles and writes them.
func (r *rendering) writeCardsEDI(ctx context.Context) error {
	if r.cardTitles == nil {
		return nil
	}
	file := r.ediName(string(report.InstallmentsKind))
	nsa, _, err := r.target.Numbers.ReserveEDI(ctx, file, nil, nil)
	if err != nil {
		return err
	}
	out, err := r.openEDI(ctx, report.InstallmentsKind, nsa)
	if err != nil {
		return err
	}
	out.omitted = r.cardTitles.builder.Omitted
	some := make([]deferredTitle, 0, numberBatch)
	write := func() error {
		subjects := make([]string, len(some))
		for i := range some {
			subjects[i] = some[i].Subject
		}
		_, numbers, err := r.target.Numbers.ReserveEDI(ctx, file, subjects, nil)
		if err != nil {
			return err
		}
		for i := range some {
			some[i].Title.TitleNumber = numbers[some[i].Subject]
			if err := out.writeTitle(some[i].Subject, &some[i].Title); err != nil {
				return err
			}
		}
		some = some[:0]
		return nil
	}
	err = r.cardTitles.each(func(t *deferredTitle) error {
		if some = append(some, *t); len(some) < numberBatch {
			return nil
		}
		return write()
	})
	if err == nil {
		err = write()
	}
	return errors.Join(err, r.stageEDI(ctx, report.InstallmentsKind, out))
}
