package agreements

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"concilia/store/ledger"
)

// FeeSpread is which installments bear the fees of a sale.
type FeeSpread string

// MDRRounding is what the MDR is rounded on.
type MDRRounding string

// AnticipationFormula is how the cost of anticipation is computed.
type AnticipationFormula string

// AnticipationBase is the amount that the cost of anticipation is a share of.
type AnticipationBase string

// SplitBase is the amount that a split is a share of.
type SplitBase string

// SplitCoverage is whether the splits of an installment distribute all of its base.
type SplitCoverage string

// SlipPenalty is the meaning of the penalty member of a late slip.
type SlipPenalty string

// SlipInterest is the meaning of the interest member of a late slip.
type SlipInterest string

// Forecast is whether the service has already moved forecast dates to business days.
type Forecast string

// The interpretations. The first of each group is the default.
const (
	FeesSpread  FeeSpread = "spread" // in equal cents, the remainder on the lowest installment
	FeesOnFirst FeeSpread = "first"

	MDRPerInstallment MDRRounding = "installment"
	MDRPerSale        MDRRounding = "sale"

	AnticipationSimple   AnticipationFormula = "simple"   // base × rate × days/30
	AnticipationCompound AnticipationFormula = "compound" // base × (1 − (1 + rate)^(−days/30))
	AnticipationFlat     AnticipationFormula = "flat"     // base × rate

	AnticipationOnNetOfMDR  AnticipationBase = "net_of_mdr"
	AnticipationOnGross     AnticipationBase = "gross"
	AnticipationOnNetOfFees AnticipationBase = "net_of_fees"

	SplitOfNet   SplitBase = "net"
	SplitOfGross SplitBase = "gross"

	SplitPartial SplitCoverage = "partial" // what is not split stays with the account
	SplitWhole   SplitCoverage = "whole"

	PenaltyPercent SlipPenalty = "percent" // of the value, once
	PenaltyFixed   SlipPenalty = "fixed"   // reais, once

	InterestMonthly    SlipInterest = "monthly"     // percent a month, pro rata days/30
	InterestDaily      SlipInterest = "daily"       // percent a day
	InterestDailyFixed SlipInterest = "daily_fixed" // reais a day

	ForecastBusinessDay Forecast = "business_day"
	ForecastRaw         Forecast = "raw" // weekends and holidays included
)

// Profile is how the members that the interface document leaves open are interpreted. The zero Profile is invalid: start
// from DefaultProfile.
type Profile struct {
	// Unit of discountMdrTax, discountAntecipationTax and pctSplit.
	Unit ledger.Unit
	// NetOfSplits: splits are taken out of receivedValue (σ = 1), rather than paid out of it afterwards (σ = 0).
	NetOfSplits bool
	FeeSpread   FeeSpread
	MDRRounding MDRRounding
	// Anticipation, Split and Slip each group the interpretations of one subject.
	Anticipation AnticipationInterpretation
	Split        SplitInterpretation
	Slip         SlipInterpretation
	// DayCut names the time zone whose midnight ends a day.
	DayCut   string
	Forecast Forecast
	// Banks are how payers of bank accounts pay, where the configuration says that it is measured.
	Banks BankReadings
}

// AnticipationInterpretation is how the cost of anticipation is computed.
type AnticipationInterpretation struct {
	Formula AnticipationFormula
	Base    AnticipationBase
}

// SplitInterpretation is how splits are interpreted.
type SplitInterpretation struct {
	Base     SplitBase
	Coverage SplitCoverage
}

// SlipInterpretation is how the charges of late slips are interpreted.
type SlipInterpretation struct {
	Penalty  SlipPenalty
	Interest SlipInterest
}

// DefaultProfile is used if no profile file is configured.
func DefaultProfile() Profile {
	return Profile{
		Unit:         ledger.Percent,
		FeeSpread:    FeesSpread,
		MDRRounding:  MDRPerInstallment,
		Anticipation: AnticipationInterpretation{AnticipationSimple, AnticipationOnNetOfMDR},
		Split:        SplitInterpretation{SplitOfNet, SplitPartial},
		Slip:         SlipInterpretation{PenaltyPercent, InterestMonthly},
		DayCut:       "America/Sao_Paulo",
		Forecast:     ForecastBusinessDay,
	}
}

// The two values of rate_unit.
const (
	unitPercent  = "percent"
	unitFraction = "fraction"
)

// ParseProfile reads a profile file over the defaults. name is what its problems call it; the error is a problem.List.
func ParseProfile(name string, data []byte) (Profile, error) {
	p := DefaultProfile()
	r := &yamlReader{file: name}
	root, ok := r.openDocument(data)
	if !ok {
		return p, r.problems.Err()
	}
	unit := unitPercent
	r.readMapping(root,
		yamlField{"rate_unit", choiceReader(r, &unit, unitPercent, unitFraction)},
		yamlField{"received_net_of_splits", func(v yamlValue) { p.NetOfSplits = r.readBool(v) }},
		yamlField{"fee_spread", choiceReader(r, &p.FeeSpread, FeesSpread, FeesOnFirst)},
		yamlField{"mdr_rounding", choiceReader(r, &p.MDRRounding, MDRPerInstallment, MDRPerSale)},
		yamlField{"anticipation", func(v yamlValue) {
			r.readMapping(v,
				yamlField{"formula", choiceReader(r, &p.Anticipation.Formula, AnticipationSimple, AnticipationCompound, AnticipationFlat)},
				yamlField{"base", choiceReader(r, &p.Anticipation.Base, AnticipationOnGross, AnticipationOnNetOfMDR, AnticipationOnNetOfFees)})
		}},
		yamlField{"split", func(v yamlValue) {
			r.readMapping(v,
				yamlField{"base", choiceReader(r, &p.Split.Base, SplitOfGross, SplitOfNet)},
				yamlField{"coverage", choiceReader(r, &p.Split.Coverage, SplitWhole, SplitPartial)})
		}},
		yamlField{"slip", func(v yamlValue) {
			r.readMapping(v,
				yamlField{"penalty", choiceReader(r, &p.Slip.Penalty, PenaltyPercent, PenaltyFixed)},
				yamlField{"interest", choiceReader(r, &p.Slip.Interest, InterestMonthly, InterestDaily, InterestDailyFixed)})
		}},
		yamlField{"day_cut", func(v yamlValue) { r.readZone(v, &p.DayCut) }},
		yamlField{"forecast", choiceReader(r, &p.Forecast, ForecastBusinessDay, ForecastRaw)},
		yamlField{"banks", func(v yamlValue) { r.readBanks(v, &p.Banks) }})
	if unit == unitFraction {
		p.Unit = ledger.Fraction
	}
	if err := r.problems.Err(); err != nil {
		return Profile{}, err
	}
	return p, nil
}

// Text is the canonical form: every key, in the order of the documentation, and what is decided of bank accounts. Parsing it gives the same profile.
func (p Profile) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "rate_unit: %s\n", p.unitText())
	fmt.Fprintf(&b, "received_net_of_splits: %s\n", strconv.FormatBool(p.NetOfSplits))
	fmt.Fprintf(&b, "fee_spread: %s\n", p.FeeSpread)
	fmt.Fprintf(&b, "mdr_rounding: %s\n", p.MDRRounding)
	fmt.Fprintf(&b, "anticipation: {formula: %s, base: %s}\n", p.Anticipation.Formula, p.Anticipation.Base)
	fmt.Fprintf(&b, "split: {base: %s, coverage: %s}\n", p.Split.Base, p.Split.Coverage)
	fmt.Fprintf(&b, "slip: {penalty: %s, interest: %s}\n", p.Slip.Penalty, p.Slip.Interest)
	fmt.Fprintf(&b, "day_cut: %s\n", p.DayCut)
	fmt.Fprintf(&b, "forecast: %s\n", p.Forecast)
	p.Banks.appendFile(&b, nil)
	return b.Bytes()
}

// Hash is the SHA-256 of Text, in lower-case hex.
func (p Profile) Hash() string { return hashText(p.Text()) }

// ProfileKey is one key of a profile file, with a dot between a group and its key: anticipation.formula.
type ProfileKey string

// The keys with candidates to choose from, in the order of the file. Only day_cut, the name of any zone, has none.
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

// interpretation is one key with its possible values, the default first, and how to get and set it in a profile.
type interpretation struct {
	key    ProfileKey
	values []string
	get    func(*Profile) string
	set    func(*Profile, string)
}

// textInterpretation is an interpretation that is a text in the profile.
func textInterpretation[T ~string](key ProfileKey, at func(*Profile) *T, values ...T) interpretation {
	r := interpretation{key: key, get: func(p *Profile) string { return string(*at(p)) }, set: func(p *Profile, v string) { *at(p) = T(v) }}
	for _, v := range values {
		r.values = append(r.values, string(v))
	}
	return r
}

// allInterpretations returns the keys of a profile with candidates, in the order of the file.
func allInterpretations() []interpretation {
	return []interpretation{
		{KeyUnit, []string{unitPercent, unitFraction}, (*Profile).unitText, func(p *Profile, v string) {
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
		textInterpretation(KeyFeeSpread, func(p *Profile) *FeeSpread { return &p.FeeSpread }, FeesSpread, FeesOnFirst),
		textInterpretation(KeyMDRRounding, func(p *Profile) *MDRRounding { return &p.MDRRounding }, MDRPerInstallment, MDRPerSale),
		textInterpretation(KeyAnticipationFormula, func(p *Profile) *AnticipationFormula { return &p.Anticipation.Formula },
			AnticipationSimple, AnticipationCompound, AnticipationFlat),
		textInterpretation(KeyAnticipationBase, func(p *Profile) *AnticipationBase { return &p.Anticipation.Base },
			AnticipationOnNetOfMDR, AnticipationOnGross, AnticipationOnNetOfFees),
		textInterpretation(KeySplitBase, func(p *Profile) *SplitBase { return &p.Split.Base }, SplitOfNet, SplitOfGross),
		textInterpretation(KeySplitCoverage, func(p *Profile) *SplitCoverage { return &p.Split.Coverage }, SplitPartial, SplitWhole),
		textInterpretation(KeySlipPenalty, func(p *Profile) *SlipPenalty { return &p.Slip.Penalty }, PenaltyPercent, PenaltyFixed),
		textInterpretation(KeySlipInterest, func(p *Profile) *SlipInterest { return &p.Slip.Interest }, InterestMonthly, InterestDaily, InterestDailyFixed),
		textInterpretation(KeyForecast, func(p *Profile) *Forecast { return &p.Forecast }, ForecastBusinessDay, ForecastRaw),
	}
}

// ProfileKeys returns the keys with candidates, in the order of the file.
func ProfileKeys() []ProfileKey {
	var keys []ProfileKey
	for _, r := range allInterpretations() {
		keys = append(keys, r.key)
	}
	return keys
}

// Candidates returns the possible values of a key, the default first; none for a key without a closed set.
func (k ProfileKey) Candidates() []string {
	for _, r := range allInterpretations() {
		if r.key == k {
			return r.values
		}
	}
	return nil
}

// Value returns the value of a key as in the file; empty for an unknown key.
func (p Profile) Value(k ProfileKey) string {
	if k == KeyDayCut {
		return p.DayCut
	}
	for _, r := range allInterpretations() {
		if r.key == k {
			return r.get(&p)
		}
	}
	return ""
}

// With returns the profile with one key changed to value, which must be a candidate of the key.
func (p Profile) With(k ProfileKey, value string) (Profile, error) {
	for _, r := range allInterpretations() {
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

func (p *Profile) unitText() string {
	if p.Unit == ledger.Fraction {
		return unitFraction
	}
	return unitPercent
}

// RenderFile returns a profile file with the given keys and those that differ from the default, in the order of the
// documentation; parsing it gives p. note returns a comment to write after a key, or empty; it may be nil.
func (p Profile) RenderFile(keys []ProfileKey, note func(ProfileKey) string) []byte {
	var b bytes.Buffer
	b.WriteString("# How the service is read where it documents nothing. A key left out keeps its default.\n")
	group := ""
	for _, k := range fileKeys() {
		if !slices.Contains(keys, k) && p.Value(k) == DefaultProfile().Value(k) {
			continue
		}
		name := string(k)
		if outer, inner, grouped := strings.Cut(name, "."); grouped {
			if outer != group {
				fmt.Fprintf(&b, "%s:\n", outer)
			}
			group, name = outer, "  "+inner
		}
		fmt.Fprintf(&b, "%s: %s", name, p.Value(k))
		if note != nil {
			if text := plainComment(note(k)); text != "" {
				fmt.Fprintf(&b, "  # %s", text)
			}
		}
		b.WriteByte('\n')
	}
	p.Banks.appendFile(&b, note)
	return b.Bytes()
}

// plainComment returns a note as one line of printable characters, which is valid in a YAML comment.
func plainComment(note string) string {
	plain := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, note)
	return strings.Join(strings.Fields(plain), " ")
}

// fileKeys returns all keys of a file, in its order.
func fileKeys() []ProfileKey {
	keys := ProfileKeys()
	at := slices.Index(keys, KeyForecast)
	return slices.Insert(keys, at, KeyDayCut)
}
