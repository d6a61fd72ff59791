package export

import (
	"fmt"
	"io"
	"strings"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/store/ledger"
)

// causesID names the causes among the tables of a page.
const causesID = "causes"

// pageFigure names a table of the page in control.
func pageFigure(id string) string { return pageFile + " " + id }

// pageKey is the name of a figure on the page itself.
func pageKey(f Figure) string { return strings.TrimPrefix(f.File, pageFile+" ") + "." + f.Measure }

// readPage takes the figures of a page from its bytes. One of those that should be there and is not is an error: it would tie
// with nothing.
func readPage(path string, should []Figure) (func(Figure) ledger.Opt[int64], error) {
	figures, err := readPageFigures(path)
	for _, f := range should {
		if _, ok := figures[pageKey(f)]; !ok && err == nil {
			err = fmt.Errorf("page: figure %s is not there", pageKey(f))
		}
	}
	return func(f Figure) ledger.Opt[int64] {
		n, ok := figures[pageKey(f)]
		return ledger.Opt[int64]{V: n, OK: ok}
	}, err
}

func readPageFigures(path string) (html.Figures, error) {
	var figures html.Figures
	err := withFile(path, func(in io.Reader) (err error) {
		figures, err = html.Read(in)
		return err
	})
	return figures, err
}

// pageSums are the rows and sums of a page as its manifest has them: those of its tables, and of the causes.
func pageSums(figures html.Figures) (rows int64, sums map[string]string) {
	sums = make(map[string]string)
	for key, n := range figures {
		id, measure, _ := strings.Cut(key, ".")
		t := report.TableByID(id)
		switch {
		case t != nil && measure == "count":
			rows += n / 10_000
		case t != nil && t.ColumnIndex(measure) >= 0:
			c := &t.Columns[t.ColumnIndex(measure)]
			sums[key] = string(c.AppendSum(nil, sumOf(c, n)))
		case id == causesID && strings.HasSuffix(measure, "count"):
			sums[key] = ledger.Amount(n).Fixed(0)
		case id == causesID:
			sums[key] = ledger.Amount(n).Fixed(2)
		}
	}
	return rows, sums
}

// readPageFile reads a published page.
func (c *setContents) readPageFile(path string) (int64, map[string]string, error) {
	figures, err := readPageFigures(path)
	if err != nil {
		return 0, nil, err
	}
	for key := range figures {
		id, _, _ := strings.Cut(key, ".")
		if report.TableByID(id) == nil && id != causesID && id != byCauseID {
			continue // a single cause: Read holds it against the whole
		}
		c.figures[pageFigure(id)] = func(f Figure) ledger.Opt[int64] {
			n, ok := figures[pageKey(f)]
			return ledger.Opt[int64]{V: n, OK: ok}
		}
	}
	rows, sums := pageSums(figures)
	return rows, sums, nil
}
