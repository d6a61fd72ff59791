//go:build unix

package store_test

import (
	"strings"
	"testing"

	"concilia/export/words"
	"concilia/store/storetest"
)

// TestCheckStatements: bank accounts that only the program wrote are clean, and each thing done to them behind its back is
// named.
func TestCheckStatements(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{"sqlite": storetest.FreshSQLite(t), "postgres": storetest.FreshPostgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkStatements(t, dsn)
		})
	}
}

func checkStatements(t *testing.T, dsn string) {
	t.Helper()
	l := openDSN(t, dsn)
	announced := statementA
	announced.scheduled = []string{"2026-11-09 84.15 PIX RECEBIDO"}
	for _, d := range []download{announced, statementB, statementC} {
		takeIn(t, l, d)
	}
	db := rawDB(t, dsn)
	do := func(query string) {
		t.Helper()
		res, err := db.Write.ExecContext(t.Context(), query)
		must(t, err)
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			t.Errorf("%s: changed nothing", query)
		}
	}
	finds := func(name, want string) {
		t.Helper()
		r, err := l.Check(t.Context())
		must(t, err)
		if said := words.JoinMessages("en", r.Faults); want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: says\n%s", name, said)
		}
		if want == "" && r.Lines != 4 {
			t.Errorf("%s: %d lines were read", name, r.Lines)
		}
	}
	finds("nothing was done", "")
	for _, c := range []struct{ name, break_, mend, want string }{
		{"an amount was changed", "UPDATE bank_line SET amount = amount + 100 WHERE amount = 841500", "UPDATE bank_line SET amount = amount - 100 WHERE amount = 841600", "lines of 2026-11-09 are not those that its statements show"},
		{"a text was changed", "UPDATE bank_line SET text = text || '!' WHERE amount = 3579800", "UPDATE bank_line SET text = replace(text, '!', '') WHERE amount = 3579800", "its key is not that of its text"},
		{"a vanished line is back", "UPDATE bank_line SET vanished = 1 - vanished WHERE vanished = 1 AND version = 2", "UPDATE bank_line SET vanished = 1 - vanished WHERE occurrence = 2 AND version = 2", "lines of 2026-11-05 are not those"},
		{"a line was moved to another day", "UPDATE bank_line SET day = day + 1 WHERE amount = 3579800", "UPDATE bank_line SET day = day - 1 WHERE amount = 3579800", "1 lines of 2026-11-04 are not those"},
		{"a version is missing", "UPDATE bank_line SET version = version + 1 WHERE version = 2", "UPDATE bank_line SET version = version - 1 WHERE version = 3", "version 3 follows version 1"},
		{"a successor that is not there", "UPDATE bank_line SET ended_file = first_file WHERE amount = 3579800", "UPDATE bank_line SET ended_file = NULL WHERE amount = 3579800", "has been ended and nothing follows"},
		{"two versions stand", "UPDATE bank_line SET ended_file = NULL WHERE amount = 841500 AND version = 1", "UPDATE bank_line SET ended_file = (SELECT n.first_file FROM bank_line AS n WHERE n.amount = 841500 AND n.version = 2) WHERE amount = 841500 AND version = 1", "was not ended by the next"},
		{"the name of a statement was changed in its lines", "UPDATE bank_line SET first_file = text_hash WHERE amount = 3579800", "UPDATE bank_line SET first_file = (SELECT first_file FROM bank_account) WHERE amount = 3579800", "1 rows of bank_line name in first_file a statement that is not there"},
		{"the sum of a statement was changed", "UPDATE bank_file SET credits = credits + 1", "UPDATE bank_file SET credits = credits - 1", "its rows and sums are not those of its days"},
		{"the bytes of a statement are said to be others", "UPDATE bank_file SET bytes = 'x' || bytes", "UPDATE bank_file SET bytes = substr(bytes, 2)", "are not on record"},
		{"a day of a statement is gone", "UPDATE bank_file_day SET day = day + 4000 WHERE day = (SELECT MIN(day) + 1 FROM bank_day)", "UPDATE bank_file_day SET day = day - 4000 WHERE day > 743000", "are not those that its statements show"},
		{"a day is said to be whole", "UPDATE bank_file_day SET whole = 1 - whole", "UPDATE bank_file_day SET whole = 1 - whole", "does not come from its statements"},
		{"a balance was changed", "UPDATE bank_balance SET amount = amount + 1 WHERE amount = 15421300", "UPDATE bank_balance SET amount = amount - 1 WHERE amount = 15421301", "what is kept of 2026-11-09 does not come from its statements"},
		{"a broken day is called proven", "UPDATE bank_day SET state = 'proven' WHERE state = 'covered'", "UPDATE bank_day SET state = 'covered' WHERE state = 'proven' AND day < (SELECT MIN(day) + 3 FROM bank_day)", "what is kept of 2026-11-03 does not come from"},
		{"the sum of a day was changed", "UPDATE bank_day SET credits = credits + 1", "UPDATE bank_day SET credits = credits - 1", "what is kept of 2026-11-04 does not"},
		{"a day is gone", "UPDATE bank_day SET bank = 'x' || bank WHERE lines = 0", "UPDATE bank_day SET bank = substr(bank, 2) WHERE lines = 0", "which it does not belong to"},
		{"a home was changed", "UPDATE bank_account SET account = account + 1", "UPDATE bank_account SET account = account - 1", "which it does not belong to"},
	} {
		do(c.break_)
		finds(c.name, c.want)
		do(c.mend)
	}
	finds("all was mended", "")
	do("UPDATE bank_file_day SET body = file WHERE whole = 1")
	finds("the rows of a day were overwritten", "cannot be read")
}
