package reports

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// slipsAsOf reads the slips of an account as the reconciles up to a run knew them, or as they are.
type slipsAsOf struct {
	l     *Store
	run   string // empty: now
	sight *facts.SlipSights
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

func (l *Store) slipsAsOf(ctx context.Context, a ledger.Account, run string) (*slipsAsOf, error) {
	p := &slipsAsOf{l: l, run: run, again: make(map[viewKey]seenAgain)}
	var err error
	if run == "" {
		p.sight, err = l.facts.LoadSlipSights(ctx, l.db.Read, a)
		return p, err
	}
	p.sight = &facts.SlipSights{Account: a, Days: make(map[ledger.Source]facts.Sightings)}
	if p.sight.Pulls, err = facts.PullsAsOf(ctx, l.db.Read, a, run); err != nil {
		return nil, err
	}
	for _, list := range ledger.SlipLists() {
		if p.sight.Days[list], err = facts.SightingsAsOf(ctx, l.db.Read, a, list, run); err != nil {
			return nil, err
		}
	}
	return p, sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var k viewKey
		var pull string
		var proved bool
		if err := rows.Scan(&k.id, &k.list, &k.version, &pull, sqldb.IntoBool(&proved)); err != nil {
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
	_, known := p.sight.Pulls[pull]
	return known
}

// rewind takes from a view what later runs made of it, and says whether it was there at all.
func (p *slipsAsOf) rewind(v *facts.View) bool {
	if p.run == "" {
		return true
	}
	if !p.known(v.FirstPull) {
		return false
	}
	if v.Ended != "" && p.known(v.Ended) {
		return true
	}
	again := p.again[viewKey{v.ID, v.List, v.Version}]
	v.Ended, v.Proven, v.LastPull = "", v.Proven && !again.unproven, again.last
	return true
}

// merged merges the views of one slip that were there, in order of list and version; nil when every list had let it go.
func (p *slipsAsOf) merged(views []*facts.View) *ledger.Slip {
	if p.run != "" {
		for i, v := range views {
			last := i+1 == len(views) || views[i+1].List != v.List
			v.Vanished = last && v.Ended != ""
		}
	}
	return facts.SlipOf(views)
}

// each hands fn every slip in order of id.
func (p *slipsAsOf) each(ctx context.Context, fn func(*ledger.Slip) error) error {
	if p.run == "" {
		return p.l.results.Slips(ctx, p.sight.Account, fn)
	}
	var views []*facts.View
	flush := func() error {
		s := p.merged(views)
		views = nil
		if s == nil {
			return nil
		}
		return fn(s)
	}
	err := sqldb.EachRow(ctx, p.l.db.Read, func(rows *sql.Rows) error {
		v := &facts.View{}
		if err := rows.Scan(v.Targets()...); err != nil || !p.rewind(v) {
			return err
		}
		p.sight.Finish(v)
		if len(views) > 0 && views[0].ID != v.ID {
			if err := flush(); err != nil {
				return err
			}
		}
		views = append(views, v)
		return nil
	}, `
		SELECT `+facts.SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1
		ORDER BY v.id, v.list, v.version`, int64(p.sight.Account))
	if err == nil {
		err = flush()
	}
	return err
}

// with reads one slip and what is believed of it.
func (p *slipsAsOf) with(ctx context.Context, id string) (*ledger.Slip, *ledger.SlipExpectation, error) {
	w := &sqldb.Conditions{Args: []any{int64(p.sight.Account), id}}
	believed := "e.ended_run IS NULL"
	if p.run != "" {
		believed = results.BelievedAsOf(w.AddArg(p.run))
	}
	var views []*facts.View
	b := &results.SlipBelief{}
	err := sqldb.EachRow(ctx, p.l.db.Read, func(rows *sql.Rows) error {
		v := &facts.View{}
		b = &results.SlipBelief{}
		if err := rows.Scan(append(v.Targets(), b.Targets()...)...); err != nil || !p.rewind(v) {
			return err
		}
		p.sight.Finish(v)
		views = append(views, v)
		return nil
	}, `
		SELECT `+facts.SlipColumns+`,`+results.SlipExpectationColumns+`
		FROM slip AS v
		LEFT JOIN slip_expectation AS e ON e.account = v.account AND e.id = v.id AND `+believed+`
		WHERE v.account = $1 AND v.id = $2
		ORDER BY v.list, v.version`, w.Args...)
	if err != nil || len(views) == 0 {
		return nil, nil, err
	}
	e, err := b.Finish(p.sight.Account, id)
	return p.merged(views), e, err
}
