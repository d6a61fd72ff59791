package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/plan"
	"concilia/store/ledger"

	"github.com/jedib0t/go-pretty/v6/table"
)

// dryRunJSON is what run --dry-run --json prints.
type dryRunJSON struct {
	AsOf    ledger.Date       `json:"as_of"`
	DryRun  bool              `json:"dry_run"`
	Plan    planJSON          `json:"plan"`
	Publish []jobs.SetPreview `json:"publish"`
}

// showDryRun prints what a run of that morning would ask for, and what it would publish with the ledger as it is. Where there is
// no ledger yet it goes by an empty one, which is thrown away.
func (g *globals) showDryRun(ctx context.Context, asOf dateFlag) error {
	var day ledger.Date
	w, done, err := g.wire(ctx, wantKept|wantNone, asOf.settle(&day))
	if err != nil {
		return err
	}
	defer done()
	night, err := tonight(ctx, w, day)
	if err != nil {
		return err
	}
	sets, err := w.PreviewNight(ctx, day)
	if err != nil {
		return err
	}
	if g.json {
		return json.NewEncoder(g.stdout).Encode(dryRunJSON{AsOf: day, DryRun: true, Plan: planOf(night), Publish: sets})
	}
	return g.printDryRun(night, sets)
}

func (g *globals) printDryRun(night *plan.NightPlan, sets []jobs.SetPreview) error {
	if err := printPlan(g.stdout, night); err != nil {
		return err
	}
	fmt.Fprintln(g.stdout, "\nTo be published, if those calls brought nothing new:")
	t := newTable(g.stdout)
	t.AppendHeader(table.Row{"account", "basis", "period", "revision", "", "withheld"})
	fresh := 0
	for i := range sets {
		s := &sets[i]
		if s.New {
			fresh++
		}
		t.AppendRow(table.Row{s.Account, s.Basis, periodText(s), fmt.Sprintf("r%d", s.Revision), revisionText(s), strings.Join(s.Withheld, ", ")})
	}
	t.Render()
	_, err := fmt.Fprintf(g.stdout, "\n%s, %d of them new. Nothing was asked, nothing written.\n", things(len(sets), "set", "sets"), fresh)
	return err
}

func periodText(s *jobs.SetPreview) string {
	if s.Basis == report.ByAsOf {
		return s.To.String()
	}
	return s.From.String() + " to " + s.To.String()
}

// revisionText says whether a revision would be made, and why.
func revisionText(s *jobs.SetPreview) string {
	if !s.New {
		return "stays current"
	}
	return "new: " + strings.Join(s.Why, ", ")
}
