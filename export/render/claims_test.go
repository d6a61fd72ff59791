package render_test

import (
	"context"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/store/ledger"
)

// column is what a column of a csv file holds, row by row.
func column(t *testing.T, text, id string) string {
	t.Helper()
	at := -1
	var out []string
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		cells := strings.Split(line, ",")
		if n > 0 {
			out = append(out, cells[at])
			continue
		}
		for i := range cells {
			if cells[i] == id {
				at = i
			}
		}
	}
	return strings.Join(out, " ")
}

// charges is a set of fees and claims alone.
func charges() export.Job {
	j := job()
	j.Kinds = []report.Kind{report.FeesKind, report.ClaimsKind, report.ControlKind}
	j.Formats = []report.Format{report.CSV}
	return j
}

// Over two accounts each has its fees in order before the next one begins.
func TestClaimsOfTwoAccounts(t *testing.T) {
	t.Parallel()
	f := everyClass()
	for _, c := range everyClass().cards {
		c.v.Account, c.e.Key.Account = 1002, 1002
		f.cards = append(f.cards, c)
	}
	tg, out := target(t)
	j := charges()
	j.Account = manifest.AllAccounts
	r := renderJob(t, j, f, tg)
	got := body(t, out, r, "claims", report.CSV)
	if d := column(t, got, "account"); d != "1001 1001 1001 1001 1001 1002 1002 1002 1002 1002" {
		t.Error(d)
	}
	const one = "anticipation mdr mdr transaction transaction"
	if d := column(t, got, "fee"); d != one+" "+one {
		t.Error(d)
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}

func TestWhatIsAskedForOfCharges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		kinds  []report.Kind
		files  string
		passes int
	}{
		{"fees alone need no second pass", []report.Kind{report.FeesKind, report.ControlKind}, "fees control", 1},
		{
			"claims alone pass once more for each fee of which there are any",
			[]report.Kind{report.ClaimsKind, report.ControlKind},
			"claims control", 4,
		},
	} {
		j := charges()
		j.Kinds = tc.kinds
		f := &counting{feed: everyClass()}
		tg, out := target(t)
		r, err := render.Set(t.Context(), j, f, tg)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range r.Files {
			names = append(names, string(f.Kind))
		}
		if got := strings.Join(names, " "); got != tc.files {
			t.Errorf("%s: %s", tc.why, got)
		}
		if f.passes != tc.passes {
			t.Errorf("%s: %d passes, want %d", tc.why, f.passes, tc.passes)
		}
		if v := verifyTree(t, out.root); len(v.Faults) > 0 {
			t.Errorf("%s: %v", tc.why, v.Faults)
		}
	}
}

// counting counts the passes over the installments, and may show another ledger from the second on.
type counting struct {
	*feed
	passes int
	then   func(*feed)
}

func (c *counting) Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	c.passes++
	if c.passes == 2 && c.then != nil {
		c.then(c.feed)
	}
	return c.feed.Installments(ctx, yield)
}

func TestClaimsRefuse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why  string
		set  func(*export.Job, *feed)
		then func(*feed)
		want string
	}{
		{
			"a contract without the line that a row was judged by",
			func(j *export.Job, _ *feed) { delete(j.Agreed, "1001/2024-01-01/visa/credit/1") }, nil,
			"card:1001:2026-11-02:000102:A000102:1: contract line 1001/2024-01-01/visa/credit/1 is not in the contract of the run: reconcile the account first",
		},
		{
			"rows that changed between the passes",
			func(*export.Job, *feed) {}, func(f *feed) { f.cards[3].e.Brackets[0].Amount += ledger.Cent },
			"identity claims: claims.difference = fees.difference leaves 0.0100; nothing of the set is published",
		},
		{
			"rows that changed places between the passes, to the same sum",
			func(*export.Job, *feed) {}, func(f *feed) {
				f.cards[3].e.Brackets[0].Amount += ledger.Cent
				f.cards[10].e.Brackets[0].Amount -= ledger.Cent
			},
			"identity claims: claims.difference = fees.difference leaves 0.0200; nothing of the set is published",
		},
	} {
		j, f := charges(), &counting{feed: everyClass(), then: tc.then}
		tc.set(&j, f.feed)
		tg, out := target(t)
		_, err := render.Set(t.Context(), j, f, tg)
		if err == nil || err.Error() != tc.want || len(out.puts) > 0 {
			t.Errorf("%s: %v, published %v\nwant %s", tc.why, err, out.puts, tc.want)
		}
	}
}

// A row that was taken back is charged nothing, whatever it says of fees.
func TestReversedRowsHaveNoCharge(t *testing.T) {
	t.Parallel()
	f := everyClass()
	f.cards[3].e.Class = ledger.Cancelled
	f.cards[10].e.Class = ledger.Chargeback
	tg, out := target(t)
	r := renderJob(t, charges(), f, tg)
	if d := column(t, body(t, out, r, "claims", report.CSV), "nsu"); d != "000103" {
		t.Errorf("claims of %s", d)
	}
}
