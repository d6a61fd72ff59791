package reports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Credited is Installments for the basis credit, in order of credit date; the order within a date is undefined. Memory
// does not grow with the rows.
func (l *Store) Credited(ctx context.Context, q Query, fn func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	q.Basis = "credit"
	return l.installmentsBy(ctx, q, "i.effective", fn)
}

// StandingBefore gives the revision that stood as of a run of every set of the account, basis and filter whose last day
// is before that one, without its files, in order of last day, first day.
func (l *Store) StandingBefore(ctx context.Context, account, basis, filter string, before ledger.Date, run string,
) ([]Set, error) {
	doing := fmt.Sprintf("read the sets of %s, %s before %s", account, basis, before)
	rows, err := l.db.Read.QueryContext(ctx, `
		SELECT
			r.from_day,
			r.to_day,
			r.revision,
			r.run,
			r.as_of,
			r.digest,
			r.tables
		FROM report AS r
		WHERE r.account = $1 AND r.basis = $2 AND r.filter = $3 AND r.to_day < $4 AND r.revision = (
			SELECT MAX(n.revision)
			FROM report AS n
			WHERE n.account = r.account AND n.basis = r.basis AND n.from_day = r.from_day AND n.to_day = r.to_day
				AND n.filter = r.filter AND n.run <= $5)
		ORDER BY r.to_day, r.from_day`, account, basis, filter, int64(before), run)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	defer rows.Close()
	var out []Set
	for rows.Next() {
		s := Set{Account: account, Basis: basis, Filter: filter}
		var tables string
		err := rows.Scan(sqldb.IntoDate(&s.Period.From), sqldb.IntoDate(&s.Period.To), &s.Revision, &s.Run, sqldb.IntoDate(&s.AsOf), &s.Digest, &tables)
		if err := errors.Join(err, json.Unmarshal([]byte(tables), &s.Tables)); err != nil {
			return nil, l.db.WrapError(doing, err)
		}
		out = append(out, s)
	}
	return out, l.db.WrapError(doing, rows.Err())
}

// sumStatement adds up the entries of cards and of slips.
func (s *sumQuery) sumStatement(ctx context.Context, net bool) (Sums, error) {
	q := *s.q
	q.Basis = "credit"
	of := sumQuery{l: s.l, q: &q, unit: s.unit}
	from, args, err := of.cardRows("")
	if err != nil {
		return Sums{}, err
	}
	out, err := of.sumEntries(ctx, []string{roundToCents("COALESCE(i.received, 0)")}, "", from, args)
	if err != nil {
		return out, err
	}
	sight, from, args, err := of.slipRows("")
	if err != nil {
		return out, err
	}
	// A tariff is a debit: its amount is below zero.
	paid, tariff := roundToCents("COALESCE(m.paid_value, 0)"), "- "+roundToCents("COALESCE(e.tariff, 0)")
	amounts := []string{paid, tariff}
	if net {
		amounts = []string{paid + " " + tariff}
	}
	slips, err := of.sumEntries(ctx, amounts, facts.MergedSlipsSQL(sight), from, args)
	out.Rows += slips.Rows
	for id, v := range slips.Columns {
		out.Columns[id] += v
	}
	return out, err
}

// sumEntries counts and adds up signed amounts; what is zero is no entry.
func (s *sumQuery) sumEntries(ctx context.Context, amounts []string, with, from string, args []any) (Sums, error) {
	rows, credits, debits := "0", "0", "0"
	for _, a := range amounts {
		rows += " + CASE WHEN " + a + " <> 0 THEN 1 ELSE 0 END"
		credits += " + CASE WHEN " + a + " > 0 THEN " + a + " ELSE 0 END"
		debits += " - CASE WHEN " + a + " < 0 THEN " + a + " ELSE 0 END"
	}
	return s.sumColumns(ctx, []sumColumn{{"credits", credits}, {"debits", debits}}, with, "COALESCE(SUM("+rows+"), 0)", from, args)
}
