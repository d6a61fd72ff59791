package jobs_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
	archive "concilia/export/publish"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// merchant is a worker and the service it asks, over real HTTP and a real ledger.
type merchant struct {
	*jobs.Worker
	world *world.World
	out   string
	url   string
}

// newMerchant draws a world and wires a worker to it, as of the world's morning.
func newMerchant(t *testing.T, o world.Options) *merchant {
	t.Helper()
	w, err := world.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.New(w, service.Options{
		Users: []service.User{{Name: "demo", Password: "not-a-secret"}}, Now: time.Now,
	}))
	t.Cleanup(server.Close)
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	client, err := api.New(api.Options{
		GatewayURL: server.URL + "/gateway", IntegrationURL: server.URL + "/integration", UserName: "demo",
		Password: "not-a-secret", Now: time.Now, Zone: zone, Backoff: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	dsn := storetest.FreshSQLite(t)
	dir := filepath.Dir(strings.TrimPrefix(dsn, "sqlite:"))
	m := &merchant{world: w, out: filepath.Join(dir, "reports"), url: server.URL}
	var tail atomic.Int64
	m.Worker = &jobs.Worker{
		Ledger: openLedger(t, dsn), Service: client, Target: target{&folder{root: m.out}}, Archive: newArchive(t, filepath.Join(dir, "archive")), Parallel: 2, Zone: zone, Now: w.Now, Wall: time.Now,
		ProgramVersion: "test", Progress: jobs.Silent{}, Tail: func() string { return fmt.Sprintf("%06d", tail.Add(1)) },
		Plan: plan.Settings{SlipsDueBack: 45, SlipsDueForward: 60},
		Reports: jobs.ReportSettings{
			Kinds: report.Kinds(), Formats: []report.Format{report.CSV}, Bases: []report.Basis{report.ByOperation, report.ByCredit},
			Language: table.Portuguese, Out: m.out,
		},
	}
	since := m.Today() - ledger.Date(max(o.Days, 1))
	m.Inputs.Mapping, m.Inputs.Profile = agreements.DefaultMapping(), agreements.DefaultProfile()
	m.Inputs.Calendar = bankDays(t)
	if m.Inputs.Contracts, err = agreements.ParseContracts("contract.yaml", contract(w)); err != nil {
		t.Fatal(err)
	}
	for _, a := range w.Accounts() {
		m.Accounts = append(m.Accounts, jobs.Account{Number: ledger.Account(a.Number), Name: a.Name, Since: since})
	}
	return m
}

// contract is the world's contract as a contract file.
func contract(w *world.World) []byte {
	b := []byte("contracts:\n")
	for _, c := range w.Contract() {
		b = fmt.Appendf(b, "  - account: %d\n    valid_from: %s\n    fee_basis: %s\n    rates:\n", c.Account, c.ValidFrom, c.FeeBasis)
		for _, r := range c.Rates {
			b = fmt.Appendf(b, "      - {brand: \"*\", product: %s, installments: \"%d-%d\", mdr: %s", r.Product, r.From, r.To, r.MDR)
			if r.TransactionFee != "" {
				b = fmt.Appendf(b, ", transaction_fee: %s, antifraud_fee: %s, anticipation: %s", r.TransactionFee, r.AntifraudFee, r.Anticipation)
			}
			b = append(b, "}\n"...)
		}
		b = fmt.Appendf(b, "    settlement: {credit: %s, debit: %s}\n    slip: {tariff: %s, credit: %s}\n",
			c.SettlementCredit, c.SettlementDebit, c.SlipTariff, c.SlipCredit)
		for _, s := range c.Splits {
			b = fmt.Appendf(b, "    splits: [{beneficiary: %q, pct: %s}]\n", s.Beneficiary, s.Pct)
		}
	}
	return b
}

// spare leaves a test out under the race detector: it does one thing after another, or others show the detector the same
// paths at the same time.
func spare(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("the race detector watches others on these paths")
	}
}

// unpublished leaves out the reports: they take two thirds of a night, and where nobody reads them they prove nothing.
func (m *merchant) unpublished() { m.Reports.Bases, m.Reports.Kinds = nil, nil }

// night runs the night of the world's morning.
func (m *merchant) night(t *testing.T) *jobs.Summary {
	t.Helper()
	s, err := m.Night(t.Context(), m.Today())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Unpublished {
		t.Error(err)
	}
	return s
}

// found are the cases that stand, as the sandbox lists what it planted.
func (m *merchant) found(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	filter := caselog.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened}}
	err := m.Ledger.Findings(t.Context(), filter, func(f *ledger.Finding) error {
		impact := ""
		if f.Impact.OK {
			impact = f.Impact.V.String()
		}
		out[f.Code+" "+f.Subject+" "+impact] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// planted is what the sandbox says a worker must find this morning.
func (m *merchant) planted() map[string]bool {
	out := map[string]bool{}
	for _, p := range m.world.Planted() {
		out[p.Code+" "+p.Subject+" "+p.Impact] = true
	}
	return out
}

// newArchive is the archive in a folder.
func newArchive(t testing.TB, dir string) *archive.Archive {
	t.Helper()
	a, err := archive.OpenArchive(dir, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// target is a folder with a place for what is not proven yet.
type target struct{ *folder }

func (f target) Stage(context.Context) (string, func(), error) {
	if err := os.MkdirAll(f.root, 0o755); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(f.root, ".staging-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
