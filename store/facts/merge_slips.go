package facts

import (
	"context"
	"database/sql"
	"fmt"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// insertSighting notes that the pull showed a view again, for those who ask later when it was seen last as of this run.
func (s *slipMerge) insertSighting(ctx context.Context, k *storedSlip) error {
	_, err := s.ExecContext(ctx, `
		INSERT INTO slip_sighting (
			account,
			id,
			list,
			version,
			sequence,
			pull,
			proved)
		SELECT
			CAST($1 AS BIGINT),
			$2,
			$3,
			CAST($4 AS BIGINT),
			COALESCE(MAX(s.sequence), 0) + 1,
			$5,
			CAST($6 AS BIGINT)
		FROM slip_sighting AS s
		WHERE s.account = $1 AND s.id = $2 AND s.list = $3 AND s.version = $4`,
		int64(s.pull.Window.Account), k.id, string(s.pull.Window.Source), int64(k.version), s.pull.ID,
		sqldb.BoolArg(!k.proven && s.provesDay(k.day)))
	return err
}

// MergeSlips merges the answer to one window of a list of slips, or to one question for a slip's detail, as
// MergeInstallments does with cards: each list's view of a slip has versions of its own. What the list showed on the
// window's days and does not show now is vanished from that list, unless the slip came back with another date. A
// detail proves nothing about other slips, so nothing vanishes by it. A view of the list by credit date keeps the
// statusIntegration that a filtered answer showed; it is filled in place where an answer without the filter lacks it.
func (l *PullStore) MergeSlips(ctx context.Context, p *ledger.Pull, views []ledger.SlipView, bad []ledger.Quarantined,
) error {
	for i := range views {
		v := &views[i]
		if v.Account != p.Window.Account || v.List != p.Window.Source || v.ID == "" {
			return fmt.Errorf("merge pull %q: view %d is of %s of account %s: the window asks for %s of account %s",
				p.ID, i, v.List, v.Account, p.Window.Source, p.Window.Account)
		}
	}
	// A slip may have one day in this answer and another in the ledger.
	return l.mergePull(ctx, p, nil, bad, func(m *pullMerge) error {
		s := slipMerge{pullMerge: m, stored: make(map[string]*storedSlip)}
		return s.mergeViews(ctx, views, bad)
	})
}

type storedSlip struct {
	id        string
	version   int
	day       ledger.Date
	content   ledger.Hash
	seal      ledger.PayerSeal
	firstPull string
	firstSeen ledger.Date
	vanished  bool
	proven    bool
	shown     bool
	// registered is the statusIntegration of a view whose list does not show it, from an answer that was filtered by it.
	registered ledger.Opt[int64]
}

// slipMerge is the merge of one list's views.
type slipMerge struct {
	*pullMerge
	stored   map[string]*storedSlip
	lookup   *sql.Stmt
	inserted []newSlipVersion
	row      SlipRow // of the version being written
}

// newSlipVersion is a version to be inserted.
type newSlipVersion struct {
	*ledger.SlipView
	*storedSlip
}

func (s *slipMerge) mergeViews(ctx context.Context, views []ledger.SlipView, bad []ledger.Quarantined) (err error) {
	s.counts.Rows += int64(len(views))
	if err := s.loadStored(ctx); err != nil {
		return err
	}
	if s.lookup, err = s.PrepareContext(ctx, selectStoredSlip+`
		WHERE account = $1 AND list = $2 AND id = $3 AND (ended_pull IS NULL OR vanished = 1)`); err != nil {
		return err
	}
	defer func() { _ = s.lookup.Close() }()
	// The last of several views of a slip in one answer counts, so that merging the answer again changes nothing.
	last := make(map[string]int, len(views))
	for i := range views {
		last[views[i].ID] = i
	}
	for i := range views {
		if last[views[i].ID] != i {
			s.counts.Same++
			continue
		}
		if err := s.addView(ctx, &views[i]); err != nil {
			return err
		}
	}
	if err := s.endVanished(ctx, indexUnreadable(bad)); err != nil {
		return err
	}
	if err := s.recheckError(); err != nil {
		return err
	}
	return s.LoadRows(ctx, "slip", writtenSlipColumns.Names(), len(s.inserted), func(i int, r sqldb.Row) error {
		s.fillRow(&s.inserted[i], r)
		return nil
	})
}

const selectStoredSlip = `
		SELECT
			id,
			version,
			list_day,
			content,
			forgotten,
			first_pull,
			first_seen,
			vanished,
			proven,
			integration
		FROM slip`

func scanStoredSlip(scan func(...any) error) (*storedSlip, error) {
	k := &storedSlip{}
	err := scan(&k.id, &k.version, sqldb.IntoDate(&k.day), sqldb.IntoHash(&k.content), (*string)(&k.seal), &k.firstPull, sqldb.IntoDate(&k.firstSeen),
		sqldb.IntoBool(&k.vanished), sqldb.IntoBool(&k.proven), sqldb.IntoOpt(&k.registered))
	return k, err
}

// loadStored reads what the list showed on the window's days. Slips that come with another date are looked up one by one.
func (s *slipMerge) loadStored(ctx context.Context) error {
	w := s.pull.Window
	return sqldb.EachRow(ctx, s, func(rows *sql.Rows) error {
		k, err := scanStoredSlip(rows.Scan)
		s.stored[k.id] = k
		return err
	}, selectStoredSlip+`
		WHERE account = $1 AND list = $2 AND list_day BETWEEN $3 AND $4 AND ended_pull IS NULL`,
		int64(w.Account), string(w.Source), int64(w.Period.From), int64(w.Period.To))
}

func (s *slipMerge) findStored(ctx context.Context, id string) (*storedSlip, error) {
	if k, ok := s.stored[id]; ok {
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
	k, err := scanStoredSlip(rows.Scan)
	s.stored[id] = k
	return k, err
}

func (s *slipMerge) addView(ctx context.Context, v *ledger.SlipView) error {
	k, err := s.findStored(ctx, v.ID)
	if err != nil {
		return err
	}
	if k != nil && v.List == ledger.SlipsCredit && !v.Integration.OK {
		v.Integration = k.registered // this list never shows it: what was learned of it stays
	}
	content, day := v.ContentHash(), v.ListDay()
	next := storedSlip{
		id: v.ID, version: 1, day: day, content: content, firstPull: s.pull.ID, firstSeen: s.pull.AsOf,
		proven: s.provesDay(day), shown: true, registered: v.Integration,
	}
	switch {
	case k == nil:
		s.counts.New++
	case k.content == k.seal.KeptHash(content) && !k.vanished:
		k.shown = true
		s.counts.Same++
		return s.recordSeen(ctx, k)
	default:
		s.counts.Changed++
		if err := s.endVersion(ctx, k, false); err != nil {
			return err
		}
		next.version, next.firstSeen, next.proven = k.version+1, k.firstSeen, next.proven || k.proven
	}
	s.stored[v.ID] = &next
	s.inserted = append(s.inserted, newSlipVersion{v, &next})
	return nil
}

// recordSeen records that an unchanged view was shown where no window of its day proves it: by another day's window,
// or in a detail.
func (s *slipMerge) recordSeen(ctx context.Context, k *storedSlip) error {
	if s.provesDay(k.day) && k.proven {
		return nil
	}
	if err := s.insertSighting(ctx, k); err != nil {
		return err
	}
	_, err := s.ExecContext(ctx, `
		UPDATE slip
		SET
			last_pull = $5,
			proven = $6
		WHERE account = $1 AND id = $2 AND list = $3 AND version = $4`,
		int64(s.pull.Window.Account), k.id, string(s.pull.Window.Source), int64(k.version), s.pull.ID,
		sqldb.BoolArg(k.proven || s.provesDay(k.day)))
	return err
}

// endVanished ends the views that the list showed on the window's days before and shows no more.
func (s *slipMerge) endVanished(ctx context.Context, bad unreadableRows) error {
	for _, k := range s.stored {
		if k.shown || k.vanished || !k.proven || !s.provesDay(k.day) || bad.hasSlip(k.id) || !s.mayVanish(func() string { return k.id }) {
			continue
		}
		s.counts.Vanished++
		if err := s.endVersion(ctx, k, true); err != nil {
			return err
		}
	}
	return nil
}

func (s *slipMerge) endVersion(ctx context.Context, k *storedSlip, vanished bool) error {
	last := k.firstPull
	if k.proven {
		last = s.lastPullOf(k.day, k.firstPull)
	}
	_, err := s.ExecContext(ctx, `
		UPDATE slip
		SET
			last_pull = COALESCE(last_pull, $5),
			ended_pull = COALESCE(ended_pull, $6),
			vanished = $7
		WHERE account = $1 AND id = $2 AND list = $3 AND version = $4`,
		int64(s.pull.Window.Account), k.id, string(s.pull.Window.Source), int64(k.version), last, s.pull.ID,
		sqldb.BoolArg(vanished))
	return err
}
