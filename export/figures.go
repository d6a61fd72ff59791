package export

import (
	"encoding/json"
	"fmt"
	"strings"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// missingFigure is lost and late together.
const missingFigure ledger.Figure = "missing"

// FigureName is what people call the figure in the language: in reports, on pages and on the command line.
func FigureName(f ledger.Figure, l table.Language) string { return words.Text(l, "figures."+string(f)) }

// figureSumLabels are the words for the sums of a formula.
func figureSumLabels() map[string]string {
	out := map[string]string{
		report.SumMissing:  FigureName(missingFigure, table.Portuguese),
		report.SumPositive: words.Text(table.Portuguese, "figures.positive_impacts"),
	}
	for _, name := range ledger.FigureNames() {
		out[string(name)] = FigureName(name, table.Portuguese)
	}
	return out
}

// FiguresShown are the figures that people are shown: what is claimed and waived only where there is any.
func FiguresShown(f *ledger.Figures) []ledger.Figure {
	var out []ledger.Figure
	for _, name := range ledger.FigureNames() {
		if quiet := name == ledger.FigureClaimed || name == ledger.FigureWaived; !quiet || f.AmountOf(name) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// FiguresText is the figures on one line, in the words and the order that pages have them; spell writes an amount. Without any
// figure it says that nothing is missing.
func FiguresText(f ledger.Figures, l table.Language, spell func(ledger.Amount) string) string {
	part := func(name ledger.Figure, a ledger.Amount) string {
		return strings.ToLower(FigureName(name, l)) + " R$ " + spell(a)
	}
	text := part(missingFigure, f.Missing())
	if f.IsZero() {
		return text
	}
	var within, beside []string
	for _, name := range FiguresShown(&f) {
		p := part(name, f.AmountOf(name))
		if name == ledger.FigureLost || name == ledger.FigureLate {
			within = append(within, p)
		} else {
			beside = append(beside, p)
		}
	}
	return text + " (" + strings.Join(within, ", ") + "), " + strings.Join(beside, ", ")
}

// FiguresJSON are the figures as every command prints them with --json.
type FiguresJSON ledger.Figures

// MarshalJSON spells the amounts as exact strings.
func (f FiguresJSON) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Missing string `json:"missing"`
		Lost    string `json:"lost"`
		Late    string `json:"late"`
		AtRisk  string `json:"at_risk"`
		Claimed string `json:"claimed"`
		Waived  string `json:"waived"`
		Excess  string `json:"excess"`
	}{
		ledger.Figures(f).Missing().String(), f.Lost.String(), f.Late.String(), f.AtRisk.String(), f.Claimed.String(), f.Waived.String(),
		f.Excess.String(),
	})
}

// pageFigureLines are the figures beside what is missing on a page.
func pageFigureLines(f *ledger.Figures, l table.Language) []html.FigureLine {
	var out []html.FigureLine
	for _, name := range FiguresShown(f) {
		out = append(out, html.FigureLine{Key: string(name), Label: FigureName(name, l), Amount: f.AmountOf(name)})
	}
	return out
}

// checkPageFigures refuses a state set whose page and table of cases would tell different figures.
func (r *rendering) checkPageFigures() error {
	if r.exceptions == nil || !r.causes.isState {
		return nil
	}
	for _, name := range ledger.FigureNames() {
		page, rows := r.causes.figures.AmountOf(name), r.exceptions.FigureSum(name)
		if page != rows {
			return &MismatchError{
				Figure:  Figure{File: pageFigure(causesID), Measure: string(name)},
				Problem: fmt.Errorf("the page says %s, the rows of %s add up to %s", page, report.ExceptionsTable.ID, rows),
			}
		}
	}
	return nil
}
