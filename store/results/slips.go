package results

import (
	"context"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Slips calls fn for every slip of the account in order of id, merged from the current views; superseded and vanished
// views are in Earlier. A slip that no list shows any more is left out.
func (l *RowReader) Slips(ctx context.Context, a ledger.Account, fn func(*ledger.Slip) error) error {
	doing := "read the slips of account " + a.String()
	lastSeen, err := l.facts.LoadSlipsLastSeen(ctx, l.db.Read, a)
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	s := slipStream{lastSeen: lastSeen, fn: fn}
	err = sqldb.ReadRows(ctx, l.db.Read, s.addRow, `
		SELECT `+facts.SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1
		ORDER BY v.id, v.list, v.version`, int64(a))
	if err == nil {
		err = s.flushSlip()
	}
	return l.db.WrapError(doing, err)
}

// slipStream gathers the views of one slip.
type slipStream struct {
	lastSeen   *facts.SlipsLastSeen
	fn         func(*ledger.Slip) error
	withStored bool // the rows have the stored expectation of the slip
	views      []*facts.SlipRow
}

func (s *slipStream) addRow(f *sqldb.RowReader) error {
	v := &facts.SlipRow{}
	v.ReadColumns(f)
	if s.withStored {
		v.Stored = readStoredSlip(f)
	}
	if err := f.Err(); err != nil {
		return err
	}
	s.lastSeen.Complete(v)
	if len(s.views) > 0 && s.views[0].ID != v.ID {
		if err := s.flushSlip(); err != nil {
			return err
		}
	}
	s.views = append(s.views, v)
	return nil
}

// flushSlip hands on the slip gathered so far.
func (s *slipStream) flushSlip() error {
	views := s.views
	s.views = nil
	if len(views) == 0 {
		return nil
	}
	slip, before := facts.SlipOf(views), views[0].Stored
	switch {
	case slip != nil:
		slip.Stored = before
	case s.withStored: // every list has let it go
		slip = &ledger.Slip{Stored: before, Vanished: true, SlipView: views[len(views)-1].SlipView}
		for _, v := range views {
			slip.Earlier = append(slip.Earlier, v.SlipVersion)
		}
	default:
		return nil
	}
	return s.fn(slip)
}
