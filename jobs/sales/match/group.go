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
	hash   uint64 // of the key
	own    int    // the first payment
	others []int  // that have the key, too
	owns   int    // how many payments there are
	sale   int    // the first sale
	sales  int
}

// hashedSale is a sale whose key a payment may have, and the hash of the key.
type hashedSale struct {
	place int
	hash  uint64
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
	m.found = m.found[:0]
	there := newSieve(len(m.ownFree))
	for _, i := range m.saleFree {
		if k, has := saleKey(&m.sales[i]); has {
			if h := k.hash(m.seed); wanted.has(h) {
				there.add(h)
				m.found = append(m.found, hashedSale{i, h})
			}
		}
	}
	if len(m.found) == 0 {
		return nil
	}
	return m.joinRows(there, ownKey, saleKey)
}

// joinRows groups the sales that were found with the payments of their keys.
func (m *matching) joinRows(there *sieve, ownKey func(*Own) (key, bool), saleKey func(*Sale) (key, bool)) []group {
	ofSales := newGroups(len(m.found))
	for _, s := range m.found {
		k, _ := saleKey(&m.sales[s.place])
		at, known := ofSales.findGroup(s.hash, func(g *group) bool { return m.hasKey(g, &k, saleKey) })
		if !known {
			ofSales.add(at, group{hash: s.hash, sale: s.place})
		}
		ofSales.get(at).sales++
	}
	var order []int
	for n, i := range m.ownFree {
		if m.hashes[n] == 0 || !there.has(m.hashes[n]) {
			continue
		}
		k, _ := ownKey(&m.own[i])
		at, known := ofSales.findGroup(m.hashes[n], func(g *group) bool { return m.hasKey(g, &k, saleKey) })
		if !known {
			continue
		}
		g := ofSales.get(at)
		if g.owns++; g.owns > 1 {
			g.others = append(g.others, i)
			continue
		}
		g.own, order = i, append(order, at)
	}
	groups := make([]group, len(order))
	for n, at := range order {
		groups[n] = *ofSales.get(at)
	}
	return groups
}

// hasKey reports whether a group is that of a key.
func (m *matching) hasKey(g *group, k *key, saleKey func(*Sale) (key, bool)) bool {
	its, _ := saleKey(&m.sales[g.sale])
	return its == *k
}

// groups finds groups by their hashes: a map of the keys themselves would hash their texts once more, and keep them.
type groups struct {
	all    []group
	places []int32 // at the hash or behind it: the number of a group from 1, 0: free
	mask   uint64
}

// newGroups is a place for so many.
func newGroups(n int) *groups {
	size := uint64(8)
	for size < uint64(n)*2 {
		size *= 2
	}
	return &groups{all: make([]group, 0, n), places: make([]int32, size), mask: size - 1}
}

// findGroup is the place of a group with a hash, of which is says whether it is meant, or where it would be.
func (t *groups) findGroup(hash uint64, is func(*group) bool) (at int, known bool) {
	for i := hash >> 1 & t.mask; ; i = (i + 1) & t.mask {
		if t.places[i] == 0 {
			return int(i), false
		}
		if g := &t.all[t.places[i]-1]; g.hash == hash && is(g) {
			return int(i), true
		}
	}
}

// add adds a group at the place that find returned.
func (t *groups) add(at int, g group) {
	t.all = append(t.all, g)
	t.places[at] = int32(len(t.all))
}

// get is the group at a place.
func (t *groups) get(at int) *group { return &t.all[t.places[at]-1] }

// sieve knows all hashes that were added, and most that were not: it is a Bloom filter.
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
