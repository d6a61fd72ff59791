package facts

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Item is a sale, or a slip, that a word leads to.
type Item struct {
	Day       ledger.Date // sale date, or due date
	NSU, Auth string      // of the sale
	Slip      string      // id; empty: it is a sale
}

// wordBatchSize is how many words are sorted and written at once: some five megabytes.
const wordBatchSize = 50_000

// AddWords adds, within a reconcile's transaction, the words of the rows that the pulls brought which the run is the first to
// take into account. With all it makes the words of the account from nothing.
func AddWords(ctx context.Context, t *sqldb.Tx, a ledger.Account, run string, all bool) error {
	if err := t.WaitBackground(); err != nil {
		return err
	}
	w := &wordWriter{ctx: ctx, t: t, account: a, anew: all}
	if all {
		if _, err := t.ExecContext(ctx, `
			DELETE FROM word
			WHERE account = $1`, int64(a)); err != nil {
			return err
		}
		return errors.Join(w.addInstallments(""), w.addSlips(""), w.flush())
	}
	pulls, err := pullsThatBrought(ctx, t, a, run)
	for i := range pulls {
		switch p := &pulls[i]; {
		case err != nil:
		case p.source != ledger.Cards:
			err = w.addSlips(" AND v.first_pull = $2", p.id)
		default:
			err = w.addPulledInstallments(p)
		}
	}
	return errors.Join(err, w.flush())
}

// pullThatBrought is a pull that brought rows: its window and how many.
type pullThatBrought struct {
	id     string
	source ledger.Source
	days   ledger.Period
	rows   int64
}

func pullsThatBrought(ctx context.Context, t *sqldb.Tx, a ledger.Account, run string) ([]pullThatBrought, error) {
	var out []pullThatBrought
	err := sqldb.EachRow(ctx, t, func(rows *sql.Rows) error {
		var p pullThatBrought
		err := rows.Scan(&p.id, (*string)(&p.source), &p.days.From, &p.days.To, &p.rows)
		out = append(out, p)
		return err
	}, `
		SELECT
			id,
			source,
			from_day,
			to_day,
			rows_new + changed
		FROM pull
		WHERE account = $1 AND judged = $2 AND rows_new + changed > 0
		ORDER BY source, from_day, id`, int64(a), run)
	return out, err
}

// wordRow is a row of the table of words.
type wordRow struct {
	word string
	Item
}

func (r *wordRow) compare(o *wordRow) int {
	return cmp.Or(strings.Compare(r.word, o.word), cmp.Compare(r.Day, o.Day), strings.Compare(r.NSU, o.NSU), strings.Compare(r.Auth, o.Auth),
		strings.Compare(r.Slip, o.Slip))
}

// wordWriter gathers the words of one item after another, and writes them in sorted batches.
type wordWriter struct {
	ctx     context.Context
	t       *sqldb.Tx
	account ledger.Account
	anew    bool // the table has no word of the account yet, and an item's rows come together
	item    Item
	words   []string // of the item
	batch   []wordRow
	read    int64 // rows
}

// add adds the words of a row of an item.
func (w *wordWriter) add(item Item, words []string) error {
	w.read++
	if item != w.item {
		if err := w.endItem(); err != nil {
			return err
		}
		w.item = item
	}
	w.words = append(w.words, words...)
	return nil
}

func (w *wordWriter) endItem() error {
	slices.Sort(w.words)
	for _, word := range slices.Compact(w.words) {
		w.batch = append(w.batch, wordRow{word, w.item})
	}
	w.words = w.words[:0]
	if len(w.batch) < wordBatchSize {
		return nil
	}
	return w.writeBatch()
}

func (w *wordWriter) flush() error {
	if err := w.endItem(); err != nil {
		return err
	}
	return w.writeBatch()
}

func (w *wordWriter) writeBatch() error {
	if len(w.batch) == 0 {
		return nil
	}
	slices.SortFunc(w.batch, func(a, b wordRow) int { return a.compare(&b) })
	rows := w.batch
	w.batch = w.batch[:0]
	columns := []string{"account", "word", "day", "nsu", "auth", "slip"}
	if w.anew {
		return w.t.DB.Dialect.LoadRows(w.ctx, w.t.Conn, "word", columns, len(rows), func(i int, r sqldb.Row) error {
			r.Int(int64(w.account))
			r.Text(rows[i].word)
			r.Int(int64(rows[i].Day))
			r.Text(rows[i].NSU)
			r.Text(rows[i].Auth)
			r.Text(rows[i].Slip)
			return nil
		})
	}
	return w.t.DB.Dialect.ExecBatch(w.ctx, w.t.Conn, `
		INSERT INTO word (`+strings.Join(columns, ", ")+`)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING`, len(rows), func(i int) []any {
		return []any{int64(w.account), rows[i].word, int64(rows[i].Day), rows[i].NSU, rows[i].Auth, rows[i].Slip}
	})
}

// addPulledInstallments adds the words of what a pull brought: on the days of its window, or, when those do not hold all that it
// says it brought, on every day.
func (w *wordWriter) addPulledInstallments(p *pullThatBrought) error {
	before := w.read
	err := w.addInstallments(" AND i.sale_day BETWEEN $2 AND $3 AND i.first_pull = $4", int64(p.days.From), int64(p.days.To), p.id)
	if err != nil || w.read-before == p.rows {
		return err
	}
	return w.addInstallments(" AND i.first_pull = $2", p.id)
}

// addInstallments adds the words of the account's installments, of all versions. They are read as they were committed: a
// reconcile changes none.
func (w *wordWriter) addInstallments(condition string, args ...any) error {
	return w.t.DB.StreamRows(w.ctx, func(f *sqldb.RowReader) error {
		item := Item{Day: f.NextDate(), NSU: f.NextText(), Auth: f.NextText()}
		v := ledger.Installment{
			NSU: item.NSU, Auth: item.Auth, Reference: f.NextText(), WebPaymentID: f.NextText(), Card: f.NextText(),
			Gross: ledger.Amount(f.NextInt()), SaleTotal: ledger.Some(ledger.Amount(f.NextInt())), Received: ledger.Some(ledger.Amount(f.NextInt())),
		}
		splits, err := UnmarshalSplits(f.NextText())
		if err := errors.Join(f.Err(), err); err != nil {
			return err
		}
		v.Splits = splits
		return w.add(item, v.Words())
	}, `
		SELECT
			i.sale_day,
			i.nsu,
			i.auth,
			i.reference,
			i.web_payment_id,
			i.card,
			i.gross,
			COALESCE(i.sale_total, 0),
			COALESCE(i.received, 0),
			i.splits
		FROM installment AS i
		WHERE i.account = $1`+condition+`
		ORDER BY i.sale_day, i.nsu, i.auth`, append([]any{int64(w.account)}, args...)...)
}

// addSlips is addInstallments for the views of slips. A slip is under its last due date, and under an earlier one that it had.
func (w *wordWriter) addSlips(condition string, args ...any) error {
	return w.t.DB.StreamRows(w.ctx, func(f *sqldb.RowReader) error {
		v := &SlipRow{}
		v.ReadColumns(f)
		if err := f.Err(); err != nil {
			return err
		}
		return w.add(Item{Day: v.Due, Slip: v.ID}, v.Words())
	}, `
		SELECT `+SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1`+condition+`
		ORDER BY v.id, v.due`, append([]any{int64(w.account)}, args...)...)
}

// ItemsWithWord calls fn for every item of the account that has one of the words, with the word; at most limit times.
func (l *Store) ItemsWithWord(ctx context.Context, a ledger.Account, words []string, limit int, fn func(word string, item Item)) error {
	args := []any{int64(a)}
	for _, word := range words {
		args = append(args, word)
	}
	err := sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		word := f.NextText()
		fn(word, Item{Day: f.NextDate(), NSU: f.NextText(), Auth: f.NextText(), Slip: f.NextText()})
		return nil
	}, `
		SELECT
			word,
			day,
			nsu,
			auth,
			slip
		FROM word
		WHERE account = $1 AND word IN (`+sqldb.ListPlaceholders(2, len(words))+`)
		LIMIT $`+lastPlaceholder(&args, int64(limit)), args...)
	return l.db.WrapError("look up words of account "+a.String(), err)
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
func (l *Store) ItemsOfDay(ctx context.Context, a ledger.Account, day ledger.Date, limit int, fn func(Item)) error {
	read := func(query string) error {
		return sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
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
	return l.db.WrapError("look up "+day.String()+" of account "+a.String(), err)
}

// lastPlaceholder adds an argument and gives its number.
func lastPlaceholder(args *[]any, v any) string {
	*args = append(*args, v)
	return strings.TrimPrefix(sqldb.ListPlaceholders(len(*args), 1), "$")
}
