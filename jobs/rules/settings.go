package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Setting changes a rule for an installation. Empty members keep the default of the rule. Tolerance is a number in the
// unit of the rule's default: reais, or percentage points if the rule compares rates.
type Setting struct {
	Tolerance string
	Grace     ledger.Opt[int]
	Severity  ledger.Severity
}

// Settings are changes of rules by code. nil changes nothing.
type Settings map[string]Setting

// Check returns every invalid setting with its code.
func (s Settings) Check() error {
	_, err := s.apply(All())
	return err
}

// Text is the canonical form, with only what affects the results of a run.
func (s Settings) Text() string {
	var b strings.Builder
	for _, code := range slices.Sorted(maps.Keys(s)) {
		v := s[code]
		fmt.Fprintf(&b, "%s tolerance=%s grace=%d,%t severity=%s\n", code, v.Tolerance, v.Grace.V, v.Grace.OK, v.Severity)
	}
	return b.String()
}

// tuned is what holds for a rule after the settings.
type tuned struct {
	tolerance Tolerance
	severity  ledger.Severity // not empty: whatever the rule would say
}

func (s Settings) apply(all []Rule) ([]tuned, error) {
	out := make([]tuned, len(all))
	known := make(map[string]int, len(all))
	for i := range all {
		out[i].tolerance = all[i].Default
		known[all[i].Code] = i
	}
	var problems []error
	for _, code := range slices.Sorted(maps.Keys(s)) {
		i, ok := known[code]
		if !ok {
			problems = append(problems, fmt.Errorf("rules: %.60s: no such rule; rules list names them", code))
			continue
		}
		if err := out[i].change(&all[i], s[code]); err != nil {
			problems = append(problems, fmt.Errorf("rules: %s: %w", code, err))
		}
	}
	return out, errors.Join(problems...)
}

// change applies one setting.
func (t *tuned) change(r *Rule, s Setting) error {
	if s.Severity != "" {
		if s.Severity.Rank() > ledger.Info.Rank() {
			return fmt.Errorf("severity %q: want C, E, W or I", s.Severity)
		}
		t.severity = s.Severity
	}
	if s.Grace.OK {
		if s.Grace.V < 0 || s.Grace.V > maxGrace {
			return fmt.Errorf("grace %d: want 0 to %d days", s.Grace.V, maxGrace)
		}
		t.tolerance.Grace = s.Grace.V
	}
	if s.Tolerance == "" {
		return nil
	}
	if r.Default.Points != 0 {
		p, err := ledger.ParseRate(s.Tolerance)
		if err != nil || p < 0 {
			return fmt.Errorf("tolerance %.40q: want percentage points, such as 0.005", s.Tolerance)
		}
		t.tolerance.Points = p
		return nil
	}
	a, err := ledger.ParseAmount(s.Tolerance)
	if err != nil || a < 0 {
		return fmt.Errorf("tolerance %.40q: want reais, such as 0.01", s.Tolerance)
	}
	t.tolerance.Abs = a
	return nil
}

// maxGrace bounds a grace: nobody waits longer than a quarter for a day to count.
const maxGrace = 90
