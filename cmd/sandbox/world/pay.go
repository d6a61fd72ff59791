package world

import (
	"strconv"
	"strings"
	"sync/atomic"
)

// debt is what the service was planted to owe: an installment it never pays, a slip it never credits. It may pay after all.
type debt struct{ on atomic.Int64 } // the day; 0: not yet

// paidOn is the day it was paid after all; zero when it never was.
func (d *debt) paidOn() Date {
	if d == nil {
		return 0
	}
	return Date(d.on.Load())
}

// Pay has the service pay today, by the business clock, what it was planted to owe: the installment (card:…) that is never paid, or
// the slip (slip:…) that is never credited. Records show it from tomorrow on. Paid twice, the first day stays. It reports false where
// the subject names nothing of the kind.
func (w *World) Pay(subject string) bool {
	d := w.findDebt(subject)
	if d == nil {
		return false
	}
	d.on.CompareAndSwap(0, int64(DateOf(w.Now())))
	return true
}

// findDebt is the debt with a subject; nil when there is none.
func (w *World) findDebt(subject string) *debt {
	parts := strings.Split(subject, ":")
	if len(parts) < 2 {
		return nil
	}
	account, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return nil
	}
	for _, s := range w.sales[account] {
		if p := s.plant; p != nil && p.neverPaid && s.cardSubject(p.k) == subject && !s.soldAt().After(w.Now()) {
			return p.debt
		}
	}
	for _, s := range w.slips[account] {
		if p := s.plant; p != nil && p.uncredited && s.slipSubject() == subject && s.issue <= DateOf(w.Now()) {
			return p.debt
		}
	}
	return nil
}
