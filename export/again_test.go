package export_test

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"testing"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
)

// counted counts how often the rows of the ledger are passed over.
type counted struct {
	*feed
	cards, slips int
}

func (c *counted) Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	c.cards++
	return c.feed.Installments(ctx, yield)
}

func (c *counted) Slips(ctx context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	c.slips++
	return c.feed.Slips(ctx, yield)
}

// Every format comes out of one pass over the installments and one over the slips.
func TestPassesOverTheLedger(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name         string
		formats      []report.Format
		cards, slips int
	}{
		{"one format", []report.Format{report.CSV}, 1, 1},
		{"every format but EDI", []report.Format{report.CSV, report.CSVBR, report.JSONL, report.XLSX}, 1, 1},
		{"EDI too", []report.Format{report.CSV, report.XLSX, report.EDI}, 1, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tg, _ := target(t)
			j, c := job(), &counted{feed: everyClass()}
			j.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.SlipsKind, report.ControlKind}
			j.Formats = row.formats
			if _, err := export.Render(t.Context(), j, c, tg); err != nil {
				t.Fatal(err)
			}
			if c.cards != row.cards || c.slips != row.slips {
				t.Errorf("%d passes over the installments and %d over the slips, should be %d and %d", c.cards, c.slips, row.cards, row.slips)
			}
		})
	}
}

// A revision comes out of its recipe byte for byte, and what would not is refused before a file is seen.
func TestAgain(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j := job()
	j.Formats = []report.Format{report.CSV, report.JSONL, report.XLSX}
	first := render(t, j, everyClass(), tg)
	text, err := export.RecipeOf(j, first, 0)
	if err != nil {
		t.Fatal(err)
	}
	again := func(edit func(*export.Job)) (export.Result, error) {
		recipe, err := export.ReadRecipe(text)
		if err != nil {
			t.Fatal(err)
		}
		k := recipe.Job
		k.Agreed, k.Facts.Bridge, k.Facts.Tallies = j.Agreed, j.Facts.Bridge, j.Facts.Tallies
		k.Again = &export.Again{Digest: first.Digest, Why: recipe.Why, Supersedes: recipe.Supersedes, Files: map[string]string{}}
		for _, f := range first.Files {
			k.Again.Files[f.Path] = f.SHA256
		}
		edit(&k)
		return export.Render(t.Context(), k, everyClass(), tg)
	}
	name := filepath.Join(out.root, first.Dir, path.Base(first.Files[0].Path))
	for _, row := range []struct {
		name string
		edit func(*export.Job)
		same bool
	}{
		{"as it was", func(*export.Job) {}, true},
		{"another account block is other content", func(j *export.Job) { j.Block.Name = "OUTRA" }, false},
		{"another verdict is another control", func(j *export.Job) { j.Facts.Verdict = "incomplete" }, false},
		{"a file that nothing makes any more", func(j *export.Job) { j.Again.Files["x.csv"] = "00" }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := os.RemoveAll(out.root); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(out.root, 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := again(row.edit)
			var refused *export.AgainError
			_, there := os.Stat(name)
			if row.same != (err == nil) || row.same != (there == nil) || err != nil && !errors.As(err, &refused) {
				t.Errorf("%v; the first file: %v", err, there)
			}
		})
	}
}
