package export_test

import (
	"context"
	"fmt"

	"concilia/export/report"
	"concilia/store/ledger"
)

// Agenda and AgendaRoll are none of a feed that tells of a period.
func (f *feed) Agenda(context.Context, func(*report.AgendaRow) error) error { return nil }

func (f *feed) AgendaRoll(context.Context, func(*report.AgendaMovement) error) error { return nil }

// coming is a ledger in memory whose installments are still to come. Its sums are worked out here.
type coming struct {
	*feed
	items []report.AgendaRow
	moves []report.AgendaMovement
}

func (f *coming) Agenda(_ context.Context, yield func(*report.AgendaRow) error) error {
	for i := range f.items {
		if f.drop == i+1 {
			continue
		}
		if err := yield(&f.items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *coming) AgendaRoll(_ context.Context, yield func(*report.AgendaMovement) error) error {
	for i := range f.moves {
		if err := yield(&f.moves[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *coming) NotDue(_ context.Context, yield func(*report.NotDue) error) error {
	n := report.NotDue{Account: 1001, Kind: report.CardOverdue}
	for i := range f.items {
		if v := &f.items[i]; !v.Blocked {
			n.Count, n.Printed, n.Exact = n.Count+1, n.Printed+ledger.Amount(rd(v.Net)), n.Exact+v.Net
		}
	}
	return yield(&n)
}

func (f *coming) Sums(ctx context.Context, table string) (report.Sums, error) {
	s := report.Sums{Columns: map[string]int64{}}
	switch table {
	case "agenda":
		f.itemSums(&s)
	case "agenda-roll":
		for _, t := range report.Tables() {
			for _, c := range t.Columns {
				if t.ID == table && c.Type.Numeric() {
					s.Columns[c.ID] = 0
				}
			}
		}
		ids := [ledger.MovementCount]string{
			"start", "new", "unblocked", "reversed", "reappeared", "restated", "reclassified", "received", "anticipated",
			"cancelled", "charged_back", "blocked", "vanished",
		}
		for i := range f.moves {
			m := &f.moves[i]
			s.Rows++
			s.Columns["opening"] += int64(m.Opening)
			s.Columns["closing"] += int64(m.Closing)
			s.Columns["residual"] += int64(m.Opening - m.Closing)
			for k, a := range m.Changes {
				s.Columns[ids[k]] += int64(a)
				s.Columns["residual"] += int64(a)
			}
		}
	default:
		return f.feed.Sums(ctx, table)
	}
	delete(s.Columns, f.forget)
	return s, nil
}

// itemSums adds up line by line, in the order of dates, for what is cumulative.
func (f *coming) itemSums(s *report.Sums) {
	c := s.Columns
	type line struct {
		on   ledger.Date
		name string
	}
	net := map[line]int64{}
	for _, id := range []string{"installments", "gross", "deductions", "net", "anticipated", "blocked", "cumulative"} {
		c[id] = 0
	}
	for i := range f.items {
		v := &f.items[i]
		at := line{v.Forecast, fmt.Sprint(v.Account, v.Brand, v.Product)}
		if at.on == 0 {
			at.on = 1 << 30
		}
		n := rd(v.Net)
		c["installments"]++
		c["gross"] += v.GrossCents * 100
		c["deductions"] += int64(v.ChargedCents)
		net[at] += 0
		switch {
		case v.Blocked:
			c["blocked"] += n
			continue
		case v.Anticipated:
			c["anticipated"] += n
		}
		c["net"] += n
		net[at] += n
	}
	s.Rows = int64(len(net))
	for a := range net {
		for b, n := range net {
			if b.on < a.on || b.on == a.on && b.name <= a.name {
				c["cumulative"] += n
			}
		}
	}
}
