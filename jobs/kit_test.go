package jobs_test

import (
	"testing"
	_ "time/tzdata"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/jobstest"
)

func TestMain(m *testing.M) { jobstest.RunTests(m) }

// merchant is a worker and the sandbox that it asks, with what the tests of this package do to them.
type merchant struct{ *jobstest.Merchant }

func newMerchant(t *testing.T, o world.Options) *merchant {
	t.Helper()
	return &merchant{jobstest.NewMerchant(t, o)}
}
