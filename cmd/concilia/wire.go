package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"concilia/config"
	"concilia/export"
	"concilia/export/publish"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store"
	"concilia/store/ledger"
)

// needs is what a command needs in addition to the ledger and the documents.
type needs uint8

const (
	wantService needs = 1 << iota // a client of the service
	wantTarget                    // a place to publish to
	wantKept                      // a ledger that is there: one made now would answer as if nothing had ever been kept
	wantNone                      // with wantKept: where no file of a ledger is there, an empty one that is thrown away
)

// parallelWindows are asked for at once; the pace is the limiter's, this only hides latency.
const parallelWindows = 4

// loadConfig reads the configuration, warnings going to standard error. Only what asks the service needs a password, and only
// what publishes the secrets of the target.
func (g *globals) loadConfig(n needs) (*config.Config, error) {
	read := config.LoadOffline
	switch {
	case n&wantService != 0:
		read = config.Load
	case n&wantTarget != 0:
		read = config.LoadPublishing
	}
	c, err := read(g.config, g.lookup)
	if err != nil {
		return nil, err
	}
	if !g.quiet {
		for _, w := range c.Warnings() {
			fmt.Fprintf(g.stderr, "warning: %s\n", w)
		}
	}
	return c, nil
}

// openLedger opens and migrates the configured ledger.
func (g *globals) openLedger(ctx context.Context, c *config.Config) (*store.Ledger, error) {
	l, err := store.Open(ctx, c.Ledger.DSN.Reveal())
	if err != nil {
		return nil, err
	}
	if _, _, err := l.Migrate(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// openKept is openLedger for commands that only read or evaluate: it makes no ledger where there is none.
func (g *globals) openKept(ctx context.Context, c *config.Config) (*store.Ledger, error) {
	dsn := c.Ledger.DSN.Reveal()
	if err := checkLedgerFile(dsn); err != nil {
		return nil, err
	}
	l, err := store.Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	made, err := l.HasTables(ctx)
	if err == nil && !made {
		err = noLedger(errors.New("the database has no tables of one"))
	}
	if err == nil {
		_, _, err = l.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// openFor opens the ledger that a command needs; drop, called when it is closed, removes an empty one.
func (g *globals) openFor(ctx context.Context, c *config.Config, n needs) (l *store.Ledger, drop func(), err error) {
	drop = func() {}
	switch {
	case n&wantNone != 0 && errors.Is(checkLedgerFile(c.Ledger.DSN.Reveal()), fs.ErrNotExist):
		return openEmpty(ctx)
	case n&wantKept != 0:
		l, err = g.openKept(ctx, c)
	default:
		l, err = g.openLedger(ctx, c)
	}
	return l, drop, err
}

// openEmpty makes an empty ledger in a folder of its own, which drop removes.
func openEmpty(ctx context.Context) (l *store.Ledger, drop func(), err error) {
	dir, err := os.MkdirTemp("", "concilia-empty-")
	if err != nil {
		return nil, nil, err
	}
	drop = func() { _ = os.RemoveAll(dir) }
	if l, err = store.Open(ctx, "sqlite:"+filepath.Join(dir, "concilia.db")); err == nil {
		if _, _, err = l.Migrate(ctx); err != nil {
			err = errors.Join(err, l.Close())
		}
	}
	if err != nil {
		drop()
		return nil, nil, err
	}
	return l, drop, nil
}

// wireWorker builds a worker of the configuration. The caller calls the closer when it is done. The checks of first run
// before the ledger is opened: a missing ledger is reported after every other mistake.
func (g *globals) wireWorker(ctx context.Context, n needs, first ...func(*jobs.Worker) error) (*jobs.Worker, func(), error) {
	return g.wireTo(ctx, n, "", first...)
}

// wireTo is wire with another place to publish to; none named is reports.out.
func (g *globals) wireTo(ctx context.Context, n needs, out string, first ...func(*jobs.Worker) error) (*jobs.Worker, func(), error) {
	c, err := g.loadConfig(n)
	if err != nil {
		return nil, nil, err
	}
	runLog, build := g.newRunLog(c), readBuildFacts()
	w := &jobs.Worker{
		Zone: c.Location(), Wall: g.wall, Parallel: parallelWindows, ProgramVersion: build.Version, Commit: build.Commit, Config: c.Hash(),
		Parameters: g.parameters,
		Tail:       func() string { return strings.ToLower(rand.Text()[:8]) }, Progress: runLog, Began: runLog.noteBegin,
		Plan:         plan.Settings{SlipsDueBack: c.Plan.SlipsDueBack, SlipsDueForward: c.Plan.SlipsDueForward},
		ListCap:      c.Service.ListCap,
		NightBudget:  c.Service.NightBudget,
		SearchByCode: c.Service.SearchByCode,
		KeepBodies:   c.Evidence.KeepDays, Retention: c.Retention, ArchiveKeepDays: c.Reports.ArchiveKeepDays, AllAccounts: true,
		Reports: reportSettings(c),
	}
	if w.Now, w.Clock, err = g.businessClock(c); err != nil {
		return nil, nil, err
	}
	if w.Accounts, err = configuredAccounts(c); err != nil {
		return nil, nil, err
	}
	if err := loadAgreements(c, w); err != nil {
		return nil, nil, err
	}
	if w.Banks, err = banksOf(c); err != nil {
		return nil, nil, err
	}
	if w.BankCalendar, err = calendarOf(c, nil); err != nil {
		return nil, nil, err
	}
	if g.rate > 0 {
		c.Service.RequestsPerSecond = g.rate // the hash above is of what is configured
	}
	// The group is that of all accounts: a run of some has its units done by workers of all.
	pace, group := newPace(c), w.GroupKey(credentialKey(c), c.Service.SearchToken)
	if n&wantService != 0 {
		if w.Service, err = newPacedClient(c, pace, g.wall, runLog.noteRequest, g.meters.countRequest); err != nil {
			return nil, nil, err
		}
	}
	for _, check := range first {
		if err := check(w); err != nil {
			return nil, nil, err
		}
	}
	if out != "" {
		w.Reports.Out = out
	}
	if n&wantTarget != 0 {
		if w.SigningKey, err = readSigningKey(c); err != nil {
			return nil, nil, err
		}
		if w.Archive, err = openArchive(c, g.wall); err != nil {
			return nil, nil, err
		}
	}
	var drop func()
	if w.Ledger, drop, err = g.openFor(ctx, c, n); err != nil {
		return nil, nil, err
	}
	if n&wantTarget != 0 {
		target, err := publish.Open(w.Reports.Out, targetOptions(c, g.wall))
		if err != nil {
			return nil, nil, errors.Join(err, w.Ledger.Close())
		}
		w.Target = target
		w.IsTargetGone, w.Retry = targetGone, retryTarget
	}
	closeInbox, closeQueue := func() {}, func() {}
	if n&wantService != 0 {
		if closeQueue, err = wireQueue(ctx, w, c, pace, group, *runLog.currentLogger()); err != nil {
			return nil, nil, errors.Join(err, w.Ledger.Close())
		}
		if closeInbox, err = wireInbox(ctx, w, c.Ledger.DSN.Reveal()); err != nil {
			closeQueue()
			return nil, nil, errors.Join(err, w.Ledger.Close())
		}
	}
	return w, func() {
		closeInbox()
		closeQueue()
		_ = w.Ledger.Close() // what was kept is committed: a failed close loses nothing
		drop()
	}, nil
}

// targetGone reports whether an error is of the target itself; what is not proven yet is written on its disk too.
func targetGone(err error) bool {
	for _, gone := range []error{publish.ErrUnreachable, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// businessClock is the business clock. CONCILIA_CLOCK, an instant or an offset such as +24h, moves it for simulations; that is
// allowed against a service on this machine only.
func (g *globals) businessClock(c *config.Config) (now func() time.Time, moved string, err error) {
	text, ok := g.lookup("CONCILIA_CLOCK")
	if !ok || text == "" {
		return g.wall, "", nil
	}
	var shift time.Duration
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		shift = t.Sub(g.wall())
	} else if shift, err = time.ParseDuration(text); err != nil {
		return nil, "", &inputError{"CONCILIA_CLOCK", fmt.Errorf("%q is neither an instant (2026-11-18T06:00:00-03:00) nor an offset (+24h)", text)}
	}
	if !c.Service.IsLoopback() {
		return nil, "", &inputError{"CONCILIA_CLOCK", errors.New("is for simulations: the service must be on this machine")}
	}
	return func() time.Time { return g.wall().Add(shift) }, text, nil
}

// newClient makes the client of the configured service, at the pace of this process alone.
func newClient(c *config.Config, wall func() time.Time) (*api.Client, error) {
	return newPacedClient(c, newPace(c), wall)
}

// newPacedClient makes the client of the configured service. listeners are called for every request.
func newPacedClient(
	c *config.Config, pace *pace, wall func() time.Time, listeners ...func(api.Request),
) (*api.Client, error) {
	gatewayUser, gatewayPassword := c.Service.GatewayCredential()
	client, err := api.New(api.Options{
		GatewayURL: c.Service.GatewayURL, IntegrationURL: c.Service.IntegrationURL, SearchURL: c.Service.SearchBase(),
		SearchToken: api.Family(c.Service.SearchToken),
		UserName:    c.Service.UserName, Password: c.Service.Password.Reveal(),
		GatewayUserName: gatewayUser, GatewayPassword: gatewayPassword.Reveal(),
		Timeout: c.Service.Timeout, MinRate: c.Service.MinRate, Limiter: pace, Now: wall, Zone: c.Location(),
		UserAgent: "concilia/" + readBuildFacts().Version,
		OnRequest: func(r api.Request) {
			for _, listen := range listeners {
				listen(r)
			}
		},
	})
	if err != nil {
		return nil, &inputError{"service", err}
	}
	return client, nil
}

// configuredAccounts are the configured accounts as the jobs take them.
func configuredAccounts(c *config.Config) ([]jobs.Account, error) {
	var out []jobs.Account
	for _, a := range c.Accounts {
		since, err := optionalDate(a.Since)
		if err != nil {
			return nil, &inputError{fmt.Sprintf("account %d since", a.Number), err}
		}
		block := export.AccountBlock{Name: a.Name, Bank: export.Bank(a.Bank)}
		if a.Document != "" {
			if block.Document, err = ledger.ParseDocument(a.Document); err != nil {
				return nil, &inputError{fmt.Sprintf("account %d document", a.Number), err}
			}
		}
		out = append(out, jobs.Account{Number: ledger.Account(a.Number), Name: a.Name, Since: since, Block: block})
	}
	return out, nil
}

func optionalDate(s string) (ledger.Date, error) {
	if s == "" {
		return 0, nil
	}
	return ledger.ParseDate(s)
}

// wireInbox gives the worker the inbox of the receiver where there is one: on SQLite its file is made by serve, on
// Postgres it is always there. The closer may be called in any case.
func wireInbox(ctx context.Context, w *jobs.Worker, dsn string) (closer func(), err error) {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		if _, err := os.Stat(store.InboxPath(path)); errors.Is(err, fs.ErrNotExist) {
			return func() {}, nil
		}
	}
	inbox, err := store.OpenInbox(ctx, dsn)
	if err != nil {
		return func() {}, err
	}
	w.Inbox = inbox
	return func() { _ = inbox.Close() }, nil // a worker keeps nothing in it: a failed close loses nothing
}
