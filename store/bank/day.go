package bank

import (
	"cmp"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// fileDay is what one file says of one day.
type fileDay struct {
	file  ledger.FileHash
	made  ledger.LocalTime
	whole bool // the file has every line of the day
	rows  []banking.Row
}

// dayLine is one line of a day, as all files together say.
type dayLine struct {
	// row has the current text, document and category.
	row banking.Row
	// names are the hashes of the texts under which files show the line, the first one first.
	names []ledger.FileHash
	// vanished lines were shown once and are in the last count no more.
	vanished bool
}

// compareFileDays orders what files say of a day: as they were made, those of one instant by their hashes.
func compareFileDays(a, b *fileDay) int {
	if c := cmp.Compare(a.made, b.made); c != 0 {
		return c
	}
	return slices.Compare(a.file[:], b.file[:])
}

// mergeDay computes the lines of a day from all files that show it. The order in which files is given has no influence.
func mergeDay(files []fileDay) []dayLine {
	sorted := make([]*fileDay, len(files))
	for i := range files {
		sorted[i] = &files[i]
	}
	slices.SortFunc(sorted, compareFileDays)
	m := &dayMerge{}
	for _, f := range sorted {
		m.addBooked(f)
	}
	for i, f := range sorted {
		m.addScheduled(f, i == len(sorted)-1)
	}
	return m.lines
}

// dayMerge is the state between two files of a day.
type dayMerge struct {
	lines []dayLine
	whole bool // a file before was whole
}

// addBooked merges the booked rows of a file, amount by amount.
func (m *dayMerge) addBooked(f *fileDay) {
	rows := make(map[ledger.Amount][]banking.Row)
	for _, r := range f.rows {
		if !r.Scheduled {
			rows[r.Amount] = append(rows[r.Amount], r)
		}
	}
	lines := make(map[ledger.Amount][]int)
	for i := range m.lines {
		lines[m.lines[i].row.Amount] = append(lines[m.lines[i].row.Amount], i)
	}
	for amount, shown := range rows {
		slices.SortFunc(shown, compareRows)
		rows[amount] = shown
	}
	amounts := make([]ledger.Amount, 0, len(rows)+len(lines))
	for a := range rows {
		amounts = append(amounts, a)
	}
	if f.whole {
		for a := range lines {
			if _, shown := rows[a]; !shown {
				amounts = append(amounts, a)
			}
		}
	}
	slices.Sort(amounts)
	for _, a := range amounts {
		m.addAmount(f.whole, rows[a], lines[a])
	}
	m.whole = m.whole || f.whole
}

// addAmount merges the rows of one amount with the lines that have it, given by their places.
func (m *dayMerge) addAmount(whole bool, rows []banking.Row, lines []int) {
	live := 0
	for _, i := range lines {
		if !m.lines[i].vanished {
			live++
		}
	}
	taken := make(map[int]bool, len(rows))
	rest := m.takeNamed(rows, lines, taken, false, whole)
	if whole {
		rest = m.takeNamed(rest, lines, taken, true, true)
		m.settleWhole(rest, lines, taken)
		return
	}
	if m.whole {
		// A day that was whole gains only by what the file has more of these cents.
		rest = rest[:min(len(rest), max(0, len(rows)-live))]
	}
	rest = m.takeNamed(rest, lines, taken, true, false)
	for _, r := range rest {
		m.lines = append(m.lines, newDayLine(r))
	}
}

func newDayLine(r banking.Row) dayLine {
	return dayLine{row: r, names: []ledger.FileHash{r.TextHash()}}
}

// takeNamed gives each row a line that has its text among its names, and returns the rows for which there is none. With
// vanished it looks among vanished lines, which are then there again. A whole file's text becomes the line's.
func (m *dayMerge) takeNamed(rows []banking.Row, lines []int, taken map[int]bool, vanished, whole bool) []banking.Row {
	var rest []banking.Row
	for _, r := range rows {
		at, name := -1, r.TextHash()
		for _, i := range lines {
			l := &m.lines[i]
			if taken[i] || l.vanished != vanished || !slices.Contains(l.names, name) {
				continue
			}
			if at < 0 || l.row.TextHash() == name && m.lines[at].row.TextHash() != name {
				at = i
			}
		}
		if at < 0 {
			rest = append(rest, r)
			continue
		}
		taken[at] = true
		l := &m.lines[at]
		if l.vanished = false; whole {
			l.row = r
		}
	}
	return rest
}

// settleWhole deals with what a whole file has under no known text, and with the lines it does not have: as many of both
// are the same lines reworded, otherwise the rows are new and the lines vanished.
func (m *dayMerge) settleWhole(rows []banking.Row, lines []int, taken map[int]bool) {
	var missing []int
	for _, i := range lines {
		if !taken[i] && !m.lines[i].vanished {
			missing = append(missing, i)
		}
	}
	if len(missing) == len(rows) {
		slices.SortStableFunc(missing, func(a, b int) int { return cmp.Compare(m.lines[a].row.Text, m.lines[b].row.Text) })
		for n, i := range missing {
			l := &m.lines[i]
			l.row, l.names = rows[n], append(l.names, rows[n].TextHash())
		}
		return
	}
	// Of equal lines the last ones vanish, so that the others keep their places.
	for _, i := range missing {
		m.lines[i].vanished = true
	}
	for _, r := range rows {
		m.lines = append(m.lines, newDayLine(r))
	}
}

// addScheduled adds the rows that a file announces for the day and that are not booked yet. They are current only
// where the file made last announces them.
func (m *dayMerge) addScheduled(f *fileDay, last bool) {
	taken := make(map[int]bool)
	for _, r := range f.rows {
		if !r.Scheduled {
			continue
		}
		name := r.TextHash()
		at := slices.IndexFunc(m.lines, func(l dayLine) bool {
			return l.row.Amount == r.Amount && slices.Contains(l.names, name)
		})
		for at >= 0 && taken[at] {
			next := slices.IndexFunc(m.lines[at+1:], func(l dayLine) bool {
				return l.row.Amount == r.Amount && slices.Contains(l.names, name)
			})
			if next < 0 {
				at = -1
				break
			}
			at += 1 + next
		}
		if at < 0 {
			at = len(m.lines)
			line := newDayLine(r)
			line.vanished = true
			m.lines = append(m.lines, line)
		}
		taken[at] = true
		if l := &m.lines[at]; l.row.Scheduled && last {
			l.vanished = false
		}
	}
}

// compareRows is the canonical order of the rows of a day.
func compareRows(a, b banking.Row) int {
	return cmp.Or(
		cmp.Compare(a.Amount, b.Amount),
		cmp.Compare(a.Text, b.Text),
		cmp.Compare(a.Original, b.Original),
		cmp.Compare(a.Document, b.Document),
		cmp.Compare(a.Category, b.Category),
		cmp.Compare(boolInt(a.Scheduled), boolInt(b.Scheduled)),
	)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
