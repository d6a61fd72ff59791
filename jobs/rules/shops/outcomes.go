package shops

import (
	"cmp"
	"strconv"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/sales/match"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// Terms are what the rules evaluate by.
type Terms struct {
	AsOf     ledger.Date
	Calendar *calendar.Calendar // of the days on which banks settle
	// Tolerance is what a rule lets pass.
	Tolerance func(code string) rules.Tolerance
}

// Found is what a rule concluded of a subject.
type Found struct {
	Code string
	rules.Outcome
}

// Pair is a payment of a store and the sale of the service that it is.
type Pair struct {
	Own   *ownsales.Payment
	Sale  *match.Sale
	Level int
	// Notes says that the store's files are notes, which do not state installments.
	Notes bool
}

// Hints of cases that somebody other than usual has to act on.
const (
	Financed       = "financed"        // the service's amount has interest in it that the store knows of
	CancelledThere = "cancelled_there" // by the service and not by the store
)

// EvaluatePair applies the rules on pairs. Only what fires or pends is returned.
func (t *Terms) EvaluatePair(p *Pair) (all []Found) {
	for _, rule := range pairEvaluations {
		if o := rule.evaluate(t, p); o.Status >= rules.Pends {
			o.Numbers = append(pairNumbers(p), o.Numbers...)
			all = append(all, Found{rule.code, o})
		}
	}
	return all
}

// pairEvaluations are the rules on pairs in the order of the catalogue.
var pairEvaluations = [...]struct {
	code     string
	evaluate func(*Terms, *Pair) rules.Outcome
}{
	{AmountMismatch, (*Terms).evaluateAmount},
	{InstallmentsMismatch, (*Terms).evaluateInstallments},
	{ProductMismatch, (*Terms).evaluateProduct},
	{BrandMismatch, (*Terms).evaluateBrand},
	{DateMismatch, (*Terms).evaluateDate},
	{CancelledOneSide, (*Terms).evaluateCancelled},
	{WeakMatch, (*Terms).evaluateWeakness},
}

// isPaid reports whether a store says that a payment was made and not cancelled.
func isPaid(p *ownsales.Payment) bool { return p.Status == ownsales.StatusPaid }

// ruleStatus is the status of a rule that compares the payment as it is: it does not apply to what was taken back, nor to a word that is
// not declared.
func (p *Pair) ruleStatus() rules.Status {
	switch {
	case p.Own.Status == "":
		return rules.Unmapped
	case !isPaid(p.Own):
		return rules.NotEligible
	}
	return rules.Passed
}

func (t *Terms) evaluateAmount(p *Pair) rules.Outcome {
	s := p.ruleStatus()
	if s == rules.Passed && !p.Sale.Live {
		s = rules.NotEligible
	}
	if s != rules.Passed {
		return s.Outcome()
	}
	o := rules.CompareAmounts(p.Own.Amount, p.Sale.Total, p.Own.Amount, t.Tolerance(AmountMismatch), rules.Under)
	if o.Status != rules.Fires {
		return o
	}
	if o.Hint = ""; p.Own.Interest.OK && p.Sale.Total-p.Own.Amount == p.Own.Interest.V {
		o.Hint = Financed
		o.Numbers = []ledger.Number{rules.NamedAmount("financed", p.Own.Interest.V)}
	}
	return o
}

func (t *Terms) evaluateInstallments(p *Pair) rules.Outcome {
	if s := p.ruleStatus(); s != rules.Passed {
		return s.Outcome()
	}
	if p.Notes || p.Own.Installments == 0 || p.Sale.IsSlip() {
		return rules.NotEligible.Outcome()
	}
	return rules.FireIf(p.Own.Installments != p.Sale.Installments,
		rules.Outcome{Expected: ledger.Text(strconv.Itoa(p.Own.Installments)), Actual: ledger.Text(strconv.Itoa(p.Sale.Installments))})
}

func (t *Terms) evaluateProduct(p *Pair) rules.Outcome {
	if s := p.ruleStatus(); s != rules.Passed {
		return s.Outcome()
	}
	if p.Own.Method == "" || p.Sale.Product == "" {
		return rules.Unmapped.Outcome()
	}
	return rules.FireIf(string(p.Own.Method) != string(p.Sale.Product),
		rules.Outcome{Expected: ledger.Text(string(p.Own.Method)), Actual: ledger.Text(string(p.Sale.Product))})
}

func (t *Terms) evaluateBrand(p *Pair) rules.Outcome {
	if s := p.ruleStatus(); s != rules.Passed {
		return s.Outcome()
	}
	switch {
	case p.Own.Brand == "":
		return rules.NotEligible.Outcome()
	case p.Sale.Brand == "":
		return rules.Unmapped.Outcome()
	}
	return rules.FireIf(p.Own.Brand != p.Sale.Brand, rules.Outcome{Expected: ledger.Text(p.Own.Brand), Actual: ledger.Text(p.Sale.Brand)})
}

// nearMidnight is within how many hours of it another day is no fault of anybody's clock.
const nearMidnight = 2

// evaluateDate evaluates the days. Near midnight two clocks that are both right may show two days.
func (t *Terms) evaluateDate(p *Pair) rules.Outcome {
	if s := p.ruleStatus(); s != rules.Passed {
		return s.Outcome()
	}
	own, sold := p.Own.Day(), p.Sale.SoldAt.Date()
	if int(max(own, sold)-min(own, sold)) <= t.Tolerance(DateMismatch).Grace {
		return rules.Passed.Outcome()
	}
	o := rules.Outcome{Expected: ledger.Day(own), Actual: ledger.Day(sold)}
	if p.Own.Timed && p.Own.SoldAt.NeighbourDay(nearMidnight) == sold || p.Sale.SoldAt.NeighbourDay(nearMidnight) == own {
		o.Severity = ledger.Info
	}
	return rules.FireIf(true, o)
}

// evaluateCancelled evaluates what one side took back and the other did not: an order is often taken back here days before it is there.
func (t *Terms) evaluateCancelled(p *Pair) rules.Outcome {
	if p.Own.Status == "" {
		return rules.Unmapped.Outcome()
	}
	if isPaid(p.Own) == p.Sale.Live {
		return rules.Passed.Outcome()
	}
	since := max(p.Own.Day(), p.Own.CancelledAt.Date())
	o := rules.Outcome{Status: rules.Fires, Expected: ledger.Money(0), Actual: ledger.Money(p.Sale.Total), Numbers: []ledger.Number{rules.NamedAmount("here", p.Sale.Total)}}
	if isPaid(p.Own) {
		since = max(p.Own.Day(), p.Sale.SoldAt.Date())
		o.Expected, o.Actual, o.Hint = ledger.Money(p.Own.Amount), ledger.Money(0), CancelledThere
		o.Numbers = []ledger.Number{rules.NamedAmount("there", p.Own.Amount)}
	}
	if limit := t.Calendar.AddBusinessDays(calendar.Settles, since, t.Tolerance(CancelledOneSide).Grace); t.AsOf <= limit {
		o.Status, o.BreakOn = rules.Pends, limit+1
	}
	return o
}

func (t *Terms) evaluateWeakness(p *Pair) rules.Outcome {
	return rules.FireIf(p.Level == match.Weak, rules.Outcome{})
}

// EvaluateMissing evaluates a payment that the service does not know. authKnown says that the service has, within three days, a sale with
// its authorization. One of zeros alone is none.
func (t *Terms) EvaluateMissing(own *ownsales.Payment, authKnown bool) Found {
	found := Found{Code: NotAtAcquirer}
	if match.NormalizeCode(own.Auth) != "" && !authKnown {
		found.Code = AuthUnknown
	}
	switch {
	case own.Status == "":
		found.Outcome = rules.Unmapped.Outcome()
	case isPaid(own):
		found.Outcome = t.waitFor(found.Code, own.Day(), rules.Outcome{Expected: ledger.Money(own.Amount), Actual: ledger.Money(0), Numbers: ownNumbers(own)})
	}
	return found
}

// EvaluateUnknown evaluates a live sale or slip of the service that no store knows.
func (t *Terms) EvaluateUnknown(s *match.Sale) Found {
	return Found{NotInERP, t.waitFor(NotInERP, s.SoldAt.Date(), rules.Outcome{Expected: ledger.Money(0), Actual: ledger.Money(s.Total), Numbers: saleNumbers(s)})}
}

// waitFor fires an outcome when the grace of a rule, in days after the sale's, is over.
func (t *Terms) waitFor(code string, sold ledger.Date, o rules.Outcome) rules.Outcome {
	limit := sold + ledger.Date(t.Tolerance(code).Grace)
	if o.Status = rules.Fires; t.AsOf <= limit {
		o.Status, o.BreakOn = rules.Pends, limit+1
	}
	return o
}

// EvaluateDuplicate evaluates a payment that names a sale which another payment is.
func (t *Terms) EvaluateDuplicate(own *ownsales.Payment) Found {
	found := Found{Code: DuplicateInERP}
	switch {
	case own.Status == "":
		found.Outcome = rules.Unmapped.Outcome()
	case isPaid(own):
		found.Outcome = rules.Outcome{Status: rules.Fires, Expected: ledger.Money(own.Amount), Actual: ledger.Money(0), Numbers: ownNumbers(own)}
	}
	return found
}

// EvaluateDay evaluates a day that no file has completely. payments are those that files show of it, business says that a file is
// due for business days alone.
func (t *Terms) EvaluateDay(d *ownsales.Day, business bool) rules.Outcome {
	if business && !t.Calendar.IsBusinessDay(calendar.Settles, d.Day) {
		return rules.NotEligible.Outcome()
	}
	limit := t.Calendar.AddBusinessDays(calendar.Settles, d.Day, t.Tolerance(FileMissing).Grace)
	o := rules.Outcome{Severity: ledger.Warning, Numbers: []ledger.Number{rules.NamedDate("day", d.Day), rules.NamedDate("limit", limit)}}
	if d.Payments > 0 {
		o.Numbers = append(o.Numbers, rules.NamedCount("payments", int(d.Payments)))
	}
	return rules.FireIf(d.State != ownsales.DayComplete && t.AsOf > limit, o)
}

// RefusedOutcome is that of a file of an inbox that is no file of the store to be taken in. reason is the id of why.
func RefusedOutcome(name, reason string) rules.Outcome {
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("file", name), rules.NamedText("reason", "sales_"+reason)}}
}

// ownNumbers name a payment.
func ownNumbers(own *ownsales.Payment) []ledger.Number {
	numbers := []ledger.Number{rules.NamedText("sale", own.Sale), rules.NamedDate("day", own.Day())}
	for _, n := range []ledger.Number{
		{Name: "auth", Value: own.Auth},
		{Name: "nsu", Value: own.NSU},
		{Name: "slip", Value: cmp.Or(own.SlipID, own.OurNumber)},
	} {
		if n.Value != "" {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// saleNumbers name a sale of the service.
func saleNumbers(s *match.Sale) []ledger.Number {
	if s.IsSlip() {
		return []ledger.Number{rules.NamedDate("day", s.SoldAt.Date()), rules.NamedText("slip", s.Slip)}
	}
	return []ledger.Number{rules.NamedDate("day", s.SoldAt.Date()), {Name: "nsu", Value: s.Key.NSU}, {Name: "auth", Value: s.Key.Auth}}
}

// pairNumbers name a payment and its sale.
func pairNumbers(p *Pair) []ledger.Number {
	numbers := []ledger.Number{rules.NamedText("sale", p.Own.Sale), rules.NamedDate("day", p.Own.Day())}
	if !p.Sale.IsSlip() {
		numbers = append(numbers, ledger.Number{Name: "nsu", Value: p.Sale.Key.NSU}, ledger.Number{Name: "auth", Value: p.Sale.Key.Auth})
	}
	return append(numbers, rules.NamedCount("level", p.Level), rules.NamedText("service_sale", p.Sale.Subject()))
}
