package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"concilia/export/words"
)

// Store is a store of the merchant, whose own sales `concilia sales import` takes in.
type Store struct {
	// ID names the store in commands and for ever in the ledger: lower-case letters, digits and -. Required.
	ID string `yaml:"id" env:"ID"`
	// Accounts are the accounts of the service in which its sales are; required. What is found is kept under the first one.
	Accounts []int64 `yaml:"accounts" env:"ACCOUNTS"`
	// Format is what its files are: nfe, nuvemshop, shopify-transactions, vtex, neutral, or the path of a column map. Required.
	Format string `yaml:"format" env:"FORMAT"`
	// Documents are the CNPJs that issue its notes; required for nfe. Notes of others are not taken in.
	Documents []string `yaml:"documents" env:"DOCUMENTS"`
	// Inbox is a folder whose files every run takes in; they stay there. Defaults to empty: no folder.
	Inbox string `yaml:"inbox" env:"INBOX" path:"input"`
	// Days is for which days a file is due, every or business. Defaults to every.
	Days string `yaml:"days" env:"DAYS"`
}

// Institution is one through which payments go.
type Institution struct {
	// CNPJ is 14 characters, as notes name it. Required.
	CNPJ string `yaml:"cnpj" env:"CNPJ"`
	// Participant is its code among the participants (0150) of the EFD. Required.
	Participant string `yaml:"participant" env:"PARTICIPANT"`
}

// Sales is how what stores say they sold is evaluated.
type Sales struct {
	// From, YYYY-MM-DD, is the first day evaluated. Defaults to empty: the first day that files of a store have whole.
	From string `yaml:"from" env:"FROM"`
}

// StoreFormats are the formats of stores that need no map.
func StoreFormats() []string {
	return []string{"nfe", "nuvemshop", "shopify-transactions", "vtex", "neutral"}
}

// rebaseMaps brings the paths of column maps to the directory of the configuration.
func rebaseMaps(c *Config, dir string) {
	for i := range c.Stores {
		f := &c.Stores[i].Format
		if *f != "" && !slices.Contains(StoreFormats(), *f) && !filepath.IsAbs(*f) {
			*f = filepath.Join(dir, *f)
		}
	}
}

// checkStores checks the stores: each whole, and none named like another.
func checkStores(v *validator, c *Config) {
	ids := map[string]string{}
	for i := range c.Stores {
		s, key := &c.Stores[i], fmt.Sprintf("stores[%d]", i)
		switch before := ids[s.ID]; {
		case s.ID == "":
			v.addMissing(key+".id", words.NewMessage("want.store_id"))
		case !bankIDPattern.MatchString(s.ID):
			v.addProblem(key+".id", s.ID, words.NewMessage("want.store_id"))
		case before != "":
			v.addProblem(key+".id", s.ID, words.NewMessage("want.another_id", "before", before))
		}
		ids[s.ID] = key
		if len(s.Accounts) == 0 {
			v.addMissing(key+".accounts", words.NewMessage("want.store_accounts"))
		}
		for n, number := range s.Accounts {
			if !slices.ContainsFunc(c.Accounts, func(a Account) bool { return a.Number == number }) {
				v.addProblem(fmt.Sprintf("%s.accounts[%d]", key, n), strconv.FormatInt(number, 10), words.NewMessage("want.one_of_accounts"))
			}
		}
		if s.Format == "" {
			v.addMissing(key+".format", words.NewMessage("want.store_format"))
		}
		checkEmitters(v, key+".documents", s)
		if s.Days != "" {
			v.checkOneOf(key+".days", s.Days, "every", "business")
		}
	}
	checkInstitutions(v, c.Institutions)
	if c.Sales.From != "" {
		v.checkDay("sales.from", c.Sales.From)
	}
}

// checkInstitutions checks that each is named once, with a code that fits a field of the EFD.
func checkInstitutions(v *validator, all []Institution) {
	seen := map[string]string{}
	for i, x := range all {
		key := fmt.Sprintf("institutions[%d]", i)
		switch before := seen[x.CNPJ]; {
		case !documentPattern.MatchString(x.CNPJ) || len(x.CNPJ) != 14:
			v.addProblem(key+".cnpj", x.CNPJ, words.NewMessage("want.cnpj"))
		case before != "":
			v.addProblem(key+".cnpj", x.CNPJ, words.NewMessage("want.another_cnpj", "before", before))
		}
		seen[x.CNPJ] = key
		if !participantPattern.MatchString(x.Participant) {
			v.addProblem(key+".participant", x.Participant, words.NewMessage("want.participant"))
		}
	}
}

// participantPattern are the codes of participants that can stand between bars.
var participantPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,60}$`)

// checkEmitters checks who issues the notes of a store.
func checkEmitters(v *validator, key string, s *Store) {
	switch notes := s.Format == "nfe"; {
	case notes && len(s.Documents) == 0:
		v.addMissing(key, words.NewMessage("want.emitters"))
	case !notes && len(s.Documents) > 0:
		v.addProblem(key, s.Documents[0], words.NewMessage("want.no_emitters"))
	}
	for i, d := range s.Documents {
		if !documentPattern.MatchString(d) || len(d) != 14 {
			v.addProblem(fmt.Sprintf("%s[%d]", key, i), d, words.NewMessage("want.cnpj"))
		}
	}
}
