package ledger

// AgendaItem is an installment whose money is still to come: open and not overdue, or blocked.
type AgendaItem struct {
	Forecast   Date // none: not sent
	Brand      string
	Product    Product
	Blocked    bool
	GrossCents int64 // gross as allocated to cents within its sale
	Gross      Amount
	Net        Amount // N − R
	// Charged are the fees and, where the reading takes them out of what is received, the splits; ChargedCents is the
	// same with each of them rounded to cents.
	Charged, ChargedCents Amount
	// Anticipating: it has a cost of anticipation. ReceivedType, as sent, may say so too.
	Anticipating bool
	ReceivedType string
}

// AgendaSpan is what one movement of the agenda goes over: the reconciles after one run up to another.
type AgendaSpan struct {
	Since Date   // the as-of that After answers for; none: nothing was shown before
	After string // run whose closing is the opening; empty: nothing was open before
	Until string // run whose closing is shown
}

// Residual is what the movements leave of the difference between Opening and Closing: nothing, or they are not all.
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
