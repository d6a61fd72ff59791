package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// bridge sums the brackets of one side by day, brand, product and line, and by month what the lines add up to.
type bridge struct {
	account ledger.Account
	side    string
	cells   map[cell]ledger.Amount
	months  map[month]ledger.Amount
	totals  map[lineKey]ledger.Amount
}

type lineKey struct {
	line   ledger.Line
	reason string
}

type cell struct {
	day     ledger.Date
	brand   string
	product ledger.Product
	lineKey
}

// month is what the two sides of a bridge are compared by.
type month struct {
	first   ledger.Date
	brand   string
	product ledger.Product
}

func newBridge(a ledger.Account, side string) bridge {
	return bridge{a, side, map[cell]ledger.Amount{}, map[month]ledger.Amount{}, map[lineKey]ledger.Amount{}}
}

// add puts the brackets of a row on its day.
func (b *bridge) add(day ledger.Date, brand string, product ledger.Product, brackets []ledger.Bracket) error {
	m := month{monthOf(day), brand, product}
	for _, x := range brackets {
		k := lineKey{x.Line, x.Reason}
		if err := addTo(b.cells, cell{day, brand, product, k}, x.Amount); err != nil {
			return err
		}
		if err := addTo(b.months, m, x.Amount); err != nil {
			return err
		}
		if err := addTo(b.totals, k, x.Amount); err != nil {
			return err
		}
	}
	return nil
}

func addTo[K comparable](sums map[K]ledger.Amount, k K, a ledger.Amount) error {
	s, err := sums[k].Add(a)
	sums[k] = s
	return err
}

// flush gives the rows gathered so far, those that came to zero included: a line that closed says so.
func (b *bridge) flush() []ledger.BridgeRow {
	rows := make([]ledger.BridgeRow, 0, len(b.cells))
	for c, a := range b.cells {
		rows = append(rows, ledger.BridgeRow{
			Account: b.account, Side: b.side, Day: c.day, Brand: c.brand, Product: c.product, Line: c.line, Reason: c.reason, Amount: a,
		})
	}
	clear(b.cells)
	slices.SortFunc(rows, compareRows)
	return rows
}

// lines are the totals by line.
func (b *bridge) lines() []ledger.BridgeRow {
	var rows []ledger.BridgeRow
	for k, a := range b.totals {
		if a != 0 {
			rows = append(rows, ledger.BridgeRow{Account: b.account, Side: b.side, Line: k.line, Reason: k.reason, Amount: a})
		}
	}
	slices.SortFunc(rows, compareRows)
	return rows
}

func compareRows(a, b ledger.BridgeRow) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), strings.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product),
		cmp.Compare(a.Line, b.Line), strings.Compare(a.Reason, b.Reason))
}

func compareText(a, b string) int { return strings.Compare(a, b) }
