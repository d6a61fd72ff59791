package caselife

import (
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Followed are cases after a run that found some of them outside the reconcile of an account.
type Followed struct {
	Changes []ledger.CaseChange
	// Counts holds, by code, the cases pending, open or reopened after the run; NewCases those of them first seen in it.
	Counts, NewCases map[string]int
	Verdict          ledger.Verdict
}

// Follow carries the history of cases over to what a run found of them: prior are those known before it, seen those that it
// found, each once. A known case that was not found is closed as closes says. Where closes says nothing it is resolved, unless
// leaves says that it could not be evaluated.
func Follow(
	run *ledger.Run, prior, seen []ledger.Finding, leaves func(*ledger.Finding) bool, closes func(*ledger.Finding) ledger.Closing,
) *Followed {
	out := &Followed{Counts: map[string]int{}, NewCases: map[string]int{}, Verdict: ledger.Reconciled}
	known := make(map[string]*ledger.Finding, len(prior))
	for i := range prior {
		known[prior[i].Case] = &prior[i]
	}
	closeCase := func(was *ledger.Finding, as ledger.Closing) {
		out.Changes = append(out.Changes, ledger.CaseChange{Finding: Close(was, as, run.ID), Event: true})
	}
	found := map[string]bool{}
	for i := range seen {
		f, event := seen[i], true
		was := known[f.Case]
		found[f.Case] = true
		if was != nil {
			event = Continue(was, &f, run.AsOf)
		}
		out.Changes = append(out.Changes, ledger.CaseChange{Finding: f, Event: event})
		if f.State == ledger.Pending || f.State.CountsInVerdict() {
			if out.Counts[f.Code]++; was == nil || was.FirstRun == run.ID {
				out.NewCases[f.Code]++
			}
		}
	}
	for i := range prior {
		was := &prior[i]
		switch {
		case found[was.Case]:
		case was.State.IsUnresolved() && closes(was) != "":
			closeCase(was, closes(was))
		case IsAgedOut(was, run.AsOf):
			closeCase(was, ledger.AgedOut)
		case was.ClosedAs == ledger.Regrouped: // no rule looks at it any more
		case !was.State.IsUnresolved() && leaves(was):
		case leaves(was):
			out.Changes = append(out.Changes, ledger.CaseChange{Finding: *was})
			if was.State == ledger.Pending || was.State.CountsInVerdict() {
				out.Counts[was.Code]++
			}
		case was.State != ledger.Resolved:
			out.Changes = append(out.Changes, ledger.CaseChange{Finding: Resolve(was, run.ID, run.AsOf), Event: true})
		}
	}
	out.nameRelated(known)
	for i := range out.Changes {
		out.Verdict = out.Verdict.Worse(out.Changes[i].Verdict())
	}
	return out
}

// nameRelated names in each unresolved case the others on its subject.
func (c *Followed) nameRelated(known map[string]*ledger.Finding) {
	bySubject := map[string][]string{}
	for i := range c.Changes {
		if f := &c.Changes[i]; f.State.IsUnresolved() && f.State != ledger.Shadow {
			bySubject[f.Subject] = append(bySubject[f.Subject], f.Case)
		}
	}
	for i := range c.Changes {
		x := &c.Changes[i]
		if !x.State.IsUnresolved() {
			continue
		}
		all := bySubject[x.Subject]
		slices.Sort(all)
		x.Related = Others(all, x.Case)
		if was := known[x.Case]; was != nil && !slices.Equal(was.Related, x.Related) {
			x.Event = true
		}
	}
	slices.SortFunc(c.Changes, func(a, b ledger.CaseChange) int { return strings.Compare(a.Case, b.Case) })
}
