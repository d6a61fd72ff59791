package source

import (
	"context"

	"concilia/export/report"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// Adjustments, Restatements and ClosedPeriods implement report.RestatementSource.
func (f *ReportSource) Adjustments(
	ctx context.Context, yield func(ledger.Account, ledger.Date, ledger.RestatedSums, ledger.RestatedSums) error,
) error {
	return f.forEachAccount(func(q reports.Query) error {
		return f.Ledger.Adjustments(ctx, q, func(day ledger.Date, printed, exact ledger.RestatedSums) error {
			return yield(q.Account, day, printed, exact)
		})
	})
}

func (f *ReportSource) Restatements(ctx context.Context, yield func(*ledger.Restatement) error) error {
	return f.forEachAccount(func(q reports.Query) error { return f.Ledger.Restatements(ctx, q, yield) })
}

func (f *ReportSource) ClosedPeriods(ctx context.Context) ([]report.ClosedPeriod, error) {
	var out []report.ClosedPeriod
	err := f.forEachAccount(func(q reports.Query) error {
		closes, err := f.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{
			Accounts: []ledger.Account{q.Account}, Basis: q.Basis, InForce: true, AsOfRun: q.AsOfRun,
		})
		if err != nil {
			return err
		}
		for _, c := range closes {
			if c.Period.From < q.Period.From || c.Period.To > q.Period.To {
				continue
			}
			last, err := f.findLastRestated(ctx, &c, q.AsOfRun)
			if err != nil {
				return err
			}
			p := report.ClosedPeriod{PeriodClose: c}
			for _, side := range []struct {
				run string
				to  *report.ClosedFigures
			}{{c.Run, &p.Old}, {last, &p.New}} {
				figures, err := f.Ledger.ClosedFigures(ctx, reports.Query{Account: q.Account, Basis: q.Basis, Period: c.Period, AsOfRun: side.run})
				if err != nil {
					return err
				}
				*side.to = report.ClosedFigures(figures)
			}
			if p.Agenda, err = f.Ledger.RestatedAgenda(ctx, &c, last); err != nil {
				return err
			}
			out = append(out, p)
		}
		return nil
	})
	return out, err
}

// findLastRestated is the last run up to asOf, if that is one, whose changes of a closed period are kept.
func (f *ReportSource) findLastRestated(ctx context.Context, c *ledger.PeriodClose, asOf string) (string, error) {
	if asOf != "" {
		return asOf, nil
	}
	return f.Ledger.RestatedTo(ctx, c)
}
