package agreements

import (
	"bytes"
	"fmt"
	"strconv"

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

// The readings. The first of each group is the default.
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

// Profile is the set of readings of what the interface document leaves open. The zero Profile is invalid: start from
// DefaultProfile.
type Profile struct {
	// Unit of discountMdrTax, discountAntecipationTax and pctSplit.
	Unit ledger.Unit
	// NetOfSplits: splits are taken out of receivedValue (σ = 1), rather than paid out of it afterwards (σ = 0).
	NetOfSplits bool
	FeeSpread   FeeSpread
	MDRRounding MDRRounding
	// Anticipation, Split and Slip group the readings of one subject each.
	Anticipation AnticipationReading
	Split        SplitReading
	Slip         SlipReading
	// DayCut names the time zone whose midnight ends a day.
	DayCut   string
	Forecast Forecast
}

// AnticipationReading is how the cost of anticipation is read.
type AnticipationReading struct {
	Formula AnticipationFormula
	Base    AnticipationBase
}

// SplitReading is how splits are read.
type SplitReading struct {
	Base     SplitBase
	Coverage SplitCoverage
}

// SlipReading is how the charges of late slips are read.
type SlipReading struct {
	Penalty  SlipPenalty
	Interest SlipInterest
}

// DefaultProfile is used if no profile file is configured.
func DefaultProfile() Profile {
	return Profile{
		Unit:         ledger.Percent,
		FeeSpread:    FeesSpread,
		MDRRounding:  MDRPerInstallment,
		Anticipation: AnticipationReading{AnticipationSimple, AnticipationOnNetOfMDR},
		Split:        SplitReading{SplitOfNet, SplitPartial},
		Slip:         SlipReading{PenaltyPercent, InterestMonthly},
		DayCut:       "America/Sao_Paulo",
		Forecast:     ForecastBusinessDay,
	}
}

// The two spellings of a rate's unit.
const (
	unitPercent  = "percent"
	unitFraction = "fraction"
)

// ParseProfile reads a profile file over the defaults. name is what its problems call it; the error is a problem.List.
func ParseProfile(name string, data []byte) (Profile, error) {
	p := DefaultProfile()
	f := &form{file: name}
	root, ok := f.open(data)
	if !ok {
		return p, f.problems.Err()
	}
	unit := unitPercent
	f.mapping(root,
		field{"rate_unit", choose(f, &unit, unitPercent, unitFraction)},
		field{"received_net_of_splits", func(v value) { p.NetOfSplits = f.yes(v) }},
		field{"fee_spread", choose(f, &p.FeeSpread, FeesSpread, FeesOnFirst)},
		field{"mdr_rounding", choose(f, &p.MDRRounding, MDRPerInstallment, MDRPerSale)},
		field{"anticipation", func(v value) {
			f.mapping(v,
				field{"formula", choose(f, &p.Anticipation.Formula, AnticipationSimple, AnticipationCompound, AnticipationFlat)},
				field{"base", choose(f, &p.Anticipation.Base, AnticipationOnGross, AnticipationOnNetOfMDR, AnticipationOnNetOfFees)})
		}},
		field{"split", func(v value) {
			f.mapping(v,
				field{"base", choose(f, &p.Split.Base, SplitOfGross, SplitOfNet)},
				field{"coverage", choose(f, &p.Split.Coverage, SplitWhole, SplitPartial)})
		}},
		field{"slip", func(v value) {
			f.mapping(v,
				field{"penalty", choose(f, &p.Slip.Penalty, PenaltyPercent, PenaltyFixed)},
				field{"interest", choose(f, &p.Slip.Interest, InterestMonthly, InterestDaily, InterestDailyFixed)})
		}},
		field{"day_cut", func(v value) { f.zone(v, &p.DayCut) }},
		field{"forecast", choose(f, &p.Forecast, ForecastBusinessDay, ForecastRaw)})
	if unit == unitFraction {
		p.Unit = ledger.Fraction
	}
	if err := f.problems.Err(); err != nil {
		return Profile{}, err
	}
	return p, nil
}

// Text is the canonical form: every key, in the order of the documentation. It reads as the same profile.
func (p Profile) Text() []byte {
	unit := unitPercent
	if p.Unit == ledger.Fraction {
		unit = unitFraction
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "rate_unit: %s\n", unit)
	fmt.Fprintf(&b, "received_net_of_splits: %s\n", strconv.FormatBool(p.NetOfSplits))
	fmt.Fprintf(&b, "fee_spread: %s\n", p.FeeSpread)
	fmt.Fprintf(&b, "mdr_rounding: %s\n", p.MDRRounding)
	fmt.Fprintf(&b, "anticipation: {formula: %s, base: %s}\n", p.Anticipation.Formula, p.Anticipation.Base)
	fmt.Fprintf(&b, "split: {base: %s, coverage: %s}\n", p.Split.Base, p.Split.Coverage)
	fmt.Fprintf(&b, "slip: {penalty: %s, interest: %s}\n", p.Slip.Penalty, p.Slip.Interest)
	fmt.Fprintf(&b, "day_cut: %s\n", p.DayCut)
	fmt.Fprintf(&b, "forecast: %s\n", p.Forecast)
	return b.Bytes()
}

// Hash is the SHA-256 of Text, in lower-case hex.
func (p Profile) Hash() string { return hashOf(p.Text()) }
