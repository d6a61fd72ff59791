package export_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"concilia/export"
)

// later is a table with two columns that a version to come appends.
func later(t *export.Table) *export.Table {
	return export.Later(t,
		export.Column{ID: "later_note", Header: "Nota", HeaderEN: "Note", Type: export.TypeText, Null: "none"},
		export.Column{ID: "later_count", Header: "Contagem", HeaderEN: "Count", Type: export.TypeInt, Null: "none", Ratio: true},
	)
}

// controlRow is a row of control in its newest layout and a later one, with texts that need quotes and hold line ends.
func controlRow(note string, n int64) export.Row {
	row := make(export.Row, len(export.TableOf("control").Columns)-1)
	for i, s := range []string{"1001", "sums", "a, \"b\"\n\nc", "count"} {
		row[i] = export.Text(s)
	}
	return append(row, export.Text(note), export.Int(n))
}

// row_hash ends the columns of layout 1; what a later layout appends follows it and is hashed too (reports D.0, Cells).
func TestHashStandsBeforeLaterColumns(t *testing.T) {
	t.Parallel()
	table, rows := later(export.TableOf("control")), []export.Row{controlRow("x,\ny", 7), controlRow("", 8)}
	text, err := export.SpellTable(export.CSV, table, rows)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := len(records[0])
	if got := strings.Join(records[0][n-3:], " "); got != "row_hash later_note later_count" {
		t.Errorf("the header ends in %s", got)
	}
	var plain bytes.Buffer
	w := csv.NewWriter(&plain)
	for _, r := range records[1:] {
		plain.Reset()
		if err := w.Write(slices.Delete(slices.Clone(r), n-3, n-2)); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		sum := sha256.Sum256(bytes.TrimSuffix(plain.Bytes(), []byte("\n")))
		if want := hex.EncodeToString(sum[:8]); r[n-3] != want {
			t.Errorf("row_hash %s, should be %s", r[n-3], want)
		}
	}
	for _, f := range []export.Format{export.CSV, export.CSVBR, export.JSONL} {
		text, err := export.SpellTable(f, table, rows)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := export.ReadTable(f, bytes.NewReader(text), table); err != nil || n != 2 {
			t.Errorf("%s: %d rows, %v", f, n, err)
		}
		if f == export.CSVBR { // it has no row_hash
			continue
		}
		forged := bytes.Replace(text, []byte(`"later_count":8`), []byte(`"later_count":9`), 1)
		if f == export.CSV {
			forged = append(bytes.TrimSuffix(text, []byte("8\n")), "9\n"...)
		}
		if _, err := export.ReadTable(f, bytes.NewReader(forged), table); err == nil || !strings.Contains(err.Error(), "row_hash") {
			t.Errorf("%s: a later column that was changed is not found: %v", f, err)
		}
	}
	for _, f := range []export.Format{export.CSV, export.CSVBR, export.JSONL} {
		first, err := export.SpellTable(f, export.TableOf("control"), rows)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := export.SpellTable(f, export.At(table, 1), rows); err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: layout 1 of a table that has a second one is not what it was: %v", f, err)
		}
	}
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
