package main

import (
	"context"
	"fmt"
	"os"

	"concilia/config"
	"concilia/export"
	"concilia/store"
)

// actsVerified is what came of holding what was published against the ledger: its logs of acts, and its revisions.
type actsVerified struct {
	faults []string
	ends   int    // that control reports name and the logs were held against
	unread string // why nothing was looked through; empty when it was

	sets      int // revisions that the ledger knows, and that were held against what it keeps of them
	setFaults []string
}

// verifyActs walks the logs of acts of the configured ledger and holds them against the ends that were published, and
// the published revisions against those that it keeps.
// Nothing is written, and no ledger made where there is none.
func (g *globals) verifyActs(ctx context.Context, report *export.Report) (actsVerified, error) {
	l, unread, err := g.ledgerAtHand(ctx)
	if err != nil || l == nil {
		return actsVerified{unread: unread}, err
	}
	defer func() { _ = l.Close() }() // only read: a failed close loses nothing
	var out actsVerified
	found, err := l.VerifyActs(ctx)
	for _, f := range found {
		out.faults = append(out.faults, f.String())
	}
	if err != nil {
		return out, err
	}
	if err := out.compareSets(ctx, l, report.Found); err != nil {
		return out, err
	}
	return out, out.compare(ctx, l, report.Ends)
}

// ledgerAtHand opens the configured ledger, or says why there is none.
func (g *globals) ledgerAtHand(ctx context.Context) (l *store.Ledger, unread string, err error) {
	if _, err := os.Stat(g.config); err != nil {
		return nil, "no configuration file " + g.config, nil //nolint:nilerr // offline, as it may be
	}
	c, err := config.LoadOffline(g.config, g.lookup)
	if err != nil {
		return nil, g.config + " has faults of its own; concilia config check names them", nil //nolint:nilerr // as above
	}
	dsn := c.Ledger.DSN.Reveal()
	if absent(dsn) != nil {
		return nil, "the ledger is not here", nil
	}
	l, err = store.Open(ctx, dsn)
	if isUnavailable(err) {
		return nil, err.Error(), nil
	}
	return l, "", err
}

// compare holds the logs against the ends that control reports name. Several ledgers may publish below one folder: a set
// is of this one when this one knows a run that rendered a set of the same account. A run alone may be unknown: the
// ledger was put back to a copy from before it, and what people did since is gone with it.
func (o *actsVerified) compare(ctx context.Context, l *store.Ledger, ends []export.End) error {
	runs, ours := make(map[string]bool), make(map[string]bool)
	for _, e := range ends {
		known, asked := runs[e.Run]
		if !asked {
			var err error
			if known, err = l.HasRun(ctx, e.Run); err != nil {
				return err
			}
			runs[e.Run] = known
		}
		ours[e.Set] = ours[e.Set] || known
	}
	for _, e := range ends {
		if !ours[e.Set] {
			continue
		}
		has, err := l.HasAct(ctx, e.ActLogEnd)
		if err != nil {
			return err
		}
		o.ends++
		if !has {
			o.faults = append(o.faults, fmt.Sprintf("%s: the log of acts of account %s ended with act %d, %.16s…, and has no such act now: it was cut or told anew",
				e.File, e.Account, e.Number, e.Hash))
		}
	}
	return nil
}
