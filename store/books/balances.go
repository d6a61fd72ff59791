package books

import (
	"context"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/reportsums"
)

// Balance is what the journal of an account has of a role and a brand.
type Balance struct {
	Role            bookkeeping.Role
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

// Journal is the journal of an account by a method in a period, and what the rows say it has to be, whatever entries were made. Of sets after a
// certain one nothing counts.
type Journal struct {
	store        *JournalReader
	account      ledger.Account
	method       bookkeeping.Method
	period       ledger.Period
	upTo         int // set; 0: every set counts
	sets         map[entryCut]int
	cards, slips *Cut // the last ones; nil: none
	// By the rows as of the last cuts: what the balances of assets and liabilities have to be, what is no title, what reports of the period since
	// the first day read otherwise, and what payers paid for slips that are cancelled and is not credited.
	rows     []reportsums.RowBalance
	ofSlips  []reportsums.RowBalance
	bookings []bookkeeping.Booking
	apart    reportsums.Apart
	owing    ledger.Amount
}

// ReadJournal reads what the rows say of the journal of an account in a period, as of the last cuts up to a set; 0: of all.
func (s *JournalReader) ReadJournal(ctx context.Context, a ledger.Account, m bookkeeping.Method, p ledger.Period, upTo int) (*Journal, error) {
	cuts, err := s.events.Cuts(ctx, a)
	if err != nil {
		return nil, err
	}
	j := &Journal{store: s, account: a, method: m, period: p, upTo: upTo, sets: setsOf(cuts)}
	var newest *Cut
	for i := range cuts {
		c := &cuts[i]
		if upTo != 0 && c.Set > upTo {
			continue
		}
		if newest = c; c.Source == bookkeeping.CardEvents {
			j.cards = c
		} else {
			j.slips = c
		}
	}
	if newest == nil {
		return j, nil
	}
	if c := j.cards; c != nil {
		if j.rows, j.apart, err = s.sums.CardJournal(ctx, a, c.ToRun, m, j.sinceFirst(), c.NetOfSplits); err != nil {
			return nil, err
		}
	}
	if c := j.slips; c != nil {
		if j.ofSlips, j.owing, err = s.sums.SlipJournal(ctx, a, c.ToRun, m); err != nil {
			return nil, err
		}
	}
	j.bookings, err = s.listBookings(ctx, a, newest.ToRun, newest.NetOfSplits)
	return j, err
}

// sinceFirst is the period from the first day of the movement on: what occurred before it is in no entry.
func (j *Journal) sinceFirst() ledger.Period {
	return ledger.Period{From: max(j.period.From, j.cards.From), To: j.period.To}
}

// Balances returns the balances of the journal, in the order of roles and brands. The closing balances are not made of the entries up to then.
func (j *Journal) Balances(ctx context.Context) ([]Balance, error) {
	t := &balancer{byKey: map[balanceKey]*Balance{}}
	t.addRows(j.rows)
	t.addRows(j.ofSlips)
	t.addBookings(j.bookings)
	p := j.period
	const never ledger.Date = 1 << 30
	for _, part := range []struct {
		of  ledger.Period
		add func(*Balance, *RoleSum)
	}{
		{ledger.Period{From: -never, To: p.From - 1}, func(b *Balance, r *RoleSum) { b.Opening += r.Debit - r.Credit }},
		{p, func(b *Balance, r *RoleSum) { b.Debits, b.Credits = r.Debit, r.Credit }},
		{ledger.Period{From: p.To + 1, To: never}, func(b *Balance, r *RoleSum) { b.Closing -= r.Debit - r.Credit }},
	} {
		sums, err := j.store.RoleSums(ctx, &JournalQuery{Account: j.account, Method: j.method, Period: part.of, UpTo: j.upTo})
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
	role  bookkeeping.Role
	brand string
}

// balancer collects balances.
type balancer struct{ byKey map[balanceKey]*Balance }

func (t *balancer) balanceOf(r bookkeeping.Role, brand string) *Balance {
	k := balanceKey{r, brand}
	if t.byKey[k] == nil {
		t.byKey[k] = &Balance{Role: r, Brand: brand}
	}
	return t.byKey[k]
}

func (t *balancer) addRows(rows []reportsums.RowBalance) {
	for _, r := range rows {
		t.balanceOf(r.Role, r.Brand).Closing += r.Amount
	}
}

// addBookings adds what is no title.
func (t *balancer) addBookings(all []bookkeeping.Booking) {
	for i := range all {
		for _, l := range all[i].Lines {
			if l.Role.HasBalance() {
				t.balanceOf(l.Role, all[i].Brand).Closing += l.Amount
			}
		}
	}
}

func (t *balancer) listBalances() (out []Balance) {
	for _, r := range bookkeeping.Roles() {
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
