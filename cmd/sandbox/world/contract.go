package world

import (
	"errors"
	"math/big"
	"sync"
)

// Contract is the agreement of one account, as plain data: the configuration with which a worker finds no difference in
// a world without planted ones. Numbers are decimal text, rates in percent, fees in reais.
type Contract struct {
	Account   int64
	ValidFrom Date
	// FeeBasis is what the two fees are charged for: each "installment", or each "sale" in a world where the first
	// installment bears them.
	FeeBasis string
	// Rates in order; the first line that matches product and installment count holds, for every brand.
	Rates []RateLine
	// SettlementCredit and SettlementDebit: "D+30" is 30 calendar days for each installment, then the next
	// bank day; "D+1 bd" is one bank day.
	SettlementCredit string
	SettlementDebit  string
	SlipTariff       string
	SlipCredit       string
	Splits           []SplitAgreement
}

// RateLine is one line of the contract's rate table; an empty fee means the contract has no such fee.
type RateLine struct {
	Product        string // "credit" or "debit"
	From, To       int    // installments of the sale, inclusive
	MDR            string
	TransactionFee string
	AntifraudFee   string
	Anticipation   string // percent a month
}

// SplitAgreement is a beneficiary owed a share of every net.
type SplitAgreement struct {
	Beneficiary string // CNPJ
	Pct         string
}

// The terms, once, as the arithmetic uses them; Contract prints these.
const (
	mdr1               Rate  = 2_3400
	mdr2to6            Rate  = 2_9000
	mdr7to12           Rate  = 3_5000
	mdrDebit           Rate  = 1_1000
	anticipation       Rate  = 1_0900 // a month
	penalty            Rate  = 2_0000 // once
	interest           Rate  = 1_0000 // a month
	interestDaily      Rate  = 300    // 0.03 a day
	interestDailyFixed Rate  = 5000   // a member of 0.50: reais a day
	trnFee             Money = 1000   // 0.10
	antifraudFee       Money = 3000   // 0.30
	splitPct           Rate  = 10_0000
	slipTariff         Money = 25000 // 2.50
	beneficiary              = "12345678000195"
	termDays                 = 30
	overdueLimit             = 60 // days a slip may be paid after its due date
	slipCreditDay            = 1
)

// Contract lists the agreement of every account, in the order of the options.
func (o *outline) Contract() []Contract {
	credit := func(from, to int, mdr Rate) RateLine {
		return RateLine{
			Product: "credit", From: from, To: to, MDR: mdr.twoDecimals(), TransactionFee: trnFee.Cents(),
			AntifraudFee: antifraudFee.Cents(), Anticipation: anticipation.twoDecimals(),
		}
	}
	var all []Contract
	for _, a := range o.accounts {
		c := Contract{
			Account: a.Number, ValidFrom: NewDate(2020, 1, 1), FeeBasis: "installment",
			Rates: []RateLine{
				credit(1, 1, mdr1), credit(2, 6, mdr2to6), credit(7, 12, mdr7to12),
				{Product: "debit", From: 1, To: 1, MDR: mdrDebit.twoDecimals()},
			},
			SettlementCredit: "D+30", SettlementDebit: "D+1 bd",
			SlipTariff: slipTariff.Cents(), SlipCredit: "D+1 bd",
		}
		if o.interpretation.Fees == FeesFirst {
			c.FeeBasis = "sale"
		}
		if a.Splits {
			c.Splits = []SplitAgreement{{Beneficiary: beneficiary, Pct: splitPct.twoDecimals()}}
		}
		all = append(all, c)
	}
	return all
}

// twoDecimals prints a rate of the contract with two decimals; none has more.
func (r Rate) twoDecimals() string { return Money(r).Cents() }

// mdrOf is the contract's MDR for a sale of n installments.
func mdrOf(debit bool, n int) Rate {
	switch {
	case debit:
		return mdrDebit
	case n == 1:
		return mdr1
	case n <= 6:
		return mdr2to6
	}
	return mdr7to12
}

// feeSet are what one installment loses before anticipation.
type feeSet struct {
	rate                Rate
	mdr, trn, antifraud Money
}

// feesOf applies the contract to one installment's gross.
func feesOf(debit bool, n int, gross Money) feeSet {
	f := feeSet{rate: mdrOf(debit, n), trn: trnFee, antifraud: antifraudFee}
	if debit {
		f.trn, f.antifraud = 0, 0
	}
	f.mdr = percentOf(gross, f.rate)
	return f
}

// Simulate is what the settlement simulator answers for each of 1 to 12 installments: the gross to charge
// for the net to come out, net ÷ ((1 − MDR) × (1 − anticipation × (n+1)/2)), to cents half away from zero.
// It reproduces the documented sample (visa, net 1000) to the cent. The net must be positive.
func Simulate(net Money) ([12]Money, error) {
	var out [12]Money
	if net <= 0 {
		return out, errors.New("net value must be positive")
	}
	const one = 1_000_000 // 100 %, in ten-thousandths of a percent
	for i := range out {
		n := int64(i + 1)
		num := new(big.Int).Mul(big.NewInt(int64(net)), big.NewInt(one*2*one))
		den := new(big.Int).Mul(big.NewInt(one-int64(mdrOf(false, i+1))), big.NewInt(2*one-int64(anticipation)*(n+1)))
		den.Mul(den, big.NewInt(int64(cent)))
		num.Add(num, new(big.Int).Rsh(den, 1))
		out[i] = cent * Money(num.Div(num, den).Int64())
	}
	return out, nil
}

// anticipationCost is what installment gross costs when it is paid on effective instead of forecast.
func (r *Interpretation) anticipationCost(gross Money, f feeSet, effective, forecast Date) Money {
	base := gross - f.mdr
	switch r.AnticipationBase {
	case BaseGross:
		base = gross
	case BaseNetOfFees:
		base -= f.trn + f.antifraud
	}
	days := int64(forecast - effective)
	switch r.Anticipation {
	case AnticipationFlat:
		return percentOf(base, anticipation)
	case AnticipationCompound:
		return compoundCost(base, days)
	}
	return percentOver(base, anticipation, days, termDays)
}

// fixedPointDecimals is how many decimals discount factors are worked out to: far more than can move a cent.
const fixedPointDecimals = 40

// compoundCost is base × (1 − (1 + rate)^(−days/30)), rounded once, to cents half away from zero.
func compoundCost(base Money, days int64) Money {
	one := fixedPointOne()
	num := new(big.Int).Sub(one, discountFactor(days))
	num.Mul(num, big.NewInt(int64(base)))
	den := new(big.Int).Mul(one, big.NewInt(int64(cent)))
	num.Add(num, new(big.Int).Rsh(den, 1))
	return cent * Money(num.Quo(num, den).Int64())
}

// discountFactor is (1 + rate)^(−days/30), scaled, by squaring.
func discountFactor(days int64) *big.Int {
	one, power, out := fixedPointOne(), dailyFactor(), fixedPointOne()
	times := func(x, y *big.Int) *big.Int { return new(big.Int).Quo(new(big.Int).Mul(x, y), one) }
	for ; days > 0; days /= 2 {
		if days%2 == 1 {
			out = times(out, power)
		}
		power = times(power, power)
	}
	return out
}

// dailyFactor is the 30th root of 1/(1 + rate), scaled and cut: the largest x with x^30 × (1 + rate) ≤ 1.
// Its bits are found from the highest down.
var dailyFactor = sync.OnceValue(func() *big.Int {
	const hundred = 1_000_000 // percent, in ten-thousandths
	month := big.NewInt(termDays)
	limit := new(big.Int).Exp(fixedPointOne(), month, nil)
	limit.Mul(limit, big.NewInt(hundred)).Quo(limit, big.NewInt(hundred+int64(anticipation)))
	x := new(big.Int)
	for bit := fixedPointOne().BitLen() - 1; bit >= 0; bit-- {
		x.SetBit(x, bit, 1)
		if new(big.Int).Exp(x, month, nil).Cmp(limit) > 0 {
			x.SetBit(x, bit, 0)
		}
	}
	return x
})

func fixedPointOne() *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(fixedPointDecimals), nil)
}
