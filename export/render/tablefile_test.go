package render_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/verify"
)

func TestSpelledFilesAreProven(t *testing.T) {
	t.Parallel()
	formats := []report.Format{report.CSVBR, report.JSONL}
	t.Run("published, verified, and the same again", func(t *testing.T) {
		t.Parallel()
		tg, out := target(t)
		j := job()
		j.Formats = formats
		r := renderJob(t, j, everyClass(), tg)
		found, err := verify.CheckTree(context.Background(), out.root, nil)
		if err != nil || len(found.Faults) > 0 {
			t.Fatal(err, found.Faults)
		}
		for _, f := range r.Files {
			if f.Kind == report.ControlKind && f.Format == report.CSV {
				continue // always there
			}
			if f.Format != report.CSVBR && f.Format != report.JSONL {
				t.Errorf("%s is of no format asked for", f.Path)
			}
			b, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, f.Path, b)
		}
		j.Current = &export.CurrentRevision{Revision: r.Revision, Fingerprints: r.Fingerprints}
		if again := renderJob(t, j, everyClass(), tg); !again.Unchanged {
			t.Errorf("a second rendering wrote %v", again.Why)
		}
	})
	for _, tc := range []struct{ why, file, from, to, want string }{
		{
			"a decimal comma moves", "summary.br.csv", ";145,11;", ";1451,1;",
			`summary.br.csv: table summary: row 2: column mdr_effective_pct: "1451,1": not a number`,
		},
		{"a digit flips", "summary.br.csv", ";145,11;", ";145,12;", "summary.br.csv, "},
		{"a digit flips in a jsonl", "summary.jsonl", `"145.11"`, `"145.12"`, "summary.jsonl: table summary: line 1: row_hash is "},
		{"a member goes missing", "summary.jsonl", `"mdr":`, `"mdx":`, "summary.jsonl: table summary: line 1: member mdr is not in its place"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			tg, out := target(t)
			j := job()
			j.Formats = formats
			j.Hooks.AfterWrite = func(dir string) { flip(filepath.Join(dir, tc.file), tc.from, tc.to) }
			_, err := render.Set(context.Background(), j, everyClass(), tg)
			if err == nil || !strings.HasPrefix(err.Error(), strings.SplitN(tc.want, ": column", 2)[0]) || len(out.puts) > 0 {
				t.Errorf("error %v\nwant  %s\npublished %v", err, tc.want, out.puts)
			}
		})
	}
}
