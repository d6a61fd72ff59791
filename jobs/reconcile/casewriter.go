package reconcile

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"concilia/jobs/caselife"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// observation is a case as this run found it, before the other cases on its subject are known.
type observation struct {
	ledger.Finding
	event bool
}

// isShared reports whether several steps of a run evaluate the subject, so that its cases are written after the last of
// them: days, months, sources and the account; sales until the end of their day; rows with an unnotified change.
func (c *cases) isShared(subject string) bool {
	kind, _, _ := strings.Cut(subject, ":")
	switch kind {
	case "day", "month", "source", "account", "sale":
		return true
	}
	_, ok := c.waiting[subject]
	return ok
}

// writeObservations writes the observations of a subject, each with the other cases on it, or keeps them until all
// steps have evaluated the subject.
func (c *cases) writeObservations(subject string) error {
	observations := c.observations
	c.observations = c.observations[:0]
	switch {
	case len(observations) == 0:
		return nil
	case c.isShared(subject):
		c.waiting[subject] = append(c.waiting[subject], observations...)
		return nil
	}
	return c.writeCases(subject, observations)
}

// writeWaiting writes the observations that writeObservations kept, for subjects with a prefix; an empty prefix means
// all.
func (c *cases) writeWaiting(kind string) error {
	for _, subject := range slices.Sorted(maps.Keys(c.waiting)) {
		if !strings.HasPrefix(subject, kind) {
			continue
		}
		observations := c.waiting[subject]
		delete(c.waiting, subject)
		if err := c.writeCases(subject, observations); err != nil {
			return err
		}
	}
	return nil
}

// writeCases relates each case of a subject to the other unresolved cases on it that are not suppressed, and writes
// them. A case that was not evaluated this time stays as it is, but its relations are updated.
func (c *cases) writeCases(subject string, observations []observation) error {
	for _, s := range c.bySubject[subject] {
		if !s.touched && s.State.IsUnresolved() {
			observations = append(observations, observation{Finding: s.Finding})
		}
	}
	unresolved := make([]string, 0, len(observations))
	for i := range observations {
		if s := observations[i].State; s.IsUnresolved() && s != ledger.Shadow {
			unresolved = append(unresolved, observations[i].Case)
		}
	}
	slices.Sort(unresolved)
	for i := range observations {
		s := &observations[i]
		prior := c.findPrior(subject, s.Code)
		if s.State.IsUnresolved() {
			s.Related = caselife.Others(unresolved, s.Case)
			s.event = s.event || prior != nil && !slices.Equal(s.Related, prior.Related)
		}
		if prior != nil && !prior.touched && !s.event {
			continue
		}
		if err := c.writeCase(prior, s); err != nil {
			return err
		}
	}
	return nil
}

// writeCase writes an observation. If nothing but the run changed, only the run is written.
func (c *cases) writeCase(prior *storedCase, s *observation) error {
	if prior == nil {
		return c.sink.WriteCase(s.Finding, s.event)
	}
	first := !prior.written
	prior.written = true
	if first && !s.event && isUnchanged(&prior.Finding, &s.Finding) {
		return c.sink.WriteUnchangedCase(&s.Finding)
	}
	return c.sink.WriteCase(s.Finding, s.event)
}

// isUnchanged reports whether a case is as it was stored except for the last run that observed it. On most nights that
// is most cases.
func isUnchanged(prior, f *ledger.Finding) bool {
	was := *prior
	was.LastRun, was.LastSeen = f.LastRun, f.LastSeen
	return reflect.DeepEqual(&was, f)
}

// caseTally counts the cases of an account as a run leaves them.
type caseTally struct {
	counts, newCases map[string]int      // by code
	critical         map[string][]string // codes by side
	verdict          ledger.Verdict      // the worst of a case
}

func newCaseTally() caseTally {
	return caseTally{counts: map[string]int{}, newCases: map[string]int{}, critical: map[string][]string{}}
}

// countCase counts a case; first reports that this run saw it first.
func (t *caseTally) countCase(f *ledger.Finding, first bool) {
	if f.Code == runs.ProofFailed {
		return // publishing counts it: in the account's verdict it would prevent the file from ever being published again
	}
	if f.State == ledger.Pending || f.State.CountsInVerdict() {
		t.counts[f.Code]++
		if first {
			t.newCases[f.Code]++
		}
	}
	t.verdict = t.verdict.Worse(f.Verdict())
	if f.Severity != ledger.Critical || !f.State.CountsInVerdict() {
		return
	}
	side := SideOf(f.Subject)
	if !slices.Contains(t.critical[side], f.Code) {
		t.critical[side] = append(t.critical[side], f.Code)
		slices.Sort(t.critical[side])
	}
}

// SideOf returns the side, cards or slips, that a subject belongs to.
func SideOf(subject string) string {
	kind, rest, _ := strings.Cut(subject, ":")
	switch kind {
	case "slip":
		return "slips"
	case "day", "row":
		_, source, _ := strings.Cut(rest, ":")
		source, _, _ = strings.Cut(source, ":")
		return ledger.Source(source).Side()
	case "month":
		if strings.HasSuffix(subject, ":slips") {
			return "slips"
		}
	}
	return "cards"
}
