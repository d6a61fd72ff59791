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
	kindGuard        = "guard"        // what the guard counted: by its own key
	kindSpelling     = "spelling"     // rows with a spelling nobody listed: member and spelling
	kindBare         = "bare"         // rows without a contract line, and their gross: month, brand, product and band
	kindRated        = "rated"        // rows whose MDR tells a rate, MDR and gross: month, brand, product and band
	kindMonth        = "month"        // rows of a month and their gross: side and month
	kindDay          = "day"          // rows of a day and their gross: side and day
	kindChanged      = "changed"      // changes of class that pulls of a day showed
	kindUntold       = "untold"       // those that nobody told of
	kindUnread       = "unread"       // days of cards with a quarantined row: their sales are not complete
	kindMeasured     = "measured"     // rows kept when the readings were measured last
	kindUnattributed = "unattributed" // brackets that could not be attributed, without their sign
)

type popKey struct{ kind, item string }

type bridgeKey struct {
	side    string
	day     ledger.Date
	brand   string
	product ledger.Product
	line    ledger.BridgeLine
	reason  string
}

// bridgeSum is what brackets come to: their sum, and the negative ones among them without their sign.
type bridgeSum struct{ amount, excess ledger.Amount }

type tolerated struct {
	code  string
	month ledger.Date
}

// sums is what a run adds to what the account's rows come to together, or all they come to.
type sums struct {
	bridge   map[bridgeKey]bridgeSum
	rounding map[tolerated]ledger.Amount
	counts   map[popKey]popSum
	days     groups[sideDay] // and, added up, months
	bare     groups[rules.MonthGroup]
	rated    groups[rules.MonthGroup]
	guard    assumptions.Guard
}

type sideDay struct {
	side string
	day  ledger.Date
}

func newSums() sums {
	return sums{
		bridge: map[bridgeKey]bridgeSum{}, rounding: map[tolerated]ledger.Amount{}, counts: map[popKey]popSum{},
	}
}

// counted is a row as the sums see it.
type counted struct {
	side       string
	day        ledger.Date // the sale's, or the due date
	brand      string
	product    ledger.Product
	band       string
	gross, mdr ledger.Amount
	brackets   []ledger.Bracket
	*contribution
}

// add counts a row once more, or with sign −1 once less.
func (s *sums) add(sign int64, r counted) error {
	by := ledger.Amount(sign)
	for _, x := range r.brackets {
		if err := s.addBracket(bridgeKey{r.side, r.day, r.brand, r.product, x.Line, x.Reason}, by, x.Amount); err != nil {
			return err
		}
		if x.Line == ledger.LineNotAttributed {
			if err := s.count(kindUnattributed, "", 0, by*x.Amount.Abs()); err != nil {
				return err
			}
		}
	}
	month := monthOf(r.day)
	for _, t := range r.tolerated {
		if err := addTo(s.rounding, tolerated{t.code, month}, by*t.amount); err != nil {
			return err
		}
	}
	if sign > 0 {
		s.guard.Add(&r.guard)
	} else {
		s.guard.Remove(&r.guard)
	}
	for _, u := range r.spelled {
		if err := s.count(kindSpelling, u.Member+" "+u.Value, sign, 0); err != nil {
			return err
		}
	}
	for _, c := range r.changes {
		on := c.day.String()
		if err := s.count(kindChanged, on, sign*c.all, 0); err != nil {
			return err
		}
		if err := s.count(kindUntold, on, sign*c.untold, 0); err != nil {
			return err
		}
	}
	return s.grouped(sign, r, month)
}

// addBracket adds a bracket to its line, or with sign −1 takes it away again.
func (s *sums) addBracket(k bridgeKey, sign, amount ledger.Amount) error {
	sum := s.bridge[k]
	var errs [2]error
	sum.amount, errs[0] = sum.amount.Add(sign * amount)
	if amount < 0 {
		sum.excess, errs[1] = sum.excess.Add(-sign * amount)
	}
	s.bridge[k] = sum
	return errors.Join(errs[:]...)
}

// grouped counts the row in its day and in its group of the month.
func (s *sums) grouped(sign int64, r counted, month ledger.Date) error {
	by := ledger.Amount(sign)
	of := rules.MonthGroup{Month: month, Brand: r.brand, Product: r.product, Band: r.band}
	if r.bare {
		if err := s.bare.add(of, sign, by*r.gross, 0); err != nil {
			return err
		}
	}
	if r.rated {
		if err := s.rated.add(of, sign, by*r.mdr, by*r.gross); err != nil {
			return err
		}
	}
	return s.days.add(sideDay{r.side, r.day}, sign, by*r.gross, 0)
}

func (s *sums) count(kind, item string, members int64, amount ledger.Amount) error {
	return addCount(s.counts, popKey{kind, item}, members, amount, 0)
}

// group names a month's rows of one brand, product and band; groupOf reads it. Brand and product may be as sent.
func group(of rules.MonthGroup) string {
	return strings.Join([]string{of.Month.String(), of.Brand, string(of.Product), of.Band}, "\t")
}

func groupOf(item string) (rules.MonthGroup, bool) {
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

// lines are the bridge's amounts in order.
func (s *sums) lines(a ledger.Account) []ledger.BridgeRow {
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

// roundings are the tolerated cents in order.
func (s *sums) roundings() []ledger.ToleratedAmount {
	out := make([]ledger.ToleratedAmount, 0, len(s.rounding))
	for k, amount := range s.rounding {
		out = append(out, ledger.ToleratedAmount{Code: k.code, Month: k.month, Amount: amount})
	}
	slices.SortFunc(out, func(a, b ledger.ToleratedAmount) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), cmp.Compare(a.Month, b.Month))
	})
	return out
}

// populations are the counts in order, those of the guard among them.
func (s *sums) populations() ([]ledger.Population, error) {
	counts := maps.Clone(s.counts)
	for of, p := range s.bare.all {
		counts[popKey{kindBare, group(of)}] = *p
	}
	for of, p := range s.rated.all {
		counts[popKey{kindRated, group(of)}] = *p
	}
	for d, p := range s.days.all {
		counts[popKey{kindDay, d.side + " " + d.day.String()}] = *p
		month := popKey{kindMonth, d.side + " " + rules.Month(d.day)}
		if err := addCount(counts, month, p.members, p.amount, 0); err != nil {
			return nil, err
		}
	}
	for key, n := range s.guard.Counters() {
		counts[popKey{kindGuard, key}] = popSum{members: n}
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

func compareText(a, b string) int { return strings.Compare(a, b) }
