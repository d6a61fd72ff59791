package bank

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// So many days, and about so many rows, are merged at a time: memory does not grow with the period of a file, and little with its rows.
const (
	chunkDays = 31
	chunkRows = 4_000
)

// lineKey names a line within its day.
type lineKey struct {
	amount     ledger.Amount
	textHash   ledger.FileHash
	occurrence int
}

// storedLine is a line as it is kept: its key, and its current version.
type storedLine struct {
	key     lineKey
	version int
	row     banking.Row
	gone    bool              // vanished
	names   []ledger.FileHash // hashes of the texts of all versions
	paired  bool
}

// lineChange is a version to be written; one with a version above 1 ends the one before.
type lineChange struct {
	day     ledger.Date
	key     lineKey
	version int
	row     banking.Row
	gone    bool
}

// mergeLines brings the lines of the period to what all files together say. No day of the file has more rows than mostOfDay.
func (m *merge) mergeLines(ctx context.Context, period ledger.Period, mostOfDay int) error {
	days := ledger.Date(min(chunkDays, max(1, chunkRows/max(1, mostOfDay))))
	for from := period.From; from != 0 && from <= period.To; from += days {
		chunk := ledger.Period{From: from, To: min(period.To, from+days-1)}
		files, err := readFileDays(ctx, m, m.at, chunk)
		if err != nil {
			return err
		}
		stored, err := readStored(ctx, m, m.at, chunk)
		if err != nil {
			return err
		}
		var changes []lineChange
		for d := chunk.From; d <= chunk.To; d++ {
			if len(files[d]) > 0 {
				changes = append(changes, compareDay(d, mergeDay(files[d]), stored[d])...)
			}
		}
		if err := m.writeLines(ctx, changes); err != nil {
			return err
		}
		m.countChanges(changes, stored)
	}
	return nil
}

// countRows counts the rows of the statement, and those that are neither announced nor among the changes.
func (m *merge) countRows(rows, scheduled int64) {
	m.out.Lines, m.out.Scheduled = rows, scheduled
	m.out.Same = max(0, m.out.Lines-m.out.Scheduled-m.out.New-m.out.Reworded)
}

// countChanges adds what the changes are to the counts of the result.
func (m *merge) countChanges(changes []lineChange, stored map[ledger.Date][]*storedLine) {
	before := make(map[ledger.Date]map[lineKey]*storedLine)
	for d, lines := range stored {
		before[d] = make(map[lineKey]*storedLine, len(lines))
		for _, l := range lines {
			before[d][l.key] = l
		}
	}
	for i := range changes {
		c := &changes[i]
		was := before[c.day][c.key]
		switch {
		case c.row.Scheduled:
		case was == nil && !c.gone, was != nil && was.row.Scheduled && !c.gone, was != nil && was.gone && !c.gone:
			m.out.New++
		case was != nil && !was.gone && c.gone:
			m.out.Vanished++
		case was != nil && was.row.Text != c.row.Text:
			m.out.Reworded++
		}
	}
}

// compareDay finds what of the lines of a day is to be written so that they are as computed. Kept lines keep their keys.
func compareDay(day ledger.Date, computed []dayLine, stored []*storedLine) []lineChange {
	byKey := make(map[lineKey]*storedLine, len(stored))
	used := make(map[lineKey]bool, len(stored))
	for _, l := range stored {
		byKey[l.key], used[l.key] = l, true
	}
	pairs := make([]*storedLine, len(computed))
	count := map[lineKey]int{}
	for i := range computed {
		k := lineKey{amount: computed[i].row.Amount, textHash: computed[i].names[0]}
		count[k]++
		k.occurrence = count[k]
		if l := byKey[k]; l != nil && !l.paired {
			l.paired, pairs[i] = true, l
		}
	}
	var changes []lineChange
	for i := range computed {
		c := &computed[i]
		if pairs[i] == nil {
			pairs[i] = findByName(c, stored)
		}
		l := pairs[i]
		if l == nil {
			k := lineKey{amount: c.row.Amount, textHash: c.names[0], occurrence: 1}
			for used[k] {
				k.occurrence++
			}
			used[k] = true
			changes = append(changes, lineChange{day: day, key: k, version: 1, row: c.row, gone: c.vanished})
			continue
		}
		if l.row != c.row || l.gone != c.vanished {
			changes = append(changes, lineChange{day: day, key: l.key, version: l.version + 1, row: c.row, gone: c.vanished})
		}
	}
	for _, l := range stored {
		if !l.paired && !l.gone {
			changes = append(changes, lineChange{day: day, key: l.key, version: l.version + 1, row: l.row, gone: true})
		}
	}
	return dropUnknownOrder(changes, computed, stored)
}

// dropUnknownOrder takes out the changes of amounts in whose texts a payer was forgotten, if the lines are the same but for their places:
// reworded lines were paired in the order of their texts, which is no longer known.
func dropUnknownOrder(changes []lineChange, computed []dayLine, stored []*storedLine) []lineChange {
	type shown struct {
		row  banking.Row
		gone bool
	}
	forgotten := map[ledger.Amount]bool{}
	for i := range computed {
		if r := &computed[i].row; r.Original != "" {
			forgotten[r.Amount] = true
		}
	}
	if len(changes) == 0 || len(forgotten) == 0 {
		return changes
	}
	counts := map[ledger.Amount]map[shown]int{}
	count := func(row banking.Row, gone bool, n int) {
		if counts[row.Amount] == nil {
			counts[row.Amount] = map[shown]int{}
		}
		counts[row.Amount][shown{row, gone}] += n
	}
	for i := range computed {
		count(computed[i].row, computed[i].vanished, 1)
	}
	for _, l := range stored {
		count(l.row, l.gone, -1)
	}
	return slices.DeleteFunc(changes, func(c lineChange) bool {
		if !forgotten[c.row.Amount] {
			return false
		}
		for _, n := range counts[c.row.Amount] {
			if n != 0 {
				return false
			}
		}
		return true
	})
}

// findByName is a kept line of the same cents that had one of the texts of a computed one, nil when there is none.
func findByName(c *dayLine, stored []*storedLine) *storedLine {
	for _, l := range stored {
		if l.paired || l.key.amount != c.row.Amount {
			continue
		}
		if slices.ContainsFunc(l.names, func(name ledger.FileHash) bool { return slices.Contains(c.names, name) }) {
			l.paired = true
			return l
		}
	}
	return nil
}

func readFileDays(ctx context.Context, q sqldb.Querier, a Account, p ledger.Period) (map[ledger.Date][]fileDay, error) {
	out := map[ledger.Date][]fileDay{}
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var day ledger.Date
		var f fileDay
		var file, body []byte
		if err := rows.Scan(sqldb.IntoDate(&day), &file, &f.made, sqldb.IntoBool(&f.whole), &body); err != nil {
			return err
		}
		copy(f.file[:], file)
		var err error
		f.rows, err = unpackRows(day, body)
		out[day] = append(out[day], f)
		return err
	}, `
		SELECT
			d.day,
			d.file,
			f.made,
			d.whole,
			d.body
		FROM bank_file_day AS d
		JOIN bank_file AS f
			ON f.account = d.account AND f.bank = d.bank AND f.file = d.file
		WHERE d.account = $1 AND d.bank = $2 AND d.day >= $3 AND d.day <= $4`,
		int64(a.Home), a.ID, int64(p.From), int64(p.To))
	return out, err
}

// readStored reads the kept lines of the period by day, those of a day in order of key.
func readStored(ctx context.Context, q sqldb.Querier, a Account, p ledger.Period) (map[ledger.Date][]*storedLine, error) {
	out := map[ledger.Date][]*storedLine{}
	var last *storedLine
	var lastDay ledger.Date
	err := eachVersion(ctx, q, a, p, func(v *keptVersion) error {
		if last == nil || last.key != v.key || lastDay != v.row.Day {
			last, lastDay = &storedLine{key: v.key}, v.row.Day
			out[v.row.Day] = append(out[v.row.Day], last)
		}
		last.version, last.row, last.gone = v.version, v.row, v.gone
		last.names = append(last.names, v.row.TextHash())
		return nil
	})
	return out, err
}

// keptVersion is a version of a line as it is kept.
type keptVersion struct {
	key         lineKey
	version     int
	row         banking.Row
	gone, ended bool
}

// eachVersion calls fn with the versions of the lines of the period, by day, key and version.
func eachVersion(ctx context.Context, q sqldb.Querier, a Account, p ledger.Period, fn func(*keptVersion) error) error {
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var v keptVersion
		var hash, original []byte
		err := rows.Scan(sqldb.IntoDate(&v.row.Day), &v.key.amount, &hash, &v.key.occurrence, &v.version, &v.row.Text, &original, &v.row.Document,
			&v.row.Category, sqldb.IntoBool(&v.gone), sqldb.IntoBool(&v.row.Scheduled), sqldb.IntoBool(&v.ended))
		if err != nil {
			return err
		}
		copy(v.key.textHash[:], hash)
		v.row.Amount, v.row.Original = v.key.amount, string(original)
		return fn(&v)
	}, `
		SELECT
			day,
			amount,
			text_hash,
			occurrence,
			version,
			text,
			original,
			document,
			category,
			vanished,
			scheduled,
			CASE WHEN ended_file IS NULL THEN 0 ELSE 1 END
		FROM bank_line
		WHERE account = $1 AND bank = $2 AND day >= $3 AND day <= $4
		ORDER BY day, amount, text_hash, occurrence, version`,
		int64(a.Home), a.ID, int64(p.From), int64(p.To))
}

func putOriginal(to sqldb.Row, original string) {
	if original == "" {
		to.Null()
		return
	}
	to.Bytes([]byte(original))
}

// writeLines writes versions and ends those before them.
func (m *merge) writeLines(ctx context.Context, changes []lineChange) error {
	var later []*lineChange
	for i := range changes {
		if changes[i].version > 1 {
			later = append(later, &changes[i])
		}
	}
	err := m.ExecBatch(ctx, `
		UPDATE bank_line
		SET ended_file = $1
		WHERE account = $2 AND bank = $3 AND day = $4 AND amount = $5 AND text_hash = $6 AND occurrence = $7 AND version = $8`,
		len(later), func(i int) []any {
			c := later[i]
			return []any{m.file[:], int64(m.at.Home), m.at.ID, int64(c.day), int64(c.key.amount), c.key.textHash[:], int64(c.key.occurrence), int64(c.version - 1)}
		})
	if err != nil {
		return err
	}
	columns := []string{"account", "bank", "day", "amount", "text_hash", "occurrence", "version", "text", "original", "document", "category", "first_file", "vanished", "scheduled"}
	return m.LoadRows(ctx, "bank_line", columns, len(changes), func(i int, r sqldb.Row) error {
		c := &changes[i]
		r.Int(int64(m.at.Home))
		r.Text(m.at.ID)
		r.Int(int64(c.day))
		r.Int(int64(c.key.amount))
		r.Bytes(c.key.textHash[:])
		r.Int(int64(c.key.occurrence))
		r.Int(int64(c.version))
		r.Text(c.row.Text)
		putOriginal(r, c.row.Original)
		r.Text(c.row.Document)
		r.Text(c.row.Category)
		r.Bytes(m.file[:])
		r.Int(sqldb.BoolArg(c.gone))
		r.Int(sqldb.BoolArg(c.row.Scheduled))
		return nil
	})
}
