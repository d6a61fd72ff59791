package books

import (
	"context"
	"errors"
	"math"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// cardAt is an installment as of a run.
type cardAt struct {
	key   ledger.InstallmentKey
	state *bookkeeping.TitleState
	known bool // it was there as of the run before, or had been
}

// changedCards calls fn for the installments with an expectation that began or ended in the reconciles after run from, up to the
// order's, in order of key. A version that began or ended has an expectation that did.
func (s *changeReader) changedCards(ctx context.Context, o *Order, from string, fn func(*bookkeeping.TitleChange) error) error {
	if from == "" {
		return s.changedCardsOf(ctx, o, from, ledger.Period{From: math.MinInt32, To: math.MaxInt32}, fn)
	}
	days, err := s.changedSaleDays(ctx, o, from)
	if err != nil {
		return err
	}
	for len(days) > 0 {
		n := 1
		for n < len(days) && days[n] == days[n-1]+1 {
			n++
		}
		if err := s.changedCardsOf(ctx, o, from, ledger.Period{From: days[0], To: days[n-1]}, fn); err != nil {
			return err
		}
		days = days[n:]
	}
	return nil
}

// changedSaleDays are the days of sale of the installments whose expectations began or ended in the reconciles after run from, up to the
// order's, in their order. Every reconcile keeps its own.
func (s *changeReader) changedSaleDays(ctx context.Context, o *Order, from string) ([]ledger.Date, error) {
	var days []ledger.Date
	err := sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		moved, err := results.DecodeMovedMonths(f.NextText())
		days = append(days, moved.SaleDays()...)
		return errors.Join(f.Err(), err)
	}, `
		SELECT moved
		FROM reconciled
		WHERE account = $1 AND run > $2 AND run <= $3`, int64(o.Account), from, o.Run)
	slices.Sort(days)
	return slices.Compact(days), s.db.WrapError("read which days moved of account "+o.Account.String(), err)
}

// changedCardsOf is changedCards for the sales of some days.
func (s *changeReader) changedCardsOf(ctx context.Context, o *Order, from string, sold ledger.Period, fn func(*bookkeeping.TitleChange) error) error {
	was, now := &cardReader{}, s.readCards(ctx, o, from, o.Run, sold)
	defer now.stop()
	if from != "" {
		was = s.readCards(ctx, o, from, from, sold)
		defer was.stop()
	}
	was.next()
	for now.next() {
		for ; was.more && compareKeys(was.at.key, now.at.key) < 0; was.next() {
			if err := fn(&bookkeeping.TitleChange{Subject: was.at.key.Subject(), Before: was.at.state, Known: true}); err != nil {
				return err
			}
		}
		change := &bookkeeping.TitleChange{Subject: now.at.key.Subject(), After: now.at.state, Known: now.at.known}
		if was.more && was.at.key == now.at.key {
			change.Before, change.Known = was.at.state, true
			was.next()
		}
		if err := fn(change); err != nil {
			return err
		}
	}
	for ; was.more; was.next() {
		if err := fn(&bookkeeping.TitleChange{Subject: was.at.key.Subject(), Before: was.at.state, Known: true}); err != nil {
			return err
		}
	}
	return s.db.WrapError("read what changed of cards of account "+o.Account.String(), errors.Join(now.err(), was.err()))
}

// cardReader goes over installments as of a run, which are read ahead. The zero value has none.
type cardReader struct {
	ahead *sqldb.Ahead[cardAt]
	at    cardAt
	more  bool // at is one
}

// next goes to the next installment that a run has evaluated.
func (r *cardReader) next() bool {
	if r.ahead == nil {
		return false
	}
	for r.at, r.more = r.ahead.Next(); r.more && r.at.state == nil; {
		r.at, r.more = r.ahead.Next()
	}
	return r.more
}

func (r *cardReader) err() error {
	if r.ahead == nil {
		return nil
	}
	return r.ahead.Err()
}

func (r *cardReader) stop() { r.ahead.Stop() }

func compareKeys(a, b ledger.InstallmentKey) int {
	return slices.Compare(keyParts(a), keyParts(b))
}

func keyParts(k ledger.InstallmentKey) []string {
	number := func(n int) string { return string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) }
	return []string{k.Day.String(), k.NSU, k.Auth, number(k.Number), number(k.Occurrence)}
}

// readCards reads what was there, as of a run, of the installments sold in a period that changed after run from: as of that run what has
// ended since, as of the order's what has begun.
func (s *changeReader) readCards(ctx context.Context, o *Order, from, asOf string, sold ledger.Period) *cardReader {
	changed, known := "e.run > $2 AND "+results.ExpectationCurrentAsOf("$3"), "0"
	if from != "" {
		known = `CASE WHEN EXISTS (
				SELECT 1
				FROM installment AS h
				WHERE h.account = i.account AND h.sale_day = i.sale_day AND h.nsu = i.nsu AND h.auth = i.auth
					AND h.number = i.number AND h.occurrence = i.occurrence AND ` + facts.PullIDIncludedBy("h.first_pull", "$1", "$2") + `
			) THEN 1 ELSE 0 END`
		if asOf == from {
			changed, known = results.ExpectationCurrentAsOf("$2")+" AND e.ended_run <= $3", "1"
		}
	}
	return &cardReader{ahead: sqldb.ReadAheadInIndexOrder(ctx, s.db, func(f *sqldb.RowReader) (at cardAt, err error) {
		v, b := &facts.InstallmentRow{}, &results.ExpectationRow{}
		v.ReadColumns(f)
		b.ReadColumns(f)
		at.known = f.NextBool()
		if err := errors.Join(f.Err(), v.Complete(o.Account, nil)); err != nil {
			return at, err
		}
		at.key = v.Key()
		e, err := b.Complete(at.key)
		if err == nil {
			at.state = o.CardState(&v.InstallmentVersion, e, o.NetOfSplits)
		}
		return at, err
	}, `
		SELECT `+facts.InstallmentColumns+`,`+results.ExpectationColumns+`,
			CAST(`+known+` AS BIGINT) AS known
		FROM expectation AS e
		CROSS JOIN installment AS i
		WHERE e.account = $1 AND e.sale_day BETWEEN $4 AND $5 AND `+changed+`
			AND i.account = $1 AND i.sale_day BETWEEN $4 AND $5 AND i.sale_day = e.sale_day AND i.nsu = e.nsu AND i.auth = e.auth
			AND i.number = e.number AND i.occurrence = e.occurrence AND i.version = e.version
		ORDER BY e.sale_day, e.nsu, e.auth, e.number, e.occurrence`, int64(o.Account), from, o.Run, int64(sold.From), int64(sold.To))}
}

// cardState is an installment as of the order's run; nil: it is gone.
func (s *changeReader) cardState(ctx context.Context, o *Order, k ledger.InstallmentKey) (state *bookkeeping.TitleState, err error) {
	err = s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		v, b := &facts.InstallmentRow{}, &results.ExpectationRow{}
		v.ReadColumns(f)
		b.ReadColumns(f)
		if err := f.Err(); err != nil {
			return err
		}
		if err := v.Complete(o.Account, nil); err != nil {
			return err
		}
		e, err := b.Complete(v.Key())
		state = o.CardState(&v.InstallmentVersion, e, o.NetOfSplits)
		return err
	}, `
		SELECT `+facts.InstallmentColumns+`,`+results.ExpectationColumns+`
		FROM installment AS i
		LEFT JOIN expectation AS e ON `+facts.ExpectationJoin+` AND `+results.ExpectationCurrentAsOf("$2")+`
		WHERE i.account = $1 AND i.sale_day = $3 AND i.nsu = $4 AND i.auth = $5 AND i.number = $6 AND i.occurrence = $7
			AND `+facts.VersionCurrentAsOf("i", "$1", "$2"), int64(o.Account), o.Run, int64(k.Day), k.NSU, k.Auth, int64(k.Number), int64(k.Occurrence))
	return state, s.db.WrapError("read "+k.Subject(), err)
}

// slipsPerRead is how many slips are read at a time.
const slipsPerRead = 2_000

// changedSlips is changedCards for slips, in order of id.
func (s *changeReader) changedSlips(ctx context.Context, o *Order, from string, fn func(*bookkeeping.TitleChange) error) error {
	ids, known, err := s.changedSlipIDs(ctx, o, from)
	if err != nil {
		return s.db.WrapError("read what changed of slips of account "+o.Account.String(), err)
	}
	for some := range slices.Chunk(ids, slipsPerRead) {
		now, err := s.slipStates(ctx, o, o.Run, some)
		if err != nil {
			return err
		}
		was, err := s.slipStates(ctx, o, from, some)
		if err != nil {
			return err
		}
		for _, id := range some {
			change := &bookkeeping.TitleChange{Subject: ledger.SlipSubject(o.Account, id), Before: was[id], After: now[id], Known: known[id]}
			if change.Before == nil && change.After == nil {
				continue
			}
			if err := fn(change); err != nil {
				return err
			}
		}
	}
	return nil
}

// slipStates are slips as of a run; as of no run there are none.
func (s *changeReader) slipStates(ctx context.Context, o *Order, run string, ids []string) (map[string]*bookkeeping.TitleState, error) {
	if run == "" {
		return nil, nil
	}
	rows, err := s.reports.SlipsAsOf(ctx, o.Account, run, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*bookkeeping.TitleState, len(rows))
	for id, r := range rows {
		out[id] = o.SlipState(r.Slip, r.Expectation)
	}
	return out, nil
}

// changedSlipIDs are the slips that changed, and those of them that the reconciles up to run from knew. Past no run are all of them.
func (s *changeReader) changedSlipIDs(ctx context.Context, o *Order, from string) (ids []string, known map[string]bool, err error) {
	known = map[string]bool{}
	d := s.db.Dialect
	args := []any{int64(o.Account), from, o.Run}
	moved := `
		WITH later AS (
			SELECT id
			FROM pull
			WHERE account = $1 AND judged > $2 AND judged <= $3),
		moved AS (
			SELECT v.id
			FROM later AS p
			` + d.JoinOneByOne("slip", "v", "slip_begun", "v.account = $1 AND v.first_pull = p.id") + `
			UNION
			SELECT v.id
			FROM later AS p
			` + d.JoinOneByOne("slip", "v", "slip_ended", "v.account = $1 AND v.ended_pull = p.id") + `
			UNION
			SELECT e.id
			FROM slip_expectation AS e
			WHERE e.account = $1 AND e.run > $2 AND e.run <= $3)`
	if from == "" {
		args = args[:2]
		moved = `
		WITH moved AS (
			SELECT DISTINCT v.id
			FROM slip AS v
			WHERE v.account = $1)`
	}
	err = s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		id := f.NextText()
		ids = append(ids, id)
		if f.NextBool() {
			known[id] = true
		}
		return f.Err()
	}, moved+`
		SELECT
			m.id,
			CAST(CASE WHEN $2 <> '' AND EXISTS (
				SELECT 1
				FROM slip AS h
				WHERE h.account = $1 AND h.id = m.id AND `+facts.PullIDIncludedBy("h.first_pull", "$1", "$2")+`
			) THEN 1 ELSE 0 END AS BIGINT) AS known
		FROM moved AS m
		ORDER BY m.id`, args...)
	return ids, known, err
}
