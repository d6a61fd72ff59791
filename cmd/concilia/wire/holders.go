package wire

import (
	"strings"

	"concilia/config"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// HoldersOf are the holders of the accounts, as letters name them.
func HoldersOf(c *config.Config) map[ledger.Account]casework.Holder {
	out := map[ledger.Account]casework.Holder{}
	for i := range c.Accounts {
		a := &c.Accounts[i]
		h := casework.Holder{Name: a.Name, Document: a.Document, ClaimsTo: c.Service.ClaimsTo}
		if a.Bank.Code != "" {
			h.Bank = strings.TrimSpace(a.Bank.Code+" "+a.Bank.Name) + ", " + joinDigit(a.Bank.Branch, a.Bank.BranchDigit) + ", " + joinDigit(a.Bank.Account, a.Bank.AccountDigit)
		}
		out[ledger.Account(a.Number)] = h
	}
	return out
}

// joinDigit is a number with its check digit.
func joinDigit(number, digit string) string {
	if digit == "" {
		return number
	}
	return number + "-" + digit
}
