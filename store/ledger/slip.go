package ledger

import (
	"cmp"
	"slices"
	"time"
)

// The values of statusBill and statusIntegration (interface document, States and transitions).
const (
	BillProcessing = 1
	BillIssued     = 2
	BillPaid       = 3
	BillOverdue    = 9
	BillFailed     = 99

	IntegrationProcessing = 1
	IntegrationIssued     = 2
	IntegrationRejected   = 9
	IntegrationFailed     = 99
)

// SlipView is a slip as one list, or the detail, showed it. Members that the list does not have are absent.
type SlipView struct {
	Account Account
	ID      string // lower case
	List    Source // SlipsDue, SlipsPayment, SlipsCredit or SlipDetail

	Value         Amount
	Issued        Date
	Due           Date
	PayerDocument string
	PayerName     string
	PayerStreet   string
	PayerZip      string
	PayerCity     string
	PayerState    string
	PayerDistrict string
	PayerPhone    string
	PaidOn        Date        // effectivePaymentDate
	CreditedOn    Date        // effectiveCreditDate
	PaidValue     Opt[Amount] // effectivePaymentValue
	BarCode       string
	DigitableLine string
	PixCode       string
	Status        Opt[int64] // statusBill, in the detail status
	Integration   Opt[int64] // statusIntegration; in the credit list only a filter reveals it

	// Members that only the list by credit date has.
	OurNumber        string
	ReferenceCode    string
	LateAllowed      Opt[bool]
	LateLimit        Date
	Penalty          Opt[Amount] // OverduePaymentPenalty; the profile decides the unit
	PenaltyReceived  Opt[Amount]
	Interest         Opt[Amount] // OverduePaymentInterest; the profile decides the unit
	InterestReceived Opt[Amount]
	CancelledOn      Date
	CancelReason     string
}

// ListDay returns the date by which the list selects the slip; zero for a detail.
func (v *SlipView) ListDay() Date {
	switch v.List {
	case SlipsDue:
		return v.Due
	case SlipsPayment:
		return v.PaidOn
	case SlipsCredit:
		return v.CreditedOn
	}
	return 0
}

// ContentHash is the hash of every member of the view.
func (v *SlipView) ContentHash() Hash { return contentHash(slipMembers, v) }

// SlipVersion is a view of a slip as it was seen at one time.
type SlipVersion struct {
	SlipView
	Version     int
	Content     Hash
	FirstPull   string
	LastPull    string
	LastRun     string    // the run whose pull showed it last
	SeenAt      time.Time // when that pull began, UTC
	FirstSeen   Date      // as-of of the run that first saw the slip in this list
	LastChanged Date      // as-of of the run that brought this version
	Vanished    bool
}

// Slip is a bank slip: its views merged member by member, the last seen taking precedence, and the views themselves.
type Slip struct {
	SlipView                  // merged; List is that of the last view
	Views       []SlipVersion // the last version of each list that showed it
	Earlier     []SlipVersion // superseded versions, oldest first
	FirstSeen   Date
	LastChanged Date // as-of of the run that brought the last version counted in Version
	Version     int  // the number of versions of all views; details that only repeat a list are not counted

	// For a reconcile: the stored expectation of the slip, and whether every list stopped showing it. If so, Views is empty
	// and only Account and ID are set.
	Stored   *StoredExpectation
	Vanished bool
}

// SlipOf merges the last views of one slip. For each member the view seen last takes precedence; at equal instants a
// detail precedes credit, credit precedes payment, payment precedes due. A detail that only repeats the list view seen
// last leaves that view in force. Members that only the credit list has come from it. views must not be empty.
func SlipOf(views, earlier []SlipVersion) Slip {
	views = slices.Clone(views)
	slices.SortStableFunc(views, func(a, b SlipVersion) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), listPrecedence(a.List)-listPrecedence(b.List))
	})
	last := &views[0]
	if len(views) > 1 && last.repeatsList(&views[1].SlipView) {
		last = &views[1]
	}
	s := Slip{SlipView: last.SlipView, Views: views, Earlier: earlier}
	if last.List == SlipsCredit {
		s.Integration = Opt[int64]{} // from a filter, perhaps long ago: the lists that show it take precedence
	}
	for _, v := range views {
		s.fillFrom(&v.SlipView)
		if s.FirstSeen == 0 || v.FirstSeen < s.FirstSeen {
			s.FirstSeen = v.FirstSeen
		}
	}
	if v := s.View(SlipsCredit); v != nil && !s.Integration.OK {
		s.Integration = v.Integration
	}
	s.countVersions()
	return s
}

// countVersions sets Version and LastChanged. Details that only repeat a list do not count.
func (s *Slip) countVersions() {
	for _, versions := range [][]SlipVersion{s.Views, s.Earlier} {
		for i := range versions {
			if !s.isRepeated(&versions[i]) {
				s.Version++
			}
		}
	}
	for i := range s.Views {
		if v := &s.Views[i]; !s.isRepeated(v) {
			s.LastChanged = max(s.LastChanged, v.LastChanged)
		}
	}
}

// SeenIn returns the lists that show the slip, and SlipDetail if a detail showed more than they did.
func (s *Slip) SeenIn() []Source {
	var in []Source
	for i := range s.Views {
		if v := &s.Views[i]; !s.isRepeated(v) {
			in = append(in, v.List)
		}
	}
	return in
}

// isRepeated reports whether a version is a detail that showed nothing more than a list by the same as-of.
func (s *Slip) isRepeated(d *SlipVersion) bool {
	if d.List != SlipDetail {
		return false
	}
	shown := func(v SlipVersion) bool {
		return v.List != SlipDetail && v.LastChanged <= d.LastChanged && d.repeatsList(&v.SlipView)
	}
	return slices.ContainsFunc(s.Views, shown) || slices.ContainsFunc(s.Earlier, shown)
}

// repeatsList reports whether v is a detail whose dates and amounts, and whose other members as far as they are present, equal
// those of the view of a list. The detail has no status overdue and has issued instead (interface document, States and
// transitions).
func (v *SlipView) repeatsList(list *SlipView) bool {
	if v.List != SlipDetail || list.List == SlipDetail {
		return false
	}
	d := *list
	payer := 0
	if v.IsForgotten() || list.IsForgotten() {
		payer = payerMembers // a payer who was forgotten in one of them is no difference
	}
	for _, m := range []struct {
		shown string
		to    *string
	}{
		{v.PayerDocument, &d.PayerDocument},
		{v.PayerName, &d.PayerName},
		{v.PayerStreet, &d.PayerStreet},
		{v.PayerZip, &d.PayerZip},
		{v.PayerCity, &d.PayerCity},
		{v.PayerState, &d.PayerState},
		{v.PayerDistrict, &d.PayerDistrict},
		{v.PayerPhone, &d.PayerPhone},
		{v.BarCode, &d.BarCode},
		{v.DigitableLine, &d.DigitableLine},
		{v.PixCode, &d.PixCode},
	}[payer:] {
		*m.to = cmp.Or(m.shown, *m.to)
	}
	d.Value, d.Issued, d.Due, d.PaidOn, d.CreditedOn = v.Value, v.Issued, v.Due, v.PaidOn, v.CreditedOn
	if v.PaidValue.Or(0) != d.PaidValue.Or(0) {
		d.PaidValue = v.PaidValue
	}
	overdue := d.Status.V == BillOverdue && v.Status.V == BillIssued
	if v.Status.OK && !overdue {
		d.Status = v.Status
	}
	return d == *list
}

// payerMembers is how many of the members that repeatsList compares are the payer's: the first ones.
const payerMembers = 8

func listPrecedence(list Source) int {
	return slices.Index([]Source{SlipDetail, SlipsCredit, SlipsPayment, SlipsDue}, list)
}

// fillFrom sets the members that v has and the views seen later do not.
func (s *Slip) fillFrom(v *SlipView) {
	if v.List != SlipDetail && v.List != SlipsCredit && !s.Integration.OK {
		s.Integration = v.Integration
	}
	if !s.Status.OK {
		s.Status = v.Status
	}
	if v.List != SlipsCredit {
		return
	}
	s.OurNumber, s.ReferenceCode = v.OurNumber, v.ReferenceCode
	s.LateAllowed, s.LateLimit = v.LateAllowed, v.LateLimit
	s.Penalty, s.PenaltyReceived = v.Penalty, v.PenaltyReceived
	s.Interest, s.InterestReceived = v.Interest, v.InterestReceived
	s.CancelledOn, s.CancelReason = v.CancelledOn, v.CancelReason
}

// View returns the last view of the slip in a list, or nil.
func (s *Slip) View(list Source) *SlipVersion {
	for i := range s.Views {
		if s.Views[i].List == list {
			return &s.Views[i]
		}
	}
	return nil
}

// Subject names the slip.
func (s *Slip) Subject() string { return SlipSubject(s.Account, s.ID) }
