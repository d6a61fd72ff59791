package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"concilia/export/words"
	"concilia/jobs/api/mask"
	"concilia/store/ledger"
)

// SearchInstallments asks the card search for an account's sales from one day to another, both included, one row per
// installment. Rows are kept in memory until the answer has arrived whole; then they go to sink one by one, each valid
// during the call only, or to Answer.Rows when sink is nil. An error of sink ends the call and is returned as it is. Any
// other error is an *Error, and nothing of the answer was handed out.
//
// Spec gap: types and formats of the search's parameters are not shown; the account goes out as plain digits and the
// days as YYYY-MM-DD, as for the lists of slips.
// Spec gap: whether the bounds of the days are included is not shown; both are taken to be.
func (c *Client) SearchInstallments(
	ctx context.Context, account ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
) (Answer, error) {
	call := apiCall{
		operation: words.NewMessage("call.search", "from", from, "to", to, "account", account),
		method:    http.MethodPost, base: c.searchBase, path: "/api/transaction/concil/search-by-operation-date-installments",
		query: windowQuery(account, from, to), family: c.opts.SearchToken, limit: maxBody, keepBody: true,
	}
	if err := checkWindow(call.operation, account, from, to); err != nil {
		return Answer{}, err
	}
	answer, err := c.askInstallments(ctx, call, account)
	if err != nil {
		return answer, err
	}
	answer.setOrigin(account, ledger.Cards, from)
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

// IsSearchableCode reports whether SearchInstallmentsByCode accepts the NSU and the authorization: neither is empty or too
// long.
func IsSearchableCode(nsu, auth string) bool {
	n, m := utf8.RuneCountInString(nsu), utf8.RuneCountInString(auth)
	return n > 0 && n <= maxNSU && m > 0 && m <= maxAuth
}

// SearchInstallmentsByCode asks for the installments of an account's sales of an NSU and an authorization, whenever they were made.
// The answer lacks splits, and one without rows means that the service has no such sale. nsu and auth must pass IsSearchableCode.
// Any error is an *Error.
//
// Spec gap: the search by code is not in the interface document; it is asked as public documentation shows it, at the
// address and with the token of the search by operation date.
func (c *Client) SearchInstallmentsByCode(ctx context.Context, account ledger.Account, nsu, auth string) (Answer, error) {
	call := apiCall{
		operation: words.NewMessage("call.search_code", "account", account),
		method:    http.MethodPost, base: c.searchBase, path: "/api/transaction/concil/search-by-code",
		query:  url.Values{"accountNumber": {account.String()}, "Nsu": {nsu}, "CodAuth": {auth}},
		family: c.opts.SearchToken, limit: maxBody, keepBody: true,
	}
	if account <= 0 || !IsSearchableCode(nsu, auth) {
		err := words.NewFault("service_fault.wants_code", "", "nsu", maxNSU, "auth", maxAuth)
		return Answer{}, &Error{Operation: call.operation, Permanent: true, Err: err}
	}
	answer, err := c.askInstallments(ctx, call, account)
	if err == nil {
		answer.setOrigin(account, ledger.Cards, 0)
	}
	return answer, err
}

// askInstallments repeats the call until a list of installments has arrived whole.
func (c *Client) askInstallments(ctx context.Context, call apiCall, account ledger.Account) (answer Answer, err error) {
	tries, err := c.askUntilAccepted(ctx, call, func(a *reply) error {
		read := installmentReader{
			account: account, zone: c.opts.Zone, scanner: newScanner(c.opts.Zone), rows: rowList{spare: c.blocks}, unknown: memberNames{},
		}
		if err := c.readList(a, read.scanRow, read.decodeRow); err != nil {
			return err
		}
		answer = Answer{Rows: read.rows.listRows(), Receipt: Receipt{Bad: read.bad}}
		return answer.fillFromReply(a, c.opts.Now(), read.unknown)
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
	scanner *scanner
	rows    rowList
	bad     []ledger.Quarantined
	unknown memberNames
}

// scanRow reads the record at the start of b with the scanner and returns its length, or 0 if the scanner declines it.
func (r *installmentReader) scanRow(b []byte) int {
	row := r.rows.addRow()
	row.Account = r.account
	n := scanInstallment(b, r.scanner, row)
	if n == 0 {
		r.rows.dropRow()
	}
	return n
}

// decodeRow reads a record through encoding/json.
func (r *installmentReader) decodeRow(raw []byte) error {
	o := readInstallment(raw, r.zone)
	r.unknown.addNames(o.unknown...)
	if len(o.bad) > 0 {
		row := quarantineRow(raw, o.bad)
		row.KeyRead = o.isReadable("transactionDate", "nsu", "codAuth", "installmentNumber", "installmentsCount")
		if o.isReadable("installmentValue") {
			row.Gross = ledger.Some(o.value.Gross)
		}
		r.bad = append(r.bad, row)
		return nil
	}
	o.value.Account = r.account
	*r.rows.addRow() = o.value
	return nil
}

// installmentShape is the transaction installment record (interface document, Resources and their fields). What is
// required is what no rule can do without: when, which installment of how many, and how much.
//
// Spec gap: required members of an installment are not shown; transactionDate, installmentNumber, installmentsCount
// and installmentValue are, all others may be absent, splits included.
var installmentShape = newShape(
	localTimeField("transactionDate", func(i *ledger.Installment) *ledger.LocalTime { return &i.SoldAt }).asRequired(),
	textField("terminal", func(i *ledger.Installment) *string { return &i.Terminal }),
	textField("cardNumber", func(i *ledger.Installment) *string { return &i.Card }),
	textField("cardType", func(i *ledger.Installment) *string { return &i.CardType }),
	textField("cardName", func(i *ledger.Installment) *string { return &i.CardName }),
	textField("codAuth", func(i *ledger.Installment) *string { return &i.Auth }),
	textField("nsu", func(i *ledger.Installment) *string { return &i.NSU }),
	intField("installmentNumber", func(i *ledger.Installment) *int { return &i.Number }).asRequired(),
	intField("installmentsCount", func(i *ledger.Installment) *int { return &i.Count }).asRequired(),
	amountField("installmentValue", func(i *ledger.Installment) *ledger.Amount { return &i.Gross }).asRequired(),
	optAmountField("transactionTotalValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleTotal }),
	textField("installmentStatus", func(i *ledger.Installment) *string { return &i.Status }),
	optAmountField("discountMdrValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.MDR }),
	optRateField("discountMdrTax", func(i *ledger.Installment) *ledger.Opt[ledger.Rate] { return &i.MDRRate }),
	optAmountField("discountTrnRateInstalmentValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Fee }),
	optAmountField("discountTrnRateTransactionValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleFee }),
	optAmountField("discountAntifraudRateInstalmentValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Antifraud }),
	optAmountField("discountAntifraudRateTransactionValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleAntifraud }),
	optAmountField("discountAntecipationValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Anticipation }),
	optRateField("discountAntecipationTax", func(i *ledger.Installment) *ledger.Opt[ledger.Rate] { return &i.AnticipationRate }),
	optAmountField("receivedValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Received }),
	dateField("receivedDateForeast", func(i *ledger.Installment) *ledger.Date { return &i.Forecast }), // spelled exactly so
	dateField("receivedDateEffective", func(i *ledger.Installment) *ledger.Date { return &i.Effective }),
	textField("receivedType", func(i *ledger.Installment) *string { return &i.ReceivedType }),
	textField("receivedStatus", func(i *ledger.Installment) *string { return &i.ReceivedStatus }),
	textField("transactionReference", func(i *ledger.Installment) *string { return &i.Reference }),
	textField("transactionPaymentIdWeb", func(i *ledger.Installment) *string { return &i.WebPaymentID }),
	field[ledger.Installment]{name: "splits", decode: readSplits, scan: scanSplits},
)

// splitShape is the split object; its members keep the document's Portuguese names on the wire.
var splitShape = newShape(
	textField("beneficiario", func(s *ledger.Split) *string { return &s.Beneficiary }),
	textField("tipoSplit", func(s *ledger.Split) *string { return &s.Type }),
	optRateField("pctSplit", func(s *ledger.Split) *ledger.Opt[ledger.Rate] { return &s.Pct }),
	optAmountField("valorBaseSplit", func(s *ledger.Split) *ledger.Opt[ledger.Amount] { return &s.Base }),
	optAmountField("valorSplit", func(s *ledger.Split) *ledger.Opt[ledger.Amount] { return &s.Value }),
)

// readInstallment reads one record through encoding/json, splits and the masking of the card included.
func readInstallment(raw []byte, zone *time.Location) decodedRecord[ledger.Installment] {
	o := installmentShape.decodeRecord(raw, zone)
	maskInstallmentCard(&o.value)
	return o
}

// maskInstallmentCard masks the card of a record and card numbers in its free texts, and records whether the card, or one in
// NSU or authorization, was sent in the clear: these stay as they are, since they identify the row.
func maskInstallmentCard(i *ledger.Installment) {
	masked := mask.Card(i.Card)
	i.CardClear = masked != i.Card || mask.HoldsCard(i.NSU) || mask.HoldsCard(i.Auth)
	i.Card = masked
	for _, at := range freeTexts {
		mask.FreeText(at(i))
	}
	for k := range i.Splits {
		mask.FreeText(&i.Splits[k].Beneficiary)
		mask.FreeText(&i.Splits[k].Type)
	}
}

// freeTexts are the text members of an installment that may hold anything: all but the card, and NSU and authorization, which
// identify the row. A member that is added is among them.
var freeTexts = listFreeTexts()

func listFreeTexts() (texts []func(*ledger.Installment) *string) {
	for _, m := range ledger.InstallmentMembers() {
		if _, isText := m.At(&ledger.Installment{}).(*string); !isText || slices.Contains([]string{"card", "nsu", "auth"}, m.Column) {
			continue
		}
		texts = append(texts, func(i *ledger.Installment) *string { return m.At(i).(*string) })
	}
	return texts
}

// maxSplits bounds the splits of one installment: more than a marketplace's basket ever had.
const maxSplits = 1000

// readSplits reads the array of splits. A bad member of one is named splits[INDEX].MEMBER.
func readSplits(raw []byte, in *recordState, to *ledger.Installment) string {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return notList
	}
	if len(list) > maxSplits {
		return tooMany
	}
	for i, raw := range list {
		o := splitShape.decodeRecord(raw, in.zone)
		for _, p := range o.bad {
			in.bad = append(in.bad, badMember{fmt.Sprintf("splits[%d].%s", i, p.member), p.why})
		}
		for _, name := range o.unknown {
			in.unknown = append(in.unknown, "splits."+name)
		}
		to.Splits = append(to.Splits, o.value)
	}
	return ""
}
