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
	return ClassOfMapped(MapStatus(m, v.Status), MapStatus(m, v.ReceivedStat), v)
}
