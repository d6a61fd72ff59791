package readback

import (
	"fmt"
	"io"
	"strings"

	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/report/kindlist"
	"concilia/store/ledger"
)

// PageItem returns the item of control for a table of the page.
func PageItem(id string) string { return control.PageFile + " " + id }

// PageKey returns the key of a figure on the page itself.
func PageKey(f control.Figure) string {
	return strings.TrimPrefix(f.File, control.PageFile+" ") + "." + f.Measure
}

// ReadPage reads the figures of a page. It fails if the page lacks one of those in should, which could not be compared.
func ReadPage(path string, should []control.Figure) (func(control.Figure) ledger.Opt[int64], error) {
	figures, err := ReadPageFigures(path)
	for _, f := range should {
		if _, ok := figures[PageKey(f)]; !ok && err == nil {
			err = fmt.Errorf("page: figure %s is not there", PageKey(f))
		}
	}
	return func(f control.Figure) ledger.Opt[int64] {
		n, ok := figures[PageKey(f)]
		return ledger.Opt[int64]{V: n, OK: ok}
	}, err
}

// ReadPageFigures reads the figures that a written page shows.
func ReadPageFigures(path string) (html.Figures, error) {
	var figures html.Figures
	err := WithFile(path, func(in io.Reader) (err error) {
		figures, err = html.Read(in)
		return err
	})
	return figures, err
}

// PageSums returns the rows and sums of a page for its manifest: those of its tables and causes.
func PageSums(figures html.Figures) (rows int64, sums map[string]string) {
	sums = make(map[string]string)
	for key, n := range figures {
		id, measure, _ := strings.Cut(key, ".")
		t := kindlist.TableByID(id)
		switch {
		case t != nil && measure == "count":
			rows += n / 10_000
		case t != nil && t.ColumnIndex(measure) >= 0:
			c := &t.Columns[t.ColumnIndex(measure)]
			sums[key] = string(c.AppendSum(nil, SumOfFigure(c, n)))
		case id == control.CausesID && strings.HasSuffix(measure, "count"):
			sums[key] = ledger.Amount(n).Fixed(0)
		case id == control.CausesID:
			sums[key] = ledger.Amount(n).Fixed(2)
		}
	}
	return rows, sums
}
