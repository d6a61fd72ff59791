package bank

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// CheckStatements holds what is kept of every bank account against what its statements say: that rows name statements that
// are there, that each statement's counts are those of its days, that the versions of every line are without a hole, and
// that lines and days are those computed from the statements again; and that what runs concluded adds up. It returns how many current lines it read.
func (s *StatementStore) CheckStatements(ctx context.Context, addFault sqldb.AddFault) (lines int64, err error) {
	accounts, err := readAccounts(ctx, s.db.Read, addFault)
	for _, a := range accounts {
		c := &statementCheck{q: s.db.Read, at: a, addFault: addFault}
		for _, check := range []func(context.Context) error{c.checkNames, c.checkFiles, c.checkVersions, c.checkLines, c.checkDays, c.checkDeposits} {
			if err == nil {
				err = check(ctx)
			}
		}
		lines += c.lines
	}
	return lines, err
}

// bankTables are those whose rows belong to a bank account, and the columns in which they name statements.
var bankTables = []struct {
	name  string
	files []string
}{
	{"bank_account", []string{"first_file"}},
	{"bank_file", nil},
	{"bank_file_day", []string{"file"}},
	{"bank_line", []string{"first_file", "ended_file"}},
	{"bank_balance", []string{"file"}},
	{"bank_day", []string{"file"}},
}

// readAccounts reads the bank accounts that any table has rows of. One without a home, or with two, is a fault.
func readAccounts(ctx context.Context, q sqldb.Querier, addFault sqldb.AddFault) (accounts []Account, err error) {
	homes, found := map[Account]bool{}, map[Account]bool{}
	known := map[string]bool{}
	for _, t := range bankTables {
		err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
			var a Account
			if err := rows.Scan(&a.Home, &a.ID); err != nil {
				return err
			}
			if t.name == "bank_account" {
				if known[a.ID] {
					addFault(words.NewMessage("check_fault.two_homes", "bank", a.ID))
				}
				homes[a], known[a.ID] = true, true
			}
			if !found[a] {
				found[a], accounts = true, append(accounts, a)
				if !homes[a] {
					addFault(words.NewMessage("check_fault.another_home", "bank", a.ID, "table", t.name, "account", a.Home))
				}
			}
			return nil
		}, "SELECT DISTINCT account, bank FROM "+t.name+" ORDER BY account, bank")
		if err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

// statementCheck is the check of one bank account.
type statementCheck struct {
	q        sqldb.Querier
	at       Account
	addFault sqldb.AddFault
	lines    int64 // current ones
}

// checkNames looks for rows that name a statement which is not there.
func (c *statementCheck) checkNames(ctx context.Context) error {
	for _, t := range bankTables {
		for _, column := range t.files {
			err := sqldb.EachRow(ctx, c.q, func(rows *sql.Rows) error {
				var n int64
				err := rows.Scan(&n)
				if n > 0 {
					c.addFault(words.NewMessage("check_fault.statement_missing", "bank", c.at.ID, "n", n, "table", t.name, "column", column))
				}
				return err
			}, `
				SELECT COUNT(*)
				FROM `+t.name+` AS r
				LEFT JOIN bank_file AS f
					ON f.account = r.account AND f.bank = r.bank AND f.file = r.`+column+`
				WHERE r.account = $1 AND r.bank = $2 AND r.`+column+` IS NOT NULL AND f.file IS NULL`, int64(c.at.Home), c.at.ID)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// statementSums are the counts of a statement.
type statementSums struct {
	rows            int64
	credits, debits ledger.Amount
}

// checkFiles compares the counts of every statement with the rows it is kept to show.
func (c *statementCheck) checkFiles(ctx context.Context) error {
	if err := c.checkBytes(ctx); err != nil {
		return err
	}
	shown := map[ledger.FileHash]statementSums{}
	err := eachFileDay(ctx, c.q, c.at, func(k fileDayBody) error {
		file := ledger.FileHash(k.file)
		all, err := unpackRows(k.day, k.body)
		if err != nil {
			c.addFault(words.NewMessage("check_fault.statement_unreadable", "bank", c.at.ID, "statement", shortHash(file), "day", k.day, "cause", err))
		} else if !bytes.Equal(packRows(all), k.body) {
			c.addFault(words.NewMessage("check_fault.statement_rows_changed", "bank", c.at.ID, "statement", shortHash(file), "day", k.day))
		}
		sums := shown[file]
		for i := range all {
			sums.rows++
			sums.credits += max(0, all[i].Amount)
			sums.debits += max(0, -all[i].Amount)
		}
		shown[file] = sums
		return nil
	})
	if err != nil {
		return err
	}
	return sqldb.EachRow(ctx, c.q, func(rows *sql.Rows) error {
		var hash []byte
		var said statementSums
		if err := rows.Scan(&hash, &said.rows, &said.credits, &said.debits); err != nil {
			return err
		}
		if file := ledger.FileHash(hash); said != shown[file] {
			c.addFault(words.NewMessage("check_fault.statement_sums_differ", "bank", c.at.ID, "statement", shortHash(file)))
		}
		return nil
	}, `
		SELECT
			file,
			rows_seen,
			credits,
			debits
		FROM bank_file
		WHERE account = $1 AND bank = $2
		ORDER BY file`, int64(c.at.Home), c.at.ID)
}

// checkBytes looks for statements whose bytes are not on record. The bytes themselves are checked with all that are kept.
func (c *statementCheck) checkBytes(ctx context.Context) error {
	return sqldb.EachRow(ctx, c.q, func(rows *sql.Rows) error {
		var hash []byte
		var sum string
		err := rows.Scan(&hash, &sum)
		c.addFault(words.NewMessage("check_fault.statement_without_bytes", "bank", c.at.ID, "statement", shortHash(hash), "body", sum))
		return err
	}, `
		SELECT
			f.file,
			f.bytes
		FROM bank_file AS f
		LEFT JOIN body AS b ON b.sha256 = f.bytes
		WHERE f.account = $1 AND f.bank = $2 AND b.sha256 IS NULL
		ORDER BY f.file`, int64(c.at.Home), c.at.ID)
}

// checkVersions walks the versions of every line: from 1 without a hole, the last one alone current, the key that of the
// first one's text.
func (c *statementCheck) checkVersions(ctx context.Context) error {
	var before keptVersion
	end := func() {
		if before.version > 0 && before.ended {
			c.addFault(words.NewMessage("check_fault.line_last_version_ended", "bank", c.at.ID, "day", before.row.Day, "version", before.version))
		}
	}
	ever := ledger.Period{From: math.MinInt32, To: math.MaxInt32}
	err := eachVersion(ctx, c.q, c.at, ever, func(now *keptVersion) error {
		day := now.row.Day
		same := before.version > 0 && before.row.Day == day && before.key == now.key
		if !same {
			end()
			before.version = 0
		}
		switch {
		case now.version != before.version+1:
			c.addFault(words.NewMessage("check_fault.line_version_gap", "bank", c.at.ID, "day", day, "version", now.version, "before", before.version))
		case same && !before.ended:
			c.addFault(words.NewMessage("check_fault.line_version_not_ended", "bank", c.at.ID, "day", day, "version", before.version))
		case !same && now.key.textHash != now.row.TextHash():
			c.addFault(words.NewMessage("check_fault.line_key_differs", "bank", c.at.ID, "day", day))
		}
		before = *now
		if !now.ended {
			c.lines++
		}
		return nil
	})
	end()
	return err
}

// checkLines computes the lines of every day again, chunk by chunk.
func (c *statementCheck) checkLines(ctx context.Context) error {
	var period ledger.Period
	err := c.q.QueryRowContext(ctx, `
		SELECT
			COALESCE(MIN(day), 0),
			COALESCE(MAX(day), 0)
		FROM (
			SELECT day
			FROM bank_file_day
			WHERE account = $1 AND bank = $2
			UNION ALL
			SELECT day
			FROM bank_line
			WHERE account = $1 AND bank = $2) AS days`, int64(c.at.Home), c.at.ID).Scan(sqldb.IntoDate(&period.From), sqldb.IntoDate(&period.To))
	if err != nil {
		return err
	}
	for from := period.From; from != 0 && from <= period.To; from += chunkDays {
		chunk := ledger.Period{From: from, To: min(period.To, from+chunkDays-1)}
		files, err := readFileDays(ctx, c.q, c.at, chunk)
		if errors.Is(err, errBody) {
			return nil // checkFiles named it
		}
		if err != nil {
			return err
		}
		stored, err := readStored(ctx, c.q, c.at, chunk)
		if err != nil {
			return err
		}
		for d := chunk.From; d <= chunk.To; d++ {
			if n := len(compareDay(d, mergeDay(files[d]), stored[d])); n > 0 {
				c.addFault(words.NewMessage("check_fault.lines_differ", "bank", c.at.ID, "n", n, "day", d))
			}
		}
	}
	return nil
}

// checkDays computes the states of all days again. Which days banks are closed on is the configuration's to say: a day
// may be covered as a quiet one or not.
func (c *statementCheck) checkDays(ctx context.Context) error {
	kept, err := readDays(ctx, c.q, c.at)
	if err != nil {
		return err
	}
	shown, balances, err := readProof(ctx, c.q, c.at)
	if err != nil {
		return err
	}
	busy := chainDays(shown, balances, func(ledger.Date) bool { return true })
	quiet := chainDays(shown, balances, func(ledger.Date) bool { return false })
	if len(kept) != len(busy) {
		c.addFault(words.NewMessage("check_fault.bank_days_missing", "bank", c.at.ID, "n", len(kept), "want", len(busy)))
		return nil
	}
	for i := range kept {
		if kept[i] != busy[i] && kept[i] != quiet[i] {
			c.addFault(words.NewMessage("check_fault.bank_day_differs", "bank", c.at.ID, "day", kept[i].Day))
		}
	}
	return nil
}

// shortHash is how a fault names a statement: by the first eight bytes of its SHA-256, in hexadecimal.
func shortHash[B ledger.FileHash | []byte](hash B) string { return fmt.Sprintf("%.8x", hash) }
