package match

import (
	"hash/maphash"

	"concilia/store/ledger"
)

// key is what both sides must agree in. Parts that a level does not use are zero.
type key struct {
	slip   bool
	a, b   string
	amount ledger.Amount
	day    ledger.Date
}

// hash is a number of the key that is not 0. Other keys may have it, too.
func (k *key) hash(seed maphash.Seed) uint64 {
	h := maphash.String(seed, k.a)
	if k.b != "" {
		h = h*31 + maphash.String(seed, k.b)
	}
	h ^= uint64(k.amount)*0x9E3779B97F4A7C15 ^ uint64(k.day)*0xC2B2AE3D27D4EB4F
	return (h ^ h>>29) | 1
}

// group are the free rows of a key that both sides have.
type group struct {
	own    int   // the first payment
	others []int // that have the key, too
	owns   int   // how many payments there are
	sale   int   // the first sale
	sales  int
}

// groupRows puts the free rows of each key together that both sides have, in the order of payments. Most keys are of one side alone: they
// are sorted out by a bit of their hash, without being looked up.
func (m *matching) groupRows(ownKey func(*Own) (key, bool), saleKey func(*Sale) (key, bool)) []group {
	wanted, some := newSieve(len(m.ownFree)), false
	m.hashes = m.hashes[:0]
	for _, i := range m.ownFree {
		k, has := ownKey(&m.own[i])
		if !has {
			m.hashes = append(m.hashes, 0)
			continue
		}
		h := k.hash(m.seed)
		wanted.add(h)
		m.hashes, some = append(m.hashes, h), true
	}
	if !some {
		return nil
	}
	var found []int // sales whose key a payment may have
	there := newSieve(len(m.ownFree))
	for _, i := range m.saleFree {
		if k, has := saleKey(&m.sales[i]); has {
			if h := k.hash(m.seed); wanted.has(h) {
				there.add(h)
				found = append(found, i)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return m.joinRows(found, there, ownKey, saleKey)
}

// joinRows groups the sales that were found with the payments of their keys.
func (m *matching) joinRows(found []int, there *sieve, ownKey func(*Own) (key, bool), saleKey func(*Sale) (key, bool)) []group {
	places := make(map[key]int, len(found))
	ofSales := make([]group, 0, len(found))
	for _, i := range found {
		k, _ := saleKey(&m.sales[i])
		n, known := places[k]
		if !known {
			n = len(ofSales)
			places[k], ofSales = n, append(ofSales, group{sale: i})
		}
		ofSales[n].sales++
	}
	var order []int
	for n, i := range m.ownFree {
		if m.hashes[n] == 0 || !there.has(m.hashes[n]) {
			continue
		}
		k, _ := ownKey(&m.own[i])
		at, known := places[k]
		if !known {
			continue
		}
		g := &ofSales[at]
		if g.owns++; g.owns > 1 {
			g.others = append(g.others, i)
			continue
		}
		g.own, order = i, append(order, at)
	}
	groups := make([]group, len(order))
	for n, at := range order {
		groups[n] = ofSales[at]
	}
	return groups
}

// sieve tells hashes that were added from most of those that were not.
type sieve struct {
	bits []uint64
	mask uint64 // of the number of a bit
}

// newSieve is one for so many hashes: it has sixteen bits for each at least.
func newSieve(n int) *sieve {
	size := uint64(64)
	for size < uint64(n)*16 {
		size *= 2
	}
	return &sieve{bits: make([]uint64, size/64), mask: size - 1}
}

func (s *sieve) add(h uint64) {
	at := h >> 1 & s.mask
	s.bits[at/64] |= 1 << (at % 64)
}

func (s *sieve) has(h uint64) bool {
	at := h >> 1 & s.mask
	return s.bits[at/64]&(1<<(at%64)) != 0
}
