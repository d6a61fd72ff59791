package sales

import (
	"cmp"
	"slices"
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/shops"
	"concilia/jobs/sales/match"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// Bucket is how a row of a complete day was matched.
type Bucket = ownsales.Bucket

// The buckets.
const (
	Matched       = ownsales.Matched
	Divergent     = ownsales.Divergent
	NotAtService  = ownsales.NotAtService
	Duplicated    = ownsales.Duplicated
	OnlyAtService = ownsales.OnlyAtService
	Waiting       = ownsales.Waiting
)

// Buckets are all of them.
func Buckets() []Bucket { return ownsales.Buckets() }

// Row is a payment, a sale of the service, or both.
type Row struct {
	Store  string
	Day    ledger.Date       // the store's, else the service's
	Own    *ownsales.Payment // nil: the stores do not know it
	Sale   *match.Sale       // nil: the service does not know it
	Level  int               // of the pair; 0: none, or a duplicate
	Bucket Bucket
	// Found is what the rules conclude that fires or pends.
	Found []shops.Found
	// Difference is the store's amount less the service's; what was cancelled counts 0.
	Difference ledger.Amount
}

// Weak reports whether a pair rests on amount and day alone.
func (r *Row) Weak() bool { return r.Level == match.Weak }

// Reasons are in what the sides of a pair differ: amount, installments, product, brand, date, cancelled.
func (r *Row) Reasons() (out []string) {
	for i := range r.Found {
		if name := reasons[r.Found[i].Code]; name != "" && r.Sale != nil && r.Own != nil {
			out = append(out, name)
		}
	}
	return out
}

// ReasonsOf are in what the sides of a kept pair differ, in the form of Row.Reasons.
func ReasonsOf(m *ownsales.Match) (out []string) {
	for code := range strings.SplitSeq(m.Codes, "|") {
		if name := reasons[code]; name != "" && m.Sale != "" && m.Service != "" {
			out = append(out, name)
		}
	}
	return out
}

var reasons = map[string]string{
	shops.AmountMismatch: "amount", shops.InstallmentsMismatch: "installments", shops.ProductMismatch: "product",
	shops.BrandMismatch: "brand", shops.DateMismatch: "date", shops.CancelledOneSide: "cancelled",
}

// Side is what is known of a store.
type Side struct {
	Store *Store
	Home  ledger.Account // under which its cases are
	// Payments are those by card, by slip, and by a method that is not declared; none that vanished.
	Payments []ownsales.Payment
	// Complete are the days that are evaluated and complete, Days all from the first evaluated one to the last that files show.
	Complete map[ledger.Date]bool
	Days     []ownsales.Day
	// Faults are the rows of its files that were not taken in, and the words that are not declared.
	Faults []ownsales.FileFault
}

// ServiceSide is what is known of an account: its sales and slips, and for which days the service showed all of either.
type ServiceSide struct {
	Sales               []match.Sale
	Complete, SlipsTold map[ledger.Date]bool
}

// isTold reports whether the service showed all sales of a day, or all slips issued on it.
func (s *ServiceSide) isTold(slips bool, d ledger.Date) bool {
	if slips {
		return s.SlipsTold[d]
	}
	return s.Complete[d]
}

// Conciliation holds stores against the accounts in which their sales are.
type Conciliation struct {
	Terms    *shops.Terms
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
			o := match.Own{Payment: p, Store: side.Store.ID, Accounts: side.Store.Accounts}
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
			rows = append(rows, c.newRow(side.Store, own[i].Payment, s, level, b))
		}
	}
	for _, p := range result.Pairs {
		add(p.Own, &all[p.Sale], p.Level, Matched)
	}
	for _, d := range result.Duplicated {
		add(d.Own, nil, 0, Duplicated)
	}
	slips := newLeftSlips(own, all, &result)
	for _, i := range result.LeftOwn {
		o := &own[i]
		switch {
		case isTakenBack(o.Payment) || o.Method == "": // it need not be anywhere
		case o.IsSlip() && !slips.isNamed(o): // it is not known which it is
		case c.isServiceOpen(o) || slips.mayBeTold(o):
			add(i, nil, 0, Waiting)
		default:
			add(i, nil, 0, NotAtService)
		}
	}
	for _, i := range result.LeftSales {
		if row, counts := c.leftSale(&all[i], slips); counts {
			rows = append(rows, row)
		}
	}
	c.evaluateMissing(rows, all)
	slices.SortFunc(rows, compareRows)
	return rows
}

// codeDays is how many days around a sale an authorization is looked for.
const codeDays = 3

// evaluateMissing applies the rules on payments that the service does not know.
func (c *Conciliation) evaluateMissing(rows []Row, all []match.Sale) {
	type seen struct {
		account ledger.Account
		day     ledger.Date
	}
	known := map[string][]seen{}
	for i := range rows {
		if r := &rows[i]; r.Bucket == NotAtService {
			known[match.NormalizeCode(r.Own.Auth)] = nil
		}
	}
	for i := range all {
		s := &all[i]
		code := match.NormalizeCode(s.Key.Auth)
		if list, asked := known[code]; asked && code != "" { // slips have none
			known[code] = append(list, seen{s.Key.Account, s.SoldAt.Date()})
		}
	}
	accounts := map[string][]ledger.Account{}
	for i := range c.Sides {
		accounts[c.Sides[i].Store.ID] = c.Sides[i].Store.Accounts
	}
	for i := range rows {
		r := &rows[i]
		if r.Bucket != NotAtService {
			continue
		}
		r.keepFinding(c.Terms.EvaluateMissing(r.Own, slices.ContainsFunc(known[match.NormalizeCode(r.Own.Auth)], func(x seen) bool {
			return slices.Contains(accounts[r.Store], x.account) && x.day >= r.Day-codeDays && x.day <= r.Day+codeDays
		})))
	}
}

func (c *Conciliation) accountsInOrder() []ledger.Account {
	out := make([]ledger.Account, 0, len(c.Accounts))
	for a := range c.Accounts {
		out = append(out, a)
	}
	slices.Sort(out)
	return out
}

// isServiceOpen reports whether the sale of a payment may still come in one of its accounts.
func (c *Conciliation) isServiceOpen(o *match.Own) bool {
	d := o.Day()
	return slices.ContainsFunc(o.Accounts, func(a ledger.Account) bool {
		s := c.Accounts[a]
		return s == nil || !s.isTold(o.IsSlip(), d) || !s.isTold(o.IsSlip(), d+1)
	})
}

// leftSale is a live sale that no store knows, as far as every store of its account has its day completely; a slip as far as one of them says
// by which slips it was paid.
func (c *Conciliation) leftSale(s *match.Sale, slips *leftSlips) (row Row, counts bool) {
	day := s.SoldAt.Date()
	if !s.Live || !c.Accounts[s.Key.Account].isTold(s.IsSlip(), day) || s.IsSlip() && !slips.namedIn[s.Key.Account] {
		return row, false
	}
	var first *Store
	b := OnlyAtService
	if s.IsSlip() && slips.mayBeNamed(s) {
		b = Waiting
	}
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
		if first == nil {
			first = side.Store
		}
	}
	if first == nil {
		return row, false
	}
	return c.newRow(first, nil, s, 0, b), true
}

// SellsBySlip reports whether a store of an account was paid by slip.
func (c *Conciliation) SellsBySlip(a ledger.Account) bool {
	return slices.ContainsFunc(c.Sides, func(s Side) bool {
		return slices.Contains(s.Store.Accounts, a) && slices.ContainsFunc(s.Payments, func(p ownsales.Payment) bool { return p.Method == ownsales.MethodSlip })
	})
}

func isTakenBack(p *ownsales.Payment) bool {
	return p.Status == ownsales.StatusCancelled || p.Status == ownsales.StatusRefunded
}

// newRow is a row with its difference and what the rules conclude, but for those on payments that the service does not know. A pair
// that differs is divergent.
func (c *Conciliation) newRow(store *Store, p *ownsales.Payment, s *match.Sale, level int, b Bucket) Row {
	r := Row{Store: store.ID, Own: p, Sale: s, Level: level, Bucket: b}
	if s != nil {
		r.Day = s.SoldAt.Date()
	}
	if p != nil {
		r.Day = p.Day()
	}
	r.Difference = OwnTotal(p) - ServiceTotal(s)
	switch {
	case p != nil && s != nil && s.Untold && isTakenBack(p) && s.Live:
		r.Bucket = Waiting // whether it was cancelled there, too, shows when it is paid
	case p != nil && s != nil:
		r.Found = c.Terms.EvaluatePair(&shops.Pair{Own: p, Sale: s, Level: level, Notes: store.IsNotes()})
		if r.Difference != 0 || slices.ContainsFunc(r.Found, func(f shops.Found) bool { return f.Code != shops.WeakMatch && f.Severity != ledger.Info }) {
			r.Bucket = Divergent
		}
	case b == Duplicated:
		r.keepFinding(c.Terms.EvaluateDuplicate(p))
	case b == OnlyAtService:
		r.keepFinding(c.Terms.EvaluateUnknown(s))
	}
	return r
}

// keepFinding adds what a rule concluded, if it fires or pends.
func (r *Row) keepFinding(f shops.Found) {
	if f.Status >= rules.Pends {
		r.Found = append(r.Found, f)
	}
}

// OwnTotal is what a payment counts in sums.
func OwnTotal(p *ownsales.Payment) ledger.Amount {
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

func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(a.Store, b.Store), cmp.Compare(a.Day, b.Day), compareSides(&a, &b))
}

func compareSides(a, b *Row) int {
	name := func(r *Row) (string, int) {
		if r.Own == nil {
			return "\xff" + r.Sale.Subject(), 0
		}
		return r.Own.Sale, r.Own.Number
	}
	nameA, numberA := name(a)
	nameB, numberB := name(b)
	return cmp.Or(cmp.Compare(nameA, nameB), cmp.Compare(numberA, numberB))
}
