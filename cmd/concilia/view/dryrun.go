package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/export/report"
	"concilia/jobs"
	"concilia/store/ledger"
)

// DryRun is what a run would ask for, and what it would publish with the ledger as it is.
type DryRun struct {
	AsOf    ledger.Date       `json:"as_of"`
	IsDry   bool              `json:"dry_run"` // always
	Plan    *Plan             `json:"plan"`
	Publish []jobs.SetPreview `json:"publish"`
}

// WriteText writes the plan, and below it the sets.
func (v *DryRun) WriteText(w io.Writer) error {
	if err := v.Plan.WriteText(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nTo be published, if those calls brought nothing new:")
	t := newTable(w)
	t.AppendHeader(table.Row{"account", "basis", "period", "revision", "", "withheld"})
	inserted := 0
	for i := range v.Publish {
		s := &v.Publish[i]
		became := "stays current"
		if s.New {
			inserted++
			became = "new: " + strings.Join(s.Why, ", ")
		}
		t.AppendRow(table.Row{s.Account, s.Basis, describePeriod(s), fmt.Sprintf("r%d", s.Revision), became, strings.Join(s.Withheld, ", ")})
	}
	t.Render()
	_, err := fmt.Fprintf(w, "\n%s, %d of them new. Nothing was asked, nothing written.\n", countOf(int64(len(v.Publish)), "set"), inserted)
	return err
}

func describePeriod(s *jobs.SetPreview) string {
	if s.Basis == report.ByAsOf {
		return s.To.String()
	}
	return s.From.String() + " to " + s.To.String()
}
