package plan

import (
	"context"

	"concilia/store/ledger"
)

// NotifiedNights is on how many nights the days of a notification are asked for while no installment fits it.
const NotifiedNights = 7

// notified adds the days that notifications name: the sale day of a linked one until it is pulled after the
// notification arrived, and for one that is linked to none the day on which it happened and the day before.
func (p *draft) notified(ctx context.Context) error {
	named, err := p.ledger.NotifiedDays(ctx, p.account)
	if err != nil {
		return err
	}
	for _, d := range named {
		if d < p.asOf {
			p.add(ledger.Cards, d, reasonNamed)
		}
	}
	return p.ledger.Unlinked(ctx, p.account, func(n *ledger.LinkedNotification, _ []ledger.InstallmentKey) error {
		if n.PlannedFor >= NotifiedNights {
			return nil
		}
		for _, d := range [...]ledger.Date{n.Moment.Date(), n.Moment.Date() - 1} {
			if d < p.asOf {
				p.add(ledger.Cards, d, reasonUnlinked)
			}
		}
		return nil
	})
}
