package store

import (
	"context"
	"database/sql"
	"fmt"

	"concilia/store/ledger"
)

// MergeInstallments merges the answer to one window of cards, and keeps the pull, in one transaction: rows not known
// are new, known ones that differ become the next version, and rows of the window's days that a complete pull showed
// before and this complete one does not are vanished, unless they came back unreadable. A vanished row that returns
// gets a next version, so the gap stays visible. Rows outside the window are kept under their own day; nothing
// vanishes there. Merging the same answer again finds everything the same and writes only the pull.
//
// The rows' Occurrence and SaleOccurrence are assigned in place; p.Counts is filled, its Requests kept.
func (l *Ledger) MergeInstallments(ctx context.Context, p *ledger.Pull, rows []ledger.Installment,
	bad []ledger.Quarantined,
) error {
	for i := range rows {
		r := &rows[i]
		if r.Account != p.Window.Account || r.SoldAt.Date() == 0 || p.Window.Source != ledger.Cards {
			return fmt.Errorf("merge pull %q: row %d is of account %s, sold %s: the window asks for %s of account %s",
				p.ID, i, r.Account, r.SoldAt, p.Window.Source, p.Window.Account)
		}
	}
	return l.merge(ctx, p, bad, func(m *merging) error {
		c := cards{merging: m, known: make(map[ledger.SaleKey][]*known)}
		return c.merge(ctx, rows, bad)
	})
}

// cards is the merge of installments.
type cards struct {
	*merging
	known  map[ledger.SaleKey][]*known // occurrence 0
	insert *sql.Stmt
	end    *sql.Stmt
}

func (c *cards) merge(ctx context.Context, rows []ledger.Installment, bad []ledger.Quarantined) (err error) {
	c.counts.Rows += int64(len(rows))
	if err := c.load(ctx, rows); err != nil {
		return err
	}
	if c.insert, err = c.PrepareContext(ctx, insertInstallment); err != nil {
		return err
	}
	defer func() { _ = c.insert.Close() }()
	if c.end, err = c.PrepareContext(ctx, endInstallment); err != nil {
		return err
	}
	defer func() { _ = c.end.Close() }()

	groups, order := group(rows)
	for _, key := range order {
		assign(groups[key], c.known[key])
		for _, row := range groups[key] {
			if row.row.Occurrence = row.key.Occurrence; row.sale != row.key.Occurrence {
				row.row.SaleOccurrence = row.sale
			}
			if err := c.keep(ctx, row); err != nil {
				return err
			}
		}
	}
	return c.vanish(ctx, unreadableKeys(bad))
}

// group puts rows together by day, NSU and authorization, in the order in which they first appear.
func group(rows []ledger.Installment) (map[ledger.SaleKey][]*candidate, []ledger.SaleKey) {
	all := make([]candidate, len(rows))
	groups := make(map[ledger.SaleKey][]*candidate, len(rows))
	var order []ledger.SaleKey
	for i := range rows {
		r := &rows[i]
		r.Occurrence, r.SaleOccurrence = 0, 0
		key := r.Key()
		key.Occurrence = 0
		all[i] = candidate{row: r, key: key, content: r.ContentHash(), mark: markOf(r)}
		if groups[key.SaleKey] == nil {
			order = append(order, key.SaleKey)
		}
		groups[key.SaleKey] = append(groups[key.SaleKey], &all[i])
	}
	return groups, order
}

// load reads what is known of the window's days, and of the days of rows outside it.
func (c *cards) load(ctx context.Context, rows []ledger.Installment) error {
	window := c.pull.Window.Period
	if err := c.loadDays(ctx, window); err != nil {
		return err
	}
	outside := make(map[ledger.Date]bool)
	for i := range rows {
		d := rows[i].SoldAt.Date()
		if window.Contains(d) || outside[d] {
			continue
		}
		outside[d] = true
		if err := c.loadDays(ctx, ledger.Period{From: d, To: d}); err != nil {
			return err
		}
	}
	return nil
}

func (c *cards) loadDays(ctx context.Context, days ledger.Period) error {
	a := c.pull.Window.Account
	return each(ctx, c, func(rows *sql.Rows) error {
		k := &known{}
		k.key.Account = a
		err := rows.Scan(&k.key.Day, &k.key.NSU, &k.key.Auth, &k.key.Number, &k.key.Occurrence, &k.version, &k.sale,
			&k.mark, scanHash{&k.content}, &k.firstPull, scanDate{&k.firstSeen}, scanBool{&k.vanished},
			scanBool{&k.proven})
		sale := k.key.SaleKey
		sale.Occurrence = 0
		c.known[sale] = append(c.known[sale], k)
		return err
	}, `
		SELECT
			sale_day,
			nsu,
			auth,
			number,
			occurrence,
			version,
			sale,
			sale_mark,
			content,
			first_pull,
			first_seen,
			vanished,
			proven
		FROM installment
		WHERE account = $1 AND sale_day BETWEEN $2 AND $3 AND (ended_pull IS NULL OR vanished = 1)`,
		int64(a), int64(days.From), int64(days.To))
}

func (c *cards) keep(ctx context.Context, row *candidate) error {
	k := row.known
	proven := c.covers(row.key.Day)
	next := known{key: row.key, version: 1, firstSeen: c.pull.AsOf, proven: proven}
	switch {
	case k == nil:
		c.counts.New++
	case k.content == row.content && !k.vanished:
		k.shown = true
		c.counts.Same++
		if proven && !k.proven {
			return c.prove(ctx, k)
		}
		return nil
	default:
		k.shown = true
		c.counts.Changed++
		if err := c.ended(ctx, k, false); err != nil {
			return err
		}
		next.version, next.firstSeen, next.proven = k.version+1, k.firstSeen, proven || k.proven
	}
	args, err := c.args(row, &next)
	if err != nil {
		return err
	}
	_, err = c.insert.ExecContext(ctx, args...)
	return err
}

// prove notes that the row's own day showed it: a row brought by another day's window could not vanish before.
func (c *cards) prove(ctx context.Context, k *known) error {
	_, err := c.ExecContext(ctx, `
		UPDATE installment
		SET proven = 1
		WHERE account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5 AND occurrence = $6
			AND version = $7`,
		int64(k.key.Account), int64(k.key.Day), k.key.NSU, k.key.Auth, int64(k.key.Number), int64(k.key.Occurrence),
		int64(k.version))
	return err
}

// vanish ends what the window's days showed before and show no more.
func (c *cards) vanish(ctx context.Context, bad unreadable) error {
	for _, sale := range c.known {
		for _, k := range sale {
			if k.shown || k.vanished || !k.proven || !c.covers(k.key.Day) || bad.card(k.key) {
				continue
			}
			c.counts.Vanished++
			if err := c.ended(ctx, k, true); err != nil {
				return err
			}
		}
	}
	return nil
}

const endInstallment = `
		UPDATE installment
		SET
			last_pull = COALESCE(last_pull, $8),
			ended_pull = COALESCE(ended_pull, $9),
			vanished = $10
		WHERE account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5 AND occurrence = $6
			AND version = $7`

// ended closes a version: succeeded, or vanished. One that had vanished keeps the pull that missed it first.
func (c *cards) ended(ctx context.Context, k *known, vanished bool) error {
	_, err := c.end.ExecContext(ctx, int64(k.key.Account), int64(k.key.Day), k.key.NSU, k.key.Auth, int64(k.key.Number),
		int64(k.key.Occurrence), int64(k.version), c.lastPull(k.key.Day, k.firstPull), c.pull.ID, sqlBool(vanished))
	return err
}

const insertInstallment = `
		INSERT INTO installment (
			account,
			sale_day,
			nsu,
			auth,
			number,
			occurrence,
			version,
			sale,
			sale_mark,
			content,
			first_pull,
			vanished,
			proven,
			first_seen,
			last_changed,
			pulled_on,
			sold_at,
			terminal,
			card,
			card_type,
			card_name,
			number_sent,
			count_sent,
			gross,
			sale_total,
			status,
			mdr,
			mdr_rate,
			fee,
			sale_fee,
			antifraud,
			sale_antifraud,
			anticipation,
			anticipation_rate,
			received,
			forecast,
			effective,
			received_type,
			received_status,
			reference,
			web_payment_id,
			splits)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41)`

func (c *cards) args(row *candidate, v *known) ([]any, error) {
	r := row.row
	splits, err := marshalSplits(r.Splits)
	return []any{
		int64(r.Account), int64(row.key.Day), r.NSU, r.Auth, int64(row.key.Number), int64(row.key.Occurrence),
		int64(v.version), int64(row.sale), row.mark, row.content[:], c.pull.ID, sqlBool(v.proven),
		sqlDate(v.firstSeen), sqlDate(c.pull.AsOf), sqlDate(c.pull.On), int64(r.SoldAt), r.Terminal, r.Card, r.CardType,
		r.CardName, int64(r.Number), int64(r.Count), int64(r.Gross), sqlOpt(r.SaleTotal), r.Status, sqlOpt(r.MDR),
		sqlOpt(r.MDRRate), sqlOpt(r.Fee), sqlOpt(r.SaleFee), sqlOpt(r.Antifraud), sqlOpt(r.SaleAntifrd),
		sqlOpt(r.Anticipation), sqlOpt(r.AnticipRate), sqlOpt(r.Received), sqlDate(r.Forecast), sqlDate(r.Effective),
		r.ReceivedType, r.ReceivedStat, r.Reference, r.WebPaymentID, splits,
	}, err
}
