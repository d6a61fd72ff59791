package facts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// MergeInstallments merges the answer to one window of cards, and keeps the pull, in one transaction: rows not known
// are new, known ones that differ become the next version, and rows of the window's days that a complete pull showed
// before and this complete one does not are vanished, unless they came back unreadable, or p.Recheck or p.Missing keeps
// them. A vanished row that returns gets a next version, so the gap stays visible. Rows outside the window are kept under
// their own day; nothing vanishes there. Merging the same answer again finds everything the same and writes only the
// pull.
//
// The rows' Occurrence and SaleOccurrence are assigned in place; p.Counts is filled, its Requests kept.
func (l *PullStore) MergeInstallments(ctx context.Context, p *ledger.Pull, rows []ledger.Installment,
	bad []ledger.Quarantined,
) error {
	for i := range rows {
		r := &rows[i]
		if r.Account != p.Window.Account || r.SoldAt.Date() == 0 || p.Window.Source != ledger.Cards {
			return fmt.Errorf("merge pull %q: row %d is of account %s, sold %s: the window asks for %s of account %s",
				p.ID, i, r.Account, r.SoldAt, p.Window.Source, p.Window.Account)
		}
	}
	all := newCandidates(rows)
	outside := outsideDays(p.Window.Period, rows)
	return l.mergePull(ctx, p, outside, bad, func(m *pullMerge) error {
		c := cardMerge{pullMerge: m}
		return c.mergeRows(ctx, all, outside, bad)
	})
}

// outsideDays are the days of rows outside the window, in order; never nil.
func outsideDays(window ledger.Period, rows []ledger.Installment) []ledger.Date {
	days := []ledger.Date{}
	for i := range rows {
		if d := rows[i].SoldAt.Date(); !window.Contains(d) && !slices.Contains(days, d) {
			days = append(days, d)
		}
	}
	slices.Sort(days)
	return days
}

// cardMerge is the merge of installments: it reads what is known, decides in memory, and then writes what is new or over.
type cardMerge struct {
	*pullMerge
	buffer   []storedVersion  // as they were read
	stored   []*storedVersion // in order
	inserted []newVersion
	ended    []endedVersion
	proved   []*storedVersion
	row      InstallmentRow // of the version being written
	text     []byte         // of its splits
}

// newVersion is a version to be inserted.
type newVersion struct {
	*candidate
	version   int
	firstSeen ledger.Date
	proven    bool
	leads     bool // the first row ever of its day, NSU and authorization: by it they are found without the day
}

// endedVersion is a version that is no longer current: superseded, or vanished.
type endedVersion struct {
	*storedVersion
	vanished bool
}

func (c *cardMerge) mergeRows(ctx context.Context, all []candidate, outside []ledger.Date, bad []ledger.Quarantined) error {
	c.counts.Rows += int64(len(all))
	if err := c.loadStored(ctx, outside); err != nil {
		return err
	}
	rows := sortBySale(all)
	for before := c.stored; len(rows) > 0; {
		var group []*candidate
		var sale []*storedVersion
		first := &rows[0].key.SaleKey
		group, rows = cutSale(rows, func(r *candidate) int { return compareSales(&r.key.SaleKey, first) })
		sale, before = cutSale(before, func(k *storedVersion) int { return compareSales(&k.key.SaleKey, first) })
		assignOccurrences(group, sale)
		for i, row := range group {
			if row.row.Occurrence = row.key.Occurrence; row.sale != row.key.Occurrence {
				row.row.SaleOccurrence = row.sale
			}
			c.addRow(row, i == 0 && len(sale) == 0)
		}
	}
	c.endVanished(indexUnreadable(bad))
	if err := c.recheckError(); err != nil {
		return err
	}
	return c.writeChanges(ctx)
}

// cutSale cuts from the head of a list in order of sales what belongs to one; what comes before it is passed over. to
// returns less than 0 for a row of an earlier sale and 0 for one of the sale itself.
func cutSale[T any](list []T, to func(T) int) (sale, rest []T) {
	for len(list) > 0 && to(list[0]) < 0 {
		list = list[1:]
	}
	n := 0
	for n < len(list) && to(list[n]) == 0 {
		n++
	}
	return list[:n:n], list[n:]
}

// compareSales orders sales of one account by what the service names them by.
func compareSales(a, b *ledger.SaleKey) int {
	switch {
	case a.Day != b.Day:
		return cmp.Compare(a.Day, b.Day)
	case a.NSU != b.NSU:
		return strings.Compare(a.NSU, b.NSU)
	}
	return strings.Compare(a.Auth, b.Auth)
}

// newCandidates hashes the rows of an answer, before any lock is held.
func newCandidates(rows []ledger.Installment) []candidate {
	all := make([]candidate, len(rows))
	for i := range rows {
		r := &rows[i]
		all[i] = candidate{row: r, content: r.ContentHash(), fingerprint: saleFingerprint(r)}
	}
	return all
}

// sortBySale puts rows in the order of their sales, each sale's in that of the answer, with nothing assigned yet. Rows go
// into the ledger in the order of its key, which is what both databases take in fastest.
func sortBySale(all []candidate) []*candidate {
	out := make([]*candidate, len(all))
	for i := range all {
		r := all[i].row
		r.Occurrence, r.SaleOccurrence = 0, 0
		all[i].key, all[i].sale, all[i].stored = r.Key(), 0, nil
		all[i].key.Occurrence, all[i].position = 0, i
		out[i] = &all[i]
	}
	slices.SortFunc(out, func(a, b *candidate) int {
		if c := compareSales(&a.key.SaleKey, &b.key.SaleKey); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.key.Number, b.key.Number), cmp.Compare(a.position, b.position))
	})
	return out
}

// loadStored reads what is known of the window's days, and of the days of rows outside it.
func (c *cardMerge) loadStored(ctx context.Context, outside []ledger.Date) error {
	if err := c.loadStoredDays(ctx, c.pull.Window.Period); err != nil {
		return err
	}
	for _, d := range outside {
		if err := c.loadStoredDays(ctx, ledger.Period{From: d, To: d}); err != nil {
			return err
		}
	}
	c.stored = make([]*storedVersion, len(c.buffer))
	for i := range c.buffer {
		c.stored[i] = &c.buffer[i]
	}
	slices.SortFunc(c.stored, func(a, b *storedVersion) int {
		return cmp.Or(compareSales(&a.key.SaleKey, &b.key.SaleKey), cmp.Compare(a.key.Occurrence, b.key.Occurrence),
			cmp.Compare(a.key.Number, b.key.Number))
	})
	return nil
}

func (c *cardMerge) loadStoredDays(ctx context.Context, days ledger.Period) error {
	a := c.pull.Window.Account
	return c.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		k := storedVersion{key: ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: a}}}
		k.key.Day, k.key.NSU, k.key.Auth = f.NextDate(), f.NextText(), f.NextText()
		k.key.Number, k.key.Occurrence, k.version, k.sale = int(f.NextInt()), int(f.NextInt()), int(f.NextInt()), int(f.NextInt())
		k.fingerprint, k.content, k.firstSeen, k.vanished, k.proven = f.NextInt(), f.NextHash(), f.NextDate(), f.NextBool(), f.NextBool()
		c.buffer = append(c.buffer, k)
		return nil
	}), `
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
			first_seen,
			vanished,
			proven
		FROM installment
		WHERE account = $1 AND sale_day BETWEEN $2 AND $3 AND (ended_pull IS NULL OR vanished = 1)`,
		int64(a), int64(days.From), int64(days.To))
}

func (c *cardMerge) addRow(row *candidate, leads bool) {
	k := row.stored
	proven := c.provesDay(row.key.Day)
	next := newVersion{candidate: row, version: 1, firstSeen: c.pull.AsOf, proven: proven, leads: leads}
	switch {
	case k == nil:
		c.counts.New++
	case k.content == row.content && !k.vanished:
		k.shown = true
		c.counts.Same++
		if proven && !k.proven {
			c.proved = append(c.proved, k)
		}
		return
	default:
		k.shown = true
		c.counts.Changed++
		c.ended = append(c.ended, endedVersion{storedVersion: k})
		next.version, next.firstSeen, next.proven = k.version+1, k.firstSeen, proven || k.proven
	}
	c.inserted = append(c.inserted, next)
}

// endVanished ends what the window's days showed before and show no more.
func (c *cardMerge) endVanished(bad unreadableRows) {
	for _, k := range c.stored {
		if k.shown || k.vanished || !k.proven || !c.provesDay(k.key.Day) || bad.hasCard(k.key) || !c.mayVanish(k.key.Subject) {
			continue
		}
		c.counts.Vanished++
		c.ended = append(c.ended, endedVersion{storedVersion: k, vanished: true})
	}
}
