//go:build unix

package main

import (
	"testing"

	"concilia/store/storetest"
)

// TestSoakPostgres is TestSoak on a ledger that others could share.
func TestSoakPostgres(t *testing.T) {
	if raced {
		t.Skip("processes race each other here, not goroutines")
	}
	t.Parallel()
	server := storetest.Shared(t)
	soak(t, 2, func(string) string { return storetest.Schema(t, server) })
}
