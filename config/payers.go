package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"concilia/config/problem"
	"concilia/export/words"
)

// Payer says which lines of a bank account are the service's, and what it makes one credit of. A line is of the first payer
// that fits.
type Payer struct {
	// Name names the payer: lower-case letters, digits and -; required.
	Name string `yaml:"name" env:"NAME"`
	// Match is a piece of the line's text, or an expression (RE2) between slashes with optional groups brand and product.
	Match string `yaml:"match" env:"MATCH"`
	// Document is the CPF or CNPJ of the other side: a column of its own, or its digits in the text.
	Document string `yaml:"document" env:"DOCUMENT"`
	// Category are the bank's categories. Of match, document and category one is required, and all given must fit.
	Category []string `yaml:"category" env:"CATEGORY"`
	// DebitMatch is one more pattern, for debits alone. Defaults to empty.
	DebitMatch string `yaml:"debit_match" env:"DEBIT_MATCH"`
	// Of is what it pays: cards, slips. Defaults to both.
	Of []string `yaml:"of" env:"OF"`
	// Grain is what one credit is of: day, brand, brand_product or slip. Defaults to day. Where it, or one of the three below, is measured,
	// it is what `concilia calibrate` wrote into the profile, else the default.
	Grain string `yaml:"grain" env:"GRAIN"`
	// PerAccount is true where each account has a credit of its own. Defaults to false.
	PerAccount Switch `yaml:"per_account" env:"PER_ACCOUNT"`
	// NetOfSplits is true where the splits of card sales leave before the credit, so that it is less than what was received. Defaults
	// to false.
	NetOfSplits Switch `yaml:"net_of_splits" env:"NET_OF_SPLITS"`
	// SlipTariff is net where slips are credited less the contract's tariff, debit where the tariffs of a day are debited apart, else
	// none. Defaults to net.
	SlipTariff string `yaml:"slip_tariff" env:"SLIP_TARIFF"`
	// Debits are what it takes once per calendar month and account. Defaults to none.
	Debits []PayerDebit `yaml:"debits" env:"-"`
}

// Measured is the value of a key of a payer that statements decide.
const Measured = "measured"

// Switch is true, false or measured.
type Switch string

// MarshalYAML writes true and false as such, without quotes.
func (s Switch) MarshalYAML() (any, error) {
	switch s {
	case "true", "false":
		return s == "true", nil
	}
	return string(s), nil
}

// PayerDebit is an amount that a payer takes every month.
type PayerDebit struct {
	// Name names it; required.
	Name string `yaml:"name" env:"NAME"`
	// Amount is in reais; required.
	Amount string `yaml:"amount" env:"AMOUNT"`
}

// setDefaults sets the defaults of a payer.
func (p *Payer) setDefaults() {
	p.Grain, p.PerAccount, p.NetOfSplits, p.SlipTariff = "day", "false", "false", "net"
	p.Of = []string{"cards", "slips"}
}

// readPayers reads the variables of the payers of all bank accounts.
func (l *loader) readPayers() {
	for i := range l.cfg.Banks {
		key := fmt.Sprintf("banks[%d].payers", i)
		readCounted(l, key, "name", &l.cfg.Banks[i].Payers)
		for j := range l.cfg.Banks[i].Payers {
			readCounted(l, fmt.Sprintf("%s[%d].debits", key, j), "name", &l.cfg.Banks[i].Payers[j].Debits)
		}
	}
}

// maxPayers is how many payers a bank account may have.
const maxPayers = 50

// checkPayers checks the payers of a bank account: each whole, and nothing paid by two.
func checkPayers(v *validator, key string, payers []Payer) {
	if len(payers) > maxPayers {
		v.addProblem(key, fmt.Sprint(len(payers)), words.NewMessage("want.payers_at_most", "most", maxPayers))
		return
	}
	names, pays := map[string]string{}, map[string]string{}
	for i := range payers {
		p, at := &payers[i], fmt.Sprintf("%s[%d]", key, i)
		checkPayer(v, at, p)
		if before := names[p.Name]; before != "" && p.Name != "" {
			v.addProblem(at+".name", p.Name, words.NewMessage("want.another_name", "before", before))
		}
		names[p.Name] = at
		for _, of := range p.Of {
			if before := pays[of]; before != "" {
				v.addProblem(at+".of", of, words.NewMessage("want.paid_once", "before", before))
			}
			pays[of] = at
		}
	}
}

func checkPayer(v *validator, key string, p *Payer) {
	switch {
	case p.Name == "":
		v.addMissing(key+".name", words.NewMessage("want.payer_name"))
	case !bankIDPattern.MatchString(p.Name):
		v.addProblem(key+".name", p.Name, words.NewMessage("want.payer_name"))
	}
	if p.Match == "" && p.Document == "" && len(p.Category) == 0 {
		v.addMissing(key+".match", words.NewMessage("want.payer_match"))
	}
	if digits := strings.NewReplacer(".", "", "-", "", "/", "").Replace(p.Document); p.Document != "" && !payerDocument.MatchString(digits) {
		v.addProblem(key+".document", p.Document, words.NewMessage("want.payer_document"))
	}
	v.checkOneOf(key+".grain", p.Grain, "day", "brand", "brand_product", "slip", Measured)
	v.checkOneOf(key+".per_account", string(p.PerAccount), "false", "true", Measured)
	v.checkOneOf(key+".net_of_splits", string(p.NetOfSplits), "false", "true", Measured)
	v.checkOneOf(key+".slip_tariff", p.SlipTariff, "net", "debit", "none", Measured)
	if len(p.Of) == 0 {
		v.addMissing(key+".of", words.NewMessage("want.payer_of"))
	}
	for i, of := range p.Of {
		v.checkOneOf(fmt.Sprintf("%s.of[%d]", key, i), of, "cards", "slips")
	}
	checkPayerPattern(v, key+".match", p.Match, p.Grain)
	checkPayerPattern(v, key+".debit_match", p.DebitMatch, p.Grain)
	for i, d := range p.Debits {
		at := fmt.Sprintf("%s.debits[%d]", key, i)
		if !bankIDPattern.MatchString(d.Name) {
			v.addProblem(at+".name", d.Name, words.NewMessage("want.debit_name"))
		}
		if a, ok := problem.ParseDecimal(d.Amount); !ok || a.Sign() <= 0 || a.Exponent() < -2 {
			v.addProblem(at+".amount", d.Amount, words.NewMessage("want.debit_amount"))
		}
	}
}

var payerDocument = regexp.MustCompile(`^([0-9]{11}|[0-9]{14})$`)

// PayerExpression is the expression of a pattern between slashes; nil: the pattern is a piece of a text.
func PayerExpression(pattern string) (*regexp.Regexp, error) {
	if len(pattern) < 2 || pattern[0] != '/' || pattern[len(pattern)-1] != '/' {
		return nil, nil
	}
	return regexp.Compile(pattern[1 : len(pattern)-1])
}

// checkPayerPattern checks an expression, and that it can distinguish a brand that it names.
func checkPayerPattern(v *validator, key, pattern, grain string) {
	re, err := PayerExpression(pattern)
	switch {
	case err != nil:
		v.addProblem(key, pattern, words.NewMessage("want.pattern"))
	case re == nil:
	case slices.Contains(re.SubexpNames(), "brand") && grain != "brand" && grain != "brand_product" && grain != Measured:
		v.addProblem(key, pattern, words.NewMessage("want.brand_group"))
	case slices.Contains(re.SubexpNames(), "product") && grain != "brand_product" && grain != Measured:
		v.addProblem(key, pattern, words.NewMessage("want.product_group"))
	}
}
