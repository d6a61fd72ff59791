package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"concilia/store/ledger"
)

// installmentShape is the transaction installment record (interface document, Resources and their fields). What is
// required is what no rule can do without: when, which installment of how many, and how much.
//
// Spec gap: required members of an installment are not shown; transactionDate, installmentNumber, installmentsCount
// and installmentValue are, all others may be absent, splits included.
var installmentShape = newShape(
	localTime("transactionDate", func(i *ledger.Installment) *ledger.LocalTime { return &i.SoldAt }).must(),
	text("terminal", func(i *ledger.Installment) *string { return &i.Terminal }),
	text("cardNumber", func(i *ledger.Installment) *string { return &i.Card }),
	text("cardType", func(i *ledger.Installment) *string { return &i.CardType }),
	text("cardName", func(i *ledger.Installment) *string { return &i.CardName }),
	text("codAuth", func(i *ledger.Installment) *string { return &i.Auth }),
	text("nsu", func(i *ledger.Installment) *string { return &i.NSU }),
	whole("installmentNumber", func(i *ledger.Installment) *int { return &i.Number }).must(),
	whole("installmentsCount", func(i *ledger.Installment) *int { return &i.Count }).must(),
	amount("installmentValue", func(i *ledger.Installment) *ledger.Amount { return &i.Gross }).must(),
	optAmount("transactionTotalValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleTotal }),
	text("installmentStatus", func(i *ledger.Installment) *string { return &i.Status }),
	optAmount("discountMdrValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.MDR }),
	optRate("discountMdrTax", func(i *ledger.Installment) *ledger.Opt[ledger.Rate] { return &i.MDRRate }),
	optAmount("discountTrnRateInstalmentValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Fee }),
	optAmount("discountTrnRateTransactionValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleFee }),
	optAmount("discountAntifraudRateInstalmentValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Antifraud }),
	optAmount("discountAntifraudRateTransactionValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleAntifrd }),
	optAmount("discountAntecipationValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Anticipation }),
	optRate("discountAntecipationTax", func(i *ledger.Installment) *ledger.Opt[ledger.Rate] { return &i.AnticipRate }),
	optAmount("receivedValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Received }),
	day("receivedDateForeast", func(i *ledger.Installment) *ledger.Date { return &i.Forecast }), // spelled exactly so
	day("receivedDateEffective", func(i *ledger.Installment) *ledger.Date { return &i.Effective }),
	text("receivedType", func(i *ledger.Installment) *string { return &i.ReceivedType }),
	text("receivedStatus", func(i *ledger.Installment) *string { return &i.ReceivedStat }),
	text("transactionReference", func(i *ledger.Installment) *string { return &i.Reference }),
	text("transactionPaymentIdWeb", func(i *ledger.Installment) *string { return &i.WebPaymentID }),
	field[ledger.Installment]{name: "splits", set: readSplits},
)

// splitShape is the split object; its members keep the document's Portuguese names on the wire.
var splitShape = newShape(
	text("beneficiario", func(s *ledger.Split) *string { return &s.Beneficiary }),
	text("tipoSplit", func(s *ledger.Split) *string { return &s.Type }),
	optRate("pctSplit", func(s *ledger.Split) *ledger.Opt[ledger.Rate] { return &s.Pct }),
	optAmount("valorBaseSplit", func(s *ledger.Split) *ledger.Opt[ledger.Amount] { return &s.Base }),
	optAmount("valorSplit", func(s *ledger.Split) *ledger.Opt[ledger.Amount] { return &s.Value }),
)

// Installments asks the card search for an account's sales from one day to another, both included, one row per
// installment. Rows are kept in memory until the answer has arrived whole; then they go to sink one by one, each valid
// during the call only, or to Answer.Rows when sink is nil. An error of sink ends the call and is returned as it is. Any
// other error is an *Error, and nothing of the answer was handed out.
//
// Spec gap: types and formats of the search's parameters are not shown; the account goes out as plain digits and the
// days as YYYY-MM-DD, as for the lists of slips.
// Spec gap: whether the bounds of the days are included is not shown; both are taken to be.
func (c *Client) Installments(
	ctx context.Context, account ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
) (Answer, error) {
	q := question{
		operation: fmt.Sprintf("search installments %s..%s account %s", from, to, account),
		method:    http.MethodPost, base: c.search, path: "/api/transaction/concil/search-by-operation-date-installments",
		query: window(account, from, to), family: c.opts.SearchToken, limit: maxBody,
	}
	var answer Answer
	if err := checkWindow(q.operation, account, from, to); err != nil {
		return answer, err
	}
	tries, err := c.ask(ctx, q, func(a *reply) error {
		read := installmentReader{account: account, zone: c.opts.Zone, unknown: names{}}
		if err := c.readList(a, read.fast(), read.slow); err != nil {
			return err
		}
		answer = Answer{Rows: read.rows, Receipt: Receipt{Bad: read.bad}}
		answer.sign(a, c.opts.Now(), read.unknown)
		return nil
	})
	if answer.Requests = tries; err != nil {
		return Answer{Receipt: Receipt{Requests: tries}}, err
	}
	answer.place(account, ledger.Cards, from)
	if sink != nil {
		for i := range answer.Rows {
			if err := sink(&answer.Rows[i]); err != nil {
				return Answer{Receipt: answer.Receipt}, err
			}
		}
		answer.Rows = nil
	}
	return answer, nil
}

// installmentReader collects the rows of one answer.
type installmentReader struct {
	account ledger.Account
	zone    *time.Location
	rows    []ledger.Installment
	bad     []ledger.Quarantined
	unknown names
}

func (r *installmentReader) fast() func([]byte) int { return nil }

// slow reads a record through encoding/json.
func (r *installmentReader) slow(raw []byte) error {
	o := readInstallment(raw, r.zone)
	r.unknown.add(o.unknown...)
	if len(o.bad) > 0 {
		q := quarantined(raw, o.bad)
		q.KeyRead = o.readable("transactionDate", "nsu", "codAuth", "installmentNumber", "installmentsCount")
		if o.readable("installmentValue") {
			q.Gross = ledger.Some(o.value.Gross)
		}
		r.bad = append(r.bad, q)
		return nil
	}
	o.value.Account = r.account
	r.rows = append(r.rows, o.value)
	return nil
}

// readInstallment reads one record through encoding/json, splits and the masking of the card included.
func readInstallment(raw []byte, zone *time.Location) object[ledger.Installment] {
	o := installmentShape.read(raw, zone)
	o.value.Card = maskCard(o.value.Card)
	return o
}

// maxSplits bounds the splits of one installment: more than a marketplace's basket ever had.
const maxSplits = 1000

// readSplits reads the array of splits. What is wrong within is said of splits[PLACE].MEMBER.
func readSplits(raw []byte, in *reading, to *ledger.Installment) string {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return notList
	}
	if len(list) > maxSplits {
		return tooMany
	}
	for i, raw := range list {
		o := splitShape.read(raw, in.zone)
		for _, p := range o.bad {
			in.bad = append(in.bad, problem{fmt.Sprintf("splits[%d].%s", i, p.member), p.why})
		}
		for _, name := range o.unknown {
			in.unknown = append(in.unknown, "splits."+name)
		}
		to.Splits = append(to.Splits, o.value)
	}
	return ""
}

// readList reads a list out of an answer with status 200, to the last byte.
//
// Spec gap: a list is a bare array. null, an object or a page of HTML with status 200 is a failure of the whole window.
func (c *Client) readList(a *reply, fast func([]byte) int, slow func([]byte) error) error {
	if media, _, err := mime.ParseMediaType(a.header.Get("Content-Type")); err == nil && strings.Contains(media, "html") {
		return unacceptable("the answer is a page of HTML, not a list: something between here and the service spoke")
	}
	list := newArrayReader(a.body)
	err := list.each(fast, slow)
	if errors.Is(err, errNotList) {
		rest, _ := io.ReadAll(io.LimitReader(a.body, maxErrorBody))
		text := append(list.buf[list.pos:list.end:list.end], rest...)
		return &Error{Status: a.status, Text: c.errorText(text), Err: err}
	}
	return err
}

// window is the three parameters that every list takes.
func window(account ledger.Account, from, to ledger.Date) url.Values {
	return url.Values{"accountNumber": {account.String()}, "startDate": {from.String()}, "endDate": {to.String()}}
}

// checkWindow refuses what no list can be asked, before anything is sent.
func checkWindow(operation string, account ledger.Account, from, to ledger.Date) error {
	err := ledger.Period{From: from, To: to}.Valid()
	if account <= 0 {
		err = errors.Join(errors.New("an account number is positive"), err)
	}
	if err != nil {
		return &Error{Operation: operation, Permanent: true, Err: err}
	}
	return nil
}
