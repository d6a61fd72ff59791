package export_test

import (
	"bytes"
	"strings"
	"testing"

	"concilia/export/html"
	"concilia/store/ledger"
)

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
			p.Missing = html.Missing{Figures: ledger.Figures{Excess: 100}, ExcessCases: 1, Gained: []html.Cause{{Code: "X", Amount: 100, Cases: 1}}}
		}, false},
	} {
		p := html.Page{Language: "en", Name: "n", Level: html.Bad, Verdict: "breaks", Period: true}
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
