package reports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"time"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
	"concilia/store/totals"
)

// RowsState is what the rows of an account's sets are read from, as of a run and a day. Bank accounts and changes of closed periods are
// not covered.
type RowsState struct {
	rest       string // digest of what is not kept by month
	events     int64  // of cases
	reconciles []reconcileState
}

// reconcileState is what a reconcile did to what rows are read from.
type reconcileState struct {
	moved   results.MovedMonths
	digests map[string]string // of the rows that it made and ended, by table
	events  int64             // of cases that it wrote
}

// RowsState reads what an account's sets are read from, as of a run and a day.
//
// It reads no installment. A current expectation follows from what each reconcile made and ended, which is kept as a digest per
// reconcile, and it names the version of its installment, which never changes. Cases and acts are only ever added, so that their
// number suffices. Slips are few and are read: which list prevails depends on when each showed them last.
func (l *RowReader) RowsState(ctx context.Context, a ledger.Account, run string, asOf ledger.Date) (*RowsState, error) {
	doing := "read the state of the rows of account " + a.String()
	s, h := &RowsState{}, sha256.New()
	if err := l.readReconciles(ctx, s, a, run); err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	if err := l.hashCounts(ctx, h, &s.events, a, run, asOf); err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	for _, log := range []ledger.Account{a, 0} {
		end, err := l.cases.ActLogEnd(ctx, log)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(h, "acts %d %s\n", end.Number, end.Hash)
	}
	if err := l.hashSlips(ctx, h, a, run); err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	s.rest = hex.EncodeToString(h.Sum(nil))
	return s, nil
}

// Whole returns a digest of the state: equal digests give equal rows, whatever the basis and the period, and equal sums and cases.
func (s *RowsState) Whole() string {
	return s.digest(func(r *reconcileState) (tables []string, events bool) {
		return slices.Sorted(maps.Keys(r.digests)), true
	})
}

// Of returns a digest of what the rows of a period of a basis are read from: equal digests give equal rows. A reconcile that moved no
// row of the period is left out of it, with the events of cases that it wrote.
func (s *RowsState) Of(basis string, p ledger.Period) string {
	return s.digest(func(r *reconcileState) (tables []string, events bool) {
		if r.moved.Touch(basis, p) {
			return rowTables, true
		}
		return slipTables, false
	})
}

// OfSaleDay returns a digest of what the rows of the installments sold on a day are read from: equal digests give equal rows. No event
// of a case is in it, since no row of an installment shows one.
func (s *RowsState) OfSaleDay(d ledger.Date) string {
	h := sha256.New()
	for i := range s.reconciles {
		if r := &s.reconciles[i]; r.moved.TouchSaleDay(d) {
			fmt.Fprintln(h, r.digests[results.InstallmentExpectations.Name])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digest covers the tables, and the events, that counts names of each reconcile.
func (s *RowsState) digest(counts func(*reconcileState) (tables []string, events bool)) string {
	h, events := sha256.New(), s.events
	for i := range s.reconciles {
		r := &s.reconciles[i]
		tables, counted := counts(r)
		if !counted {
			events -= r.events
		}
		for _, table := range tables {
			if d := r.digests[table]; d != "" {
				fmt.Fprintf(h, "%s %s\n", table, d)
			}
		}
	}
	fmt.Fprintf(h, "events %d\n%s\n", events, s.rest)
	return hex.EncodeToString(h.Sum(nil))
}

// rowTables are the tables of conclusions that rows of sets are read from, and slipTables those of slips alone: a change of one counts
// in every set.
var (
	rowTables  = []string{results.InstallmentExpectations.Name, results.SlipExpectations.Name, totals.MonthTable.Name}
	slipTables = []string{results.SlipExpectations.Name}
)

// readReconciles reads what each reconcile up to the run did.
func (l *RowReader) readReconciles(ctx context.Context, s *RowsState, a ledger.Account, run string) error {
	return sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		digests, moved := f.NextText(), f.NextText()
		one := reconcileState{events: f.NextInt()}
		if err := f.Err(); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(digests), &one.digests); err != nil {
			return fmt.Errorf("digests of a reconcile: %w", err)
		}
		var err error
		one.moved, err = results.DecodeMovedMonths(moved)
		s.reconciles = append(s.reconciles, one)
		return err
	}, `
		SELECT
			digests,
			moved,
			events
		FROM reconciled
		WHERE account = $1 AND run <= $2 AND (digests <> '{}' OR events > 0)
		ORDER BY number, run`, int64(a), run)
}

// hashCounts adds how many changes of closed periods there are, and how many slips are past due on the day. It counts the events of
// cases.
func (l *RowReader) hashCounts(ctx context.Context, h hash.Hash, events *int64, a ledger.Account, run string, asOf ledger.Date) error {
	return sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		*events = f.NextInt()
		fmt.Fprintf(h, "restated %d up to %q, past due %d\n", f.NextInt(), f.NextText(), f.NextInt())
		return f.Err()
	}, `
		SELECT
			(SELECT COUNT(*) FROM finding_event AS v WHERE v.account = $1 AND `+caselog.EventWrittenBy("v", "$2")+`),
			(SELECT COUNT(*) FROM restatement WHERE account = $1 AND run <= $2),
			(SELECT COALESCE(MAX(run), '') FROM restatement WHERE account = $1 AND run <= $2),
			(
				SELECT COUNT(*)
				FROM slip_expectation AS e
				WHERE e.account = $1 AND e.due_adjusted < $3 AND `+results.ExpectationCurrentAsOf("$2")+`)`, int64(a), run, int64(asOf))
}

// hashSlips adds every slip, merged, without when and by which pull it was seen last.
func (l *RowReader) hashSlips(ctx context.Context, h hash.Hash, a ledger.Account, run string) error {
	past, err := l.slipsAsOf(ctx, a, run)
	if err != nil {
		return err
	}
	encoder := gob.NewEncoder(h)
	return past.eachSlip(ctx, func(s *ledger.Slip) error {
		said := *s
		said.Stored = nil
		said.Views, said.Earlier = withoutSightings(s.Views), withoutSightings(s.Earlier)
		return encoder.Encode(&said)
	})
}

// withoutSightings returns versions of views in the order of their lists, without when they were seen last.
func withoutSightings(views []ledger.SlipVersion) []ledger.SlipVersion {
	out := slices.Clone(views)
	for i := range out {
		out[i].LastPull, out[i].LastRun, out[i].SeenAt = "", "", time.Time{}
	}
	slices.SortStableFunc(out, func(a, b ledger.SlipVersion) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Version, b.Version))
	})
	return out
}
