package store

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
)

// slipColumns are the columns that scanView reads, of a table named v.
const slipColumns = `
			v.id,
			v.list,
			v.version,
			v.list_day,
			v.content,
			v.first_pull,
			v.last_pull,
			v.ended_pull,
			v.vanished,
			v.proven,
			v.first_seen,
			v.last_changed,
			v.value,
			v.issued,
			v.due,
			v.payer_document,
			v.payer_name,
			v.payer_street,
			v.payer_zip,
			v.payer_city,
			v.payer_state,
			v.payer_district,
			v.payer_phone,
			v.paid_on,
			v.credited_on,
			v.paid_value,
			v.bar_code,
			v.digitable_line,
			v.pix_code,
			v.status,
			v.integration,
			v.our_number,
			v.reference_code,
			v.late_allowed,
			v.late_limit,
			v.penalty,
			v.penalty_received,
			v.interest,
			v.interest_received,
			v.cancelled_on,
			v.cancel_reason`

// view is a row of slip, with what only the store needs of it.
type view struct {
	ledger.SlipVersion
	day    ledger.Date
	ended  string
	proven bool
	late   ledger.Opt[int64]
	before *ledger.Belief // where a stream reads it
}

func (v *view) targets() []any {
	s := &v.SlipView
	return []any{
		&s.ID, &s.List, &v.Version,
		scanDate{&v.day},
		scanHash{&v.Content},
		&v.FirstPull,
		scanText{&v.LastPull},
		scanText{&v.ended},
		scanBool{&v.Vanished},
		scanBool{&v.proven},
		scanDate{&v.FirstSeen},
		scanDate{&v.LastChanged},
		&s.Value,
		scanDate{&s.Issued},
		scanDate{&s.Due},
		&s.PayerDocument, &s.PayerName,
		&s.PayerStreet, &s.PayerZip, &s.PayerCity, &s.PayerState, &s.PayerDistrict, &s.PayerPhone,
		scanDate{&s.PaidOn},
		scanDate{&s.CreditedOn},
		opt(&s.PaidValue), &s.BarCode, &s.DigitableLine, &s.PixCode,
		opt(&s.Status), opt(&s.Integration), &s.OurNumber, &s.ReferenceCode, opt(&v.late),
		scanDate{&s.LateLimit},
		opt(&s.Penalty), opt(&s.PenaltyReceived), opt(&s.Interest), opt(&s.InterestReceived),
		scanDate{&s.CancelledOn},
		&s.CancelReason,
	}
}

// slipSights says when the views of an account were seen last.
type slipSights struct {
	account ledger.Account
	days    map[ledger.Source]sightings
	pulls   map[string]sighting
}

func (l *Ledger) loadSlipSights(ctx context.Context, q querier, a ledger.Account) (*slipSights, error) {
	s := &slipSights{account: a, days: make(map[ledger.Source]sightings)}
	var err error
	if s.pulls, err = loadPulls(ctx, q, a); err != nil {
		return nil, err
	}
	for _, list := range ledger.SlipLists() {
		if s.days[list], err = loadSightings(ctx, q, a, list, always); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// finish completes a view after its scan.
func (s *slipSights) finish(v *view) {
	v.Account = s.account
	v.LateAllowed = ledger.Opt[bool]{V: v.late.V != 0, OK: v.late.OK}
	if v.LastPull == "" {
		v.LastPull = v.FirstPull
	}
	last := s.pulls[v.LastPull]
	// A view that stands was shown by every complete window of its day since.
	if day, ok := s.days[v.List][v.day]; ok && v.ended == "" && v.proven && day.began.After(last.began) {
		last = day
	}
	v.LastPull, v.LastRun, v.SeenAt = last.pull, last.run, last.began
}

// slipOf merges the views of one slip, or returns nil when every list has let it go. A view that vanished from its
// list is told by Vanished; it stands among the earlier versions.
func slipOf(views []*view) *ledger.Slip {
	var standing, earlier []ledger.SlipVersion
	for _, v := range views {
		if v.ended == "" {
			standing = append(standing, v.SlipVersion)
		} else {
			earlier = append(earlier, v.SlipVersion)
		}
	}
	if len(standing) == 0 {
		return nil
	}
	s := ledger.SlipOf(standing, earlier)
	return &s
}

// Slips calls fn for every slip of the account in order of id, merged from the current views; superseded and vanished
// views are in Earlier. A slip that no list shows any more is left out.
func (l *Ledger) Slips(ctx context.Context, a ledger.Account, fn func(*ledger.Slip) error) error {
	doing := "read the slips of account " + a.String()
	sights, err := l.loadSlipSights(ctx, l.db.Read, a)
	if err != nil {
		return l.fault(doing, err)
	}
	s := slipStream{sights: sights, fn: fn}
	err = each(ctx, l.db.Read, s.row, `
		SELECT `+slipColumns+`
		FROM slip AS v
		WHERE v.account = $1
		ORDER BY v.id, v.list, v.version`, int64(a))
	if err == nil {
		err = s.flush()
	}
	return l.fault(doing, err)
}

// slipStream gathers the views of one slip.
type slipStream struct {
	sights  *slipSights
	fn      func(*ledger.Slip) error
	beliefs bool // the rows bear what is believed of the slip
	views   []*view
}

func (s *slipStream) row(rows *sql.Rows) error {
	v := &view{}
	targets := v.targets()
	var believed slipBefore
	if s.beliefs {
		targets = append(targets, believed.targets()...)
	}
	if err := rows.Scan(targets...); err != nil {
		return err
	}
	s.sights.finish(v)
	v.before = believed.belief()
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
	slip, before := slipOf(views), views[0].before
	switch {
	case slip != nil:
		slip.Before = before
	case s.beliefs: // every list has let it go
		slip = &ledger.Slip{Before: before, Gone: true, SlipView: views[len(views)-1].SlipView}
		for _, v := range views {
			slip.Earlier = append(slip.Earlier, v.SlipVersion)
		}
	default:
		return nil
	}
	return s.fn(slip)
}
