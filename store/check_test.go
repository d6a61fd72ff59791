//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/export/words"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// TestCheck: a ledger that was only ever written by the program is clean, and each thing done to it behind the program's
// back is named.
func TestCheck(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		checkFinds(t, storetest.FreshSQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		checkFinds(t, storetest.FreshPostgres(t))
	})
}

func checkFinds(t *testing.T, dsn string) {
	t.Helper()
	l := openDSN(t, dsn)
	story := newStory(t, l, 5)
	for range 2 {
		story.Night()
	}
	must(t, l.StoreDocument(t.Context(), "contract", strings.Repeat("0", 64), nil))
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
		if r.Versions == 0 || r.Cases == 0 || r.Pulls == 0 {
			t.Errorf("%s: read nothing: %+v", name, r)
		}
		for _, f := range r.Faults {
			if f.In("pt-BR") == f.In("en") {
				t.Errorf("%s: in Portuguese it is told in English: %s", name, f)
			}
		}
		if said := words.JoinMessages("en", r.Faults); want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: says\n%s", name, said)
		}
	}
	finds("a document that is not what its hash says", "document 0000")
	do("DELETE FROM document WHERE kind = 'contract'")
	finds("nothing was done", "")
	for _, c := range []struct{ name, break_, mend, want string }{
		{"an amount was changed", "UPDATE installment SET gross = gross + 1 WHERE version = 1", "UPDATE installment SET gross = gross - 1 WHERE version = 1", "hash does not fit"},
		{"a slip was changed", "UPDATE slip SET value = value + 1", "UPDATE slip SET value = value - 1", "in slips."},
		{"a pull is gone", "UPDATE pull SET id = 'x' || id WHERE complete = 1", "UPDATE pull SET id = substr(id, 2) WHERE complete = 1", "which is not there"},
		{"a day is said to be proved earlier", "UPDATE cover SET since_began = since_began - 1 WHERE since_pull <> ''", "UPDATE cover SET since_began = since_began + 1 WHERE since_pull <> ''", "does not fit its pulls"},
		{"the coverage of a day is gone", "UPDATE cover SET day = day + 10000", "UPDATE cover SET day = day - 10000", "no coverage is kept of them"},
		{"a window is said to be asked for later", "UPDATE asked SET last_on = last_on + 1", "UPDATE asked SET last_on = last_on - 1", "are not kept, or differ from its pulls"},
		{"a window nobody asked for", "UPDATE asked SET from_day = from_day - 9000", "UPDATE asked SET from_day = from_day + 9000", "are kept, and its pulls have others"},
		{"a current row is marked as gone", "UPDATE installment SET vanished = 1 WHERE ended_pull IS NULL", "UPDATE installment SET vanished = 0 WHERE ended_pull IS NULL", "is neither current nor vanished"},
		{"what was succeeded is marked as gone", "UPDATE installment SET vanished = 1 - vanished WHERE ended_pull IS NOT NULL", "UPDATE installment SET vanished = 1 - vanished WHERE ended_pull IS NOT NULL", "was not ended by the next"},
		{"a version is missing", "UPDATE installment SET version = version + 1 WHERE ended_pull IS NULL AND version > 1", "UPDATE installment SET version = version - 1 WHERE ended_pull IS NULL AND version > 1", "follows version"},
		{"the first version is missing", "UPDATE slip SET version = version + 1000", "UPDATE slip SET version = version - 1000", "begins with version"},
		{"an expectation without its row", "UPDATE expectation SET version = version + 90", "UPDATE expectation SET version = version - 90", "does not fit what is there"},
		{"two expectations of one row", "UPDATE expectation SET ended_run = NULL", "UPDATE expectation SET ended_run = (SELECT MIN(n.run) FROM expectation AS n WHERE n.account = expectation.account AND n.sale_day = expectation.sale_day AND n.nsu = expectation.nsu AND n.auth = expectation.auth AND n.number = expectation.number AND n.occurrence = expectation.occurrence AND n.run > expectation.run)", "expectation of account 1001, 739921: 2 rows of one key"},
		{"two counts of one thing", "UPDATE population SET ended_run = NULL", "UPDATE population SET ended_run = (SELECT MAX(run) FROM reconciled) WHERE run < (SELECT MAX(run) FROM reconciled)", "population of account 1001, kind: 2 rows of one key"},
		{"two closings of a day", "UPDATE continuity SET ended_run = NULL", "UPDATE continuity SET ended_run = (SELECT MAX(run) FROM reconciled) WHERE run < (SELECT MAX(run) FROM reconciled)", "continuity of account 1001, 739921: 2 rows of one key"},
		{"two lines of a bridge", "UPDATE bridge SET ended_run = NULL", "UPDATE bridge SET ended_run = (SELECT MAX(run) FROM reconciled) WHERE run < (SELECT MAX(run) FROM reconciled)", "bridge of account 1001, mdr: 2 rows of one key"},
		{"a sum ended by a run that was none", "UPDATE rounding SET ended_run = 'x' WHERE ended_run IS NOT NULL", "UPDATE rounding SET ended_run = (SELECT MAX(run) FROM reconciled) WHERE run < (SELECT MAX(run) FROM reconciled)", "by x, which reconciled nothing later"},
		{"a sum ended before it was", "UPDATE population SET ended_run = run WHERE ended_run IS NOT NULL", "UPDATE population SET ended_run = (SELECT MAX(run) FROM reconciled) WHERE run < (SELECT MAX(run) FROM reconciled)", "population of account 1001, kind: what run"},
		{"a run is said to have ended well", "UPDATE run SET verdict = verdict || '!' WHERE ended IS NOT NULL", "UPDATE run SET verdict = replace(verdict, '!', '')", "its record was changed after its end"},
		{"a run is said to have another exit code", "UPDATE run SET exit_code = exit_code + 1 WHERE ended IS NOT NULL", "UPDATE run SET exit_code = exit_code - 1 WHERE ended IS NOT NULL", "its record was changed after its end"},
		{"a run is said not to have ended", "UPDATE run SET ended = -ended WHERE ended IS NOT NULL", "UPDATE run SET ended = -ended WHERE ended IS NOT NULL", "its record was changed after its end"},
		{"a run is not there", "UPDATE run SET id = id || 'x' WHERE ended IS NOT NULL", "UPDATE run SET id = replace(id, 'x', '') WHERE ended IS NOT NULL", "which reconciled it, is not there"},
		{"a sale is expected to bring more", "UPDATE expectation SET net = net + 1", "UPDATE expectation SET net = net - 1", "a sale of"},
		{"an expectation of a slip was changed", "UPDATE slip_expectation SET face = face + 1", "UPDATE slip_expectation SET face = face - 1", "slip:1001:"},
		{"a belief with a hash that fits other numbers", "UPDATE expectation SET run = run || 'x' WHERE ended_run IS NULL", "UPDATE expectation SET run = replace(run, 'x', '')", "expectation of account 1001: what run"},
		{"a line of the bridge says more", "UPDATE bridge SET amount = amount + 1", "UPDATE bridge SET amount = amount - 1", "bridge of account 1001: what run"},
		{"a line of the bridge is of another day", "UPDATE bridge SET day = day + 1000", "UPDATE bridge SET day = day - 1000", "bridge of account 1001: what run"},
		{"lines of the bridge are gone", "UPDATE bridge SET account = account + 5", "UPDATE bridge SET account = account - 5", "bridge of account 1001: what run"},
		{"the bridge of another run ended a line", "UPDATE bridge SET ended_run = (SELECT MAX(run) FROM reconciled) WHERE ended_run IS NULL AND line = (SELECT MIN(line) FROM bridge WHERE ended_run IS NULL)", "UPDATE bridge SET ended_run = NULL WHERE line = (SELECT MIN(line) FROM bridge) AND run = (SELECT MAX(run) FROM reconciled)", "bridge of account 1001"},
		{"what was tolerated", "UPDATE rounding SET amount = amount + 1", "UPDATE rounding SET amount = amount - 1", "rounding of account 1001: what run"},
		{"what moved on a day", "UPDATE continuity SET received = received + 1", "UPDATE continuity SET received = received - 1", "continuity of account 1001: what run"},
		{"a population was counted otherwise", "UPDATE population SET members = members + 1", "UPDATE population SET members = members - 1", "population of account 1001: what run"},
		{"a record of what was concluded is gone", "UPDATE reconciled SET digests = '{\"' || digests", "UPDATE reconciled SET digests = substr(digests, 3)", "cannot be read"},
		{"a case was closed by hand", "UPDATE finding SET state = state || '!'", "UPDATE finding SET state = replace(state, '!', '')", "differs from its last event"},
		{"a case was deleted", "UPDATE finding SET case_id = 'x' || case_id", "UPDATE finding SET case_id = substr(case_id, 2)", "was deleted, and"},
		{"an event is gone", "UPDATE finding_event SET sequence = sequence + 1000", "UPDATE finding_event SET sequence = sequence - 1000", "differs from its last event"},
	} {
		do(c.break_)
		finds(c.name, c.want)
		do(c.mend)
	}
	finds("all was mended", "")
}

// TestCheckDamaged: a damaged page is reported, and the ledger is not called clean.
func TestCheckDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openPath(t, path)
	story := newStory(t, l, 5)
	story.Night()
	_, err := rawDB(t, "sqlite:"+path).Write.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)")
	must(t, err)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	info, err := file.Stat()
	must(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("damage", 1000)), info.Size()/2/4096*4096)
	must(t, err)
	must(t, file.Close())
	damaged, err := store.Open(t.Context(), "sqlite:"+path)
	if err == nil {
		defer func() { _ = damaged.Close() }()
		var r *store.CheckReport
		if r, err = damaged.Check(t.Context()); err == nil && len(r.Faults) == 0 {
			t.Error("a damaged ledger is clean")
		}
	}
	var unavailable *sqldb.UnavailableError
	if err != nil && !errors.As(err, &unavailable) {
		t.Error(err)
	}
}

// TestCheckBesideAWriter: what another process merges while a ledger is checked is no fault of it.
func TestCheckBesideAWriter(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{"sqlite": storetest.FreshSQLite(t), "postgres": storetest.FreshPostgres(t)} {
		l, writer := openDSN(t, dsn), openDSN(t, dsn)
		lease, err := writer.LeaseAccounts(t.Context(), "r", []ledger.Account{1}, time.Hour)
		must(t, err)
		day := ledger.NewDate(2026, 1, 1)
		for range 100 {
			failed := make(chan error, 1)
			go func() { // so many days, not as many as it can: a check takes longer the more there is
				var err error
				for range 3 {
					err = errors.Join(err, mergeRows(t, writer, day, 1))
					day++
				}
				failed <- err
			}()
			r, err := l.Check(t.Context())
			must(t, err)
			must(t, <-failed)
			if len(r.Faults) > 0 {
				t.Fatalf("%s: a ledger that is written meanwhile: %q", name, r.Faults)
			}
		}
		must(t, lease.Release(t.Context()))
	}
}

// TestBackup takes backups of a ledger into which another process' handle merges all the while: each is a whole ledger
// with whole windows, and none overwrites anything.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	l, writer := openPath(t, path), openPath(t, path)
	lease, err := writer.LeaseAccounts(t.Context(), "r", []ledger.Account{1}, time.Hour)
	must(t, err)
	defer func() { _ = lease.Release(t.Context()) }()
	stop, failed := make(chan struct{}), make(chan error, 1)
	merged := make(chan struct{}, 1000)
	go func() {
		defer close(failed)
		for d := ledger.NewDate(2026, 1, 1); ; d++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := mergeDay(t, writer, d); err != nil {
				failed <- err
				return
			}
			select {
			case merged <- struct{}{}:
			default:
			}
		}
	}()
	days := 0
	for i := range 3 {
		<-merged
		to := filepath.Join(dir, fmt.Sprintf("copy %d.db", i))
		size, err := l.Backup(t.Context(), to)
		must(t, err)
		info, err := os.Stat(to)
		must(t, err)
		if info.Size() != size || size == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%d bytes of %d, mode %v", info.Size(), size, info.Mode())
		}
		days = max(days, wholeDays(t, to))
	}
	close(stop)
	must(t, <-failed)
	if days == 0 {
		t.Error("no backup holds a day")
	}
	var refused *store.BackupError
	before, err := os.ReadFile(filepath.Join(dir, "copy 0.db"))
	must(t, err)
	for _, to := range []string{filepath.Join(dir, "copy 0.db"), path, dir, filepath.Join(dir, "no", "copy.db")} {
		if _, err := l.Backup(t.Context(), to); !errors.As(err, &refused) {
			t.Errorf("%s: %v", to, err)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, "copy 0.db"))
	must(t, err)
	if string(before) != string(after) {
		t.Error("a backup was overwritten")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.part-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

const backupRows = 500

func mergeDay(t *testing.T, l *store.Ledger, d ledger.Date) error {
	return mergeRows(t, l, d, backupRows)
}

func mergeRows(t *testing.T, l *store.Ledger, d ledger.Date, n int) error {
	rows := make([]ledger.Installment, n)
	for i := range rows {
		rows[i] = ledger.Installment{
			Account: 1, SoldAt: ledger.LocalTimeOf(d.Time(), time.UTC), NSU: fmt.Sprint(i), Number: 1, Count: 1, Gross: 100,
		}
	}
	return l.MergeInstallments(t.Context(), &ledger.Pull{
		ID: d.String(), Run: "r", Complete: true, Began: d.Time(), Ended: d.Time(),
		Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: d, To: d}},
	}, rows, nil)
}

// wholeDays opens a backup, which must be clean, and counts its days.
func wholeDays(t *testing.T, path string) int {
	t.Helper()
	l := openPath(t, path)
	r, err := l.Check(t.Context())
	must(t, err)
	if len(r.Faults) > 0 {
		t.Errorf("%s: %v", path, r.Faults)
	}
	rows := make(map[ledger.Date]int)
	must(t, l.Sales(t.Context(), 1, func(s *ledger.Sale) error {
		rows[s.Key.Day] += len(s.Rows)
		return nil
	}))
	for d, n := range rows {
		if n != backupRows {
			t.Errorf("%s: day %s has %d rows", path, d, n)
		}
	}
	return len(rows)
}

// TestBackupPostgres: what Postgres does better is left to it, by name.
func TestBackupPostgres(t *testing.T) {
	t.Parallel()
	l := openDSN(t, storetest.FreshPostgres(t))
	var refused *store.BackupError
	if _, err := l.Backup(t.Context(), "x"); !errors.As(err, &refused) || !strings.Contains(err.Error(), "pg_dump") {
		t.Error(err)
	}
}
