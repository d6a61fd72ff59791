package results

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"concilia/store/ledger"
)

// RecordRuleCounts keeps what the rules did in the run, in one small row: there are more than a hundred rules, and most do the same
// every night. Counts of one code add up. It is called once in an attempt.
func (r *ReconcileTx) RecordRuleCounts(counts []ledger.RuleCounts) error {
	packed, err := packRuleCounts(counts)
	if err == nil {
		_, err = r.t.ExecContext(r.ctx, `
			INSERT INTO tally (
				account,
				run,
				counts)
			VALUES ($1, $2, $3)`, int64(r.account), r.run.ID, packed)
	}
	return r.wrapError(err)
}

// packRuleCounts is the column counts of the table tally.
func packRuleCounts(counts []ledger.RuleCounts) ([]byte, error) {
	sorted := slices.Clone(counts)
	slices.SortStableFunc(sorted, func(a, b ledger.RuleCounts) int { return cmp.Compare(a.Code, b.Code) })
	var sums []ledger.RuleCounts
	for _, c := range sorted {
		if n := len(sums); n > 0 && sums[n-1].Code == c.Code {
			sums[n-1].Add(c)
		} else {
			sums = append(sums, c)
		}
	}
	text, err := json.Marshal(sums)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(text)
	err = errors.Join(err, z.Close())
	return packed.Bytes(), err
}

func unpackRuleCounts(packed []byte) (counts []ledger.RuleCounts, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	err = json.NewDecoder(z).Decode(&counts)
	return counts, errors.Join(err, z.Close())
}

// RuleCountsOfRun gives what the rules did on the account in the run, in order of code.
func (l *RunReader) RuleCountsOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.RuleCounts, error) {
	doing := "read what the rules did in run " + run
	var packed []byte
	err := l.db.Read.QueryRowContext(ctx, "SELECT counts FROM tally WHERE account = $1 AND run = $2", int64(a), run).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	counts, err := unpackRuleCounts(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return counts, nil
}
