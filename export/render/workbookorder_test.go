package render_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export/report"
	"concilia/export/xlsx"
	"concilia/store/ledger"
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
	if len(names) < 4 || names[0] != "Painel" || names[1] != "Resumo" || names[len(names)-2] != "Dados dos gráficos" || names[len(names)-1] != "Controle" {
		t.Errorf("sheets %q", names)
	}
	says := slices.ContainsFunc(sheet(t, out, r, "Painel")[:4], func(row []string) bool {
		return strings.HasPrefix(row[0], "✓ ") && strings.HasSuffix(row[0], " somas conferem")
	})
	if !says {
		t.Error("the dashboard does not begin with whether all sums tie")
	}
}

// The summary begins with its totals by account, by brand and by product, each of which is that of the table below it.
func TestSummaryBeginsWithItsTotals(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	rows := sheet(t, out, renderJob(t, job(), everyClass(), tg), "Resumo")
	var heads []int
	sums := map[string][]string{} // gross of the lines between the two headers, by the column that names them
	total := ""
	for n, row := range rows {
		switch {
		case len(row) > 7 && row[0] == "Conta":
			heads = append(heads, n)
		case len(row) > 7 && len(heads) == 1:
			for column, name := range map[int]string{0: "account", 2: "brand", 3: "product"} {
				if row[column] != "" {
					sums[name] = append(sums[name], row[7])
				}
			}
		case row[0] == "Total":
			total = row[7]
		}
	}
	if len(heads) != 2 || len(sums) != 3 || total == "" {
		t.Fatalf("headers in rows %v, sums %v, total %q", heads, sums, total)
	}
	for name, parts := range sums {
		if sum := addTexts(t, parts); sum != addTexts(t, []string{total}) {
			t.Errorf("by %s %v come to %s, the table to %s", name, parts, sum, total)
		}
	}
}

// addTexts adds amounts up.
func addTexts(t *testing.T, all []string) (sum ledger.Amount) {
	t.Helper()
	for _, text := range all {
		a, err := ledger.ParseAmount(text)
		if err != nil {
			t.Fatal(err)
		}
		sum += a
	}
	return sum
}
