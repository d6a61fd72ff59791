//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/store/storetest"
)

// TestManyWorkers runs a night alone, and a night with three worker processes of which one is killed while it asks for
// windows, one while it renders, and the database is restarted under all of them. Every unit takes effect once, and ledger,
// cases and published bytes are the same.
func TestManyWorkers(t *testing.T) {
	built, s := machines(t)
	want := undisturbed(t, built, s)
	server := storetest.Postgres(t) // which is restarted

	// Answers take a while, so that there is a middle to disturb.
	many := newShared(t, built.concilia, storetest.Schema(t, server), behind(t, s, 40*time.Millisecond))
	if code, out := many.run(t, "migrate"); code != exit.OK {
		t.Fatalf("migrate ended with %d:\n%s", code, out)
	}
	var workers []*process
	for range 3 {
		workers = append(workers, many.startWorker(t, "--parallel", "2"))
	}
	night := many.start(t, "run")
	many.untilDone(t, 30)
	if err := workers[0].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	many.untilDone(t, 60)
	storetest.RestartPostgres(t, server)
	many.asked = nil // its connections are gone
	workers = many.killRenderer(t, workers[1:])
	if code := night.wait(t); code != exit.Breaks {
		t.Fatalf("the night with workers ended with %d:\n%s", code, night.said())
	}
	units := many.units(t)
	many.onceInEffect(t)
	if diff := cmp.Diff(want, many.remains(t)); diff != "" {
		t.Errorf("alone (-) and with workers (+) differ:\n%s", diff)
	}
	helped := 0
	for worker, n := range units {
		t.Logf("%s: %d units", worker, n)
		if !strings.HasSuffix(worker, fmt.Sprint("/", night.cmd.Process.Pid)) {
			helped += n
		}
	}
	if len(units) < 3 || helped < 20 {
		t.Errorf("units by worker: %v: the workers hardly took part", units)
	}
	for _, w := range workers {
		if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := w.wait(t); code != exit.OK {
			t.Errorf("a worker told to end ended with %d:\n%s", code, w.said())
		}
	}
}

// killRenderer kills the first worker that has sets in hand, and gives the others. Where the process that leads the run
// did all of them before any worker was seen with one, none is killed.
func (m *shared) killRenderer(t testing.TB, workers []*process) []*process {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		left := "2" // accounts
		m.rows(t, "SELECT CAST(2 - COUNT(*) AS TEXT) FROM unit WHERE kind = 'render' AND state = 'done'", func(c []string) { left = c[0] })
		if left == "0" {
			t.Log("no worker was seen rendering")
			return workers
		}
		killed := -1
		m.rows(t, "SELECT worker FROM unit WHERE kind = 'render' AND state = 'leased'", func(c []string) {
			for i, w := range workers {
				if killed < 0 && strings.HasSuffix(c[0], fmt.Sprint("/", w.cmd.Process.Pid)) {
					killed = i
				}
			}
		})
		if killed < 0 {
			continue
		}
		if err := workers[killed].cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		t.Logf("killed while it rendered: %d", workers[killed].cmd.Process.Pid)
		return slices.Delete(slices.Clone(workers), killed, killed+1)
	}
	t.Error("nothing was rendered")
	return workers
}

// alone is what one night leaves that nothing disturbs, of the service that machines gives. It is lived once for all tests.
var alone struct {
	once sync.Once
	left map[string]string
}

// undisturbed is what a night leaves that one process lives, with nothing to disturb it.
func undisturbed(t *testing.T, built binaries, s *sandbox) map[string]string {
	t.Helper()
	alone.once.Do(func() {
		m := newShared(t, built.concilia, storetest.Schema(t, storetest.Shared(t)), s) // in which the night makes the tables
		if code, out := m.run(t, "run"); code != exit.Breaks {
			t.Fatalf("the night alone ended with %d:\n%s", code, out)
		}
		alone.left = m.remains(t)
	})
	if alone.left == nil {
		t.Fatal("no night was lived alone: the first test that asked for it says why")
	}
	return alone.left
}

// machines gives what processes on many machines share besides a ledger: the built programs, and a service. It lets the test run in parallel with others, and skips it under the race detector.
func machines(t *testing.T) (built binaries, s *sandbox) {
	t.Helper()
	if raced {
		t.Skip("processes race each other here, not goroutines")
	}
	t.Parallel()
	built = build(t)
	s, err := sandboxProcess(built.sandbox, []string{"--seed", "9", "--days", "14"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return built, s
}

// behind puts a proxy before the service that lets every answer wait.
func behind(t testing.TB, s *sandbox, latency time.Duration) *sandbox {
	t.Helper()
	target, err := url.Parse(s.control)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		ErrorLog:  log.New(io.Discard, "", 0), // of those who were killed while they asked
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(latency)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return &sandbox{control: s.control, gateway: server.URL + "/gateway", integration: server.URL + "/integration", stop: func() {}}
}

// shared is a configuration of many machines: a ledger on Postgres, and a place for reports.
type shared struct {
	program, dir, dsn string
	reports           string   // where what is published lies on this machine
	env               []string // of its processes, in addition to the usual ones
	asked             *sql.DB  // of what the test itself asks; nil: it asked nothing yet
}

// newShared configures the ledger at dsn and the service for processes of the program.
func newShared(t testing.TB, program, dsn string, s *sandbox) *shared {
	t.Helper()
	m := &shared{program: program, dir: t.TempDir(), dsn: dsn}
	m.reports = filepath.Join(m.dir, "reports")
	text := fmt.Sprintf(testConfig, filepath.ToSlash(m.dir), s.gateway, s.integration)
	text = strings.Replace(text, fmt.Sprintf("sqlite:%s/concilia.db", filepath.ToSlash(m.dir)), m.dsn, 1)
	// A small world, because processes by the dozen share the machine's few processors.
	text = strings.ReplaceAll(text, "since: 2026-09-19", "since: 2026-11-08")
	text = strings.Replace(text, "reports: {", "reports: {formats: [csv, edi], ", 1)
	m.write(t, text)
	return m
}

func (m *shared) write(t testing.TB, config string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, "concilia.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

// patience is how long a test waits for what happens at once, or never: a machine may have everything else to do.
const patience = 5 * time.Minute

// process is the program under way.
type process struct {
	cmd *exec.Cmd
	log string // file with what it says
}

// start starts the program on the sandbox's morning. It is killed with the test.
func (m *shared) start(t testing.TB, args ...string) *process {
	t.Helper()
	out, err := os.CreateTemp(m.dir, "said")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(m.program, append([]string{"--config", filepath.Join(m.dir, "concilia.yaml")}, args...)...)
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword, "CONCILIA_CLOCK=2026-11-18T06:00:00-03:00")
	cmd.Env = append(cmd.Env, m.env...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, mostly
		_ = cmd.Wait()
	})
	return &process{cmd, out.Name()}
}

// startWorker starts a worker, and returns once it works: on a busy machine a run that begins at the same time may have done most units before.
func (m *shared) startWorker(t testing.TB, args ...string) *process {
	t.Helper()
	w := m.start(t, append([]string{"worker"}, args...)...)
	for deadline := time.Now().Add(patience); !strings.Contains(w.said(), `"message":"working"`); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a worker does not work:\n%s", w.said())
		}
	}
	return w
}

func (p *process) wait(t testing.TB) int {
	t.Helper()
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Signal(syscall.SIGQUIT) })
	defer late.Stop()
	_ = p.cmd.Wait() // the code tells
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) said() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// run runs the program to its end.
func (m *shared) run(t testing.TB, args ...string) (int, string) {
	t.Helper()
	p := m.start(t, args...)
	return p.wait(t), p.said()
}

// rows calls fn with each row of a query of texts.
func (m *shared) rows(t testing.TB, query string, fn func(columns []string)) {
	t.Helper()
	if m.asked == nil {
		db, err := sql.Open("pgx", storetest.Unpooled(t, m.dsn))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		m.asked = db
	}
	rows, err := m.asked.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		texts, targets := make([]string, len(names)), make([]any, len(names))
		for i := range texts {
			targets[i] = &texts[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		fn(texts)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// untilDone waits until so many units are done.
func (m *shared) untilDone(t testing.TB, n int) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		done := ""
		m.rows(t, "SELECT CAST(COUNT(*) >= "+fmt.Sprint(n)+" AS TEXT) FROM unit WHERE state = 'done'", func(c []string) { done = c[0] })
		if done == "true" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %d units are done", n)
		}
	}
}

// units counts the units by who did them.
func (m *shared) units(t testing.TB) map[string]int {
	t.Helper()
	by := map[string]int{}
	m.rows(t, "SELECT worker FROM unit", func(c []string) { by[c[0]]++ })
	return by
}

// onceInEffect fails for every unit that is not done, and for every window of a unit whose answer was kept twice.
func (m *shared) onceInEffect(t testing.TB) {
	t.Helper()
	m.rows(t, "SELECT kind, what, state FROM unit WHERE state <> 'done'", func(c []string) { t.Errorf("unit not done: %v", c) })
	m.rows(t, `
		SELECT CAST(account AS TEXT), source, CAST(from_day AS TEXT), CAST(COUNT(*) AS TEXT)
		FROM pull
		WHERE complete = 1 AND reason <> 'to confirm' AND source <> 'slips.detail'
		GROUP BY account, source, from_day, to_day, reason
		HAVING COUNT(*) > 1`, func(c []string) { t.Errorf("kept more than once: %v", c) })
	m.rows(t, "SELECT kind, what, CAST(attempts AS TEXT) FROM unit WHERE attempts > 1", func(c []string) { t.Logf("begun again: %v", c) })
}

// remains is what a night leaves that does not name the run: the content of the ledger and the files by hash, and the
// cases.
func (m *shared) remains(t testing.TB) map[string]string {
	t.Helper()
	left := map[string]string{}
	for table, query := range map[string]string{
		"installments": `
			SELECT CONCAT_WS(' ', account, sale_day, nsu, auth, number, occurrence, version, ENCODE(content, 'hex'), vanished,
				ended_pull IS NULL, first_seen, last_changed)
			FROM installment
			ORDER BY account, sale_day, nsu, auth, number, occurrence, version`,
		"slips": `
			SELECT CONCAT_WS(' ', account, id, list, version, ENCODE(content, 'hex'), vanished, ended_pull IS NULL, first_seen,
				last_changed)
			FROM slip
			ORDER BY account, id, list, version`,
	} {
		h, n := sha256.New(), 0
		m.rows(t, query, func(c []string) {
			fmt.Fprintln(h, c[0])
			n++
		})
		left[table] = fmt.Sprintf("%d versions, SHA-256 %x", n, h.Sum(nil))
	}
	code, out := m.run(t, "exceptions", "list", "--state", "pending,open,reopened,resolved", "--json", "--quiet")
	if code != exit.OK {
		t.Fatalf("exceptions list ended with %d: %s", code, out)
	}
	left["exceptions"] = out
	root := m.reports
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			if d != nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir // what the killed had under way is swept another day
			}
			return err
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		rel, _ := filepath.Rel(root, path)
		left[rel] = hex.EncodeToString(sum[:])
		// Control, the manifest and what seals it name the run.
		if strings.HasPrefix(d.Name(), "control_") || strings.HasPrefix(d.Name(), "set_") {
			left[rel] = "there"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}
