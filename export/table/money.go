package table

import "concilia/store/ledger"

// Money is a sum of printed cents with the sum of the exact amounts beside it. A sum that leaves its range is remembered, and
// Err refuses it. The zero Money is the sum of nothing.
type Money struct {
	Printed, Exact ledger.Amount
	overflow       bool
}

// Add adds an amount, rounded to cents here.
func (m *Money) Add(a ledger.Amount) { m.AddRounded(a.Rounded(ledger.HalfAwayFromZero), a) }

// AddRounded adds an amount whose printed cents follow from other printed cents.
func (m *Money) AddRounded(printed, exact ledger.Amount) {
	p, ok := addChecked(int64(m.Printed), int64(printed))
	x, okExact := addChecked(int64(m.Exact), int64(exact))
	if !ok || !okExact {
		m.overflow = true
		return
	}
	m.Printed, m.Exact = ledger.Amount(p), ledger.Amount(x)
}

// Err is ledger.ErrOverflow when a sum left its range.
func (m *Money) Err() error {
	if m.overflow {
		return ledger.ErrOverflow
	}
	return nil
}

// Cell is the sum as a cell of cents.
func (m Money) Cell() Cell { return Total(m.Printed, m.Exact) }

// addChecked is a + b, and whether that is in range.
func addChecked(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0) || b == 0
}
