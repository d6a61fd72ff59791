package jobs_test

import (
	"errors"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// TestOverflowEndsItsAccount: amounts that no sum can hold end their account's part of the night with 30. The other account is
// evaluated and published as if it were alone, and the next night begins where the last good one ended.
func TestOverflowEndsItsAccount(t *testing.T) {
	for _, on := range []jobstest.Database{jobstest.OnSQLite(), jobstest.OnPostgres()} {
		t.Run(on.Name, func(t *testing.T) {
			t.Parallel()
			jobstest.Spare(t)
			overflowOneAccount(t, on)
		})
	}
}

func overflowOneAccount(t *testing.T, on jobstest.Database) {
	m := newMerchant(t, world.Options{Seed: 3, Days: 4})
	var write func(statement string) error
	m.Ledger, write = on.Open(t)
	overwrite := func(statement string) {
		if err := write(statement); err != nil {
			t.Fatal(err)
		}
	}
	m.Reports.Kinds, m.Reports.Bases = []report.Kind{report.SummaryKind}, []report.Basis{report.ByOperation}
	m.Plan.SlipsDueBack, m.Plan.SlipsDueForward = 2, 2
	if _, err := m.PullNight(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	// No answer can bring such amounts: a row of more than a billion reais is quarantined.
	overwrite("UPDATE installment SET gross = 6000000000000000000 WHERE account = 1001 AND count_sent = 1")
	s, err := m.Night(t.Context(), m.Today())
	if err != nil {
		t.Fatalf("the night of both accounts ended: %v", err)
	}
	if s.ExitCode() != jobs.ExitIncomplete || len(s.Unpublished) != 1 ||
		!strings.HasPrefix(s.Unpublished[0].Error(), "account 1001: nothing of it was evaluated or published: ") || !strings.Contains(s.Unpublished[0].Error(), "amount overflows") {
		t.Errorf("exit %d, not published: %v", s.ExitCode(), s.Unpublished)
	}
	for _, a := range s.Accounts {
		if incomplete := a.Verdict == ledger.Incomplete; incomplete != (a.Account == 1001) {
			t.Errorf("account %s: %s", a.Account, a.Verdict)
		}
	}
	for _, f := range s.Files {
		if !strings.Contains(f.Path, "1002") {
			t.Errorf("published: %s", f.Path)
		}
	}
	if len(s.Files) == 0 {
		t.Error("nothing of account 1002 was published")
	}
	if _, err := m.Ledger.LastReconcileRun(t.Context(), 1001); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("a run counts as the last that reconciled account 1001: %v", err)
	}
	overwrite("UPDATE installment SET gross = 1000000 WHERE account = 1001 AND count_sent = 1")
	if s, err = m.Night(t.Context(), m.Today()); err != nil || s.ExitCode() == jobs.ExitIncomplete || len(s.Unpublished) > 0 {
		t.Errorf("with amounts that can be added up: %v, exit %d, %v", err, s.ExitCode(), s.Unpublished)
	}
}
