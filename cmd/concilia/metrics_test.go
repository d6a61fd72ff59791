package main

import (
	"context"
	"errors"
	"io"
	"net"
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

	"concilia/jobs/api"
	"concilia/jobs/webhook"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// TestMetrics scrapes a daemon over a ledger that a night was run on: what it says is what the night said, by the
// conventions of Prometheus, and no label grows with the data.
func TestMetrics(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the night, the demo and the webhooks")
	}
	h := newWatchedHouse(t, "")
	h.want(exitBreaks, "run", "--quiet")
	slot := h.world.Now().UTC().Add(-time.Hour)
	if err := h.ledger().SkipOccurrences(t.Context(), []runs.CronOccurrence{{Schedule: "nightly", Slot: slot, Job: "nightly", State: "skipped"}}); err != nil {
		t.Fatal(err)
	}
	m := newMeters()
	m.countNotification(webhook.Event{Account: 1001, Outcome: webhook.Accepted})
	m.countNotification(webhook.Event{Outcome: webhook.Refused})
	for _, q := range []api.Request{
		{Operation: "search installments 2026-11-02..2026-11-02 account 1001", Status: 200},
		{Operation: "list slips.due 2026-11-02..2026-11-02 account 1001", Status: 503, Err: errors.New("x")},
		{Operation: "list slips.due 2026-11-02..2026-11-02 account 1001", Err: errors.New("x")},
		{Operation: "slip 7 account 1001", Status: 200, Err: errors.New("x")},
		{Operation: "log in to gateway", Status: 200},
		{Operation: "create subscription account 1001", Status: 201},
	} {
		m.countRequest(q)
	}
	m.countDelivery("ping", "start", nil)
	m.registry.MustRegister(h.ledgerMetrics(zerolog.Nop()))
	server := httptest.NewServer((&watchListener{meters: m, log: zerolog.Nop()}).newHandler())
	t.Cleanup(server.Close)
	families := scrape(t, server.URL)

	for name, want := range map[string]float64{
		`concilia_ledger_up`:                                                     1,
		`concilia_run_exit_code{kind="nightly"}`:                                 exitBreaks,
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
func (h *watchedHouse) ledgerMetrics(logger zerolog.Logger) *ledgerMetrics {
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
	return &ledgerMetrics{
		descs: newDescs(), accounts: []ledger.Account{1001}, inbox: inbox, now: h.world.Now, wall: time.Now, zone: zone, log: logger,
		open: func(ctx context.Context) (*store.Ledger, error) { return store.Open(ctx, dsn) },
	}
}

func (h *watchedHouse) cases(code string) (n int, impact ledger.Amount) {
	h.t.Helper()
	err := h.ledger().Findings(h.t.Context(), results.FindingFilter{
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
	_, open := emptyLedger(t)
	asked, broken := 0, false
	wall := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	m := newMeters()
	m.registry.MustRegister(&ledgerMetrics{
		descs: newDescs(), accounts: []ledger.Account{1001}, now: time.Now, zone: time.UTC, log: zerolog.Nop(),
		wall: func() time.Time { return wall },
		open: func(ctx context.Context) (*store.Ledger, error) {
			asked++
			if broken {
				return nil, errors.New("gone")
			}
			return open(ctx)
		},
	})
	server := httptest.NewServer((&watchListener{meters: m, log: zerolog.Nop()}).newHandler())
	t.Cleanup(server.Close)
	for _, c := range []struct {
		name   string
		after  time.Duration
		broken bool
		up     float64
		asked  int
	}{
		{"the first scrape asks", 0, false, 1, 1},
		{"the next is told the same", readingLifetime - time.Second, true, 1, 1},
		{"a ledger that is gone", time.Second, true, 0, 2},
		{"and stays so for as long", readingLifetime - 1, false, 0, 2},
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

// TestHealth: what does not hold is said, a line each; a process that answers lives.
func TestHealth(t *testing.T) {
	t.Parallel()
	var first, second error
	w := &watchListener{
		meters: newMeters(), log: zerolog.Nop(),
		ready: []check{
			{"schedule", func(context.Context) error { return first }},
			{"ledger", func(context.Context) error { return second }},
			{"inbox", func(context.Context) error { return nil }},
		},
	}
	server := httptest.NewServer(w.newHandler())
	t.Cleanup(server.Close)
	for _, c := range []struct {
		name          string
		first, second error
		readyz        string
	}{
		{"all is well", nil, nil, "200 ok\n"},
		{"the ledger is gone", nil, errors.New("the disk is full"), "503 ledger: the disk is full\n"},
		{"nothing moves", errors.New("stands"), errors.New("gone"), "503 schedule: stands\nledger: gone\n"},
	} {
		first, second = c.first, c.second
		for path, want := range map[string]string{"/livez": "200 ok\n", "/readyz": c.readyz} {
			res, err := http.Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if got := res.Status[:4] + string(body); got != want || err != nil {
				t.Errorf("%s: %s answers %q, want %q", c.name, path, got, want)
			}
		}
	}
	if res, err := http.Post(server.URL+"/metrics", "", nil); err != nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a POST is answered %v, %v", res, err)
	}
}

// TestMetricsAnswerToKnownHosts: behind a loopback address only addresses and localhost are answered, whatever port they name;
// elsewhere names are the operator's.
func TestMetricsAnswerToKnownHosts(t *testing.T) {
	t.Parallel()
	inner := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, row := range []struct {
		says, ip, host string
		status         int
	}{
		{"an address", "127.0.0.1", "127.0.0.1:9464", http.StatusOK},
		{"an address of version 6", "::1", "[::1]:9464", http.StatusOK},
		{"localhost", "127.0.0.1", "localhost", http.StatusOK},
		{"a name that somebody pointed here", "127.0.0.1", "evil.example:9464", http.StatusMisdirectedRequest},
		{"a name where every address is listened on", "0.0.0.0", "worker-1:9464", http.StatusOK},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Host = row.host
		w := httptest.NewRecorder()
		onlyKnownHosts(&net.TCPAddr{IP: net.ParseIP(row.ip)}, inner).ServeHTTP(w, r)
		if w.Code != row.status {
			t.Errorf("%s: %d", row.says, w.Code)
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
	m := newMeters()
	told := &ledgerMetrics{
		descs: newDescs(), accounts: []ledger.Account{1001}, now: time.Now, wall: time.Now, zone: time.UTC, log: zerolog.Nop(),
		open: func(ctx context.Context) (*store.Ledger, error) {
			return store.Open(ctx, "sqlite:"+h.path("ledger.db"))
		},
	}
	m.registry.MustRegister(told)
	server := httptest.NewServer((&watchListener{meters: m, log: zerolog.Nop()}).newHandler())
	t.Cleanup(server.Close)
	if up, ok := scrape(t, server.URL).value("concilia_ledger_up"); !ok || up != 1 {
		t.Errorf("beside a writer the ledger is %v (%v)", up, ok)
	}
	if err := writing.Commit(); err != nil {
		t.Errorf("after a scrape the writer cannot commit: %v", err)
	}
}
