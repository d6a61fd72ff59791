package wire

import (
	"slices"
	"strings"

	"concilia/config"
	"concilia/jobs/explain"
	"concilia/store/ledger"
)

// HoldersOf are the holders of the accounts, as letters name them.
func HoldersOf(c *config.Config) map[ledger.Account]explain.Holder {
	out := map[ledger.Account]explain.Holder{}
	for i := range c.Accounts {
		a := &c.Accounts[i]
		h := explain.Holder{Name: a.Name, Document: a.Document, ClaimsTo: c.Service.ClaimsTo}
		if at := slices.IndexFunc(c.Banks, func(b config.BankAccount) bool { return slices.Contains(b.Accounts, a.Number) }); at >= 0 {
			// What did not come is asked for where deposits go. The account's own block is of EDI files.
			b := &c.Banks[at]
			h.Bank = joinTexts(b.Bank, b.Branch, b.Account)
		} else if a.Bank.Code != "" {
			h.Bank = joinTexts(strings.TrimSpace(a.Bank.Code+" "+a.Bank.Name), joinDigit(a.Bank.Branch, a.Bank.BranchDigit), joinDigit(a.Bank.Account, a.Bank.AccountDigit))
		}
		out[ledger.Account(a.Number)] = h
	}
	return out
}

// joinTexts are the texts that say something, with commas between them.
func joinTexts(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ", ")
}

// joinDigit is a number with its check digit.
func joinDigit(number, digit string) string {
	if digit == "" {
		return number
	}
	return number + "-" + digit
}
