package export_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/html"
)

// Page and workbook of a revision have the looks that its recipe names; one of before there were two names none, and has the
// first: the same rows, other bytes.
func TestLooksAreThoseOfTheRecipe(t *testing.T) {
	t.Parallel()
	for _, format := range []export.Format{export.HTML, export.XLSX} {
		tg, out := target(t)
		j, f := pageJob()
		j.Formats = []export.Format{export.CSV, format}
		first := render(t, j, f, tg)
		text, err := export.RecipeOf(j, first, 0)
		if err != nil {
			t.Fatal(err)
		}
		recipe, err := export.ReadRecipe(text)
		if err != nil || recipe.Layouts["settlement."+string(format)] != 4 {
			t.Fatal(recipe.Layouts, err)
		}
		j.Again = &export.Again{Digest: first.Digest, Why: first.Why, Layouts: recipe.Layouts, Files: map[string]string{}}
		for _, f := range first.Files {
			j.Again.Files[f.Path] = f.SHA256
		}
		if _, err := export.Render(t.Context(), j, f, tg); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		delete(recipe.Layouts, "settlement."+string(format))
		_, err = export.Render(t.Context(), j, f, tg)
		var differs *export.AgainError
		if !errors.As(err, &differs) || !strings.HasPrefix(differs.File, "settlement_") || differs.Now == "" {
			t.Errorf("%s in the looks of before: %v", format, err)
		}
		if v := verify(t, out.root); len(v.Faults) > 0 {
			t.Error(v.Faults)
		}
		if i := slices.IndexFunc(first.Files, func(f export.File) bool { return f.Kind == export.Settlement }); first.Files[i].LayoutVersion != 4 {
			t.Errorf("the manifest says layout %d", first.Files[i].LayoutVersion)
		}
	}
}

// A period in which nothing is missing says why its verdict is not clean all the same.
func TestPageSaysWhoseVerdictItIs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because string
		edit    func(*html.Page)
		want    bool
	}{
		{"the account has breaks, and none in the period", func(*html.Page) {}, true},
		{"it is reconciled", func(p *html.Page) { p.Level = html.Good }, false},
		{"the page is of the state: all is on it", func(p *html.Page) { p.Period = false }, false},
		{"something came in excess, and is on the page", func(p *html.Page) {
			p.Missing = html.Missing{Excess: 100, ExcessCases: 1, Gained: []html.Cause{{Code: "X", Amount: 100, Cases: 1}}}
		}, false},
		{"a page of before", func(p *html.Page) { p.Layout = 1 }, false},
	} {
		p := html.Page{Language: "en", Name: "n", Layout: 2, Level: html.Bad, Verdict: "breaks", Period: true}
		row.edit(&p)
		var out bytes.Buffer
		if err := html.Write(&out, p); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "The verdict is that of the day"); got != row.want {
			t.Errorf("%s: says so %t", row.because, got)
		}
	}
}
