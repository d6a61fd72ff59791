package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/queue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// pace limits the requests under the configured credential: those of this process, or, once it has a ledger on Postgres,
// those of every process that shares it.
type pace struct {
	own    *rate.Limiter
	shared *runs.RateLimiter // nil: this process keeps the pace by itself
}

func newPace(c *config.Config) *pace {
	// One request may always start at once, so that a pace below one a second is one too.
	return &pace{own: rate.NewLimiter(rate.Limit(c.Service.RequestsPerSecond), 1)}
}

// Wait waits for the turn of a request.
func (p *pace) Wait(ctx context.Context) error {
	if p.shared != nil {
		return p.shared.Wait(ctx)
	}
	return p.own.Wait(ctx)
}

// shareThrough lets the pace be that of all processes on the ledger.
func (p *pace) shareThrough(l *store.Ledger, c *config.Config) (err error) {
	every := time.Duration(float64(time.Second) / c.Service.RequestsPerSecond)
	p.shared, err = l.RateLimiter(credentialKey(c), every)
	return err
}

// credentialKey names the user of the service, without a secret: what its requests are counted under.
func credentialKey(c *config.Config) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		c.Service.GatewayURL, c.Service.IntegrationURL, c.Service.SearchBase(), c.Service.UserName,
	}, "\n")))
	return hex.EncodeToString(sum[:])
}

// IsPostgres reports whether the ledger is one that many machines may share.
func IsPostgres(c *config.Config) bool {
	scheme, _, _ := strings.Cut(c.Ledger.Address(), ":")
	return scheme == "postgres" || scheme == "postgresql"
}

// wireQueue lets the units of w's runs go to every worker on the same Postgres, at a pace they share. On SQLite they
// stay in this process. group is w's before its accounts were narrowed.
func (p *Process) wireQueue(
	ctx context.Context, w *jobs.Worker, c *config.Config, pace *pace, group string, logger zerolog.Logger,
) (func(), error) {
	if !IsPostgres(c) {
		return func() {}, nil
	}
	if err := pace.shareThrough(w.Ledger, c); err != nil {
		return nil, err
	}
	r, err := queue.OpenRiver(ctx, queue.RiverOptions{
		DSN: p.LedgerAddress(c), Ledger: w.Ledger, Group: group,
		Parallel: func() int { return w.Parallel }, Now: w.Wall, Fatal: api.IsRefused, OnFinishedElsewhere: func(u ledger.WorkUnit) { w.Progress.Advance(partsOf(&u)) },
		Log: slog.New(zerolog.NewSlogHandler(logger.Level(max(logger.GetLevel(), zerolog.WarnLevel)))),
	})
	if err != nil {
		return nil, err
	}
	w.Queue = r
	return r.Close, nil
}

// partsOf is how far a unit moves the progress of its step: a lane by its days, sets by their number, anything else by one.
func partsOf(u *ledger.WorkUnit) int {
	if u.Kind == ledger.RenderUnit {
		return int(u.Rows)
	}
	if u.Kind != ledger.RangeUnit {
		return 1
	}
	window, err := u.Window()
	if err != nil {
		return 0
	}
	return window.Period.Days()
}
