package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"

	"concilia/store/ledger"
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
		query: window(account, from, to), family: c.opts.SearchToken, limit: maxBody, keep: true,
	}
	if err := checkWindow(q.operation, account, from, to); err != nil {
		return Answer{}, err
	}
	answer, err := c.askInstallments(ctx, q, account)
	if err != nil {
		return answer, err
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

// Sizes of the parameters of the search by code, in characters, as public documentation has them.
const (
	maxNSU  = 100
	maxAuth = 30
)

// Searchable reports whether InstallmentsByCode can be asked for the NSU and the authorization: neither is empty or too long.
func Searchable(nsu, auth string) bool {
	n, m := utf8.RuneCountInString(nsu), utf8.RuneCountInString(auth)
	return n > 0 && n <= maxNSU && m > 0 && m <= maxAuth
}

// InstallmentsByCode asks for the installments of an account's sales of an NSU and an authorization, whenever they were made.
// The answer lacks splits, and one without rows means that the service knows no such sale. nsu and auth must be Searchable.
// Any error is an *Error.
//
// Spec gap: the search by code is not in the interface document; it is asked as public documentation shows it, at the
// address and with the token of the search by operation date.
func (c *Client) InstallmentsByCode(ctx context.Context, account ledger.Account, nsu, auth string) (Answer, error) {
	q := question{
		operation: fmt.Sprintf("search by code account %s", account),
		method:    http.MethodPost, base: c.search, path: "/api/transaction/concil/search-by-code",
		query:  url.Values{"accountNumber": {account.String()}, "Nsu": {nsu}, "CodAuth": {auth}},
		family: c.opts.SearchToken, limit: maxBody, keep: true,
	}
	if account <= 0 || !Searchable(nsu, auth) {
		err := fmt.Errorf("it takes a positive account, an NSU of 1 to %d characters and an authorization of 1 to %d", maxNSU, maxAuth)
		return Answer{}, &Error{Operation: q.operation, Permanent: true, Err: err}
	}
	answer, err := c.askInstallments(ctx, q, account)
	if err == nil {
		answer.place(account, ledger.Cards, 0)
	}
	return answer, err
}

// askInstallments asks until a list of installments has arrived whole.
func (c *Client) askInstallments(ctx context.Context, q question, account ledger.Account) (answer Answer, err error) {
	tries, err := c.ask(ctx, q, func(a *reply) error {
		read := installmentReader{account: account, zone: c.opts.Zone, scan: newScanner(c.opts.Zone), unknown: names{}}
		if err := c.readList(a, read.fast, read.slow); err != nil {
			return err
		}
		answer = Answer{Rows: read.rows, Receipt: Receipt{Bad: read.bad}}
		return answer.sign(a, c.opts.Now(), read.unknown)
	})
	if err != nil {
		return Answer{Receipt: Receipt{Requests: tries}}, err
	}
	answer.Requests = tries
	return answer, nil
}

// installmentReader collects the rows of one answer.
type installmentReader struct {
	account ledger.Account
	zone    *time.Location
	scan    *scanner
	rows    []ledger.Installment
	bad     []ledger.Quarantined
	unknown names
}

// fast reads the record at the start of b by the scanner, if it can, and returns its length.
func (r *installmentReader) fast(b []byte) int {
	last := len(r.rows)
	r.rows = append(r.rows, ledger.Installment{Account: r.account})
	n := scanInstallment(b, r.scan, &r.rows[last])
	if n == 0 {
		r.rows = r.rows[:last]
	}
	return n
}

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
