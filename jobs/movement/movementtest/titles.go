// Package movementtest has the titles of the movement's worked example, for the tests of events and of entries.
package movementtest

import (
	"concilia/jobs/movement"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// BRL is an amount that the service shows.
func BRL(cents int64) ledger.Opt[ledger.Amount] { return ledger.Some(ledger.FromCents(cents)) }

// NewCard is a card sale's installment in the words of the example, with what is expected of it.
func NewCard(sale, nsu, auth, reference, due string, count, version int, gross, mdr int64) (*ledger.InstallmentVersion, *ledger.Expectation) {
	day, err := ledger.ParseLocalTime(sale, nil)
	if err != nil {
		panic(err)
	}
	forecast, err := ledger.ParseDate(due)
	if err != nil {
		panic(err)
	}
	v := &ledger.InstallmentVersion{Version: version, Installment: ledger.Installment{
		Account: 1001, SoldAt: day, NSU: nsu, Auth: auth, Number: 1, Count: count, Reference: reference, Forecast: forecast,
		Gross: ledger.FromCents(gross), MDR: BRL(mdr), Fee: BRL(10), Antifraud: BRL(30),
	}}
	return v, &ledger.Expectation{Class: ledger.Open, Brand: "visa", Product: "credit", GrossCents: gross}
}

// ExampleTitles are the three titles of the example with their events: one charged back whose money was taken back, one settled
// short with a share, and one cancelled unpaid.
func ExampleTitles() []bookkeeping.TitleChange {
	state := func(v *ledger.InstallmentVersion, e *ledger.Expectation) *bookkeeping.TitleState {
		return movement.CardState(v, e, false)
	}
	change := func(v *ledger.InstallmentVersion, before *bookkeeping.TitleState, said string) bookkeeping.TitleChange {
		return bookkeeping.TitleChange{Subject: v.Key().Subject(), Before: before, Known: true, History: bookkeeping.TitleHistory{Said: map[string]bool{said: true}}}
	}
	day := func(s string) ledger.Date {
		d, err := ledger.ParseDate(s)
		if err != nil {
			panic(err)
		}
		return d
	}
	v, e := NewCard("2026-10-05T10:00:00", "000123450007", "G7H8I9", "PEDIDO-0977", "2026-11-04", 1, 2, 8000, 199)
	e.Class, v.Effective, v.Received = ledger.Received, day("2026-11-04"), BRL(7761)
	back := change(v, state(v, e), "06")
	v.Version, e.Class, v.Received = 3, ledger.Chargeback, BRL(0)
	back.After = state(v, e)

	v, e = NewCard("2026-10-19T10:00:00", "000123456789", "A1B2C3", "PEDIDO-1001", "2026-11-18", 2, 1, 10000, 299)
	settled := change(v, state(v, e), "02")
	v.Version, e.Class, v.Effective, v.Received = 2, ledger.Received, day("2026-11-19"), BRL(9651)
	v.Splits = []ledger.Split{{Beneficiary: "11444777000161", Type: "P", Value: BRL(966)}}
	settled.After = state(v, e)

	v, e = NewCard("2026-11-16T10:00:00", "000123456790", "D4E5F6", "PEDIDO-1002", "2026-12-16", 1, 1, 5000, 117)
	cancelled := change(v, state(v, e), "02")
	v.Version, e.Class = 2, ledger.Cancelled
	cancelled.After = state(v, e)
	return []bookkeeping.TitleChange{back, settled, cancelled}
}
