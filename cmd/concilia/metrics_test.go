package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/metrics"
	"concilia/jobs/api"
	"concilia/jobs/webhook"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// TestMetrics scrapes a daemon over a ledger that a night was run on: what it says is what the night said, by the
// conventions of Prometheus, and no label grows with the data.
func TestMetrics(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the night, the demo and the webhooks")
	}
	h := newWatchedHouse(t, "")
	h.want(exit.Breaks, "run", "--quiet")
	slot := h.world.Now().UTC().Add(-time.Hour)
	if err := h.ledger().SkipOccurrences(t.Context(), []runs.CronOccurrence{{Schedule: "nightly", Slot: slot, Job: "nightly", State: "skipped"}}); err != nil {
		t.Fatal(err)
	}
	m := metrics.NewMeters()
	m.CountNotification(webhook.Event{Account: 1001, Outcome: webhook.Accepted})
	m.CountNotification(webhook.Event{Outcome: webhook.Refused})
	for _, q := range []api.Request{
		{Operation: "search installments 2026-11-02..2026-11-02 account 1001", Status: 200},
		{Operation: "list slips.due 2026-11-02..2026-11-02 account 1001", Status: 503, Err: errors.New("x")},
		{Operation: "list slips.due 2026-11-02..2026-11-02 account 1001", Err: errors.New("x")},
		{Operation: "slip 7 account 1001", Status: 200, Err: errors.New("x")},
		{Operation: "log in to gateway", Status: 200},
		{Operation: "create subscription account 1001", Status: 201},
	} {
		m.CountRequest(q)
	}
	m.CountDelivery("ping", "start", nil)
	m.RegisterLedger(h.ledgerMetrics(zerolog.Nop()))
	server := httptest.NewServer((&metrics.Listener{Meters: m, Log: zerolog.Nop()}).NewHandler())
	t.Cleanup(server.Close)
	families := scrape(t, server.URL)

	for name, want := range map[string]float64{
		`concilia_ledger_up`:                                                     1,
		`concilia_run_exit_code{kind="nightly"}`:                                 exit.Breaks,
		`concilia_run_verdict{kind="nightly",verdict="breaks"}`:                  1,
		`concilia_run_verdict{kind="nightly",verdict="reconciled"}`:              0,
		`concilia_schedule_occurrences{job="nightly",state="skipped"}`:           1,
		`concilia_webhook_waiting`:                                               2,
		`concilia_delivery_waiting`:                                              0,
		`concilia_delivery_lag_seconds`:                                          0,
		`concilia_lease_age_seconds{account="1001"}`:                             0,
		`concilia_webhook_unlinked{account="1001"}`:                              0,
		`concilia_webhook_requests_total{account="1001",outcome="accepted"}`:     1,
		`concilia_webhook_requests_total{account="",outcome="refused"}`:          1,
		`concilia_service_requests_total{endpoint="installments",outcome="ok"}`:  1,
		`concilia_service_requests_total{endpoint="slips_due",outcome="5xx"}`:    1,
		`concilia_service_requests_total{endpoint="slips_due",outcome="none"}`:   1,
		`concilia_service_requests_total{endpoint="slip",outcome="broken"}`:      1,
		`concilia_service_requests_total{endpoint="login_gateway",outcome="ok"}`: 1,
		`concilia_service_requests_total{endpoint="notifications",outcome="ok"}`: 1,
		`concilia_deliveries_total{kind="ping",outcome="ok",says="start"}`:       1,
		`concilia_value_explained_ratio{account="1001",side="cards"}`:            1,
	} {
		got, ok := families.value(name)
		if !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", name, got, ok, want)
		}
	}
	for _, code := range h.broken() {
		n, impact := h.cases(code)
		labels := `{account="1001",code="` + code + `",severity="E"}`
		if got, ok := families.value("concilia_open_cases" + labels); !ok || got != float64(n) {
			t.Errorf("%v open cases of %s, want %d", got, code, n)
		}
		if got, ok := families.value("concilia_open_cases_impact_reais" + labels); !ok || got != float64(impact)/10_000 {
			t.Errorf("%s costs %v reais, want %s", code, got, impact)
		}
	}
	for _, name := range []string{
		`concilia_coverage_age_seconds{account="1001",source="cards"}`, `concilia_coverage_age_seconds{account="1001",source="slips.credit"}`,
		`concilia_webhook_lag_seconds`, `concilia_run_duration_seconds{kind="nightly"}`, `concilia_run_ended_timestamp_seconds{kind="nightly"}`,
		`concilia_oldest_open_case_age_seconds{account="1001"}`, `concilia_complete_night_timestamp_seconds{account="1001"}`,
	} {
		if got, ok := families.value(name); !ok || got <= 0 {
			t.Errorf("%s is %v (%v)", name, got, ok)
		}
	}
	families.lint(t)
}

// ledgerMetrics are those of the house's ledger and of an inbox in which two notifications wait.
func (h *watchedHouse) ledgerMetrics(logger zerolog.Logger) *metrics.Ledger {
	h.t.Helper()
	dsn := "sqlite:" + filepath.Join(h.dir, "ledger.db")
	inbox, err := store.OpenInbox(h.t.Context(), dsn)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = inbox.Close() })
	for i := range 2 {
		n := ledger.Notification{Account: 1001, MovementID: int64(i), Body: []byte("{}"), ReceivedAt: time.Now().Add(-time.Minute)}
		if _, err := inbox.Keep(h.t.Context(), n); err != nil {
			h.t.Fatal(err)
		}
	}
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		h.t.Fatal(err)
	}
	return &metrics.Ledger{
		Accounts: []ledger.Account{1001}, Inbox: inbox, Now: h.world.Now, Wall: time.Now, Zone: zone, Log: logger,
		Open: func(ctx context.Context) (*store.Ledger, error) { return store.Open(ctx, dsn) },
	}
}

func (h *watchedHouse) cases(code string) (n int, impact ledger.Amount) {
	h.t.Helper()
	err := h.ledger().Findings(h.t.Context(), caselog.FindingFilter{
		Codes: []string{code}, States: []ledger.State{ledger.Opened, ledger.Reopened}, Severities: []ledger.Severity{ledger.Error},
	}, func(f *ledger.Finding) error {
		n++
		impact += f.Impact.V
		return nil
	})
	if err != nil || n == 0 {
		h.t.Fatalf("%d cases of %s, %v", n, code, err)
	}
	return n, impact
}

// scraped are metric families by name.
type scraped map[string]*dto.MetricFamily

func scrape(t *testing.T, base string) scraped {
	t.Helper()
	res, err := http.Get(base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("a scrape is answered %d, %v", res.StatusCode, err)
	}
	return families
}

// value is the one of a metric spelled as Prometheus does, labels sorted.
func (s scraped) value(metric string) (float64, bool) {
	name, _, _ := strings.Cut(metric, "{")
	f := s[name]
	for _, m := range f.GetMetric() {
		var labels []string
		for _, l := range m.GetLabel() {
			labels = append(labels, l.GetName()+`="`+l.GetValue()+`"`)
		}
		slices.Sort(labels)
		spelled := name
		if len(labels) > 0 {
			spelled += "{" + strings.Join(labels, ",") + "}"
		}
		if spelled == metric {
			return m.GetGauge().GetValue() + m.GetCounter().GetValue(), true
		}
	}
	return 0, false
}

var (
	// ownLabels may be put on a metric of ours, and bounded says what their values look like.
	ownLabels = []string{
		"account", "code", "commit", "endpoint", "goversion", "job", "kind", "outcome", "says", "severity", "side", "source", "state", "verdict", "version",
	}
	bounded = regexp.MustCompile(`^([a-z0-9_.]*|[A-Z][A-Z0-9_]*|1001)$`)
)

// lint holds our metrics to the conventions, and their labels to words.
func (s scraped) lint(t *testing.T) {
	t.Helper()
	var ours []*dto.MetricFamily
	for name, f := range s {
		if !strings.HasPrefix(name, "concilia_") {
			continue
		}
		ours = append(ours, f)
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				free := l.GetName() == "version" || l.GetName() == "commit" || l.GetName() == "goversion"
				if !slices.Contains(ownLabels, l.GetName()) || !free && !bounded.MatchString(l.GetValue()) {
					t.Errorf("%s has the label %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
	problems, err := promlint.NewWithMetricFamilies(ours).Lint()
	if err != nil || len(problems) > 0 || len(ours) < 20 {
		t.Errorf("%d metrics of ours: %v, %v", len(ours), problems, err)
	}
}

// TestMetricsStand: between two readings nothing is asked; a ledger that cannot be read is said to be down and takes
// nothing else away; one that comes back is read again.
func TestMetricsStand(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshSQLite(t)
	l, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	asked, broken := 0, false
	wall := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	m := metrics.NewMeters()
	m.RegisterLedger(&metrics.Ledger{
		Accounts: []ledger.Account{1001}, Now: time.Now, Zone: time.UTC, Log: zerolog.Nop(),
		Wall: func() time.Time { return wall },
		Open: func(ctx context.Context) (*store.Ledger, error) {
			asked++
			if broken {
				return nil, errors.New("gone")
			}
			return store.Open(ctx, dsn)
		},
	})
	server := httptest.NewServer((&metrics.Listener{Meters: m, Log: zerolog.Nop()}).NewHandler())
	t.Cleanup(server.Close)
	for _, c := range []struct {
		name   string
		after  time.Duration
		broken bool
		up     float64
		asked  int
	}{
		{"the first scrape asks", 0, false, 1, 1},
		{"the next is told the same", metrics.ReadingLifetime - time.Second, true, 1, 1},
		{"a ledger that is gone", time.Second, true, 0, 2},
		{"and stays so for as long", metrics.ReadingLifetime - 1, false, 0, 2},
		{"a ledger that is back", 1, false, 1, 3},
		{"a clock that was put back asks", -time.Hour, false, 1, 4},
	} {
		wall, broken = wall.Add(c.after), c.broken
		families := scrape(t, server.URL)
		if up, ok := families.value("concilia_ledger_up"); !ok || up != c.up || asked != c.asked {
			t.Errorf("%s: up %v, asked %d times", c.name, up, asked)
		}
		if _, ok := families.value(`concilia_oldest_open_case_age_seconds{account="1001"}`); ok != (c.up == 1) {
			t.Errorf("%s: an account is told of: %v", c.name, ok)
		}
		if families["go_goroutines"] == nil {
			t.Errorf("%s: nothing of the process", c.name)
		}
	}
}

// TestScrapeBesideWriter: a scrape waits for no writer, and a writer for no scrape.
func TestScrapeBesideWriter(t *testing.T) {
	t.Parallel()
	h := &watchedHouse{t: t, dir: t.TempDir()}
	l := h.ledger()
	if _, _, err := l.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.Open(t.Context(), "sqlite:"+h.path("ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	writing, err := db.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writing.ExecContext(t.Context(), "INSERT INTO account (account, since) VALUES (1001, 1)"); err != nil {
		t.Fatal(err)
	}
	m := metrics.NewMeters()
	told := &metrics.Ledger{
		Accounts: []ledger.Account{1001}, Now: time.Now, Wall: time.Now, Zone: time.UTC, Log: zerolog.Nop(),
		Open: func(ctx context.Context) (*store.Ledger, error) {
			return store.Open(ctx, "sqlite:"+h.path("ledger.db"))
		},
	}
	m.RegisterLedger(told)
	server := httptest.NewServer((&metrics.Listener{Meters: m, Log: zerolog.Nop()}).NewHandler())
	t.Cleanup(server.Close)
	if up, ok := scrape(t, server.URL).value("concilia_ledger_up"); !ok || up != 1 {
		t.Errorf("beside a writer the ledger is %v (%v)", up, ok)
	}
	if err := writing.Commit(); err != nil {
		t.Errorf("after a scrape the writer cannot commit: %v", err)
	}
}
