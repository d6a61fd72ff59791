package ledger

// AgendaItem is an installment that is still to be received: open and not overdue, or blocked.
type AgendaItem struct {
	Forecast   Date // zero: not sent
	Brand      string
	Product    Product
	Blocked    bool
	GrossCents int64 // gross as allocated to cents within its sale
	Gross      Amount
	Net        Amount // N − R
	// Charged are the fees and, where the reading takes them out of what is received, the splits; ChargedCents is the
	// same with each of them rounded to cents.
	Charged, ChargedCents Amount
	// Anticipating: it has an anticipation cost. ReceivedType, as sent, may mark it as anticipated too.
	Anticipating bool
	ReceivedType string
}

// AgendaSpan is the range of reconciles that a movement of the agenda covers: those after one run, up to and including
// another.
type AgendaSpan struct {
	Since Date   // the as-of that After answers for; none: nothing was shown before
	After string // run whose closing is the opening; empty: nothing was open before
	Until string // run whose closing is shown
}

// Residual is Closing less Opening and all movements: 0 if the movements are complete.
func (c *Continuity) Residual() (Amount, error) {
	rest := c.Opening
	for _, m := range c.Moved {
		var err error
		if rest, err = rest.Add(m); err != nil {
			return 0, err
		}
	}
	return rest.Add(-c.Closing)
}
