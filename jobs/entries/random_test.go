package entries_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export/journal"
	"concilia/export/journal/journaltest"
	"concilia/jobs/entries"
	"concilia/jobs/movement"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// shopMonth is a month of random titles, each of which is compared night after night.
type shopMonth struct {
	random  *rand.Rand
	keeper  *bookkeeper
	states  map[string]*bookkeeping.TitleState
	seen    map[string]bool
	netting bool
}

// drawState draws what a title is on a night; nil: its day does not show it.
func (m *shopMonth) drawState(subject string, title int, version int) *bookkeeping.TitleState {
	if m.random.IntN(12) == 0 {
		return nil
	}
	cents := func(most int) ledger.Opt[ledger.Amount] {
		return ledger.Some(ledger.FromCents(int64(m.random.IntN(most) - most/20)))
	}
	sold := ledger.NewDate(2026, 10, 25) + ledger.Date(title)
	if strings.HasPrefix(subject, "slip:") {
		s := &ledger.Slip{Version: version, SlipView: ledger.SlipView{
			Account: 1001, ID: subject, Value: ledger.FromCents(int64(5000 + m.random.IntN(3))), Issued: sold, Due: sold + 10,
			Status: ledger.Some(int64([]int{1, 2, 3, 9, 99}[m.random.IntN(5)])),
		}}
		class := ledger.Open
		if m.random.IntN(2) == 0 {
			s.PaidOn, s.PaidValue, class = sold+ledger.Date(m.random.IntN(4)), ledger.Some(ledger.FromCents(int64(4900+m.random.IntN(200)))), ledger.Paid
			if m.random.IntN(2) == 0 {
				s.CreditedOn = s.PaidOn + 1
			}
		}
		if m.random.IntN(5) == 0 {
			s.CancelledOn, class = sold+3, ledger.Cancelled
		}
		return movement.SlipState(s, &ledger.SlipExpectation{Class: class, Tariff: ledger.Some(ledger.FromCents(250))})
	}
	v := &ledger.InstallmentVersion{Version: version, Installment: ledger.Installment{
		Account: 1001, SoldAt: ledger.LocalTime(int64(sold) * 864_000_000_000), NSU: fmt.Sprint(title), Auth: "A", Number: 1, Count: 1,
		MDR: cents(300), Fee: cents(50), Antifraud: cents(30), Anticipation: cents(200), Received: cents(10000),
		Forecast: sold + 3, Effective: []ledger.Date{0, sold + 1, sold + 2}[m.random.IntN(3)],
	}}
	for range m.random.IntN(3) {
		v.Splits = append(v.Splits, ledger.Split{Beneficiary: "11444777000161", Type: "P", Value: cents(1000)})
	}
	classes := []ledger.Class{ledger.Open, ledger.Open, ledger.Received, ledger.Received, ledger.Cancelled, ledger.Chargeback}
	brand := []string{"visa", "elo"}[title%2]
	e := &ledger.Expectation{Class: classes[m.random.IntN(len(classes))], Brand: brand, Product: ledger.Credit, GrossCents: int64(9000 + 10*m.random.IntN(2))}
	return movement.CardState(v, e, m.netting)
}

// nights are those of a month, and rarely how many of them bring news of a title once.
const (
	nights = 30
	rarely = 6
)

// newShopMonth is a shop whose titles are drawn from a seed.
func newShopMonth(t *testing.T, seed uint64, method bookkeeping.Method) *shopMonth {
	return &shopMonth{
		random: rand.New(rand.NewPCG(2026, seed)), states: map[string]*bookkeeping.TitleState{}, seen: map[string]bool{}, netting: seed%2 == 0,
		keeper: &bookkeeper{
			t: t, from: ledger.NewDate(2026, 11, 1), method: method, sent: map[string]bookkeeping.TitleHistory{}, last: map[string]*bookkeeping.Booked{},
			stands: map[string][]bookkeeping.Entry{},
		},
	}
}

// live tells the titles of the nights. A title is sold a day.
func (m *shopMonth) live(titles int) {
	for night := range nights {
		asOf := ledger.NewDate(2026, 11, 2) + ledger.Date(night)
		for n := range titles {
			subject := fmt.Sprintf("card:1001:2026-11-01:%06d:A:1", n)
			if n%4 == 0 {
				subject = fmt.Sprintf("slip:1001:%06d", n)
			}
			sold := ledger.NewDate(2026, 10, 25) + ledger.Date(n)
			if asOf <= sold || m.random.IntN(rarely) > 0 {
				continue
			}
			state := m.drawState(subject, n, night+1)
			m.keeper.tell(asOf.String(), bookkeeping.TitleChange{
				Subject: subject, Before: m.states[subject], After: state, Known: m.seen[subject],
				History: bookkeeping.TitleHistory{Sent: map[bookkeeping.SentEvents]int{}, Said: map[string]bool{}},
			})
			m.states[subject], m.seen[subject] = state, m.seen[subject] || state != nil
		}
	}
}

// balances are those of the month, whose end is what the titles are.
func (m *shopMonth) balances() (out []journal.Balance) {
	type key struct {
		role  bookkeeping.Role
		brand string
	}
	sums := map[key]*journal.Balance{}
	at := func(r bookkeeping.Role, brand string) *journal.Balance {
		k := key{r, brand}
		if sums[k] == nil {
			sums[k] = &journal.Balance{Role: r, Brand: brand}
		}
		return sums[k]
	}
	terms := &entries.Terms{Account: 1001, Method: m.keeper.method, Set: 1, From: m.keeper.from}
	for _, e := range m.keeper.opening.Entries(terms) {
		for _, l := range e.Lines {
			at(l.Role, e.Brand).Opening += l.Amount
		}
	}
	for i := range m.keeper.booked {
		e := &m.keeper.booked[i]
		for _, l := range e.Lines {
			if l.Amount > 0 {
				at(l.Role, e.Brand).Debits += l.Amount
			} else {
				at(l.Role, e.Brand).Credits -= l.Amount
			}
		}
	}
	for _, s := range m.states {
		for r, amount := range standsAt(s, m.keeper.method, m.netting) {
			brand := ""
			if s.Card != nil {
				brand = s.Card.Brand
			}
			at(r, brand).Closing += amount
		}
	}
	for _, b := range sums {
		out = append(out, *b)
	}
	return out
}

// standsAt is what the books have to have of a title, by what it is alone.
func standsAt(s *bookkeeping.TitleState, m bookkeeping.Method, netting bool) map[bookkeeping.Role]ledger.Amount {
	out := map[bookkeeping.Role]ledger.Amount{}
	if s == nil {
		return out
	}
	if c := s.Card; c != nil {
		var received ledger.Amount
		if c.Effective != 0 {
			received = c.Received
		}
		out[bookkeeping.RoleService] = received
		net := s.Face - c.MDR - c.Fee - c.Antifraud
		claim := net - c.Anticipation - c.SplitCost - received
		live := !s.Class.IsReversal()
		if live && received <= 0 && m == bookkeeping.Accrual {
			out[bookkeeping.RoleReceivable] = net
		}
		if !live || received <= 0 {
			claim = -received
		}
		out[bookkeeping.RoleClaims], out[bookkeeping.RoleExcess] = max(claim, 0), min(claim, 0)
		if live && received > 0 && !netting {
			for _, share := range c.Splits {
				out[bookkeeping.RoleSplitPayable] -= share.Amount
			}
		}
		return out
	}
	x := s.Slip
	paid := x.PaidOn != 0 && x.Paid.OK
	owing := paid && s.Class == ledger.Cancelled
	switch {
	case paid && x.CreditedOn != 0:
		out[bookkeeping.RoleService] = x.Paid.V - s.Fees
	case paid && (owing || m == bookkeeping.Accrual):
		out[bookkeeping.RoleSlipTransit] = x.Paid.V
	}
	if owing {
		out[bookkeeping.RoleExcess] = -x.Paid.V
	}
	if entered := x.Movement != 0 && x.Movement != 3; entered && !paid && s.Class == ledger.Open && m == bookkeeping.Accrual {
		out[bookkeeping.RoleSlipReceivable] = s.Face
	}
	return out
}

// TestJournalOfRandomMonths: whatever becomes of titles night after night, each entry is balanced, has a key of its own and is at most
// once reversed, the books end with what the titles are, and the programs of accountants take the month, and refuse it after an amount
// is changed by a cent.
func TestJournalOfRandomMonths(t *testing.T) {
	t.Parallel()
	var files []string
	for seed := range 200 {
		for _, method := range bookkeeping.Methods() {
			m := newShopMonth(t, uint64(seed), method)
			m.live(24)
			m.checkEntries(t, seed)
			if t.Failed() {
				return
			}
			if seed < 20 && (method == bookkeeping.Cash) == (seed%2 == 0) {
				files = append(files, m.write(t, ledger.Account(1001+seed))...)
			}
		}
	}
	journaltest.CheckJudged(t, files...)
}

// checkEntries checks the entries of the month.
func (m *shopMonth) checkEntries(t *testing.T, seed int) {
	t.Helper()
	keys, reversed := map[string]bool{}, map[string]bool{}
	for i := range m.keeper.booked {
		e := &m.keeper.booked[i]
		if e.Balance() != 0 || len(e.Lines) < 2 {
			t.Errorf("month %d: entry %s has lines %+v", seed, e.ID(), e.Lines)
		}
		if keys[e.ID()] || reversed[e.Reverses] && e.Reverses != "" {
			t.Errorf("month %d: entry %s is there twice, or reverses %s again", seed, e.ID(), e.Reverses)
		}
		if e.Reverses != "" && !keys[e.Reverses] {
			t.Errorf("month %d: entry %s reverses %s, which is not there", seed, e.ID(), e.Reverses)
		}
		if e.Posted < m.keeper.from {
			t.Errorf("month %d: entry %s is posted on %s", seed, e.ID(), e.Posted)
		}
		keys[e.ID()], reversed[e.Reverses] = true, true
	}
	for _, b := range m.balances() {
		if rest := b.Opening + b.Debits - b.Credits - b.Closing; b.Role.HasBalance() && rest != 0 {
			t.Errorf("month %d, %s: %s %s has %s more than the titles", seed, m.keeper.method, b.Role, b.Brand, rest.Fixed(2))
		}
	}
}

// write writes the month for programs, in the books of an account.
func (m *shopMonth) write(t *testing.T, a ledger.Account) (files []string) {
	t.Helper()
	booked := slices.Clone(m.keeper.booked)
	slices.SortStableFunc(booked, func(a, b bookkeeping.Entry) int { return int(a.Posted - b.Posted) })
	head := &journal.Head{
		Account: a, Period: ledger.Period{From: m.keeper.from, To: m.keeper.from + nights + 30}, Balances: m.balances(),
	}
	for format, extension := range map[journal.Format]string{journal.Beancount: "beancount", journal.HLedger: "journal"} {
		path := filepath.Join(t.TempDir(), "month."+extension)
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := journal.NewWriter(out, format, journaltest.WholeChart(m.keeper.method, journal.ByRow, a), head)
		if err != nil {
			t.Fatal(err)
		}
		for i := range booked {
			if err := w.Write(&booked[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), out.Close()); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}
