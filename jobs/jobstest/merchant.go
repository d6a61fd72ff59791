package jobstest

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
	"concilia/export"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// Merchant is a worker and the sandbox that it asks, over real HTTP, with a real ledger and a real calendar.
type Merchant struct {
	*jobs.Worker
	World *world.World
	Out   string // the folder of its reports
	URL   string // of the sandbox
}

// NewMerchant makes a world and a worker that asks it, as of the world's morning. A night asks for few due dates of slips, see AskFar.
func NewMerchant(t *testing.T, o world.Options) *Merchant {
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
	m := &Merchant{World: w, Out: filepath.Join(dir, "reports"), URL: server.URL}
	var tail atomic.Int64
	m.Worker = &jobs.Worker{
		Ledger: OpenLedger(t, dsn), Service: client, Target: NewTarget(m.Out), Archive: NewArchive(t, filepath.Join(dir, "archive")), Parallel: 2, Zone: zone, Now: w.Now, Wall: time.Now,
		ProgramVersion: "test", Progress: jobs.Silent{}, Tail: func() string { return fmt.Sprintf("%06d", tail.Add(1)) },
		Plan: plan.Settings{SlipsDueBack: 20, SlipsDueForward: 20},
		Reports: jobs.ReportSettings{
			Kinds: kindlist.Known(), Formats: []report.Format{report.CSV}, Bases: []report.Basis{report.ByOperation, report.ByCredit},
			Language: table.Portuguese, Out: m.Out,
		},
	}
	since := m.Today() - ledger.Date(max(o.Days, 1))
	m.Inputs.Mapping, m.Inputs.Profile = agreements.DefaultMapping(), agreements.DefaultProfile()
	m.Inputs.Calendar = BankDays(t)
	if m.Inputs.Contracts, err = agreements.ParseContracts("contract.yaml", WriteContract(w)); err != nil {
		t.Fatal(err)
	}
	for _, a := range w.Accounts() {
		m.Accounts = append(m.Accounts, jobs.Account{Number: ledger.Account(a.Number), Name: a.Name, Since: since})
	}
	return m
}

// WriteContract writes the world's contract as a contract file.
func WriteContract(w *world.World) []byte {
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

// AskFar lets nights ask for the due dates of slips as far as a new configuration does, which is all that a world has. Each is three
// requests and transactions a night and account, which most tests have no need of.
func (m *Merchant) AskFar() { m.Plan = plan.Settings{SlipsDueBack: 45, SlipsDueForward: 60} }

// SkipReports leaves out the reports: they take two thirds of a night, and prove nothing in a test that does not read them.
func (m *Merchant) SkipReports() { m.Reports.Bases, m.Reports.Kinds = nil, nil }

// RunNight runs the night of the world's morning; a report that is not published fails the test.
func (m *Merchant) RunNight(t *testing.T) *jobs.Summary {
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

// FoundDifferences are the unresolved cases, each as PlantedDifferences spells it.
func (m *Merchant) FoundDifferences(t *testing.T) map[string]bool {
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

// PlantedDifferences are what the sandbox says a worker must find this morning: code, subject, impact.
func (m *Merchant) PlantedDifferences() map[string]bool {
	out := map[string]bool{}
	for _, p := range m.World.Planted() {
		out[p.Code+" "+p.Subject+" "+p.Impact] = true
	}
	return out
}

// BankBlock is what EDI files say of an account.
func BankBlock() export.AccountBlock {
	return export.AccountBlock{
		Name: "LOJA EXEMPLO LTDA", Document: "11222333000181", Bank: export.Bank{
			Code: "001", Branch: "1234", BranchDigit: "5", Account: "567890", AccountDigit: "1", Agreement: "1234567",
			Name: "BANCO DO BRASIL",
		},
	}
}
