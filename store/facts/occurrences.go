package facts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// storedVersion is the last version that the ledger has of an installment's key, current or vanished.
type storedVersion struct {
	key         ledger.InstallmentKey
	version     int
	sale        int   // number of the sale among those of its day, NSU and authorization
	fingerprint int64 // see saleFingerprint
	content     ledger.Hash
	firstSeen   ledger.Date
	vanished    bool
	proven      bool // a complete pull of its own day showed it
	shown       bool // by the answer being merged
}

// candidate is a row of the answer being merged, on its way to a key.
type candidate struct {
	row         *ledger.Installment
	key         ledger.InstallmentKey // Occurrence is assigned
	content     ledger.Hash
	fingerprint int64
	sale        int
	position    int            // its place in the answer
	stored      *storedVersion // what the ledger has under the key, nil when it is new
}

// rowPlace is an installment's place among the rows of one day, NSU and authorization.
type rowPlace struct{ number, occurrence int }

// saleFingerprint distinguishes sales that share day, NSU and authorization: by instant, terminal, card, total and count. It is
// short because it only decides which of several numbers a row takes, never whether two rows are the same.
func saleFingerprint(i *ledger.Installment) int64 {
	h := fnv.New64a()
	var b [32]byte
	binary.BigEndian.PutUint64(b[0:], uint64(i.SoldAt))
	binary.BigEndian.PutUint64(b[8:], uint64(i.SaleTotal.V))
	binary.BigEndian.PutUint64(b[16:], uint64(i.InstallmentCount()))
	b[24] = byte(sqldb.BoolArg(i.SaleTotal.OK))
	_, _ = h.Write(b[:])
	_, _ = h.Write([]byte(i.Terminal + "\x00" + i.Card))
	return int64(h.Sum64())
}

// assignOccurrences gives every row of one day, NSU and authorization its occurrence. Rows equal to a kept version keep its
// occurrence; the rest take the free numbers in a fixed order, so that the order of the answer does not matter. Rows
// of one sale share an occurrence: where an installment number repeats, the fingerprint distinguishes the sales, and what it
// cannot distinguish stays one sale with a repeated number, whose later rows take occurrences of their own.
func assignOccurrences(rows []*candidate, before []*storedVersion) {
	if isUnambiguous(rows, before) {
		for _, c := range rows {
			c.sale, c.key.Occurrence = 1, 1
			for _, k := range before {
				if k.key.Number == c.key.Number {
					c.stored = k
				}
			}
		}
		return
	}
	a := newAssignment(rows, before)
	a.keepPlaces()
	a.findSales()
	a.placeOthers()
}

// isUnambiguous reports whether no installment number repeats, now or in the ledger, so that there is one sale.
func isUnambiguous(rows []*candidate, before []*storedVersion) bool {
	for _, k := range before {
		if k.key.Occurrence != 1 || k.sale != 1 {
			return false
		}
	}
	// Without an NSU a day's rows may all fall together, so the search for a repetition is bounded.
	if len(rows) > 48 {
		return false
	}
	for i, c := range rows {
		for _, d := range rows[:i] {
			if c.key.Number == d.key.Number {
				return false
			}
		}
	}
	return true
}

type assignment struct {
	rows       []*candidate
	before     map[rowPlace]*storedVersion
	order      []*storedVersion
	taken      map[rowPlace]bool
	saleOf     map[int64]int // by mark
	claims     map[int]int64 // by sale: the mark that claimed it
	hasRepeats bool
}

func newAssignment(rows []*candidate, before []*storedVersion) *assignment {
	a := &assignment{
		rows: rows, order: before, before: make(map[rowPlace]*storedVersion), taken: make(map[rowPlace]bool),
		saleOf: make(map[int64]int), claims: make(map[int]int64),
	}
	slices.SortFunc(a.rows, func(x, y *candidate) int {
		return cmp.Or(
			cmp.Compare(x.row.SoldAt, y.row.SoldAt),
			cmp.Compare(x.row.Terminal, y.row.Terminal),
			cmp.Compare(x.row.Card, y.row.Card),
			cmp.Compare(x.row.SaleTotal.V, y.row.SaleTotal.V),
			cmp.Compare(x.row.Gross, y.row.Gross),
			bytes.Compare(x.content[:], y.content[:]),
		)
	})
	slices.SortFunc(a.order, func(x, y *storedVersion) int {
		return cmp.Or(cmp.Compare(sqldb.BoolArg(x.vanished), sqldb.BoolArg(y.vanished)), cmp.Compare(x.sale, y.sale),
			cmp.Compare(x.key.Occurrence, y.key.Occurrence), cmp.Compare(x.key.Number, y.key.Number))
	})
	for _, k := range before {
		a.before[rowPlace{k.key.Number, k.key.Occurrence}] = k
	}
	seen := make(map[int]bool)
	for _, c := range rows {
		a.hasRepeats = a.hasRepeats || seen[c.key.Number]
		seen[c.key.Number] = true
	}
	return a
}

// keepPlaces gives rows that are as they were the place they had.
func (a *assignment) keepPlaces() {
	type same struct {
		number  int
		content ledger.Hash
	}
	free := make(map[same][]*storedVersion)
	for _, k := range a.order {
		s := same{k.key.Number, k.content}
		free[s] = append(free[s], k)
	}
	for _, c := range a.rows {
		s := same{c.key.Number, c.content}
		if len(free[s]) == 0 {
			continue
		}
		k := free[s][0]
		free[s] = free[s][1:]
		a.placeRow(c, k.key.Occurrence, k.sale)
		a.claimSale(c.fingerprint, k.sale)
	}
}

func (a *assignment) placeRow(c *candidate, occurrence, sale int) {
	p := rowPlace{c.key.Number, occurrence}
	a.taken[p] = true
	c.key.Occurrence, c.sale, c.stored = occurrence, sale, a.before[p]
}

// claimSale joins a mark and a sale unless either is joined already.
func (a *assignment) claimSale(mark int64, sale int) {
	_, marked := a.saleOf[mark]
	_, claimed := a.claims[sale]
	if marked || claimed {
		return
	}
	a.saleOf[mark], a.claims[sale] = sale, mark
}

// findSales finds the sale of every mark: that of rows which stayed, that of rows which had the mark before, and else,
// when nothing repeats, the one sale there is, or the next free number.
func (a *assignment) findSales() {
	had := make(map[int64][]int)
	for _, k := range a.order {
		had[k.fingerprint] = append(had[k.fingerprint], k.sale)
	}
	for _, c := range a.rows {
		for _, sale := range had[c.fingerprint] {
			a.claimSale(c.fingerprint, sale)
		}
	}
	for _, c := range a.rows {
		if _, ok := a.saleOf[c.fingerprint]; ok {
			continue
		}
		if !a.hasRepeats {
			a.saleOf[c.fingerprint] = a.onlySale(c.fingerprint)
			continue
		}
		sale := 1
		for {
			if _, claimed := a.claims[sale]; !claimed {
				break
			}
			sale++
		}
		a.claimSale(c.fingerprint, sale)
	}
}

// onlySale is the sale that all rows belong to when no number repeats.
func (a *assignment) onlySale(mark int64) int {
	least := 0
	for sale := range a.claims {
		if least == 0 || sale < least {
			least = sale
		}
	}
	if least == 0 {
		least = 1
		if len(a.order) > 0 {
			least = a.order[0].sale
		}
		a.claims[least] = mark
	}
	return least
}

// placeOthers places what changed or is new: at its sale's number, or, repeated within the sale, at a number of its own.
func (a *assignment) placeOthers() {
	var extras []*candidate
	for _, c := range a.rows {
		switch sale := a.saleOf[c.fingerprint]; {
		case c.key.Occurrence != 0:
		case a.taken[rowPlace{c.key.Number, sale}]:
			extras = append(extras, c)
		default:
			a.placeRow(c, sale, sale)
		}
	}
	// An extra row first takes the place of one that its sale had; else it keeps clear of other sales' numbers.
	had := make(map[rowPlace][]int)
	for _, k := range a.order {
		p := rowPlace{k.key.Number, k.sale}
		had[p] = append(had[p], k.key.Occurrence)
	}
	next := make(map[int]int)
	for _, c := range extras {
		sale, occurrence := a.saleOf[c.fingerprint], 0
		for _, o := range had[rowPlace{c.key.Number, sale}] {
			if !a.taken[rowPlace{c.key.Number, o}] {
				occurrence = o
				break
			}
		}
		for o := max(1, next[c.key.Number]); occurrence == 0; o++ {
			if _, claimed := a.claims[o]; !claimed && !a.taken[rowPlace{c.key.Number, o}] {
				occurrence = o
				next[c.key.Number] = o + 1
			}
		}
		a.placeRow(c, occurrence, sale)
	}
}
