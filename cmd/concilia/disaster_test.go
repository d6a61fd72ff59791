//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/jobs"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestDisaster: a night is backed up, another one follows, then a newer program changes the ledger and everything is lost. What restore.sh puts
// back of ledger, inbox, archive and share is of one point, the program that made it works with it again, and the night
// lived once more ends in the same files.
func TestDisaster(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the processes are not this one")
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		survivesDisaster(t, "")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		if _, err := exec.LookPath("pg_dump"); err != nil {
			t.Skip("pg_dump is not here")
		}
		// The tools of the server do not know the pool's own settings.
		survivesDisaster(t, storetest.Unpooled(t, storetest.FreshPostgres(t)))
	})
}

func survivesDisaster(t *testing.T, dsn string) {
	d := &disaster{t: t, built: build(t), dir: t.TempDir(), dsn: dsn, ledger: dsn}
	if dsn == "" {
		d.ledger = d.path("concilia.db")
		d.dsn = "sqlite:" + d.ledger
	}
	here, err := filepath.Abs("deploy")
	if err != nil {
		t.Fatal(err)
	}
	d.deploy = here
	box, err := sandboxProcess(d.built.sandbox, []string{"--state", "", "--days", "10", "--days-ahead", "3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.stop)
	d.box = box
	d.night("2026-11-18")
	inbox, err := store.OpenInbox(t.Context(), d.dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inbox.Keep(t.Context(), ledger.Notification{
		Account: 1001, MovementID: 1, NSU: "1", Auth: "A", Installment: 1,
		Moment: ledger.LocalTimeOf(time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC), time.UTC), Body: []byte("{}"), BodyHash: "1", ReceivedAt: time.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	if err := inbox.Close(); err != nil {
		t.Fatal(err)
	}
	first := d.files()
	d.script("backup.sh", exit.OK)
	res, err := http.Post(box.control+"/sandbox/clock", "application/json", strings.NewReader(`{"advance_days":1}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	d.night("2026-11-19")
	second := d.files()
	if len(first) == 0 || len(second) <= len(first) {
		t.Fatalf("%d files of the first night, and %d after the second", len(first), len(second))
	}

	tree := &demoTree{t: t, dir: d.dir, dsn: d.dsn}
	tree.sql("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1 = 1)")
	if code, out := d.run("status"); code != exit.Config || !strings.Contains(out, "use the newer program") {
		t.Errorf("a ledger of a newer program is used by this one: %d\n%s", code, out)
	}
	for _, gone := range []string{"archive", "reports"} {
		if err := os.RemoveAll(d.path(gone)); err != nil {
			t.Fatal(err)
		}
	}
	d.script("restore.sh", exit.OK)
	log := d.path("concilia.db-wal") // of the restored ledger, as a process that is killed leaves it
	if dsn == "" {
		if err := os.WriteFile(log, []byte("of another ledger than the one set aside"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.script("restore.sh", exit.OK) // again, as after a kill
	if _, err := os.Stat(log + ".before-restore"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log of the restored ledger lies beside the one that was set aside: %v", err)
	}
	if diff := cmp.Diff(first, d.files()); diff != "" {
		t.Errorf("the share, backed up (-) and restored (+):\n%s", diff)
	}
	inbox, err = store.OpenInbox(t.Context(), d.dsn)
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err := inbox.Waiting(t.Context()); n != 1 || err != nil {
		t.Errorf("%d notifications wait in the restored inbox: %v", n, err)
	}
	if err := inbox.Close(); err != nil {
		t.Fatal(err)
	}
	d.night("2026-11-19")
	if diff := cmp.Diff(second, d.files()); diff != "" {
		t.Errorf("the second night, lived (-) and lived again (+):\n%s", diff)
	}
}

// disaster is a merchant's folder.
type disaster struct {
	t                        *testing.T
	built                    binaries
	box                      *sandbox
	dir, deploy, ledger, dsn string
}

func (d *disaster) path(name string) string { return filepath.Join(d.dir, name) }

func (d *disaster) environment(more ...string) []string {
	return append([]string{
		"PATH=" + filepath.Dir(d.built.concilia) + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + d.dir, "HOME=" + d.dir,
		"CONCILIA_LEDGER_DSN=" + d.dsn, "CONCILIA_SERVICE_GATEWAY_URL=" + d.box.gateway, "CONCILIA_SERVICE_INTEGRATION_URL=" + d.box.integration,
		"CONCILIA_SERVICE_USER_NAME=demo", "CONCILIA_SERVICE_PASSWORD=" + demoPassword, "CONCILIA_SERVICE_REQUESTS_PER_SECOND=1000",
		"CONCILIA_ACCOUNTS_0_NUMBER=1001", "CONCILIA_ACCOUNTS_0_SINCE=2026-11-10", "CONCILIA_REPORTS_OUT=" + d.path("reports"),
		"CONCILIA_REPORTS_ARCHIVE=" + d.path("archive"), "CONCILIA_REPORTS_FORMATS=csv", "CONCILIA_PLAN_SLIPS_DUE_BACK=5", "CONCILIA_PLAN_SLIPS_DUE_FORWARD=5",
		"LEDGER=" + d.ledger, "ARCHIVE=" + d.path("archive"), "SHARE=" + d.path("reports"), "CONFIG=" + d.path("concilia.yaml"),
	}, more...)
}

// run runs the program and gives its exit code and all it said.
func (d *disaster) run(args ...string) (int, string) { return d.runAt("2026-11-18", args...) }

func (d *disaster) runAt(day string, args ...string) (int, string) {
	d.t.Helper()
	if err := os.WriteFile(d.path("concilia.yaml"), nil, 0o600); err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.Command(d.built.concilia, append([]string{"--config", d.path("concilia.yaml")}, args...)...)
	cmd.Dir, cmd.Env = d.dir, d.environment("CONCILIA_CLOCK="+day+"T06:00:00-03:00")
	out, err := cmd.CombinedOutput()
	return exitOf(err), string(out)
}

func (d *disaster) night(day string) {
	d.t.Helper()
	if code, out := d.runAt(day, "run"); !slices.Contains([]int{exit.OK, jobs.ExitWarnings, exit.Breaks}, code) {
		d.t.Fatalf("the night of %s ended with %d:\n%s", day, code, out)
	}
}

// script runs one of the scripts on the one backup.
func (d *disaster) script(name string, want int) {
	d.t.Helper()
	cmd := exec.Command("sh", filepath.Join(d.deploy, name), d.path("backup"))
	cmd.Dir, cmd.Env = d.dir, d.environment()
	if out, err := cmd.CombinedOutput(); exitOf(err) != want {
		d.t.Fatalf("%s ended with %d:\n%s", name, exitOf(err), out)
	}
}

// files are the hashes of what was published, by name, without what names its run.
func (d *disaster) files() map[string]string {
	d.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(d.path("reports"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		sum := sha256.Sum256(text)
		name := filepath.Base(path)
		if out[name] = hex.EncodeToString(sum[:]); strings.HasPrefix(name, "control") || strings.HasPrefix(name, "set_") || name == "index.html" {
			out[name] = "names its run"
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}
