package overview

import (
	"context"
	"time"

	"concilia/jobs/plan"
	"concilia/store"
	"concilia/store/ledger"
)

// Viewer looks things up in a ledger. Fields that say which method they are for may be zero for the others.
type Viewer struct {
	Ledger   *store.Ledger
	Accounts []plan.Account
	Inbox    Inbox            // for Status; nil: no notifications are received
	Unit     ledger.Unit      // for Diff: the profile's reading of rates
	Now      func() time.Time // for Status: business clock
	Zone     *time.Location   // for Status: of its dates
}

// Inbox is where notifications wait until a run takes them over; a *store.Inbox is one.
type Inbox interface {
	// Waiting returns how many wait and when the oldest arrived; zero if none waits.
	Waiting(ctx context.Context) (n int64, oldest time.Time, err error)
}

func (v *Viewer) numbers() []ledger.Account {
	out := make([]ledger.Account, len(v.Accounts))
	for i, a := range v.Accounts {
		out[i] = a.Number
	}
	return out
}
