package casework

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store/ledger"
	"concilia/store/reports"
)

// Every case is in one group at most, by its state before and after.
func TestCaseGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says          string
		before, after ledger.State // empty: it was not there
		was, is       ledger.Amount
		want          string // cases opened, resolved, closed, changed, moved, passed, and the amount of the group
	}{
		{"a new one", "", ledger.Opened, 0, 5, "1 0 0 0 0 0 5"},
		{"one that came back", ledger.Resolved, ledger.Reopened, 5, 7, "1 0 0 0 0 0 7"},
		{"resolved by data", ledger.Opened, ledger.Resolved, 5, 0, "0 1 0 0 0 0 5"},
		{"closed by a person", ledger.Disputed, ledger.Closed, 5, 5, "0 0 1 0 0 0 5"},
		{"another amount", ledger.Opened, ledger.Opened, 5, 7, "0 0 0 1 0 0 2"},
		{"another amount and state", ledger.Opened, ledger.Waived, 7, 5, "0 0 0 1 0 0 -2"},
		{"another state alone", ledger.Opened, ledger.Acknowledged, 5, 5, "0 0 0 0 1 0 0"},
		{"nothing changed", ledger.Opened, ledger.Opened, 5, 5, "0 0 0 0 0 0 0"},
		{"it came and went", "", ledger.Resolved, 0, 5, "0 0 0 0 0 1 0"},
		{"over before and after", ledger.Resolved, ledger.Closed, 5, 5, "0 0 0 0 0 0 0"},
	} {
		var g CaseChanges
		g.addCase(&reports.CaseChange{Before: c.before, After: c.after, ImpactBefore: ledger.Some(c.was), Impact: ledger.Some(c.is)})
		got := fmt.Sprintf("%d %d %d %d %d %d %d", g.Opened.Cases, g.Resolved.Cases, g.Closed.Cases, g.Changed.Cases, g.StateChanged, g.OpenedAndEnded,
			g.Opened.Amount+g.Resolved.Amount+g.Closed.Amount+g.Changed.Amount)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.says, got, c.want)
		}
	}
}

// The cases that come to most are named, of equal ones that with the lesser id; the others are counted.
func TestTopCases(t *testing.T) {
	t.Parallel()
	var g CaseGroup
	for i, amount := range []ledger.Amount{1, -9, 4, 4, 3, 2, 8} {
		c := reports.CaseChange{Case: fmt.Sprint(9 - i), After: ledger.Opened, Impact: ledger.Some(amount)}
		g.addCase(&c, amount)
	}
	var top []string
	for _, c := range g.Top {
		top = append(top, c.Case)
	}
	if diff := cmp.Diff([]string{"8", "3", "6", "7", "5"}, top); diff != "" || g.Cases != 7 || g.Amount != 13 {
		t.Errorf("%d cases of %d:\n%s", g.Cases, g.Amount, diff)
	}
}

// A document is listed if two runs used another one, or one of them none.
func TestDocumentChanges(t *testing.T) {
	t.Parallel()
	got := compareDocuments(
		&ledger.Run{Documents: map[string]string{"contract": "a", "mapping": "m", "orders": "o"}},
		&ledger.Run{Documents: map[string]string{"contract": "b", "mapping": "m", "register": "r"}},
	)
	want := []DocumentChange{{"contract", "a", "b"}, {"orders", "o", ""}, {"register", "", "r"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
