package metrics

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

const (
	// ReadingLifetime is how long a reading of the ledger is served again, however often it is scraped.
	ReadingLifetime = 15 * time.Second
	// occurrenceDays is for how many days back occurrences are counted.
	occurrenceDays = 30
	// nightsLookedAt is how many nights back a complete one of an account is looked for.
	nightsLookedAt = 40
	// watchTimeout bounds what a scrape waits for the ledger.
	watchTimeout = 5 * time.Second
)

// Ledger are the metrics that are read from the ledger, whichever process wrote it. It opens the ledger for a moment,
// reads, and locks nothing: a run never waits for it. Between two readings it serves the last one; while the ledger cannot be
// read it reports only that.
type Ledger struct {
	descs
	Accounts []ledger.Account
	Open     func(context.Context) (*store.Ledger, error)
	Inbox    *store.Inbox     // nil: this process has none
	Now      func() time.Time // business clock, for days
	Wall     func() time.Time
	Zone     *time.Location
	Log      zerolog.Logger

	mu    sync.Mutex // one reads, the others wait for what it reads
	asked time.Time
	kept  []prometheus.Metric
}

// Describe sends the descriptions of all metrics.
func (m *Ledger) Describe(out chan<- *prometheus.Desc) {
	for _, d := range m.listMetrics() {
		out <- d
	}
}

// Collect sends a reading of the ledger that is at most ReadingLifetime old.
func (m *Ledger) Collect(out chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wall := m.Wall(); m.asked.IsZero() || wall.Sub(m.asked) >= ReadingLifetime || wall.Before(m.asked) {
		m.readLedger()
		m.asked = wall
	}
	for _, metric := range m.kept {
		out <- metric
	}
}

// readLedger asks the ledger and the inbox.
func (m *Ledger) readLedger() {
	ctx, cancel := context.WithTimeout(context.Background(), watchTimeout)
	defer cancel()
	var metrics metricSheet
	up := 1.0
	if err := m.collectLedger(ctx, &metrics); err != nil {
		m.Log.Warn().AnErr("why", err).Msg("the metrics of the ledger could not be read")
		metrics, up = nil, 0
	}
	metrics.addGauge(m.up, up)
	if m.Inbox != nil {
		if n, oldest, err := m.Inbox.Waiting(ctx); err != nil {
			m.Log.Warn().AnErr("why", err).Msg("the metrics of the inbox could not be read")
		} else {
			lag := 0.0
			if n > 0 {
				lag = secondsSince(m.Wall(), oldest)
			}
			metrics.addGauge(m.waiting, float64(n))
			metrics.addGauge(m.lag, lag)
		}
	}
	m.kept = metrics
}

func (m *Ledger) collectLedger(ctx context.Context, metrics *metricSheet) (err error) {
	l, err := m.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, a := range m.Accounts {
		w, err := l.AccountStatus(ctx, a)
		if err != nil {
			return err
		}
		m.collectAccount(metrics, w)
		banks, err := l.BankProofs(ctx, a)
		if err != nil {
			return err
		}
		m.collectBanks(metrics, banks)
	}
	counts, err := l.CronOccurrenceCounts(ctx, m.Now().AddDate(0, 0, -occurrenceDays))
	if err != nil {
		return err
	}
	for _, t := range counts {
		metrics.addGauge(m.ticks, float64(t.Count), t.Job, t.State)
	}
	for _, kind := range ledger.RunKinds() {
		if err := m.lastRun(ctx, l, metrics, kind); err != nil {
			return err
		}
	}
	for _, collect := range []func(context.Context, *store.Ledger, *metricSheet) error{
		m.collectDeliveries, m.collectLeases, m.collectNights, m.collectShared,
	} {
		if err := collect(ctx, l, metrics); err != nil {
			return err
		}
	}
	return nil
}

// collectDeliveries adds what is published and not on its target yet.
func (m *Ledger) collectDeliveries(ctx context.Context, l *store.Ledger, metrics *metricSheet) error {
	sets, err := l.WaitingSets(ctx)
	lag := 0.0
	if len(sets) > 0 {
		lag = secondsSince(m.Wall(), sets[0].Published) // in the order of publication
	}
	metrics.addGauge(m.undelivered, float64(len(sets)))
	metrics.addGauge(m.deliveryLag, lag)
	return err
}

// collectLeases adds for how long a run has held each account.
func (m *Ledger) collectLeases(ctx context.Context, l *store.Ledger, metrics *metricSheet) error {
	held, err := l.AccountLeases(ctx)
	ages := make(map[ledger.Account]float64)
	for _, h := range held {
		ages[h.Account] = secondsSince(m.Wall(), h.Since)
	}
	for _, a := range m.Accounts {
		metrics.addGauge(m.leased, ages[a], a.String())
	}
	return err
}

// collectNights adds when the last night ended that was complete for each account. One that had none lately has no metric.
func (m *Ledger) collectNights(ctx context.Context, l *store.Ledger, metrics *metricSheet) error {
	nights, err := l.Runs(ctx, runs.RunFilter{Kinds: []ledger.RunKind{ledger.Nightly}, Limit: nightsLookedAt})
	for _, a := range m.Accounts {
		for _, n := range nights {
			if v := n.Verdicts[a]; n.Finished() && v != "" && v != ledger.Incomplete {
				metrics.addGauge(m.complete, float64(n.Ended.UnixMilli())/1000, a.String())
				break
			}
		}
	}
	return err
}

// collectShared adds what processes share on PostgreSQL: the queue and the connections.
func (m *Ledger) collectShared(ctx context.Context, l *store.Ledger, metrics *metricSheet) error {
	s, err := l.SharedStatus(ctx)
	if err != nil || s == nil {
		return err
	}
	for state, n := range s.Jobs {
		metrics.addGauge(m.jobs, float64(n), state)
	}
	for state, n := range s.Connections {
		metrics.addGauge(m.connections, float64(n), state)
	}
	return nil
}

// lastRun adds the last run of a kind. One that stopped before its end, as when its credentials were refused, has an
// exit code and nothing else: an alarm on the code must not miss it.
func (m *Ledger) lastRun(ctx context.Context, l *store.Ledger, metrics *metricSheet, kind ledger.RunKind) error {
	begun, err := l.Runs(ctx, runs.RunFilter{Kinds: []ledger.RunKind{kind}, Limit: 1})
	if err != nil || len(begun) == 0 {
		return err
	}
	run, err := l.LastRun(ctx, kind)
	found := err == nil
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	code, known := begun[0].ExitCode, begun[0].Finished() || begun[0].ExitCode != exit.OK
	if found {
		m.collectRun(metrics, run)
		if !known {
			code, known = run.ExitCode, true
		}
	}
	if known {
		metrics.addGauge(m.exit, float64(code), string(kind))
	}
	return err
}

func (m *Ledger) collectAccount(metrics *metricSheet, w *store.AccountStatus) {
	account, wall := w.Account.String(), m.Wall()
	for source, began := range w.Complete {
		metrics.addGauge(m.coverage, secondsSince(wall, began), account, string(source))
	}
	oldest := 0.0
	if w.Oldest != 0 {
		oldest = secondsSince(m.Now(), w.Oldest.In(m.Zone))
	}
	metrics.addGauge(m.oldest, oldest, account)
	for _, c := range w.Open {
		metrics.addGauge(m.cases, float64(c.Cases), account, c.Code, string(c.Severity))
		metrics.addGauge(m.impact, inReais(c.Impact), account, c.Code, string(c.Severity))
	}
	for _, e := range w.Bridge {
		ratio := 1.0 // of nothing, everything is explained
		if e.Total != 0 {
			ratio = 1 - float64(e.Unattributed)/float64(e.Total) // a share, which is no money
		}
		metrics.addGauge(m.explained, ratio, account, e.Side)
	}
	for _, t := range w.Tolerated {
		metrics.addGauge(m.tolerated, inReais(t.Amount), account, t.Code)
	}
	for side, n := range w.Vanished {
		metrics.addGauge(m.vanished, float64(n), account, side)
	}
	metrics.addGauge(m.unlinked, float64(w.Unlinked), account)
	for _, u := range w.Units {
		metrics.addGauge(m.units, float64(u.Units), account, string(u.Kind), string(u.State))
	}
}

// collectBanks adds what runs concluded of the bank accounts of a home. One of which no day is settled has no age.
func (m *Ledger) collectBanks(metrics *metricSheet, banks []banking.Proof) {
	for i := range banks {
		b := &banks[i]
		if b.Frontier != 0 {
			metrics.addGauge(m.statementAge, secondsSince(m.Now(), (b.Frontier+1).In(m.Zone)), b.Bank)
		}
		for state, n := range b.Days {
			metrics.addGauge(m.bankDays, float64(n), b.Bank, string(state))
		}
		metrics.addGauge(m.bankReceived, inReais(b.Received), b.Bank)
		metrics.addGauge(m.bankProven, inReais(b.Proven), b.Bank)
	}
}

// collectRun adds the last run of a kind that ended. Of its verdicts the one that holds is 1, so that an alarm can name it.
func (m *Ledger) collectRun(metrics *metricSheet, r *ledger.Run) {
	kind := string(r.Kind)
	metrics.addGauge(m.duration, r.Ended.Sub(r.Began).Seconds(), kind)
	metrics.addGauge(m.ended, float64(r.Ended.UnixMilli())/1000, kind)
	for _, v := range allVerdicts() {
		holds := 0.0
		if v == r.Verdict {
			holds = 1
		}
		metrics.addGauge(m.verdict, holds, kind, string(v))
	}
}

func allVerdicts() []ledger.Verdict {
	return []ledger.Verdict{
		ledger.Reconciled, ledger.ReconciledWithPending, ledger.ReconciledWithWarnings, ledger.Breaks, ledger.Incomplete,
	}
}

// inReais is the one place where an amount becomes a floating number: Prometheus has no other, and cents are not added up there.
func inReais(a ledger.Amount) float64 { return float64(a) / float64(ledger.Real) }

// metricSheet gathers metrics.
type metricSheet []prometheus.Metric

func (s *metricSheet) addGauge(d *prometheus.Desc, v float64, labels ...string) {
	*s = append(*s, prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...))
}

// descs are the metrics of the ledger and the inbox.
type descs struct {
	up, coverage, oldest, cases, impact, explained, tolerated, vanished, units *prometheus.Desc // of the ledger
	waiting, lag, unlinked                                                     *prometheus.Desc // of notifications
	duration, ended, exit, verdict, ticks, complete                            *prometheus.Desc // of runs
	undelivered, deliveryLag, leased, jobs, connections                        *prometheus.Desc // of what waits, and what is held
	statementAge, bankDays, bankReceived, bankProven                           *prometheus.Desc // of bank accounts
}

// newDescs names them. Every label is bounded: accounts by the configuration, codes by the rules, the rest by words.
func newDescs() descs {
	name := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("concilia_"+name, help, labels, nil)
	}
	return descs{
		up: name("ledger_up", "Whether the ledger could be read: 1, or 0."),
		coverage: name("coverage_age_seconds",
			"Time since the last pull of the source that arrived whole was begun.", "account", "source"),
		oldest: name("oldest_open_case_age_seconds",
			"Time since the oldest open case of the account opened; 0 when none is open.", "account"),
		cases:  name("open_cases", "Open and reopened cases, by code and severity (C, E, W, I).", "account", "code", "severity"),
		impact: name("open_cases_impact_reais", "What the open and reopened cases cost the merchant, in reais; negative where he gained.", "account", "code", "severity"),
		explained: name("value_explained_ratio",
			"Part of the differences between contract and receipts that a rule explains, by side (cards, slips).", "account", "side"),
		tolerated: name("tolerance_used_reais",
			"Differences that a rule let pass as rounding in the newest month, in reais.", "account", "code"),
		vanished: name("vanished_rows", "Rows that the service has shown and shows no more, by side.", "account", "side"),
		units: name("units",
			"Units of work of the run that holds the account, or held it last, by kind and state.", "account", "kind", "state"),
		waiting:  name("webhook_waiting", "Notifications that no run has taken over yet."),
		lag:      name("webhook_lag_seconds", "Time since the first notification arrived that no run has taken over yet; 0 when none waits."),
		unlinked: name("webhook_unlinked", "Notifications whose installment is not known.", "account"),
		ticks: name("schedule_occurrences",
			"Occurrences of the schedules in the last 30 days, by job and what became of them.", "job", "state"),
		duration: name("run_duration_seconds", "How long the last run of the kind that ended took.", "kind"),
		ended:    name("run_ended_timestamp_seconds", "When the last run of the kind ended.", "kind"),
		exit:     name("run_exit_code", "Exit code of the last run of the kind, of one that stopped before its end, too.", "kind"),
		verdict:  name("run_verdict", "Verdict of the last run of the kind that ended: 1 for the one that holds, 0 for the others.", "kind", "verdict"),
		complete: name("complete_night_timestamp_seconds", "When the last night ended that was complete for the account.", "account"),
		undelivered: name("delivery_waiting",
			"Report sets that are in the archive and not on their target yet."),
		deliveryLag: name("delivery_lag_seconds", "Time since the first of them was published; 0 when none waits."),
		leased:      name("lease_age_seconds", "Time since the run that holds the account took it; 0 when none does.", "account"),
		jobs:        name("queue_jobs", "Jobs of the queue of workers that are not done, by state. PostgreSQL only.", "state"),
		connections: name("database_connections", "Connections of every concilia process to the database, by state. PostgreSQL only.", "state"),
		statementAge: name("bank_statement_age_seconds",
			"Time since the end of the last day up to which statements of the bank account have every day.", "bank"),
		bankDays:     name("bank_days", "Days of the bank account, by what statements prove of them.", "bank", "state"),
		bankReceived: name("bank_received_reais", "What the service says it paid into the bank account up to that day, in reais.", "bank"),
		bankProven:   name("bank_proven_reais", "What of it came to the cent, in reais.", "bank"),
	}
}

func (d *descs) listMetrics() []*prometheus.Desc {
	return []*prometheus.Desc{
		d.up, d.coverage, d.oldest, d.cases, d.impact, d.explained, d.tolerated, d.vanished, d.units, d.waiting, d.lag,
		d.unlinked, d.duration, d.ended, d.exit, d.verdict, d.ticks, d.complete, d.undelivered, d.deliveryLag, d.leased, d.jobs,
		d.connections, d.statementAge, d.bankDays, d.bankReceived, d.bankProven,
	}
}

// RegisterLedger adds the metrics of a ledger to those of the process.
func (m *Meters) RegisterLedger(l *Ledger) {
	l.descs = newDescs()
	m.registry.MustRegister(l)
}
