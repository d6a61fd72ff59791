package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"golang.org/x/time/rate"

	"concilia/config"
	"concilia/export"
	"concilia/export/publish"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/store"
	"concilia/store/ledger"
)

// needs is what a command wants wired besides the ledger and the documents.
type needs uint8

const (
	wantService needs = 1 << iota // a client of the service
	wantTarget                    // a place to publish to
)

// parallelWindows are asked for at once; the pace is the limiter's, this only hides latency.
const parallelWindows = 4

// load reads the configuration, warnings going to standard error. Only what asks the service needs a password.
func (g *globals) load(n needs) (*config.Config, error) {
	read := config.LoadOffline
	if n&wantService != 0 {
		read = config.Load
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

// open opens and migrates the configured ledger.
func (g *globals) open(ctx context.Context, c *config.Config) (*store.Ledger, error) {
	l, err := store.Open(ctx, c.Ledger.DSN.Reveal())
	if err != nil {
		return nil, err
	}
	if _, _, err := l.Migrate(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// wire builds a worker of the configuration. The caller calls the closer when it is done.
func (g *globals) wire(ctx context.Context, n needs) (*jobs.Worker, func(), error) {
	return g.wireTo(ctx, n, "")
}

// wireTo is wire with another place to publish to; none named is reports.out.
func (g *globals) wireTo(ctx context.Context, n needs, out string) (*jobs.Worker, func(), error) {
	c, err := g.load(n)
	if err != nil {
		return nil, nil, err
	}
	w := &jobs.Worker{
		Zone: c.Location(), Wall: g.wall, Parallel: parallelWindows, Engine: facts().Version, Config: c.Hash(),
		Tail: func() string { return strings.ToLower(rand.Text()[:8]) }, Progress: newProgress(g.stderr, g.quiet),
		Plan:    jobs.PlanSettings{SlipsDueBack: c.Plan.SlipsDueBack, SlipsDueForward: c.Plan.SlipsDueForward},
		Reports: reportSettings(c),
	}
	if out != "" {
		w.Reports.Out = out
	}
	if w.Now, w.Clock, err = g.clock(c); err != nil {
		return nil, nil, err
	}
	if w.Accounts, err = accounts(c); err != nil {
		return nil, nil, err
	}
	if err := loadTerms(c, w); err != nil {
		return nil, nil, err
	}
	if n&wantService != 0 {
		if w.Service, err = newClient(c, g.wall); err != nil {
			return nil, nil, err
		}
	}
	if w.Ledger, err = g.open(ctx, c); err != nil {
		return nil, nil, err
	}
	if n&wantTarget != 0 {
		target, err := publish.Open(w.Reports.Out)
		if err != nil {
			return nil, nil, errors.Join(err, w.Ledger.Close())
		}
		w.Target = target
		w.TargetGone = targetGone
	}
	closeInbox := func() {}
	if n&wantService != 0 {
		if closeInbox, err = wireInbox(ctx, w, c.Ledger.DSN.Reveal()); err != nil {
			return nil, nil, errors.Join(err, w.Ledger.Close())
		}
	}
	return w, func() {
		closeInbox()
		_ = w.Ledger.Close() // what was kept is committed: a failed close loses nothing
	}, nil
}

// targetGone says whether an error is of the target itself; what is not proven yet is written on its disk too.
func targetGone(err error) bool {
	for _, gone := range []error{publish.ErrUnreachable, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// clock is the business clock. CONCILIA_CLOCK, an instant or an offset such as +24h, moves it for simulations; that is
// allowed against a service on this machine only.
func (g *globals) clock(c *config.Config) (now func() time.Time, moved string, err error) {
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
	if !c.Service.Loopback() {
		return nil, "", &inputError{"CONCILIA_CLOCK", errors.New("is for simulations: the service must be on this machine")}
	}
	return func() time.Time { return g.wall().Add(shift) }, text, nil
}

// newClient makes the client of the configured service, at its pace.
func newClient(c *config.Config, wall func() time.Time) (*api.Client, error) {
	gatewayUser, gatewayPassword := c.Service.Gateway()
	// One request may always start at once, so that a pace below one a second is one too.
	limiter := rate.NewLimiter(rate.Limit(c.Service.RequestsPerSecond), 1)
	client, err := api.New(api.Options{
		GatewayURL: c.Service.GatewayURL, IntegrationURL: c.Service.IntegrationURL, SearchURL: c.Service.Search(),
		SearchToken: api.Family(c.Service.SearchToken),
		UserName:    c.Service.UserName, Password: c.Service.Password.Reveal(),
		GatewayUserName: gatewayUser, GatewayPassword: gatewayPassword.Reveal(),
		Timeout: c.Service.Timeout, Limiter: limiter, Now: wall, Zone: c.Location(),
		UserAgent: "concilia/" + facts().Version,
	})
	if err != nil {
		return nil, &inputError{"service", err}
	}
	return client, nil
}

// accounts are the configured accounts as the jobs know them.
func accounts(c *config.Config) ([]jobs.Account, error) {
	var out []jobs.Account
	for _, a := range c.Accounts {
		since, err := optionalDate(a.Since)
		if err != nil {
			return nil, &inputError{fmt.Sprintf("account %d since", a.Number), err}
		}
		block := export.Block{Name: a.Name, Bank: export.Bank(a.Bank)}
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
