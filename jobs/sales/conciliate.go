package sales

import (
	"cmp"
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/sales/match"
	"concilia/store/ledger"
)

// Bucket is where a row of a complete day stands.
type Bucket string

// The buckets. What a store sent is in the first four of them or waiting.
const (
	Matched       Bucket = "matched"         // both sides say the same
	Divergent     Bucket = "divergent"       // both sides know it, and differ
	NotAtService  Bucket = "not_at_service"  // the service has no such sale
	Duplicated    Bucket = "duplicated"      // told twice by the store
	OnlyAtService Bucket = "only_at_service" // no store has such a payment
	Waiting       Bucket = "waiting"         // the other side's day, or the one after it, is not complete
)

// Buckets are all of them.
func Buckets() []Bucket {
	return []Bucket{Matched, Divergent, NotAtService, Duplicated, OnlyAtService, Waiting}
}

// Row is a payment, a sale of the service, or both.
type Row struct {
	Store  string
	Day    ledger.Date        // the store's, else the service's
	Own    *ledger.OwnPayment // nil: the stores do not know it
	Sale   *match.Sale        // nil: the service does not know it
	Level  int                // of the pair; 0: none, or told twice
	Bucket Bucket
	// Reasons are in what the sides of a pair differ: amount, installments, product, brand, date, cancelled.
	Reasons []string
	// Difference is the store's amount less the service's; what was cancelled counts 0.
	Difference ledger.Amount
}

// Weak reports whether a pair rests on amount and day alone.
func (r *Row) Weak() bool { return r.Level == match.Weak }

// Side is what is known of a store.
type Side struct {
	Store    *Store
	Payments []ledger.OwnPayment // by card, none that vanished
	Complete map[ledger.Date]bool
}

// ServiceSide is what is known of an account.
type ServiceSide struct {
	Sales    []match.Sale
	Complete map[ledger.Date]bool
}

// Conciliation holds stores against the accounts in which their sales are.
type Conciliation struct {
	Sides    []Side
	Accounts map[ledger.Account]*ServiceSide
}

// SaleOf reads a sale of the service as the mapping says. An unmapped word is left open.
func SaleOf(m *agreements.Mapping, s match.Sale, cardName, cardType, card string, statuses []string) match.Sale {
	s.Brand, _ = m.Brand(cardName)
	s.Product, _ = m.Product(cardType)
	if n := len(card); n >= 4 {
		s.Last4 = card[n-4:]
	}
	s.Live = true
	for _, status := range statuses {
		if class, known := m.Status(status); known && !class.IsLive() {
			s.Live = false
		}
	}
	return s
}

// Conciliate pairs what can be paired and puts every row of a complete day into a bucket: in order of store, day and sale.
func (c *Conciliation) Conciliate() []Row {
	var own []match.Own
	var from []int // side of each payment
	for i := range c.Sides {
		side := &c.Sides[i]
		for n := range side.Payments {
			p := &side.Payments[n]
			o := match.Own{OwnPayment: p, Store: side.Store.ID, Accounts: side.Store.Accounts}
			if slices.Contains(side.Store.Accounts, p.Account) {
				o.Accounts = []ledger.Account{p.Account}
			}
			own, from = append(own, o), append(from, i)
		}
	}
	var all []match.Sale
	for _, a := range c.accountsInOrder() {
		all = append(all, c.Accounts[a].Sales...)
	}
	result := match.Match(own, all)
	var rows []Row
	add := func(i int, s *match.Sale, level int, b Bucket) {
		if side := &c.Sides[from[i]]; side.Complete[own[i].Day()] {
			rows = append(rows, newRow(side.Store.ID, own[i].OwnPayment, s, level, b))
		}
	}
	for _, p := range result.Pairs {
		add(p.Own, &all[p.Sale], p.Level, Matched)
	}
	for _, d := range result.Duplicated {
		add(d.Own, nil, 0, Duplicated)
	}
	for _, i := range result.LeftOwn {
		switch {
		case isTakenBack(own[i].OwnPayment): // it need not be anywhere
		case c.isServiceOpen(own[i].Accounts, own[i].Day()):
			add(i, nil, 0, Waiting)
		default:
			add(i, nil, 0, NotAtService)
		}
	}
	for _, i := range result.LeftSales {
		if row, counts := c.leftSale(&all[i]); counts {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, compareRows)
	return rows
}

func (c *Conciliation) accountsInOrder() []ledger.Account {
	out := make([]ledger.Account, 0, len(c.Accounts))
	for a := range c.Accounts {
		out = append(out, a)
	}
	slices.Sort(out)
	return out
}

// isServiceOpen reports whether a sale of a day may still come in one of the accounts.
func (c *Conciliation) isServiceOpen(accounts []ledger.Account, d ledger.Date) bool {
	return slices.ContainsFunc(accounts, func(a ledger.Account) bool {
		s := c.Accounts[a]
		return s == nil || !s.Complete[d] || !s.Complete[d+1]
	})
}

// leftSale is a live sale that no store knows, as far as every store of its account tells its day whole.
func (c *Conciliation) leftSale(s *match.Sale) (row Row, counts bool) {
	day := s.SoldAt.Date()
	if !s.Live || !c.Accounts[s.Key.Account].Complete[day] {
		return row, false
	}
	first, b := "", OnlyAtService
	for i := range c.Sides {
		side := &c.Sides[i]
		if !slices.Contains(side.Store.Accounts, s.Key.Account) {
			continue
		}
		if !side.Complete[day] {
			return row, false
		}
		if !side.Complete[day+1] {
			b = Waiting
		}
		first = cmp.Or(first, side.Store.ID)
	}
	return newRow(first, nil, s, 0, b), first != ""
}

func isTakenBack(p *ledger.OwnPayment) bool {
	return p.Status == ledger.OwnCancelled || p.Status == ledger.OwnRefunded
}

// newRow is a row with its difference. A pair that differs is divergent.
func newRow(store string, p *ledger.OwnPayment, s *match.Sale, level int, b Bucket) Row {
	r := Row{Store: store, Own: p, Sale: s, Level: level, Bucket: b}
	if s != nil {
		r.Day = s.SoldAt.Date()
	}
	if p != nil {
		r.Day = p.Day()
	}
	r.Difference = OwnTotal(p) - ServiceTotal(s)
	if p != nil && s != nil {
		if r.Reasons = listDifferences(p, s); len(r.Reasons) > 0 {
			r.Bucket = Divergent
		}
	}
	return r
}

// OwnTotal is what a payment counts in sums.
func OwnTotal(p *ledger.OwnPayment) ledger.Amount {
	if p == nil || isTakenBack(p) {
		return 0
	}
	return p.Amount
}

// ServiceTotal is what a sale of the service counts in sums.
func ServiceTotal(s *match.Sale) ledger.Amount {
	if s == nil || !s.Live {
		return 0
	}
	return s.Total
}

// listDifferences are in what the sides of a pair differ. What a side does not know is no difference.
func listDifferences(p *ledger.OwnPayment, s *match.Sale) (out []string) {
	live := !isTakenBack(p)
	near := p.Timed && p.SoldAt.NeighbourDay(2) == s.SoldAt.Date() || s.SoldAt.NeighbourDay(2) == p.Day()
	for _, d := range []struct {
		name   string
		differ bool
	}{
		{"amount", live && s.Live && p.Amount != s.Total},
		{"installments", p.Installments > 0 && p.Installments != s.Installments},
		{"product", s.Product != "" && string(p.Method) != string(s.Product)},
		{"brand", p.Brand != "" && s.Brand != "" && p.Brand != s.Brand},
		{"date", p.Day() != s.SoldAt.Date() && !near},
		{"cancelled", live != s.Live},
	} {
		if d.differ {
			out = append(out, d.name)
		}
	}
	return out
}

func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(a.Store, b.Store), cmp.Compare(a.Day, b.Day), compareSides(&a, &b))
}

func compareSides(a, b *Row) int {
	name := func(r *Row) (string, int) {
		if r.Own == nil {
			return "\xff" + r.Sale.Key.Subject(), 0
		}
		return r.Own.Sale, r.Own.Number
	}
	nameA, numberA := name(a)
	nameB, numberB := name(b)
	return cmp.Or(cmp.Compare(nameA, nameB), cmp.Compare(numberA, numberB))
}
