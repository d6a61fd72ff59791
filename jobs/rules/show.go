package rules

import (
	"fmt"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Show returns the catalogue page of a rule: what it looks at, when it fires, its tolerance, its impact and which rules
// take precedence. It is empty for an unknown code.
func Show(code string) string {
	r, ok := Find(code)
	if !ok {
		return ""
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, value)
		}
	}
	fmt.Fprintf(&b, "%s v%d (%s)\n", r.Code, r.Version, r.Family)
	line("severity", joinSeverities(&r))
	line("subject", joinWords(r.Subjects()))
	line("eligible", r.Eligible)
	line("fires", r.Fires)
	line("tolerance", r.Default.String())
	line("needs", joinWords(r.Needs))
	line("tier", string(r.Tier))
	line("readings", strings.Join(InterpretationsOf(code), ", "))
	line("impact", describeImpact(&r))
	for _, o := range slices.Concat(CardOwners(), SlipOwners()) {
		if slices.Contains(o.Owners, code) {
			line("owners", string(o.Line)+": "+strings.Join(o.Owners, " > "))
		}
	}
	line("en", r.Text.En)
	line("pt-BR", r.Text.Pt)
	return b.String()
}

func joinSeverities(r *Rule) string {
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

func describeImpact(r *Rule) string {
	switch {
	case !r.HasImpact():
		return "none"
	case r.Exposure:
		return "the bracket on " + string(r.Line) + " (exposure)"
	}
	return "the bracket on " + string(r.Line)
}

// String lists the members that are set.
func (t Tolerance) String() string {
	var parts []string
	if t.Abs != 0 {
		parts = append(parts, "R$ "+t.Abs.String())
	}
	if t.Rel != 0 {
		parts = append(parts, "or "+(t.Rel*100).Fixed(2)+" %")
	}
	if t.Points != 0 {
		parts = append(parts, t.Points.String()+" point")
	}
	if t.Grace != 0 {
		parts = append(parts, fmt.Sprintf("grace %d", t.Grace))
	}
	return strings.Join(parts, ", ")
}
