package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"concilia/export/words"
	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// Setting changes a rule for an installation. Empty members keep the default of the rule. Tolerance is a number in the
// unit of the rule's default: reais, or percentage points if the rule compares rates.
type Setting struct {
	Tolerance ledger.Opt[decimal.Decimal]
	Grace     ledger.Opt[int]
	Severity  ledger.Severity
}

// Settings are changes of rules by code. nil changes nothing.
type Settings map[string]Setting

// SettingError is a setting that cannot be used.
type SettingError struct {
	Code   string        // of the rule
	Member string        // tolerance, grace or severity; empty: the code itself is wrong
	Value  string        // of the member, as it is written
	Want   words.Message // what would be right
}

// Error is one line: rules.CODE.tolerance "0.00001": more than 4 decimals: want reais, such as 0.01.
func (e *SettingError) Error() string {
	if e.Member == "" {
		return fmt.Sprintf("%s: %s", e.Key(), e.Want.In("en"))
	}
	return fmt.Sprintf("%s %q: %s", e.Key(), e.Value, e.Want.In("en"))
}

// Key is the key of the setting in the configuration.
func (e *SettingError) Key() string {
	if e.Member == "" {
		return fmt.Sprintf("rules.%.60s", e.Code)
	}
	return "rules." + e.Code + "." + e.Member
}

// Check returns every setting that does not fit these rules as a *SettingError, several of them joined.
func (s Settings) Check(all []Rule) error {
	_, err := s.adjustRules(all)
	return err
}

// Text is the canonical form, with only what affects the results of a run.
func (s Settings) Text() string {
	var b strings.Builder
	for _, code := range slices.Sorted(maps.Keys(s)) {
		v := s[code]
		tolerance := ""
		if v.Tolerance.OK {
			tolerance = v.Tolerance.V.String()
		}
		fmt.Fprintf(&b, "%s tolerance=%s grace=%d,%t severity=%s\n", code, tolerance, v.Grace.V, v.Grace.OK, v.Severity)
	}
	return b.String()
}

// adjustment is what holds for a rule after the settings.
type adjustment struct {
	tolerance Tolerance
	severity  ledger.Severity // not empty: whatever the rule would say
}

func (s Settings) adjustRules(all []Rule) ([]adjustment, error) {
	out := make([]adjustment, len(all))
	known := make(map[string]int, len(all))
	for i := range all {
		out[i].tolerance = all[i].Default
		known[all[i].Code] = i
	}
	var problems []error
	for _, code := range slices.Sorted(maps.Keys(s)) {
		i, ok := known[code]
		if !ok {
			problems = append(problems, &SettingError{Code: code, Want: words.NewMessage("want.a_rule")})
			continue
		}
		if err := out[i].applySetting(&all[i], s[code]); err != nil {
			err.Code = code
			problems = append(problems, err)
		}
	}
	return out, errors.Join(problems...)
}

// ToleranceOf returns what a rule lets pass under the settings. It fails with a *SettingError where the setting of the rule does
// not fit it.
func (s Settings) ToleranceOf(r *Rule) (Tolerance, error) {
	a := adjustment{tolerance: r.Default}
	if err := a.applySetting(r, s[r.Code]); err != nil {
		err.Code = r.Code
		return Tolerance{}, err
	}
	return a.tolerance, nil
}

// applySetting applies one setting; what it returns lacks the code.
func (t *adjustment) applySetting(r *Rule, s Setting) *SettingError {
	if s.Severity != "" {
		if s.Severity.Rank() > ledger.Info.Rank() {
			return &SettingError{Member: "severity", Value: fmt.Sprintf("%.40s", s.Severity), Want: words.NewMessage("want.severity")}
		}
		t.severity = s.Severity
	}
	if s.Grace.OK {
		if s.Grace.V < 0 || s.Grace.V > maxGrace {
			return &SettingError{Member: "grace", Value: strconv.Itoa(s.Grace.V), Want: words.NewMessage("want.grace", "most", maxGrace)}
		}
		t.tolerance.Grace = s.Grace.V
	}
	if !s.Tolerance.OK {
		return nil
	}
	want := words.NewMessage("want.tolerance")
	var err error
	if r.Default.Points != 0 {
		want = words.NewMessage("want.points")
		t.tolerance.Points, err = ledger.ExactRate(s.Tolerance.V)
	} else {
		t.tolerance.Abs, err = ledger.ExactAmount(s.Tolerance.V)
	}
	if err == nil && !s.Tolerance.V.IsNegative() {
		return nil
	}
	if err != nil {
		want = agreements.ExplainInexact(err, want)
	}
	return &SettingError{Member: "tolerance", Value: fmt.Sprintf("%.40s", s.Tolerance.V), Want: want}
}

// maxGrace bounds a grace: a quarter is the longest that a day waits before it counts.
const maxGrace = 90
