package table_test

import (
	"errors"
	"math"
	"testing"

	"concilia/export/table"
	"concilia/store/ledger"
)

// Totals are sums of printed cents, kept together with the sum before rounding.
func TestMoneyAddsPrintedCents(t *testing.T) {
	t.Parallel()
	var m table.Money
	for _, s := range []string{"0.005", "0.005", "-0.004"} {
		m.Add(brl(s))
	}
	if m.Printed != brl("0.02") || m.Exact != brl("0.006") || m.Err() != nil {
		t.Errorf("printed %s, exact %s, %v", m.Printed, m.Exact, m.Err())
	}
	if c := m.Cell(); c != table.Total(brl("0.02"), brl("0.006")) {
		t.Errorf("cell %v", c)
	}
}

// A sum beyond its range stays an error, whatever is added after it.
func TestSumsRefuseToOverflow(t *testing.T) {
	t.Parallel()
	var m table.Money
	m.AddRounded(math.MaxInt64, 0)
	m.AddRounded(1, 0)
	m.AddRounded(-1, 0)
	if !errors.Is(m.Err(), ledger.ErrOverflow) {
		t.Error(m.Err())
	}
	c := table.NewCounter(shares())
	row := shares().NewRow()
	row[4] = table.Int(math.MaxInt64)
	if err := c.Add(row); err != nil {
		t.Fatal(err)
	}
	if err := c.Add(row); !errors.Is(err, ledger.ErrOverflow) {
		t.Error(err)
	}
}
