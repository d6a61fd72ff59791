package render_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export/report"
	"concilia/export/xlsx"
)

// A person who opens the workbook sees the dashboard first, which begins with whether all sums tie; the proof comes last.
func TestSheetsInOrder(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	r := renderJob(t, job(), everyClass(), tg)
	var names []string
	for _, f := range r.Files {
		if f.Kind != report.Settlement || f.Format != report.XLSX {
			continue
		}
		book, err := xlsx.OpenFile(filepath.Join(out.root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		for _, s := range book.Sheets() {
			names = append(names, s.Name)
		}
	}
	if len(names) < 4 || names[0] != "Painel" || names[1] != "Resumo" || names[len(names)-1] != "Controle" {
		t.Errorf("sheets %q", names)
	}
	says := slices.ContainsFunc(sheet(t, out, r, "Painel")[:4], func(row []string) bool {
		return strings.HasPrefix(row[0], "✓ ") && strings.HasSuffix(row[0], " somas conferem")
	})
	if !says {
		t.Error("the dashboard does not begin with whether all sums tie")
	}
}
