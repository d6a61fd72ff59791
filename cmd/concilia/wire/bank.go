package wire

import (
	"slices"
	"strings"

	"concilia/config"
	"concilia/jobs/agreements"
	"concilia/jobs/bank"
	"concilia/jobs/bank/columns"
	"concilia/store/ledger"
)

// BanksOf are the bank accounts of a configuration that was checked. What is measured of their payers is as readings say.
func BanksOf(c *config.Config, readings agreements.BankReadings) ([]bank.Account, error) {
	all := make([]bank.Account, len(c.Banks))
	for i := range c.Banks {
		b := &c.Banks[i]
		a := bank.Account{
			ID: b.ID, Bank: b.Bank, Branch: b.Branch, Number: b.Account, IgnoreBalance: b.Balance == "ignore", Amounts: b.Amounts,
			Columns: columnsOf(&b.Columns), Shift: b.Shift, Inbox: b.Inbox, Done: b.Done,
		}
		var err error
		if a.Payers, err = payersOf(b.ID, b.Payers, readings); err != nil {
			return nil, err
		}
		for _, n := range b.Accounts {
			a.Accounts = append(a.Accounts, ledger.Account(n))
		}
		if b.Since != "" {
			if a.Since, err = ledger.ParseDate(b.Since); err != nil {
				return nil, err
			}
		}
		all[i] = a
	}
	return all, nil
}

// columnsOf is the declared map of a bank's tables; nil: none.
func columnsOf(m *config.ColumnMap) *columns.Map {
	if !m.Declared() {
		return nil
	}
	return &columns.Map{
		Preset:    m.Preset,
		Delimiter: m.Delimiter, Encoding: m.Encoding, SkipLines: m.SkipLines, Date: m.Date.Column, DateLayout: m.Date.Layout,
		Amount: m.Amount, Credit: m.Credit, Debit: m.Debit, Sign: m.Sign.Column, DebitSigns: m.Sign.Debit, Decimal: m.Decimal,
		Text: m.Text, Document: m.Document, Category: m.Category, Balance: m.Balance,
	}
}

// payersOf are the payers of the bank account with an id.
func payersOf(id string, all []config.Payer, readings agreements.BankReadings) ([]bank.Payer, error) {
	out := make([]bank.Payer, len(all))
	for i := range all {
		p := &all[i]
		out[i] = bank.Payer{
			Name: p.Name, Document: strings.NewReplacer(".", "", "-", "", "/", "").Replace(p.Document), Category: p.Category,
			Cards: slices.Contains(p.Of, "cards"), Slips: slices.Contains(p.Of, "slips"),
		}
		for k, value := range map[agreements.BankKey]string{
			agreements.BankGrain: p.Grain, agreements.BankPerAccount: string(p.PerAccount), agreements.BankNetOfSplits: string(p.NetOfSplits), agreements.BankSlipTariff: p.SlipTariff,
		} {
			if value == config.Measured {
				out[i].Measured = append(out[i].Measured, k)
				value = readings.Value(id, p.Name, k)
			}
			out[i].Set(k, value)
		}
		slices.Sort(out[i].Measured)
		var err error
		if out[i].Match, err = patternOf(p.Match); err != nil {
			return nil, err
		}
		if out[i].DebitMatch, err = patternOf(p.DebitMatch); err != nil {
			return nil, err
		}
		for _, d := range p.Debits {
			amount, err := ledger.ParseAmount(d.Amount)
			if err != nil {
				return nil, err
			}
			out[i].Debits = append(out[i].Debits, bank.MonthlyDebit{Name: d.Name, Amount: amount})
		}
	}
	return out, nil
}

func patternOf(text string) (bank.Pattern, error) {
	re, err := config.PayerExpression(text)
	if re != nil || err != nil {
		return bank.Pattern{Expression: re}, err
	}
	return bank.Pattern{Piece: text}, nil
}
