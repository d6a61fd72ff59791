package cards

import (
	"math/big"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// SimulatorDrift is the code of the rule on the service's settlement simulator, for which the run collects the answers.
const SimulatorDrift = "SIMULATOR_DRIFT"

// SimulatorRules evaluate what the service says a sale would cost.
func SimulatorRules() []rules.Rule {
	return []rules.Rule{{
		Code: SimulatorDrift, Version: 1, Family: rules.FamilyFees, Subject: rules.OnOption, Severity: ledger.Warning,
		Default: rules.Tolerance{Points: 50_000}, Needs: []rules.Need{rules.Simulator, rules.Contract, rules.Installments}, Tier: rules.Configured,
	}}
}

const (
	// maxOption is the most installments an option is evaluated for: the first release of the service has no more.
	maxOption = 12
	// practisedRows is how many installments a practised cost is measured on.
	practisedRows = 30
	// PractisedDays is how many days of sales, before the as-of, a practised cost is measured on.
	PractisedDays = 30
)

// OptionOutcome is what the rule says of one option, the subject it says it of, and the contract line it was held to;
// empty where it was held to what was practised.
type OptionOutcome struct {
	Subject string
	Line    string
	rules.Outcome
}

// option is one option of a simulation with what it should cost.
type option struct {
	ledger.SimulatedOption
	priced  bool        // by a contract line, or by enough rows
	line    string      // of the contract
	mdr     ledger.Rate // percent
	early   ledger.Opt[ledger.Rate]
	days    int // from one installment to the next
	rows    int // practised: the rows of the MDR; 0: the contract says
	implied ledger.Rate
	without ledger.Rate             // expected cost, MDR alone
	with    ledger.Opt[ledger.Rate] // and with anticipation, where that is known
}

// EvaluateSimulation evaluates the options of one answer of the simulator, in their order. practised is asked for only where the
// contract has no line.
//
// Spec gap: what the simulator prices is not shown. Its documented sample is reproduced to the cent by the MDR and by
// anticipation of every installment to the day of the sale, a month of 30 days apart, without any fee in reais. An
// operator whose simulator prices no anticipation is recognized from all options together.
func EvaluateSimulation(e *rules.Env, s *ledger.Simulation, practised func() (*Practised, error)) ([]OptionOutcome, error) {
	var options []option
	for _, o := range s.Options {
		if o.Installments < 1 || o.Installments > maxOption {
			continue
		}
		one := option{SimulatedOption: o}
		if err := findOptionRates(e, &one, s.Brand, practised); err != nil {
			return nil, err
		}
		computeOptionCosts(e, &one, s.Net)
		options = append(options, one)
	}
	early := pricesEarlyPayment(options)
	out := make([]OptionOutcome, len(options))
	for i := range options {
		o := &options[i]
		out[i].Subject = ledger.Subject("option", e.Account, s.Brand, rules.NamedCount("", o.Installments).Value)
		out[i].Line, out[i].Outcome = o.line, evaluateOption(e, o, s.Brand, early)
	}
	return out, nil
}

// findOptionRates finds the rates of an option: those of the contract in force on the day before the as-of, else what was practised.
func findOptionRates(e *rules.Env, o *option, brand string, practised func() (*Practised, error)) error {
	o.days = rules.DaysOfMonth
	if l, found := e.Contracts.FindRateLine(e.Account, brand, ledger.Credit, o.Installments, e.AsOf-1); found {
		o.priced, o.line, o.mdr, o.early = true, l.ID, l.MDR, l.Anticipation
		if k, ok := e.Contracts.FindContract(e.Account, e.AsOf-1); ok {
			if t, agreed := k.Settlement.TermOf(ledger.Credit); agreed && !t.Business {
				o.days = t.Days
			}
		}
		return nil
	}
	p, err := practised()
	if err != nil {
		return err
	}
	o.mdr, o.rows, o.priced = p.averageMDR(brand, o.Installments)
	o.early = p.averageAnticipation(brand)
	return nil
}

// computeOptionCosts works out what the simulator charges for the option, and what its rates come to on the same sale.
func computeOptionCosts(e *rules.Env, o *option, net ledger.Amount) {
	implied, ok := rules.PercentOf(o.Gross-net, o.Gross)
	if !ok {
		o.priced = false
		return
	}
	o.implied = implied
	if !o.priced {
		return
	}
	o.without, o.priced = shareTaken(e, o, 0)
	if o.early.OK && o.priced {
		with, ok := shareTaken(e, o, o.early.V)
		o.with = ledger.Opt[ledger.Rate]{V: with, OK: ok}
	}
}

// shareTaken is the share of the sale, in percent, that MDR and anticipation take, computed installment by installment as
// the service does, each due so many days after the one before and paid on the day of the sale.
func shareTaken(e *rules.Env, o *option, early ledger.Rate) (ledger.Rate, bool) {
	cents := o.Gross.Cents(ledger.HalfAwayFromZero)
	part, rest := cents/int64(o.Installments), cents%int64(o.Installments)
	var taken ledger.Amount
	for k := 1; k <= o.Installments; k++ {
		r := rules.Row{Gross: ledger.FromCents(part)}
		if int64(k) <= rest {
			r.Gross += ledger.Cent
		}
		m, err := o.mdr.ShareOf(r.Gross, ledger.Percent, ledger.HalfAwayFromZero)
		if err != nil {
			return 0, false
		}
		r.MDR = m
		c := ledger.Amount(0)
		if early != 0 {
			var fine bool
			if c, fine = e.AnticipationCost(&r, early, k*o.days); !fine {
				return 0, false
			}
		}
		taken += m + c
	}
	return rules.PercentOf(taken, o.Gross)
}

// pricesEarlyPayment says whether the options are nearer to their cost with anticipation than to that without.
func pricesEarlyPayment(options []option) bool {
	var with, without ledger.Rate
	for i := range options {
		if o := &options[i]; o.priced && o.with.OK {
			with += (o.implied - o.with.V).Abs()
			without += (o.implied - o.without).Abs()
		}
	}
	return with <= without
}

func evaluateOption(e *rules.Env, o *option, brand string, early bool) rules.Outcome {
	if !o.priced {
		return rules.NotEvaluable.Outcome()
	}
	expected := o.without
	priced := early && o.with.OK
	if priced {
		expected = o.with.V
	}
	diff := o.implied - expected
	switch {
	case diff == 0:
		return rules.Passed.Outcome()
	case diff.Abs() <= e.Tolerance(SimulatorDrift).Points:
		return rules.Within.Outcome()
	case early && !o.with.OK && diff > 0:
		return rules.NotEvaluable.Outcome() // the rest may be anticipation, and what that costs is not known
	}
	out := rules.Outcome{
		Status: rules.Fires, Hint: rules.Over, Expected: ledger.Text(expected.Fixed(4)), Actual: ledger.Text(o.implied.Fixed(4)),
		Numbers: []ledger.Number{rules.NamedText("brand", brand), rules.NamedCount("installments", o.Installments)},
	}
	if diff < 0 {
		out.Hint = rules.Under
	}
	if o.rows == 0 {
		out.Numbers = append(out.Numbers, rules.NamedRate("contract_mdr", o.mdr))
	} else {
		out.Numbers = append(out.Numbers, rules.NamedRate("practised_mdr", o.mdr), rules.NamedCount("rows", o.rows))
	}
	if priced {
		out.Numbers = append(out.Numbers, rules.NamedRate("anticipation", o.early.V))
	}
	return out
}

// Practised is what the installments of the last days cost, by brand and by the number of installments of their sale.
// Its zero value is ready to use.
type Practised struct {
	sales map[practisedKey]*rules.RateSums
	early map[string]*earlySums
}

type practisedKey struct {
	brand string
	count int
}

// earlySums weigh the stated rates of anticipated installments by what they were taken of.
type earlySums struct {
	rows           int
	weighted, base big.Int
}

// Add counts an installment. Only live credit ones of a mapped brand, product and status count.
func (p *Practised) Add(e *rules.Env, v *ledger.InstallmentVersion) {
	status, received := rules.MapStatus(e.Mapping, v.Status), rules.MapStatus(e.Mapping, v.ReceivedStatus)
	brand, known := e.Mapping.Brand(v.CardName)
	product, mapped := e.Mapping.Product(v.CardType)
	if !known || !mapped || product != ledger.Credit || !status.Known || !received.Known || rules.ClassOfMapped(status, received, v).IsReversal() || v.Gross <= 0 {
		return
	}
	if p.sales == nil {
		p.sales, p.early = map[practisedKey]*rules.RateSums{}, map[string]*earlySums{}
	}
	k := practisedKey{brand, v.InstallmentCount()}
	s := p.sales[k]
	if s == nil {
		s = &rules.RateSums{}
		p.sales[k] = s
	}
	s.Rows++
	s.MDR += v.MDR.Or(0)
	s.Gross += v.Gross
	if v.Anticipation.Or(0) <= 0 || !v.AnticipationRate.OK {
		return
	}
	a := p.early[brand]
	if a == nil {
		a = &earlySums{}
		p.early[brand] = a
	}
	a.rows++
	base := big.NewInt(int64(v.Gross - v.MDR.Or(0)))
	a.base.Add(&a.base, base)
	a.weighted.Add(&a.weighted, base.Mul(base, big.NewInt(int64(v.AnticipationRate.V.Percent(e.Profile.Unit)))))
}

// averageMDR is the average MDR in percent of sales of the brand in so many installments, and on how many installments it is
// measured; false when they are too few.
func (p *Practised) averageMDR(brand string, installments int) (ledger.Rate, int, bool) {
	s := p.sales[practisedKey{brand, installments}]
	if s == nil || s.Rows < practisedRows {
		return 0, 0, false
	}
	m, ok := rules.PercentOf(s.MDR, s.Gross)
	return m, s.Rows, ok
}

// averageAnticipation is the average stated rate of the brand's anticipated installments, in percent a month; absent when they
// are too few.
func (p *Practised) averageAnticipation(brand string) ledger.Opt[ledger.Rate] {
	a := p.early[brand]
	if a == nil || a.rows < practisedRows || a.base.Sign() <= 0 {
		return ledger.Opt[ledger.Rate]{}
	}
	var q big.Int
	q.Quo(&a.weighted, &a.base)
	if !q.IsInt64() || ledger.Rate(q.Int64()).Abs() > ledger.MaxRate {
		return ledger.Opt[ledger.Rate]{}
	}
	return ledger.Some(ledger.Rate(q.Int64()))
}
