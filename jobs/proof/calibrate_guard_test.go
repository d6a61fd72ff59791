package proof_test

import (
	"maps"
	"slices"
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// judgement is what the rules say of everything a merchant keeps under a profile.
type judgement struct {
	errors map[string]bool // code and subject of every outcome of severity E
	fired  map[string]bool // the same of every outcome that fires, whatever its severity
	doubts []string        // codes the guard does not believe, of any account, sorted
}

// judgeAll lets every rule on rows, splits, sales and slips evaluate all that is kept, and the guard count it.
func judgeAll(t *testing.T, m *jobstest.Merchant, p agreements.Profile) judgement {
	t.Helper()
	out := judgement{errors: map[string]bool{}, fired: map[string]bool{}}
	for _, a := range m.Accounts {
		env, err := rules.NewEnv(catalogue.All(), rules.Options{
			Account: a.Number, AsOf: m.Today(), Contracts: m.Inputs.Contracts, Mapping: m.Inputs.Mapping, Profile: p,
			Calendar: m.Inputs.Calendar(a.Number),
		})
		if err != nil {
			t.Fatal(err)
		}
		var g assumptions.Guard
		places := assumptions.PlacesOf(env.Rules())
		var c assumptions.GuardDelta
		note := func(i int, o rules.Outcome, r *rules.Row, named func() string) {
			c.Count(places[i], &o, r)
			if o.Status != rules.Fires {
				return
			}
			found := env.Rules()[i].Code + " " + named()
			out.fired[found] = true
			if env.Severity(i, &o) == ledger.Error {
				out.errors[found] = true
			}
		}
		err = m.Ledger.Sales(t.Context(), a.Number, func(in *ledger.Sale) error {
			s := rules.NewSale(env, in.Key, in.Rows, in.Complete)
			for i := range env.Rules() {
				note(i, env.EvaluateSale(i, s), nil, s.Subject)
				for _, r := range s.Rows {
					note(i, env.EvaluateRow(i, r), r, r.Subject)
					for n := range r.SplitCount() {
						note(i, env.EvaluateSplit(i, r, n), r, func() string { return r.SplitSubject(n) })
					}
				}
			}
			g.Add(&c)
			c.Reset()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = m.Ledger.Slips(t.Context(), a.Number, func(in *ledger.Slip) error {
			s := rules.NewSlip(env, in)
			for i := range env.Rules() {
				note(i, env.EvaluateSlip(i, s), nil, s.Subject)
			}
			g.Add(&c)
			c.Reset()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range g.Suppressions() {
			if !slices.Contains(out.doubts, d.Code) {
				out.doubts = append(out.doubts, d.Code)
			}
		}
	}
	slices.Sort(out.doubts)
	return out
}

// believed are the errors of rules that the guard does not suppress.
func (j judgement) believed() map[string]bool {
	left := maps.Clone(j.errors)
	maps.DeleteFunc(left, func(found string, _ bool) bool {
		return slices.ContainsFunc(j.doubts, func(code string) bool { return len(found) > len(code) && found[:len(code)+1] == code+" " })
	})
	return left
}
