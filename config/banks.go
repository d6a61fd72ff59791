package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"concilia/export/words"
)

// BankAccount is an account at a bank, whose statements `concilia bank import` takes in. It is another thing than the block
// accounts[].bank of EDI files.
type BankAccount struct {
	// ID names the bank account in commands: lower-case letters, digits and -. Required.
	ID string `yaml:"id" env:"ID"`
	// Bank is the bank's 3 digits; required.
	Bank string `yaml:"bank" env:"BANK"`
	// Branch is the agência without check digit. Defaults to empty.
	Branch string `yaml:"branch" env:"BRANCH"`
	// Account is the conta with its check digit; required.
	Account string `yaml:"account" env:"ACCOUNT"`
	// Accounts are the accounts of the service that settle into it, each into one bank account; required. Its statements
	// are kept under the first one.
	Accounts []int64 `yaml:"accounts" env:"ACCOUNTS"`
	// Since, YYYY-MM-DD, is the first day answered for. Defaults to empty: the first day that a statement has whole.
	Since string `yaml:"since" env:"SINCE"`
	// Inbox is a folder whose statements every run takes in, and Done where they are moved once they are in. Default to
	// empty: no folder, and files stay where they are.
	Inbox string `yaml:"inbox" env:"INBOX" path:"input"`
	Done  string `yaml:"done" env:"DONE" path:"input"`
	// Balance is use, or ignore where what the bank states as balance is not the booked one. Defaults to use.
	Balance string `yaml:"balance" env:"BALANCE"`
	// Amounts is reais or cents, for files in which no amount has a decimal mark. Defaults to empty: such files are refused.
	Amounts string `yaml:"amounts" env:"AMOUNTS"`
	// Columns reads files that are tables: CSV, JSON. Defaults to none: such files are refused.
	Columns ColumnMap `yaml:"columns" envPrefix:"COLUMNS_"`
	// Shift is how many business days a credit may come late, 0 to 10. Defaults to 5.
	Shift int `yaml:"shift" env:"SHIFT"`
	// Payers say which lines are the service's. Defaults to none: lines are kept, and held against nothing.
	Payers []Payer `yaml:"payers" env:"-"`
}

// setDefaults sets the defaults of a bank account.
func (a *BankAccount) setDefaults() {
	a.Balance, a.Shift = "use", 5
	a.Columns.setDefaults()
}

var (
	bankIDPattern        = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	bankAccountPattern   = regexp.MustCompile(`^[0-9][0-9. -]{0,18}[0-9Xx]$`)
	bankBranchPattern    = regexp.MustCompile(`^[0-9]{1,5}(-?[0-9Xx])?$`)
	bankDigitsSeparators = strings.NewReplacer("-", "", ".", "", " ", "")
)

const (
	// maxBanks is how many bank accounts there may be, maxSettling how many accounts may settle into one.
	maxBanks    = 1_000
	maxSettling = 100
)

// checkBanks checks the bank accounts: each whole, and none like another.
func checkBanks(v *validator, c *Config) {
	if n := len(c.Banks); n > maxBanks {
		v.addProblem("banks", strconv.Itoa(n), words.NewMessage("want.banks_at_most", "most", maxBanks))
		return
	}
	ids, digits, owner := map[string]string{}, map[string]string{}, map[int64]string{}
	for i := range c.Banks {
		a, key := &c.Banks[i], fmt.Sprintf("banks[%d]", i)
		checkBankAccount(v, key, a)
		if before := ids[a.ID]; before != "" && a.ID != "" {
			v.addProblem(key+".id", a.ID, words.NewMessage("want.another_id", "before", before))
		}
		ids[a.ID] = key
		same := a.Bank + "/" + bankDigitsSeparators.Replace(a.Branch) + "/" + bankDigitsSeparators.Replace(a.Account)
		if before := digits[same]; before != "" && a.Account != "" {
			v.addProblem(key+".account", a.Account, words.NewMessage("want.another_account", "before", before))
		}
		digits[same] = key
		if len(a.Accounts) > maxSettling {
			continue // one problem is enough
		}
		for n, number := range a.Accounts {
			at := fmt.Sprintf("%s.accounts[%d]", key, n)
			known := slices.ContainsFunc(c.Accounts, func(x Account) bool { return x.Number == number })
			switch before := owner[number]; {
			case !known:
				v.addProblem(at, strconv.FormatInt(number, 10), words.NewMessage("want.one_of_accounts"))
			case before != "":
				v.addProblem(at, strconv.FormatInt(number, 10), words.NewMessage("want.settles_once", "before", before))
			}
			owner[number] = key
		}
	}
}

// checkBankAccount checks the values of one bank account.
func checkBankAccount(v *validator, key string, a *BankAccount) {
	for _, p := range []struct {
		name, value, want string // want is an id
		pattern           *regexp.Regexp
		optional          bool
	}{
		{"id", a.ID, "want.bank_id", bankIDPattern, false},
		{"bank", a.Bank, "want.bank_code", bankCodePattern, false},
		{"branch", a.Branch, "want.bank_branch", bankBranchPattern, true},
		{"account", a.Account, "want.bank_account", bankAccountPattern, false},
	} {
		switch {
		case p.value == "" && !p.optional:
			v.addMissing(key+"."+p.name, words.NewMessage(p.want))
		case p.value != "" && !p.pattern.MatchString(p.value):
			v.addProblem(key+"."+p.name, p.value, words.NewMessage(p.want))
		}
	}
	switch n := len(a.Accounts); {
	case n == 0:
		v.addMissing(key+".accounts", words.NewMessage("want.settling_accounts"))
	case n > maxSettling:
		v.addProblem(key+".accounts", strconv.Itoa(n), words.NewMessage("want.accounts_at_most", "most", maxSettling))
	}
	if a.Since != "" {
		v.checkDay(key+".since", a.Since)
	}
	if a.Done != "" && (a.Inbox == "" || filepath.Clean(a.Done) == filepath.Clean(a.Inbox)) {
		v.addProblem(key+".done", a.Done, words.NewMessage("want.other_folder"))
	}
	v.checkOneOf(key+".balance", a.Balance, "use", "ignore")
	if a.Amounts != "" {
		v.checkOneOf(key+".amounts", a.Amounts, "reais", "cents")
	}
	checkColumns(v, key+".columns", &a.Columns)
	if a.Shift < 0 || a.Shift > 10 {
		v.addProblem(key+".shift", strconv.Itoa(a.Shift), words.NewMessage("want.shift"))
	}
	checkPayers(v, key+".payers", a.Payers)
}
