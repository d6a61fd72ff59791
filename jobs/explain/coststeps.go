package explain

import (
	"strconv"
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// stepWriter gathers the steps of one installment or slip.
type stepWriter struct {
	steps       []CostStep
	lang        string
	installment int
	gross       ledger.Amount
	line        string // of the contract
}

// step is a step in the making: what was charged and what was due.
type step struct {
	name         string
	formula      string
	charged, due ledger.Amount
	contractPct  ledger.Opt[ledger.Rate]
	fromContract bool // due is by the line of the contract
	waits        bool // nothing was charged yet: there is no difference
}

func (w *stepWriter) add(s step) {
	out := CostStep{
		Installment: w.installment, Step: s.name, Formula: s.formula, Charged: s.charged.String(), Due: s.due.String(), Difference: (s.charged - s.due).String(),
	}
	if pct := s.charged.PercentOf(w.gross); pct.OK {
		out.ChargedPct = pct.V.Fixed(4)
	}
	if s.fromContract {
		out.ContractLine = w.line
	}
	if s.contractPct.OK {
		out.ContractPct = s.contractPct.V.String()
	}
	if s.waits {
		out.Difference = ""
	}
	w.steps = append(w.steps, out)
}

// spell writes a number of a formula as the language does.
func (w *stepWriter) spell(a ledger.Amount) string { return catalogue.Spell(a.String(), w.lang) }

func (w *stepWriter) spellRate(r ledger.Rate) string { return catalogue.SpellRate(r.String(), w.lang) }

// equation is what is worked out, and what it comes to.
func (w *stepWriter) equation(result ledger.Amount, terms ...string) string {
	return strings.Join(terms, " ") + " = " + w.spell(result)
}

// saleSteps are the steps of every installment from gross to received, then the totals of the sale.
func saleSteps(env *rules.Env, sale *rules.Sale, lang string) []CostStep {
	var all []CostStep
	totals := map[string]*step{}
	var gross ledger.Amount
	for _, r := range sale.Rows {
		w := &stepWriter{lang: lang, installment: r.Key.Number, gross: r.Gross}
		if r.LineState == rules.LineFound {
			w.line = r.Line.ID
		}
		for _, s := range rowSteps(env, w, r) {
			w.add(s)
			t := totals[s.name]
			if t == nil {
				t = &step{name: s.name}
				totals[s.name] = t
			}
			t.charged, t.due, t.waits = t.charged+s.charged, t.due+s.due, t.waits || s.waits
		}
		gross += r.Gross
		all = append(all, w.steps...)
	}
	if len(sale.Rows) < 2 {
		return all
	}
	w := &stepWriter{lang: lang, gross: gross}
	for _, name := range []string{StepGross, StepMDR, StepTransaction, StepAntifraud, StepAnticipation, StepNet, StepSplit, StepReceived} {
		if t := totals[name]; t != nil {
			w.add(*t)
		}
	}
	return append(all, w.steps...)
}

// rowSteps are the steps of one installment. Net is what is left of gross before splits.
func rowSteps(env *rules.Env, w *stepWriter, r *rules.Row) []step {
	found := r.LineState == rules.LineFound
	netDue := r.Gross - r.ExpectedMDR - r.ExpectedFee - r.ExpectedAntifraud - r.ExpectedAnticipation
	steps := []step{
		{name: StepGross, charged: r.Gross, due: r.Gross},
		mdrStep(env, w, r),
		feeStep(w, r, StepTransaction, r.Fee, r.ExpectedFee, r.Line.TransactionFee),
		feeStep(w, r, StepAntifraud, r.Antifraud, r.ExpectedAntifraud, r.Line.AntifraudFee),
		anticipationStep(env, w, r),
		{
			name: StepNet, charged: r.BeforeSplits, due: netDue, fromContract: found,
			formula: w.equation(netDue, w.spell(r.Gross), "−", w.spell(r.ExpectedMDR), "−", w.spell(r.ExpectedFee), "−", w.spell(r.ExpectedAntifraud),
				"−", w.spell(r.ExpectedAnticipation)),
		},
	}
	for n := range r.ExpectedSplits {
		steps = append(steps, splitStep(env, w, r, n))
	}
	return append(steps, step{name: StepReceived, charged: r.Received, due: r.ExpectedNet, fromContract: found, waits: !r.Settled && r.Received == 0})
}

func mdrStep(env *rules.Env, w *stepWriter, r *rules.Row) step {
	s := step{name: StepMDR, charged: r.MDR, due: r.ExpectedMDR}
	switch {
	case r.LineState == rules.LineFound:
		s.fromContract, s.contractPct = true, ledger.Some(r.Line.MDR)
		s.formula = w.equation(r.ExpectedMDR, w.spell(r.Gross), "×", w.spellRate(r.Line.MDR))
	case r.Now.MDRRate.OK:
		s.formula = w.equation(r.ExpectedMDR, w.spell(r.Gross), "×", w.spellRate(r.Now.MDRRate.V.Percent(env.Profile.Unit)))
	}
	return s
}

// feeStep is a fee of the contract: of each installment, or of the sale and spread over them.
func feeStep(w *stepWriter, r *rules.Row, name string, charged, due ledger.Amount, agreed ledger.Opt[ledger.Amount]) step {
	s := step{name: name, charged: charged, due: due, fromContract: r.LineState == rules.LineFound}
	if s.fromContract && agreed.OK {
		s.formula = w.spell(due)
		if r.Line.FeeBasis == agreements.PerSale {
			s.formula = w.equation(due, w.spell(agreed.V), "÷", strconv.Itoa(r.Count))
		}
	}
	return s
}

// anticipationStep is the cost of an early payment, by the formula and the base of the profile.
func anticipationStep(env *rules.Env, w *stepWriter, r *rules.Row) step {
	s := step{name: StepAnticipation, charged: r.Anticipation, due: r.ExpectedAnticipation}
	pct := ledger.Opt[ledger.Rate]{}
	switch {
	case r.LineState == rules.LineFound && r.Line.Anticipation.OK:
		pct, s.fromContract, s.contractPct = r.Line.Anticipation, true, r.Line.Anticipation
	case r.Now.AnticipationRate.OK:
		pct = ledger.Some(r.Now.AnticipationRate.V.Percent(env.Profile.Unit))
	}
	if !r.IsAnticipated() || !pct.OK || r.DaysEarly == 0 {
		return s
	}
	base := []string{w.spell(r.Gross)}
	switch env.Profile.Anticipation.Base {
	case agreements.AnticipationOnNetOfMDR:
		base = []string{"(" + w.spell(r.Gross), "−", w.spell(r.MDR) + ")"}
	case agreements.AnticipationOnNetOfFees:
		base = []string{"(" + w.spell(r.Gross), "−", w.spell(r.MDR), "−", w.spell(r.Fee), "−", w.spell(r.Antifraud) + ")"}
	}
	days := strconv.Itoa(r.DaysEarly) + "/" + strconv.Itoa(rules.DaysOfMonth)
	switch env.Profile.Anticipation.Formula {
	case agreements.AnticipationFlat:
		base = append(base, "×", w.spellRate(pct.V))
	case agreements.AnticipationCompound:
		base = append(base, "× (1 − (1 +", w.spellRate(pct.V)+")^(−"+days+"))")
	default:
		base = append(base, "×", w.spellRate(pct.V), "×", days)
	}
	s.formula = w.equation(r.ExpectedAnticipation, base...)
	return s
}

// splitStep is split n of the installment; one that was agreed and is missing was not paid.
func splitStep(env *rules.Env, w *stepWriter, r *rules.Row, n int) step {
	s := step{name: StepSplit, due: r.ExpectedSplits[n]}
	var pct ledger.Opt[ledger.Rate]
	if n < len(r.Now.Splits) {
		sp := &r.Now.Splits[n]
		s.charged = sp.Value.Or(0)
		if sp.Pct.OK {
			pct = ledger.Some(sp.Pct.V.Percent(env.Profile.Unit))
		}
		if agreed, ok := rules.FindAgreedShare(rules.AgreedSplits(r), sp.Beneficiary); ok {
			pct, s.contractPct = ledger.Some(agreed), ledger.Some(agreed)
		}
	} else {
		pct = ledger.Some(r.MissingSplits[n-len(r.Now.Splits)].Pct)
		s.contractPct = pct
	}
	if pct.OK {
		s.formula = w.equation(s.due, w.spell(rules.SplitBase(env, r)), "×", w.spellRate(pct.V))
	}
	return s
}

// saleDates are the dates of the installments, each with why it is that day.
func saleDates(sale *rules.Sale) []ItemDate {
	out := []ItemDate{{Name: "sold", Date: sale.Key.Day, Reason: "service"}}
	for _, r := range sale.Rows {
		add := func(name string, d ledger.Date, reason, term string) {
			if d != 0 {
				out = append(out, ItemDate{r.Key.Number, name, d, reason, term})
			}
		}
		add("forecast", r.Now.Forecast, "service", "")
		if r.Due != r.Now.Forecast {
			add("due", r.Due, "next_business_day", "")
		}
		if r.Contract != nil {
			if t, ok := r.Contract.Settlement.TermOf(r.Product); ok {
				add("contract_due", r.ContractDue, "contract", t.String())
			}
		}
		if !r.Settled {
			add("limit", r.Limit, "grace", "")
		}
		add("effective", r.Now.Effective, "service", "")
	}
	return out
}

// slipSteps are the steps of a slip from its value to what was credited.
func slipSteps(s *rules.Slip, lang string) []CostStep {
	w := &stepWriter{lang: lang, gross: s.FaceValue}
	waits := s.Class != ledger.Paid
	w.add(step{name: StepValue, charged: s.FaceValue, due: s.FaceValue})
	if s.Late() || s.PenaltyPaid != 0 || s.InterestPaid != 0 {
		w.add(step{name: StepPenalty, charged: s.PenaltyPaid, due: s.ExpectedPenalty.Or(0), waits: !s.ChargesShown})
		w.add(step{name: StepInterest, charged: s.InterestPaid, due: s.ExpectedInterest.Or(0), waits: !s.ChargesShown})
	}
	if s.Discount != 0 {
		w.add(step{name: StepDiscount, charged: s.Discount, due: s.Discount})
	}
	w.add(step{name: StepPaid, charged: s.PaidAmount, due: s.ExpectedValue, waits: waits})
	if s.Terms.Tariff.OK && !waits {
		tariff := s.Terms.Tariff.V
		w.add(step{name: StepTariff, charged: tariff, due: tariff})
		net := s.PaidAmount - tariff
		w.add(step{
			name: StepCredited, charged: max(0, s.Credited-tariff), due: net, waits: s.CreditedOn == 0,
			formula: w.equation(net, w.spell(s.PaidAmount), "−", w.spell(tariff)),
		})
	}
	return w.steps
}

func slipDates(s *rules.Slip) []ItemDate {
	var out []ItemDate
	add := func(name string, d ledger.Date, reason, term string) {
		if d != 0 {
			out = append(out, ItemDate{0, name, d, reason, term})
		}
	}
	add("issued", s.Issued, "service", "")
	add("slip_due", s.Due, "service", "")
	if s.DueOn != s.Due {
		add("payable_until", s.DueOn, "next_branch_day", "")
	}
	add("paid", s.PaidOn, "service", "")
	if s.PaidOn != 0 {
		add("credit_due", s.CreditDue, "contract", s.Terms.Credit.String())
	}
	add("credited", s.CreditedOn, "service", "")
	return out
}
