package bank

import (
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/jobs/bank/columns"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Account is a bank account of the configuration.
type Account struct {
	ID string
	// Bank, Branch and Number are digits; Branch may be empty, Number has its check digit. Signs between them do not count.
	Bank, Branch, Number string
	// Accounts of the service settle into it; the first becomes its home.
	Accounts []ledger.Account
	// Since is the first day answered for; 0: the first settled day.
	Since ledger.Date
	// IgnoreBalance is set where what the bank states is no booked balance.
	IgnoreBalance bool
	// Amounts is what files without a decimal mark are in: reais, cents or empty.
	Amounts string
	// Columns reads files that are tables; nil: they are refused.
	Columns *columns.Map
	// Shift is how many business days a credit may come late.
	Shift int
	// Inbox is a folder whose statements runs take in, Done where they are moved then. Both may be empty.
	Inbox, Done string
	// Payers say which lines are the service's.
	Payers []Payer
}

// NetOfSplits reports whether a payer pays what is left after splits.
func (a *Account) NetOfSplits() bool {
	return slices.ContainsFunc(a.Payers, func(p Payer) bool { return p.NetOfSplits })
}

// leastDigits is how many digits an account must have at least to be recognized by the end of what a file states.
const leastDigits = 5

// ownsStatement reports whether a statement is of the account: bank, branch and digits as the file states them.
func (a *Account) ownsStatement(st *banking.Statement) bool {
	if bank := digits(st.Bank); bank != "" && bank != digits(a.Bank) {
		return false
	}
	stated := digits(st.Account)
	if stated == "" || isOtherBranch(digits(st.Branch), digits(a.Branch)) {
		return false
	}
	number := digits(a.Number)
	plain := ""
	if len(number) > 1 {
		plain = number[:len(number)-1] // without the check digit
	}
	for _, n := range []string{number, plain} {
		if n == "" {
			continue
		}
		branched := digits(a.Branch + n)
		if stated == n || stated == branched || a.Branch != "" && stated == digits(a.Branch)+n {
			return true
		}
		if len(n) >= leastDigits && strings.HasSuffix(stated, n) {
			return true
		}
	}
	return false
}

// isOtherBranch reports whether a file states another branch than the configured one. Either may lack the check digit, or be unknown.
func isOtherBranch(stated, configured string) bool {
	return stated != "" && configured != "" && !strings.HasPrefix(stated, configured) && !strings.HasPrefix(configured, stated)
}

// digits are the digits of a text without leading zeros. A check digit X is 0 at some banks and kept here.
func digits(s string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r == 'X':
			return r
		case r == 'x':
			return 'X'
		}
		return -1
	}, s)
	return strings.TrimLeft(kept, "0")
}

// ownerOf finds the account of a statement. With only, no other is considered. None is nil without an error.
func ownerOf(st *banking.Statement, accounts []Account, only string) (*Account, error) {
	var found []*Account
	for i := range accounts {
		if a := &accounts[i]; (only == "" || a.ID == only) && a.ownsStatement(st) {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	ids := make([]string, len(found))
	for i, a := range found {
		ids[i] = a.ID
	}
	return nil, words.NewRefusal("ambiguous", "refused.account_of", "remedy.say_bank", "account", words.Quote(st.Account, 40), "ids", words.Either(ids))
}
