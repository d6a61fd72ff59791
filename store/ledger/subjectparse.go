package ledger

import (
	"net/url"
	"strconv"
	"strings"
)

// Subjected is a subject taken apart: what it is of, whose, and its parts with nothing escaped in them.
type Subjected struct {
	Kind    string
	Account Account
	Parts   []string
	// Occurrence is that of a twin, else 1.
	Occurrence int
}

// ParseSubject takes apart what Subject and its kin put together; ok is false for anything else.
func ParseSubject(s string) (p Subjected, ok bool) {
	fields := strings.Split(s, ":")
	if len(fields) < 2 {
		return p, false
	}
	account, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || account <= 0 {
		return p, false
	}
	p = Subjected{Kind: fields[0], Account: Account(account), Occurrence: 1}
	for _, field := range fields[2:] {
		field, twin, twins := strings.Cut(field, "~")
		if twins {
			if p.Occurrence, err = strconv.Atoi(twin); err != nil {
				return p, false
			}
		}
		part, err := url.PathUnescape(field)
		if err != nil {
			return p, false
		}
		p.Parts = append(p.Parts, part)
	}
	return p, true
}

// Sale is the sale that a card, sale or split subject is of, and the installment's number within it, 0 for a sale.
func (p *Subjected) Sale() (key SaleKey, number int, ok bool) {
	least := 4
	switch p.Kind {
	case "card", "split":
	case "sale":
		least = 3
	default:
		return key, 0, false
	}
	if len(p.Parts) < least {
		return key, 0, false
	}
	day, err := ParseDate(p.Parts[0])
	if err != nil {
		return key, 0, false
	}
	if p.Kind != "sale" {
		if number, err = strconv.Atoi(p.Parts[3]); err != nil {
			return key, 0, false
		}
	}
	return SaleKey{Account: p.Account, Day: day, NSU: p.Parts[1], Auth: p.Parts[2], Occurrence: p.Occurrence}, number, true
}
