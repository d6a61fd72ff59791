package catalogue

import (
	"strconv"
	"time"

	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// Formula shows how a finding's figures are computed, with the numbers in it, in "pt-BR" or else in English. further are
// figures of the record that the finding does not carry: gross, mdr, fee, antifraud, anticipation, net and received of
// an installment. Without a formula of its own a rule shows actual less expected; one without figures gives "".
func Formula(f ledger.Finding, further []ledger.Number, lang string) string {
	t := languageOf(lang)
	values := valuesOf(f, t)
	for name, v := range map[string]ledger.Value{"expected": f.Expected, "actual": f.Actual} {
		if v.Kind == ledger.AmountValue {
			values[name] = formatText(v.Amount.String(), t)
		}
	}
	if d := f.Difference(); d.OK {
		values["difference"] = formatText(d.V.String(), t)
	}
	for _, n := range further {
		if _, ok := values[n.Name]; !ok {
			values[n.Name] = formatText(n.Value, t)
		}
	}
	// Parts that name an unknown figure are dropped; without them nothing may be left but the difference.
	if own := textsOf(f.Code).Formula.fillPlaceholders(t, values); own != "" {
		return own
	}
	return formulaOfDifference(f, t)
}

// formulaOfDifference is what was found less what was expected.
func formulaOfDifference(f ledger.Finding, t language) string {
	formulas := words().Formulas
	values := map[string]string{"expected": formatValue(f.Expected, t), "actual": formatValue(f.Actual, t)}
	switch {
	case f.Expected.Kind == ledger.AmountValue && f.Actual.Kind == ledger.AmountValue:
		values["rest"] = formatValue(ledger.Money(f.Actual.Amount-f.Expected.Amount), t)
		return formulas.Amounts.fillPlaceholders(t, values)
	case f.Expected.Kind == ledger.DateValue && f.Actual.Kind == ledger.DateValue:
		values["rest"] = strconv.Itoa(int(f.Actual.Date - f.Expected.Date))
		return formulas.Dates.fillPlaceholders(t, values)
	case f.Expected.Kind == ledger.TextValue && f.Actual.Kind == ledger.TextValue:
		return formulas.Texts.fillPlaceholders(t, values)
	}
	return ""
}

// Spell formats a printed number, date or local time for the language; other texts are returned unchanged.
func Spell(s, lang string) string {
	_, noDate := ledger.ParseDate(s)
	_, noTime := ledger.ParseLocalTime(s, time.UTC)
	if noDate != nil && noTime != nil && !decimalText(s) {
		return s
	}
	return formatText(s, languageOf(lang))
}

// InPercent reports whether the expected and actual values of the rule are rates, printed without a percent sign.
func InPercent(code string) bool {
	switch code {
	case "MDR_RATE_MISMATCH", "ANTICIPATION_RATE_MISMATCH", "SPLIT_CONTRACT_PCT_MISMATCH", runs.RateDrift, cards.SimulatorDrift:
		return true
	}
	return false
}

// SpellRate formats a printed rate with its percent sign for the language; other texts are as in Spell.
func SpellRate(s, lang string) string { return spellRate(s, lang, shortRate) }

// SpellColumnRate is SpellRate with two decimals at least, for a column of rates.
func SpellColumnRate(s, lang string) string { return spellRate(s, lang, columnRate) }

func spellRate(s, lang string, cut func(string) string) string {
	if !decimalText(s) {
		return Spell(s, lang)
	}
	sign := " %"
	if lang == "pt-BR" {
		sign = "%"
	}
	return cut(Spell(s, lang)) + sign
}
