package assumptions

import (
	"slices"
	"strings"
	"sync"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
)

// Interpretation is a question the interface document leaves open and the rules that rest on how it is answered. While the
// answer is not proven, a firing of such a rule may say more about the answer than about the rows.
type Interpretation struct {
	Name string
	// Keys are where the profile answers it; none for what the mapping answers, or nothing does.
	Keys  []agreements.ProfileKey
	Rules []string // codes
}

// Interpretations returns the open questions in the order of the profile file, then those that are not in it.
func Interpretations() []Interpretation {
	return []Interpretation{
		{"rate_unit", []agreements.ProfileKey{agreements.KeyUnit}, []string{
			"MDR_AMOUNT_MISMATCH", "MDR_TXN_TOTAL_MISMATCH", "MDR_RATE_MISMATCH", "ANTICIPATION_AMOUNT_MISMATCH",
			"ANTICIPATION_RATE_MISMATCH", "SPLIT_AMOUNT_MISMATCH", "SPLIT_PCT_SUM", "SPLIT_CONTRACT_PCT_MISMATCH",
		}},
		{"received_net_of_splits", []agreements.ProfileKey{agreements.KeyNetOfSplits}, []string{
			"RECEIVED_VALUE_MISMATCH", "RECEIVED_PARTIAL", "SPLIT_EXCEEDS_NET",
		}},
		{"fee_spread", []agreements.ProfileKey{agreements.KeyFeeSpread}, []string{
			"TXN_TRN_FEE_ALLOCATION_MISMATCH", "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", "TRN_FEE_MISMATCH", "ANTIFRAUD_FEE_MISMATCH",
		}},
		{"mdr_rounding", []agreements.ProfileKey{agreements.KeyMDRRounding}, []string{"MDR_AMOUNT_MISMATCH", "MDR_TXN_TOTAL_MISMATCH"}},
		{"anticipation", []agreements.ProfileKey{agreements.KeyAnticipationFormula, agreements.KeyAnticipationBase}, []string{
			"ANTICIPATION_AMOUNT_MISMATCH", "ANTICIPATION_RATE_MISMATCH", "ANTICIPATION_WITHOUT_EARLY_DATE",
		}},
		{"split", []agreements.ProfileKey{agreements.KeySplitBase, agreements.KeySplitCoverage}, []string{
			"SPLIT_BASE_MISMATCH", "SPLIT_SUM_MISMATCH", "SPLIT_PCT_SUM", "SPLIT_MISSING",
		}},
		{"slip", []agreements.ProfileKey{agreements.KeySlipPenalty, agreements.KeySlipInterest}, []string{
			"SLIP_LATE_PENALTY_MISMATCH", "SLIP_LATE_INTEREST_MISMATCH",
		}},
		{"forecast", []agreements.ProfileKey{agreements.KeyForecast}, []string{"FORECAST_DATE_MISMATCH", "FORECAST_NON_BUSINESS_DAY"}},
		{"remainder_cent", nil, []string{"TXN_INSTALLMENT_UNEVEN"}},
		{"status", nil, []string{"STATUS_FIELD_CONFLICT", "WEBHOOK_STATE_CONFLICT"}},
	}
}

// InterpretationsOf returns the names of the readings a rule rests on; none if it rests only on what is documented.
func InterpretationsOf(code string) []string {
	var names []string
	for _, r := range Interpretations() {
		if r.coversRule(code) {
			names = append(names, r.Name)
		}
	}
	return names
}

// coversRule says whether a rule rests on the reading.
func (r Interpretation) coversRule(code string) bool { return slices.Contains(r.Rules, code) }

// guardedRules is how many rules rest on a reading; a test holds it to the table.
const guardedRules = 26

// guardedCodes are the rules that rest on a reading, each once, in the order of the table. Contributions are kept by place
// in it: a change of the list changes Versions, so that all is evaluated anew.
var guardedCodes = sync.OnceValue(func() []string {
	var codes []string
	for _, r := range Interpretations() {
		for _, code := range r.Rules {
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
})

// PlacesOf returns for each of the rules its place among those that rest on an interpretation, or -1: what GuardDelta.Count
// takes.
func PlacesOf(all []rules.Rule) []int {
	places := make([]int, len(all))
	for i := range all {
		places[i] = slices.Index(guardedCodes(), all[i].Code)
	}
	return places
}

// dependOnForecast says by place in guarded which rules rest on how forecasts are read: their rows may share a weekday.
var dependOnForecast = sync.OnceValue(func() []bool {
	dated := make([]bool, len(guardedCodes()))
	for i, code := range guardedCodes() {
		dated[i] = slices.Contains(InterpretationsOf(code), "forecast")
	}
	return dated
})

// VersionText is the list in the form of Versions.
func VersionText() string { return "guarded " + strings.Join(guardedCodes(), " ") + "\n" }

// describeInForce is how the profile answers a reading, as its file spells it; "mapping" and "any" where it does not.
func (r Interpretation) describeInForce(p *agreements.Profile) string {
	switch {
	case r.Name == "status":
		return "mapping"
	case len(r.Keys) == 0:
		return "any"
	}
	values := make([]string, len(r.Keys))
	for i, k := range r.Keys {
		values[i] = p.Value(k)
	}
	return strings.Join(values, ", ")
}
