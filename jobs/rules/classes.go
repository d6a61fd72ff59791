package rules

import (
	"strings"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// MappedStatus is what a spelling of the service means to us.
type MappedStatus struct {
	Class  ledger.Class
	Stated bool // the service said something
	Known  bool // and the mapping knows it; what it does not know counts as empty
}

// MapStatus returns the class that the mapping has for a status as the service spells it. A blank one, and one that the mapping does
// not list, count as open.
func MapStatus(m *agreements.Mapping, raw string) MappedStatus {
	if strings.TrimSpace(raw) == "" { // blanks say as little as nothing
		return MappedStatus{Class: ledger.Open, Known: true}
	}
	c, ok := m.Status(raw)
	if !ok {
		return MappedStatus{Class: ledger.Open, Stated: true}
	}
	return MappedStatus{Class: c, Stated: true, Known: true}
}

// States is whether the service said this class in so many words.
func (w MappedStatus) States(c ledger.Class) bool { return w.Stated && w.Known && w.Class == c }

// ClassOfMapped is the class of one version of an installment.
func ClassOfMapped(status, received MappedStatus, v *ledger.InstallmentVersion) ledger.Class {
	for _, c := range [...]ledger.Class{ledger.Cancelled, ledger.Chargeback, ledger.Blocked} {
		if status.States(c) || received.States(c) {
			return c
		}
	}
	if v.Effective != 0 && v.Received.Or(0) != 0 || received.States(ledger.Received) {
		return ledger.Received
	}
	return ledger.Open
}

// ClassOf returns the class of one version of an installment under a mapping.
func ClassOf(m *agreements.Mapping, v *ledger.InstallmentVersion) ledger.Class {
	return ClassOfMapped(MapStatus(m, v.Status), MapStatus(m, v.ReceivedStatus), v)
}

// Spelling is a member of a row whose value is not in the mapping.
type Spelling struct{ Member, Value string }

// UnmappedSpellings lists the spellings of a row that are not listed.
func (r *Row) UnmappedSpellings() []Spelling {
	if !r.Unmapped && !r.TypeUnmapped && r.ProductMapped && r.BrandMapped {
		return nil
	}
	var all []Spelling
	add := func(unknown bool, member, value string) {
		if unknown {
			all = append(all, Spelling{member, value})
		}
	}
	add(!r.Status.Known, "installmentStatus", r.Now.Status)
	add(r.TypeUnmapped, "receivedType", r.Now.ReceivedType)
	add(!r.ReceivedStatus.Known, "receivedStatus", r.Now.ReceivedStatus)
	add(!r.ProductMapped, "cardType", r.Now.CardType)
	add(!r.BrandMapped, "cardName", r.Now.CardName)
	return all
}

// Subject names the value of an account.
func (s Spelling) Subject(a ledger.Account) string {
	return ledger.Subject("value", a, s.Member, s.Value)
}

// Outcome is the finding of a spelling seen on so many installments.
func (s Spelling) Outcome(rows int) Outcome {
	return Outcome{Status: Fires, Actual: ledger.Text(s.Value), Numbers: []ledger.Number{NamedText("member", s.Member), NamedCount("rows", rows)}}
}

// HasUnmappedStatus says whether a version has a status that the mapping does not know.
func (e *Env) HasUnmappedStatus(v *ledger.InstallmentVersion) bool {
	_, status := e.Mapping.Status(v.Status)
	_, received := e.Mapping.Status(v.ReceivedStatus)
	return !status || !received
}
