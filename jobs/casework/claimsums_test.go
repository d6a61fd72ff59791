package casework_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// find makes a run find a case again, with an impact and a state.
func (d *office) find(run, id string, state ledger.State, impact ledger.Amount) error {
	f := d.state(id)
	f.State, f.Impact, f.ClosedAs = state, ledger.Some(impact), ""
	r, err := d.Ledger.BeginReconcile(d.t.Context(), &ledger.Run{ID: run, AsOf: d.Today}, actAccount)
	if err == nil {
		err = errors.Join(r.WriteCase(f, true), r.Commit())
	}
	return err
}

// What the ledger sums of claims by a query is what the claims come to event by event, as of every run.
func TestClaimsTieToTheLedger(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := []string{d.put("card:1001:2026-11-02:1:A:1", ledger.Opened), d.put("card:1001:2026-11-02:2:A:1", ledger.Opened), d.put("slip:1001:3", ledger.Opened)}
	runs := []string{"run-1"}
	verbs := []ledger.Verb{ledger.Dispute, ledger.Dispute, ledger.Answer, ledger.Waive, ledger.Close, ledger.Reopen, ledger.Ack}
	rapid.Check(t, func(r *rapid.T) {
		if len(runs) > 60 { // one ledger lives through all of it
			return
		}
		for range rapid.IntRange(0, 3).Draw(r, "acts") {
			id := rapid.SampledFrom(first).Draw(r, "case")
			if v := rapid.SampledFrom(verbs).Draw(r, "verb"); v.AppliesTo(d.state(id).State) {
				if _, err := d.do(v, "ana", func(q *casework.ActRequest) { q.Cap = ledger.Some(100 * ledger.Real) }, id); err != nil {
					r.Fatal(err)
				}
			}
		}
		run := fmt.Sprintf("run-2-%03d", len(runs))
		for _, id := range first {
			state := d.state(id).State
			switch {
			case rapid.IntRange(0, 4).Draw(r, "resolves") == 0:
				state = ledger.Resolved
			case !state.IsUnresolved():
				state = ledger.Reopened
			}
			if err := d.find(run, id, state, ledger.Amount(rapid.Int64Range(-50_000, 150_000).Draw(r, "impact"))); err != nil {
				r.Fatal(err)
			}
		}
		runs = append(runs, run)
	})
	claimed := ledger.Amount(0)
	for _, run := range runs {
		all, err := casework.ListClaims(t.Context(), d.Ledger, casework.ClaimFilter{Accounts: []ledger.Account{actAccount}, AsOfRun: run}, catalogue.Voice{})
		if err != nil {
			t.Fatal(err)
		}
		want := reports.Sums{Rows: int64(len(all)), Columns: map[string]int64{"claimed": 0, "recovered": 0, "given_up": 0, "open": 0}}
		for i := range all {
			c := &all[i]
			round := func(a ledger.Amount) int64 { return int64(a.Rounded(ledger.HalfAwayFromZero)) }
			want.Columns["claimed"] += round(c.Claimed)
			want.Columns["recovered"] += round(c.Recovered)
			want.Columns["given_up"] += round(c.GivenUp)
			want.Columns["open"] += round(c.Claimed) - round(c.Recovered) - round(c.GivenUp)
			claimed += c.Claimed
		}
		got, err := d.Ledger.ClaimSums(t.Context(), reports.StateQuery{Account: actAccount, AsOf: d.Today, AsOfRun: run})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("as of %s the ledger sums %v, the claims come to %v", run, got, want)
		}
	}
	if claimed == 0 {
		t.Error("nothing was claimed in any run")
	}
}
