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
	*spool[spooledTitle]
	made  edi.TitleBuilder
	sigma bool // splits are taken out of what is received
}

// card keeps the title of an installment, if it is one. nil keeps none.
func (c *cardTitles) card(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
	if c == nil {
		return nil
	}
	splits := ledger.Amount(0)
	if c.sigma {
		splits = report.SplitCents(v)
	}
	t, ok := c.made.CardTitle(v, e, splits)
	if !ok {
		return nil
	}
	return c.add(&spooledTitle{v.Key().Subject(), t})
}

// titleCards begins to keep the titles of an EDI file of the installments, where one is asked for.
func (r *rendering) titleCards() error {
	if !r.job.edi(report.InstallmentsKind) {
		return nil
	}
	kept, err := newSpool[spooledTitle](r.path("installments.titles"))
	if err != nil {
		return err
	}
	r.titles = &cardTitles{spool: kept, sigma: r.job.NetOfSplits}
	return nil
}

// numberedAtOnce is how many titles take their numbers together: what is held of them in memory.
const numberedAtOnce = 10_000

// writeCardsEDI numbers the titles and writes them.
func (r *rendering) writeCardsEDI(ctx context.Context) error {
	if r.titles == nil {
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
	out.left = r.titles.made.Omitted
	some := make([]spooledTitle, 0, numberedAtOnce)
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
			if err := out.title(some[i].Subject, &some[i].Title); err != nil {
				return err
			}
		}
		some = some[:0]
		return nil
	}
	err = r.titles.each(func(t *spooledTitle) error {
		if some = append(some, *t); len(some) < numberedAtOnce {
			return nil
		}
		return write()
	})
	if err == nil {
		err = write()
	}
	return errors.Join(err, r.stageEDI(ctx, report.InstallmentsKind, out))
}
