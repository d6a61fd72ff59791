package store

import (
	"context"

	"concilia/store/ledger"
)

// ChainEnds returns where the chains end now: of the records of runs, and of what was concluded of each of the accounts. A set
// is published with them.
func (l *Ledger) ChainEnds(ctx context.Context, accounts []ledger.Account) ([]ledger.ChainEnd, error) {
	last, err := l.LastRunEnd(ctx)
	if err != nil {
		return nil, err
	}
	out := []ledger.ChainEnd{last}
	for _, a := range accounts {
		ends, err := l.ConclusionEnds(ctx, a)
		if err != nil {
			return nil, err
		}
		end := ledger.ChainEnd{Account: a}
		if len(ends) > 0 {
			end = ends[len(ends)-1]
		}
		out = append(out, end)
	}
	return out, nil
}

// Chains remembers the chains of a ledger, so that each is read once however many ends are compared with it. It is for ends that
// were read before it was made, and for one goroutine.
type Chains struct {
	ledger *Ledger
	known  map[ledger.Account]map[ledger.ChainEnd]bool
}

// NewChains returns the chains of the ledger, none of which is read yet.
func (l *Ledger) NewChains() *Chains {
	return &Chains{l, make(map[ledger.Account]map[ledger.ChainEnd]bool)}
}

// Has reports whether the ledger's chain had that end at some time, and nothing of it was changed since. The chains of accounts
// rest on the digests of reconciles and that of the runs on the digests of their records, which Check compares with the rows.
func (c *Chains) Has(ctx context.Context, end ledger.ChainEnd) (bool, error) {
	if end.Number == 0 && end.Digest == "" {
		return true, nil // of the first publication
	}
	ends, ok := c.known[end.Account]
	if !ok {
		var err error
		if ends, err = c.read(ctx, end.Account); err != nil {
			return false, err
		}
		c.known[end.Account] = ends
	}
	return ends[end], nil
}

func (c *Chains) read(ctx context.Context, a ledger.Account) (map[ledger.ChainEnd]bool, error) {
	if a == 0 {
		return c.ledger.RunEnds(ctx)
	}
	all, err := c.ledger.ConclusionEnds(ctx, a)
	ends := make(map[ledger.ChainEnd]bool, len(all))
	for _, end := range all {
		ends[end] = true
	}
	return ends, err
}
