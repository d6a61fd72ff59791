package agreements

import (
	"fmt"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// ProfileKey names one reading of a profile file, a dot before a key within a group: anticipation.formula.
type ProfileKey string

// The readings with candidates to choose from, in the order of the file. day_cut, which is the name of any zone, is
// the one that is not among them.
const (
	KeyUnit                ProfileKey = "rate_unit"
	KeyNetOfSplits         ProfileKey = "received_net_of_splits"
	KeyFeeSpread           ProfileKey = "fee_spread"
	KeyMDRRounding         ProfileKey = "mdr_rounding"
	KeyAnticipationFormula ProfileKey = "anticipation.formula"
	KeyAnticipationBase    ProfileKey = "anticipation.base"
	KeySplitBase           ProfileKey = "split.base"
	KeySplitCoverage       ProfileKey = "split.coverage"
	KeySlipPenalty         ProfileKey = "slip.penalty"
	KeySlipInterest        ProfileKey = "slip.interest"
	KeyForecast            ProfileKey = "forecast"

	KeyDayCut ProfileKey = "day_cut"
)

// reading is one key with how it is read from a profile and put into one. The first value is the default.
type reading struct {
	key    ProfileKey
	values []string
	get    func(*Profile) string
	set    func(*Profile, string)
}

// choice is a reading kept as a text.
func choice[T ~string](key ProfileKey, at func(*Profile) *T, values ...T) reading {
	r := reading{key: key, get: func(p *Profile) string { return string(*at(p)) }, set: func(p *Profile, v string) { *at(p) = T(v) }}
	for _, v := range values {
		r.values = append(r.values, string(v))
	}
	return r
}

// readings are the keys of a profile in the order of the file.
func readings() []reading {
	return []reading{
		{KeyUnit, []string{unitPercent, unitFraction}, (*Profile).unit, func(p *Profile, v string) {
			p.Unit = ledger.Percent
			if v == unitFraction {
				p.Unit = ledger.Fraction
			}
		}},
		{
			KeyNetOfSplits,
			[]string{"false", "true"},
			func(p *Profile) string { return fmt.Sprint(p.NetOfSplits) },
			func(p *Profile, v string) { p.NetOfSplits = v == "true" },
		},
		choice(KeyFeeSpread, func(p *Profile) *FeeSpread { return &p.FeeSpread }, FeesSpread, FeesOnFirst),
		choice(KeyMDRRounding, func(p *Profile) *MDRRounding { return &p.MDRRounding }, MDRPerInstallment, MDRPerSale),
		choice(KeyAnticipationFormula, func(p *Profile) *AnticipationFormula { return &p.Anticipation.Formula },
			AnticipationSimple, AnticipationCompound, AnticipationFlat),
		choice(KeyAnticipationBase, func(p *Profile) *AnticipationBase { return &p.Anticipation.Base },
			AnticipationOnNetOfMDR, AnticipationOnGross, AnticipationOnNetOfFees),
		choice(KeySplitBase, func(p *Profile) *SplitBase { return &p.Split.Base }, SplitOfNet, SplitOfGross),
		choice(KeySplitCoverage, func(p *Profile) *SplitCoverage { return &p.Split.Coverage }, SplitPartial, SplitWhole),
		choice(KeySlipPenalty, func(p *Profile) *SlipPenalty { return &p.Slip.Penalty }, PenaltyPercent, PenaltyFixed),
		choice(KeySlipInterest, func(p *Profile) *SlipInterest { return &p.Slip.Interest }, InterestMonthly, InterestDaily, InterestDailyFixed),
		choice(KeyForecast, func(p *Profile) *Forecast { return &p.Forecast }, ForecastBusinessDay, ForecastRaw),
	}
}

// ProfileKeys returns the readings with candidates, in the order of the file.
func ProfileKeys() []ProfileKey {
	var keys []ProfileKey
	for _, r := range readings() {
		keys = append(keys, r.key)
	}
	return keys
}

// Candidates returns the possible values of a reading, the default first; none for a key without a closed set.
func (k ProfileKey) Candidates() []string {
	for _, r := range readings() {
		if r.key == k {
			return r.values
		}
	}
	return nil
}

// Value returns the reading of a key as the file spells it; empty for an unknown key.
func (p Profile) Value(k ProfileKey) string {
	if k == KeyDayCut {
		return p.DayCut
	}
	for _, r := range readings() {
		if r.key == k {
			return r.get(&p)
		}
	}
	return ""
}

// With returns the profile with one reading changed to value, which must be a candidate of the key.
func (p Profile) With(k ProfileKey, value string) (Profile, error) {
	for _, r := range readings() {
		switch {
		case r.key != k:
		case !slices.Contains(r.values, value):
			return p, fmt.Errorf("%s: %.40q: one of %s", k, value, strings.Join(r.values, ", "))
		default:
			r.set(&p, value)
			return p, nil
		}
	}
	return p, fmt.Errorf("%.40q: no reading of a profile with candidates", string(k))
}

func (p *Profile) unit() string {
	if p.Unit == ledger.Fraction {
		return unitFraction
	}
	return unitPercent
}
