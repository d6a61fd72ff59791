package service

import (
	"iter"
	"net/http"
	"strconv"
	"strings"

	"concilia/cmd/sandbox/world"
)

// slipCommon are the members the lists by due and payment date share with the detail, camelCase.
type slipCommon struct {
	ID                    string  `json:"id"`
	Value                 money2  `json:"value"`
	IssueDate             date    `json:"issueDate"`
	DueDate               date    `json:"dueDate"`
	PayerDocument         string  `json:"payerDocument"`
	PayerName             string  `json:"payerName"`
	PayerStreetAndNumber  string  `json:"payerStreetAndNumber"`
	PayerZipCode          string  `json:"payerZipCode"`
	PayerCity             string  `json:"payerCity"`
	PayerCityState        string  `json:"payerCityState"`
	PayerNeighborhood     string  `json:"payerNeighborhood"`
	PayerPhoneNumber      string  `json:"payerPhoneNumber"`
	EffectivePaymentDate  date    `json:"effectivePaymentDate"`
	EffectiveCreditDate   date    `json:"effectiveCreditDate"`
	EffectivePaymentValue *money2 `json:"effectivePaymentValue"`
	BarCode               *string `json:"barCode"`
	DigitableLine         *string `json:"digitableLine"`
	PixEmv                *string `json:"pixEmv"`
}

// slipListed is a slip in the lists by due and payment date.
type slipListed struct {
	slipCommon
	StatusBill        int `json:"statusBill"`
	StatusIntegration int `json:"statusIntegration"`
}

// wireCommon puts a slip into camelCase. Choice: an unpaid slip's payment members are null.
func wireCommon(s world.Slip) slipCommon {
	return slipCommon{
		ID: s.ID, Value: money2(s.Value), IssueDate: date(s.Issue), DueDate: date(s.Due),
		PayerDocument: s.Document, PayerName: s.Name, PayerStreetAndNumber: s.Street, PayerZipCode: s.Zip,
		PayerCity: s.City, PayerCityState: s.State, PayerNeighborhood: s.District, PayerPhoneNumber: s.Phone,
		EffectivePaymentDate: date(s.PaidOn), EffectiveCreditDate: date(s.CreditedOn), EffectivePaymentValue: paidValue(s),
		BarCode: nullIfEmpty(s.BarCode), DigitableLine: nullIfEmpty(s.Line), PixEmv: nullIfEmpty(s.Pix),
	}
}

func paidValue(s world.Slip) *money2 {
	if s.PaidOn == 0 {
		return nil
	}
	v := money2(s.PaidValue)
	return &v
}

func wireListed(s world.Slip) slipListed {
	return slipListed{slipCommon: wireCommon(s), StatusBill: s.Status, StatusIntegration: s.Integration}
}

func (s *searches) slipsByDue(rw http.ResponseWriter, r *http.Request) {
	if win, ok := readWindow(s.world, rw, r); ok {
		streamJSON(rw, s.world.Slips(win.account, world.ByDue, win.from, win.to), wireListed)
	}
}

func (s *searches) slipsByPayment(rw http.ResponseWriter, r *http.Request) {
	if win, ok := readWindow(s.world, rw, r); ok {
		streamJSON(rw, s.world.Slips(win.account, world.ByPayment, win.from, win.to), wireListed)
	}
}

// slipsByCredit is the list in PascalCase, with an optional statusIntegration.
func (s *searches) slipsByCredit(rw http.ResponseWriter, r *http.Request) {
	want := 0
	var bad problems
	if given := paramsOf(r).get("statusIntegration"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n != world.Processing && n != world.Issued && n != world.Rejected && n != world.Failed {
			bad.add("statusIntegration", "Campo statusIntegration inválido, use 1, 2, 9 ou 99")
		}
		want = n
	}
	if win, ok := readWindow(s.world, rw, r, bad...); ok {
		slips := s.world.Slips(win.account, world.ByCredit, win.from, win.to)
		streamJSON(rw, withIntegration(slips, want), wireCredited)
	}
}

// withIntegration keeps the slips in one state of integration; 0 keeps all.
func withIntegration(slips iter.Seq[world.Slip], want int) iter.Seq[world.Slip] {
	return func(yield func(world.Slip) bool) {
		for s := range slips {
			if (want == 0 || s.Integration == want) && !yield(s) {
				return
			}
		}
	}
}

// slipDetail answers one slip; the members of the due-date form with the status renamed.
type slipDetail struct {
	slipCommon
	Status  int    `json:"status"`
	Success bool   `json:"success"`
	Message string `json:"message"`
}

// slipFailure is the detail of a request that names no slip.
type slipFailure struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

// slipDetail takes the slip's identifier as id or id_bill, since the document names it both ways; id wins.
// An invalid request is success false with a message, as the document says of this query alone. Choice: its
// status is 200, the only one shown.
func (s *searches) slipDetail(rw http.ResponseWriter, r *http.Request) {
	var bad problems
	q := paramsOf(r)
	account := readAccount(s.world, r, q, &bad)
	id := q.get("id")
	if id == "" {
		id = q.get("id_bill")
	}
	if id == "" {
		bad.add("id", "Campo id é obrigatório")
	}
	if len(bad) > 0 {
		writeJSON(rw, http.StatusOK, slipFailure{Message: bad.joinDescriptions()})
		return
	}
	slip, ok := s.world.Slip(account, strings.ToLower(id))
	if !ok {
		writeJSON(rw, http.StatusOK, slipFailure{Message: "Boleto não localizado."})
		return
	}
	detail := slipDetail{slipCommon: wireCommon(slip), Status: slip.Status, Success: true}
	if slip.Status == world.Overdue {
		detail.Status = world.Issued // the detail's states have no 9
	}
	writeJSON(rw, http.StatusOK, detail)
}

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
