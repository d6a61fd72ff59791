package export

import (
	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/store/ledger"
)

// HolderFacts returns the account block in words: the merchant and the bank account that the service pays to. It is empty for
// all accounts, and has only what is configured.
func (c Captions) HolderFacts() []html.Fact {
	if c.job.Account == manifest.AllAccounts {
		return nil
	}
	var out []html.Fact
	add := func(label, value string) {
		if value != "" {
			out = append(out, html.Fact{Label: label, Value: value})
		}
	}
	b := &c.job.Block
	add(c.job.Text("claims.merchant"), b.Name)
	add(holderKind(b.Document), formatDocument(b.Document))
	at := c.job.Text("claims.account_at_the_service")
	if c.job.Service != "" {
		at = c.job.Text("claims.account_at_named_service", "service", c.job.Service)
	}
	add(at, c.job.Account)
	add(c.job.Text("claims.bank_account"), c.bankWords(&b.Bank))
	return out
}

// holderKind returns the name of the holder's document; a person may hold an account too.
func holderKind(d ledger.Document) string {
	if d.Kind() == ledger.CPF {
		return "CPF"
	}
	return "CNPJ"
}

// formatDocument punctuates the CNPJ or CPF of the account's holder, which is not masked.
func formatDocument(d ledger.Document) string {
	s := string(d)
	switch {
	case d.Kind() == ledger.CNPJ && len(s) == 14:
		return s[:2] + "." + s[2:5] + "." + s[5:8] + "/" + s[8:12] + "-" + s[12:]
	case d.Kind() == ledger.CPF && len(s) == 11:
		return s[:3] + "." + s[3:6] + "." + s[6:9] + "-" + s[9:]
	}
	return s
}

// bankWords returns bank, branch and account as on a cheque; empty if no bank is configured.
func (c Captions) bankWords(b *Bank) string {
	if b.Code == "" {
		return ""
	}
	s := c.job.Text("claims.bank", "code", b.Code)
	if b.Name != "" {
		s += " " + b.Name
	}
	dashed := func(number, digit string) string {
		if digit != "" {
			return number + "-" + digit
		}
		return number
	}
	if b.Branch != "" {
		s += ", " + c.job.Text("claims.branch", "number", dashed(b.Branch, b.BranchDigit))
	}
	if b.Account != "" {
		s += ", " + c.job.Text("claims.account", "number", dashed(b.Account, b.AccountDigit))
	}
	return s
}

// HolderLine returns the account block on one line, for the sheet of the claims; empty if nothing is configured.
func (c Captions) HolderLine() string {
	line := ""
	for _, f := range c.HolderFacts() {
		if line != "" {
			line += " · "
		}
		line += f.Label + ": " + f.Value
	}
	return line
}
