package reconcile

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

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
