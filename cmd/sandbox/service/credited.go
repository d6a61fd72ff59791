package service

import "concilia/cmd/sandbox/world"

// slipCredited is a slip in the list by credit date: PascalCase, without statusIntegration, with what was
// charged for lateness. Dates print as YYYY-MM-DD although the document calls them datetimes.
type slipCredited struct {
	ID                      string `json:"Id"`
	Value                   money2
	IssueDate               date
	DueDate                 date
	PayerDocument           string
	PayerName               string
	PayerStreetAndNumber    string
	PayerZipCode            string
	PayerCity               string
	PayerCityState          string
	PayerNeighborhood       string
	PayerPhoneNumber        string
	EffectivePaymentDate    date
	EffectiveCreditDate     date
	EffectivePaymentValue   *money2
	BarCode                 *string
	OurNumber               *string
	DigitableLine           *string
	PixEmv                  *string
	OverduePaymentAllow     bool
	OverduePaymentDateLimit date
	OverduePaymentPenalty   rate2
	OverduePenaltyReceived  money2
	OverduePaymentInterest  rate2
	OverdueInterestReceived money2
	CancelDate              date
	CancellationReason      *string
	StatusBill              int
	ReferenceCode           *string
}

// wireCredited puts a slip into PascalCase. Choice: every slip may be paid late, with a percentage once
// and another a month; charges of slips paid on time are 0.00.
func wireCredited(s world.Slip) slipCredited {
	return slipCredited{
		ID: s.ID, Value: money2(s.Value), IssueDate: date(s.Issue), DueDate: date(s.Due),
		PayerDocument: s.Document, PayerName: s.Name, PayerStreetAndNumber: s.Street, PayerZipCode: s.Zip,
		PayerCity: s.City, PayerCityState: s.State, PayerNeighborhood: s.District, PayerPhoneNumber: s.Phone,
		EffectivePaymentDate: date(s.PaidOn), EffectiveCreditDate: date(s.CreditedOn), EffectivePaymentValue: paidValue(s),
		BarCode: nullIfEmpty(s.BarCode), OurNumber: nullIfEmpty(s.OurNumber), DigitableLine: nullIfEmpty(s.Line), PixEmv: nullIfEmpty(s.Pix),
		OverduePaymentAllow: true, OverduePaymentDateLimit: date(s.LateLimit),
		OverduePaymentPenalty: rate2(s.Penalty), OverduePenaltyReceived: money2(s.PenaltyReceived),
		OverduePaymentInterest: rate2(s.Interest), OverdueInterestReceived: money2(s.InterestPaid),
		CancelDate: date(s.CancelledOn), CancellationReason: nullIfEmpty(s.CancelReason),
		StatusBill: s.Status, ReferenceCode: nullIfEmpty(s.Reference),
	}
}
