package world

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Interpretation is the service's choice of what the interface document leaves open. The zero value is the default
// world; for any other a worker has to be configured or calibrated. Texts are those of the constants; an empty text is
// its default.
type Interpretation struct {
	// Rates is how discountMdrTax, discountAntecipationTax and pctSplit are spelled: RatesPercent (2.34) or
	// RatesFraction (0.0234). The rates of slips are always percent.
	Rates string
	// ReceivedNetOfSplits takes the splits out of what is received instead of paying them out of it.
	ReceivedNetOfSplits bool
	// Anticipation is the formula of its cost, and AnticipationBase what it is a part of.
	Anticipation     string
	AnticipationBase string
	// Fees is FeesSpread: each installment bears its own two fees, or FeesFirst: the contract's fees are
	// per sale, and installment 1 bears them.
	Fees string
	// MDRRounding is what is rounded: each installment's MDR, or the sale's, which the installments then
	// share so that none is off by more than a cent.
	MDRRounding string
	// DayCut is where a day of the transaction search ends: CutSaoPaulo, or CutUTC, three hours earlier.
	// transactionDate stays on the clock of São Paulo either way.
	DayCut string
	// Forecast is ForecastBusinessDay, or ForecastRaw: weekends and holidays included. Money still moves on
	// bank days only.
	Forecast string
	// InstallmentZero numbers the installment of a sale paid at once 0: of 1 on credit, of 0 on debit.
	InstallmentZero bool
	// SplitBase is what a split is a share of: SplitOfNet or SplitOfGross.
	SplitBase string
	// SlipPenalty is percent of the value or reais; SlipInterest percent a month, percent a day or reais a
	// day.
	SlipPenalty  string
	SlipInterest string
}

// The values of Interpretation, the default of each group first.
const (
	RatesPercent  = "percent"
	RatesFraction = "fraction"

	AnticipationSimple   = "simple"   // base × rate × days/30
	AnticipationCompound = "compound" // base × (1 − (1 + rate)^(−days/30))
	AnticipationFlat     = "flat"     // base × rate

	BaseNetOfMDR  = "net_of_mdr"
	BaseGross     = "gross"
	BaseNetOfFees = "net_of_fees"

	FeesSpread = "spread"
	FeesFirst  = "first"

	MDRInstallment = "installment"
	MDRSale        = "sale"

	CutSaoPaulo = "America/Sao_Paulo"
	CutUTC      = "UTC"

	ForecastBusinessDay = "business_day"
	ForecastRaw         = "raw"

	SplitOfNet   = "net"
	SplitOfGross = "gross"

	PenaltyPercent = "percent"
	PenaltyFixed   = "fixed"

	InterestMonthly    = "monthly"
	InterestDaily      = "daily"
	InterestDailyFixed = "daily_fixed"
)

// withDefaults fills in the defaults; the error joins every text that is no value of its group.
func (r Interpretation) withDefaults() (Interpretation, error) {
	var errs []error
	choose := func(what string, value *string, of ...string) {
		if *value == "" {
			*value = of[0]
		}
		if !slices.Contains(of, *value) {
			errs = append(errs, fmt.Errorf("%s %q: want %s", what, *value, strings.Join(of, " or ")))
		}
	}
	choose("rates", &r.Rates, RatesPercent, RatesFraction)
	choose("anticipation", &r.Anticipation, AnticipationSimple, AnticipationCompound, AnticipationFlat)
	choose("anticipation base", &r.AnticipationBase, BaseNetOfMDR, BaseGross, BaseNetOfFees)
	choose("fees", &r.Fees, FeesSpread, FeesFirst)
	choose("MDR rounding", &r.MDRRounding, MDRInstallment, MDRSale)
	choose("day cut", &r.DayCut, CutSaoPaulo, CutUTC)
	choose("forecast", &r.Forecast, ForecastBusinessDay, ForecastRaw)
	choose("split base", &r.SplitBase, SplitOfNet, SplitOfGross)
	choose("slip penalty", &r.SlipPenalty, PenaltyPercent, PenaltyFixed)
	choose("slip interest", &r.SlipInterest, InterestMonthly, InterestDaily, InterestDailyFixed)
	return r, errors.Join(errs...)
}

// spellRate is a percentage as the card records spell it, to four decimals.
func (r *Interpretation) spellRate(rate Rate) Rate {
	if r.Rates == RatesFraction {
		return rate / 100 // every rate of this world has two decimals at most
	}
	return rate
}

// slipInterest is the interest member of a slip: percent a month, percent a day, or reais a day.
func (r *Interpretation) slipInterest() Rate {
	switch r.SlipInterest {
	case InterestDaily:
		return interestDaily
	case InterestDailyFixed:
		return interestDailyFixed
	}
	return interest
}

// lateCharges are what a slip paid days after its due date owes, each half away from zero.
func (r *Interpretation) lateCharges(value Money, days int64) (penaltyDue, interestDue Money) {
	penaltyDue = percentOf(value, penalty)
	if r.SlipPenalty == PenaltyFixed {
		penaltyDue = Money(penalty) // a member of 2.00 is R$ 2.00
	}
	switch member := r.slipInterest(); r.SlipInterest {
	case InterestDaily:
		interestDue = percentOver(value, member, days, 1)
	case InterestDailyFixed:
		interestDue = Money(member) * Money(days)
	default:
		interestDue = percentOver(value, member, days, termDays)
	}
	return penaltyDue, interestDue
}
