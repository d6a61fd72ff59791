package page

import (
	"fmt"

	"concilia/export/causes"
	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/table"
	"concilia/store/ledger"
)

// buildMissing returns the figures on the first screen of the page. A side that is withheld has no figures; if both sides are
// withheld, the figures are unknown.
func (r *renderer) buildMissing() html.Missing {
	c := r.causes
	sides := map[string]bool{"cards": r.Job.ReadsSide("cards"), "slips": r.Job.ReadsSide("slips") || r.slips != nil}
	if c.IsState {
		shown := r.Job.HasKind(report.ExceptionsKind) || r.Job.HasKind(report.AgingKind)
		sides["cards"], sides["slips"] = shown, shown
	}
	m := html.Missing{
		Figures: c.Figures, Lines: listFigureLines(&c.Figures, r.Job.Language), Cases: c.CountCases(causes.Missing), ExcessCases: c.CountCases(causes.Excess),
		Causes: c.ListCauses(causes.Missing), AtRisk: c.ListCauses(causes.AtRisk), Gained: c.ListCauses(causes.Excess),
	}
	switch {
	case !sides["cards"] && !sides["slips"]:
		return html.Missing{Unknown: true, Note: r.Job.Text("page.what_would_say_so_not")}
	case !sides["slips"]:
		m.Note = r.Job.Text("page.cards_alone")
	case !sides["cards"]:
		m.Note = r.Job.Text("page.slips_alone")
	case r.slips != nil:
		m.Note = describeWithheldSlips(r.Job)
	}
	return m
}

// listFigureLines returns the figures that a page shows next to what is missing.
func listFigureLines(f *ledger.Figures, l table.Language) []html.FigureLine {
	var out []html.FigureLine
	for _, name := range asof.FiguresShown(f) {
		out = append(out, html.FigureLine{Key: string(name), Label: asof.FigureName(name, l), Amount: f.AmountOf(name)})
	}
	return out
}

// checkFigures refuses a state set whose page and table of cases have different figures.
func (r *renderer) checkFigures() error {
	if r.Exceptions == nil || !r.causes.IsState {
		return nil
	}
	for _, name := range ledger.FigureNames() {
		page, rows := r.causes.Figures.AmountOf(name), r.Exceptions.FigureSum(name)
		if page != rows {
			return &control.MismatchError{
				Figure:  control.Figure{File: readback.PageItem(control.CausesID), Measure: string(name)},
				Problem: fmt.Errorf("the page says %s, the rows of %s add up to %s", page, asof.ExceptionsTable.ID, rows),
			}
		}
	}
	return nil
}
