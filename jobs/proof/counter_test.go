package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"concilia/store/ledger"
)

// record is a record of the service by the names of its members; amounts and rates are a json.Number.
type record map[string]any

func num(s string) json.Number { return json.Number(s) }

func (r record) text(member string) string {
	s, _ := r[member].(string)
	return s
}

func (r record) amount(member string) ledger.Amount {
	n, _ := r[member].(json.Number)
	a, _ := ledger.ParseAmount(string(n))
	return a
}

// paper is a slip: its members, what single lists say instead, and the lists that do not show it.
type paper struct {
	record
	says   map[ledger.Source]record
	hidden map[ledger.Source]bool
}

// placedBy is the member by which a list places a slip.
var placedBy = map[ledger.Source]string{
	ledger.SlipsDue: "dueDate", ledger.SlipsPayment: "effectivePaymentDate", ledger.SlipsCredit: "effectiveCreditDate",
}

// ofCredit are the members that only the list by credit date shows.
var ofCredit = []string{
	"ourNumber", "overduePaymentAllow", "overduePaymentDateLimit", "overduePaymentPenalty", "overduePenaltyReceived",
	"overduePaymentInterest", "overdueInterestReceived", "cancelDate", "cancellationReason", "referenceCode",
}

// view is the slip as a list, or the detail, shows it.
func (p *paper) view(list ledger.Source) record {
	v := maps.Clone(p.record)
	if list != ledger.SlipsCredit {
		for _, member := range ofCredit {
			delete(v, member)
		}
	} else {
		delete(v, "statusIntegration")
	}
	if list == ledger.SlipDetail {
		v["status"], v["success"] = v["statusBill"], true
		if v["status"] == num("9") {
			v["status"] = num("2") // the detail has no overdue
		}
		delete(v, "statusBill")
		delete(v, "statusIntegration")
	}
	maps.Copy(v, p.says[list])
	return v
}

// counter is a service that answers from the records it holds, byte by byte as over a wire. It shares no code with the
// client, and holds whatever it is given.
type counter struct {
	mu    sync.Mutex
	clock func() time.Time
	skew  time.Duration // of the time it puts on answers
	cards []record
	slips []*paper
	// subscribed is where notifications of the account go.
	subscribed string
	// answers changes what one answer shows; nil changes nothing. fails says with which status to answer instead, 0: none.
	answers func(list ledger.Source, from, to string, rows []record) []record
	fails   func(list ledger.Source, from, to string) int
	// prices changes what the simulator charges for an option; nil changes nothing.
	prices func(installments int, gross ledger.Amount) ledger.Amount
}

var searched = map[string]ledger.Source{
	"search-by-operation-date-installments": ledger.Cards, "due-date": ledger.SlipsDue, "payment-date": ledger.SlipsPayment,
	"credit-date": ledger.SlipsCredit, "information": ledger.SlipDetail,
}

// RoundTrip makes counter a transport of requests.
func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	status := http.StatusOK
	var body any
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch last {
	case "login", "token":
		now := c.clock().UTC()
		const layout = "2006-01-02T15:04:05.000Z"
		body = record{"authenticated": true, "created": now.Format(layout), "expiration": now.AddDate(1, 0, 0).Format(layout), "accessToken": "t"}
	case "subscriptions":
		body = record{"url": c.subscribed}
	case "payments-simulator":
		body = c.simulate(r)
	default:
		status, body = c.answer(searched[last], r)
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: status, Status: fmt.Sprint(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{
			"Content-Type": {"application/json"}, "Date": {c.clock().Add(c.skew).UTC().Format(http.TimeFormat)},
		},
		Body: io.NopCloser(bytes.NewReader(b)), ContentLength: int64(len(b)),
	}, nil
}

func (c *counter) answer(list ledger.Source, r *http.Request) (int, any) {
	q := r.URL.Query()
	from, to := q.Get("startDate"), q.Get("endDate")
	if c.fails != nil {
		if status := c.fails(list, from, to); status != 0 {
			return status, record{"message": "not now"}
		}
	}
	rows := []record{}
	switch list {
	case ledger.Cards:
		for _, row := range c.cards {
			if d, _, _ := strings.Cut(row.text("transactionDate"), "T"); from <= d && d <= to {
				rows = append(rows, row)
			}
		}
	case ledger.SlipDetail:
		for _, p := range c.slips {
			if p.text("id") == q.Get("id") {
				rows = append(rows, p.view(list))
			}
		}
		if len(rows) == 0 {
			rows = []record{{"success": false, "message": "not found"}}
		}
	default:
		for _, p := range c.slips {
			v := p.view(list)
			if d := v.text(placedBy[list]); d != "" && from <= d && d <= to && !p.hidden[list] {
				rows = append(rows, v)
			}
		}
	}
	if c.answers != nil {
		rows = c.answers(list, from, to, rows)
	}
	if list == ledger.SlipDetail {
		return http.StatusOK, rows[0]
	}
	return http.StatusOK, rows
}

// simulate prices a net amount by the documents of the clean world: MDR of 2.49 %, then 1.09 % a month on what is left of
// each installment, due two days apart; the gross is to the cent.
func (c *counter) simulate(r *http.Request) record {
	net, _ := ledger.ParseAmount(r.URL.Query().Get("netValue"))
	var options []record
	for n := int64(1); n <= 12; n++ {
		left := big.NewRat(10_000-249, 10_000)
		left.Mul(left, new(big.Rat).Sub(big.NewRat(1, 1), big.NewRat(109*(n+1), 10_000*30))) // (n+1)/2 times two days
		cents := new(big.Rat).Quo(big.NewRat(int64(net)/int64(ledger.Cent), 1), left)
		gross, _ := ledger.ParseAmount(new(big.Rat).Quo(cents, big.NewRat(100, 1)).FloatString(2))
		if c.prices != nil {
			gross = c.prices(int(n), gross)
		}
		options = append(options, record{"installment": n, "amount": num(gross.String())})
	}
	return record{"installments": options}
}

// card is the record of installment k of a sale.
func (c *counter) card(nsu string, k int) record {
	for _, row := range c.cards {
		if row.text("nsu") == nsu && row["installmentNumber"] == k {
			return row
		}
	}
	panic(fmt.Sprintf("no installment %d of %s", k, nsu))
}

// has reports whether there is installment k of a sale.
func (c *counter) has(nsu string, k int) bool {
	return slices.ContainsFunc(c.cards, func(row record) bool { return row.text("nsu") == nsu && row["installmentNumber"] == k })
}

// every changes all installments of a sale.
func (c *counter) every(nsu string, change func(record)) {
	for _, row := range c.cards {
		if row.text("nsu") == nsu {
			change(row)
		}
	}
}

func (c *counter) slip(id string) *paper {
	for _, p := range c.slips {
		if p.text("id") == id {
			return p
		}
	}
	panic("no slip " + id)
}

// lose takes installments away.
func (c *counter) lose(nsu string, k int) {
	c.cards = slices.DeleteFunc(c.cards, func(r record) bool { return r.text("nsu") == nsu && r["installmentNumber"] == k })
}
