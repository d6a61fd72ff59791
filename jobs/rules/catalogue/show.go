package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/deposits"
	"concilia/jobs/rules/shops"
	"concilia/store/ledger"
)

// Show returns the catalogue page of a rule: what it looks at, when it fires, its tolerance, its impact and which rules
// take precedence. It is empty for an unknown code.
func Show(code string) string {
	r, ok := Find(code)
	if !ok {
		return ""
	}
	texts, in := textsOf(code), Voice{Language: "en"}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, value)
		}
	}
	fmt.Fprintf(&b, "%s v%d (%s)\n", r.Code, r.Version, r.Family)
	line("severity", joinSeverities(&r))
	line("subject", joinWords(r.Subjects()))
	line("eligible", in.DescribeScope(code))
	line("fires", in.DescribeTrigger(code))
	line("tolerance", r.Default.String())
	line("needs", joinWords(r.Needs))
	line("tier", string(r.Tier))
	line("readings", strings.Join(assumptions.InterpretationsOf(code), ", "))
	line("impact", describeImpact(&r))
	for _, o := range slices.Concat(CardOwners(), SlipOwners(), deposits.Owners(), shops.Owners()) {
		if slices.Contains(o.Owners, code) {
			line("owners", string(o.Line)+": "+strings.Join(o.Owners, " > "))
		}
	}
	line("en", texts.Sentence.English)
	line("pt-BR", texts.Sentence.Portuguese)
	return b.String()
}

func joinSeverities(r *rules.Rule) string {
	all := append([]ledger.Severity{r.Severity}, r.Grades...)
	return joinWords(all)
}

func joinWords[T ~string](all []T) string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

func describeImpact(r *rules.Rule) string {
	switch {
	case !r.HasImpact():
		return "none"
	case r.Exposure:
		return "the bracket on " + string(r.Line) + " (exposure)"
	}
	return "the bracket on " + string(r.Line)
}

// DescribeScope returns what the rule looks at; empty for an unknown code.
func (v Voice) DescribeScope(code string) string { return v.fillService(textsOf(code).Eligible) }

// DescribeTrigger returns when the rule fires; empty for an unknown code.
func (v Voice) DescribeTrigger(code string) string { return v.fillService(textsOf(code).Fires) }
