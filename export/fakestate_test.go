package export_test

import (
	"context"

	"concilia/export/report"
	"concilia/store/ledger"
)

// Cases and NotDue are what the hand-made feed has of a state set.
func (f *feed) Cases(_ context.Context, yield func(*report.Case) error) error {
	for i := range f.state {
		if err := yield(&f.state[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) NotDue(_ context.Context, yield func(*report.NotDue) error) error {
	for i := range f.ahead {
		if err := yield(&f.ahead[i]); err != nil {
			return err
		}
	}
	return nil
}

// caseSums and agingSums are the sums of that, worked out again.
func (f *feed) caseSums(s *report.Sums) {
	c := s.Columns
	for i := range f.state {
		k := &f.state[i]
		s.Rows++
		c["age_days"] += k.Days.Or(0)
		c["age_business_days"] += k.BusinessDays.Or(0)
		if k.Expected.Kind == ledger.AmountValue && k.Actual.Kind == ledger.AmountValue {
			c["difference"] += rd(k.Actual.Amount - k.Expected.Amount)
		}
		c["impact"] += rd(k.Impact.Or(0))
		c["rule_version"] += int64(k.RuleVersion)
		if k.State == ledger.Waived {
			c["waiver_cap"] += rd(k.WaivedCap.Or(0))
		}
	}
}

func (f *feed) agingSums(s *report.Sums) {
	c := s.Columns
	lines := map[string]bool{}
	for i := range f.state {
		for _, w := range f.state[i].AgingEntries {
			lines[w.Kind+w.Brand] = true
			column := report.BucketColumn(w.Days)
			c[column] += rd(w.Amount)
			c[column+"_qty"]++
			c["total"] += rd(w.Amount)
			c["total_qty"]++
		}
	}
	for _, n := range f.ahead {
		lines[n.Kind+n.Brand] = true
		c["not_due"] += int64(n.Printed)
		c["not_due_qty"] += n.Count
	}
	s.Rows = int64(len(lines))
}
