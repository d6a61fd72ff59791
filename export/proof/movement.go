package proof

import (
	"maps"
	"slices"

	"concilia/export"
	"concilia/export/control"
	"concilia/store/ledger/bookkeeping"
)

// listMovement lists what each source reports, how much of it because a document changed, what is left out of its EDI file and why, and
// what occurred before the first day.
func listMovement(c *control.Writer, job *export.Job) {
	m := job.Movement
	if m == nil {
		return
	}
	c.AddCount("set", "number", int64(m.Set))
	c.AddDate("set", "first_day", m.From)
	for i := range m.Cuts {
		cut := &m.Cuts[i]
		item := string(cut.Source)
		for _, t := range slices.Sorted(maps.Keys(cut.Events)) {
			c.AddCount(item, string(t), int64(cut.Events[t]))
		}
		for _, document := range slices.Sorted(maps.Keys(cut.Restated)) {
			c.AddCount(item, "restated by "+document, cut.Restated[document])
		}
		for _, l := range cut.LeftOut {
			c.AddCount(item, "left_out "+l.Reason, l.Count)
			addMeasures(c, item, "left_out "+l.Reason, l.Sums)
		}
		addMeasures(c, item, "before_from", cut.BeforeFrom)
		addMeasures(c, item, "told", cut.Told)
		addMeasures(c, item, "states", cut.States)
	}
}

// addMeasures adds the measures that are not zero.
func addMeasures(c *control.Writer, item, of string, m bookkeeping.Measures) {
	for i, id := range bookkeeping.MeasureIDs() {
		if v := *m.All()[i]; v != 0 {
			c.AddMoney(item, of+" "+id, v, control.Note{})
		}
	}
}
