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
	"slices"
	"time"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// RowsState returns a digest of what the rows of an account's sets of periods are read from, as of a run and a day: equal states
// give equal rows, whatever the basis and the period. Bank accounts, claims and changes of closed periods are not covered.
//
// It reads no installment. A current expectation follows from what each reconcile made and ended, which is kept as a digest per
// reconcile, and it names the version of its installment, which never changes. Cases and acts are only ever added, so that their
// number tells. Slips are few and are read: which list prevails depends on when each showed them last.
func (l *Store) RowsState(ctx context.Context, a ledger.Account, run string, asOf ledger.Date) (string, error) {
	doing := "read the state of the rows of account " + a.String()
	h := sha256.New()
	if err := l.hashConclusions(ctx, h, a, run); err != nil {
		return "", l.db.WrapError(doing, err)
	}
	if err := l.hashCounts(ctx, h, a, run, asOf); err != nil {
		return "", l.db.WrapError(doing, err)
	}
	for _, log := range []ledger.Account{a, 0} {
		end, err := l.cases.ActLogEnd(ctx, log)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "acts %d %s\n", end.Number, end.Hash)
	}
	if err := l.hashSlips(ctx, h, a, run); err != nil {
		return "", l.db.WrapError(doing, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// rowTables are the tables of conclusions that rows of sets are read from.
var rowTables = []string{results.InstallmentExpectations.Name, results.SlipExpectations.Name, "month_part"}

// hashConclusions adds what each reconcile up to the run made and ended in the tables of rows. One that did nothing there adds nothing.
func (l *Store) hashConclusions(ctx context.Context, h hash.Hash, a ledger.Account, run string) error {
	return sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		text := f.NextText()
		if err := f.Err(); err != nil {
			return err
		}
		var digests map[string]string
		if err := json.Unmarshal([]byte(text), &digests); err != nil {
			return fmt.Errorf("digests of a reconcile: %w", err)
		}
		for _, table := range rowTables {
			if d := digests[table]; d != "" {
				fmt.Fprintf(h, "%s %s\n", table, d)
			}
		}
		return nil
	}, `
		SELECT digests
		FROM reconciled
		WHERE account = $1 AND run <= $2 AND digests <> '{}'
		ORDER BY number, run`, int64(a), run)
}

// hashCounts adds how many events of cases and changes of closed periods there are, and how many slips are past due on the day.
func (l *Store) hashCounts(ctx context.Context, h hash.Hash, a ledger.Account, run string, asOf ledger.Date) error {
	return sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		fmt.Fprintf(h, "events %d, restated %d up to %q, past due %d\n", f.NextInt(), f.NextInt(), f.NextText(), f.NextInt())
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
func (l *Store) hashSlips(ctx context.Context, h hash.Hash, a ledger.Account, run string) error {
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
