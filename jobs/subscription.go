package jobs

import (
	"context"
	"fmt"

	"concilia/store/ledger"
)

// Subscriptions is the part of the payment service that knows where notifications are sent; *api.Client implements it.
type Subscriptions interface {
	// ReadSubscription returns the address that receives the notifications of an account, empty if there is none.
	ReadSubscription(ctx context.Context, account ledger.Account) (string, error)
}

// SubscriptionLog keeps the service's answers; *store.Ledger implements it.
type SubscriptionLog interface {
	RecordSubscription(ctx context.Context, a ledger.Account, url string, matches bool, on ledger.Date) error
}

// CheckSubscription asks where the notifications of the account are sent and records the answer, dated by the business
// clock, whether or not it is want; the rules decide what follows from it. It returns the answer of the service.
//
// Addresses are compared as text: the service sends to exactly the text it was given, so another spelling was registered
// by somebody else.
func CheckSubscription(
	ctx context.Context, s Subscriptions, l SubscriptionLog, a ledger.Account, want string, on ledger.Date,
) (got string, matches bool, err error) {
	if got, err = s.ReadSubscription(ctx, a); err != nil {
		return "", false, fmt.Errorf("subscription of account %s: %w", a, err)
	}
	matches = got == want
	if err := l.RecordSubscription(ctx, a, got, matches, on); err != nil {
		return got, matches, fmt.Errorf("subscription of account %s: %w", a, err)
	}
	return got, matches, nil
}
