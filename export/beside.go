package export

import (
	"context"
	"fmt"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// pageSlips are the slips that a page counts and its set has no table of: those of the page over all accounts, whose set is
// the summary of cards alone. What is missing is so of both sides, as on the night's page.
type pageSlips struct {
	days report.SlipDays
	rows *table.Digester // of slips, so that another slip makes another revision
}

// hasPageSlips says whether the page counts slips that the set has no table of.
func (r *rendering) hasPageSlips() bool {
	return r.job.Account == AllAccounts && r.job.hasFormat(report.HTML) && r.job.Basis != report.ByAsOf && !r.readsSide("slips")
}

// readPageSlips passes over the slips for the page alone.
func (r *rendering) readPageSlips(ctx context.Context) error {
	if !r.hasPageSlips() {
		return nil
	}
	without := make(map[ledger.Account]bool)
	for _, a := range r.job.Facts.Accounts {
		without[a.Account] = a.NoSlips != ""
	}
	b := &pageSlips{days: report.NewSlipDays(r.job.Basis, r.job.AsOf), rows: table.NewDigester(report.SlipsTable)}
	row := b.rows.Counter.Table.NewRow()
	err := r.source.Slips(ctx, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		switch {
		case without[s.Account]:
			return nil
		case e == nil:
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", s.Subject())
		}
		b.days.Add(s, e)
		r.causes.addSlipVerdict(s, e)
		report.FillSlipRow(row, s, e, false)
		return b.rows.Add(row)
	})
	r.pageSlips = b
	return err
}

// pageSlipDays are the slips by day that the page draws; nil when it counts none.
func (r *rendering) pageSlipDays() *report.SlipDays {
	switch {
	case r.pageSlips != nil:
		return &r.pageSlips.days
	case r.slipsByDay != nil:
		return &r.slipsByDay.SlipDays
	}
	return nil
}

// pageSlipsNote says whose slips the page does not count, as theirs are withheld.
func (r *rendering) pageSlipsNote() string {
	note := ""
	for _, a := range r.job.Facts.Accounts {
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
	return r.text("page.without_slips_of", "accounts", note)
}
