package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"concilia/export/words"
	"concilia/jobs/api/mask"
	"concilia/store/ledger"
)

// slipPaths are the lists of slips (interface document, Endpoints).
var slipPaths = map[ledger.Source]string{
	ledger.SlipsDue:     "/api/billissuer/list/by/due-date",
	ledger.SlipsPayment: "/api/billissuer/list/by/payment-date",
	ledger.SlipsCredit:  "/api/billissuer/list/by/credit-date",
}

// maxDetail bounds the detail of one slip.
const maxDetail = maxRecord

// ListSlips asks one of the three lists of slips (ledger.SlipsDue, SlipsPayment or SlipsCredit) for the slips of an account
// whose date lies from one day to another, both included. statusIntegration is a filter that only the list by
// credit date has. Any error is an *Error, and nothing of the answer is returned with it.
//
// Spec gap: the lists by due date and by credit date do not say whether their bounds are included; both are taken to be.
func (c *Client) ListSlips(
	ctx context.Context, list ledger.Source, account ledger.Account, from, to ledger.Date, statusIntegration ledger.Opt[int64],
) (SlipAnswer, error) {
	call := apiCall{
		operation: words.NewMessage("call.list", "list", words.Labelled{Kind: "source", ID: string(list)}, "from", from, "to", to, "account", account),
		method:    http.MethodGet, base: c.bases[Integration], path: slipPaths[list],
		query: windowQuery(account, from, to), family: Integration, limit: maxBody, keepBody: true,
	}
	var err error
	switch {
	case call.path == "":
		err = words.NewFault("service_fault.no_list", "")
	case statusIntegration.OK && list != ledger.SlipsCredit:
		err = words.NewFault("service_fault.no_filter", "")
	}
	if err != nil {
		return SlipAnswer{}, &Error{Operation: call.operation, Permanent: true, Err: err}
	}
	if err := checkWindow(call.operation, account, from, to); err != nil {
		return SlipAnswer{}, err
	}
	if statusIntegration.OK {
		call.query.Set("statusIntegration", strconv.FormatInt(statusIntegration.V, 10))
	}
	return c.askSlips(ctx, call, account, list, from, func(a *reply, r *slipReader) error {
		return c.readList(a, nil, r.decodeRow)
	})
}

// ReadSlip asks for the detail of one slip. The answer has one row, or none and a quarantined one. A slip that the service
// reports with success false is an *Error around ErrUnsuccessful with the service's message.
//
// Spec gap: the query's slip identifier is named id_bill in the path and id in the table; both are sent.
func (c *Client) ReadSlip(ctx context.Context, account ledger.Account, id string) (SlipAnswer, error) {
	id = normalizeSlipID(id)
	call := apiCall{
		operation: words.NewMessage("call.slip", "id", fmt.Sprintf("%.40s", strconv.QuoteToASCII(id)), "account", account),
		method:    http.MethodGet, base: c.bases[Integration], path: "/api/billissuer/information",
		query:  map[string][]string{"accountNumber": {account.String()}, "id": {id}, "id_bill": {id}},
		family: Integration, limit: maxDetail, keepBody: true, slipDetail: true,
	}
	if account <= 0 || id == "" {
		return SlipAnswer{}, &Error{Operation: call.operation, Permanent: true, Err: words.NewFault("service_fault.wants_id", "")}
	}
	today := ledger.DateOf(c.opts.Now(), c.opts.Zone)
	return c.askSlips(ctx, call, account, ledger.SlipDetail, today, func(a *reply, r *slipReader) error {
		raw, err := a.readAll()
		if err != nil {
			return err
		}
		return c.readDetail(a, raw, id, r)
	})
}

func (c *Client) askSlips(ctx context.Context, call apiCall, account ledger.Account, list ledger.Source, day ledger.Date,
	read func(*reply, *slipReader) error,
) (answer SlipAnswer, err error) {
	tries, err := c.askUntilAccepted(ctx, call, func(a *reply) error {
		r := slipReader{account: account, list: list, shape: slipShapes[list], zone: c.opts.Zone, unknown: memberNames{}}
		if err := read(a, &r); err != nil {
			return err
		}
		answer = SlipAnswer{Rows: r.rows, Conflicting: conflictingSlips(r.rows), Receipt: Receipt{Bad: r.bad}}
		return answer.fillFromReply(a, c.opts.Now(), r.unknown)
	})
	if answer.Requests = tries; err != nil {
		return SlipAnswer{Receipt: Receipt{Requests: tries}}, err
	}
	answer.setOrigin(account, list, day)
	return answer, nil
}

// readDetail reads the one object of the detail.
//
// Spec gap: a detail without the member success is taken as successful.
func (c *Client) readDetail(a *reply, raw []byte, id string, r *slipReader) error {
	if !json.Valid(raw) || strings.TrimSpace(string(raw))[0] != '{' {
		return &Error{Status: a.status, Err: words.NewFault("service_fault.no_detail", ""), Text: c.errorText(raw)}
	}
	if err := c.unsuccessfulError(http.StatusOK, raw); err != nil {
		return err
	}
	if err := r.decodeRow([]byte(strings.TrimSpace(string(raw)))); err != nil {
		return err
	}
	if len(r.rows) == 1 && r.rows[0].ID != id {
		return &Error{Status: a.status, Err: words.NewFault("service_fault.other_detail", "")}
	}
	return nil
}

// unsuccessfulError returns the error of a detail with success false, and nil for any other answer.
//
// Spec gap: the status of a detail with success false is not shown; it is read under 200 and under every status that
// says the request is at fault, but those that speak of the token or of the address.
func (c *caller) unsuccessfulError(status int, raw []byte) error {
	if status != http.StatusOK && (!permanentStatus(status) || status == http.StatusUnauthorized || status == http.StatusForbidden) {
		return nil
	}
	var head struct {
		Success *bool
		Message string
	}
	// A message of another type must not lose the slip: then Message stays empty.
	_ = json.Unmarshal(raw, &head)
	if head.Success == nil || *head.Success {
		return nil
	}
	return &Error{Status: status, Text: c.redactText(head.Message), Permanent: true, Err: ErrUnsuccessful}
}

// slipReader collects the slips of one answer.
type slipReader struct {
	account ledger.Account
	list    ledger.Source
	shape   *shape[ledger.SlipView]
	zone    *time.Location
	rows    []ledger.SlipView
	bad     []ledger.Quarantined
	unknown memberNames
}

func (r *slipReader) decodeRow(raw []byte) error {
	o := r.shape.decodeRecord(raw, r.zone)
	r.unknown.addNames(o.unknown...)
	v := o.value
	if v.ID = normalizeSlipID(v.ID); v.ID == "" && o.isReadable("id") {
		o.bad = append(o.bad, badMember{"id", "missing"})
	}
	if len(o.bad) > 0 {
		row := quarantineRow(raw, o.bad)
		row.KeyRead = o.isReadable("id")
		if o.isReadable("value") {
			row.Gross = ledger.Some(v.Value)
		}
		r.bad = append(r.bad, row)
		return nil
	}
	// Spec gap: effectivePaymentValue 0 without effectivePaymentDate is a placeholder for "not paid", and absent.
	if v.PaidValue.OK && v.PaidValue.V == 0 && v.PaidOn == 0 {
		v.PaidValue = ledger.Opt[ledger.Amount]{}
	}
	for _, text := range []*string{
		&v.PayerName, &v.PayerStreet, &v.PayerZip, &v.PayerCity, &v.PayerState, &v.PayerDistrict, &v.PayerPhone, &v.CancelReason, &v.ReferenceCode,
	} {
		mask.FreeText(text)
	}
	v.Account, v.List = r.account, r.list
	r.rows = append(r.rows, v)
	return nil
}

func normalizeSlipID(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// slipFields are the members that all four shapes of a slip share (interface document, Resources and their fields).
//
// Spec gap: the lists by due and payment date print camelCase members and the list by credit date PascalCase ones; each
// is read in either case.
// Spec gap: which members of a slip are always there is shown for the list by credit date alone; in every shape id,
// value and dueDate are required and nothing else.
var slipFields = []field[ledger.SlipView]{
	textField("id", func(v *ledger.SlipView) *string { return &v.ID }).asRequired(),
	amountField("value", func(v *ledger.SlipView) *ledger.Amount { return &v.Value }).asRequired(),
	dateField("issueDate", func(v *ledger.SlipView) *ledger.Date { return &v.Issued }),
	dateField("dueDate", func(v *ledger.SlipView) *ledger.Date { return &v.Due }).asRequired(),
	textField("payerDocument", func(v *ledger.SlipView) *string { return &v.PayerDocument }),
	textField("payerName", func(v *ledger.SlipView) *string { return &v.PayerName }),
	textField("payerStreetAndNumber", func(v *ledger.SlipView) *string { return &v.PayerStreet }),
	textField("payerZipCode", func(v *ledger.SlipView) *string { return &v.PayerZip }),
	textField("payerCity", func(v *ledger.SlipView) *string { return &v.PayerCity }),
	textField("payerCityState", func(v *ledger.SlipView) *string { return &v.PayerState }),
	textField("payerNeighborhood", func(v *ledger.SlipView) *string { return &v.PayerDistrict }),
	textField("payerPhoneNumber", func(v *ledger.SlipView) *string { return &v.PayerPhone }),
	dateField("effectivePaymentDate", func(v *ledger.SlipView) *ledger.Date { return &v.PaidOn }),
	dateField("effectiveCreditDate", func(v *ledger.SlipView) *ledger.Date { return &v.CreditedOn }),
	optAmountField("effectivePaymentValue", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.PaidValue }),
	textField("barCode", func(v *ledger.SlipView) *string { return &v.BarCode }),
	textField("digitableLine", func(v *ledger.SlipView) *string { return &v.DigitableLine }),
	textField("pixEmv", func(v *ledger.SlipView) *string { return &v.PixCode }),
}

// statusBill is the status of the three lists; the detail calls it status.
var statusBill = optIntField("statusBill", func(v *ledger.SlipView) *ledger.Opt[int64] { return &v.Status })

// listFields are those of the lists by due and by payment date alone.
var listFields = []field[ledger.SlipView]{
	statusBill,
	optIntField("statusIntegration", func(v *ledger.SlipView) *ledger.Opt[int64] { return &v.Integration }),
}

// creditFields are those of the list by credit date alone. It has no statusIntegration, only a filter of that name.
var creditFields = []field[ledger.SlipView]{
	statusBill,
	textField("ourNumber", func(v *ledger.SlipView) *string { return &v.OurNumber }),
	optBoolField("overduePaymentAllow", func(v *ledger.SlipView) *ledger.Opt[bool] { return &v.LateAllowed }),
	dateField("overduePaymentDateLimit", func(v *ledger.SlipView) *ledger.Date { return &v.LateLimit }),
	optAmountField("overduePaymentPenalty", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.Penalty }),
	optAmountField("overduePenaltyReceived", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.PenaltyReceived }),
	optAmountField("overduePaymentInterest", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.Interest }),
	optAmountField("overdueInterestReceived", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.InterestReceived }),
	dateField("cancelDate", func(v *ledger.SlipView) *ledger.Date { return &v.CancelledOn }),
	textField("cancellationReason", func(v *ledger.SlipView) *string { return &v.CancelReason }),
	textField("referenceCode", func(v *ledger.SlipView) *string { return &v.ReferenceCode }),
}

// detailFields are those of the detail alone. success and message are read before the slip is.
var detailFields = []field[ledger.SlipView]{
	optIntField("status", func(v *ledger.SlipView) *ledger.Opt[int64] { return &v.Status }),
	ignoredField("success"),
	ignoredField("message"),
}

// slipShapes are the four shapes by where they come from.
var slipShapes = map[ledger.Source]*shape[ledger.SlipView]{
	ledger.SlipsDue:     newShape(slices.Concat(slipFields, listFields)...),
	ledger.SlipsPayment: newShape(slices.Concat(slipFields, listFields)...),
	ledger.SlipsCredit:  newShape(slices.Concat(slipFields, creditFields)...),
	ledger.SlipDetail:   newShape(slices.Concat(slipFields, detailFields)...),
}

func ignoredField(name string) field[ledger.SlipView] {
	return field[ledger.SlipView]{name: name, decode: func([]byte, *recordState, *ledger.SlipView) string { return "" }}
}
