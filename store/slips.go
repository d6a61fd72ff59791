package store

import (
	"context"
	"database/sql"
	"fmt"

	"concilia/store/ledger"
)

// MergeSlips merges the answer to one window of a list of slips, or to one question for a slip's detail, as
// MergeInstallments does with cards: each list's view of a slip has versions of its own. What the list showed on the
// window's days and does not show now is vanished from that list, unless the slip came back with another date. A
// detail proves nothing about other slips, so nothing vanishes by it.
func (l *Ledger) MergeSlips(ctx context.Context, p *ledger.Pull, views []ledger.SlipView, bad []ledger.Quarantined,
) error {
	for i := range views {
		v := &views[i]
		if v.Account != p.Window.Account || v.List != p.Window.Source || v.ID == "" {
			return fmt.Errorf("merge pull %q: view %d is of %s of account %s: the window asks for %s of account %s",
				p.ID, i, v.List, v.Account, p.Window.Source, p.Window.Account)
		}
	}
	return l.merge(ctx, p, bad, func(m *merging) error {
		s := slips{merging: m, known: make(map[string]*knownSlip)}
		return s.merge(ctx, views, bad)
	})
}

// listDay is the day under which the list shows the view; none in a detail.
func listDay(v *ledger.SlipView) ledger.Date {
	switch v.List {
	case ledger.SlipsDue:
		return v.Due
	case ledger.SlipsPayment:
		return v.PaidOn
	case ledger.SlipsCredit:
		return v.CreditedOn
	}
	return 0
}

type knownSlip struct {
	id        string
	version   int
	day       ledger.Date
	content   ledger.Hash
	firstPull string
	firstSeen ledger.Date
	vanished  bool
	proven    bool
	shown     bool
}

// slips is the merge of one list's views.
type slips struct {
	*merging
	known  map[string]*knownSlip
	insert *sql.Stmt
	lookup *sql.Stmt
}

func (s *slips) merge(ctx context.Context, views []ledger.SlipView, bad []ledger.Quarantined) (err error) {
	s.counts.Rows += int64(len(views))
	if err := s.load(ctx); err != nil {
		return err
	}
	if s.insert, err = s.PrepareContext(ctx, insertSlip); err != nil {
		return err
	}
	defer func() { _ = s.insert.Close() }()
	if s.lookup, err = s.PrepareContext(ctx, selectKnownSlip+`
		WHERE account = $1 AND list = $2 AND id = $3 AND (ended_pull IS NULL OR vanished = 1)`); err != nil {
		return err
	}
	defer func() { _ = s.lookup.Close() }()
	// A slip that stands twice in one answer is taken as it stands last, or merging the answer again would change it.
	last := make(map[string]int, len(views))
	for i := range views {
		last[views[i].ID] = i
	}
	for i := range views {
		if last[views[i].ID] != i {
			s.counts.Same++
			continue
		}
		if err := s.keep(ctx, &views[i]); err != nil {
			return err
		}
	}
	return s.vanish(ctx, unreadableKeys(bad))
}

const selectKnownSlip = `
		SELECT
			id,
			version,
			list_day,
			content,
			first_pull,
			first_seen,
			vanished,
			proven
		FROM slip`

func scanKnownSlip(scan func(...any) error) (*knownSlip, error) {
	k := &knownSlip{}
	err := scan(&k.id, &k.version, scanDate{&k.day}, scanHash{&k.content}, &k.firstPull, scanDate{&k.firstSeen},
		scanBool{&k.vanished}, scanBool{&k.proven})
	return k, err
}

// load reads what the list showed on the window's days. Slips that come with another date are looked up one by one.
func (s *slips) load(ctx context.Context) error {
	w := s.pull.Window
	return each(ctx, s, func(rows *sql.Rows) error {
		k, err := scanKnownSlip(rows.Scan)
		s.known[k.id] = k
		return err
	}, selectKnownSlip+`
		WHERE account = $1 AND list = $2 AND list_day BETWEEN $3 AND $4 AND ended_pull IS NULL`,
		int64(w.Account), string(w.Source), int64(w.Period.From), int64(w.Period.To))
}

func (s *slips) find(ctx context.Context, id string) (*knownSlip, error) {
	if k, ok := s.known[id]; ok {
		return k, nil
	}
	w := s.pull.Window
	rows, err := s.lookup.QueryContext(ctx, int64(w.Account), string(w.Source), id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return nil, rows.Err()
	}
	k, err := scanKnownSlip(rows.Scan)
	s.known[id] = k
	return k, err
}

func (s *slips) keep(ctx context.Context, v *ledger.SlipView) error {
	k, err := s.find(ctx, v.ID)
	if err != nil {
		return err
	}
	content, day := v.ContentHash(), listDay(v)
	next := knownSlip{
		id: v.ID, version: 1, day: day, content: content, firstPull: s.pull.ID, firstSeen: s.pull.AsOf,
		proven: s.covers(day), shown: true,
	}
	switch {
	case k == nil:
		s.counts.New++
	case k.content == content && !k.vanished:
		k.shown = true
		s.counts.Same++
		return s.sighted(ctx, k)
	default:
		s.counts.Changed++
		if err := s.ended(ctx, k, false); err != nil {
			return err
		}
		next.version, next.firstSeen, next.proven = k.version+1, k.firstSeen, next.proven || k.proven
	}
	s.known[v.ID] = &next
	_, err = s.insert.ExecContext(ctx, s.args(v, &next)...)
	return err
}

// sighted notes a view that stayed as it is where no window of its day will say so: seen from another day's window,
// or in a detail.
func (s *slips) sighted(ctx context.Context, k *knownSlip) error {
	if s.covers(k.day) && k.proven {
		return nil
	}
	_, err := s.ExecContext(ctx, `
		UPDATE slip
		SET
			last_pull = $5,
			proven = $6
		WHERE account = $1 AND id = $2 AND list = $3 AND version = $4`,
		int64(s.pull.Window.Account), k.id, string(s.pull.Window.Source), int64(k.version), s.pull.ID,
		sqlBool(k.proven || s.covers(k.day)))
	return err
}

// vanish ends the views that the list showed on the window's days before and shows no more.
func (s *slips) vanish(ctx context.Context, bad unreadable) error {
	for _, k := range s.known {
		if k.shown || k.vanished || !k.proven || !s.covers(k.day) || bad.slip(k.id) {
			continue
		}
		s.counts.Vanished++
		if err := s.ended(ctx, k, true); err != nil {
			return err
		}
	}
	return nil
}

func (s *slips) ended(ctx context.Context, k *knownSlip, vanished bool) error {
	last := k.firstPull
	if k.proven {
		last = s.lastPull(k.day, k.firstPull)
	}
	_, err := s.ExecContext(ctx, `
		UPDATE slip
		SET
			last_pull = COALESCE(last_pull, $5),
			ended_pull = COALESCE(ended_pull, $6),
			vanished = $7
		WHERE account = $1 AND id = $2 AND list = $3 AND version = $4`,
		int64(s.pull.Window.Account), k.id, string(s.pull.Window.Source), int64(k.version), last, s.pull.ID,
		sqlBool(vanished))
	return err
}

const insertSlip = `
		INSERT INTO slip (
			account,
			id,
			list,
			version,
			list_day,
			content,
			first_pull,
			vanished,
			proven,
			first_seen,
			last_changed,
			value,
			issued,
			due,
			payer_document,
			payer_name,
			payer_street,
			payer_zip,
			payer_city,
			payer_state,
			payer_district,
			payer_phone,
			paid_on,
			credited_on,
			paid_value,
			bar_code,
			digitable_line,
			pix_code,
			status,
			integration,
			our_number,
			reference_code,
			late_allowed,
			late_limit,
			penalty,
			penalty_received,
			interest,
			interest_received,
			cancelled_on,
			cancel_reason)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39)`

func (s *slips) args(v *ledger.SlipView, k *knownSlip) []any {
	var late any
	if v.LateAllowed.OK {
		late = sqlBool(v.LateAllowed.V)
	}
	return []any{
		int64(v.Account), v.ID, string(v.List), int64(k.version), sqlDate(k.day), k.content[:], s.pull.ID,
		sqlBool(k.proven), sqlDate(k.firstSeen), sqlDate(s.pull.AsOf), int64(v.Value), sqlDate(v.Issued),
		sqlDate(v.Due), v.PayerDocument, v.PayerName, v.PayerStreet, v.PayerZip, v.PayerCity, v.PayerState,
		v.PayerDistrict, v.PayerPhone, sqlDate(v.PaidOn), sqlDate(v.CreditedOn), sqlOpt(v.PaidValue), v.BarCode,
		v.DigitableLine, v.PixCode, sqlOpt(v.Status), sqlOpt(v.Integration), v.OurNumber, v.ReferenceCode, late,
		sqlDate(v.LateLimit), sqlOpt(v.Penalty), sqlOpt(v.PenaltyReceived), sqlOpt(v.Interest),
		sqlOpt(v.InterestReceived), sqlDate(v.CancelledOn), v.CancelReason,
	}
}
