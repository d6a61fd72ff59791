package jobs

import "concilia/store/ledger"

// ListEnds is what the wider windows of an account's first nights show about a list: whether the first and the last day
// of a range are included.
type ListEnds struct {
	Source      ledger.Source
	First, Last End
}

// End is one bound of a list's date range. Tell is the number of wider windows whose outer day has rows in another
// window of the same run; Shown is how many of them included that day. If the bound is inclusive the two are equal.
type End struct{ Tell, Shown int }

// endsOf reads the wider windows among the pulls, all of one account, lists without one left out.
func endsOf(pulls []ledger.Pull) []ListEnds {
	type window struct {
		run    string
		source ledger.Source
		day    ledger.Date
	}
	inside := map[window]int64{} // rows of the day by the window of it alone
	for i := range pulls {
		p := &pulls[i]
		if p.Complete && p.Window.Period.Days() == 1 {
			inside[window{p.Run, p.Window.Source, p.Window.Period.From}] = p.Counts.Rows - p.Note.Outside
		}
	}
	bySource := map[ledger.Source]*ListEnds{}
	for i := range pulls {
		p := &pulls[i]
		if !p.Note.Wider {
			continue
		}
		e := bySource[p.Window.Source]
		if e == nil {
			e = &ListEnds{Source: p.Window.Source}
			bySource[e.Source] = e
		}
		e.First.count(inside[window{p.Run, e.Source, p.Window.Period.From}], p.Note.First)
		e.Last.count(inside[window{p.Run, e.Source, p.Window.Period.To}], p.Note.Last)
	}
	var out []ListEnds
	for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		if e := bySource[source]; e != nil {
			out = append(out, *e)
		}
	}
	return out
}

func (e *End) count(held, shown int64) {
	if held == 0 {
		return
	}
	if e.Tell++; shown > 0 {
		e.Shown++
	}
}

// addEnds adds up what several accounts say.
func addEnds(all, more []ListEnds) []ListEnds {
	for _, m := range more {
		found := false
		for i := range all {
			if a := &all[i]; a.Source == m.Source {
				a.First.Tell, a.First.Shown = a.First.Tell+m.First.Tell, a.First.Shown+m.First.Shown
				a.Last.Tell, a.Last.Shown = a.Last.Tell+m.Last.Tell, a.Last.Shown+m.Last.Shown
				found = true
			}
		}
		if !found {
			all = append(all, m)
		}
	}
	return all
}
