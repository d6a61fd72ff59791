//go:build unix

package store_test

import (
	"testing"

	"concilia/store/storetest"
)

// TestInboxPostgres runs the suite of the inbox on Postgres, each in a schema of its own.
func TestInboxPostgres(t *testing.T) {
	t.Parallel()
	dsn := storetest.Shared(t)
	testInbox(t, func(t *testing.T) string { return storetest.Schema(t, dsn) })
}
