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

// contribution is what a row adds to what is counted over many, beside what its brackets say. Kept with its expectation,
// it can be taken away again when the row is judged anew.
type contribution struct {
	guard     assumptions.GuardDelta
	tolerated []toleratedBy
	spelled   []rules.Spelling
	changes   []changes
	value     ledger.Amount // of a slip: that of an installment stands in its version
	bare      bool          // no contract line
	rated     bool          // its MDR counts for the month's rate
}

type toleratedBy struct {
	code   string
	amount ledger.Amount // without its sign
}

// changes are the changes of class that pulls of a day showed of the row, and those of them nobody told of.
type changes struct {
	day         ledger.Date
	all, untold int64
}

// reset empties it for the next row and keeps its memory.
func (c *contribution) reset() {
	c.guard.Reset()
	c.tolerated, c.spelled, c.changes = c.tolerated[:0], c.spelled[:0], c.changes[:0]
	c.value, c.bare, c.rated = 0, false, false
}

// tolerate notes what a rule let pass.
func (c *contribution) tolerate(code string, a ledger.Amount) {
	c.tolerated = append(c.tolerated, toleratedBy{code, a.Abs()})
}

// text is its one form: marks parted by blanks, in a fixed order.
func (c *contribution) text(b []byte) []byte {
	b = c.guard.Append(append(b, 'g'))
	if c.bare {
		b = append(b, " b"...)
	}
	if c.rated {
		b = append(b, " r"...)
	}
	if c.value != 0 {
		b = strconv.AppendInt(append(b, " v"...), int64(c.value), 10)
	}
	if len(c.tolerated) > 1 {
		slices.SortFunc(c.tolerated, func(a, b toleratedBy) int {
			return cmp.Or(strings.Compare(a.code, b.code), cmp.Compare(a.amount, b.amount))
		})
	}
	for _, t := range c.tolerated {
		b = append(append(append(b, " t"...), t.code...), '=')
		b = strconv.AppendInt(b, int64(t.amount), 10)
	}
	for _, s := range c.spelled {
		b = append(append(append(b, " u"...), s.Member...), '=')
		b = append(b, url.QueryEscape(s.Value)...)
	}
	for _, x := range c.changes {
		b = strconv.AppendInt(append(b, " c"...), int64(x.day), 10)
		b = strconv.AppendInt(append(b, '='), x.all, 10)
		b = strconv.AppendInt(append(b, '/'), x.untold, 10)
	}
	return b
}

var errContribution = errors.New("what a row added was kept by another program: reconcile with --full")

// readContribution reads what text wrote.
func readContribution(text string) (*contribution, error) {
	c := &contribution{}
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
			c.bare = true
		case 'r':
			c.rated = true
		case 'v':
			c.value = ledger.Amount(number(name))
		case 't':
			c.tolerated = append(c.tolerated, toleratedBy{name, ledger.Amount(number(value))})
		case 'u':
			spelling, err := url.QueryUnescape(value)
			errs = append(errs, err)
			c.spelled = append(c.spelled, rules.Spelling{Member: name, Value: spelling})
		case 'c':
			all, untold, _ := strings.Cut(value, "/")
			c.changes = append(c.changes, changes{ledger.Date(number(name)), number(all), number(untold)})
		default:
			errs = append(errs, errContribution)
		}
	}
	if errors.Join(errs...) != nil {
		return nil, errContribution
	}
	return c, nil
}
