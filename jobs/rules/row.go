package rules

import (
	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// LineState is whether an installment has a contract line.
type LineState uint8

// The states. Only LineFound has a line.
const (
	NoContract   LineState = iota // the account has none
	LineUnmapped                  // which line depends on a brand or product in a spelling nobody listed
	LineMissing                   // the contract has no line for it
	LineFound
)

// Row is an installment as the rules see it: the current version, what it was, what it means and what it should
// have been. Amounts the service did not send are 0 here; Now keeps the difference.
type Row struct {
	Sale    *Sale
	Now     *ledger.InstallmentVersion
	History ledger.InstallmentHistory
	Key     ledger.InstallmentKey
	N       int // installments of the sale, 0 read as 1
	// Twin is the row of the same number of the same sale with a lower occurrence, if any.
	Twin *Row

	Class    ledger.Class
	Unmapped bool // a status nobody listed was read as empty
	status   word // installmentStatus
	received word // receivedStatus

	Type         ledger.ReceivedType
	TypeUnmapped bool
	Brand        string // canonical, or as sent
	Product      ledger.Product
	Band         string
	brandKnown   bool // sent and in the mapping, or not sent
	productKnown bool

	LineState LineState
	Line      agreements.RateLine
	Contract  *agreements.Contract // in force on the sale date, or nil

	G, M, F, A, C, S ledger.Amount
	R                ledger.Amount // a claw-back nets what was paid
	Net              ledger.Amount // N
	BeforeSplits     ledger.Amount // N with σ = 0, of live rows
	Stars

	Settled  bool          // De is set, or the class is received: "received" as a condition
	Reversed bool          // a live row that was received, or received more, before
	Due      ledger.Date   // bd⁺(Df), no date without a forecast
	Limit    ledger.Date   // the last as-of at which a missing receipt is not overdue
	Expected ledger.Date   // the contract's term through the calendar
	bestR    ledger.Amount // the most an earlier version received, 0 without one
	wasPaid  bool          // an earlier version was received, or had received something
}

// read reads one installment of s; its stars come once the whole sale is known.
func (r *Row) read(e *Env, s *Sale, h ledger.InstallmentHistory) {
	now := h.Current()
	*r = Row{
		Sale: s, Now: now, History: h, Key: now.Key(), N: now.InstallmentCount(),
		G: now.Gross, M: now.MDR.Or(0), F: now.Fee.Or(0), A: now.Antifraud.Or(0), C: now.Anticipation.Or(0),
		S: now.SplitTotal(), R: now.Received.Or(0),
		status: read(e.Mapping, now.Status), received: read(e.Mapping, now.ReceivedStat),
	}
	r.Unmapped = !r.status.known || !r.received.known
	r.Class = classOf(r.status, r.received, now)
	r.readNames(e)
	r.readHistory(e)
	r.readContract(e)
	r.Settled = now.Effective != 0 || r.Class == ledger.Received
	if now.Forecast != 0 {
		r.Due = e.next(now.Forecast)
		// The calendar's last days have no day after them: nothing waits longer than it knows.
		r.Limit = max(r.Due, e.add(r.Due, e.grace("RECEIVED_OVERDUE")))
	}
	r.BeforeSplits = r.G - r.M - r.F - r.A - r.C
	if !r.Class.IsReversal() {
		r.Net = r.BeforeSplits
		if e.Profile.NetOfSplits {
			r.Net -= r.S
		}
	}
}

func (r *Row) readNames(e *Env) {
	t, ok := e.Mapping.ReceivedType(r.Now.ReceivedType)
	r.Type, r.TypeUnmapped = t, !ok
	if !ok {
		r.Type = ledger.Normal
	}
	b, ok := e.Mapping.Brand(r.Now.CardName)
	r.Brand, r.brandKnown = b, ok || r.Now.CardName == ""
	if !ok {
		r.Brand = r.Now.CardName
	}
	p, ok := e.Mapping.Product(r.Now.CardType)
	r.Product, r.productKnown = p, ok || r.Now.CardType == ""
	if !ok {
		r.Product = ledger.Product(r.Now.CardType)
	}
}

// readHistory looks at what the row was: the highest receipt, and whether it is lower now or gone.
func (r *Row) readHistory(e *Env) {
	if len(r.History) == 1 {
		return
	}
	dated := false
	r.bestR = r.History[0].Received.Or(0)
	for i := range r.History.Earlier() {
		v := &r.History[i]
		r.bestR = max(r.bestR, v.Received.Or(0))
		dated = dated || v.Effective != 0
		r.wasPaid = r.wasPaid || v.Effective != 0 || v.Received.Or(0) > 0 || ClassOf(e.Mapping, v) == ledger.Received
	}
	if r.Class.IsReversal() {
		if r.R < 0 && r.bestR > 0 {
			r.R += r.bestR
		}
		return
	}
	r.Reversed = r.R < r.bestR || dated && r.Now.Effective == 0
}

func (r *Row) readContract(e *Env) {
	r.Band = bandOf(r.N)
	day := r.Key.Day
	if !e.contracted {
		r.LineState = NoContract
		return
	}
	known := agreements.KnownMembers{Brand: r.brandKnown, Product: r.productKnown}
	switch l, found, decided := e.Contracts.MatchRateLine(e.Account, r.Brand, r.Product, known, r.N, day); {
	case !decided:
		r.LineState = LineUnmapped
	case !found:
		r.LineState = LineMissing
	default:
		r.LineState, r.Line = LineFound, l
		if l.Band != agreements.Any {
			r.Band = l.Band
		}
	}
	k, ok := e.Contracts.FindContract(e.Account, day)
	if !ok {
		return
	}
	r.Contract = k
	if t, ok := k.Settlement.TermOf(r.Product); ok && r.Key.Number > 0 {
		r.Expected = e.term(t, day, r.Key.Number)
	}
}

// term is where k times a term leads from a day: business days, or calendar days and the next business day.
func (e *Env) term(t agreements.Term, from ledger.Date, k int) ledger.Date {
	if t.Business {
		return e.add(from, t.Days*k)
	}
	d := from + ledger.Date(t.Days*k)
	if e.Profile.Forecast == agreements.ForecastRaw {
		return d
	}
	return e.next(d)
}

// bandOf is the band of a number of installments where no contract line names one.
func bandOf(n int) string {
	switch {
	case n <= 1:
		return "1"
	case n <= 6:
		return "2-6"
	case n <= 12:
		return "7-12"
	}
	return "13-99"
}

// Live reports whether money is owed or was paid.
func (r *Row) Live() bool { return r.Class.IsLive() }

// Subject names the installment.
func (r *Row) Subject() string { return r.Key.Subject() }

// contractOr is the status of a rule that rests on a contract line, where there is none.
func (r *Row) contractOr() Status {
	switch r.LineState {
	case NoContract:
		return NoInput
	case LineUnmapped:
		return Unmapped
	}
	return NotEligible
}
