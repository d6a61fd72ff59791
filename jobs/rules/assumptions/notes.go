package assumptions

import (
	"iter"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Uncalibrated is the code of the note that a rule is suppressed, or that another answer than the one in force fits a
// reading of it better.
const Uncalibrated = "PROFILE_UNCALIBRATED"

// Rules evaluate the readings themselves, once a run.
func Rules() []rules.Rule {
	return []rules.Rule{{
		Code: Uncalibrated, Version: 2, Family: rules.FamilyRun, Subject: rules.OnRule, Severity: ledger.Info,
		Needs: []rules.Need{rules.Installments, rules.SlipLists}, Tier: rules.Always,
	}}
}

// RuleSubject is the subject of a rule in an account.
func RuleSubject(a ledger.Account, code string) string {
	return ledger.Subject(string(rules.OnRule), a, code)
}

// IsMeasurable reports whether rows can decide what the rule rests on: one of its readings is a key of the profile.
func (d Suppression) IsMeasurable() bool {
	return slices.ContainsFunc(Interpretations(), func(r Interpretation) bool { return r.coversRule(d.Code) && len(r.Keys) > 0 })
}

// Notes returns the notes on rules that rest on a reading, by code in the order of the readings: one for each rule that
// is suppressed, and one for each that is not although another answer fits better than the one in force. better
// returns that answer by name of a reading, or empty; it is nil if nothing was measured.
func Notes(e *rules.Env, doubts []Suppression, better func(reading string) string) iter.Seq2[string, rules.Outcome] {
	return func(yield func(string, rules.Outcome) bool) {
		for _, code := range guardedCodes() {
			var o rules.Outcome
			if i := slices.IndexFunc(doubts, func(d Suppression) bool { return d.Code == code }); i >= 0 {
				o = doubts[i].Outcome(e, better)
			} else if o = noteBetterFit(e, code, better); o.Status != rules.Fires {
				continue
			}
			if !yield(code, o) {
				return
			}
		}
	}
}

// Outcome is the note that the rule is suppressed. better is that of Notes.
func (d Suppression) Outcome(e *rules.Env, better func(reading string) string) rules.Outcome {
	said := []ledger.Number{rules.NamedText("rule", d.Code), rules.NamedCount("fired", int(d.Fired)), rules.NamedCount("eligible", int(d.Eligible))}
	return noteOn(e, d.Code, better, said, d.Alike)
}

// noteBetterFit is the note on a rule that is not suppressed: it passes unless another answer fits something it rests on better.
func noteBetterFit(e *rules.Env, code string, better func(reading string) string) rules.Outcome {
	o := noteOn(e, code, better, []ledger.Number{rules.NamedText("rule", code)}, "")
	if o.Actual.Text == "" {
		return rules.Passed.Outcome()
	}
	return o
}

// noteOn names the readings a rule rests on, how each is read and what fits better, after what is said of it already.
func noteOn(e *rules.Env, code string, better func(string) string, said []ledger.Number, alike string) rules.Outcome {
	var names, inForce, fits []string
	for _, r := range Interpretations() {
		if !r.coversRule(code) {
			continue
		}
		names, inForce = append(names, r.Name), append(inForce, r.describeInForce(&e.Profile))
		if better == nil {
			continue
		}
		if b := better(r.Name); b != "" {
			fits = append(fits, r.Name+": "+b) // as the profile file spells it
		}
	}
	o := rules.Outcome{
		Status: rules.Fires, Expected: ledger.Text(strings.Join(inForce, "; ")), Actual: ledger.Text(strings.Join(fits, "; ")),
		Numbers: append(said, rules.NamedText("reading", strings.Join(names, "; ")), rules.NamedText("in_force", strings.Join(inForce, "; "))),
	}
	if alike != "" {
		o.Numbers = append(o.Numbers, rules.NamedText("alike", alike))
	}
	if len(fits) > 0 {
		o.Numbers = append(o.Numbers, rules.NamedText("better", strings.Join(fits, "; ")))
	}
	return o
}
