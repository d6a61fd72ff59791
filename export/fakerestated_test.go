package export_test

import (
	"context"

	"concilia/export/report"
	"concilia/store/ledger"
)

// closedFeed is what the fake ledger has of closed periods; none unless a test says so.
type closedFeed struct {
	changes []ledger.Restatement
	closed  []report.ClosedPeriod
	days    []ledger.Date // of adjustments, each of one real less
}

func (f *closedFeed) Adjustments(
	_ context.Context, yield func(ledger.Account, ledger.Date, ledger.RestatedSums, ledger.RestatedSums) error,
) error {
	for _, d := range f.days {
		less := ledger.RestatedSums{Net: -ledger.Real, Contract: -ledger.Real, NotDue: -ledger.Real}
		if err := yield(1001, d, less, less); err != nil {
			return err
		}
	}
	return nil
}

func (f *closedFeed) Restatements(_ context.Context, yield func(*ledger.Restatement) error) error {
	for i := range f.changes {
		if err := yield(&f.changes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *closedFeed) ClosedPeriods(context.Context) ([]report.ClosedPeriod, error) {
	return f.closed, nil
}

func (f *closedFeed) restatementSums(s *report.Sums) {
	causes := map[ledger.RestatementCause]bool{}
	for i := range f.changes {
		c := &f.changes[i]
		causes[c.Cause] = true
		s.Columns["causes of the set"] = int64(len(causes))
		s.Rows += int64(len(c.Fields))
		s.Columns["revision"] += int64(c.Close.Revision * len(c.Fields))
		s.Columns["delta_gross"] += rd(c.Changes.Gross)
		s.Columns["delta_net"] += rd(c.Changes.Net)
		s.Columns["delta_received"] += rd(c.Changes.Received)
		s.Columns["delta_contract"] += rd(c.Changes.Contract)
	}
}

// adjustedSums adds the lines of adjustments to the sums of a summary.
func (f *closedFeed) adjustedSums(s *report.Sums) {
	for range f.days {
		s.Rows++
		s.Columns["other_adjustments"] += int64(ledger.Real)
		for _, c := range []string{"net_expected", "net_contract", "not_due"} {
			s.Columns[c] -= int64(ledger.Real)
		}
	}
}
