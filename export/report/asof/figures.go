package asof

import (
	"encoding/json"
	"slices"
	"strings"

	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// missingFigure is the sum of lost and late.
const missingFigure ledger.Figure = "missing"

// FigureName returns the name of a figure in the language, in reports, on pages and on the command line.
func FigureName(f ledger.Figure, l table.Language) string { return words.Text(l, "figures."+string(f)) }

// FigureSumLabel finds the label of a sum in formulas.
func FigureSumLabel(id string) (label string, ok bool) {
	switch {
	case id == SumMissing:
		return FigureName(missingFigure, table.Portuguese), true
	case id == SumPositive:
		return words.Text(table.Portuguese, "figures.positive_impacts"), true
	case slices.Contains(ledger.FigureNames(), ledger.Figure(id)):
		return FigureName(ledger.Figure(id), table.Portuguese), true
	}
	return "", false
}

// FiguresShown returns the figures that reports show: claimed and waived only if they are not 0.
func FiguresShown(f *ledger.Figures) []ledger.Figure {
	var out []ledger.Figure
	for _, name := range ledger.FigureNames() {
		if quiet := name == ledger.FigureClaimed || name == ledger.FigureWaived; !quiet || f.AmountOf(name) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// FiguresText returns the figures on one line, in the words and order of pages; spell formats an amount. If all figures are
// 0, it is the figure of what is missing alone.
func FiguresText(f ledger.Figures, l table.Language, spell func(ledger.Amount) string) string {
	part := func(name ledger.Figure, a ledger.Amount) string {
		return strings.ToLower(FigureName(name, l)) + " R$ " + spell(a)
	}
	text := part(missingFigure, f.Missing())
	if f.IsZero() {
		return text
	}
	var missing, others []string
	for _, name := range FiguresShown(&f) {
		p := part(name, f.AmountOf(name))
		if name == ledger.FigureLost || name == ledger.FigureLate {
			missing = append(missing, p)
		} else {
			others = append(others, p)
		}
	}
	return text + " (" + strings.Join(missing, ", ") + "), " + strings.Join(others, ", ")
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
