package world

// Contract is the agreement of one account, as plain data: what a worker must be told to find the clean
// world clean. Numbers are decimal text, rates in percent, fees in reais.
type Contract struct {
	Account   int64
	ValidFrom Date
	// FeeBasis says what the two fees are per: "installment", or "sale" in a world where the first
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
func (w *World) Contract() []Contract {
	credit := func(from, to int, mdr Rate) RateLine {
		return RateLine{
			Product: "credit", From: from, To: to, MDR: mdr.twoDecimals(), TransactionFee: trnFee.Cents(),
			AntifraudFee: antifraudFee.Cents(), Anticipation: anticipation.twoDecimals(),
		}
	}
	var all []Contract
	for _, a := range w.accounts {
		c := Contract{
			Account: a.Number, ValidFrom: NewDate(2020, 1, 1), FeeBasis: "installment",
			Rates: []RateLine{
				credit(1, 1, mdr1), credit(2, 6, mdr2to6), credit(7, 12, mdr7to12),
				{Product: "debit", From: 1, To: 1, MDR: mdrDebit.twoDecimals()},
			},
			SettlementCredit: "D+30", SettlementDebit: "D+1 bd",
			SlipTariff: slipTariff.Cents(), SlipCredit: "D+1 bd",
		}
		if w.interpretation.Fees == FeesFirst {
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
