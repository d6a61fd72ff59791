package reconcile

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
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
	var err error
	if e.AggregateDelta, err = ev.encodeDelta(); err != nil {
		return err
	}
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

// plainDelta is a delta that most rows have: rules that passed, and nothing else.
type plainDelta struct {
	evaluated                 uint64
	noContract, countsForRate bool
}

// encodeDelta returns the stored form of the current delta. Most rows share a few of them.
func (ev *evaluation) encodeDelta() (string, error) {
	d := &ev.delta
	rules, plain := d.guard.Evaluated()
	key := plainDelta{rules, d.noContract, d.countsForRate}
	plain = plain && d.value == 0 && len(d.tolerated)+len(d.unmapped)+len(d.changes) == 0
	if text, known := ev.sharedTexts[key]; plain && known {
		return text, nil
	}
	text, err := d.encode()
	if plain && err == nil && len(ev.sharedTexts) < maxSharedTexts {
		ev.sharedTexts[key] = text
	}
	return text, err
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
	var err error
	if e.AggregateDelta, err = ev.encodeDelta(); err != nil {
		return err
	}
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

// storedDelta is the one form in which an aggregateDelta is kept: JSON.
type storedDelta struct {
	Guard         assumptions.GuardDelta `json:"guard"`
	NoContract    bool                   `json:"no_contract,omitempty"`
	CountsForRate bool                   `json:"counts_for_rate,omitempty"`
	Value         ledger.Amount          `json:"value,omitempty"`
	Tolerated     []storedTolerated      `json:"tolerated,omitempty"`
	Unmapped      []storedSpelling       `json:"unmapped,omitempty"`
	Changes       []storedChanges        `json:"changes,omitempty"`
}

type storedTolerated struct {
	Code   string        `json:"code"`
	Amount ledger.Amount `json:"amount"`
}

type storedSpelling struct {
	Member string `json:"member"`
	Value  []byte `json:"value"` // as sent: it need not be UTF-8
}

type storedChanges struct {
	Day        ledger.Date `json:"day"`
	All        int64       `json:"all"`
	Unnotified int64       `json:"unnotified,omitempty"`
}

// encode returns the stored form of the delta. Equal deltas have equal forms.
func (c *aggregateDelta) encode() (string, error) {
	stored := storedDelta{Guard: c.guard, NoContract: c.noContract, CountsForRate: c.countsForRate, Value: c.value}
	slices.SortFunc(c.tolerated, func(a, b toleratedAmount) int {
		return cmp.Or(strings.Compare(a.code, b.code), cmp.Compare(a.amount, b.amount))
	})
	for _, t := range c.tolerated {
		stored.Tolerated = append(stored.Tolerated, storedTolerated{t.code, t.amount})
	}
	for _, s := range c.unmapped {
		stored.Unmapped = append(stored.Unmapped, storedSpelling{s.Member, []byte(s.Value)})
	}
	for _, x := range c.changes {
		stored.Changes = append(stored.Changes, storedChanges{x.day, x.all, x.unnotified})
	}
	text, err := json.Marshal(stored)
	return string(text), err
}

var errAggregateDelta = errors.New("what a row added was kept by another program: reconcile with --full")

// parseAggregateDelta decodes what encode returns. The empty text is that of a row that was never evaluated.
func parseAggregateDelta(text string) (*aggregateDelta, error) {
	c := &aggregateDelta{}
	if text == "" {
		return c, nil
	}
	var stored storedDelta
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&stored); err != nil || d.More() {
		return nil, errAggregateDelta
	}
	c.guard, c.noContract, c.countsForRate, c.value = stored.Guard, stored.NoContract, stored.CountsForRate, stored.Value
	for _, t := range stored.Tolerated {
		c.tolerated = append(c.tolerated, toleratedAmount{t.Code, t.Amount})
	}
	for _, s := range stored.Unmapped {
		c.unmapped = append(c.unmapped, rules.Spelling{Member: s.Member, Value: string(s.Value)})
	}
	for _, x := range stored.Changes {
		c.changes = append(c.changes, classChanges{x.Day, x.All, x.Unnotified})
	}
	return c, nil
}
