package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"sync"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sales"
)

// rowsStates remembers the states of the rows of accounts, so that the sets of a run ask for each once. It is for one run, and safe
// for concurrent use.
type rowsStates struct {
	mu    sync.Mutex
	known map[ledger.Account]string
}

// findState returns the state of an account's rows. Of several goroutines that ask at once each may read it.
func (s *rowsStates) findState(ctx context.Context, b *jobBuilder, a ledger.Account) (string, error) {
	s.mu.Lock()
	state, ok := s.known[a]
	s.mu.Unlock()
	if ok {
		return state, nil
	}
	state, err := b.ledger.RowsState(ctx, a, b.run.ID, b.run.AsOf)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = make(map[ledger.Account]string)
	}
	s.known[a] = state
	return state, nil
}

// stateKinds are the kinds of a period whose rows reports.Store.RowsState covers.
var stateKinds = []report.Kind{
	report.SummaryKind, report.MonthKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.SlipsKind, report.StatementKind,
	report.SalesKind, report.ControlKind,
}

// hasState reports whether all that the content of a set follows from can be named without reading its rows.
func (s *setRequest) hasState(kinds []report.Kind) bool {
	if s.requested || s.extract || s.basis == report.ByAsOf || s.basis == report.ByMovement || s.basis == report.ByPosting {
		return false
	}
	return !slices.ContainsFunc(kinds, func(k report.Kind) bool { return !slices.Contains(stateKinds, k) })
}

// nameState returns a digest of all that the content of a set follows from: the state of the rows of its accounts, what is asked for,
// how it is read, and the program. It is empty when that is not known. It is named before the rows are read: what people do
// meanwhile makes another state for the next run.
func (p *publication) nameState(ctx context.Context, b *jobBuilder, job *export.Job) (string, error) {
	if !b.set.hasState(job.Kinds) {
		return "", nil
	}
	inputs, err := export.InputsOf(job)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", p.run.ProgramVersion, inputs)
	for i := range b.set.hidden {
		fmt.Fprintf(h, "hidden %s\n", b.set.hidden[i].Account)
	}
	for i := range b.set.accounts {
		if err := p.addAccountState(ctx, h, b, b.set.accounts[i].Number, slices.Contains(job.Kinds, report.SalesKind)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (p *publication) addAccountState(ctx context.Context, to hash.Hash, b *jobBuilder, a ledger.Account, hasSales bool) error {
	state, err := p.states.findState(ctx, b, a)
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "account %s %s, slips withheld by %q\n", a, state, b.verdicts.criticalCodes(a, report.SlipSide))
	if !hasSales {
		return nil
	}
	stores, err := b.ledger.OwnState(ctx, sales.Concluded{Home: a, Run: p.run.ID, Period: b.set.period})
	fmt.Fprintf(to, "stores %s", stores)
	return err
}

// keepState records what an unchanged revision was compared with, unless it is recorded.
func (p *publication) keepState(ctx context.Context, kept *reports.Set, state string) error {
	if state == "" || kept.State == state {
		return nil
	}
	if err := p.Allowed(ctx); err != nil {
		return err
	}
	return p.w.Ledger.NoteState(ctx, kept, state)
}
