package export

import (
	"concilia/export/manifest"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Movement is a set of the movement: what became known up to the as-of, source by source. A source that was not cut is not in it.
type Movement struct {
	Set      int // of the account's, from 1
	Revision int // among those of the as-of
	From     ledger.Date
	Cuts     []MovementCut
	Previous *manifest.PreviousSet // nil: it is the first
}

// MovementCut is what became known of one source.
type MovementCut struct {
	Source     bookkeeping.EventSource
	NSA        []int // of its EDI files
	Events     map[bookkeeping.EventType]int
	Sums       bookkeeping.Measures
	LeftOut    []LeftOut            // of the EDI file, by reason
	BeforeFrom bookkeeping.Measures // of what occurred before the first day
	// Restated counts the events of rows that are the same as before but are read differently by the documents that changed since the
	// source's cut before. Where several did each has them all.
	Restated map[string]int64
	// Told are the sums of all sets up to this one with what occurred before the first day, and States those of the rows as of its
	// run, by a query over rows.
	Told, States bookkeeping.Measures
}

// LeftOut is what one reason keeps out of the EDI file.
type LeftOut struct {
	Reason string
	Count  int64
	Sums   bookkeeping.Measures
}

// NewChain returns what the manifest says of the movement: its place among the sets, and what it holds.
func (m *Movement) NewChain() *manifest.Chain {
	c := &manifest.Chain{Set: m.Set, Previous: m.Previous, NSA: []int{}, Events: map[string]int{}, Sums: map[string]string{}}
	var sums bookkeeping.Measures
	for i := range m.Cuts {
		cut := &m.Cuts[i]
		c.NSA = append(c.NSA, cut.NSA...)
		for t, n := range cut.Events {
			c.Events[string(t)] += n
		}
		sums.Add(cut.Sums)
	}
	for i, id := range bookkeeping.MeasureIDs() {
		if v := *sums.All()[i]; v != 0 {
			c.Sums[id] = v.Fixed(2)
		}
	}
	return c
}
