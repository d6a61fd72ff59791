package jobstest

import (
	"context"
	"slices"

	"concilia/store/ledger"
)

// Mailbox is an inbox in memory.
type Mailbox struct{ Waiting []ledger.Notification }

// Pending returns the oldest notifications that were not moved.
func (b *Mailbox) Pending(_ context.Context, limit int) ([]ledger.Notification, error) {
	return slices.Clone(b.Waiting[:min(limit, len(b.Waiting))]), nil
}

// MarkMoved takes out as many as were moved.
func (b *Mailbox) MarkMoved(_ context.Context, moved []ledger.Notification) error {
	b.Waiting = b.Waiting[len(moved):]
	return nil
}
