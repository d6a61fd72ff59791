package report

import (
	"cmp"
	"encoding/json"
	"slices"

	"concilia/store/ledger"
)

// Totals are the figures of a run's JSON: those of cards over the summaries and those of slips over their days.
// A side that was not rendered is nil.
type Totals struct {
	Cards *CardTotals `json:"cards,omitempty"`
	Slips *SlipTotals `json:"slips,omitempty"`
}

// CardTotals are sums of printed values. Cancelled and charged-back rows count in the cancelled ones alone.
type CardTotals struct {
	Gross, NetExpected, NetContract, Received, NotDue, Overdue, Blocked, Difference ledger.Amount
	CancelledGross, CancelledReceived                                               ledger.Amount
}

// SlipTotals are sums of printed values. What was paid is credited, not credited yet, or should have been credited by now:
// Paid is Credited, NotCredited and CreditOverdue together, and the last two are not in the JSON.
type SlipTotals struct {
	Issued, Paid, Credited, NotCredited, CreditOverdue, Overdue, Difference ledger.Amount
	// ChargesToConfirm is what slips paid late brought above their value while no list shows their charges; in no difference.
	ChargesToConfirm ledger.Amount
}

// Of are the totals that files of those kinds have the rows of: cards in summary and installments, slips in slips. What
// splits, fees and claims list are parts of rows.
func (t Totals) Of(kinds []Kind) Totals {
	if !slices.Contains(kinds, SummaryKind) && !slices.Contains(kinds, InstallmentsKind) {
		t.Cards = nil
	}
	if !slices.Contains(kinds, SlipsKind) {
		t.Slips = nil
	}
	return t
}

// FillFrom takes the sides that t lacks from the figures of another set.
func (t *Totals) FillFrom(o Totals) {
	t.Cards, t.Slips = cmp.Or(t.Cards, o.Cards), cmp.Or(t.Slips, o.Slips)
}

// Add adds the figures of another set.
func (t *Totals) Add(o Totals) {
	if o.Cards != nil {
		if t.Cards == nil {
			t.Cards = &CardTotals{}
		}
		a, b := t.Cards.allAmounts(), o.Cards.allAmounts()
		for i := range a {
			*a[i] += *b[i]
		}
	}
	if o.Slips != nil {
		if t.Slips == nil {
			t.Slips = &SlipTotals{}
		}
		a, b := t.Slips.allAmounts(), o.Slips.allAmounts()
		for i := range a {
			*a[i] += *b[i]
		}
	}
}

func (c *CardTotals) allAmounts() []*ledger.Amount {
	return []*ledger.Amount{
		&c.Gross, &c.NetExpected, &c.NetContract, &c.Received, &c.NotDue, &c.Overdue, &c.Blocked, &c.Difference,
		&c.CancelledGross, &c.CancelledReceived,
	}
}

func (s *SlipTotals) allAmounts() []*ledger.Amount {
	return []*ledger.Amount{
		&s.Issued, &s.Paid, &s.Credited, &s.NotCredited, &s.CreditOverdue, &s.Overdue, &s.Difference, &s.ChargesToConfirm,
	}
}

// MarshalJSON spells the amounts as exact strings.
func (c CardTotals) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Gross             string `json:"gross"`
		NetExpected       string `json:"net_expected"`
		NetContract       string `json:"net_contract"`
		Received          string `json:"received"`
		NotDue            string `json:"not_due"`
		Overdue           string `json:"overdue"`
		Blocked           string `json:"blocked"`
		Difference        string `json:"difference"`
		CancelledGross    string `json:"cancelled_gross"`
		CancelledReceived string `json:"cancelled_received"`
	}{
		c.Gross.String(), c.NetExpected.String(), c.NetContract.String(), c.Received.String(), c.NotDue.String(),
		c.Overdue.String(), c.Blocked.String(), c.Difference.String(), c.CancelledGross.String(),
		c.CancelledReceived.String(),
	})
}

// MarshalJSON spells the amounts as exact strings.
func (s SlipTotals) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Issued           string `json:"issued"`
		Paid             string `json:"paid"`
		Credited         string `json:"credited"`
		Overdue          string `json:"overdue"`
		Difference       string `json:"difference"`
		ChargesToConfirm string `json:"charges_to_confirm"`
	}{
		s.Issued.String(), s.Paid.String(), s.Credited.String(), s.Overdue.String(), s.Difference.String(), s.ChargesToConfirm.String(),
	})
}

func (l *summaryLine) cardTotals() *CardTotals {
	return &CardTotals{
		Gross: l.gross.Printed, NetExpected: l.net.Printed, NetContract: l.contract.Printed, Received: l.received.Printed,
		NotDue: l.notDue.Printed, Overdue: l.overdue.Printed, Blocked: l.blocked.Printed, Difference: l.difference.Printed,
		CancelledGross: l.cancelledGross.Printed, CancelledReceived: l.cancelledReceived.Printed,
	}
}

func (l *slipLine) slipTotals() *SlipTotals {
	return &SlipTotals{
		Issued: l.issued.Printed, Paid: l.paid.Printed, Credited: l.credited.Printed, NotCredited: l.notCredited.Printed,
		CreditOverdue: l.creditOverdue.Printed, Overdue: l.overdue.Printed,
		Difference: l.difference.Printed, ChargesToConfirm: l.toConfirm.Printed,
	}
}

// Measure is one figure of the totals, by its column.
type Measure struct {
	Column string
	Sum    ledger.Amount
}

// Measures are the figures that control lists of an account.
func (c *CardTotals) Measures() []Measure {
	return []Measure{
		{"gross", c.Gross},
		{"net_expected", c.NetExpected},
		{"received", c.Received},
		{"difference", c.Difference},
	}
}
