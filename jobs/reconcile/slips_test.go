package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"concilia/jobs/reconcile"
	"concilia/store/ledger"
)

// Which slips were replaced is asked once, and only where a rule has something against a slip that could have been; an
// answer that does not come ends the reconcile.
func TestReplacedSlipsAreReadOnce(t *testing.T) {
	t.Parallel()
	view := func(id, reference string, integration int64) *ledger.Slip {
		return viewsOf(ledger.SlipView{
			Account: 1001, ID: id, Value: reais("100"), Issued: day("2024-11-01"), Due: day("2024-11-20"), Status: ledger.Some[int64](2),
			Integration: ledger.Some(integration), ReferenceCode: reference,
		}, []ledger.Source{ledger.SlipsDue}, nil)
	}
	const code = "SLIP_INTEGRATION_FAILED"
	for _, c := range []struct {
		says  string
		slips []*ledger.Slip
		asked int
		fails bool
		open  []string // of slips a to c
	}{
		{"nothing is wrong", []*ledger.Slip{view("a", "R", 2), view("b", "R", 2)}, 0, true, nil},
		{"one without a code of its own", []*ledger.Slip{view("a", "", 9)}, 0, true, []string{"a"}},
		{"one of three was replaced", []*ledger.Slip{view("a", "R", 9), view("b", "R", 9), view("c", "S", 9)}, 1, false, []string{"b", "c"}},
		{"nobody answers", []*ledger.Slip{view("a", "R", 9)}, 1, true, nil},
	} {
		asked := 0
		in := inputs("2024-11-10")
		in.ListReplaced = func(context.Context) (map[string]bool, error) {
			asked++
			if c.fails {
				return nil, errors.New("no answer")
			}
			return map[string]bool{"a": true}, nil
		}
		m := &memory{slips: c.slips, findings: map[string]ledger.Finding{}, seen: in.AsOf}
		m.forget()
		_, err := reconcile.Account(t.Context(), in, &ledger.Run{ID: "r", AsOf: in.AsOf}, 1001, m, m)
		if failed := err != nil; asked != c.asked || failed != (c.fails && asked > 0) || failed && !strings.Contains(err.Error(), "no answer") {
			t.Errorf("%s: asked %d times, %v", c.says, asked, err)
			continue
		}
		var open []string
		for _, s := range c.slips {
			if caseOf(m, s.Subject(), code).State == ledger.Opened {
				open = append(open, s.ID)
			}
		}
		if err == nil && strings.Join(open, " ") != strings.Join(c.open, " ") {
			t.Errorf("%s: open of %v, want %v", c.says, open, c.open)
		}
	}
}
