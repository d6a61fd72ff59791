package reconcile

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

// aggregateDelta is what a row adds to what is counted over many, beside what its brackets say. Kept with its expectation,
// it can be taken away again when the row is judged anew.
type aggregateDelta struct {
	guard         assumptions.GuardDelta
	tolerated     []toleratedAmount
	unmapped      []rules.Spelling
	changes       []classChanges
	value         ledger.Amount // of a slip: that of an installment stands in its version
	noContract    bool          // no contract line
	countsForRate bool          // its MDR counts for the month's rate
}

type toleratedAmount struct {
	code   string
	amount ledger.Amount // without its sign
}

// classChanges are the changes of class that pulls of a day showed of the row, and those of them nobody told of.
type classChanges struct {
	day             ledger.Date
	all, unnotified int64
}

// clear empties it for the next row and keeps its memory.
func (c *aggregateDelta) clear() {
	c.guard.Reset()
	c.tolerated, c.unmapped, c.changes = c.tolerated[:0], c.unmapped[:0], c.changes[:0]
	c.value, c.noContract, c.countsForRate = 0, false, false
}

// addTolerated notes what a rule let pass.
func (c *aggregateDelta) addTolerated(code string, a ledger.Amount) {
	c.tolerated = append(c.tolerated, toleratedAmount{code, a.Abs()})
}

// appendText is its one form: marks parted by blanks, in a fixed order.
func (c *aggregateDelta) appendText(b []byte) []byte {
	b = c.guard.Append(append(b, 'g'))
	if c.noContract {
		b = append(b, " b"...)
	}
	if c.countsForRate {
		b = append(b, " r"...)
	}
	if c.value != 0 {
		b = strconv.AppendInt(append(b, " v"...), int64(c.value), 10)
	}
	if len(c.tolerated) > 1 {
		slices.SortFunc(c.tolerated, func(a, b toleratedAmount) int {
			return cmp.Or(strings.Compare(a.code, b.code), cmp.Compare(a.amount, b.amount))
		})
	}
	for _, t := range c.tolerated {
		b = append(append(append(b, " t"...), t.code...), '=')
		b = strconv.AppendInt(b, int64(t.amount), 10)
	}
	for _, s := range c.unmapped {
		b = append(append(append(b, " u"...), s.Member...), '=')
		b = append(b, url.QueryEscape(s.Value)...)
	}
	for _, x := range c.changes {
		b = strconv.AppendInt(append(b, " c"...), int64(x.day), 10)
		b = strconv.AppendInt(append(b, '='), x.all, 10)
		b = strconv.AppendInt(append(b, '/'), x.unnotified, 10)
	}
	return b
}

var errAggregateDelta = errors.New("what a row added was kept by another program: reconcile with --full")

// parseAggregateDelta reads what text wrote.
func parseAggregateDelta(text string) (*aggregateDelta, error) {
	c := &aggregateDelta{}
	var errs []error
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		errs = append(errs, err)
		return n
	}
	for _, mark := range strings.Fields(text) {
		name, value, _ := strings.Cut(mark[1:], "=")
		switch mark[0] {
		case 'g':
			g, err := assumptions.DecodeGuardDelta(mark[1:])
			errs = append(errs, err)
			c.guard = g
		case 'b':
			c.noContract = true
		case 'r':
			c.countsForRate = true
		case 'v':
			c.value = ledger.Amount(number(name))
		case 't':
			c.tolerated = append(c.tolerated, toleratedAmount{name, ledger.Amount(number(value))})
		case 'u':
			spelling, err := url.QueryUnescape(value)
			errs = append(errs, err)
			c.unmapped = append(c.unmapped, rules.Spelling{Member: name, Value: spelling})
		case 'c':
			all, untold, _ := strings.Cut(value, "/")
			c.changes = append(c.changes, classChanges{ledger.Date(number(name)), number(all), number(untold)})
		default:
			errs = append(errs, errAggregateDelta)
		}
	}
	if errors.Join(errs...) != nil {
		return nil, errAggregateDelta
	}
	return c, nil
}
