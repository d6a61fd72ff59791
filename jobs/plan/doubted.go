package plan

import (
	"context"
	"errors"
	"strings"

	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// Unjudged are the pulls of an account that no finished reconcile has looked at.
func Unjudged(ctx context.Context, l *store.Ledger, a ledger.Account) ([]ledger.Pull, error) {
	last, err := l.LastReconciled(ctx, a)
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return nil, err
	}
	return l.PullsSince(ctx, a, last)
}

// doubted adds the days on which an answer looked cut: each is asked for by itself, which settles it or not. One that
// only repeats a count waits for its turn: asking it again shows the same.
func (p *draft) doubted(ctx context.Context) error {
	pulls, err := Unjudged(ctx, p.ledger, p.account)
	if err != nil {
		return err
	}
	for i := range pulls {
		for _, d := range pulls[i].Note.Cut {
			if d < p.asOf {
				p.add(pulls[i].Window.Source, d, reasonDoubted)
			}
		}
	}
	filter := results.FindingFilter{
		Accounts: []ledger.Account{p.account}, Codes: []string{rules.TruncationSuspected}, Severities: []ledger.Severity{ledger.Critical},
		States: askedAbout(),
	}
	return p.ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if parts := strings.Split(f.Subject, ":"); len(parts) == 4 && f.Day < p.asOf {
			p.add(ledger.Source(parts[2]), f.Day, reasonDoubted)
		}
		return nil
	})
}
