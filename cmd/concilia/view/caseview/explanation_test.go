package caseview

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/jobs/explain"
)

// A paragraph is broken at words, and a word longer than the page has its own line.
func TestExplanationText(t *testing.T) {
	t.Parallel()
	p := &explanation{}
	p.writeParagraph(2, strings.Repeat("palavra ", 20)+strings.Repeat("x", 90))
	for i, line := range strings.Split(strings.TrimSuffix(p.b.String(), "\n"), "\n") {
		if long := len(line) > pageWidth; long != strings.Contains(line, "xxx") || !strings.HasPrefix(line, "  ") {
			t.Errorf("line %d: %q", i, line)
		}
	}
	var b bytes.Buffer
	if err := (Explanation{&explain.CasePage{Language: "en", Case: "c", Impact: "-2.00", Calendar: "h", OtherCalendar: true}, time.UTC}).WriteText(&b, view.English); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Impact: in excess     R$ 2.00", "not the one in force now"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
