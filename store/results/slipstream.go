package results

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Slips calls fn for every slip of the account in order of id, merged from the current views; superseded and vanished
// views are in Earlier. A slip that no list shows any more is left out.
func (l *Store) Slips(ctx context.Context, a ledger.Account, fn func(*ledger.Slip) error) error {
	doing := "read the slips of account " + a.String()
	sights, err := l.facts.LoadSlipSights(ctx, l.db.Read, a)
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	s := slipStream{sights: sights, fn: fn}
	err = sqldb.EachRow(ctx, l.db.Read, s.row, `
		SELECT `+facts.SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1
		ORDER BY v.id, v.list, v.version`, int64(a))
	if err == nil {
		err = s.flush()
	}
	return l.db.WrapError(doing, err)
}

// slipStream gathers the views of one slip.
type slipStream struct {
	sights  *facts.SlipSights
	fn      func(*ledger.Slip) error
	beliefs bool // the rows bear what is believed of the slip
	views   []*facts.View
}

func (s *slipStream) row(rows *sql.Rows) error {
	v := &facts.View{}
	targets := v.Targets()
	var believed slipBefore
	if s.beliefs {
		targets = append(targets, believed.targets()...)
	}
	if err := rows.Scan(targets...); err != nil {
		return err
	}
	s.sights.Finish(v)
	v.Before = believed.belief()
	if len(s.views) > 0 && s.views[0].ID != v.ID {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.views = append(s.views, v)
	return nil
}

// flush hands on the slip gathered so far.
func (s *slipStream) flush() error {
	views := s.views
	s.views = nil
	if len(views) == 0 {
		return nil
	}
	slip, before := facts.SlipOf(views), views[0].Before
	switch {
	case slip != nil:
		slip.Stored = before
	case s.beliefs: // every list has let it go
		slip = &ledger.Slip{Stored: before, Vanished: true, SlipView: views[len(views)-1].SlipView}
		for _, v := range views {
			slip.Earlier = append(slip.Earlier, v.SlipVersion)
		}
	default:
		return nil
	}
	return s.fn(slip)
}
