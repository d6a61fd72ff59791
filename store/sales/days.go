package sales

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// writeDays computes the days of the shop from all files and the payments that are counted, and replaces those that are other than before.
func (m *merge) writeDays(ctx context.Context) error {
	before, err := readDays(ctx, m, m.at)
	if err != nil {
		return err
	}
	counts := maps.Clone(m.versions.days)
	for _, d := range before {
		n := counts[d.Day]
		counts[d.Day] = dayCount{n.payments + d.Payments, n.versions + d.Versions}
	}
	maps.DeleteFunc(counts, func(_ ledger.Date, n dayCount) bool { return n.versions == 0 })
	if err := m.versions.shown.write(ctx, counts); err != nil {
		return err
	}
	now, err := computeDays(ctx, m, m.at, m.in.Notes, counts)
	if err != nil {
		return err
	}
	old := make(map[ledger.Date]ownsales.Day, len(before))
	for _, d := range before {
		old[d.Day] = d
	}
	var over []ledger.Date
	changed := slices.DeleteFunc(now, func(d ownsales.Day) bool {
		was, had := old[d.Day]
		delete(old, d.Day)
		if had && was != d {
			over = append(over, d.Day)
		}
		return had && was == d
	})
	over = slices.AppendSeq(over, maps.Keys(old)) // those that no file shows any more
	err = m.ExecBatch(ctx, `
		DELETE FROM own_day
		WHERE account = $1 AND store = $2 AND day = $3`, len(over), func(i int) []any {
		return []any{int64(m.at.Home), m.at.ID, int64(over[i])}
	})
	if err != nil {
		return err
	}
	return m.LoadRows(ctx, "own_day", []string{"account", "store", "day", "state", "payments", "versions", "why"}, len(changed), func(i int, r sqldb.Row) error {
		d := &changed[i]
		r.Int(int64(m.at.Home))
		r.Text(m.at.ID)
		r.Int(int64(d.Day))
		r.Text(string(d.State))
		r.Int(d.Payments)
		r.Int(d.Versions)
		r.Text(d.Why)
		return nil
	})
}

// computeDays computes the state of every day from the first to the last that files show. What the files state decides; of notes
// their numbers do too.
func computeDays(ctx context.Context, q sqldb.Querier, at Shop, notes bool, counts map[ledger.Date]dayCount) ([]ownsales.Day, error) {
	files, err := readFiles(ctx, q, at)
	if err != nil {
		return nil, err
	}
	var series []*numberSeries
	if notes {
		if series, err = readSeries(ctx, q, at); err != nil {
			return nil, err
		}
	}
	return evaluateDays(counts, files, series), nil
}

// evaluateDays is the state of each day.
func evaluateDays(counts map[ledger.Date]dayCount, files []File, series []*numberSeries) (out []ownsales.Day) {
	shown := ledger.Period{}
	see := func(p ledger.Period) {
		if p.From != 0 && (shown.From == 0 || p.From < shown.From) {
			shown.From = p.From
		}
		shown.To = max(shown.To, p.To)
	}
	for d := range counts {
		see(ledger.Period{From: d, To: d})
	}
	for i := range files {
		see(files[i].Whole)
	}
	for _, s := range series {
		see(ledger.Period{From: s.days[0], To: s.days[len(s.days)-1]})
	}
	if shown.From == 0 {
		return nil
	}
	whole := countWhole(files, shown)
	for d := shown.From; d <= shown.To; d++ {
		day := ownsales.Day{Day: d, State: ownsales.DayComplete, Payments: counts[d].payments, Versions: counts[d].versions}
		if whole[int(d-shown.From)] == 0 {
			if day.Why = whyOpen(series, d); day.Why != "" {
				day.State = ownsales.DayMissing
				if day.Payments > 0 {
					day.State = ownsales.DayPartial
				}
			}
		}
		out = append(out, day)
	}
	return out
}

// countWhole is, for each day of a period, how many files have it whole.
func countWhole(files []File, p ledger.Period) []int {
	out := make([]int, p.Days()+1)
	for i := range files {
		if w := files[i].Whole; w.From != 0 {
			out[int(w.From-p.From)]++
			out[int(w.To-p.From)+1]--
		}
	}
	for i := 1; i < len(out); i++ {
		out[i] += out[i-1]
	}
	return out
}

// whyOpen says why a day that no file states is not complete; empty: the numbers of the notes show that it is.
func whyOpen(series []*numberSeries, d ledger.Date) string {
	if len(series) == 0 {
		return "no file has all of it"
	}
	for _, s := range series {
		if why := s.whyOpen(d); why != "" {
			return "series " + s.name + ": " + why
		}
	}
	return ""
}

// everyDay is a period without ends.
var everyDay = ledger.Period{From: 1, To: ledger.NewDate(9999, 12, 31)}

// readCounts counts the payments of the days of a period.
func readCounts(ctx context.Context, q sqldb.Querier, at Shop, p ledger.Period) (map[ledger.Date]dayCount, error) {
	out := map[ledger.Date]dayCount{}
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var d ledger.Date
		var n dayCount
		err := rows.Scan(sqldb.IntoDate(&d), &n.payments, &n.versions)
		out[d] = n
		return err
	}, `
		SELECT
			day,
			CAST(SUM(1 - vanished) AS BIGINT),
			CAST(SUM(version) AS BIGINT)
		FROM own_sale
		WHERE account = $1 AND store = $2 AND ended_file IS NULL AND day >= $3 AND day <= $4
		GROUP BY day`, int64(at.Home), at.ID, int64(p.From), int64(p.To))
	return out, err
}

// numberSeries are the numbers of a series that are accounted for.
type numberSeries struct {
	name    string
	lowest  int64
	gaps    []numberGap
	days    []ledger.Date // of notes, in order
	highest map[ledger.Date]int64
	least   map[ledger.Date]int64
	before  []int64 // highest number of the notes of days up to days[i]
	after   []int64 // lowest number of the notes of days from days[i]
}

type numberGap struct{ from, to int64 }

func readSeries(ctx context.Context, q sqldb.Querier, at Shop) (all []*numberSeries, err error) {
	var next int64 // the number that is expected
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var emitter, model, series string
		var from, to int64
		var day ledger.Date
		if err := rows.Scan(&emitter, &model, &series, &from, &to, sqldb.IntoDate(&day)); err != nil {
			return err
		}
		name := emitter + "/" + model + "/" + series
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, &numberSeries{name: name, lowest: from, highest: map[ledger.Date]int64{}, least: map[ledger.Date]int64{}})
			next = from
		}
		s := all[len(all)-1]
		if from > next {
			s.gaps = append(s.gaps, numberGap{next, from - 1})
		}
		next = max(next, to+1)
		if day != 0 {
			s.addNotes(day, from, to)
		}
		return nil
	}, `
		SELECT
			emitter,
			model,
			series,
			first_number,
			last_number,
			day
		FROM own_number
		WHERE account = $1 AND store = $2
		ORDER BY emitter, model, series, first_number, last_number`, int64(at.Home), at.ID)
	all = slices.DeleteFunc(all, func(s *numberSeries) bool { return len(s.highest) == 0 })
	for _, s := range all {
		s.sortNumbers()
	}
	return all, err
}

// addNotes adds notes of a day that have consecutive numbers.
func (s *numberSeries) addNotes(day ledger.Date, from, to int64) {
	s.highest[day] = max(s.highest[day], to)
	if was, had := s.least[day]; !had || from < was {
		s.least[day] = from
	}
}

// sortNumbers prepares the questions about days.
func (s *numberSeries) sortNumbers() {
	s.days = slices.Sorted(maps.Keys(s.highest))
	s.before, s.after = make([]int64, len(s.days)), make([]int64, len(s.days))
	for i, d := range s.days {
		s.before[i] = s.highest[d]
		if i > 0 {
			s.before[i] = max(s.before[i], s.before[i-1])
		}
	}
	for i := len(s.days) - 1; i >= 0; i-- {
		s.after[i] = s.least[s.days[i]]
		if i+1 < len(s.days) {
			s.after[i] = min(s.after[i], s.after[i+1])
		}
	}
}

// whyOpen says why the series does not show that a day is complete: it must have every number from the last note before the day to the
// first one after it. A series that begins at 1 has nothing before.
func (s *numberSeries) whyOpen(d ledger.Date) string {
	at, _ := slices.BinarySearch(s.days, d)
	from := int64(1)
	switch {
	case at > 0:
		from = s.before[at-1]
	case s.lowest > 1:
		return "no note before"
	}
	if at < len(s.days) && s.days[at] == d {
		at++
	}
	if at == len(s.days) {
		return "no note after"
	}
	to := s.after[at]
	for _, g := range s.gaps {
		if g.from < to && g.to > from {
			if g.from == g.to {
				return fmt.Sprintf("number %d is missing", g.from)
			}
			return fmt.Sprintf("numbers %d to %d are missing", g.from, g.to)
		}
	}
	return ""
}
