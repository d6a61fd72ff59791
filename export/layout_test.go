package export_test

import (
	"os"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/table"
)

// later is a table with two columns that a version to come appends.
func later(t *table.Table) *table.Table {
	return export.Later(t,
		table.Column{ID: "later_note", Header: "Nota", HeaderEN: "Note", Type: table.TypeText, Null: "none"},
		table.Column{ID: "later_count", Header: "Contagem", HeaderEN: "Count", Type: table.TypeInt, Null: "none", Ratio: true},
	)
}

// A revision of an older layout comes out with the columns it had, though every table has more of them now.
func TestAgainInAnOlderLayout(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j := job()
	j.Formats = []export.Format{export.CSV, export.CSVBR, export.JSONL, export.XLSX, export.HTML}
	first := render(t, j, everyClass(), tg)
	text, err := export.RecipeOf(j, first, 0)
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := export.ReadRecipe(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		edit func(*export.Again)
		want string // of the refusal
	}{
		{"as it was", func(*export.Again) {}, ""},
		{"in the newest layout it is other content", func(a *export.Again) { a.Layouts = nil }, "the content of the set is"},
		{"a newer version made it", func(a *export.Again) { a.Layouts["summary"] = 3 }, "use the version that made it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := os.RemoveAll(out.root); err != nil {
				t.Fatal(err)
			}
			k := recipe.Job
			k.Agreed, k.Facts.Bridge, k.Facts.Tallies = j.Agreed, j.Facts.Bridge, j.Facts.Tallies
			k.Bump(later)
			k.Again = &export.Again{
				Digest: first.Digest, Why: recipe.Why, Supersedes: recipe.Supersedes, Layouts: map[string]int{}, Files: map[string]string{},
			}
			for id, n := range recipe.Layouts {
				k.Again.Layouts[id] = n
			}
			for _, f := range first.Files {
				k.Again.Files[f.Path] = f.SHA256
			}
			row.edit(k.Again)
			_, err := export.Render(t.Context(), k, everyClass(), tg)
			if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

// What a version to come renders anew has its columns, in every format, and is proven like any other.
func TestLaterLayoutTies(t *testing.T) {
	t.Parallel()
	tg, _ := target(t)
	j := job()
	j.Formats = []export.Format{export.CSV, export.CSVBR, export.JSONL, export.XLSX, export.HTML}
	old := render(t, j, everyClass(), tg)
	j.Bump(later)
	j.Standing = &export.Standing{Revision: old.Revision, Marks: old.Marks}
	fresh := render(t, j, everyClass(), tg)
	if fresh.Revision != old.Revision+1 {
		t.Errorf("revision %d after %d: another layout is other content", fresh.Revision, old.Revision)
	}
	for _, f := range fresh.Files {
		id, _, _ := strings.Cut(f.Path, "_")
		if table := export.TableOf(id); table != nil && f.Format != export.EDI && f.LayoutVersion != table.Layout+1 {
			t.Errorf("%s: layout %d", f.Path, f.LayoutVersion)
		}
	}
}
