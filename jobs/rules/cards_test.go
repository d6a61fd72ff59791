package rules_test

import (
	"strings"
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

const (
	passes = rules.Passed
	within = rules.Within
	fires  = rules.Fires
	pends  = rules.Pends
	none   = rules.NotEligible
)

type histories = []ledger.InstallmentHistory

// second changes the current version of installment 2 of the clean sale.
func second(change func(*ledger.Installment)) func(histories) histories {
	return func(h histories) histories {
		change(&h[1].Current().Installment)
		return h
	}
}

func every(change func(*ledger.Installment)) func(histories) histories {
	return func(h histories) histories {
		for _, x := range h {
			change(&x.Current().Installment)
		}
		return h
	}
}

// settled pays installment 2 on a day (or its forecast) with a value.
func settled(on, value string) func(histories) histories {
	return func(h histories) histories { paid(h[1], on, value); return h }
}

type cardCase struct {
	code     string
	says     string
	make     func(histories) histories
	want     rules.Status
	severity ledger.Severity
	w        world
	partial  bool // the sale's day has no complete pull
}

func runCards(t *testing.T, cases []cardCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.code+"/"+strings.ReplaceAll(c.says, " ", "_"), func(t *testing.T) {
			t.Parallel()
			e := c.w.env(t)
			h := rows()
			if c.make != nil {
				h = c.make(h)
			}
			if e.Index(c.code) < 0 {
				t.Fatalf("no rule %s", c.code)
			}
			s := rules.NewSale(e, h[0].Current().SaleKey(), h, !c.partial)
			o := saleOutcomes(e, c.code, s)
			if o.Status != c.want {
				t.Fatalf("status %d, want %d (%+v)", o.Status, c.want, o)
			}
			if got := e.Severity(e.Index(c.code), &o); c.severity != "" && got != c.severity {
				t.Errorf("severity %s, want %s", got, c.severity)
			}
			if o.Status >= pends {
				told(t, c.code, o)
			}
		})
	}
}

// told checks that the sentences of an outcome have every number they name.
func told(t *testing.T, code string, o rules.Outcome) {
	t.Helper()
	f := ledger.Finding{Code: code, Expected: o.Expected, Actual: o.Actual, Numbers: o.Numbers, BreakOn: o.BreakOn}
	for _, lang := range []string{"en", "pt-BR"} {
		s := catalogue.Voice{Language: lang}.Explain(f)
		if strings.ContainsAny(s, "{}[]") || strings.Contains(s, "–") || len(s) < 15 {
			t.Errorf("%s: %q", lang, s)
		}
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	repeat := func(change func(*ledger.InstallmentVersion)) func(histories) histories {
		return func(h histories) histories {
			v := *h[1].Current()
			v.Occurrence = 2
			if change != nil {
				change(&v)
			}
			return append(h, ledger.InstallmentHistory{v})
		}
	}
	runCards(t, []cardCase{
		{code: "REC_DUPLICATE_ROW", says: "rows that are told apart pass", want: passes},
		{code: "REC_DUPLICATE_ROW", says: "the same row twice in one pull", make: repeat(nil), want: fires, severity: "W"},
		{
			code: "REC_DUPLICATE_ROW", says: "seen in another pull it is no repetition",
			make: repeat(func(v *ledger.InstallmentVersion) { v.LastPull = "p0" }), want: passes,
		},
		{code: "REC_DUPLICATE_KEY", says: "two contents under one key", make: repeat(func(v *ledger.InstallmentVersion) { v.MDR = some("3") }), want: fires, severity: "E"},
		{code: "REC_DUPLICATE_KEY", says: "the same content is the other rule's", make: repeat(nil), want: passes},
		{code: "REC_INSTALLMENT_RANGE", says: "number above the count", make: second(func(i *ledger.Installment) { i.Number = 4 }), want: fires},
		{code: "REC_INSTALLMENT_RANGE", says: "count zero", make: second(func(i *ledger.Installment) { i.Count = 0 }), want: fires},
		{code: "REC_INSTALLMENT_RANGE", says: "0 of 1 is 1 of 1", make: func(h histories) histories {
			h[0][0].Number, h[0][0].Count = 0, 1
			return h[:1]
		}, want: passes},
		{code: "REC_INSTALLMENT_RANGE", says: "0 of 2", make: func(h histories) histories {
			h[0][0].Number, h[0][0].Count = 0, 2
			return h[:1]
		}, want: fires},
		{code: "REC_INSTALLMENTS_OVER_LIMIT", says: "13 installments", make: second(func(i *ledger.Installment) { i.Count = 13 }), want: fires, severity: "W"},
		{code: "REC_INSTALLMENTS_OVER_LIMIT", says: "12 installments", make: second(func(i *ledger.Installment) { i.Count = 12 }), want: passes},
		{code: "REC_NEGATIVE_AMOUNT", says: "a negative MDR", make: second(func(i *ledger.Installment) { i.MDR = some("-1") }), want: fires},
		{
			code: "REC_NEGATIVE_AMOUNT", says: "a cancelled sale may be negative",
			make: every(func(i *ledger.Installment) { i.Status, i.Gross = "Cancelada", reais("-100") }), want: none,
		},
		{code: "REC_NEGATIVE_AMOUNT", says: "a status nobody listed", make: every(func(i *ledger.Installment) { i.Status = "Em análise" }), want: rules.Unmapped},
		{code: "REC_CARD_NOT_MASKED", says: "a card that came in the clear", make: second(func(i *ledger.Installment) { i.CardClear = true }), want: fires},
		{code: "REC_CARD_NOT_MASKED", says: "a card that came masked", make: second(func(i *ledger.Installment) {}), want: passes},
		{code: "REC_DATE_ORDER", says: "forecast before the sale", make: second(func(i *ledger.Installment) { i.Forecast = day("2024-10-20") }), want: fires},
		{code: "REC_DATE_ORDER", says: "paid on the day of the sale", make: settled("2024-10-21", "97.11"), want: passes},
	})
}

func TestSales(t *testing.T) {
	t.Parallel()
	drop := func(h histories) histories { return h[:2] }
	extra := func(h histories) histories {
		v := *h[1].Current()
		v.Occurrence, v.MDR = 2, some("3")
		return append(h, ledger.InstallmentHistory{v})
	}
	gross := func(values ...string) func(histories) histories {
		return func(h histories) histories {
			for n, v := range values {
				h[n].Current().Gross = reais(v)
			}
			return h
		}
	}
	runCards(t, []cardCase{
		{code: "TXN_INSTALLMENTS_MISSING", says: "all three are there", want: passes},
		{code: "TXN_INSTALLMENTS_MISSING", says: "the third is not", make: drop, want: fires},
		{code: "TXN_INSTALLMENTS_MISSING", says: "a day pulled in part proves nothing", make: drop, partial: true, want: rules.NotEvaluable},
		{code: "TXN_INSTALLMENTS_EXTRA", says: "number 2 twice", make: extra, want: fires},
		{code: "TXN_COUNT_CONFLICT", says: "3 and 4", make: second(func(i *ledger.Installment) { i.Count = 4 }), want: fires},
		{code: "TXN_TOTAL_CONFLICT", says: "300 and 301", make: second(func(i *ledger.Installment) { i.SaleTotal = some("301") }), want: fires},
		{code: "TXN_TOTAL_MISMATCH", says: "adds up", want: passes},
		{code: "TXN_TOTAL_MISMATCH", says: "two cents off", make: gross("100.02"), want: fires, severity: "E"},
		{code: "TXN_TOTAL_MISMATCH", says: "a cent off is a note", make: gross("100.01"), want: fires, severity: "I"},
		{code: "TXN_TOTAL_MISMATCH", says: "three thirds of four decimals", make: every(func(i *ledger.Installment) {
			i.Gross, i.SaleTotal = reais("33.3333"), some("100")
		}), want: within},
		{code: "TXN_TOTAL_MISMATCH", says: "not judged with an installment missing", make: drop, want: none},
		{code: "TXN_INSTALLMENT_UNEVEN", says: "three cents over three", make: gross("100.03"), want: within},
		{code: "TXN_INSTALLMENT_UNEVEN", says: "four cents over three", make: gross("100.04"), want: fires, severity: "W"},
		{code: "TXN_ATTR_CONFLICT", says: "another terminal", make: second(func(i *ledger.Installment) { i.Terminal = "T2" }), want: fires},
		{code: "TXN_ATTR_CONFLICT", says: "all alike", want: passes},
		{
			code: "TXN_ATTR_CONFLICT", says: "brand and product in another spelling",
			make: second(func(i *ledger.Installment) { i.CardName, i.CardType = "visa", "Crédito" }), want: passes,
		},
		{code: "TXN_ATTR_CONFLICT", says: "another brand", make: second(func(i *ledger.Installment) { i.CardName = "ELO" }), want: fires},
		{code: "TXN_ATTR_CONFLICT", says: "a brand nobody listed", make: second(func(i *ledger.Installment) { i.CardName = "NOVA" }), want: fires},
		{code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "three times 0.10 is 0.30", want: passes},
		{code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "three cents over three", make: every(func(i *ledger.Installment) { i.SaleFee = some("0.33") }), want: within},
		{code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "ten cents", make: every(func(i *ledger.Installment) { i.SaleFee = some("0.40") }), want: fires},
		{
			code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "a cancelled installment takes the sale out",
			make: second(func(i *ledger.Installment) { i.Status = "Cancelada" }), want: none,
		},
		{code: "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", says: "not stated", make: every(func(i *ledger.Installment) {
			i.SaleAntifraud = ledger.Opt[ledger.Amount]{}
		}), want: rules.NotEvaluable},
		{
			code: "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", says: "all on the first, by that reading",
			w: world{change: func(o *rules.Options) { o.Profile.FeeSpread = agreements.FeesOnFirst }}, want: fires,
		},
	})
}

func TestFees(t *testing.T) {
	t.Parallel()
	m := func(value, rate string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.MDR, i.MDRRate = some(value), pct(rate) })
	}
	noRate := func(value string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.MDR, i.MDRRate = some(value), ledger.Opt[ledger.Rate]{} })
	}
	noLine := strings.ReplaceAll(contractText, "installments: 2-6", "installments: 7-12")
	noFees := strings.ReplaceAll(contractText, "transaction_fee: 0.10, antifraud_fee: 0.30, ", "")
	perSale := strings.ReplaceAll(strings.ReplaceAll(contractText, "    rates:", "    fee_basis: sale\n    rates:"), "transaction_fee: 0.10, antifraud_fee: 0.30", "transaction_fee: 0.31, antifraud_fee: 0.90")
	runCards(t, []cardCase{
		{code: "MDR_AMOUNT_MISMATCH", says: "2.49 of 100 is 2.49", want: passes},
		{code: "MDR_AMOUNT_MISMATCH", says: "a cent is rounding", make: m("2.50", "2.49"), want: within},
		{code: "MDR_AMOUNT_MISMATCH", says: "two cents are not", make: m("2.51", "2.49"), want: fires, severity: "E"},
		{code: "MDR_AMOUNT_MISMATCH", says: "no rate stated", make: every(func(i *ledger.Installment) { i.MDRRate = ledger.Opt[ledger.Rate]{} }), want: none},
		{
			code: "MDR_AMOUNT_MISMATCH", says: "rates as fractions", make: every(func(i *ledger.Installment) { i.MDRRate = pct("0.0249") }),
			w: world{change: func(o *rules.Options) { o.Profile.Unit = ledger.Fraction }}, want: passes,
		},
		{code: "MDR_TXN_TOTAL_MISMATCH", says: "adds up", want: passes},
		{code: "MDR_TXN_TOTAL_MISMATCH", says: "four cents over three", make: m("2.53", "2.49"), want: fires, severity: "W"},
		{code: "MDR_TXN_TOTAL_MISMATCH", says: "two rates are not one", make: m("2.53", "2.53"), want: none},
		{code: "MDR_RATE_INCONSISTENT", says: "two rates", make: m("2.99", "2.99"), want: fires, severity: "W"},
		{code: "MDR_RATE_INCONSISTENT", says: "one rate", want: passes},
		{code: "MDR_RATE_MISMATCH", says: "the contract's rate", want: passes},
		{code: "MDR_RATE_MISMATCH", says: "half a hundredth of a point", make: m("2.50", "2.495"), want: within},
		{code: "MDR_RATE_MISMATCH", says: "half a point over", make: m("2.99", "2.99"), want: fires, severity: "E"},
		{code: "MDR_RATE_MISMATCH", says: "not stated, and the amount is off", make: noRate("2.99"), want: fires},
		{code: "MDR_RATE_MISMATCH", says: "not stated, and the amount is right", make: noRate("2.49"), want: passes},
		{code: "MDR_RATE_MISMATCH", says: "no contract", w: world{contract: "none"}, want: rules.NoInput},
		{code: "MDR_RATE_MISMATCH", says: "no line for it", w: world{contract: noLine}, want: none},
		{code: "MDR_RATE_MISMATCH", says: "a brand nobody listed", make: every(func(i *ledger.Installment) { i.CardName = "NOVA" }), want: rules.Unmapped},
		{code: "MDR_CHARGED_ZERO", says: "no MDR", make: m("0", "2.49"), want: fires, severity: "W"},
		{code: "MDR_CHARGED_ZERO", says: "no rate", make: m("2.49", "0"), want: fires},
		{code: "MDR_CHARGED_ZERO", says: "charged", want: passes},
		{code: "TRN_FEE_MISMATCH", says: "0.10", want: passes},
		{code: "TRN_FEE_MISMATCH", says: "0.20", make: second(func(i *ledger.Installment) { i.Fee = some("0.20") }), want: fires, severity: "E"},
		{code: "TRN_FEE_MISMATCH", says: "per sale: a cent over the whole", w: world{contract: perSale}, want: within},
		{code: "TRN_FEE_MISMATCH", says: "per sale: not complete", w: world{contract: perSale}, partial: true, want: rules.NotEvaluable},
		{code: "TRN_FEE_MISMATCH", says: "per sale: two cents", w: world{contract: strings.ReplaceAll(perSale, "0.31", "0.32")}, want: fires},
		{code: "TRN_FEE_MISMATCH", says: "a line without the fee is the other rule's", w: world{contract: noFees}, want: none},
		{code: "ANTIFRAUD_FEE_MISMATCH", says: "0.35", make: second(func(i *ledger.Installment) { i.Antifraud = some("0.35") }), want: fires},
		{code: "FEE_UNEXPECTED", says: "the contract has none", w: world{contract: noFees}, want: fires, severity: "E"},
		{code: "FEE_UNEXPECTED", says: "the contract has both", want: passes},
		{code: "FEE_EXCEEDS_GROSS", says: "fees of 101 on 100", make: second(func(i *ledger.Installment) { i.MDR = some("101") }), want: fires},
		{code: "FEE_EXCEEDS_GROSS", says: "fees below", want: passes},
	})
}

func TestAnticipation(t *testing.T) {
	t.Parallel()
	// 97.51 × 0.0109 × 30/30 = 1.0628…: paid on 2024-11-20's eve, a month before 2024-12-20.
	early := func(c, rate, on string) func(histories) histories {
		return func(h histories) histories {
			paid(h[1], on, "96.05")
			i := &h[1].Current().Installment
			i.Anticipation, i.AnticipationRate, i.ReceivedType = some(c), pct(rate), "Antecipado"
			return h
		}
	}
	formula := func(f agreements.AnticipationFormula, b agreements.AnticipationBase) world {
		return world{change: func(o *rules.Options) {
			o.Profile.Anticipation = agreements.AnticipationInterpretation{Formula: f, Base: b}
		}}
	}
	moved := func(h histories) histories {
		h = early("1.06", "1.09", "2024-11-20")(h)
		before := *h[1].Current()
		before.Effective, before.Received, before.ReceivedStatus, before.Version = 0, ledger.Opt[ledger.Amount]{}, "", 1
		h[1].Current().Forecast, h[1].Current().Version = day("2024-11-20"), 2
		h[1] = ledger.InstallmentHistory{before, *h[1].Current()}
		return h
	}
	runCards(t, []cardCase{
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "a month at 1.09 on the net of MDR", make: early("1.06", "1.09", "2024-11-20"), want: passes},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "two cents are rounding", make: early("1.08", "1.09", "2024-11-20"), want: within},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "three are not", make: early("1.09", "1.09", "2024-11-20"), want: fires, severity: "E"},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "nothing charged on an anticipated type", make: early("0", "1.09", "2024-11-20"), want: fires},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "not paid yet", make: second(func(i *ledger.Installment) { i.Anticipation = some("1.06") }), want: rules.NotEvaluable},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "not anticipated", want: none},
		{
			code: "ANTICIPATION_AMOUNT_MISMATCH", says: "compound", make: early("1.05", "1.09", "2024-11-20"),
			w: formula(agreements.AnticipationCompound, agreements.AnticipationOnNetOfMDR), want: passes,
		},
		{
			code: "ANTICIPATION_AMOUNT_MISMATCH", says: "flat on the gross", make: early("1.09", "1.09", "2024-12-10"),
			w: formula(agreements.AnticipationFlat, agreements.AnticipationOnGross), want: passes,
		},
		{
			code: "ANTICIPATION_AMOUNT_MISMATCH", says: "simple on the net of fees", make: early("1.06", "1.09", "2024-11-20"),
			w: formula(agreements.AnticipationSimple, agreements.AnticipationOnNetOfFees), want: passes,
		},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "the forecast was moved to the day of payment", make: moved, want: passes},
		{code: "ANTICIPATION_RATE_MISMATCH", says: "the contract's", make: early("1.06", "1.09", "2024-11-20"), want: passes},
		{code: "ANTICIPATION_RATE_MISMATCH", says: "a hundredth of a point", make: early("1.07", "1.10", "2024-11-20"), want: within},
		{code: "ANTICIPATION_RATE_MISMATCH", says: "another rate", make: early("1.26", "1.29", "2024-11-20"), want: fires},
		{code: "ANTICIPATION_WITHOUT_EARLY_DATE", says: "paid on its date", make: early("1.06", "1.09", "2024-12-20"), want: fires},
		{code: "ANTICIPATION_WITHOUT_EARLY_DATE", says: "paid early", make: early("1.06", "1.09", "2024-11-20"), want: passes},
		{code: "EARLY_PAYMENT_WITHOUT_COST", says: "a month early at no cost", make: settled("2024-11-19", "97.11"), want: fires, severity: "I"},
		{code: "EARLY_PAYMENT_WITHOUT_COST", says: "one business day early", make: settled("2024-12-19", "97.11"), want: passes},
		{code: "EARLY_PAYMENT_WITHOUT_COST", says: "anticipated", make: early("1.06", "1.09", "2024-11-20"), want: none},
	})
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	lower := func(h histories) histories {
		paid(h[1], "", "97.11")
		h[1] = then(h[1], func(v *ledger.InstallmentVersion) { v.Received = some("50") })
		return h
	}
	cleared := func(h histories) histories {
		paid(h[1], "", "97.11")
		h[1] = then(h[1], func(v *ledger.InstallmentVersion) { v.Effective, v.Received, v.ReceivedStatus = 0, some("0"), "" })
		return h
	}
	back := func(h histories) histories {
		h = cleared(h)
		h[1] = then(h[1], func(v *ledger.InstallmentVersion) {
			v.Effective, v.Received, v.ReceivedStatus = v.Forecast, some("97.11"), "Pago"
		})
		return h
	}
	unfinal := func(h histories) histories {
		paid(h[1], "", "50")
		h[1].Current().ReceivedStatus = "Pendente"
		return h
	}
	status := func(received string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.ReceivedStatus = received })
	}
	unseen := world{asOf: "2025-02-10", change: func(o *rules.Options) {
		o.SeenOn = func(ledger.Source, ledger.Date) ledger.Date { return day("2024-11-22") }
	}}
	runCards(t, []cardCase{
		{code: "RECEIVED_VALUE_MISMATCH", says: "the net", make: settled("", "97.11"), want: passes},
		{code: "RECEIVED_VALUE_MISMATCH", says: "a cent short", make: settled("", "97.10"), want: within},
		{code: "RECEIVED_VALUE_MISMATCH", says: "ten cents short", make: settled("", "97.01"), want: fires, severity: "E"},
		{code: "RECEIVED_VALUE_MISMATCH", says: "nothing paid yet", want: none},
		{
			code: "RECEIVED_VALUE_MISMATCH", says: "splits taken out of the receipt", make: settled("", "87.40"),
			w: world{change: func(o *rules.Options) { o.Profile.NetOfSplits = true }}, want: passes,
		},
		{code: "RECEIVED_PARTIAL", says: "half, status open, before the limit", make: unfinal, want: fires, severity: "W"},
		{code: "RECEIVED_PARTIAL", says: "half, status open, past it", make: unfinal, w: world{asOf: "2025-01-10"}, want: fires, severity: "E"},
		{code: "RECEIVED_PARTIAL", says: "half, stated as final", make: settled("", "50"), want: passes},
		{code: "RECEIVED_DATE_WITHOUT_VALUE", says: "a date and nothing", make: settled("", "0"), want: fires, severity: "E"},
		{code: "RECEIVED_DATE_WITHOUT_VALUE", says: "a date and money", make: settled("", "97.11"), want: passes},
		{code: "RECEIVED_VALUE_WITHOUT_DATE", says: "money and no date", make: second(func(i *ledger.Installment) { i.Received = some("97.11") }), want: fires},
		{code: "RECEIVED_OVERDUE", says: "nobody looked after the limit", w: unseen, want: rules.NotPulled},
		{code: "RECEIVED_OVERDUE", says: "paid", make: every(func(i *ledger.Installment) { i.Effective, i.Received = i.Forecast, some("97.11") }), w: world{asOf: "2025-02-10"}, want: none},
		{code: "RECEIVED_OVERDUE", says: "a longer grace", w: world{asOf: "2024-11-26", change: func(o *rules.Options) {
			o.Settings = rules.Settings{"RECEIVED_OVERDUE": {Grace: ledger.Some(5)}}
		}}, want: pends},
		{code: "RECEIVED_LATE", says: "the next day", make: settled("2024-12-23", "97.11"), want: fires, severity: "W"},
		{code: "RECEIVED_LATE", says: "on the day", make: settled("", "97.11"), want: passes},
		{code: "RECEIVED_LATE", says: "no contract to price it", make: settled("2024-12-23", "97.11"), w: world{contract: "none"}, want: fires},
		{code: "RECEIVED_NON_BUSINESS_DAY", says: "on a Sunday", make: settled("2024-12-22", "97.11"), want: fires, severity: "W"},
		{code: "RECEIVED_NON_BUSINESS_DAY", says: "on a Friday", make: settled("", "97.11"), want: passes},
		{code: "RECEIVED_IN_FUTURE", says: "the pull is older than the date", make: func(h histories) histories {
			paid(h[1], "", "97.11")
			h[1].Current().PulledOn = day("2024-12-19")
			return h
		}, want: fires, severity: "E"},
		{code: "RECEIVED_IN_FUTURE", says: "a later version does not excuse the pull that brought it", make: func(h histories) histories {
			paid(h[1], "", "97.11")
			h[1].Current().PulledOn = day("2024-12-19")
			h[1] = then(h[1], func(v *ledger.InstallmentVersion) { v.PulledOn, v.Reference = day("2025-01-01"), "x" })
			return h
		}, want: fires},
		{code: "RECEIVED_IN_FUTURE", says: "the pull is of the day", make: settled("", "97.11"), want: passes},
		{code: "RECEIVED_REVERSED", says: "less than before", make: lower, want: fires, severity: "E"},
		{code: "RECEIVED_REVERSED", says: "date and value gone", make: cleared, want: fires},
		{code: "RECEIVED_REVERSED", says: "gone and back", make: back, want: passes},
		{code: "RECEIVED_REVERSED", says: "never paid", want: none},
		{code: "RECEIVED_NEGATIVE", says: "taken without being paid", make: settled("", "-5"), want: fires, severity: "E"},
		{code: "FORECAST_MISSING", says: "no date", make: second(func(i *ledger.Installment) { i.Forecast = 0 }), want: fires, severity: "W"},
		{code: "FORECAST_DATE_MISMATCH", says: "the contract's", want: passes},
		{code: "FORECAST_DATE_MISMATCH", says: "a business day later", make: second(func(i *ledger.Installment) { i.Forecast = day("2024-12-23") }), want: fires, severity: "W"},
		{code: "FORECAST_DATE_MISMATCH", says: "a week later", make: second(func(i *ledger.Installment) { i.Forecast = day("2024-12-27") }), want: fires, severity: "E"},
		{code: "FORECAST_DATE_MISMATCH", says: "anticipated rows are not judged", make: every(func(i *ledger.Installment) { i.ReceivedType = "Antecipado" }), want: none},
		{code: "FORECAST_DATE_MISMATCH", says: "no contract", w: world{contract: "none"}, want: rules.NoInput},
		{code: "FORECAST_NON_BUSINESS_DAY", says: "a holiday", make: second(func(i *ledger.Installment) { i.Forecast = day("2024-11-20") }), want: fires, severity: "I"},
		{code: "STATUS_FIELD_CONFLICT", says: "says paid and shows nothing", make: status("Pago"), want: fires, severity: "E"},
		{code: "STATUS_FIELD_CONFLICT", says: "says pending and shows all", make: func(h histories) histories {
			paid(h[1], "", "97.11")
			h[1].Current().ReceivedStatus = "Pendente"
			return h
		}, want: fires},
		{code: "STATUS_FIELD_CONFLICT", says: "says nothing", want: passes},
		{code: "CANCELLED_BUT_RECEIVED", says: "cancelled after it was paid", make: func(h histories) histories {
			paid(h[1], "", "97.11")
			h[1] = then(h[1], func(v *ledger.InstallmentVersion) { v.Status = "Cancelada" })
			return h
		}, want: fires},
		{code: "CANCELLED_BUT_RECEIVED", says: "clawed back whole", make: func(h histories) histories {
			paid(h[1], "", "97.11")
			h[1] = then(h[1], func(v *ledger.InstallmentVersion) { v.Status, v.Received = "Cancelada", some("-97.11") })
			return h
		}, want: passes},
		{code: "CANCELLED_STILL_FORECAST", says: "says forecast", make: second(func(i *ledger.Installment) { i.Status, i.ReceivedStatus = "Cancelada", "Previsto" }), want: fires},
		{code: "CANCELLED_STILL_FORECAST", says: "says nothing", make: second(func(i *ledger.Installment) { i.Status = "Cancelada" }), want: passes},
	})
}

func TestSplits(t *testing.T) {
	t.Parallel()
	split := func(change func(*ledger.Split)) func(histories) histories {
		return func(h histories) histories { change(&h[1].Current().Splits[0]); return h }
	}
	whole := world{change: func(o *rules.Options) { o.Profile.Split.Coverage = agreements.SplitWhole }}
	more := func(s ledger.Split) func(histories) histories {
		return func(h histories) histories { h[1].Current().Splits = append(h[1].Current().Splits, s); return h }
	}
	twin := ledger.Split{Beneficiary: "12345678000195", Type: "P", Pct: pct("10"), Base: some("97.11"), Value: some("9.71")}
	runCards(t, []cardCase{
		{code: "SPLIT_AMOUNT_MISMATCH", says: "ten percent", want: passes},
		{code: "SPLIT_AMOUNT_MISMATCH", says: "a cent for the last", make: split(func(s *ledger.Split) { s.Value = some("9.72") }), want: within},
		{code: "SPLIT_AMOUNT_MISMATCH", says: "ten cents", make: split(func(s *ledger.Split) { s.Value = some("9.81") }), want: fires, severity: "E"},
		{code: "SPLIT_BASE_MISMATCH", says: "the gross instead of the net", make: split(func(s *ledger.Split) { s.Base, s.Value = some("100"), some("10") }), want: fires, severity: "E"},
		{code: "SPLIT_BASE_MISMATCH", says: "the net", want: passes},
		{code: "SPLIT_BASE_INCONSISTENT", says: "two bases", make: more(ledger.Split{Beneficiary: "x", Pct: pct("1"), Base: some("90"), Value: some("0.90")}), want: fires, severity: "W"},
		{code: "SPLIT_SUM_MISMATCH", says: "part of it, where all should be", w: whole, want: fires},
		{code: "SPLIT_SUM_MISMATCH", says: "part of it", want: none},
		{code: "SPLIT_PCT_SUM", says: "above 100", make: split(func(s *ledger.Split) { s.Pct = pct("101") }), want: fires, severity: "E"},
		{code: "SPLIT_PCT_SUM", says: "below 100, where all should be", w: whole, want: fires, severity: "W"},
		{code: "SPLIT_EXCEEDS_NET", says: "98 of 97.11", make: split(func(s *ledger.Split) { s.Value = some("98") }), want: fires},
		{code: "SPLIT_DUPLICATE_BENEFICIARY", says: "twice", make: more(twin), want: fires, severity: "W"},
		{code: "SPLIT_DUPLICATE_BENEFICIARY", says: "once", want: passes},
		{code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", says: "10 and 12 percent", make: split(func(s *ledger.Split) { s.Pct = pct("12") }), want: fires, severity: "W"},
		{code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", says: "one installment without", make: func(h histories) histories {
			h[1].Current().Splits = nil
			return h
		}, want: fires},
		{code: "SPLIT_CONTRACT_PCT_MISMATCH", says: "the agreed share", want: passes},
		{code: "SPLIT_CONTRACT_PCT_MISMATCH", says: "12 percent", make: split(func(s *ledger.Split) { s.Pct = pct("12") }), want: fires},
		{code: "SPLIT_CONTRACT_PCT_MISMATCH", says: "a beneficiary nobody agreed to", make: split(func(s *ledger.Split) { s.Beneficiary = "x" }), want: fires},
		{code: "SPLIT_MISSING", says: "none", make: func(h histories) histories { h[1].Current().Splits = nil; return h }, want: fires, severity: "E"},
		{code: "SPLIT_MISSING", says: "there", want: passes},
		{code: "SPLIT_MISSING", says: "nothing agreed", w: world{contract: "none"}, want: rules.NoInput},
	})
}
