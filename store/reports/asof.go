package reports

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// AddCurrent adds the conditions that an installment i is of the account and current.
func (q *Query) AddCurrent(w *sqldb.Conditions) {
	account := w.AddArg(int64(q.Account))
	w.Add("i.account = " + account)
	if q.AsOfRun == "" {
		w.Add("i.ended_pull IS NULL")
		return
	}
	w.Add(facts.VersionCurrentAsOf("i", account, w.AddArg(q.AsOfRun)))
}

// ExpectationJoin is the condition that joins an installment i with its expectation.
func (q *Query) ExpectationJoin(w *sqldb.Conditions) string {
	if q.AsOfRun == "" {
		return facts.CurrentExpectationJoin
	}
	return facts.ExpectationJoin + " AND " + results.ExpectationCurrentAsOf(w.AddArg(q.AsOfRun))
}

// SlipConditions are the conditions for facts.MergedSlipsSQL, whose $1 is the account, and the condition that joins a slip's
// expectation e.
func (q *Query) SlipConditions(w *sqldb.Conditions) (conditions facts.SlipConditions, join string) {
	if q.AsOfRun == "" {
		return facts.CurrentSlips(), "e.ended_run IS NULL"
	}
	run := w.AddArg(q.AsOfRun)
	known := func(column string) string { return facts.PullIDIncludedBy(column, "$1", run) }
	const ofView = "s.account = v.account AND s.id = v.id AND s.list = v.list AND s.version = v.version"
	return facts.SlipConditions{
		Current: facts.VersionCurrentAsOf("v", "$1", run),
		Proven: "v.proven = 1 AND NOT EXISTS (SELECT 1 FROM slip_sighting AS s WHERE " + ofView +
			" AND s.proved = 1 AND NOT " + known("s.pull") + ")",
		Included:   facts.PullIncludedBy("p", run),
		Reconciled: "c.run <= " + run,
		LastPull: "COALESCE((SELECT s.pull FROM slip_sighting AS s WHERE " + ofView + " AND " + known("s.pull") +
			" ORDER BY s.sequence DESC LIMIT 1), v.first_pull)",
	}, results.ExpectationCurrentAsOf(run)
}

// slipsAsOf reads the slips of an account as of a run, or as they are.
type slipsAsOf struct {
	l        *RowReader
	run      string // empty: now
	lastSeen *facts.SlipsLastSeen
	later    map[viewKey]laterObservations // as of a run alone
}

type viewKey struct {
	id      string
	list    ledger.Source
	version int
}

// laterObservations is what slip_sighting says of a view.
type laterObservations struct {
	last     string // the last known pull that showed it again
	unproven bool   // what proved it came later
}

func (l *RowReader) slipsAsOf(ctx context.Context, a ledger.Account, run string) (*slipsAsOf, error) {
	p := &slipsAsOf{l: l, run: run, later: make(map[viewKey]laterObservations)}
	var err error
	if run == "" {
		p.lastSeen, err = l.facts.LoadSlipsLastSeen(ctx, l.db.Read, a)
		return p, err
	}
	p.lastSeen = &facts.SlipsLastSeen{Account: a, Days: make(map[ledger.Source]facts.LastSeen)}
	if p.lastSeen.Pulls, err = facts.SlipPullsAsOf(ctx, l.db.Read, a, run); err != nil {
		return nil, err
	}
	for _, list := range ledger.SlipLists() {
		if p.lastSeen.Days[list], err = facts.LastSeenAsOf(ctx, l.db.Read, a, list, run); err != nil {
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
		was := p.later[k]
		if p.includedBy(pull) {
			was.last = pull
		} else if proved {
			was.unproven = true
		}
		p.later[k] = was
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

func (p *slipsAsOf) includedBy(pull string) bool {
	_, known := p.lastSeen.Pulls[pull]
	return known
}

// rewindSlip takes from a view what later runs made of it, and reports whether it was there at all.
func (p *slipsAsOf) rewindSlip(v *facts.SlipRow) bool {
	if p.run == "" {
		return true
	}
	if !p.includedBy(v.FirstPull) {
		return false
	}
	if v.Ended != "" && p.includedBy(v.Ended) {
		return true
	}
	again := p.later[viewKey{v.ID, v.List, v.Version}]
	v.Ended, v.Proven, v.LastPull = "", v.Proven && !again.unproven, again.last
	return true
}

// mergeSlip merges the views of one slip that were there, in order of list and version; nil when every list had let it go.
func (p *slipsAsOf) mergeSlip(views []*facts.SlipRow) *ledger.Slip {
	if p.run != "" {
		for i, v := range views {
			last := i+1 == len(views) || views[i+1].List != v.List
			v.Vanished = last && v.Ended != ""
		}
	}
	return facts.SlipOf(views)
}

// eachSlip calls fn for every slip in order of id.
func (p *slipsAsOf) eachSlip(ctx context.Context, fn func(*ledger.Slip) error) error {
	if p.run == "" {
		return p.l.results.Slips(ctx, p.lastSeen.Account, fn)
	}
	var views []*facts.SlipRow
	flush := func() error {
		s := p.mergeSlip(views)
		views = nil
		if s == nil {
			return nil
		}
		return fn(s)
	}
	err := sqldb.ReadRows(ctx, p.l.db.Read, func(f *sqldb.RowReader) error {
		v := &facts.SlipRow{}
		v.ReadColumns(f)
		if !p.rewindSlip(v) {
			return nil
		}
		p.lastSeen.Complete(v)
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
		ORDER BY v.id, v.list, v.version`, int64(p.lastSeen.Account))
	if err == nil {
		err = flush()
	}
	return err
}

// slipsPerQuery is how many slips one query reads.
const slipsPerQuery = 500

// readSlips calls fn for the slips of those ids, in their order. A slip that no list showed any more is left out.
func (p *slipsAsOf) readSlips(ctx context.Context, ids []string, fn func(ReportedSlip) error) error {
	for some := range slices.Chunk(ids, slipsPerQuery) {
		found, err := p.loadSlips(ctx, some)
		if err != nil {
			return err
		}
		for _, id := range some {
			s, ok := found[id]
			if !ok {
				continue
			}
			if err := fn(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadSlips reads the slips of those ids by id.
func (p *slipsAsOf) loadSlips(ctx context.Context, ids []string) (map[string]ReportedSlip, error) {
	w := &sqldb.Conditions{Args: []any{int64(p.lastSeen.Account)}}
	w.Add("v.account = $1")
	sqldb.AddIn(w, "v.id", ids, func(id string) any { return id })
	current := "e.ended_run IS NULL"
	if p.run != "" {
		current = results.ExpectationCurrentAsOf(w.AddArg(p.run))
	}
	views := make(map[string][]*facts.SlipRow, len(ids))
	stored := make(map[string]*results.SlipExpectationRow, len(ids))
	err := sqldb.ReadRows(ctx, p.l.db.Read, func(f *sqldb.RowReader) error {
		v, e := &facts.SlipRow{}, &results.SlipExpectationRow{}
		v.ReadColumns(f)
		e.ReadColumns(f)
		if !p.rewindSlip(v) {
			return nil
		}
		p.lastSeen.Complete(v)
		views[v.ID], stored[v.ID] = append(views[v.ID], v), e
		return nil
	}, `
		SELECT `+facts.SlipColumns+`,`+results.SlipExpectationColumns+`
		FROM slip AS v
		LEFT JOIN slip_expectation AS e ON e.account = v.account AND e.id = v.id AND `+current+w.Where()+`
		ORDER BY v.id, v.list, v.version`, w.Args...)
	if err != nil {
		return nil, err
	}
	found := make(map[string]ReportedSlip, len(views))
	for id, all := range views {
		s := ReportedSlip{Slip: p.mergeSlip(all)}
		if s.Slip == nil {
			continue
		}
		if s.Expectation, err = stored[id].Complete(p.lastSeen.Account, id); err != nil {
			return nil, err
		}
		found[id] = s
	}
	return found, nil
}
