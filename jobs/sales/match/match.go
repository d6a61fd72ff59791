package match

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// Own is a payment by card or slip as a store records it.
type Own struct {
	*ownsales.Payment
	Store string
	// Accounts are those in which the sale may be; none: any.
	Accounts []ledger.Account
}

// IsSlip reports whether the payment was made by a slip.
func (o *Own) IsSlip() bool { return o.Method == ownsales.MethodSlip }

// NamesSlip reports whether the payment says which slip it was made by.
func (o *Own) NamesSlip() bool { return o.SlipID != "" || o.OurNumber != "" || o.Reference != "" }

// Sale is a card sale as the service knows it, all installments as one, or a slip.
type Sale struct {
	Key                                      ledger.SaleKey // of a slip the account and the day of issue alone
	SoldAt                                   ledger.LocalTime
	Total                                    ledger.Amount
	Installments                             int
	Brand, Reference, WebPaymentID, Terminal string
	Last4                                    string
	Product                                  ledger.Product
	Live                                     bool
	// Slip is the id of a slip, OurNumber its number at the bank; empty: a card sale. A slip has a Reference, too.
	Slip, OurNumber string
	// Untold says of a slip that the service has not yet shown its number, its reference, or whether it was cancelled.
	Untold bool
}

// SlipProduct is the product of slips.
const SlipProduct = ledger.Product(ownsales.MethodSlip)

// IsSlip reports whether it is a slip.
func (s *Sale) IsSlip() bool { return s.Slip != "" }

// Subject names the sale as cases are about it.
func (s *Sale) Subject() string {
	if s.IsSlip() {
		return ledger.SlipSubject(s.Key.Account, s.Slip)
	}
	return s.Key.Subject()
}

// Weak is the level of a pair that rests on amount and day alone.
const Weak = 7

// Pair is a payment and the sale that it is.
type Pair struct {
	Own, Sale int // places
	Level     int
}

// Duplicate is a payment that names a sale which another payment has.
type Duplicate struct {
	Own, Sale int
}

// Result is what was found. Places are in order.
type Result struct {
	Pairs      []Pair
	Duplicated []Duplicate
	LeftOwn    []int
	LeftSales  []int
}

// Match pairs payments and sales. Their order does not matter.
func Match(own []Own, sales []Sale) Result {
	m := &matching{own: own, sales: sales, ownFree: listPlaces(len(own)), saleFree: listPlaces(len(sales)), seed: maphash.MakeSeed()}
	slices.SortFunc(m.ownFree, func(a, b int) int { return compareOwn(&own[a], &own[b]) })
	slices.SortFunc(m.saleFree, func(a, b int) int { return compareSales(&sales[a], &sales[b]) })
	m.usedOwn, m.usedSale = make([]bool, len(own)), make([]bool, len(sales))
	m.byID()
	m.byOurNumber()
	m.byReference()
	for level := 3; level < Weak; level++ {
		for _, read := range []func(string) string{asWritten, NormalizeCode} {
			for _, days := range nearness {
				m.byCodes(level, read, days)
			}
		}
	}
	m.byAmount()
	return m.sortResult()
}

func listPlaces(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func compareOwn(a, b *Own) int {
	return cmp.Or(cmp.Compare(a.SoldAt, b.SoldAt), cmp.Compare(a.Sale, b.Sale), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Store, b.Store))
}

func compareSales(a, b *Sale) int {
	return cmp.Or(cmp.Compare(a.SoldAt, b.SoldAt), cmp.Compare(a.Key.Account, b.Key.Account), cmp.Compare(a.Key.NSU, b.Key.NSU),
		cmp.Compare(a.Key.Auth, b.Key.Auth), cmp.Compare(a.Key.Occurrence, b.Key.Occurrence), cmp.Compare(a.Slip, b.Slip))
}

// matching is one matching on its way.
type matching struct {
	own               []Own
	sales             []Sale
	ownFree, saleFree []int // places not used up, in order
	usedOwn, usedSale []bool
	pairs             []Pair
	duplicates        []Duplicate
	seed              maphash.Seed
	hashes            []uint64     // of the keys of ownFree, while they are grouped; 0: it has none
	found             []hashedSale // while they are grouped
}

// pairGroups pairs the rows of each key. Where one sale has the key and several payments do, the first one is it; the others are duplicates
// if the level says so much, else nothing is paired.
func (m *matching) pairGroups(level int, ownKey func(*Own) (key, bool), saleKey func(*Sale) (key, bool)) {
	groups := m.groupRows(ownKey, saleKey)
	before := len(m.pairs)
	for i := range groups {
		m.pairGroup(level, &groups[i])
	}
	if len(m.pairs) == before {
		return
	}
	m.ownFree = slices.DeleteFunc(m.ownFree, func(i int) bool { return m.usedOwn[i] })
	m.saleFree = slices.DeleteFunc(m.saleFree, func(i int) bool { return m.usedSale[i] })
}

// duplicateLevels are those up to which payments with one key are duplicates of one payment.
const duplicateLevels = 4

func (m *matching) pairGroup(level int, g *group) {
	if g.sales != 1 || m.usedSale[g.sale] || len(g.others) > 0 && level > duplicateLevels {
		return
	}
	m.pairRow(level, g.own, g.sale)
	for _, i := range g.others {
		m.pairRow(level, i, g.sale)
	}
}

// pairRow pairs a payment with the sale that has its key, or notes that another one has the sale.
func (m *matching) pairRow(level, i, sale int) {
	o, s := &m.own[i], &m.sales[sale]
	switch {
	case m.usedOwn[i] || !o.mayBeIn(s.Key.Account) || level >= duplicateLevels && contradictEachOther(o, s, false):
		return
	case m.usedSale[sale]:
		m.duplicates = append(m.duplicates, Duplicate{Own: i, Sale: sale})
	default:
		m.usedSale[sale] = true
		m.pairs = append(m.pairs, Pair{Own: i, Sale: sale, Level: level})
	}
	m.usedOwn[i] = true
}

func (o *Own) mayBeIn(a ledger.Account) bool {
	return len(o.Accounts) == 0 || slices.Contains(o.Accounts, a)
}

// contradictEachOther reports whether something that both sides know differs.
func contradictEachOther(o *Own, s *Sale, codes bool) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && NormalizeCode(a) != NormalizeCode(b) }
	return differ(o.Brand, s.Brand) || differ(o.Last4, s.Last4) || differ(o.Terminal, s.Terminal) || codes && differ(o.Auth, s.Key.Auth)
}

// byID pairs by the id of a payment on the web, and slips by theirs.
func (m *matching) byID() {
	m.pairGroups(1,
		func(o *Own) (key, bool) {
			if o.IsSlip() {
				return key{slip: true, a: strings.ToLower(o.SlipID)}, o.SlipID != ""
			}
			return key{a: o.PaymentID}, o.PaymentID != ""
		},
		func(s *Sale) (key, bool) {
			if s.IsSlip() {
				return key{slip: true, a: strings.ToLower(s.Slip)}, true
			}
			return key{a: s.WebPaymentID}, s.WebPaymentID != ""
		})
}

// byOurNumber pairs slips by the number that the bank knows them by.
func (m *matching) byOurNumber() {
	m.pairGroups(2,
		func(o *Own) (key, bool) { return key{slip: true, a: o.OurNumber}, o.IsSlip() && o.OurNumber != "" },
		func(s *Sale) (key, bool) { return key{slip: true, a: s.OurNumber}, s.IsSlip() && s.OurNumber != "" })
}

// byReference pairs by the order's reference. Where several rows have it their amounts must agree too.
func (m *matching) byReference() {
	own, sales := map[key]int{}, map[key]int{}
	ofOwn := func(o *Own) key { return key{slip: o.IsSlip(), a: o.Reference} }
	ofSale := func(s *Sale) key { return key{slip: s.IsSlip(), a: s.Reference} }
	for _, i := range m.ownFree {
		if o := &m.own[i]; o.Reference != "" {
			own[ofOwn(o)]++
		}
	}
	for _, i := range m.saleFree {
		if k := ofSale(&m.sales[i]); own[k] > 0 {
			sales[k]++
		}
	}
	addAmount := func(k key, a ledger.Amount) (key, bool) {
		if own[k] > 1 || sales[k] > 1 {
			k.amount = a
		}
		return k, k.a != ""
	}
	m.pairGroups(2,
		func(o *Own) (key, bool) { return addAmount(ofOwn(o), o.Amount) },
		func(s *Sale) (key, bool) { return addAmount(ofSale(s), s.Total) })
}

// nearness are the ways in which days agree: the same, or the neighbouring one of a time within two hours of midnight, on either side.
var nearness = []struct{ own, sale bool }{{}, {own: true}, {sale: true}}

// byCodes pairs by what the terminal printed: NSU and authorization, as far as the level uses them, and the day.
func (m *matching) byCodes(level int, read func(string) string, days struct{ own, sale bool }) {
	codes := func(nsu, auth string, a ledger.Amount, day ledger.Date) (key, bool) {
		k := key{day: day}
		if day == 0 {
			return k, false
		}
		if level == 3 || level == 5 {
			if k.a = read(nsu); k.a == "" {
				return k, false
			}
		}
		if level != 5 {
			if k.b = read(auth); k.b == "" || level == 6 && len(k.b) < 4 {
				return k, false
			}
		}
		if level == 4 || level == 5 {
			k.amount = a
		}
		return k, true
	}
	m.pairGroups(level,
		func(o *Own) (key, bool) {
			if o.IsSlip() {
				return key{}, false
			}
			return codes(o.NSU, o.Auth, o.Amount, dayOf(o.SoldAt, days.own && o.Timed, days.own))
		},
		func(s *Sale) (key, bool) {
			if s.IsSlip() {
				return key{}, false
			}
			return codes(s.Key.NSU, s.Key.Auth, s.Total, dayOf(s.SoldAt, days.sale, days.sale))
		})
}

// dayOf is the day of a time, or the neighbouring one if that is asked for; 0 where it has none that is near.
func dayOf(at ledger.LocalTime, timed, neighbour bool) ledger.Date {
	if !neighbour {
		return at.Date()
	}
	if !timed {
		return 0
	}
	return at.NeighbourDay(2)
}

func asWritten(s string) string { return s }

// NormalizeCode makes codes comparable that one side pads or prints in small letters.
func NormalizeCode(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] >= 'a' && s[i] <= 'z' || s[i] >= 0x80 {
			plain = false
			break
		}
	}
	if !plain {
		s = strings.Map(unicode.ToUpper, s)
	}
	return strings.TrimLeft(strings.TrimSpace(s), "0")
}

// sortResult puts everything in order.
func (m *matching) sortResult() Result {
	slices.SortFunc(m.pairs, func(a, b Pair) int { return cmp.Compare(a.Own, b.Own) })
	slices.SortFunc(m.duplicates, func(a, b Duplicate) int { return cmp.Compare(a.Own, b.Own) })
	slices.Sort(m.ownFree)
	slices.Sort(m.saleFree)
	return Result{Pairs: m.pairs, Duplicated: m.duplicates, LeftOwn: m.ownFree, LeftSales: m.saleFree}
}
