//go:build unix

package store_test

import (
	"testing"

	"concilia/store/storetest"
)

// TestInboxPostgres runs the suite of the inbox on Postgres, each in a ledger of its own, the first in one that the inbox
// itself has to make.
func TestInboxPostgres(t *testing.T) {
	t.Parallel()
	made := false
	testInbox(t, func(t *testing.T) string {
		if !made {
			made = true
			return storetest.Schema(t, storetest.Shared(t))
		}
		return storetest.FreshPostgres(t)
	})
}
