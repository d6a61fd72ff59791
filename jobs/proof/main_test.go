package proof_test

import (
	"testing"
	_ "time/tzdata"

	"concilia/jobs/jobstest"
)

func TestMain(m *testing.M) { jobstest.RunTests(m) }
