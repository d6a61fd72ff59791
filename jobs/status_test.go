package jobs_test

import (
	"slices"
	"testing"
	"time"

	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// What status tells is what the ledger holds: of a night whose reports wait, one that was killed, and a held account.
func TestStatus(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := sharedMerchant(t, 94)
	empty := m.status(t)
	if empty.LastNightly != nil || empty.Unfinished != nil || len(empty.Cases) > 0 || empty.Oldest != nil {
		t.Errorf("before anything ran: %+v", empty)
	}
	if size, err := m.Ledger.Size(t.Context()); err != nil || size == 0 {
		t.Errorf("the ledger takes %d bytes: %v", size, err)
	}
	for _, c := range empty.Coverage {
		if c.Missing != len(c.Days) || c.Missing == 0 {
			t.Errorf("before anything ran %s of account %s has %d of %d days missing", c.Source, c.Account, c.Missing, len(c.Days))
		}
	}
	back := m.vanish(t)
	s, err := m.Night(t.Context(), m.Today())
	if err != nil {
		t.Fatal(err)
	}
	got := m.status(t)
	if got.LastNightly == nil || got.LastNightly.ID != s.Run || got.LastNightly.ExitCode != jobs.ExitNothing || got.Unfinished != nil {
		t.Errorf("the last night is %+v, besides %+v", got.LastNightly, got.Unfinished)
	}
	if len(got.Outbox) == 0 || len(got.Leases) > 0 {
		t.Errorf("%d sets wait, and %v holds", len(got.Outbox), got.Leases)
	}
	var cases int64
	for _, c := range got.Cases {
		cases += c.Cases
	}
	if cases != got.LastNightly.Cases.Unresolved() || got.Oldest == nil || got.Oldest.OpenedOn != m.Today() {
		t.Errorf("%d cases, the night said %+v, the oldest is %+v", cases, got.LastNightly.Cases, got.Oldest)
	}
	for _, c := range got.Coverage {
		if c.Complete != len(c.Days) || c.FirstGap != 0 {
			t.Errorf("after the night %s of account %s lacks %s", c.Source, c.Account, c.FirstGap)
		}
	}
	back()

	// The next night is killed; then its process lives.
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	whole := m.Target
	m.Target = &nowhere{}
	if _, err := m.Night(t.Context(), m.Today()); err == nil {
		t.Fatal("a night without a target ended well")
	}
	m.Target = whole
	got = m.status(t)
	if got.LastNightly.ID != s.Run || got.Unfinished == nil || got.Unfinished.AsOf != m.Today() || got.Running {
		t.Fatalf("a killed night: last %+v, then %+v, running %v", got.LastNightly, got.Unfinished, got.Running)
	}
	lease, err := m.Ledger.LeaseAccounts(t.Context(), got.Unfinished.ID, []ledger.Account{1001}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	got = m.status(t)
	if !got.Running || len(got.Leases) != 1 || got.Leases[0].Run != got.Unfinished.ID {
		t.Errorf("a night that goes on: %v, held %+v", got.Running, got.Leases)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.RunNight(t)
	if got = m.status(t); got.Unfinished != nil || len(got.Outbox) > 0 || got.LastNightly.AsOf != m.Today() || !got.LastNightly.Resumed {
		t.Errorf("after the night ended: %+v, %d sets wait, last %+v", got.Unfinished, len(got.Outbox), got.LastNightly)
	}
	if !slices.Equal(got.LastNightly.Accounts, []ledger.Account{1001, 1002}) {
		t.Errorf("the night was of %v", got.LastNightly.Accounts)
	}
}

func (m *merchant) status(t *testing.T) *casework.Status {
	t.Helper()
	s, err := m.viewer().ReadStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// viewer looks things up in the merchant's ledger, as its worker is wired.
func (m *merchant) viewer() *casework.Overview {
	v := &casework.Overview{Ledger: m.Ledger, Unit: m.Inputs.Profile.Unit, Now: m.Now, Zone: m.Zone}
	for _, a := range m.Accounts {
		v.Accounts = append(v.Accounts, plan.Account{Number: a.Number, Name: a.Name, Since: a.Since})
	}
	return v
}
