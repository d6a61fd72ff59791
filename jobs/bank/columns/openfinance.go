package columns

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// OpenFinance is the preset for transactions of accounts as Open Finance Brasil has them (accounts, version 2): one answer or several
// one after another, or the transactions alone, as a list or one after another.
const OpenFinance = "open_finance"

// transaction are the members that are read. Amount and currency are in the transaction itself before version 2.
type transaction struct {
	Side, Instant, Day, Name, Type, Payer, State string

	Value struct {
		Amount   json.RawMessage `json:"amount"` // a number, with quotes or without
		Currency string          `json:"currency"`
	}
	Amount   json.RawMessage
	Currency string
}

// member is where a member of a transaction goes. One that is not read goes nowhere.
func (x *transaction) member(name json.Token) any {
	switch name {
	case "creditDebitType":
		return &x.Side
	case "transactionDateTime":
		return &x.Instant
	case "transactionDate":
		return &x.Day
	case "transactionName":
		return &x.Name
	case "type":
		return &x.Type
	case "partieCnpjCpf":
		return &x.Payer
	case "completedAuthorisedPaymentType":
		return &x.State
	case "transactionAmount":
		return &x.Value
	case "amount":
		return &x.Amount
	case "transactionCurrency":
		return &x.Currency
	}
	return new(json.RawMessage)
}

// readOpenFinance reads transactions, and those of answers that hold them in data.
func (t *table) readOpenFinance() error {
	d := json.NewDecoder(&t.source)
	for {
		switch err := t.readValue(d, false); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// readValue reads what comes next: a list of transactions, an answer, or a transaction. Within an answer there is no other. Only io.EOF says that
// nothing comes.
func (t *table) readValue(d *json.Decoder, inAnswer bool) error {
	switch begin, err := d.Token(); {
	case errors.Is(err, io.EOF) && !inAnswer:
		return io.EOF
	case err != nil:
		return t.refuseJSON(d, err)
	case begin == json.Delim('['):
		for d.More() {
			if begin, err := d.Token(); err != nil {
				return t.refuseJSON(d, err)
			} else if begin != json.Delim('{') {
				return t.refuseTransaction(words.NewMessage("refused.no_object"))
			}
			if err := t.readObject(d, true); err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil {
			return t.refuseJSON(d, err)
		}
		return nil
	case begin == json.Delim('{'):
		return t.readObject(d, inAnswer)
	default:
		return t.refuseTransaction(words.NewMessage("refused.no_object"))
	}
}

// readObject reads an object behind its bracket: an answer, if it has data, else a transaction. Within an answer it is a transaction.
func (t *table) readObject(d *json.Decoder, inAnswer bool) error {
	var x transaction
	isAnswer := false
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return t.refuseJSON(d, err)
		}
		if name == "data" && !inAnswer {
			isAnswer = true
			if err := t.readValue(d, true); err != nil {
				return err
			}
			continue
		}
		var wrong *json.UnmarshalTypeError
		switch err := d.Decode(x.member(name)); {
		case errors.As(err, &wrong):
			return t.refuseTransaction(words.NewMessage("refused.member_is", "member", name, "kind", wrong.Value))
		case err != nil:
			return t.refuseJSON(d, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return t.refuseJSON(d, err)
	}
	if isAnswer {
		return nil
	}
	return t.addTransaction(&x)
}

func (t *table) refuseTransaction(why words.Message) error {
	return words.NewRefusal("columns", "refused.no_transaction", "remedy.open_finance", "n", t.rows.Len()+1, "why", why)
}

// addTransaction adds a transaction. One that is not effected yet is announced.
func (t *table) addTransaction(x *transaction) error {
	r := &record{line: t.rows.Len() + 1}
	written, currency := x.Value.Amount, x.Value.Currency
	if written == nil {
		written, currency = x.Amount, x.Currency
	}
	amount := strings.Trim(string(written), `"`)
	if currency != "" && currency != "BRL" {
		return words.NewRefusal("currency", "refused.statement_in", "remedy.brl_only", "currency", words.Quote(currency, 10))
	}
	row := banking.Row{
		Text: banking.NormalizeText(x.Name + " " + x.Type), Document: banking.NormalizeText(x.Payer), Category: banking.NormalizeText(x.Type),
		Scheduled: x.State != "TRANSACAO_EFETIVADA",
	}
	var err error
	day := x.Instant + x.Day
	if row.Day, err = (&Map{DateLayout: "yyyy-mm-dd"}).parseDate(day); err != nil {
		return r.refuseValue("date", day)
	}
	row.Amount, err = ledger.ParseAmount(amount)
	switch {
	case err != nil || row.Amount != row.Amount.Rounded(ledger.HalfAwayFromZero):
		return r.refuseValue("amount", amount)
	case row.Amount < 0:
		return r.refuse("columns", words.NewMessage("refused.sign_and_side", "value", words.Quote(amount, 40)))
	case x.Side == "DEBITO":
		row.Amount = -row.Amount
	case x.Side != "CREDITO":
		return r.refuse("columns", words.NewMessage("refused.value_of", "member", "creditDebitType", "value", words.Quote(x.Side, 40)))
	}
	if !strings.HasPrefix(x.State, "TRANSACAO_") && x.State != "LANCAMENTO_FUTURO" {
		return r.refuse("columns", words.NewMessage("refused.value_of", "member", "completedAuthorisedPaymentType", "value", words.Quote(x.State, 40)))
	}
	t.source.EndRow()
	return t.rows.Add(&row)
}
