package match

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// Grain is what the payer makes one credit of.
type Grain string

// The grains, from coarse to fine.
const (
	Day          Grain = "day"
	Brand        Grain = "brand"
	BrandProduct Grain = "brand_product"
	Slip         Grain = "slip" // each slip alone, cards by day
)

// SlipBrand stands for the brand of slips.
const SlipBrand = "slips"

// Item is what the service calls credited, summed where it has these members alike.
type Item struct {
	Day     ledger.Date // of the credit
	Account ledger.Account
	Brand   string // SlipBrand for slips
	Product string
	Slip    string // id; empty for cards
	// Tariff is what is kept of each slip.
	Tariff ledger.Opt[ledger.Amount]
	Count  int64
	Amount ledger.Amount // whole cents
}

// Name is the item as people read it: ACCOUNT/BRAND/PRODUCT, of slips ACCOUNT/slips.
func (it *Item) Name() string {
	return strings.TrimRight(it.Account.String()+"/"+it.Brand+"/"+it.Product, "/")
}

// Group are the items expected as one credit.
type Group struct {
	// Key is what distinguishes it within its payer: DATE[:ACCOUNT][:BRAND[:PRODUCT]] or DATE[:ACCOUNT]:slip:ID.
	Key     string
	Day     ledger.Date // of the credit
	BankDay ledger.Date // the business day of it, or after it
	Account ledger.Account
	Brand   string
	Product string
	Items   []Item // in order of account, brand, product and slip
	Count   int64
	Amount  ledger.Amount
}

// groupItems makes groups of items, in order of key.
func groupItems(items []Item, grain Grain, perAccount bool, days *calendar.Calendar) []Group {
	byKey := make(map[string]*Group, len(items)/2)
	var order []*Group // sorted instead of the groups, which are large
	for _, it := range items {
		g := newGroup(&it, grain, perAccount)
		if byKey[g.Key] == nil {
			g.BankDay = BankDay(days, it.Day)
			byKey[g.Key] = &g
			order = append(order, &g)
		}
		known := byKey[g.Key]
		known.Items = append(known.Items, it)
		known.Count += it.Count
		known.Amount += it.Amount
	}
	slices.SortFunc(order, func(a, b *Group) int {
		if a.Day != b.Day || a.Amount != b.Amount {
			return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Amount, b.Amount))
		}
		return strings.Compare(a.Key, b.Key)
	})
	groups := make([]Group, len(order))
	for i, g := range order {
		slices.SortFunc(g.Items, compareItems)
		groups[i] = *g
	}
	return groups
}

// newGroup is the group of an item, without it.
func newGroup(it *Item, grain Grain, perAccount bool) Group {
	g := Group{Day: it.Day}
	if perAccount {
		g.Account = it.Account
	}
	slip := ""
	switch {
	case grain == Slip && it.Slip != "":
		g.Brand, slip = SlipBrand, it.Slip
	case grain == Brand:
		g.Brand = it.Brand
	case grain == BrandProduct:
		g.Brand, g.Product = it.Brand, it.Product
	}
	g.Key = groupKey(&g, slip)
	return g
}

// KeyOf is the key of the group of an item.
func KeyOf(it *Item, grain Grain, perAccount bool) string {
	g := newGroup(it, grain, perAccount)
	return g.Key
}

func groupKey(g *Group, slip string) string {
	key := g.Day.String()
	if g.Account != 0 {
		key += ":" + strconv.FormatInt(int64(g.Account), 10)
	}
	switch {
	case slip != "":
		key += ":slip:" + slip
	case g.Product != "":
		key += ":" + g.Brand + ":" + g.Product
	case g.Brand != "":
		key += ":" + g.Brand
	}
	return key
}

func compareItems(a, b Item) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product),
		cmp.Compare(a.Slip, b.Slip), cmp.Compare(a.Amount, b.Amount), cmp.Compare(a.Count, b.Count), cmp.Compare(a.Tariff.V, b.Tariff.V))
}

// part is a piece of a group at a finer grain.
type part struct {
	brand, product string
	amount         ledger.Amount
}

// listPartitions are the ways to cut a group into the credits of a finer grain, each with two parts at least.
func (g *Group) listPartitions() [][]part {
	type cut struct {
		account        ledger.Account
		brand, product string
		slip           string
	}
	cuts := []func(*Item) cut{
		func(it *Item) cut { return cut{account: it.Account} },
		func(it *Item) cut { return cut{brand: it.Brand} },
		func(it *Item) cut { return cut{account: it.Account, brand: it.Brand} },
		func(it *Item) cut { return cut{brand: it.Brand, product: it.Product} },
		func(it *Item) cut { return cut{account: it.Account, brand: it.Brand, product: it.Product} },
		func(it *Item) cut { return cut{brand: it.Brand, slip: it.Slip} },
	}
	var all [][]part
	for _, by := range cuts {
		at := map[cut]int{}
		var parts []part
		for i := range g.Items {
			it := &g.Items[i]
			k := by(it)
			n, has := at[k]
			if !has {
				n = len(parts)
				at[k] = n
				parts = append(parts, part{brand: k.brand, product: k.product})
			}
			parts[n].amount += it.Amount
		}
		if len(parts) > 1 {
			all = append(all, parts)
		}
	}
	return all
}
