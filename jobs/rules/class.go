package rules

import (
	"strings"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// word is what a spelling of the service means to us.
type word struct {
	class   ledger.Class
	written bool // the service said something
	known   bool // and the mapping knows it; what it does not know counts as empty
}

func read(m *agreements.Mapping, raw string) word {
	if strings.TrimSpace(raw) == "" { // blanks say as little as nothing
		return word{class: ledger.Open, known: true}
	}
	c, ok := m.Status(raw)
	if !ok {
		return word{class: ledger.Open, written: true}
	}
	return word{class: c, written: true, known: true}
}

// says is whether the service said this class in so many words.
func (w word) says(c ledger.Class) bool { return w.written && w.known && w.class == c }

// classOf is the class of one version of an installment.
func classOf(status, received word, v *ledger.InstallmentVersion) ledger.Class {
	for _, c := range [...]ledger.Class{ledger.Cancelled, ledger.Chargeback, ledger.Blocked} {
		if status.says(c) || received.says(c) {
			return c
		}
	}
	if v.Effective != 0 && v.Received.Or(0) != 0 || received.says(ledger.Received) {
		return ledger.Received
	}
	return ledger.Open
}

// ClassOf returns the class of one version of an installment under a mapping.
func ClassOf(m *agreements.Mapping, v *ledger.InstallmentVersion) ledger.Class {
	return classOf(read(m, v.Status), read(m, v.ReceivedStat), v)
}
