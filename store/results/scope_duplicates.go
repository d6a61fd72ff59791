package results

import (
	"database/sql"
	"slices"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// duplicateReach is as far from midnight, in ticks, as two sales may be one charged twice over it.
const duplicateReach = ledger.LocalTime(5 * time.Minute / 100)

// duplicateKey is what two sales share when one may be the other charged twice.
type duplicateKey struct {
	terminal, card string
	total          int64
}

// addDuplicates adds, to sales that moved, the others of their day with their terminal, card and total, and over midnight
// those of the days next to it: any two of them may be duplicates.
func (f *scopeSearch) addDuplicates() error {
	var days []ledger.Date
	for d, day := range f.days {
		if day.whole || day.hasChanged() {
			days = append(days, d)
		}
	}
	slices.Sort(days)
	for len(days) > 0 {
		d := days[0]
		days = days[1:]
		more, err := f.addDuplicatesOf(d)
		if err != nil {
			return err
		}
		days = append(days, more...)
	}
	return nil
}

func (s *scopedDay) hasChanged() bool { return anyTrue(s.sales) }

func anyTrue[K comparable](all map[K]bool) bool {
	for _, is := range all {
		if is {
			return true
		}
	}
	return false
}

// addDuplicatesOf widens one day and returns the days next to it that got sales by that.
func (f *scopeSearch) addDuplicatesOf(d ledger.Date) ([]ledger.Date, error) {
	day := f.days[d]
	marks, early, late := map[duplicateKey]bool{}, map[duplicateKey]bool{}, map[duplicateKey]bool{}
	edge := func(m duplicateKey, at ledger.LocalTime) {
		early[m] = early[m] || at-duplicateReach < ledger.LocalTimeOf(d.Time(), time.UTC)
		late[m] = late[m] || (at+duplicateReach).Date() > d
	}
	// What a sale that moved was before counts too: others may have doubled that.
	if err := f.eachFingerprint(d, "", func(m duplicateKey, at ledger.LocalTime, name saleName) {
		if day.whole || day.sales[name] {
			marks[m] = true
			edge(m, at)
		}
	}); err != nil {
		return nil, err
	}
	if !day.whole {
		if err := f.eachFingerprint(d, currentRows, func(m duplicateKey, at ledger.LocalTime, name saleName) {
			if marks[m] {
				f.addSale(d, name, true)
				edge(m, at)
			}
		}); err != nil {
			return nil, err
		}
	}
	var beside []ledger.Date
	for _, b := range []struct {
		day   ledger.Date
		marks map[duplicateKey]bool
		near  func(ledger.LocalTime) bool
	}{
		{d - 1, early, func(at ledger.LocalTime) bool { return (at + duplicateReach).Date() == d }},
		{d + 1, late, func(at ledger.LocalTime) bool { return (at - duplicateReach).Date() == d }},
	} {
		if !anyTrue(b.marks) || f.days[b.day] != nil && f.days[b.day].whole {
			continue
		}
		grew := false
		if err := f.eachFingerprint(b.day, currentRows, func(m duplicateKey, at ledger.LocalTime, name saleName) {
			if b.marks[m] && b.near(at) && !f.dayOf(b.day).sales[name] {
				f.addSale(b.day, name, true)
				grew = true
			}
		}); err != nil {
			return nil, err
		}
		if grew {
			beside = append(beside, b.day)
		}
	}
	return beside, nil
}

const currentRows = " AND ended_pull IS NULL"

// eachFingerprint calls fn for every row of a day that states a card and a total, all versions of it unless narrowed.
func (f *scopeSearch) eachFingerprint(d ledger.Date, narrowed string, fn func(duplicateKey, ledger.LocalTime, saleName)) error {
	return sqldb.EachRow(f.ctx, f.t, func(rows *sql.Rows) error {
		var m duplicateKey
		var at ledger.LocalTime
		var name saleName
		err := rows.Scan(&name.nsu, &name.auth, &at, &m.terminal, &m.card, &m.total)
		fn(m, at, name)
		return err
	}, `
		SELECT
			nsu,
			auth,
			sold_at,
			terminal,
			card,
			sale_total
		FROM installment
		WHERE account = $1 AND sale_day = $2 AND card <> '' AND sale_total IS NOT NULL`+narrowed,
		int64(f.account), int64(d))
}
