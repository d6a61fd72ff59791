package store

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
)

// remember notes that the pull showed a view again, for those who ask later when it was seen last as of this run.
func (s *slips) remember(ctx context.Context, k *knownSlip) error {
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
		sqlBool(!k.proven && s.covers(k.day)))
	return err
}

// slipsAsOf reads the slips of an account as the reconciles up to a run knew them, or as they are.
type slipsAsOf struct {
	l     *Ledger
	run   string // empty: now
	sight *slipSights
	again map[viewKey]seenAgain // as of a run alone
}

type viewKey struct {
	id      string
	list    ledger.Source
	version int
}

// seenAgain is what slip_sighting says of a view.
type seenAgain struct {
	last     string // the last known pull that showed it again
	unproven bool   // what proved it came later
}

func (l *Ledger) slipsAsOf(ctx context.Context, a ledger.Account, run string) (*slipsAsOf, error) {
	p := &slipsAsOf{l: l, run: run, again: make(map[viewKey]seenAgain)}
	var err error
	if run == "" {
		p.sight, err = l.loadSlipSights(ctx, l.db.Read, a)
		return p, err
	}
	p.sight = &slipSights{account: a, days: make(map[ledger.Source]sightings)}
	if p.sight.pulls, err = pullsAsOf(ctx, l.db.Read, a, run); err != nil {
		return nil, err
	}
	for _, list := range ledger.SlipLists() {
		if p.sight.days[list], err = sightingsAsOf(ctx, l.db.Read, a, list, run); err != nil {
			return nil, err
		}
	}
	return p, each(ctx, l.db.Read, func(rows *sql.Rows) error {
		var k viewKey
		var pull string
		var proved bool
		if err := rows.Scan(&k.id, &k.list, &k.version, &pull, scanBool{&proved}); err != nil {
			return err
		}
		was := p.again[k]
		if p.known(pull) {
			was.last = pull
		} else if proved {
			was.unproven = true
		}
		p.again[k] = was
		return nil
	}, `
		SELECT
			id,
			list,
			version,
			pull,
			proved
		FROM slip_sighting
		WHERE account = $1
		ORDER BY id, list, version, sequence`, int64(a))
}

func (p *slipsAsOf) known(pull string) bool {
	_, known := p.sight.pulls[pull]
	return known
}

// rewind takes from a view what later runs made of it, and says whether it was there at all.
func (p *slipsAsOf) rewind(v *view) bool {
	if p.run == "" {
		return true
	}
	if !p.known(v.FirstPull) {
		return false
	}
	if v.ended != "" && p.known(v.ended) {
		return true
	}
	again := p.again[viewKey{v.ID, v.List, v.Version}]
	v.ended, v.proven, v.LastPull = "", v.proven && !again.unproven, again.last
	return true
}

// merged merges the views of one slip that were there, in order of list and version; nil when every list had let it go.
func (p *slipsAsOf) merged(views []*view) *ledger.Slip {
	if p.run != "" {
		for i, v := range views {
			last := i+1 == len(views) || views[i+1].List != v.List
			v.Vanished = last && v.ended != ""
		}
	}
	return slipOf(views)
}

// each hands fn every slip in order of id.
func (p *slipsAsOf) each(ctx context.Context, fn func(*ledger.Slip) error) error {
	if p.run == "" {
		return p.l.Slips(ctx, p.sight.account, fn)
	}
	var views []*view
	flush := func() error {
		s := p.merged(views)
		views = nil
		if s == nil {
			return nil
		}
		return fn(s)
	}
	err := each(ctx, p.l.db.Read, func(rows *sql.Rows) error {
		v := &view{}
		if err := rows.Scan(v.targets()...); err != nil || !p.rewind(v) {
			return err
		}
		p.sight.finish(v)
		if len(views) > 0 && views[0].ID != v.ID {
			if err := flush(); err != nil {
				return err
			}
		}
		views = append(views, v)
		return nil
	}, `
		SELECT `+slipColumns+`
		FROM slip AS v
		WHERE v.account = $1
		ORDER BY v.id, v.list, v.version`, int64(p.sight.account))
	if err == nil {
		err = flush()
	}
	return err
}

// with reads one slip and what is believed of it.
func (p *slipsAsOf) with(ctx context.Context, id string) (*ledger.Slip, *ledger.SlipExpectation, error) {
	w := &where{args: []any{int64(p.sight.account), id}}
	believed := "e.ended_run IS NULL"
	if p.run != "" {
		believed = believedAsOf(w.arg(p.run))
	}
	var views []*view
	b := &slipBelief{}
	err := each(ctx, p.l.db.Read, func(rows *sql.Rows) error {
		v := &view{}
		b = &slipBelief{}
		if err := rows.Scan(append(v.targets(), b.targets()...)...); err != nil || !p.rewind(v) {
			return err
		}
		p.sight.finish(v)
		views = append(views, v)
		return nil
	}, `
		SELECT `+slipColumns+`,`+slipExpectationColumns+`
		FROM slip AS v
		LEFT JOIN slip_expectation AS e ON e.account = v.account AND e.id = v.id AND `+believed+`
		WHERE v.account = $1 AND v.id = $2
		ORDER BY v.list, v.version`, w.args...)
	if err != nil || len(views) == 0 {
		return nil, nil, err
	}
	e, err := b.finish(p.sight.account, id)
	return p.merged(views), e, err
}
