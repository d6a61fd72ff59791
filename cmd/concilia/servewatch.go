package main

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"concilia/config"
	"concilia/jobs"
	"concilia/store/ledger"
)

const (
	// watchEvery is how often the subscriptions are asked for, watchAgain how soon after that failed.
	watchEvery = 24 * time.Hour
	watchAgain = 15 * time.Minute
)

// watchSubscriptions checks at once and then daily that the subscriptions point here, until ctx ends. What it cannot
// find out it says and tries again: receiving does not depend on it.
func (g *globals) watchSubscriptions(ctx context.Context, c *config.Config, logger zerolog.Logger) {
	if c.Webhook.PublicURL == "" {
		logger.Warn().Msg("webhook.public_url is not configured: nobody checks that the subscriptions point here")
		return
	}
	for {
		wait := watchEvery
		if err := g.checkSubscriptions(ctx, c, logger); err != nil {
			if ctx.Err() != nil {
				return
			}
			logger.Warn().Err(err).Msg("the subscriptions could not be checked")
			wait = watchAgain
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// checkSubscriptions asks for the subscription of every account and records what it is, for the rules of the next night.
// The ledger is open for that long only.
func (g *globals) checkSubscriptions(ctx context.Context, c *config.Config, logger zerolog.Logger) (err error) {
	client, err := newClient(c, g.wall)
	if err != nil {
		return err
	}
	now, _, err := g.clock(c)
	if err != nil {
		return err
	}
	l, err := g.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // what was recorded is committed: a failed close loses nothing
	today := ledger.DateOf(now(), c.Location())
	for _, a := range c.Accounts {
		want := c.Webhook.AccountURL(a.Number)
		got, matches, failed := jobs.CheckSubscription(ctx, client, l, ledger.Account(a.Number), want, today)
		switch {
		case failed != nil:
			err = errors.Join(err, failed)
		case matches:
			logger.Info().Int64("account", a.Number).Str("url", got).Msg("the subscription points here")
		default:
			logger.Warn().Int64("account", a.Number).Str("url", got).Str("expected", want).
				Msg("the subscription does not point here: concilia webhook subscribe mends it")
		}
	}
	return err
}
