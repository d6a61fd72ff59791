package wire

import (
	"context"
	"slices"

	"concilia/config"
	"concilia/store/ledger"
)

// MonthPublisher publishes the sets of months that are about to be closed, with their EDI files; nil if nights publish those, or
// nothing is published.
func MonthPublisher(p *Process, c *config.Config) func(context.Context, []ledger.PeriodClose) error {
	if c.Reports.EDI.MonthSets == "night" || !slices.Contains(c.Reports.Formats, "edi") {
		return nil
	}
	quiet := *p
	quiet.Quiet = true // the warnings of the configuration were printed
	quiet.Readers = 0  // as many as a night has
	return func(ctx context.Context, months []ledger.PeriodClose) error {
		w, done, err := quiet.WireWorker(ctx, WantTarget|WantKept)
		if err != nil {
			return err
		}
		defer done()
		return w.PublishMonths(ctx, months)
	}
}
