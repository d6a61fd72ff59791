package reconcile

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// sight is a case as this run sees it, before it is known which others stand on its subject.
type sight struct {
	ledger.Finding
	event bool
}

// held says whether more than one step of a run judges the subject, so that only the last of them knows its cases:
// days, months, sources and the account itself; sales until their day is over; and rows with a change nobody told of.
func (c *cases) held(subject string) bool {
	kind, _, _ := strings.Cut(subject, ":")
	switch kind {
	case "day", "month", "source", "account", "sale":
		return true
	}
	_, ok := c.waits[subject]
	return ok
}

// settle writes the sights of a subject, each with the others that stand on it, or keeps them until all steps have
// judged it.
func (c *cases) settle(subject string) error {
	sights := c.sights
	c.sights = c.sights[:0]
	switch {
	case len(sights) == 0:
		return nil
	case c.held(subject):
		c.waits[subject] = append(c.waits[subject], sights...)
		return nil
	}
	return c.write(subject, sights)
}

// release writes what settle kept of subjects of a kind, all of them when none is named.
func (c *cases) release(kind string) error {
	for _, subject := range slices.Sorted(maps.Keys(c.waits)) {
		if !strings.HasPrefix(subject, kind) {
			continue
		}
		sights := c.waits[subject]
		delete(c.waits, subject)
		if err := c.write(subject, sights); err != nil {
			return err
		}
	}
	return nil
}

// write gives every case of a subject its relations: the others that are not over, and are believed. A case that no
// rule could judge this time stays as it is, and still learns of those that came or went beside it.
func (c *cases) write(subject string, sights []sight) error {
	for _, s := range c.bySubject[subject] {
		if !s.touched && s.State.IsUnresolved() {
			sights = append(sights, sight{Finding: s.Finding})
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
		prior := c.prior(subject, s.Code)
		if s.State.IsUnresolved() {
			s.Related = without(stand, s.Case)
			s.event = s.event || prior != nil && !slices.Equal(s.Related, prior.Related)
		}
		if prior != nil && !prior.touched && !s.event {
			continue
		}
		if err := c.keep(prior, s); err != nil {
			return err
		}
	}
	return nil
}

// keep writes a sight: of a case that is as it stood, that this run saw it.
func (c *cases) keep(prior *standing, s *sight) error {
	if prior == nil {
		return c.w.sink.WriteCase(s.Finding, s.event)
	}
	first := !prior.written
	prior.written = true
	if first && !s.event && alike(&prior.Finding, &s.Finding) {
		return c.w.sink.WriteUnchangedCase(&s.Finding)
	}
	return c.w.sink.WriteCase(s.Finding, s.event)
}

// alike says whether a case is as it stood but for the run that saw it last: most that stand are, night after night.
func alike(prior, f *ledger.Finding) bool {
	was := *prior
	was.LastRun, was.LastSeen = f.LastRun, f.LastSeen
	return reflect.DeepEqual(&was, f)
}

// without is a copy of the list that lacks one, nil when nothing is left.
func without(all []string, one string) []string {
	var out []string
	for _, s := range all {
		if s != one {
			out = append(out, s)
		}
	}
	return out
}
