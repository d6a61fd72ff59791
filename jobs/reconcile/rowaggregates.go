package reconcile

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

const (
	cardSide = "cards"
	slipSide = "slips"
)

// storeExpectation stores the expectation of a row, subtracts its previous delta from the aggregates and adds the new
// one.
func (ev *evaluation) storeExpectation(r *rules.Row, e *ledger.Expectation) error {
	before := r.Now.Stored
	e.AggregateDelta = ev.encodeDelta()
	other, err := ev.sink.WriteExpectation(e, before)
	if err != nil {
		return err
	}
	if other {
		ev.result.ChangedExpectations++
	}
	if err := ev.followInstallment(r.History, before, false); err != nil {
		return err
	}
	ev.daysToSum[r.Key.Day] = true
	if !other && !ev.everything {
		return nil
	}
	if before != nil && !ev.everything {
		if err := ev.subtractRow(before, r.History, r.Key.Day); err != nil {
			return err
		}
	}
	return ev.changes.addRow(1, countedRow{
		side: cardSide, day: r.Key.Day, brand: r.Brand, product: r.Product, band: r.Band, gross: r.Gross, mdr: r.MDR,
		brackets: e.Brackets, aggregateDelta: &ev.delta,
	})
}

// encodeDelta returns the text of the current delta.
func (ev *evaluation) encodeDelta() string {
	ev.deltaText = ev.delta.appendText(ev.deltaText[:0])
	s, known := ev.sharedTexts[string(ev.deltaText)]
	if !known {
		s = string(ev.deltaText)
		if len(ev.sharedTexts) < maxSharedTexts {
			ev.sharedTexts[s] = s
		}
	}
	return s
}

// maxSharedTexts bounds how many texts of deltas are shared.
const maxSharedTexts = 10_000

// subtractRow subtracts what an installment added to the aggregates before.
func (ev *evaluation) subtractRow(before *ledger.StoredExpectation, h ledger.InstallmentHistory, day ledger.Date) error {
	c, err := parseAggregateDelta(before.AggregateDelta)
	if err != nil {
		return err
	}
	was := countedRow{
		side: cardSide, day: day, brand: before.Brand, product: before.Product, band: before.Band, aggregateDelta: c,
	}
	if was.brackets, err = before.Brackets(); err != nil {
		return err
	}
	if before.Version >= 1 && before.Version <= len(h) {
		was.gross, was.mdr = h[before.Version-1].Gross, h[before.Version-1].MDR.Or(0)
	}
	return ev.changes.addRow(-1, was)
}

// storeSlipExpectation is storeExpectation for a slip.
func (ev *evaluation) storeSlipExpectation(s *rules.Slip, e *ledger.SlipExpectation) error {
	e.AggregateDelta = ev.encodeDelta()
	other, err := ev.sink.WriteSlipExpectation(e, s.Stored)
	if other {
		ev.result.ChangedExpectations++
	}
	if err != nil || !other && !ev.everything {
		return err
	}
	if s.Stored != nil && !ev.everything {
		if err := ev.subtractSlip(s.Stored); err != nil {
			return err
		}
	}
	return ev.changes.addRow(1, countedRow{side: slipSide, day: e.Day, gross: ev.delta.value, brackets: e.Brackets, aggregateDelta: &ev.delta})
}

func (ev *evaluation) subtractSlip(before *ledger.StoredExpectation) error {
	c, err := parseAggregateDelta(before.AggregateDelta)
	if err != nil {
		return err
	}
	was := countedRow{side: slipSide, day: before.Day, gross: c.value, aggregateDelta: c}
	if was.brackets, err = before.Brackets(); err != nil {
		return err
	}
	return ev.changes.addRow(-1, was)
}

// updateAggregates writes the changes of the aggregates and reads their new values.
func (ev *evaluation) updateAggregates(context.Context) error {
	if err := ev.countQuarantinedDays(); err != nil {
		return err
	}
	var err error
	if ev.rowsDoubled, err = ev.checkRowsDoubled(); err != nil {
		return err
	}
	counts, err := ev.changes.sortedPopulations()
	if err != nil {
		return err
	}
	if err := ev.sink.UpdateBridge(ev.everything, ev.changes.sortedBridge(ev.account)); err != nil {
		return err
	}
	if err := ev.sink.UpdateRounding(ev.everything, ev.changes.sortedRounding()); err != nil {
		return err
	}
	if err := ev.sink.UpdatePopulations(ev.everything, counts); err != nil {
		return err
	}
	if ev.bridgeRows, err = ev.sink.CurrentBridge(); err != nil {
		return err
	}
	if ev.populations, err = ev.sink.CurrentPopulations(); err != nil {
		return err
	}
	counters := map[string]int64{}
	for _, p := range ev.populationsOf(kindGuard) {
		counters[p.Item] = p.Members
	}
	ev.guard, err = assumptions.RestoreGuard(counters)
	return err
}

// populationsOf returns the populations of one kind.
func (ev *evaluation) populationsOf(kind string) []ledger.Population {
	from, _ := slices.BinarySearchFunc(ev.populations, kind, func(p ledger.Population, kind string) int { return compareText(p.Kind, kind) })
	to := from
	for to < len(ev.populations) && ev.populations[to].Kind == kind {
		to++
	}
	return ev.populations[from:to]
}

// listSuppressed returns the codes of the rules that the counts suppress, sorted.
func (ev *evaluation) listSuppressed() []string {
	var codes []string
	for _, d := range ev.guard.Suppressions() {
		codes = append(codes, d.Code)
	}
	slices.Sort(codes)
	return codes
}

// aggregateDelta is what a row adds to the aggregates apart from its brackets. It is stored with the expectation, so
// that it can be subtracted when the row is evaluated again.
type aggregateDelta struct {
	guard         assumptions.GuardDelta
	tolerated     []toleratedAmount
	unmapped      []rules.Spelling
	changes       []classChanges
	value         ledger.Amount // of a slip; an installment has it in its version
	noContract    bool          // no contract line
	countsForRate bool          // its MDR counts for the month's rate
}

type toleratedAmount struct {
	code   string
	amount ledger.Amount // without its sign
}

// classChanges counts the changes of class of the row that pulls of a day showed, and those of them without a
// notification.
type classChanges struct {
	day             ledger.Date
	all, unnotified int64
}

// clear empties the delta for the next row and keeps its memory.
func (c *aggregateDelta) clear() {
	c.guard.Reset()
	c.tolerated, c.unmapped, c.changes = c.tolerated[:0], c.unmapped[:0], c.changes[:0]
	c.value, c.noContract, c.countsForRate = 0, false, false
}

// addTolerated adds an amount that a rule tolerated.
func (c *aggregateDelta) addTolerated(code string, a ledger.Amount) {
	c.tolerated = append(c.tolerated, toleratedAmount{code, a.Abs()})
}

// appendText appends the stored form of the delta: fields separated by blanks, in a fixed order.
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

// parseAggregateDelta reads the form that appendText writes.
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
