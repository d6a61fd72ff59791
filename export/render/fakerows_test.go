package render_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/ledger/ownsales"
)

// Agenda and AgendaRoll are none of a feed that tells of a period.
func (f *feed) Agenda(context.Context, func(*report.AgendaRow) error) error { return nil }

func (f *feed) AgendaRoll(context.Context, func(*report.AgendaMovement) error) error { return nil }
func (f *feed) Forecast(context.Context, func(*report.AccountForecast) error) error  { return nil }
func (f *feed) Claims(context.Context, func(*report.Claim) error) error              { return nil }
func (f *feed) Months(context.Context, func(*report.AccountMonth) error) error       { return nil }
func (f *feed) BankCredits(context.Context, banking.CreditSide, func(*banking.Credit) error) error {
	return nil
}

func (f *feed) BankAccounts(context.Context, banking.CreditSide) (map[ledger.Account]report.BankAccount, error) {
	return nil, nil
}
func (f *feed) Deposits(context.Context, func(*banking.Deposit) error) error  { return nil }
func (f *feed) BankDays(context.Context, func(*banking.SeenDay) error) error  { return nil }
func (f *feed) OwnDays(context.Context, func(*ownsales.SeenDay) error) error  { return nil }
func (f *feed) OwnMatches(context.Context, func(*ownsales.Match) error) error { return nil }
func (f *feed) OwnMonths(context.Context, func(*report.EFDMonth) error) error { return nil }
func (f *feed) Entries(context.Context, func(*bookkeeping.Entry) error) error { return nil }
func (f *feed) Events(context.Context, func(*bookkeeping.Event) error) error  { return nil }

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
	n := report.NotDue{Account: 1001, Kind: asof.CardOverdue}
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
		for _, t := range kindlist.Tables() {
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

// closedFeed is what the fake ledger has of closed periods; none unless a test says so.
type closedFeed struct {
	changes []ledger.Restatement
	closed  []report.ClosedPeriod
	days    []ledger.Date // of adjustments, each of one real less
}

func (f *closedFeed) Adjustments(
	_ context.Context, yield func(ledger.Account, ledger.Date, ledger.RestatedSums, ledger.RestatedSums) error,
) error {
	for _, d := range f.days {
		less := ledger.RestatedSums{Net: -ledger.Real, Contract: -ledger.Real, NotDue: -ledger.Real}
		if err := yield(1001, d, less, less); err != nil {
			return err
		}
	}
	return nil
}

func (f *closedFeed) Restatements(_ context.Context, yield func(*ledger.Restatement) error) error {
	for i := range f.changes {
		if err := yield(&f.changes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *closedFeed) ClosedPeriods(context.Context) ([]report.ClosedPeriod, error) {
	return f.closed, nil
}

func (f *closedFeed) restatementSums(s *report.Sums) {
	causes := map[ledger.RestatementCause]bool{}
	for i := range f.changes {
		c := &f.changes[i]
		causes[c.Cause] = true
		s.Columns["causes of the set"] = int64(len(causes))
		s.Rows += int64(len(c.Fields))
		s.Columns["revision"] += int64(c.Close.Revision * len(c.Fields))
		s.Columns["delta_gross"] += rd(c.Changes.Gross)
		s.Columns["delta_net"] += rd(c.Changes.Net)
		s.Columns["delta_received"] += rd(c.Changes.Received)
		s.Columns["delta_contract"] += rd(c.Changes.Contract)
	}
}

// adjustedSums adds the lines of adjustments to the sums of a summary.
func (f *closedFeed) adjustedSums(s *report.Sums) {
	for range f.days {
		s.Rows++
		s.Columns["other_adjustments"] += int64(ledger.Real)
		for _, c := range []string{"net_expected", "net_contract", "not_due"} {
			s.Columns[c] -= int64(ledger.Real)
		}
	}
}

// Cases and NotDue are what the hand-made feed has of a state set.
func (f *feed) Cases(_ context.Context, yield func(*report.Case) error) error {
	for i := range f.state {
		if err := yield(&f.state[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) NotDue(_ context.Context, yield func(*report.NotDue) error) error {
	for i := range f.ahead {
		if err := yield(&f.ahead[i]); err != nil {
			return err
		}
	}
	return nil
}

// caseSums and agingSums are the sums of that, worked out again.
func (f *feed) caseSums(s *report.Sums) {
	c := s.Columns
	for i := range f.state {
		k := &f.state[i]
		s.Rows++
		c["age_days"] += k.Days.Or(0)
		c["age_business_days"] += k.BusinessDays.Or(0)
		if k.Expected.Kind == ledger.AmountValue && k.Actual.Kind == ledger.AmountValue {
			c["difference"] += rd(k.Actual.Amount - k.Expected.Amount)
		}
		c["impact"] += rd(k.Impact.Or(0))
		c["rule_version"] += int64(k.RuleVersion)
		if k.State == ledger.Waived {
			c["waiver_cap"] += rd(k.WaivedCap.Or(0))
		}
	}
}

func (f *feed) agingSums(s *report.Sums) {
	c := s.Columns
	lines := map[string]bool{}
	for i := range f.state {
		for _, w := range f.state[i].AgingEntries {
			lines[w.Kind+w.Brand] = true
			column := asof.BucketColumn(w.Days)
			c[column] += rd(w.Amount)
			c[column+"_qty"]++
			c["total"] += rd(w.Amount)
			c["total_qty"]++
		}
	}
	for _, n := range f.ahead {
		lines[n.Kind+n.Brand] = true
		c["not_due"] += int64(n.Printed)
		c["not_due_qty"] += n.Count
	}
	s.Rows = int64(len(lines))
}

func (f *feed) UnresolvedCases(_ context.Context, yield func(*export.UnresolvedCase) error) error {
	for i := range f.roots {
		one := f.roots[i]
		one.Account, one.OnRow = cmp.Or(one.Account, 1001), f.isOnRow(one.Subject)
		one.Side = sideOf(one.Subject)
		if err := yield(&one); err != nil {
			return err
		}
	}
	return nil
}

func sideOf(subject string) string {
	if strings.HasPrefix(subject, "slip:") {
		return "slips"
	}
	return "cards"
}

// rowSubject is the subject whose row counts a case: a case on a split counts with its installment.
func rowSubject(subject string) string {
	body, isSplit := strings.CutPrefix(subject, "split:")
	if !isSplit {
		return subject
	}
	for range 3 {
		body = body[:strings.LastIndexByte(body, ':')]
	}
	return "card:" + body
}

func (f *feed) isOnRow(subject string) bool {
	subject = rowSubject(subject)
	return slices.ContainsFunc(f.cards, func(c card) bool { return c.v.Key().Subject() == subject || c.v.SaleKey().Subject() == subject }) ||
		slices.ContainsFunc(f.slips, func(s slip) bool { return s.s.Subject() == subject })
}

// rootsOfState makes the roots of a feed the cases of its state, as the ledger would give both.
func (f *feed) rootsOfState(asOf ledger.Date) {
	f.roots = nil
	for i := range f.state {
		c := &f.state[i]
		if figure := c.Figure(asOf); figure != "" {
			f.roots = append(f.roots, export.UnresolvedCase{Case: c.Case, Code: c.Code, Subject: c.Subject, Impact: c.Impact.V, Figure: figure, Age: c.BusinessDays})
		}
	}
}

func (f *feed) RootSums(_ context.Context, of func(ledger.Account) (cards, slips bool)) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	for _, r := range f.roots {
		if of != nil {
			cards, slips := of(cmp.Or(r.Account, 1001))
			if side := sideOf(r.Subject); !f.isOnRow(r.Subject) || side == "cards" && !cards || side == "slips" && !slips {
				continue
			}
		}
		switch r.Figure {
		case ledger.FigureLost, ledger.FigureLate:
			out.Rows++
		case ledger.FigureExcess:
			out.Columns["excess_count"]++
		}
		out.Columns[string(r.Figure)] += int64(r.Impact.Rounded(ledger.HalfAwayFromZero).Abs())
	}
	out.Columns["lost"] += int64(f.off)
	return out, nil
}
