package lookup

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ItemsWithWord calls fn for every item of the account that has one of the words, with the word, once for both; at most limit times.
func (s *Store) ItemsWithWord(ctx context.Context, a ledger.Account, words []string, limit int, fn func(word string, item Item)) error {
	buckets := map[int64]bool{}
	args := []any{int64(a)}
	for _, word := range words {
		if b := wordBucket([]byte(word)); !buckets[b] {
			buckets[b] = true
			args = append(args, b)
		}
	}
	found := make(map[wordEntry]bool)
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var block string
		err := rows.Scan(&block)
		for len(block) > 0 && err == nil && len(found) < limit {
			var e wordEntry
			if e, block, err = cutWordEntry(block); err == nil && !found[e] && slices.Contains(words, e.word) {
				found[e] = true
				fn(e.word, e.Item)
			}
		}
		return err
	}, `
		SELECT
			entries
		FROM word_block
		WHERE account = $1 AND bucket IN (`+sqldb.ListPlaceholders(2, len(args)-1)+`)`, args...)
	return s.db.WrapError("look up words of account "+a.String(), err)
}

// ForecastOnSQL and ReceivedOnSQL are the sales that are forecast for a day or came on it.
const (
	ForecastOnSQL = `
		SELECT DISTINCT
			sale_day,
			nsu,
			auth,
			''
		FROM installment
		WHERE account = $1 AND sale_day IN (SELECT sale_day FROM forecast_day WHERE account = $1 AND forecast = $2)
			AND forecast = $2 AND ended_pull IS NULL
		LIMIT $3`
	// The day is a sum, for SQLite would else walk the whole account in the order of its key.
	ReceivedOnSQL = `
		SELECT DISTINCT
			sale_day + 0,
			nsu,
			auth,
			''
		FROM installment
		WHERE account = $1 AND effective = $2 AND ended_pull IS NULL
		LIMIT $3`
)

// ItemsOfDay calls fn, at most limit times for each list, for the sales made, forecast or received on the day and the slips due,
// paid or credited on it.
func (s *Store) ItemsOfDay(ctx context.Context, a ledger.Account, day ledger.Date, limit int, fn func(Item)) error {
	read := func(query string) error {
		return sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
			fn(Item{Day: f.NextDate(), NSU: f.NextText(), Auth: f.NextText(), Slip: f.NextText()})
			return nil
		}, query, int64(a), int64(day), int64(limit))
	}
	err := errors.Join(read(`
		SELECT DISTINCT
			sale_day,
			nsu,
			auth,
			''
		FROM installment
		WHERE account = $1 AND sale_day = $2
		LIMIT $3`), read(ForecastOnSQL), read(ReceivedOnSQL), read(`
		SELECT DISTINCT
			COALESCE(due, 0),
			'',
			'',
			id
		FROM slip
		WHERE account = $1 AND list IN ('slips.due', 'slips.payment', 'slips.credit') AND list_day = $2 AND ended_pull IS NULL
		LIMIT $3`))
	return s.db.WrapError("look up "+day.String()+" of account "+a.String(), err)
}

// payerSlipsSQL are the slips of an account that a list shows with a payer's document, as the service writes it: with or without
// punctuation.
const payerSlipsSQL = `
		SELECT
			id,
			COALESCE(MAX(due), 0)
		FROM slip
		WHERE account = $1 AND payer_document IN ($2, $3) AND ended_pull IS NULL
		GROUP BY id
		ORDER BY id
		LIMIT $4`

// SlipsOfPayer calls fn, at most limit times, for the slips of the account whose payer has the document. It reads all slips of the
// account, for nothing of a payer is kept in an index.
func (s *Store) SlipsOfPayer(ctx context.Context, a ledger.Account, document ledger.Document, limit int, fn func(Item)) error {
	err := sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		fn(Item{Slip: f.NextText(), Day: f.NextDate()})
		return nil
	}, payerSlipsSQL, int64(a), string(document), document.Punctuated(), int64(limit))
	return s.db.WrapError("look for the slips of a payer in account "+a.String(), err)
}
