package bank

import (
	"regexp"
	"slices"
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/bank/match"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Payer says which lines of a bank account are the service's.
type Payer struct {
	Name string
	// Match and DebitMatch are pieces of a normalized text, or expressions; of both an empty one fits nothing.
	Match, DebitMatch Pattern
	// Document is digits, Category the bank's codes; empty ones do not count.
	Document string
	Category []string
	// Cards and Slips are what it pays.
	Cards, Slips bool
	Grain        match.Grain
	PerAccount   bool
	// NetOfSplits is set where what beneficiaries get of an installment leaves before the credit.
	NetOfSplits bool
	// NetOfTariff is set where slips are credited less the agreed tariff.
	NetOfTariff bool
	// TariffDebited is set where the agreed tariffs of a day's slips are debited apart.
	TariffDebited bool
	Debits        []MonthlyDebit
	// Measured are the keys that statements decide: how the payer pays is what a profile says of them, else the default.
	Measured []agreements.BankKey
}

// MonthlyDebit is what a payer takes once per calendar month and account.
type MonthlyDebit struct {
	Name   string
	Amount ledger.Amount
}

// Pattern is a piece of a text or an expression with optional groups brand and product.
type Pattern struct {
	Piece      string
	Expression *regexp.Regexp
}

// find reports whether a text has the pattern, and which brand and product it names, as written there.
func (p *Pattern) find(text string) (brand, product string, found bool) {
	switch {
	case p.Expression != nil:
		at := p.Expression.FindStringSubmatch(text)
		for i, name := range p.Expression.SubexpNames() {
			switch {
			case at == nil:
			case name == "brand":
				brand = at[i]
			case name == "product":
				product = at[i]
			}
		}
		return brand, product, at != nil
	case p.Piece != "":
		return "", "", strings.Contains(text, banking.NormalizeText(p.Piece))
	}
	return "", "", false
}

// ownsLine reports whether a line is the payer's, and which brand and product it names.
func (p *Payer) ownsLine(l *banking.Line) (brand, product string, yes bool) {
	if l.Amount < 0 {
		if brand, product, yes = p.DebitMatch.find(l.Text); yes {
			return brand, product, true
		}
	}
	matched := false
	if p.Match != (Pattern{}) {
		if brand, product, yes = p.Match.find(l.Text); !yes {
			return "", "", false
		}
		matched = true
	}
	if p.Document != "" {
		if !hasDocument(l.Document, p.Document) && !hasDocument(l.Text, p.Document) {
			return "", "", false
		}
		matched = true
	}
	if len(p.Category) > 0 {
		if !slices.Contains(p.Category, l.Category) {
			return "", "", false
		}
		matched = true
	}
	return brand, product, matched
}

// hasDocument reports whether a text has a document: its digits in one run, with or without the usual signs between them.
func hasDocument(text, document string) bool {
	run := make([]byte, 0, len(document))
	flush := func() bool {
		found := string(run) == document
		run = run[:0]
		return found
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			run = append(run, c)
		case c == '.' || c == '-' || c == '/':
		default:
			if flush() {
				return true
			}
		}
	}
	return flush()
}
