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

// SlipBrand is what slips have in place of a brand.
const SlipBrand = "slips"

// Item is what the service calls credited, summed where it has these members alike.
type Item struct {
	Day     ledger.Date // of the credit
	Account ledger.Account
	Brand   string // SlipBrand for slips
	Product string
	Slip    string // id; empty for cards
	// Title is the subject of the single installment or slip that it is; empty: it may be a sum of several.
	Title string
	// Tariff is what is kept of each slip.
	Tariff ledger.Opt[ledger.Amount]
	Count  int64
	Amount ledger.Amount // whole cents
	Splits ledger.Amount // what left of it before the credit
}

// Name is the item as people read it: its title's subject, else ACCOUNT/BRAND/PRODUCT, of slips ACCOUNT/slips.
func (it *Item) Name() string {
	if it.Title != "" {
		return it.Title
	}
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
	Titles  []Item // each by itself, where they were read to be explained with; in any order
	Count   int64
	Amount  ledger.Amount
	Splits  ledger.Amount // what left of it before the credit
}

// groupItems makes groups of items, in order of day, amount and key. Items are put in order day by day, so that what they cost grows
// with their number and hardly with the days.
func groupItems(items []Item, grain Grain, perAccount bool, days *calendar.Calendar) []Group {
	sorted := orderByDay(items, func(it *Item) ledger.Date { return it.Day })
	groups := make([]Group, 0, len(items))
	var order dayOrder[Group]
	for from := 0; from < len(sorted); {
		to := countDay(sorted, from, func(it *Item) ledger.Date { return it.Day })
		first := len(groups)
		groups = appendGroups(groups, sorted[from:to], grain, perAccount, BankDay(days, sorted[from].Day))
		order.sort(groups[first:], func(g *Group) (ledger.Amount, string) { return g.Amount, g.Key })
		from = to
	}
	return groups
}

// appendGroups adds the groups of a day's items, which it puts in order.
func appendGroups(to []Group, items []Item, grain Grain, perAccount bool, bankDay ledger.Date) []Group {
	slices.SortFunc(items, func(a, b Item) int {
		x, y := cutOf(&a, grain, perAccount), cutOf(&b, grain, perAccount)
		if c := cmp.Or(cmp.Compare(x.account, y.account), strings.Compare(x.brand, y.brand), strings.Compare(x.product, y.product), strings.Compare(x.slip, y.slip)); c != 0 {
			return c
		}
		return compareItems(a, b)
	})
	for from := 0; from < len(items); {
		g := newGroup(&items[from], grain, perAccount)
		g.BankDay = bankDay
		first, n := cutOf(&items[from], grain, perAccount), from
		for ; n < len(items) && cutOf(&items[n], grain, perAccount) == first; n++ {
			g.Count += items[n].Count
			g.Amount += items[n].Amount
			g.Splits += items[n].Splits
		}
		g.Items = items[from:n:n]
		to, from = append(to, g), n
	}
	return to
}

// cutOf is what distinguishes the group of an item within its day. A brand or product with a colon in it is not distinguished from a pair that
// is spelled alike in keys.
func cutOf(it *Item, grain Grain, perAccount bool) (c cut) {
	if perAccount {
		c.account = it.Account
	}
	switch {
	case grain == Slip && it.Slip != "":
		c.brand, c.slip = SlipBrand, it.Slip
	case grain == Brand:
		c.brand = it.Brand
	case grain == BrandProduct && (strings.Contains(it.Brand, ":") || strings.Contains(it.Product, ":")):
		c.brand = it.Brand + ":" + it.Product
	case grain == BrandProduct:
		c.brand, c.product = it.Brand, it.Product
	}
	return c
}

// newGroup is the group of an item, without it.
func newGroup(it *Item, grain Grain, perAccount bool) Group {
	c := cutOf(it, grain, perAccount)
	g := Group{Day: it.Day, Account: c.account, Brand: c.brand, Product: c.product}
	g.Key = groupKey(&g, c.slip)
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

// cut is what the items of a part, or of a group, have alike.
type cut struct {
	account        ledger.Account
	brand, product string
	slip           string
}

// listPartitions are the ways to cut a group into the credits of a finer grain, each with two parts at least.
func (g *Group) listPartitions() [][]part {
	if len(g.Items) < 2 {
		return nil
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
