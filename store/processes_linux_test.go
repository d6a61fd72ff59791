package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/storetest"
)

// holdEnv names the ledger in which a process of TestProcessesOfOneNumber leases an account.
const holdEnv = "CONCILIA_TEST_HOLD"

// TestProcessesOfOneNumber: two containers may have one host name and one process number, and neither may take the other for
// itself, nor for dead.
func TestProcessesOfOneNumber(t *testing.T) {
	if dsn := os.Getenv(holdEnv); dsn != "" {
		holdAccount(t, dsn)
		return
	}
	t.Parallel()
	for name, dsn := range map[string]string{"sqlite": storetest.FreshSQLite(t), "postgres": storetest.FreshPostgres(t)} {
		first := newNamespaced(t, dsn)
		if first != "process 1 holds" {
			t.Fatalf("%s: the first process: %q", name, first)
		}
		if second := newNamespaced(t, dsn); second != "process 1: locked by run-a" {
			t.Errorf("%s: a second process of the same host name and number, for the same run: %q", name, second)
		}
		if _, err := openDSN(t, dsn).LeaseAccounts(t.Context(), "run-b", []ledger.Account{1}, time.Minute); !errors.As(err, new(*runs.LockedError)) {
			t.Errorf("%s: a process of another namespace, in which number 1 is somebody else: %v", name, err)
		}
	}
}

// newNamespaced starts a process with number 1 that leases an account, and gives what it said.
func newNamespaced(t *testing.T, dsn string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProcessesOfOneNumber$")
	cmd.Env = append(os.Environ(), holdEnv+"="+dsn)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if os.Getuid() != 0 { // who is not root may have a PID namespace only within a user namespace
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	in, err := cmd.StdinPipe()
	ok(t, err)
	out, err := cmd.StdoutPipe()
	ok(t, err)
	if err := cmd.Start(); err != nil {
		t.Skipf("no namespace of its own: %v", err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "process ") {
		t.Log(lines.Text())
	}
	return lines.Text()
}

func holdAccount(t *testing.T, dsn string) {
	_, err := openDSN(t, dsn).LeaseAccounts(t.Context(), "run-a", []ledger.Account{1}, time.Minute)
	var locked *runs.LockedError
	switch {
	case err == nil:
		fmt.Println("process", os.Getpid(), "holds")
	case errors.As(err, &locked):
		fmt.Printf("process %d: locked by %s\n", os.Getpid(), locked.Holder)
	default:
		fmt.Println(err)
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test is over
}

// TestClocksApart: on a server the clock of a machine decides over no lease.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	ctx, dsn := t.Context(), storetest.FreshPostgres(t)
	for _, by := range []time.Duration{40 * time.Second, -40 * time.Second} {
		first, second := openDSN(t, dsn), openDSN(t, dsn)
		store.ShiftClock(second, by)
		lease, err := first.LeaseAccounts(ctx, "run-a", []ledger.Account{1}, 30*time.Second)
		ok(t, err)
		if _, err := second.LeaseAccounts(ctx, "run-b", []ledger.Account{1}, 15*time.Second); !errors.As(err, new(*runs.LockedError)) {
			t.Errorf("a second process, its clock off by %s: %v", by, err)
		}
		ok(t, first.PlanUnits(ctx, []ledger.WorkUnit{{Account: 1, Run: "run-a", Kind: ledger.RenderUnit, What: "x"}}))
		u := ledger.WorkUnit{Account: 1, Run: "run-a", Kind: ledger.RenderUnit, What: "x"}
		mine, err := first.ClaimUnit(ctx, u, first.ThisWorker(), time.Hour)
		ok(t, err)
		theirs, err := second.ClaimUnit(ctx, u, second.ThisWorker(), 15*time.Second)
		ok(t, err)
		if !mine || theirs {
			t.Errorf("a unit, the second clock off by %s: taken %v, and again %v", by, mine, theirs)
		}
		units, err := second.Units(ctx, "run-a", runs.UnitFilter{Accounts: []ledger.Account{1}})
		ok(t, err)
		if left := time.Until(units[0].Until.Add(-by)); left < 30*time.Minute || left > time.Hour+20*time.Second {
			t.Errorf("the unit is leased for %s by the second's own clock, off by %s", left, by)
		}
		slot := runs.CronOccurrence{Schedule: "s" + by.String(), Slot: time.Unix(100, 0), Job: "nightly", State: "running", Begun: time.Unix(100, 0)}
		won, err := first.BeginOccurrence(ctx, slot, 15*time.Second)
		ok(t, err)
		_, running, err := second.ScheduleProgress(ctx, slot.Schedule)
		ok(t, err)
		if !won || running == nil || !running.Alive {
			t.Errorf("an occurrence, the second clock off by %s: begun %v, seen as %+v", by, won, running)
		}
		ok(t, first.FinishUnit(ctx, ledger.WorkUnit{Account: 1, Run: "run-a", Kind: ledger.RenderUnit, What: "x", State: ledger.UnitPlanned}))
		ok(t, lease.Release(ctx))
	}
}
