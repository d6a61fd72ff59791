package export

import (
	"context"
	"fmt"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// beside are the slips that a page counts and its set has no table of: those of the page over all accounts, whose set is
// the summary of cards alone. What is missing is so of both sides, as on the night's page.
type beside struct {
	days report.SlipDays
	rows *table.Digester // of slips, so that another slip makes another revision
}

// besidesSlips says whether the page counts slips that the set has no table of.
func (r *rendering) besidesSlips() bool {
	return r.job.Account == AllAccounts && r.job.wants(report.HTML) && r.job.Basis != report.ByAsOf && !r.sideAsked("slips")
}

// slipsBeside passes over the slips for the page alone.
func (r *rendering) slipsBeside(ctx context.Context) error {
	if !r.besidesSlips() {
		return nil
	}
	without := make(map[ledger.Account]bool)
	for _, a := range r.job.Facts.Accounts {
		without[a.Account] = a.NoSlips != ""
	}
	b := &beside{days: report.NewSlipDays(r.job.Basis, r.job.AsOf), rows: table.NewDigester(report.SlipsTable)}
	row := b.rows.Counter.Table.NewRow()
	err := r.feed.Slips(ctx, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		switch {
		case without[s.Account]:
			return nil
		case e == nil:
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", s.Subject())
		}
		b.days.Add(s, e)
		r.causes.passSlip(s, e)
		report.FillSlipRow(row, s, e, false)
		return b.rows.Add(row)
	})
	r.beside = b
	return err
}

// pageSlipDays are the slips by day that the page draws; nil when it counts none.
func (r *rendering) pageSlipDays() *report.SlipDays {
	switch {
	case r.beside != nil:
		return &r.beside.days
	case r.slipsByDay != nil:
		return &r.slipsByDay.SlipDays
	}
	return nil
}

// besideNote says whose slips the page does not count, as theirs are withheld.
func (r *rendering) besideNote() string {
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
