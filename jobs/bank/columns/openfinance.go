package columns

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"concilia/store/ledger"
)

// OpenFinance is the preset for transactions of accounts as Open Finance Brasil has them (accounts, version 2): one answer or several
// one after another, or the transactions alone, as a list or one after another.
const OpenFinance = "open_finance"

// transaction are the members that are read. Amount and currency are in the transaction itself before version 2.
type transaction struct {
	Side    string `json:"creditDebitType"`
	Instant string `json:"transactionDateTime"`
	Day     string `json:"transactionDate"`
	Name    string `json:"transactionName"`
	Type    string `json:"type"`
	Payer   string `json:"partieCnpjCpf"`
	State   string `json:"completedAuthorisedPaymentType"`
	Value   struct {
		Amount   json.RawMessage `json:"amount"` // a number, with quotes or without
		Currency string          `json:"currency"`
	} `json:"transactionAmount"`
	Amount   json.RawMessage `json:"amount"`
	Currency string          `json:"transactionCurrency"`
}

// readOpenFinance reads transactions, and those of answers that hold them in data.
func (t *table) readOpenFinance(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	cut := &ledger.BankRefusal{ID: "cut", Remedy: "download it again"}
	for {
		var value json.RawMessage
		switch err := d.Decode(&value); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			cut.Message = fmt.Sprintf("ends or breaks in line %d", 1+bytes.Count(text[:min(int(d.InputOffset()), len(text))], []byte("\n")))
			return cut
		}
		var answer struct {
			Data json.RawMessage `json:"data"`
		}
		if value[0] == '{' && json.Unmarshal(value, &answer) == nil && answer.Data != nil {
			value = answer.Data
		}
		all := []json.RawMessage{value}
		if value[0] == '[' {
			all = nil
			if err := json.Unmarshal(value, &all); err != nil {
				return refuseMember("no list of transactions")
			}
		}
		for _, one := range all {
			var x transaction
			if err := json.Unmarshal(one, &x); err != nil {
				return refuseMember(fmt.Sprintf("transaction %d is none of accounts: %.200v", len(t.rows)+1, err))
			}
			if err := t.addTransaction(&x); err != nil {
				return err
			}
		}
	}
}

func refuseMember(message string) error {
	return &ledger.BankRefusal{ID: "columns", Message: message, Remedy: "ask for the transactions of the account (Open Finance Brasil), or mend columns of this bank"}
}

// addTransaction adds a transaction. One that is not effected yet is announced.
func (t *table) addTransaction(x *transaction) error {
	r := &record{line: len(t.rows) + 1}
	written, currency := x.Value.Amount, x.Value.Currency
	if written == nil {
		written, currency = x.Amount, x.Currency
	}
	amount := strings.Trim(string(written), `"`)
	if currency != "" && currency != "BRL" {
		return &ledger.BankRefusal{ID: "currency", Message: fmt.Sprintf("statement in %.10q", currency), Remedy: "BRL only"}
	}
	row := ledger.BankRow{
		Text: ledger.NormalizeBankText(x.Name + " " + x.Type), Document: ledger.NormalizeBankText(x.Payer), Category: ledger.NormalizeBankText(x.Type),
		Scheduled: x.State != "TRANSACAO_EFETIVADA",
	}
	var err error
	day := x.Instant + x.Day
	if row.Day, err = (&Map{DateLayout: "yyyy-mm-dd"}).parseDate(day); err != nil {
		return r.refuse("date", "date %.40q", day)
	}
	row.Amount, err = ledger.ParseAmount(amount)
	switch {
	case err != nil || row.Amount != row.Amount.Rounded(ledger.HalfAwayFromZero):
		return r.refuse("amount", "amount %.40q", amount)
	case row.Amount < 0:
		return r.refuse("columns", "amount %.40q has a sign, and so has creditDebitType", amount)
	case x.Side == "DEBITO":
		row.Amount = -row.Amount
	case x.Side != "CREDITO":
		return r.refuse("columns", "creditDebitType %.40q", x.Side)
	}
	if !strings.HasPrefix(x.State, "TRANSACAO_") && x.State != "LANCAMENTO_FUTURO" {
		return r.refuse("columns", "completedAuthorisedPaymentType %.40q", x.State)
	}
	t.rows = append(t.rows, row)
	return nil
}
