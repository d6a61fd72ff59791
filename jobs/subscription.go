package jobs

import (
	"context"
	"fmt"

	"concilia/store/ledger"
)

// Subscriptions is the part of the payment service that knows where notifications go; *api.Client is one.
type Subscriptions interface {
	// Subscription is the address that receives the notifications of an account, empty when there is none.
	Subscription(ctx context.Context, account ledger.Account) (string, error)
}

// SubscriptionLog keeps what the service said; *store.Ledger is one.
type SubscriptionLog interface {
	RecordSubscription(ctx context.Context, a ledger.Account, url string, matches bool, on ledger.Date) error
}

// CheckSubscription asks where the notifications of the account go and records the answer, on a date of the business
// clock, whether or not it is want: the rules say what follows from it. It returns what the service said.
//
// Addresses are compared as texts. The service sends to the very text it was given, so a spelling we did not choose is
// one somebody else registered.
func CheckSubscription(
	ctx context.Context, s Subscriptions, l SubscriptionLog, a ledger.Account, want string, on ledger.Date,
) (got string, matches bool, err error) {
	if got, err = s.Subscription(ctx, a); err != nil {
		return "", false, fmt.Errorf("subscription of account %s: %w", a, err)
	}
	matches = got == want
	if err := l.RecordSubscription(ctx, a, got, matches, on); err != nil {
		return got, matches, fmt.Errorf("subscription of account %s: %w", a, err)
	}
	return got, matches, nil
}
