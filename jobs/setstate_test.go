package jobs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs/agreements"
	"concilia/jobs/api"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/jobs/pull"
	"concilia/store/caselog"
	"concilia/store/ledger"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// execute runs a statement on the file of a ledger past the store.
func execute(t *testing.T, file, statement string) {
	t.Helper()
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	must(t, err)
	defer conn.Close()
	must(t, sqlitex.ExecuteTransient(conn, statement, nil))
}

// movedSets lists the sets whose content, read row by row, is not that of their current revision.
func (m *merchant) movedSets(t *testing.T) (moved []string) {
	t.Helper()
	sets, err := m.PreviewNight(t.Context(), m.Today())
	must(t, err)
	for _, s := range sets {
		if s.New {
			moved = append(moved, fmt.Sprintf("%s %s %s..%s: %v", s.Account, s.Basis, s.From, s.To, s.Why))
		}
	}
	return moved
}

// decideCase has a person waive or dispute a random case of money that is open.
func (m *merchant) decideCase(t *testing.T, random *rand.Rand) {
	t.Helper()
	var open []string
	must(t, m.Ledger.Findings(t.Context(), caselog.FindingFilter{}, func(f *ledger.Finding) error {
		if f.State == ledger.Opened && f.Impact.OK {
			open = append(open, f.Case)
		}
		return nil
	}))
	if len(open) == 0 {
		return
	}
	people := &casework.Handler{Ledger: m.Ledger, Today: m.Today(), Wall: time.Now}
	act := casework.ActRequest{Verb: ledger.Dispute, Cases: []string{open[random.IntN(len(open))]}, Actor: "ana", Reference: "P-1", Reason: "asked"}
	_, err := people.ActOnCases(t.Context(), act)
	must(t, err)
}

// TestUnmovedSetsStand: whatever happens between nights, each night leaves every set as its rows are: what it did not read
// could not differ. What it need not read it does not: rows that were changed past the store are not seen.
func TestUnmovedSetsStand(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 31, Days: 5, Installments: 20, Plant: true, AsOf: world.NewDate(2026, time.November, 3)}).askNear()
	m.Accounts = m.Accounts[:1]
	m.Reports.Kinds = []report.Kind{
		report.SummaryKind, report.MonthKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.SlipsKind, report.ControlKind,
		report.ExceptionsKind, report.AgingKind, report.AgendaKind, report.ForecastKind, report.RecoveriesKind,
	}
	m.Reports.DaysFromRows = 1 // those of a month that did not move are copied, and are the same
	file := strings.TrimSuffix(m.Out, "reports") + "ledger.db"
	asSent, asBefore := m.Service, m.Inputs.Contracts
	without, err := agreements.ParseContracts("none", []byte("contracts: []\n"))
	must(t, err)
	random := rand.New(rand.NewPCG(31, 1))
	changes := []struct {
		name  string
		apply func()
	}{
		{"a day passes", func() { m.World.SetNow(m.World.Now().AddDate(0, 0, 1)) }},
		{"nothing", func() {}},
		{"somebody decides a case", func() { m.decideCase(t, random) }},
		{"the service forgets members of slips", func() { m.Service = withoutTerms{asSent} }},
		{"the service knows them again", func() { m.Service = asSent }},
		{"the contract is set aside", func() { m.Inputs.Contracts = without }},
		{"the contract is back", func() { m.Inputs.Contracts = asBefore }},
		{"another language", func() { m.Reports.Language = "en" }},
		{"another format", func() { m.Reports.Formats = []report.Format{report.CSV, report.JSONL} }},
	}
	rounds := 1
	if os.Getenv("CONCILIA_LONG") == "1" {
		rounds = 20
	}
	m.RunNight(t)
	for range rounds {
		for _, i := range random.Perm(len(changes)) {
			changes[i].apply()
			m.RunNight(t)
			if moved := m.movedSets(t); len(moved) > 0 {
				t.Fatalf("%s: not published: %v", changes[i].name, moved)
			}
		}
	}
	noNews(t, "the same morning", m.RunNight(t))
	execute(t, file, "UPDATE installment SET terminal = 'another'")
	noNews(t, "rows that are not read", m.RunNight(t))
	if len(m.movedSets(t)) == 0 {
		t.Error("the rows were not changed")
	}
}

// renamed is a service that knows the unpaid sales of a day by other references.
type renamed struct {
	pull.Service
	day ledger.Date
}

func (s renamed) SearchInstallments(
	ctx context.Context, a ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
) (api.Answer, error) {
	answer, err := s.Service.SearchInstallments(ctx, a, from, to, sink)
	for i := range answer.Rows {
		if r := &answer.Rows[i]; r.SoldAt.Date() == s.day && r.Effective == 0 {
			r.Reference += " B"
		}
	}
	return answer, err
}

// TestOnlySetsOfMovedRowsAreRead: a night in which rows of one month moved reads the sets of that month. Rows of another month that were
// changed past the store are not seen, nor those of the same sales by their credit, which they have not.
func TestOnlySetsOfMovedRowsAreRead(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 32, Days: 6, Installments: 20, AsOf: world.NewDate(2026, time.November, 4)}).askNear()
	m.Accounts = m.Accounts[:1]
	m.Reports.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.ControlKind}
	m.RunNight(t)
	noNews(t, "the same morning", m.RunNight(t))
	execute(t, strings.TrimSuffix(m.Out, "reports")+"ledger.db", "UPDATE installment SET terminal = 'another'")
	last := m.Today() - 1
	m.Service = renamed{m.Service, last}
	m.RunNight(t)
	var months []string
	for _, set := range m.movedSets(t) {
		months = append(months, strings.Fields(set)[1]+" "+strings.Fields(set)[2][:len("2026-10")])
	}
	slices.Sort(months)
	want := []string{"credit 2026-10", "credit 2026-11", "operation 2026-10"}
	if !slices.Equal(slices.Compact(months), want) {
		t.Errorf("not read were %v, should be %v: sales of %s moved", months, want, last)
	}
}
