package reportset

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
	"concilia/export/report/kindlist"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sales"
)

// States remembers the states of the rows of accounts, so that the sets of a run ask for each once. It is for one run, and safe
// for concurrent use.
type States struct {
	mu    sync.Mutex
	known map[ledger.Account]*reports.RowsState
}

// findState returns the state of an account's rows. Of several goroutines that ask at once each may read it.
func (s *States) findState(ctx context.Context, b *Builder, a ledger.Account) (*reports.RowsState, error) {
	s.mu.Lock()
	state, ok := s.known[a]
	s.mu.Unlock()
	if ok {
		return state, nil
	}
	state, err := b.Ledger.RowsState(ctx, a, b.Run.ID, b.Run.AsOf)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = make(map[ledger.Account]*reports.RowsState)
	}
	s.known[a] = state
	return state, nil
}

// hasState reports whether all that the content of a set follows from can be named without reading its rows.
func (s *Request) hasState(kinds []report.Kind) bool {
	if s.Requested || s.Extract || s.Basis == report.ByMovement || s.Basis == report.ByPosting {
		return false
	}
	return !slices.ContainsFunc(kinds, func(k report.Kind) bool { return !kindlist.FollowsFromRows(k) })
}

// NameState returns a digest of all that the content of a set follows from: the state of the rows of its accounts, what is asked for,
// how it is read, and the program. It is empty when that is not known. It is named before the rows are read: what people do
// meanwhile makes another state for the next run.
func (b *Builder) NameState(ctx context.Context, states *States, job *export.Job) (string, error) {
	if !b.Set.hasState(job.Kinds) {
		return "", nil
	}
	inputs, err := export.InputsOf(job)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", b.Run.ProgramVersion, inputs)
	if b.Set.Basis == report.ByAsOf { // it shows what ended since the set before
		since, err := b.Ledger.StateBefore(ctx, b.Set.Name, b.Set.Period.To, b.Run.ID, string(report.ExceptionsKind))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "state of %s since %q\n", b.Set.Period.To, since)
	}
	for i := range b.Set.Hidden {
		fmt.Fprintf(h, "hidden %s\n", b.Set.Hidden[i].Account)
	}
	for i := range b.Set.Accounts {
		if err := b.addAccountState(ctx, states, h, b.Set.Accounts[i].Number, job.Kinds); err != nil {
			return "", err
		}
		if job.BankColumns {
			if err := b.addBankState(ctx, h, b.Set.Accounts[i].Number); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (b *Builder) addAccountState(ctx context.Context, states *States, to hash.Hash, a ledger.Account, kinds []report.Kind) error {
	state, err := states.findState(ctx, b, a)
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "account %s %s, slips withheld by %q\n", a, b.Set.digestState(state, kinds), b.Verdicts.criticalCodes(a, report.SlipSide))
	if !slices.Contains(kinds, report.SalesKind) {
		return nil
	}
	stores, err := b.Ledger.OwnState(ctx, sales.Concluded{Home: a, Run: b.Run.ID, Period: b.Set.Period})
	fmt.Fprintf(to, "stores %s", stores)
	return err
}

// digestState returns the digest of what the rows of the set are read from: those of its months. A month shows the one before, too; a
// statement and sales have rows by other dates than the set's, and a state has all.
func (s *Request) digestState(state *reports.RowsState, kinds []report.Kind) string {
	if s.Basis == report.ByAsOf {
		return state.Whole()
	}
	period := s.Period
	for _, k := range kinds {
		switch k {
		case report.StatementKind, report.SalesKind:
			return state.Whole()
		case report.MonthKind:
			period.From = (period.From.MonthStart() - 1).MonthStart()
		}
	}
	return state.Of(string(s.Basis), period)
}
