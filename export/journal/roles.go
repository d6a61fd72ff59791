package journal

import (
	"fmt"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger/bookkeeping"
)

// CheckRoles returns what the chart lacks for entries of sources, and of banks, in formats: a problem for each account of a role without a
// code or a path that a format shows, with the entry that needs it. name is what problems call the chart's file.
func (c *Chart) CheckRoles(name string, formats []string, sources []bookkeeping.EventSource, banks bool) error {
	p := &chartParser{name: name}
	seen := map[bookkeeping.Role]bool{}
	for _, t := range bookkeeping.EntryTypes() {
		if c.Skips(t) || !isAsked(t, sources, banks) {
			continue
		}
		for _, r := range RolesOf(t, c.Method) {
			if !seen[r] {
				seen[r] = true
				c.checkRole(p, r, t, formats)
			}
		}
	}
	return p.problems.Err()
}

// isAsked reports whether there are entries of a type.
func isAsked(t bookkeeping.EntryType, sources []bookkeeping.EventSource, banks bool) bool {
	switch {
	case t == bookkeeping.EntryOpening:
		return true
	case t == bookkeeping.EntryBank:
		return banks
	case strings.HasPrefix(string(t), "slip_"):
		return slices.Contains(sources, bookkeeping.SlipEvents)
	}
	return slices.Contains(sources, bookkeeping.CardEvents)
}

// checkRole adds what the accounts of a role lack: that of any account and brand, and those of overrides.
func (c *Chart) checkRole(p *chartParser, r bookkeeping.Role, t bookkeeping.EntryType, formats []string) {
	check := func(key string, a Account) {
		for _, f := range formats {
			if want := c.missingMember(a, Format(f)); want.ID != "" {
				p.add(key+"roles."+string(r), "", words.NewMessage("want.for_entry", "want", want, "entry", t, "format", f))
				return
			}
		}
	}
	check("", c.Roles[r])
	for i := range c.Overrides {
		if a, ok := c.Overrides[i].Roles[r]; ok {
			check(fmt.Sprintf("overrides[%d].", i), a)
		}
	}
}

// missingMember is what an account lacks that a format shows; without an id: it has it.
func (c *Chart) missingMember(a Account, f Format) words.Message {
	ofCode, ofPath := f == Dominio, f == Beancount || f == HLedger
	if f == CSV && c.HasOwnCSV() {
		for _, id := range c.OwnValues() {
			ofCode = ofCode || id == codeValue || id == debitCode || id == creditCode
			ofPath = ofPath || id == pathValue
		}
	}
	switch {
	case f == Dominio && a.Code != "" && !digitsPattern.MatchString(a.Code):
		return words.NewMessage("want.code_of_digits")
	case ofCode && !ofPath && a.Code == "":
		return words.NewMessage("want.code")
	case ofPath && !ofCode && a.Path == "":
		return words.NewMessage("want.path")
	case a == (Account{}):
		return words.NewMessage("want.code_or_path")
	}
	return words.Message{}
}
