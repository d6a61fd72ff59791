package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

const (
	// standsFor is how long what the ledger said is told again without asking it, however often it is scraped.
	standsFor = 15 * time.Second
	// ticksDays is for how many days back occurrences are counted.
	ticksDays = 30
	// watchTimeout bounds what a scrape waits for the ledger.
	watchTimeout = 5 * time.Second
)

// ledgerMetrics tells a scrape what stands in the ledger, whoever wrote it. It opens the ledger for a moment, reads, and
// locks nothing: a run never waits for it. Between two readings it knows nothing newer, and while the ledger cannot be
// read it tells of that alone.
type ledgerMetrics struct {
	descs
	accounts []ledger.Account
	open     func(context.Context) (*store.Ledger, error)
	inbox    *store.Inbox     // nil: this process has none
	now      func() time.Time // business clock, for days
	wall     func() time.Time
	zone     *time.Location
	log      zerolog.Logger

	mu    sync.Mutex // one reads, the others wait for what it reads
	asked time.Time
	kept  []prometheus.Metric
}

// Describe tells of every metric there may be.
func (m *ledgerMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range m.all() {
		out <- d
	}
}

// Collect tells what the ledger said at most standsFor ago.
func (m *ledgerMetrics) Collect(out chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wall := m.wall(); m.asked.IsZero() || wall.Sub(m.asked) >= standsFor || wall.Before(m.asked) {
		m.read()
		m.asked = wall
	}
	for _, metric := range m.kept {
		out <- metric
	}
}

// read asks the ledger and the inbox.
func (m *ledgerMetrics) read() {
	ctx, cancel := context.WithTimeout(context.Background(), watchTimeout)
	defer cancel()
	var told sheet
	up := 1.0
	if err := m.ledger(ctx, &told); err != nil {
		m.log.Warn().AnErr("why", err).Msg("the metrics of the ledger could not be read")
		told, up = nil, 0
	}
	told.gauge(m.up, up)
	if m.inbox != nil {
		if n, oldest, err := m.inbox.Waiting(ctx); err != nil {
			m.log.Warn().AnErr("why", err).Msg("the metrics of the inbox could not be read")
		} else {
			lag := 0.0
			if n > 0 {
				lag = age(m.wall(), oldest)
			}
			told.gauge(m.waiting, float64(n))
			told.gauge(m.lag, lag)
		}
	}
	m.kept = told
}

func (m *ledgerMetrics) ledger(ctx context.Context, told *sheet) (err error) {
	l, err := m.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, a := range m.accounts {
		w, err := l.AccountStatus(ctx, a)
		if err != nil {
			return err
		}
		m.account(told, w)
	}
	ticks, err := l.CronOccurrenceCounts(ctx, m.now().AddDate(0, 0, -ticksDays))
	if err != nil {
		return err
	}
	for _, t := range ticks {
		told.gauge(m.ticks, float64(t.Count), t.Job, t.State)
	}
	for _, kind := range ledger.RunKinds() {
		if err := m.lastRun(ctx, l, told, kind); err != nil {
			return err
		}
	}
	return nil
}

// lastRun tells of the last run of a kind. One that stopped before its end, as when its credentials were refused, has an
// exit code and nothing else to tell: an alarm on the code must not miss it.
func (m *ledgerMetrics) lastRun(ctx context.Context, l *store.Ledger, told *sheet, kind ledger.RunKind) error {
	begun, err := l.Runs(ctx, runs.RunFilter{Kinds: []ledger.RunKind{kind}, Limit: 1})
	if err != nil || len(begun) == 0 {
		return err
	}
	run, err := l.LastRun(ctx, kind)
	found := err == nil
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	code, known := begun[0].ExitCode, begun[0].Finished() || begun[0].ExitCode != exitOK
	if found {
		m.run(told, run)
		if !known {
			code, known = run.ExitCode, true
		}
	}
	if known {
		told.gauge(m.exit, float64(code), string(kind))
	}
	return err
}

func (m *ledgerMetrics) account(told *sheet, w *store.AccountStatus) {
	account, wall := w.Account.String(), m.wall()
	for source, began := range w.Complete {
		told.gauge(m.coverage, age(wall, began), account, string(source))
	}
	oldest := 0.0
	if w.Oldest != 0 {
		oldest = age(m.now(), w.Oldest.In(m.zone))
	}
	told.gauge(m.oldest, oldest, account)
	for _, c := range w.Open {
		told.gauge(m.cases, float64(c.Cases), account, c.Code, string(c.Severity))
		told.gauge(m.impact, inReais(c.Impact), account, c.Code, string(c.Severity))
	}
	for _, e := range w.Bridge {
		ratio := 1.0 // of nothing, everything is explained
		if e.Total != 0 {
			ratio = 1 - float64(e.Unattributed)/float64(e.Total)
		}
		told.gauge(m.explained, ratio, account, e.Side)
	}
	for _, t := range w.Tolerated {
		told.gauge(m.tolerated, inReais(t.Amount), account, t.Code)
	}
	for side, n := range w.Vanished {
		told.gauge(m.vanished, float64(n), account, side)
	}
	told.gauge(m.unlinked, float64(w.Unlinked), account)
	for _, u := range w.Units {
		told.gauge(m.units, float64(u.Units), account, string(u.Kind), string(u.State))
	}
}

// run tells of the last run of a kind that ended. Of its verdicts the one that holds is 1, so that an alarm can name it.
func (m *ledgerMetrics) run(told *sheet, r *ledger.Run) {
	kind := string(r.Kind)
	told.gauge(m.duration, r.Ended.Sub(r.Began).Seconds(), kind)
	told.gauge(m.ended, float64(r.Ended.UnixMilli())/1000, kind)
	for _, v := range verdicts() {
		holds := 0.0
		if v == r.Verdict {
			holds = 1
		}
		told.gauge(m.verdict, holds, kind, string(v))
	}
}

func verdicts() []ledger.Verdict {
	return []ledger.Verdict{
		ledger.Reconciled, ledger.ReconciledWithPending, ledger.ReconciledWithWarnings, ledger.Breaks, ledger.Incomplete,
	}
}

// inReais is the one place where money becomes a floating number: Prometheus has no other, and nobody adds up cents there.
func inReais(a ledger.Amount) float64 { return float64(a) / float64(ledger.Real) }

// sheet gathers metrics.
type sheet []prometheus.Metric

func (s *sheet) gauge(d *prometheus.Desc, v float64, labels ...string) {
	*s = append(*s, prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...))
}
