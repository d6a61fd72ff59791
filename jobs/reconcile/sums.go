package reconcile

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

// The kinds of populations.
const (
	kindGuard        = "guard"        // counters of the guard, by their key
	kindSpelling     = "spelling"     // rows with an unmapped spelling: member and spelling
	kindNoContract   = "bare"         // rows without a contract line, and their gross: month, brand, product and band
	kindRated        = "rated"        // rows whose MDR counts for the rate, MDR and gross: month, brand, product and band
	kindMonth        = "month"        // rows of a month and their gross: side and month
	kindDay          = "day"          // rows of a day and their gross: side and day
	kindChanged      = "changed"      // changes of class that pulls of a day showed
	kindUnnotified   = "untold"       // those without a notification
	kindQuarantined  = "unread"       // days of cards with a quarantined row: their sales are not complete
	kindMeasured     = "measured"     // rows at the last calibration
	kindUnattributed = "unattributed" // brackets that could not be attributed, without their sign
)

const (
	cardSide = "cards"
	slipSide = "slips"
)

type populationKey struct{ kind, item string }

type bridgeKey struct {
	side    string
	day     ledger.Date
	brand   string
	product ledger.Product
	line    ledger.BridgeLine
	reason  string
}

// bridgeSum is the sum of brackets, and the sum of the negative ones among them without their sign.
type bridgeSum struct{ amount, excess ledger.Amount }

type toleratedKey struct {
	code  string
	month ledger.Date
}

// aggregateChanges is what a run adds to the aggregates of an account; if everything is evaluated, it is all of them.
type aggregateChanges struct {
	bridge     map[bridgeKey]bridgeSum
	rounding   map[toleratedKey]ledger.Amount
	counts     map[populationKey]populationSum
	days       groupSums[sideDay] // and, added up, months
	noContract groupSums[rules.MonthGroup]
	rated      groupSums[rules.MonthGroup]
	guard      assumptions.Guard
}

type sideDay struct {
	side string
	day  ledger.Date
}

func newAggregateChanges() aggregateChanges {
	return aggregateChanges{
		bridge: map[bridgeKey]bridgeSum{}, rounding: map[toleratedKey]ledger.Amount{}, counts: map[populationKey]populationSum{},
	}
}

// countedRow is a row with what it adds to the aggregates.
type countedRow struct {
	side       string
	day        ledger.Date // the sale's, or the due date
	brand      string
	product    ledger.Product
	band       string
	gross, mdr ledger.Amount
	brackets   []ledger.Bracket
	*aggregateDelta
}

// addRow adds a row; with sign -1 it subtracts the row.
func (s *aggregateChanges) addRow(sign int64, r countedRow) error {
	by := ledger.Amount(sign)
	for _, x := range r.brackets {
		if err := s.addBracket(bridgeKey{r.side, r.day, r.brand, r.product, x.Line, x.Reason}, by, x.Amount); err != nil {
			return err
		}
		if x.Line == ledger.LineNotAttributed {
			if err := s.addPopulation(kindUnattributed, "", 0, by*x.Amount.Abs()); err != nil {
				return err
			}
		}
	}
	month := monthOf(r.day)
	for _, t := range r.tolerated {
		if err := addTo(s.rounding, toleratedKey{t.code, month}, by*t.amount); err != nil {
			return err
		}
	}
	if sign > 0 {
		s.guard.Add(&r.guard)
	} else {
		s.guard.Remove(&r.guard)
	}
	for _, u := range r.unmapped {
		if err := s.addPopulation(kindSpelling, u.Member+" "+u.Value, sign, 0); err != nil {
			return err
		}
	}
	for _, c := range r.changes {
		on := c.day.String()
		if err := s.addPopulation(kindChanged, on, sign*c.all, 0); err != nil {
			return err
		}
		if err := s.addPopulation(kindUnnotified, on, sign*c.unnotified, 0); err != nil {
			return err
		}
	}
	return s.addToGroups(sign, r, month)
}

// addBracket adds a bracket to its line; with sign -1 it subtracts it.
func (s *aggregateChanges) addBracket(k bridgeKey, sign, amount ledger.Amount) error {
	sum := s.bridge[k]
	var errs [2]error
	sum.amount, errs[0] = sum.amount.Add(sign * amount)
	if amount < 0 {
		sum.excess, errs[1] = sum.excess.Add(-sign * amount)
	}
	s.bridge[k] = sum
	return errors.Join(errs[:]...)
}

// addToGroups adds the row to its day and to its group of the month.
func (s *aggregateChanges) addToGroups(sign int64, r countedRow, month ledger.Date) error {
	by := ledger.Amount(sign)
	of := rules.MonthGroup{Month: month, Brand: r.brand, Product: r.product, Band: r.band}
	if r.noContract {
		if err := s.noContract.addMembers(of, sign, by*r.gross, 0); err != nil {
			return err
		}
	}
	if r.countsForRate {
		if err := s.rated.addMembers(of, sign, by*r.mdr, by*r.gross); err != nil {
			return err
		}
	}
	return s.days.addMembers(sideDay{r.side, r.day}, sign, by*r.gross, 0)
}

func (s *aggregateChanges) addPopulation(kind, item string, members int64, amount ledger.Amount) error {
	return addToPopulation(s.counts, populationKey{kind, item}, members, amount, 0)
}

// encodeGroup returns the key of a month's rows of one brand, product and band; parseGroup reads it. Brand and product
// may be unmapped spellings.
func encodeGroup(of rules.MonthGroup) string {
	return strings.Join([]string{of.Month.String(), of.Brand, string(of.Product), of.Band}, "\t")
}

func parseGroup(item string) (rules.MonthGroup, bool) {
	parts := strings.Split(item, "\t")
	if len(parts) < 4 {
		return rules.MonthGroup{}, false
	}
	month, err := ledger.ParseDate(parts[0])
	last := len(parts) - 1 // a brand as sent may hold anything
	return rules.MonthGroup{
		Month: month, Brand: strings.Join(parts[1:last-1], "\t"), Product: ledger.Product(parts[last-1]), Band: parts[last],
	}, err == nil
}

// sortedBridge returns the amounts of the bridge in order.
func (s *aggregateChanges) sortedBridge(a ledger.Account) []ledger.BridgeRow {
	rows := make([]ledger.BridgeRow, 0, len(s.bridge))
	for k, sum := range s.bridge {
		rows = append(rows, ledger.BridgeRow{
			Account: a, Side: k.side, Day: k.day, Brand: k.brand, Product: k.product, Line: k.line, Reason: k.reason,
			Amount: sum.amount, Excess: sum.excess,
		})
	}
	slices.SortFunc(rows, compareRows)
	return rows
}

// sortedRounding returns the tolerated amounts in order.
func (s *aggregateChanges) sortedRounding() []ledger.ToleratedAmount {
	out := make([]ledger.ToleratedAmount, 0, len(s.rounding))
	for k, amount := range s.rounding {
		out = append(out, ledger.ToleratedAmount{Code: k.code, Month: k.month, Amount: amount})
	}
	slices.SortFunc(out, func(a, b ledger.ToleratedAmount) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), cmp.Compare(a.Month, b.Month))
	})
	return out
}

// sortedPopulations returns the populations in order, with the counters of the guard.
func (s *aggregateChanges) sortedPopulations() ([]ledger.Population, error) {
	counts := maps.Clone(s.counts)
	for of, p := range s.noContract.all {
		counts[populationKey{kindNoContract, encodeGroup(of)}] = *p
	}
	for of, p := range s.rated.all {
		counts[populationKey{kindRated, encodeGroup(of)}] = *p
	}
	for d, p := range s.days.all {
		counts[populationKey{kindDay, d.side + " " + d.day.String()}] = *p
		month := populationKey{kindMonth, d.side + " " + rules.Month(d.day)}
		if err := addToPopulation(counts, month, p.members, p.amount, 0); err != nil {
			return nil, err
		}
	}
	for key, n := range s.guard.Counters() {
		counts[populationKey{kindGuard, key}] = populationSum{members: n}
	}
	out := make([]ledger.Population, 0, len(counts))
	for k, p := range counts {
		out = append(out, ledger.Population{Kind: k.kind, Item: k.item, Members: p.members, Amount: p.amount, Other: p.other})
	}
	slices.SortFunc(out, func(a, b ledger.Population) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Item, b.Item))
	})
	return out, nil
}

func addTo[K comparable](sums map[K]ledger.Amount, k K, a ledger.Amount) error {
	s, err := sums[k].Add(a)
	sums[k] = s
	return err
}

func compareRows(a, b ledger.BridgeRow) int {
	return cmp.Or(strings.Compare(a.Side, b.Side), cmp.Compare(a.Day, b.Day), strings.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product),
		cmp.Compare(a.Line, b.Line), strings.Compare(a.Reason, b.Reason))
}

type populationSum struct {
	members       int64
	amount, other ledger.Amount
}

func (p *populationSum) addMembers(members int64, amount, other ledger.Amount) error {
	var err1, err2 error
	p.members += members
	p.amount, err1 = p.amount.Add(amount)
	p.other, err2 = p.other.Add(other)
	return cmp.Or(err1, err2)
}

func addToPopulation(sums map[populationKey]populationSum, k populationKey, members int64, amount, other ledger.Amount) error {
	p := sums[k]
	err := p.addMembers(members, amount, other)
	sums[k] = p
	return err
}

// groupSums are sums by key. Consecutive rows mostly have the same key, so the last sum is kept.
type groupSums[K comparable] struct {
	all  map[K]*populationSum
	last K
	at   *populationSum // the group of last, or nil
}

func (g *groupSums[K]) addMembers(k K, members int64, amount, other ledger.Amount) error {
	if g.at == nil || g.last != k {
		if g.all == nil {
			g.all = map[K]*populationSum{}
		}
		if g.at = g.all[k]; g.at == nil {
			g.at = &populationSum{}
			g.all[k] = g.at
		}
		g.last = k
	}
	return g.at.addMembers(members, amount, other)
}
