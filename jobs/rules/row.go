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
	LineUnmapped                  // which line depends on a brand or product in a spelling that is not listed
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
	Count   int // installments of the sale, 0 read as 1
	// Duplicate is the row of the same number of the same sale with a lower occurrence, if any.
	Duplicate *Row

	Class          ledger.Class
	Unmapped       bool         // a status that is not listed was read as empty
	Status         MappedStatus // installmentStatus
	ReceivedStatus MappedStatus // receivedStatus

	Type          ledger.ReceivedType
	TypeUnmapped  bool
	Brand         string // canonical, or as sent
	Product       ledger.Product
	Band          string
	BrandMapped   bool // sent and in the mapping, or not sent
	ProductMapped bool

	LineState LineState
	Line      agreements.RateLine
	Contract  *agreements.Contract // in force on the sale date, or nil

	Gross, MDR, Fee, Antifraud, Anticipation, SplitTotal ledger.Amount
	Received                                             ledger.Amount // a claw-back nets what was paid
	Net                                                  ledger.Amount // N
	BeforeSplits                                         ledger.Amount // N with σ = 0, of live rows
	ExpectedAmounts

	Settled      bool          // De is set, or the class is received: "received" as a condition
	Reversed     bool          // a live row that was received, or received more, before
	Due          ledger.Date   // bd⁺(Df), no date without a forecast
	Limit        ledger.Date   // the last as-of at which a missing receipt is not overdue
	ContractDue  ledger.Date   // the contract's term through the calendar
	MostReceived ledger.Amount // the most an earlier version received, 0 without one
	WasPaid      bool          // an earlier version was received, or had received something
}

// readInstallment reads one installment of s; its stars come once the whole sale is known.
func (r *Row) readInstallment(e *Env, s *Sale, h ledger.InstallmentHistory) {
	now := h.Current()
	*r = Row{
		Sale: s, Now: now, History: h, Key: now.Key(), Count: now.InstallmentCount(),
		Gross: now.Gross, MDR: now.MDR.Or(0), Fee: now.Fee.Or(0), Antifraud: now.Antifraud.Or(0), Anticipation: now.Anticipation.Or(0),
		SplitTotal: now.SplitTotal(), Received: now.Received.Or(0),
		Status: MapStatus(e.Mapping, now.Status), ReceivedStatus: MapStatus(e.Mapping, now.ReceivedStatus),
	}
	r.Unmapped = !r.Status.Known || !r.ReceivedStatus.Known
	r.Class = ClassOfMapped(r.Status, r.ReceivedStatus, now)
	r.readNames(e)
	r.readHistory(e)
	r.readContract(e)
	r.Settled = now.Effective != 0 || r.Class == ledger.Received
	if now.Forecast != 0 {
		r.Due = e.NextBusinessDay(now.Forecast)
		// The calendar's last days have no day after them: nothing waits longer than it knows.
		r.Limit = max(r.Due, e.AddBusinessDays(r.Due, e.Grace("RECEIVED_OVERDUE")))
	}
	r.BeforeSplits = r.Gross - r.MDR - r.Fee - r.Antifraud - r.Anticipation
	if !r.Class.IsReversal() {
		r.Net = r.BeforeSplits
		if e.Profile.NetOfSplits {
			r.Net -= r.SplitTotal
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
	r.Brand, r.BrandMapped = b, ok || r.Now.CardName == ""
	if !ok {
		r.Brand = r.Now.CardName
	}
	p, ok := e.Mapping.Product(r.Now.CardType)
	r.Product, r.ProductMapped = p, ok || r.Now.CardType == ""
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
	r.MostReceived = r.History[0].Received.Or(0)
	for i := range r.History.Earlier() {
		v := &r.History[i]
		r.MostReceived = max(r.MostReceived, v.Received.Or(0))
		dated = dated || v.Effective != 0
		r.WasPaid = r.WasPaid || v.Effective != 0 || v.Received.Or(0) > 0 || ClassOf(e.Mapping, v) == ledger.Received
	}
	if r.Class.IsReversal() {
		if r.Received < 0 && r.MostReceived > 0 {
			r.Received += r.MostReceived
		}
		return
	}
	r.Reversed = r.Received < r.MostReceived || dated && r.Now.Effective == 0
}

func (r *Row) readContract(e *Env) {
	r.Band = bandOf(r.Count)
	day := r.Key.Day
	if !e.HasContract {
		r.LineState = NoContract
		return
	}
	known := agreements.KnownMembers{Brand: r.BrandMapped, Product: r.ProductMapped}
	switch l, found, decided := e.Contracts.MatchRateLine(e.Account, r.Brand, r.Product, known, r.Count, day); {
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
		r.ContractDue = e.addContractTerm(t, day, r.Key.Number)
	}
}

// addContractTerm is where k times a term leads from a day: business days, or calendar days and the next business day.
func (e *Env) addContractTerm(t agreements.Term, from ledger.Date, k int) ledger.Date {
	if t.Business {
		return e.AddBusinessDays(from, t.Days*k)
	}
	d := from + ledger.Date(t.Days*k)
	if e.Profile.Forecast == agreements.ForecastRaw {
		return d
	}
	return e.NextBusinessDay(d)
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

// MissingLineStatus is the status of a rule that rests on a contract line, where there is none.
func (r *Row) MissingLineStatus() Status {
	switch r.LineState {
	case NoContract:
		return NoInput
	case LineUnmapped:
		return Unmapped
	}
	return NotEligible
}
