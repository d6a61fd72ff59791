package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

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

// Slips asks one of the three lists of slips (ledger.SlipsDue, SlipsPayment or SlipsCredit) for the slips of an account
// whose date lies from one day to another, both included. statusIntegration is a filter that only the list by
// credit date has. Any error is an *Error, and nothing of the answer is returned with it.
//
// Spec gap: the lists by due date and by credit date do not say whether their bounds are included; both are taken to be.
func (c *Client) Slips(
	ctx context.Context, list ledger.Source, account ledger.Account, from, to ledger.Date, statusIntegration ledger.Opt[int64],
) (SlipAnswer, error) {
	q := question{
		operation: fmt.Sprintf("list %s %s..%s account %s", list, from, to, account),
		method:    http.MethodGet, base: c.bases[Integration], path: slipPaths[list],
		query: window(account, from, to), family: Integration, limit: maxBody, keep: true,
	}
	var err error
	switch {
	case q.path == "":
		err = errors.New("there is no such list of slips")
	case statusIntegration.OK && list != ledger.SlipsCredit:
		err = errors.New("only the list by credit date filters by statusIntegration")
	}
	if err != nil {
		return SlipAnswer{}, &Error{Operation: q.operation, Permanent: true, Err: err}
	}
	if err := checkWindow(q.operation, account, from, to); err != nil {
		return SlipAnswer{}, err
	}
	if statusIntegration.OK {
		q.query.Set("statusIntegration", strconv.FormatInt(statusIntegration.V, 10))
	}
	return c.askSlips(ctx, q, account, list, from, func(a *reply, r *slipReader) error {
		return c.readList(a, nil, r.read)
	})
}

// Slip asks for the detail of one slip. The answer has one row, or none and a quarantined one. A slip that the service
// reports with success false is an *Error around ErrUnsuccessful with the service's message.
//
// Spec gap: the query's slip identifier is named id_bill in the path and id in the table; both are sent.
func (c *Client) Slip(ctx context.Context, account ledger.Account, id string) (SlipAnswer, error) {
	id = slipID(id)
	q := question{
		operation: fmt.Sprintf("slip %.40s account %s", strconv.QuoteToASCII(id), account),
		method:    http.MethodGet, base: c.bases[Integration], path: "/api/billissuer/information",
		query:  map[string][]string{"accountNumber": {account.String()}, "id": {id}, "id_bill": {id}},
		family: Integration, limit: maxDetail, keep: true, detail: true,
	}
	if account <= 0 || id == "" {
		return SlipAnswer{}, &Error{Operation: q.operation, Permanent: true, Err: errors.New("a positive account and an id are needed")}
	}
	today := ledger.DateOf(c.opts.Now(), c.opts.Zone)
	return c.askSlips(ctx, q, account, ledger.SlipDetail, today, func(a *reply, r *slipReader) error {
		raw, err := a.readAll()
		if err != nil {
			return err
		}
		return c.readDetail(a, raw, id, r)
	})
}

func (c *Client) askSlips(ctx context.Context, q question, account ledger.Account, list ledger.Source, day ledger.Date,
	read func(*reply, *slipReader) error,
) (answer SlipAnswer, err error) {
	tries, err := c.ask(ctx, q, func(a *reply) error {
		r := slipReader{account: account, list: list, shape: slipShapes[list], zone: c.opts.Zone, unknown: names{}}
		if err := read(a, &r); err != nil {
			return err
		}
		answer = SlipAnswer{Rows: r.rows, Twice: twice(r.rows), Receipt: Receipt{Bad: r.bad}}
		return answer.sign(a, c.opts.Now(), r.unknown)
	})
	if answer.Requests = tries; err != nil {
		return SlipAnswer{Receipt: Receipt{Requests: tries}}, err
	}
	answer.place(account, list, day)
	return answer, nil
}

// readDetail reads the one object of the detail.
//
// Spec gap: a detail without the member success is taken as successful.
func (c *Client) readDetail(a *reply, raw []byte, id string, r *slipReader) error {
	if !json.Valid(raw) || strings.TrimSpace(string(raw))[0] != '{' {
		return &Error{Status: a.status, Err: errors.New("the answer is not the detail of a slip"), Text: c.errorText(raw)}
	}
	if err := c.unsuccessful(http.StatusOK, raw); err != nil {
		return err
	}
	if err := r.read([]byte(strings.TrimSpace(string(raw)))); err != nil {
		return err
	}
	if len(r.rows) == 1 && r.rows[0].ID != id {
		return &Error{Status: a.status, Err: errors.New("the answer is the detail of another slip")}
	}
	return nil
}

// unsuccessful is the error of a detail that says success false, and nil of any other answer.
//
// Spec gap: the status of a detail with success false is not shown; it is read under 200 and under every status that
// says the request is at fault, but those that speak of the token or of the address.
func (c *Client) unsuccessful(status int, raw []byte) error {
	if status != http.StatusOK && (!permanentStatus(status) || status == http.StatusUnauthorized || status == http.StatusForbidden) {
		return nil
	}
	var head struct {
		Success *bool
		Message string
	}
	// A message of another type is no reason to lose the slip: what head does not get stays empty.
	_ = json.Unmarshal(raw, &head)
	if head.Success == nil || *head.Success {
		return nil
	}
	return &Error{Status: status, Text: c.redact(head.Message), Permanent: true, Err: ErrUnsuccessful}
}

// slipReader collects the slips of one answer.
type slipReader struct {
	account ledger.Account
	list    ledger.Source
	shape   *shape[ledger.SlipView]
	zone    *time.Location
	rows    []ledger.SlipView
	bad     []ledger.Quarantined
	unknown names
}

func (r *slipReader) read(raw []byte) error {
	o := r.shape.read(raw, r.zone)
	r.unknown.add(o.unknown...)
	v := o.value
	if v.ID = slipID(v.ID); v.ID == "" && o.readable("id") {
		o.bad = append(o.bad, problem{"id", "missing"})
	}
	if len(o.bad) > 0 {
		q := quarantined(raw, o.bad)
		q.KeyRead = o.readable("id")
		if o.readable("value") {
			q.Gross = ledger.Some(v.Value)
		}
		r.bad = append(r.bad, q)
		return nil
	}
	// Spec gap: effectivePaymentValue 0 without effectivePaymentDate is a placeholder for "not paid", and absent.
	if v.PaidValue.OK && v.PaidValue.V == 0 && v.PaidOn == 0 {
		v.PaidValue = ledger.Opt[ledger.Amount]{}
	}
	v.Account, v.List = r.account, r.list
	r.rows = append(r.rows, v)
	return nil
}

func slipID(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
