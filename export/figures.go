package export

import (
	"encoding/json"
	"fmt"
	"strings"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// missingName is what people call lost and late together.
var missingName = figureName{"Falta", "Missing"}

type figureName struct{ pt, en string }

// figureNames are what people call the figures: in reports, on pages and on the command line.
var figureNames = map[ledger.Figure]figureName{
	ledger.FigureLost:    {"Perda confirmada", "Lost"},
	ledger.FigureLate:    {"Em risco, já vencido", "Late"},
	ledger.FigureAtRisk:  {"Em risco, a vencer", "At risk"},
	ledger.FigureClaimed: {"Em contestação", "Claimed"},
	ledger.FigureWaived:  {"Dispensado", "Waived"},
	ledger.FigureExcess:  {"Recebido a mais (não abatido)", "In excess"},
}

func (n figureName) in(l table.Language) string {
	if l == table.English {
		return n.en
	}
	return n.pt
}

// FigureName is what people call the figure in the language.
func FigureName(f ledger.Figure, l table.Language) string { return figureNames[f].in(l) }

// figureSumLabels are the words for the sums of a formula.
func figureSumLabels() map[string]string {
	out := map[string]string{report.SumMissing: missingName.pt, report.SumPositive: "impactos positivos"}
	for name, words := range figureNames {
		out[string(name)] = words.pt
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
	part := func(n figureName, a ledger.Amount) string { return strings.ToLower(n.in(l)) + " R$ " + spell(a) }
	text := part(missingName, f.Missing())
	if f.IsZero() {
		return text
	}
	var within, beside []string
	for _, name := range FiguresShown(&f) {
		p := part(figureNames[name], f.AmountOf(name))
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

// holdFigures refuses a state set whose page and table of cases would tell different figures.
func (r *rendering) holdFigures() error {
	if r.cases == nil || !r.causes.state {
		return nil
	}
	for _, name := range ledger.FigureNames() {
		page, rows := r.causes.figures.AmountOf(name), r.cases.FigureSum(name)
		if page != rows {
			return &TieError{
				Figure:  Figure{File: pageFigure(causesID), Measure: string(name)},
				Problem: fmt.Errorf("the page says %s, the rows of %s add up to %s", page, report.ExceptionsTable.ID, rows),
			}
		}
	}
	return nil
}
