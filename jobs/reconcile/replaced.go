package reconcile

import (
	"context"
	"fmt"

	"concilia/store/ledger"
)

// newReplacedLookup answers the rules whether another slip took the place of one. What there is to know is asked for once, when
// a rule first wants it: nearly every night none does.
func (ev *evaluation) newReplacedLookup(ctx context.Context) func(*ledger.Slip) bool {
	if ev.in.ListReplaced == nil {
		return nil
	}
	var ids map[string]bool
	asked := false
	return func(s *ledger.Slip) bool {
		if !asked {
			asked = true
			var err error
			if ids, err = ev.in.ListReplaced(ctx); err != nil {
				ev.lookupError = fmt.Errorf("slips that were issued again: %w", err)
			}
		}
		return ids[s.ID]
	}
}
