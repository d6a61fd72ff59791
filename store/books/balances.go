package books

import (
	"context"
	"slices"

	"concilia/store/ledger"
	"concilia/store/reports"
)

// Balance is what the journal of an account has of a role and a brand.
type Balance struct {
	Role            ledger.Role
	Brand           string
	Opening         ledger.Amount // what was posted before the period
	Debits, Credits ledger.Amount // posted in it
	Closing         ledger.Amount // of assets and liabilities by the rows: what they are, less what was posted after the period
}

// Residual is what the entries have in excess of the rows: zero.
func (b *Balance) Residual() ledger.Amount {
	if !b.Role.HasBalance() {
		return 0
	}
	return b.Opening + b.Debits - b.Credits - b.Closing
}

// BalanceJournal returns the balances of the journal in a period, in the order of roles and brands. The closing balances are not made
// of the entries up to then. Of sets after upTo nothing counts; 0: every set does.
func (s *JournalReader) BalanceJournal(ctx context.Context, a ledger.Account, m ledger.Method, p ledger.Period, upTo int) ([]Balance, error) {
	cuts, err := s.events.Cuts(ctx, a)
	if err != nil {
		return nil, err
	}
	t := &balancer{byKey: map[balanceKey]*Balance{}}
	last := map[ledger.EventSource]*Cut{}
	var newest *Cut
	for i := range cuts {
		if upTo == 0 || cuts[i].Set <= upTo {
			newest = &cuts[i]
			last[newest.Source] = newest
		}
	}
	for _, c := range last {
		rows, err := s.reports.JournalBalances(ctx, a, c.Source, c.ToRun, m, c.NetOfSplits)
		if err != nil {
			return nil, err
		}
		t.addRows(rows)
	}
	if newest != nil {
		bookings, err := s.listBookings(ctx, a, newest.ToRun, newest.NetOfSplits)
		if err != nil {
			return nil, err
		}
		t.addBookings(bookings)
	}
	const never ledger.Date = 1 << 30
	for _, part := range []struct {
		of  ledger.Period
		add func(*Balance, *RoleSum)
	}{
		{ledger.Period{From: -never, To: p.From - 1}, func(b *Balance, r *RoleSum) { b.Opening += r.Debit - r.Credit }},
		{p, func(b *Balance, r *RoleSum) { b.Debits, b.Credits = r.Debit, r.Credit }},
		{ledger.Period{From: p.To + 1, To: never}, func(b *Balance, r *RoleSum) { b.Closing -= r.Debit - r.Credit }},
	} {
		sums, err := s.RoleSums(ctx, &JournalQuery{Account: a, Method: m, Period: part.of, UpTo: upTo})
		if err != nil {
			return nil, err
		}
		for i := range sums {
			part.add(t.balanceOf(sums[i].Role, sums[i].Brand), &sums[i])
		}
	}
	return t.listBalances(), nil
}

type balanceKey struct {
	role  ledger.Role
	brand string
}

// balancer collects balances.
type balancer struct{ byKey map[balanceKey]*Balance }

func (t *balancer) balanceOf(r ledger.Role, brand string) *Balance {
	k := balanceKey{r, brand}
	if t.byKey[k] == nil {
		t.byKey[k] = &Balance{Role: r, Brand: brand}
	}
	return t.byKey[k]
}

func (t *balancer) addRows(rows []reports.RowBalance) {
	for _, r := range rows {
		t.balanceOf(r.Role, r.Brand).Closing += r.Amount
	}
}

// addBookings adds what is no title.
func (t *balancer) addBookings(all []ledger.Booking) {
	for i := range all {
		for _, l := range all[i].Lines {
			if l.Role.HasBalance() {
				t.balanceOf(l.Role, all[i].Brand).Closing += l.Amount
			}
		}
	}
}

func (t *balancer) listBalances() (out []Balance) {
	for _, r := range ledger.Roles() {
		var brands []string
		for k := range t.byKey {
			if k.role == r {
				brands = append(brands, k.brand)
			}
		}
		slices.Sort(brands)
		for _, brand := range brands {
			b := t.byKey[balanceKey{r, brand}]
			if !r.HasBalance() {
				b.Closing = 0
			}
			out = append(out, *b)
		}
	}
	return out
}
