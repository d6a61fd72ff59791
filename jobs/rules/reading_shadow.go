package rules

import (
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Uncalibrated is the code of the note that a rule is not believed.
const Uncalibrated = "PROFILE_UNCALIBRATED"

// OnRule is the subject of what is said of a rule itself.
const OnRule Subject = "rule"

// readingRules judge the readings themselves, once a run.
func readingRules() []Rule {
	return []Rule{{
		Code: Uncalibrated, Version: 1, Family: familyRun, Subject: OnRule, Severity: ledger.Info,
		Needs: []Need{Installments, SlipLists}, Tier: Always,
		Eligible: "rules that rest on a reading of what the service leaves undocumented",
		Fires:    "the rule fires on more than half of 30 or more rows, or on more than a tenth with one and the same difference, weekday or position",
		Text: Sentence{
			En: "{rule} fires on {fired} of {eligible}[ ({alike})] and is not believed: it rests on {reading}, read as {in_force}.[ Fits better: {better}.]",
			Pt: "{rule} dispara em {fired} de {eligible}[ ({alike})] e não é levada em conta: depende de {reading}, lido como {in_force}.[ Ajusta-se melhor: {better}.]",
		},
	}}
}

// Unproven is what becomes of the outcome of a rule that is not believed: one that fired, or waits to, keeps its
// figures as Shadow, any other that was evaluated is Unbelieved. What was not evaluated stays so for its own reason.
func (o Outcome) Unproven() Outcome {
	switch {
	case o.Status == Fires || o.Status == Pends:
		o.Status, o.BreakOn = Shadow, 0
	case o.Status.Evaluated():
		o = only(Unbelieved)
	}
	return o
}

// RuleSubject names a rule of an account.
func RuleSubject(a ledger.Account, code string) string {
	return ledger.Subject(string(OnRule), a, code)
}

// Measurable says whether rows can tell what the rule rests on: some reading of it is a key of the profile.
func (d Doubt) Measurable() bool {
	return slices.ContainsFunc(Readings(), func(r Reading) bool { return r.rests(d.Code) && len(r.Keys) > 0 })
}

// Outcome is the note that the rule is not believed. better says, by name of a reading, which answer fits better where
// that was measured; nil or an empty answer where it was not, or none does.
func (d Doubt) Outcome(e *Env, better func(reading string) string) Outcome {
	var names, inForce, fits []string
	for _, r := range Readings() {
		if !r.rests(d.Code) {
			continue
		}
		names, inForce = append(names, r.Name), append(inForce, r.inForce(&e.Profile))
		if better == nil {
			continue
		}
		if b := better(r.Name); b != "" {
			fits = append(fits, r.Name+": "+b) // as the profile file spells it
		}
	}
	o := Outcome{
		Status: Fires, Expected: ledger.Text(strings.Join(inForce, "; ")), Actual: ledger.Text(strings.Join(fits, "; ")),
		Numbers: []ledger.Number{
			text("rule", d.Code), count("fired", int(d.Fired)), count("eligible", int(d.Eligible)),
			text("reading", strings.Join(names, "; ")), text("in_force", strings.Join(inForce, "; ")),
		},
	}
	if d.Alike != "" {
		o.Numbers = append(o.Numbers, text("alike", d.Alike))
	}
	if len(fits) > 0 {
		o.Numbers = append(o.Numbers, text("better", strings.Join(fits, "; ")))
	}
	return o
}
