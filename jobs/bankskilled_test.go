//go:build unix

package jobs_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/bank"
	"concilia/jobs/jobstest"
	"concilia/jobs/othersides"
)

// killedBankEnv is the DSN of the ledger in which a test process kills itself, killedBankIn the function in which it does.
const (
	killedBankEnv = "CONCILIA_TEST_KILLED_BANK"
	killedBankIn  = "CONCILIA_TEST_KILLED_IN"
)

// TestKilledBetweenMatchingAndKeeping: a process that is killed (kill -9) while it takes in a statement, or once it has matched a bank
// account and not yet kept it, leaves nothing half done: the next run ends as an undisturbed one.
func TestKilledBetweenMatchingAndKeeping(t *testing.T) {
	if dsn := os.Getenv(killedBankEnv); dsn != "" {
		m := bankedMerchant(t, jobstest.OnSQLite())
		m.Ledger = jobstest.OpenLedger(t, dsn)
		go killWithin(os.Getenv(killedBankIn))
		m.takeInStatements(t)
		_, err := m.Reconcile(t.Context(), m.Today())
		t.Fatal("it was to be killed", err)
	}
	t.Parallel()
	jobstest.Spare(t)
	m := bankedMerchant(t, jobstest.OnSQLite())
	banks := m.Banks
	lived := m.ownLedgerFile(t, "lived.db")
	m.Banks = nil
	m.RunNight(t)
	m.Banks = banks
	if err := m.Ledger.Close(); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, tt := range []struct{ name, table, bank, in string }{
		{"not killed", "", "", ""},
		{"taking in a statement of the second bank", "bank_line", banks[1].ID, "TakeInStatements"},
		{"the first bank is matched", "bank_deposit", banks[0].ID, "KeepConclusion"},
		{"the second bank is matched", "bank_deposit", banks[1].ID, "KeepConclusion"},
		{"all of the second bank is written but what it was drawn from", "bank_basis", banks[1].ID, "KeepConclusion"},
	} {
		path := copyLedger(t, lived)
		if tt.table != "" {
			killProcessIn(t, path, tt.table, tt.bank, tt.in)
		}
		m.Ledger = jobstest.OpenLedger(t, "sqlite:"+path)
		m.takeInStatements(t)
		if _, err := m.Reconcile(t.Context(), m.Today()); err != nil {
			t.Fatal(err)
		}
		got := append(m.bankStands(t), bankHistory(t, m))
		if want == nil {
			want = got
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: undisturbed (-), killed and run again (+):\n%s", tt.name, d)
		}
		if _, err := m.Ledger.CheckStatements(t.Context(), jobstest.ReportFault(t)); err != nil {
			t.Error(err)
		}
		_ = m.Ledger.Close()
	}
	killOnPostgres(t, want)
}

// killOnPostgres kills processes in a ledger on PostgreSQL, one after another, and has the next run end as the undisturbed one did.
func killOnPostgres(t *testing.T, want []string) {
	t.Helper()
	on := jobstest.OnPostgres()
	dsn := notePath(&on)
	m := bankedMerchant(t, on)
	banks := m.Banks
	m.Banks = nil
	m.RunNight(t)
	m.Banks = banks
	for _, tt := range []struct{ table, bank, in string }{
		{"bank_line", banks[1].ID, "TakeInStatements"},
		{"bank_deposit", banks[0].ID, "KeepConclusion"},
		{"bank_basis", banks[1].ID, "KeepConclusion"},
	} {
		k := killed{t: t, on: on, dsn: *dsn}
		k.kill(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
			CREATE TRIGGER held BEFORE INSERT ON `+tt.table+` FOR EACH ROW WHEN (NEW.bank = '`+tt.bank+`') EXECUTE FUNCTION hold()`, tt.in,
			// What the server does for a process that is gone goes on until it next speaks to it.
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%`+tt.table+`%' AND pid <> pg_backend_pid()`,
			"DROP FUNCTION hold() CASCADE")
	}
	m.takeInStatements(t)
	if _, err := m.Reconcile(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, append(m.bankStands(t), bankHistory(t, m))); d != "" {
		t.Errorf("undisturbed on SQLite (-), killed three times on PostgreSQL and run again (+):\n%s", d)
	}
	if _, err := m.Ledger.CheckStatements(t.Context(), jobstest.ReportFault(t)); err != nil {
		t.Error(err)
	}
}

// ownLedgerFile gives the merchant a ledger in a file of that name.
func (m *merchant) ownLedgerFile(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	m.Ledger = jobstest.OpenLedger(t, "sqlite:"+path)
	if _, _, err := m.Ledger.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

// takeInStatements takes in what the banks of the world show up to yesterday.
func (m *merchant) takeInStatements(t *testing.T) {
	t.Helper()
	m.dropStatements(t)
	for i := range m.Banks {
		entries, err := os.ReadDir(m.Banks[i].Inbox)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			file, err := bank.OpenFile(filepath.Join(m.Banks[i].Inbox, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = othersides.TakeInStatements(t.Context(), m.Ledger, &othersides.StatementFile{
				File: file, Name: e.Name(), Accounts: m.Banks, Actor: "ana", At: m.Now(), Calendar: m.BankCalendar,
			})
			if err := errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// copyLedger copies the file of a closed ledger.
func copyLedger(t *testing.T, from string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(path)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// killProcessIn has another process reconcile a ledger and kill itself within a function, where it writes the first row of a bank account
// into a table: a trigger holds it there.
func killProcessIn(t *testing.T, path, table, bank, function string) {
	t.Helper()
	k := killed{t: t, on: jobstest.OnSQLite(), dsn: "sqlite:" + path}
	k.kill(`CREATE TRIGGER held BEFORE INSERT ON `+table+` WHEN NEW.bank = '`+bank+`'
		BEGIN SELECT COUNT(*) FROM installment AS a, installment AS b, installment AS c, installment AS d WHERE a.nsu || b.nsu || c.nsu || d.nsu = ''; END`,
		function, "DROP TRIGGER held")
}

// killed is a ledger in which a process is killed.
type killed struct {
	t   *testing.T
	on  jobstest.Database
	dsn string
}

// kill has a process be held by what a statement makes, kills it within a function, and takes back what was made by others.
func (k *killed) kill(hold, function string, takeBack ...string) {
	k.t.Helper()
	write := func(statement string) {
		if err := k.on.Execute(k.t.Context(), k.dsn, statement); err != nil {
			k.t.Fatal(err)
		}
	}
	write(hold)
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledBetweenMatchingAndKeeping$")
	cmd.Env = append(os.Environ(), killedBankEnv+"="+k.dsn, killedBankIn+"="+function)
	out, err := cmd.CombinedOutput()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGKILL {
		k.t.Fatalf("the process was to be killed: %v\n%s", err, out)
	}
	for _, statement := range takeBack {
		write(statement)
	}
	write("DELETE FROM lease") // as if its seconds were over
}

// killWithin kills the process once it is held in a function.
func killWithin(function string) {
	stacks := make([]byte, 1<<20)
	for held := 0; held < 3; time.Sleep(20 * time.Millisecond) {
		if strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), function+"(") {
			held++
		} else {
			held = 0
		}
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
