package cards

import (
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// DoubleCharge is the code of a sale that repeats another within minutes.
const DoubleCharge = "TXN_POSSIBLE_DOUBLE_CHARGE"

// duplicateWithin is how near two sales must be, in ticks of 100 ns: five minutes.
const duplicateWithin = ledger.LocalTime(5 * 60 * 10_000_000)

// DuplicateSales finds two sales with the same card, terminal and total within minutes. It receives the sales of a day one by
// one and evaluates them at the end of the day; the last minutes of a day are carried over to the next.
type DuplicateSales struct {
	day   []chargedSale
	carry []chargedSale
}

type chargedSale struct {
	key      ledger.SaleKey
	at       ledger.LocalTime
	card     string
	terminal string
	total    ledger.Amount
}

// Add records a sale if it is eligible and returns its status so far: not eligible, unmapped, or Passed, which Close may
// change.
func (d *DuplicateSales) Add(s *rules.Sale) rules.Status {
	switch {
	case s.Unmapped:
		return rules.Unmapped
	case !s.Live || !s.Total.OK || s.TotalConflict || s.Rows[0].Now.Card == "":
		return rules.NotEligible
	}
	now := s.Rows[0].Now
	d.day = append(d.day, chargedSale{s.Key, now.SoldAt, now.Card, now.Terminal, s.Total.V})
	return rules.Passed
}

// Close evaluates the sales of the day and calls each for every one of them. The later sale of a pair fires.
func (d *DuplicateSales) Close(each func(ledger.SaleKey, rules.Outcome)) {
	all := append(slices.Clone(d.carry), d.day...)
	slices.SortFunc(all, func(a, b chargedSale) int {
		return firstNonZero(strings.Compare(a.card, b.card), strings.Compare(a.terminal, b.terminal), int(signOf(a.total-b.total)),
			int(signOf(a.at-b.at)), strings.Compare(a.key.NSU, b.key.NSU), strings.Compare(a.key.Auth, b.key.Auth),
			a.key.Occurrence-b.key.Occurrence)
	})
	carried := make(map[ledger.SaleKey]bool, len(d.carry))
	for _, c := range d.carry {
		carried[c.key] = true
	}
	d.carry = d.carry[:0]
	for i, b := range all {
		if carried[b.key] {
			continue
		}
		o := rules.Passed.Outcome()
		for j := i - 1; j >= 0 && all[j].isNear(b); j-- {
			if all[j].key.NSU == b.key.NSU {
				continue
			}
			o = rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{
				rules.NamedAmount("amount", b.total), rules.NamedText("first", timeOfDay(all[j].at)), rules.NamedText("second", timeOfDay(b.at)),
				rules.NamedText("nsu", all[j].key.NSU), rules.NamedText("other", b.key.NSU),
			}}
			break
		}
		each(b.key, o)
		if (b.at + duplicateWithin).Date() != b.at.Date() {
			d.carry = append(d.carry, b)
		}
	}
	d.day = d.day[:0]
}

func (d chargedSale) isNear(b chargedSale) bool {
	return d.card == b.card && d.terminal == b.terminal && d.total == b.total && b.at-d.at <= duplicateWithin
}

func timeOfDay(t ledger.LocalTime) string {
	_, hour, _ := strings.Cut(t.String(), "T")
	return hour
}

func signOf[T ~int64](v T) T {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}

func firstNonZero(orders ...int) int {
	for _, o := range orders {
		if o != 0 {
			return o
		}
	}
	return 0
}
