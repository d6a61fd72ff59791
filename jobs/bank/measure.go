package bank

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/bank/match"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

const (
	// measuredDays is how many days back from the last settled one payers are measured.
	measuredDays = 60
	// enoughDays is on how many of them a way to pay must match something, and clearLead by how many hundredths it must match more reais
	// than any other.
	enoughDays = 10
	clearLead  = 2
)

// Measurement holds both sides of a payer against each other under every combination of what is measured of it. It is given the lines and
// what was credited as a Conciliation is; days that are not settled are left out.
type Measurement struct {
	account *Account
	payer   int
	period  ledger.Period
	trials  []trial
}

// trial is one combination.
type trial struct {
	values  map[agreements.BankKey]string
	c       *Conciliation
	matched ledger.Amount
	days    int
}

// MeasuredKey is what statements say of one key of a payer.
type MeasuredKey struct {
	Bank, Payer    string
	Key            agreements.BankKey
	InForce, Value string // equal unless Decided
	// Decided is set where the value matches clearly more reais than every other one, on enough days.
	Decided bool
	Days    int // on which the value matches something
	// Values are the candidates, the default first, each with the most that any combination with it matches.
	Values []MeasuredValue
}

// MeasuredValue is what a candidate matches by day and cents.
type MeasuredValue struct {
	Value   string
	Matched ledger.Amount
}

// NewMeasurements are those of the payers of a bank account of which something is measured; none where no day is settled.
func NewMeasurements(a *Account, home ledger.Account, days []banking.Day, t Terms) (all []*Measurement) {
	last := -1
	for i := range days {
		if days[i].Settled() {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	period := ledger.Period{From: max(days[last].Day-measuredDays+1, a.Since), To: days[last].Day}
	for i := range a.Payers {
		if len(a.Payers[i].Measured) == 0 {
			continue
		}
		m := &Measurement{account: a, payer: i, period: period}
		for _, values := range combineKeys(a.Payers[i].Measured) {
			tried := *a
			tried.Payers = slices.Clone(a.Payers)
			for k, v := range values {
				tried.Payers[i].Set(k, v)
			}
			m.trials = append(m.trials, trial{values: values, c: NewConciliation(&tried, home, days, t)})
		}
		all = append(all, m)
	}
	return all
}

// combineKeys are all combinations of the values of keys.
func combineKeys(keys []agreements.BankKey) (all []map[agreements.BankKey]string) {
	all = []map[agreements.BankKey]string{{}}
	for _, k := range keys {
		var more []map[agreements.BankKey]string
		for _, of := range all {
			for _, v := range k.Candidates() {
				next := map[agreements.BankKey]string{k: v}
				for key, value := range of {
					next[key] = value
				}
				more = append(more, next)
			}
		}
		all = more
	}
	return all
}

// Set has a payer pay as a key of a profile says.
func (p *Payer) Set(k agreements.BankKey, value string) {
	switch k {
	case agreements.BankGrain:
		p.Grain = match.Grain(value)
	case agreements.BankPerAccount:
		p.PerAccount = value == "true"
	case agreements.BankNetOfSplits:
		p.NetOfSplits = value == "true"
	case agreements.BankSlipTariff:
		p.NetOfTariff, p.TariffDebited = value == "net", value == "debit"
	}
}

// Value is how a payer pays, as Set takes it.
func (p *Payer) Value(k agreements.BankKey) string {
	word := func(is bool) string {
		if is {
			return "true"
		}
		return "false"
	}
	switch k {
	case agreements.BankGrain:
		return string(p.Grain)
	case agreements.BankPerAccount:
		return word(p.PerAccount)
	case agreements.BankNetOfSplits:
		return word(p.NetOfSplits)
	}
	return p.slipTariff()
}

func (p *Payer) slipTariff() string {
	switch {
	case p.NetOfTariff:
		return "net"
	case p.TariffDebited:
		return "debit"
	}
	return "none"
}

// Period are the days on which it looks.
func (m *Measurement) Period() ledger.Period { return m.period }

// ReadsSplits reports whether the splits of what was credited matter.
func (m *Measurement) ReadsSplits() bool {
	return m.account.NetOfSplits() || slices.Contains(m.account.Payers[m.payer].Measured, agreements.BankNetOfSplits)
}

// AddLine takes a line of the bank, as that of a Conciliation does.
func (m *Measurement) AddLine(l *banking.Line) {
	for i := range m.trials {
		if c := m.trials[i].c; m.looksAt(c, l.Day) {
			c.AddLine(l)
		}
	}
}

// AddInstallment takes an installment that was credited, as that of a Conciliation does.
func (m *Measurement) AddInstallment(x *banking.CreditedInstallment) {
	for i := range m.trials {
		if c := m.trials[i].c; m.looksAt(c, x.Day) {
			c.AddInstallment(x)
		}
	}
}

// AddSlip takes a slip that was credited, as that of a Conciliation does.
func (m *Measurement) AddSlip(x *banking.CreditedSlip) {
	for i := range m.trials {
		if c := m.trials[i].c; m.looksAt(c, x.Day) {
			c.AddSlip(x)
		}
	}
}

// looksAt reports whether a day, and its day at the bank, are settled days of the period.
func (m *Measurement) looksAt(c *Conciliation, d ledger.Date) bool {
	bankDay := match.BankDay(c.Calendar, d)
	return d >= m.period.From && bankDay <= m.period.To && c.isSettled(ledger.Period{From: d, To: bankDay})
}

// Measure matches every combination and finds, key by key, which value matches most. What makes no difference stays as it is.
func (m *Measurement) Measure() (out []MeasuredKey) {
	p := &m.account.Payers[m.payer]
	for i := range m.trials {
		m.trials[i].matchPayer(m.payer, m.period.To+1)
	}
	for _, k := range p.Measured {
		out = append(out, m.measureKey(p, k))
	}
	return out
}

// matchPayer sums what the first pass, which looks at day and cents alone, matches of a payer.
func (t *trial) matchPayer(payer int, asOf ledger.Date) {
	r := &t.c.Match(asOf).Results[payer]
	days := map[ledger.Date]bool{}
	for i := range r.Matches {
		if x := &r.Matches[i]; x.Pass == 1 {
			t.matched += r.Sums(x).Credited
			days[r.Groups[x.Groups[0]].Day] = true
		}
	}
	t.days = len(days)
}

func (m *Measurement) measureKey(p *Payer, k agreements.BankKey) MeasuredKey {
	out := MeasuredKey{Bank: m.account.ID, Payer: p.Name, Key: k, InForce: p.Value(k), Value: p.Value(k)}
	best, second := -1, ledger.Amount(0)
	var bestDays int
	for i, v := range k.Candidates() {
		top, days := ledger.Amount(0), 0
		for n := range m.trials {
			if t := &m.trials[n]; t.values[k] == v && (t.matched > top || t.matched == top && t.days > days) {
				top, days = t.matched, t.days
			}
		}
		out.Values = append(out.Values, MeasuredValue{v, top})
		out.Days = max(out.Days, days)
		switch {
		case best < 0 || top > out.Values[best].Matched:
			if best >= 0 {
				second = out.Values[best].Matched
			}
			best, bestDays = i, days
		case top > second:
			second = top
		}
	}
	top := out.Values[best].Matched
	if bestDays >= enoughDays && (top-second)*100 >= top*clearLead {
		out.Decided, out.Value, out.Days = true, out.Values[best].Value, bestDays
	}
	return out
}
