package wire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
	"concilia/cmd/concilia/view"
	"concilia/config"
	"concilia/export"
	"concilia/export/publish"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Needs is what a command needs in addition to the ledger and the documents.
type Needs uint8

const (
	WantService Needs = 1 << iota // a client of the service
	WantTarget                    // a place to publish to
	WantKept                      // a ledger that is there: one made now would answer as if nothing had ever been kept
	WantNone                      // with WantKept: where no file of a ledger is there, an empty one that is thrown away
)

// ParallelWindows are asked for at once; the pace is the limiter's, this only hides latency.
const ParallelWindows = 4

// LoadConfig reads the configuration, warnings going to standard error. Only what asks the service needs a password, and only
// what publishes the secrets of the target.
func (p *Process) LoadConfig(n Needs) (*config.Config, error) {
	read := config.LoadOffline
	switch {
	case n&WantService != 0:
		read = config.Load
	case n&WantTarget != 0:
		read = config.LoadPublishing
	}
	c, err := read(p.ConfigPath, p.Lookup)
	if err != nil {
		return nil, err
	}
	if !p.Quiet {
		for _, w := range c.Warnings() {
			fmt.Fprintf(p.Stderr, "%s: %s\n", words.Text(p.Language, "command.warning"), w.In(string(p.Language)))
		}
	}
	return c, nil
}

// LedgerAddress is the address of the configured ledger. A server shows connections to it under the name of the command.
func (p *Process) LedgerAddress(c *config.Config) string {
	if p.Command == "" {
		return c.Ledger.Address()
	}
	return sqldb.NameConnections(c.Ledger.Address(), "concilia/"+strings.ReplaceAll(p.Command, " ", "-"))
}

// OpenLedger opens and migrates the configured ledger.
func (p *Process) OpenLedger(ctx context.Context, c *config.Config) (*store.Ledger, error) {
	l, err := store.OpenWithReaders(ctx, p.LedgerAddress(c), p.Readers)
	if err != nil {
		return nil, err
	}
	if _, _, err := l.Migrate(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// OpenKept is OpenLedger for commands that only read or evaluate: it makes no ledger where there is none.
func (p *Process) OpenKept(ctx context.Context, c *config.Config) (*store.Ledger, error) {
	dsn := p.LedgerAddress(c)
	if err := CheckLedgerFile(dsn); err != nil {
		return nil, err
	}
	l, err := store.OpenWithReaders(ctx, dsn, p.Readers)
	if err != nil {
		return nil, err
	}
	made, err := l.HasTables(ctx)
	if err == nil && !made {
		err = noLedger(words.NewFault("error.no_tables", ""))
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
func (p *Process) openFor(ctx context.Context, c *config.Config, n Needs) (l *store.Ledger, drop func(), err error) {
	drop = func() {}
	switch {
	case n&WantNone != 0 && errors.Is(CheckLedgerFile(c.Ledger.Address()), fs.ErrNotExist):
		return openEmpty(ctx)
	case n&WantKept != 0:
		l, err = p.OpenKept(ctx, c)
	default:
		l, err = p.OpenLedger(ctx, c)
	}
	return l, drop, err
}

// openEmpty makes an empty ledger in a folder of its own, which drop removes.
func openEmpty(ctx context.Context) (l *store.Ledger, drop func(), err error) {
	dir, err := publish.MakeTemporary("empty")
	if err != nil {
		return nil, nil, words.NewFault("error.empty_ledger", "", "cause", err)
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

// WireWorker builds a worker of the configuration. The caller calls the closer when it is done. The checks of first run
// before the ledger is opened: a missing ledger is reported after every other mistake.
func (p *Process) WireWorker(ctx context.Context, n Needs, first ...func(*jobs.Worker) error) (*jobs.Worker, func(), error) {
	return p.WireTo(ctx, n, "", first...)
}

// WireTo is WireWorker with another place to publish to; none named is reports.out.
func (p *Process) WireTo(ctx context.Context, n Needs, out string, first ...func(*jobs.Worker) error) (*jobs.Worker, func(), error) {
	c, err := p.LoadConfig(n)
	if err != nil {
		return nil, nil, err
	}
	runLog := p.NewRunLog(c)
	w, err := p.newWorker(c, runLog)
	if err != nil {
		return nil, nil, err
	}
	if p.Rate > 0 {
		c.Service.RequestsPerSecond = p.Rate // the worker has the hash of what is configured
	}
	// The group is that of all accounts: a run of some has its units done by workers of all.
	pace, group := newPace(c), w.GroupKey(credentialKey(c), c.Service.SearchToken)
	if n&WantService != 0 {
		if w.Service, err = newPacedClient(c, pace, p.Wall, runLog.NoteRequest, p.Meters.CountRequest); err != nil {
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
	if n&WantTarget != 0 {
		if w.SigningKey, err = readSigningKey(c); err != nil {
			return nil, nil, err
		}
		if w.Archive, err = OpenArchive(c, p.Wall); err != nil {
			return nil, nil, err
		}
	}
	var drop func()
	if w.Ledger, drop, err = p.openFor(ctx, c, n); err != nil {
		return nil, nil, err
	}
	closeLedger := func() error {
		err := w.Ledger.Close()
		drop()
		return err
	}
	if n&WantTarget != 0 {
		if w.Target, err = publish.Open(w.Reports.Out, TargetOptions(c, p.Wall)); err != nil {
			return nil, nil, errors.Join(err, closeLedger())
		}
		w.IsTargetGone, w.Retry = exit.IsTargetGone, retryTarget
	}
	closeQueues := func() {}
	if n&WantService != 0 {
		if IsPostgres(c) {
			p.raiseHeapLimit()
		}
		if closeQueues, err = p.wireQueues(ctx, w, c, pace, group, *runLog.CurrentLogger()); err != nil {
			return nil, nil, errors.Join(err, closeLedger())
		}
	}
	return w, func() {
		closeQueues()
		_ = closeLedger() // what was kept is committed: a failed close loses nothing
	}, nil
}

// newWorker returns a worker with the settings and documents of a configuration, connected to nothing.
func (p *Process) newWorker(c *config.Config, runLog *progress.RunLog) (*jobs.Worker, error) {
	build := view.ReadBuildFacts()
	w := &jobs.Worker{
		Zone: c.Location(), Wall: p.Wall, Parallel: ParallelWindows, ProgramVersion: build.Version, Commit: build.Identity(p.BuildID), Config: c.Hash(),
		Parameters: p.Parameters,
		Tail:       func() string { return strings.ToLower(rand.Text()[:8]) }, Progress: runLog, Began: runLog.NoteBegin,
		Plan:         plan.Settings{SlipsDueBack: c.Plan.SlipsDueBack, SlipsDueForward: c.Plan.SlipsDueForward},
		ListCap:      c.Service.ListCap,
		NightBudget:  c.Service.NightBudget,
		SearchByCode: c.Service.SearchByCode,
		KeepBodies:   c.Evidence.KeepDays, Retention: c.Retention, ArchiveKeepDays: c.Reports.ArchiveKeepDays, AllAccounts: true,
		Reports: ReportSettings(c), Movement: MovementSettings(c),
	}
	var err error
	if w.Now, w.Clock, err = p.BusinessClock(c); err != nil {
		return nil, err
	}
	if w.Accounts, err = ConfiguredAccounts(c); err != nil {
		return nil, err
	}
	if err := LoadAgreements(c, w); err != nil {
		return nil, err
	}
	if w.Banks, err = BanksOf(c, w.Inputs.Profile.Banks); err != nil {
		return nil, err
	}
	if w.Stores, err = StoresOf(c, w.Inputs.Mapping); err != nil {
		return nil, err
	}
	w.BankCalendar, err = CalendarOf(c, nil)
	return w, err
}

const (
	// HeapLimit is what the collector keeps Go's heap to while it can, however many rows pass by: it then collects more often. What SQLite
	// caches comes on top. GOMEMLIMIT overrides it.
	HeapLimit = 80 << 20
	// serverHeapLimit is that of a worker whose ledger is on a server, which has the caches.
	serverHeapLimit = 120 << 20
)

// raiseHeapLimit gives the heap the room that SQLite would take, unless another limit was set.
func (p *Process) raiseHeapLimit() {
	if limit, _ := p.Lookup("GOMEMLIMIT"); limit == "" && debug.SetMemoryLimit(-1) == HeapLimit {
		debug.SetMemoryLimit(serverHeapLimit)
	}
}

// wireQueues connects the worker to the queue of units of work and to that of notifications; closer disconnects it from both.
func (p *Process) wireQueues(ctx context.Context, w *jobs.Worker, c *config.Config, pace *pace, group string, log zerolog.Logger) (closer func(), err error) {
	closeQueue, err := p.wireQueue(ctx, w, c, pace, group, log)
	if err != nil {
		return nil, err
	}
	closeInbox, err := WireInbox(ctx, w, p.LedgerAddress(c))
	if err != nil {
		closeQueue()
		return nil, err
	}
	return func() {
		closeInbox()
		closeQueue()
	}, nil
}

// BusinessClock is the business clock. CONCILIA_CLOCK, an instant or an offset such as +24h, moves it for simulations; that is
// allowed against a service on this machine only.
func (p *Process) BusinessClock(c *config.Config) (now func() time.Time, moved string, err error) {
	text, ok := p.Lookup("CONCILIA_CLOCK")
	if !ok || text == "" {
		return p.Wall, "", nil
	}
	var shift time.Duration
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		shift = t.Sub(p.Wall())
	} else if shift, err = time.ParseDuration(text); err != nil {
		return nil, "", exit.NewInputError("CONCILIA_CLOCK", words.NewFault("error.clock", "", "value", fmt.Sprintf("%q", text)))
	}
	if !c.Service.IsLoopback() {
		return nil, "", exit.NewInputError("CONCILIA_CLOCK", words.NewFault("error.clock_elsewhere", ""))
	}
	return func() time.Time { return p.Wall().Add(shift) }, text, nil
}

// NewClient makes the client of the configured service, at the pace of this process alone.
func NewClient(c *config.Config, wall func() time.Time) (*api.Client, error) {
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
		UserAgent: "concilia/" + view.ReadBuildFacts().Version,
		OnRequest: func(r api.Request) {
			for _, listen := range listeners {
				listen(r)
			}
		},
	})
	if err != nil {
		return nil, exit.NewInputError("service", err)
	}
	return client, nil
}

// ConfiguredAccounts are the configured accounts as the jobs take them.
func ConfiguredAccounts(c *config.Config) ([]jobs.Account, error) {
	var out []jobs.Account
	for _, a := range c.Accounts {
		since, err := optionalDate(a.Since)
		if err != nil {
			return nil, exit.NewInputError(fmt.Sprintf("account %d since", a.Number), err)
		}
		block := export.AccountBlock{Name: a.Name, Bank: export.Bank(a.Bank)}
		if a.Document != "" {
			if block.Document, err = ledger.ParseDocument(a.Document); err != nil {
				return nil, exit.NewInputError(fmt.Sprintf("account %d document", a.Number), err)
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

// WireInbox gives the worker the inbox of the receiver where there is one: on SQLite its file is made by serve, on
// Postgres it is always there. The closer may be called in any case.
func WireInbox(ctx context.Context, w *jobs.Worker, dsn string) (closer func(), err error) {
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

// OpenClient is for commands that put one question to the service and open no ledger.
func (p *Process) OpenClient() (*api.Client, *config.Config, error) {
	c, err := p.LoadConfig(WantService)
	if err != nil {
		return nil, nil, err
	}
	client, err := NewClient(c, p.Wall)
	return client, c, err
}

// CheckLedgerFile is an error when the file of a ledger on SQLite cannot be found.
func CheckLedgerFile(dsn string) error {
	path, ok := strings.CutPrefix(dsn, "sqlite:")
	if !ok {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return noLedger(err)
	}
	return nil
}

// ErrNoLedger means that the ledger is not there.
var ErrNoLedger error = words.NewFault("error.no_ledger", "")

// noLedger is the refusal of a command that would answer from a ledger that is not there.
func noLedger(err error) error {
	return exit.WithCode(words.NewFault("error.no_ledger_at", "", "what", ErrNoLedger, "cause", err), exit.Unreachable)
}

// NewRunLog is the log of a run that a command, or a daemon with a logger of its own, begins.
func (p *Process) NewRunLog(c *config.Config) *progress.RunLog {
	if p.Logger != nil {
		return progress.NewRunLog(*p.Logger, nil, p.Wall)
	}
	quiet, people := p.Quiet, pull.Progress(nil)
	if c.Log.Format == "" {
		people = progress.NewProgress(p.Stderr, p.Quiet, p.Language)
		quiet = quiet || c.Log.Level != "debug"
	}
	return progress.NewRunLog(progress.NewLog(p.Stderr, quiet, c.Log), people, p.Wall)
}
