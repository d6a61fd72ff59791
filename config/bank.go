package config

import (
	"fmt"
	"regexp"
	"slices"
)

// part is one member of the account block, with the columns it has to fit in.
type part struct {
	name     string
	value    string
	fits     *regexp.Regexp
	want     string
	optional bool // may stay empty when EDI is asked for
}

var (
	bankCode  = regexp.MustCompile(`^[0-9]{3}$`)
	branch    = regexp.MustCompile(`^[0-9]{1,5}$`)
	account   = regexp.MustCompile(`^[0-9]{1,12}$`)
	oneDigit  = regexp.MustCompile(`^[0-9X]$`)
	agreement = regexp.MustCompile(`^[0-9A-Za-z ./-]{1,20}$`)
	bankName  = regexp.MustCompile(`^.{1,30}$`)
)

// parts lists the account block in the order of the file header of CNAB 240.
func (b *Bank) parts() []part {
	return []part{
		{"code", b.Code, bankCode, `the bank's 3 digits in quotes, such as "001"`, false},
		{"agreement", b.Agreement, agreement, "the agreement (convênio), up to 20 letters and digits", false},
		{"branch", b.Branch, branch, "the branch (agência), up to 5 digits", false},
		{"branch_digit", b.BranchDigit, oneDigit, "the branch's check digit, 0 to 9 or X", false},
		{"account", b.Account, account, "the account (conta), up to 12 digits", false},
		{"account_digit", b.AccountDigit, oneDigit, "the account's check digit, 0 to 9 or X", false},
		{"digit", b.Digit, oneDigit, "the check digit of branch and account, 0 to 9 or X, or nothing", true},
		{"name", b.Name, bankName, "the bank's name, up to 30 characters", false},
	}
}

// bank judges what is written in an account block, whether EDI is asked for or not.
func (l *loader) bank(key string, b *Bank) {
	for _, p := range b.parts() {
		if p.value != "" && !p.fits.MatchString(p.value) {
			l.problem(key+"."+p.name, p.value, p.want)
		}
	}
}

// recut are the banks whose readers cut some columns differently from the standard.
var recut = []string{"033", "104", "341"}

// bancoDoBrasil is the only bank of the profile bb.
const bancoDoBrasil = "001"

// edi judges what EDI files need of every account.
func (l *loader) edi(c *Config) {
	const because = "; EDI files need it, or leave edi out of reports.formats"
	for i := range c.Accounts {
		a, key := &c.Accounts[i], fmt.Sprintf("accounts[%d]", i)
		if a.Name == "" {
			l.missing(key+".name", "the holder's name"+because)
		}
		if a.Document == "" {
			l.missing(key+".document", "the holder's CPF or CNPJ"+because)
		}
		if a.Bank == (Bank{}) {
			l.missing(key+".bank", "the account block: code, branch, branch_digit, account, account_digit, agreement, name"+because)
			continue
		}
		for _, p := range a.Bank.parts() {
			if p.value == "" && !p.optional {
				l.missing(key+".bank."+p.name, p.want+because)
			}
		}
		code, at := a.Bank.Code, key+".bank.code"
		switch {
		case c.Reports.EDI.Profile == "bb" && code != "" && code != bancoDoBrasil:
			l.problem(at, code, `"001": the profile bb is Banco do Brasil's alone; febraban is for every bank`)
		case slices.Contains(recut, code) && c.Reports.EDI.StrictBank:
			l.problem(at, code, "a bank whose readers keep the standard columns: this one's cut some differently, and reports.edi.strict_bank refuses that")
		case slices.Contains(recut, code):
			c.warnings = append(c.warnings, at+": readers of bank "+code+" cut some columns differently from the standard that EDI files are written in")
		}
	}
}
