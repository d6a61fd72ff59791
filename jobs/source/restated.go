package source

import (
	"context"

	"concilia/export/report"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// restatementReader reads the changes of closed periods: it is a report.RestatementSource.
type restatementReader struct{ *Set }

// Adjustments, Restatements and ClosedPeriods implement report.RestatementSource.
func (r restatementReader) Adjustments(
	ctx context.Context, yield func(ledger.Account, ledger.Date, ledger.RestatedSums, ledger.RestatedSums) error,
) error {
	return r.forEachAccount(func(q reports.Query) error {
		return r.Ledger.Adjustments(ctx, q, func(day ledger.Date, printed, exact ledger.RestatedSums) error {
			return yield(q.Account, day, printed, exact)
		})
	})
}

func (r restatementReader) Restatements(ctx context.Context, yield func(*ledger.Restatement) error) error {
	return r.forEachAccount(func(q reports.Query) error { return r.Ledger.Restatements(ctx, q, yield) })
}

func (r restatementReader) ClosedPeriods(ctx context.Context) ([]report.ClosedPeriod, error) {
	var out []report.ClosedPeriod
	err := r.forEachAccount(func(q reports.Query) error {
		closes, err := r.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{
			Accounts: []ledger.Account{q.Account}, Basis: q.Basis, InForce: true, AsOfRun: q.AsOfRun,
		})
		if err != nil {
			return err
		}
		for _, c := range closes {
			if c.Period.From < q.Period.From || c.Period.To > q.Period.To {
				continue
			}
			last, err := r.findLastRestated(ctx, &c, q.AsOfRun)
			if err != nil {
				return err
			}
			p := report.ClosedPeriod{PeriodClose: c}
			for _, side := range []struct {
				run string
				to  *report.ClosedFigures
			}{{c.Run, &p.Old}, {last, &p.New}} {
				figures, err := r.Ledger.ClosedFigures(ctx, reports.Query{Account: q.Account, Basis: q.Basis, Period: c.Period, AsOfRun: side.run})
				if err != nil {
					return err
				}
				*side.to = report.ClosedFigures(figures)
			}
			if p.Agenda, err = r.Ledger.RestatedAgenda(ctx, &c, last); err != nil {
				return err
			}
			out = append(out, p)
		}
		return nil
	})
	return out, err
}

// findLastRestated is the last run up to asOf, if that is one, whose changes of a closed period are kept.
func (r restatementReader) findLastRestated(ctx context.Context, c *ledger.PeriodClose, asOf string) (string, error) {
	if asOf != "" {
		return asOf, nil
	}
	return r.Ledger.RestatedTo(ctx, c)
}
