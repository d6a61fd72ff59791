package main

import (
	"bufio"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// closings are how often each case was closed by the log of acts, and whether it is closed.
func closings(t *testing.T, l *store.Ledger, ids []string) (acts map[string]int, closed map[string]bool) {
	t.Helper()
	acts, closed = map[string]int{}, map[string]bool{}
	all, err := l.Acts(t.Context(), caselog.ActFilter{Verbs: []ledger.Verb{ledger.Close}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		acts[all[i].Subject]++
	}
	err = l.Findings(t.Context(), caselog.FindingFilter{Cases: ids}, func(f *ledger.Finding) error {
		closed[f.Case] = f.State == ledger.Closed
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return acts, closed
}

// programDesk is the console of the program, in a process of its own, with ana signed in.
type programDesk struct {
	cmd    *exec.Cmd
	url    string
	cookie *http.Cookie
	client *http.Client
}

func openProgramDesk(t *testing.T, dir, folk string) *programDesk {
	t.Helper()
	d := &programDesk{client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	d.cmd = exec.CommandContext(t.Context(), build(t).concilia, "--config", filepath.Join(dir, "concilia.yaml"), "--quiet", "console", "--listen", "127.0.0.1:0")
	d.cmd.Env = append(os.Environ(), "CONCILIA_CLOCK=2026-11-18T09:00:00-03:00", "CONCILIA_CONSOLE_USERS_FILE="+folk, "CONCILIA_CONSOLE_QUERY_TIME=1m")
	out, err := d.cmd.StdoutPipe()
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	d.url = strings.TrimSuffix(strings.TrimSpace(address), "/")
	got, err := d.post(t, "/login", url.Values{"name": {"ana"}, "password": {"a long sentence of ana"}})
	if err != nil || got != http.StatusSeeOther {
		t.Fatalf("signing in: %d, %v", got, err)
	}
	return d
}

// post sends a form; no answer is an error.
func (d *programDesk) post(t *testing.T, path string, form url.Values) (int, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if d.cookie != nil {
		r.AddCookie(d.cookie)
	}
	got, err := d.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer got.Body.Close()
	for _, c := range got.Cookies() {
		d.cookie = c
	}
	return got.StatusCode, nil
}

// closeForm is the confirmed form that closes a case.
func closeForm(id string) url.Values {
	return url.Values{"verb": {"close"}, "case": {id}, "confirm": {"1"}, "reason": {"settled"}}
}

// A console that is killed amid acts has done each of them whole or not at all; sent again, each is recorded once.
func TestConsoleKilledAtAnyRequest(t *testing.T) {
	t.Parallel()
	checkKilledConsole(t, copyDemo(t, allDays))
}

// checkKilledConsole kills the console of a folder amid acts on three cases, three times, and looks at what became of each.
func checkKilledConsole(t *testing.T, dir string) {
	t.Helper()
	folk := filepath.Join(dir, "folk.yaml")
	if err := people.AddPerson(folk, people.Person{Name: "ana", Role: people.Manager, Password: people.HashPassword("a long sentence of ana")}); err != nil {
		t.Fatal(err)
	}
	shown := openDeskOf(t, dir)
	ids, l := shown.openCases(t, "", func(*http.Request) {}), shown.openLedger(t)
	const atOnce = 3
	if len(ids) < atOnce*atOnce {
		t.Fatalf("only %d cases", len(ids))
	}
	ids = ids[:atOnce*atOnce]
	answered := 0
	for round := range atOnce { // it is killed when as many are answered
		d := openProgramDesk(t, dir, folk)
		var all sync.WaitGroup
		told := make(chan bool, atOnce)
		for _, id := range ids[round*atOnce : (round+1)*atOnce] {
			all.Go(func() {
				code, err := d.post(t, "/cases/act", closeForm(id))
				told <- err == nil && code == http.StatusSeeOther
			})
		}
		for range round {
			if <-told {
				answered++
			}
		}
		if err := d.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		close(told)
		for isDone := range told {
			if isDone {
				answered++
			}
		}
		_ = d.cmd.Wait() // it was killed
	}
	acts, closed := closings(t, l, ids)
	done := 0
	for _, id := range ids {
		if n := acts[id]; n > 1 || (n == 1) != closed[id] {
			t.Errorf("case %s was closed %d times, and is closed: %v", id, n, closed[id])
		}
		done += acts[id]
	}
	if done < answered {
		t.Errorf("%d acts were told to be done, %d are", answered, done)
	}
	t.Logf("of the acts amid which the console was killed %d were answered, %d done", answered, done)
	d := openProgramDesk(t, dir, folk)
	for _, id := range ids {
		code, err := d.post(t, "/cases/act", closeForm(id))
		for deadline := time.Now().Add(patience); code == http.StatusServiceUnavailable && time.Now().Before(deadline); {
			code, err = d.post(t, "/cases/act", closeForm(id)) // the time of an act was over on a busy machine: nothing was done
		}
		if code != http.StatusSeeOther {
			t.Errorf("sent again: %d, %v", code, err)
		}
	}
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
	acts, closed = closings(t, l, ids)
	for _, id := range ids {
		if acts[id] != 1 || !closed[id] {
			t.Errorf("case %s, sent again, was closed %d times, and is closed: %v", id, acts[id], closed[id])
		}
	}
	if code, out, errs := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "ledger", "check"); code != exit.OK {
		t.Errorf("the ledger afterwards: %d\n%s%s", code, out, errs)
	}
}

// Two consoles share one ledger: the same act sent to both at once is done once, and shows on both.
func TestTwoConsolesOnOneLedger(t *testing.T) {
	t.Parallel()
	checkTwoConsoles(t, copyDemo(t, 5))
}

// checkTwoConsoles opens two consoles on a folder.
func checkTwoConsoles(t *testing.T, dir string) {
	t.Helper()
	people := withPeople(t)
	desks := []*testDesk{openDeskOf(t, dir, people), openDeskOf(t, dir, people)}
	var as []func(*http.Request)
	for _, d := range desks {
		as = append(as, d.signIn(t, "ana"))
	}
	if got, _ := desks[1].ask(t, "en", "/", as[0]); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a session of the other console: %d", got.StatusCode)
	}
	id := desks[0].openCases(t, "account=1001", as[0])[0]
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			if got, body := desks[i%2].act(t, as[i%2], closeForm(id)); got.StatusCode != http.StatusSeeOther {
				t.Errorf("%d\n%s", got.StatusCode, body)
			}
		})
	}
	all.Wait()
	if acts, closed := closings(t, desks[0].openLedger(t), []string{id}); acts[id] != 1 || !closed[id] {
		t.Errorf("closed %d times", acts[id])
	}
	for i, d := range desks {
		if _, page := d.ask(t, "en", "/cases/"+id, as[i]); !strings.Contains(page, `class="state s-closed"`) {
			t.Errorf("console %d does not show the act", i)
		}
	}
}
