package page

import (
	"context"
	"fmt"

	"concilia/export"
	"concilia/export/causes"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/staging"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Slips are the slips of a page whose set has no table of slips: the page over all accounts, whose set has the summary of
// cards alone, shows what is missing of both sides.
type Slips struct {
	days report.SlipDays
	rows *table.Digester // digest of the slips, so that a changed slip makes a new revision
}

// countsSlips reports whether the page counts slips that the set has no table of.
func countsSlips(j *export.Job) bool {
	return j.Account == manifest.AllAccounts && j.HasFormat(report.HTML) && j.Basis != report.ByAsOf && !j.ReadsSide("slips")
}

// ReadSlips reads the slips for the page alone and adds their brackets to the verdicts; nil: the page needs none.
func ReadSlips(ctx context.Context, set *staging.Set, c *causes.Totals) (*Slips, error) {
	if !countsSlips(set.Job) {
		return nil, nil
	}
	withheld := make(map[ledger.Account]bool)
	for _, a := range set.Job.Facts.Accounts {
		withheld[a.Account] = a.NoSlips != ""
	}
	b := &Slips{days: report.NewSlipDays(set.Job.Basis, set.Job.AsOf), rows: table.NewDigester(report.SlipsTable)}
	row := b.rows.Counter.Table.NewRow()
	err := set.Source.Slips(ctx, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		switch {
		case withheld[s.Account]:
			return nil
		case e == nil:
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", s.Subject())
		}
		b.days.Add(s, e)
		c.AddSlip(s, e)
		report.FillSlipRow(row, s, e, false)
		return b.rows.Add(row)
	})
	return b, err
}

// Digest is the digest of the slips.
func (s *Slips) Digest() string { return s.rows.Sum() }

// findSlipDays returns the slips by day for the page; nil if it counts none.
func (r *renderer) findSlipDays() *report.SlipDays {
	switch {
	case r.slips != nil:
		return &r.slips.days
	case r.SlipsByDay != nil:
		return &r.SlipsByDay.SlipDays
	}
	return nil
}

// describeWithheldSlips names the accounts whose slips the page leaves out because they are withheld.
func describeWithheldSlips(j *export.Job) string {
	note := ""
	for _, a := range j.Facts.Accounts {
		if a.NoSlips == "" {
			continue
		}
		if note != "" {
			note += ", "
		}
		note += a.Account.String() + " (" + a.NoSlips + ")"
	}
	if note == "" {
		return ""
	}
	return j.Text("page.without_slips_of", "accounts", note)
}
