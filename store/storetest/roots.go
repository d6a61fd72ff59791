package storetest

import (
	"fmt"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
)

// roots are the root cases of an account, one by one and added up by another query.
func roots(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	root := func(subject string, impact ledger.Amount, exposed bool, state ledger.State, explained string) ledger.Finding {
		f := finding(subject, "C1", ledger.Error, ledger.Some(impact))
		f.Exposure, f.State, f.ExplainedBy = exposed, state, explained
		if state == ledger.Pending {
			f.OpenedOn = 0
		}
		return f
	}
	// Half a cent goes away from zero, case by case: 0.005 is 0.01, and so is each 0.0149 more.
	all := []ledger.Finding{
		root("lost", 50, false, ledger.Opened, ""), root("lost2", 149, false, ledger.Disputed, ""),
		root("late", 20_050, true, ledger.Pending, ""), root("waived", 10_000, true, ledger.Waived, ""),
		root("excess", -150, false, ledger.Reopened, ""), root("explained", 70_000, false, ledger.Opened, "ROOT"),
		root("nothing", 0, false, ledger.Opened, ""), root("gone", 70_000, false, ledger.Resolved, ""),
		root("closed", 70_000, false, ledger.Closed, ""), root("doubted", 70_000, false, ledger.Shadow, ""),
	}
	all[1].Brand = "elo"
	n.reconcile("a", func(r *store.Reconciling) {
		for _, f := range all {
			ok(t, r.Finding(f, true))
		}
	})
	later := all[0]
	later.Impact, later.LastRun = ledger.Some[ledger.Amount](90_000), "b"
	n.reconcile("b", func(r *store.Reconciling) { ok(t, r.Finding(later, true)) })

	for _, c := range []struct {
		name  string
		query store.RootQuery
		cases []string
		want  string
	}{
		{"as of the first run", store.RootQuery{Account: account, AsOfRun: "a"}, nil, "4: lost 200 exposed 30100 excess 200 in 1"},
		{"now, the first is larger", store.RootQuery{Account: account}, nil, "4: lost 90100 exposed 30100 excess 200 in 1"},
		{"of a brand", store.RootQuery{Account: account, AsOfRun: "a", Brands: []string{"elo"}}, nil, "1: lost 100 exposed 0 excess 0 in 0"},
		{"those that are named", store.RootQuery{Account: account, AsOfRun: "a"}, []string{all[2].Case, all[5].Case}, "1: lost 0 exposed 20100 excess 0 in 0"},
		{"none is named", store.RootQuery{Account: account}, []string{}, "0: lost 0 exposed 0 excess 0 in 0"},
		{"of another account", store.RootQuery{Account: 1}, nil, "0: lost 0 exposed 0 excess 0 in 0"},
	} {
		s, err := n.l.RootSums(t.Context(), c.query, c.cases)
		ok(t, err)
		equal(t, c.name, spellRoots(s.Rows, s.Columns), c.want)
		if c.cases != nil {
			continue
		}
		var count int64
		columns := map[string]int64{}
		ok(t, n.l.Roots(t.Context(), c.query, func(r *store.RootCase) error {
			cents := int64(r.Impact.Rounded(ledger.HalfAwayFromZero))
			switch {
			case cents < 0:
				columns["excess"] -= cents
				columns["excess_count"]++
				return nil
			case r.Exposure:
				columns["exposed"] += cents
			default:
				columns["lost"] += cents
			}
			count++
			equal(t, "opened, "+r.Subject, r.OpenedOn == 0, r.Subject == "late")
			return nil
		}))
		equal(t, c.name+", one by one", spellRoots(count, columns), c.want)
	}
}

func spellRoots(rows int64, c map[string]int64) string {
	return fmt.Sprintf("%d: lost %d exposed %d excess %d in %d", rows, c["lost"], c["exposed"], c["excess"], c["excess_count"])
}
