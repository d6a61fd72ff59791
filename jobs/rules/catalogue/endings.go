package catalogue

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// DescribeEnding describes what would close the case: what the service, the payer or a person would have to do, and what a
// later pull would have to show.
func (v Voice) DescribeEnding(f ledger.Finding) string {
	r, ok := Find(f.Code)
	if !ok {
		return ""
	}
	t := v.language()
	values := v.addServiceWords(valuesOf(f, t))
	values["explained_by"] = f.ExplainedBy
	if f.Impact.OK {
		values["amount"] = formatValue(ledger.Money(f.Impact.V.Abs()), t)
	}
	return endingOf(&f, &r).fillPlaceholders(t, values)
}

// endingOf chooses the words: those of the state, of the rule, or the general ones.
func endingOf(f *ledger.Finding, r *rules.Rule) text {
	general, own := &words().Endings, textsOf(f.Code)
	switch {
	case f.State == ledger.Pending:
		return general.Pending
	case f.ExplainedBy != "":
		return general.Explained
	case f.Impact.V >= 0 && own.Ending != text{}:
		return own.Ending
	case f.Impact.V < 0 && own.EndingInFavour != text{}:
		return own.EndingInFavour
	case r.HasImpact() && f.Impact.V < 0:
		return general.InFavour
	case r.HasImpact() && f.Impact.V > 0:
		return general.Lost
	}
	return general.WithoutImpact
}
