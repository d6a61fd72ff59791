package sales

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// BucketSum is the current rows of a store in a bucket, and what the store counts of them less what the service counts.
type BucketSum struct {
	Bucket     ownsales.Bucket
	Rows       int64
	Difference ledger.Amount
}

// BucketSumsSQL adds up the current rows of a shop, of some buckets, from the index alone. $1 and $2 are the shop, $3 and $4 the days.
func (s *ConclusionStore) BucketSumsSQL(buckets ...ownsales.Bucket) string {
	list := ""
	for i, b := range buckets {
		if i > 0 {
			list += ", "
		}
		list += "'" + string(b) + "'"
	}
	return `
		SELECT
			c.bucket,
			COUNT(*),
			CAST(SUM(c.difference) AS BIGINT)
		FROM own_match AS c` + s.db.Dialect.UseIndex("own_match_bucket") + `
		WHERE c.account = $1 AND c.store = $2 AND c.ended_run IS NULL AND c.bucket IN (` + list + `) AND c.day >= $3 AND c.day <= $4
		GROUP BY c.bucket`
}

// BucketSums returns the sums of the current rows of a shop for the days of a period: the buckets that have rows, in their order. What matches is kept
// with the evaluated days; only of days that are not among them its rows are counted.
func (s *ConclusionStore) BucketSums(ctx context.Context, at Shop, p ledger.Period) (out []BucketSum, err error) {
	matched := BucketSum{Bucket: ownsales.Matched}
	evaluated := ledger.Period{From: p.To + 1, To: p.From - 1}
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var day ledger.Date
		var count int64
		var rest ledger.Amount
		err := rows.Scan(sqldb.IntoDate(&day), &count, &rest)
		matched.Rows, matched.Difference = matched.Rows+count, matched.Difference+rest
		evaluated.From, evaluated.To = min(evaluated.From, day), max(evaluated.To, day)
		return err
	}, `
		SELECT
			day,
			matched,
			matched_rest
		FROM own_seen_day
		WHERE account = $1 AND store = $2 AND ended_run IS NULL AND day >= $3 AND day <= $4`, int64(at.Home), at.ID, int64(p.From), int64(p.To))
	add := func(p ledger.Period, buckets ...ownsales.Bucket) {
		if err != nil || p.To < p.From {
			return
		}
		err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
			var b BucketSum
			err := rows.Scan(&b.Bucket, &b.Rows, &b.Difference)
			if b.Bucket == ownsales.Matched {
				matched.Rows, matched.Difference = matched.Rows+b.Rows, matched.Difference+b.Difference
			} else {
				out = append(out, b)
			}
			return err
		}, s.BucketSumsSQL(buckets...), int64(at.Home), at.ID, int64(p.From), int64(p.To))
	}
	order := ownsales.Buckets()
	add(p, slices.DeleteFunc(slices.Clone(order), func(b ownsales.Bucket) bool { return b == ownsales.Matched })...)
	if evaluated.To < evaluated.From {
		add(p, ownsales.Matched)
	} else {
		add(ledger.Period{From: p.From, To: evaluated.From - 1}, ownsales.Matched)
		add(ledger.Period{From: evaluated.To + 1, To: p.To}, ownsales.Matched)
	}
	if matched.Rows > 0 {
		out = append(out, matched)
	}
	slices.SortFunc(out, func(a, b BucketSum) int { return slices.Index(order, a.Bucket) - slices.Index(order, b.Bucket) })
	return out, s.db.WrapError("add up the sales of store "+at.ID, err)
}

// LatestMatchesSQL reads the latest current rows of a shop in a bucket. $1 and $2 are the shop, $3 the bucket, $4 and $5 the days.
func (s *ConclusionStore) LatestMatchesSQL(limit int) string {
	columns := matchTable.Columns()
	return `
		SELECT` + columns.SelectList("c") + `
		FROM own_match AS c` + s.db.Dialect.UseIndex("own_match_bucket") + `
		WHERE c.account = $1 AND c.store = $2 AND c.ended_run IS NULL AND c.bucket = $3 AND c.day >= $4 AND c.day <= $5
		ORDER BY c.day DESC, c.difference DESC, c.sale_id, c.payment_no, c.service_sale
		LIMIT ` + fmt.Sprint(limit)
}

// LatestMatches calls fn for the current rows of a shop in a bucket for the days of a period, as many as limit says: latest first, of a
// day those that differ most first.
func (s *ConclusionStore) LatestMatches(
	ctx context.Context, at Shop, bucket ownsales.Bucket, p ledger.Period, limit int, fn func(*ownsales.Match) error,
) error {
	columns := matchTable.Columns()
	err := s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		var m ownsales.Match
		matchTable.place(&m, at)
		columns.Read(&m, f)
		if f.Err() != nil {
			return f.Err()
		}
		return fn(&m)
	}, s.LatestMatchesSQL(limit), int64(at.Home), at.ID, string(bucket), int64(p.From), int64(p.To))
	return s.db.WrapError("read how the sales of store "+at.ID+" stand", err)
}

// EvaluatedDays returns the days of a period as the last run found them that evaluated them.
func (s *ConclusionStore) EvaluatedDays(ctx context.Context, at Shop, p ledger.Period) (map[ledger.Date]ownsales.SeenDay, error) {
	out := map[ledger.Date]ownsales.SeenDay{}
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		d := ownsales.SeenDay{Account: at.Home, Store: at.ID}
		err := rows.Scan(sqldb.IntoDate(&d.Day), &d.State, &d.Versions)
		out[d.Day] = d
		return err
	}, `
		SELECT
			day,
			state,
			versions
		FROM own_seen_day
		WHERE account = $1 AND store = $2 AND ended_run IS NULL AND day >= $3 AND day <= $4`, int64(at.Home), at.ID, int64(p.From), int64(p.To))
	return out, s.db.WrapError("read the evaluated days of store "+at.ID, err)
}
