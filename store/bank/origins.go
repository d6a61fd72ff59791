package bank

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// LineOrigin is a line of a deposit and the statement that first had it as booked.
type LineOrigin struct {
	Subject string
	Day     ledger.Date
	Amount  ledger.Amount
	File    string // its name, without folder
	SHA256  string // of the bytes that the statement is in, hex
	Taken   time.Time
}

// lineCandidate is a line of the amount of a part, and whether the part may mean it: by its current text, or by one it once had.
type lineCandidate struct {
	LineOrigin
	textHash      string
	occurrence    int
	stands, stood bool
}

// LineOrigins returns where the lines of a current deposit came from, in order of subject.
func (s *StatementStore) LineOrigins(ctx context.Context, a Account, deposit string) (out []LineOrigin, err error) {
	var all []lineCandidate // versions of a line follow each other, the first before the others
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var c lineCandidate
		var hash, original []byte
		var text string
		var current bool
		err := rows.Scan(&c.Subject, &c.Amount, sqldb.IntoDate(&c.Day), &hash, &c.occurrence, &text, &original, sqldb.IntoBool(&current), &c.File, &c.SHA256,
			sqldb.IntoTime(&c.Taken))
		if err != nil {
			return err
		}
		c.textHash = string(hash)
		if n := len(all); n == 0 || !all[n-1].isSameLine(&c) {
			all = append(all, c)
		}
		named, _ := cutLineNumber(c.Subject)
		if last := &all[len(all)-1]; banking.LineSubject(a.Home, a.ID, &banking.Row{Day: c.Day, Amount: c.Amount, Text: text, Original: string(original)}) == named {
			last.stands, last.stood = last.stands || current, true
		}
		return nil
	}, `
		SELECT
			p.part,
			p.amount,
			l.day,
			l.text_hash,
			l.occurrence,
			l.text,
			l.original,
			CASE WHEN l.ended_file IS NULL AND l.vanished = 0 THEN 1 ELSE 0 END,
			f.name,
			f.bytes,
			f.taken
		FROM bank_deposit_part AS p
		JOIN bank_line AS l
			ON l.account = p.account AND l.bank = p.bank AND l.day >= p.bank_day - 15 AND l.day <= p.bank_day AND l.amount = p.amount
				AND l.scheduled = 0
		JOIN bank_file AS f
			ON f.account = l.account AND f.bank = l.bank AND f.file = l.first_file
		WHERE p.account = $1 AND p.bank = $2 AND p.deposit = $3 AND p.kind = 'line' AND p.ended_run IS NULL
		ORDER BY p.part, l.day, l.occurrence, l.text_hash, l.version`, int64(a.Home), a.ID, deposit)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Subject == all[0].Subject {
			n++
		}
		if c := pickMeant(all[:n]); c != nil {
			out = append(out, c.LineOrigin)
		}
		all = all[n:]
	}
	return out, s.db.WrapError("read the lines of "+deposit, err)
}

func (c *lineCandidate) isSameLine(d *lineCandidate) bool {
	return c.Subject == d.Subject && c.Day == d.Day && c.textHash == d.textHash && c.occurrence == d.occurrence
}

// pickMeant is the line that a subject means among those of its amount, as runs number lines that are alike; nil: none. What a later
// statement worded otherwise or lacks comes after the current ones.
func pickMeant(all []lineCandidate) *lineCandidate {
	_, left := cutLineNumber(all[0].Subject)
	for _, isMeant := range []func(*lineCandidate) bool{
		func(c *lineCandidate) bool { return c.stands },
		func(c *lineCandidate) bool { return c.stood && !c.stands },
	} {
		for i := range all {
			if isMeant(&all[i]) {
				if left--; left == 0 {
					return &all[i]
				}
			}
		}
	}
	return nil
}

// cutLineNumber takes off a line's subject the number among those that are alike, 1 where it has none.
func cutLineNumber(subject string) (named string, number int) {
	at := strings.LastIndexByte(subject, '~')
	if at > strings.LastIndexByte(subject, ':') {
		if n, err := strconv.Atoi(subject[at+1:]); err == nil {
			return subject[:at], n
		}
	}
	return subject, 1
}
