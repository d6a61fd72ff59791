package reconcile

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// observation is a case as this run sees it, before it is known which others stand on its subject.
type observation struct {
	ledger.Finding
	event bool
}

// isShared says whether more than one step of a run judges the subject, so that only the last of them knows its cases:
// days, months, sources and the account itself; sales until their day is over; and rows with a change nobody told of.
func (c *cases) isShared(subject string) bool {
	kind, _, _ := strings.Cut(subject, ":")
	switch kind {
	case "day", "month", "source", "account", "sale":
		return true
	}
	_, ok := c.waiting[subject]
	return ok
}

// writeObservations writes the sights of a subject, each with the others that stand on it, or keeps them until all steps have
// judged it.
func (c *cases) writeObservations(subject string) error {
	sights := c.observations
	c.observations = c.observations[:0]
	switch {
	case len(sights) == 0:
		return nil
	case c.isShared(subject):
		c.waiting[subject] = append(c.waiting[subject], sights...)
		return nil
	}
	return c.writeCases(subject, sights)
}

// writeWaiting writes what settle kept of subjects of a kind, all of them when none is named.
func (c *cases) writeWaiting(kind string) error {
	for _, subject := range slices.Sorted(maps.Keys(c.waiting)) {
		if !strings.HasPrefix(subject, kind) {
			continue
		}
		sights := c.waiting[subject]
		delete(c.waiting, subject)
		if err := c.writeCases(subject, sights); err != nil {
			return err
		}
	}
	return nil
}

// writeCases gives every case of a subject its relations: the others that are not over, and are believed. A case that no
// rule could judge this time stays as it is, and still learns of those that came or went beside it.
func (c *cases) writeCases(subject string, sights []observation) error {
	for _, s := range c.bySubject[subject] {
		if !s.touched && s.State.IsUnresolved() {
			sights = append(sights, observation{Finding: s.Finding})
		}
	}
	stand := make([]string, 0, len(sights))
	for i := range sights {
		if s := sights[i].State; s.IsUnresolved() && s != ledger.Shadow {
			stand = append(stand, sights[i].Case)
		}
	}
	slices.Sort(stand)
	for i := range sights {
		s := &sights[i]
		prior := c.findPrior(subject, s.Code)
		if s.State.IsUnresolved() {
			s.Related = withoutCase(stand, s.Case)
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

// writeCase writes a sight: of a case that is as it stood, that this run saw it.
func (c *cases) writeCase(prior *storedCase, s *observation) error {
	if prior == nil {
		return c.ev.sink.WriteCase(s.Finding, s.event)
	}
	first := !prior.written
	prior.written = true
	if first && !s.event && isUnchanged(&prior.Finding, &s.Finding) {
		return c.ev.sink.WriteUnchangedCase(&s.Finding)
	}
	return c.ev.sink.WriteCase(s.Finding, s.event)
}

// isUnchanged says whether a case is as it stood but for the run that saw it last: most that stand are, night after night.
func isUnchanged(prior, f *ledger.Finding) bool {
	was := *prior
	was.LastRun, was.LastSeen = f.LastRun, f.LastSeen
	return reflect.DeepEqual(&was, f)
}

// withoutCase is a copy of the list that lacks one, nil when nothing is left.
func withoutCase(all []string, one string) []string {
	var out []string
	for _, s := range all {
		if s != one {
			out = append(out, s)
		}
	}
	return out
}
