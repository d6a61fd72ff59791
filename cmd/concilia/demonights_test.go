package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
)

// threeMornings is what a demo of three mornings left.
func threeMornings(t *testing.T) demoLeft { return demoWith(t, "--nights", "3") }

// A demo of three mornings finds on each what was planted and nothing else; what is claimed on the first is there on the third, and a month
// is closed.
func TestDemoOfThreeMornings(t *testing.T) {
	t.Parallel()
	left := threeMornings(t)
	for _, want := range []string{
		"2026-11-18: all 30 planted differences were found, and nothing else. Ana claims R$ 189.08 of it from the service; tomorrow it pays.",
		"2026-11-19: all 30 planted differences were found, and nothing else.\n", "\nAll 30 planted differences were found, and nothing else. The 3 nights took ",
	} {
		if !strings.Contains(left.said, want) {
			t.Errorf("it does not say %q:\n%s", want, left.said)
		}
	}
	dir := copyLeft(t, left)
	for _, row := range []struct{ args, want string }{
		{"claims list --lang en", "1 claim: claimed R$ 189.08, recovered 189.08, open 0.00, given up 0.00"},
		{"period close 2026-10 --reason again --dry-run", "was closed before"},
	} {
		var out bytes.Buffer
		code := run(t.Context(), environment{
			args: append([]string{"--config", filepath.Join(dir, "concilia.yaml")}, strings.Fields(row.args)...), stdout: &out, stderr: &out, wall: time.Now,
			lookup: func(key string) (string, bool) { return "2026-11-20T09:00:00-03:00", key == "CONCILIA_CLOCK" },
		})
		if code != exit.OK || !strings.Contains(out.String(), row.want) {
			t.Errorf("%s: ends with %d, without %q:\n%s", row.args, code, row.want, out.String())
		}
	}
}

// openDesk is a demo that serves its desk: what it says is read while it does.
type openDesk struct {
	address   string
	passwords map[string]string
	end       func()
}

// serveDemoDesk serves the desk of a demo of three mornings that a folder holds.
func serveDemoDesk(t *testing.T, dir string) *openDesk {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	said := &watchedText{}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, environment{
			args: []string{"demo", "--dir", dir, "--nights", "3", "--serve", "--banks=false", "--sales=false"}, stdout: said, stderr: io.Discard, wall: time.Now,
			lookup: func(key string) (string, bool) { return "1m", key == "CONCILIA_CONSOLE_QUERY_TIME" }, // of a page on a busy machine
		})
	}()
	d := &openDesk{passwords: map[string]string{}, end: sync.OnceFunc(func() {
		stop()
		if code := <-ended; code != exit.OK {
			t.Errorf("the desk ends with %d:\n%s", code, said.String())
		}
	})}
	t.Cleanup(d.end)
	open := regexp.MustCompile(`open at (http://127\.0\.0\.1:\d+)/ (?s:.*)ana +(\S+)\n +bruno +(\S+)\n`)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if found := open.FindStringSubmatch(said.String()); found != nil {
			d.address, d.passwords["ana"], d.passwords["bruno"] = found[1], found[2], found[3]
			return d
		}
		if time.Now().After(deadline) {
			t.Fatalf("no desk was opened:\n%s", said.String())
		}
	}
}

// watchedText is what a program says while it says it.
type watchedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps a part of it.
func (w *watchedText) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// String is all of it so far.
func (w *watchedText) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// The desk of a demo opens with two managers whose passwords it says; opened again, they have new ones, and no morning is lived twice.
func TestDemoServesItsDesk(t *testing.T) {
	t.Parallel()
	dir := copyLeft(t, threeMornings(t))
	old := ""
	for range 2 {
		d := serveDemoDesk(t, dir)
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Jar: jar}
		signIn := func(password string) string {
			got, err := client.PostForm(d.address+"/login", url.Values{"name": {"ana"}, "password": {password}, "next": {"/"}})
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			body, err := io.ReadAll(got.Body)
			if err != nil {
				t.Fatal(err)
			}
			return string(body)
		}
		if old != "" && strings.Contains(signIn(old), "Ana Lima") {
			t.Error("the password of an earlier time still opens it")
		}
		page := signIn(d.passwords["ana"])
		for _, want := range []string{"Ana Lima", "1.634,17", "20/11/2026"} {
			if !strings.Contains(page, want) {
				t.Errorf("the first page lacks %q:\n%s", want, page)
			}
		}
		checkResolvedCase(t, func(path string) string {
			got, err := client.Get(d.address + path)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			body, err := io.ReadAll(got.Body)
			if err != nil {
				t.Fatal(err)
			}
			return string(body)
		})
		old = d.passwords["ana"]
		d.end()
	}
	// Also in a folder that is named from where the demo was started: people are looked for in the configuration's folder.
	if text, err := os.ReadFile(filepath.Join(dir, "concilia.yaml")); err != nil || !strings.Contains(string(text), "\n  users_file: people.yaml\n") {
		t.Errorf("the configuration does not find the people: %v\n%s", err, text)
	}
	if info, err := os.Stat(filepath.Join(dir, "people.yaml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("people.yaml: %v, %v", info, err)
	}
}

// checkResolvedCase looks at the case of a claim that was paid: nothing is to be done about it any more, and no amount is left of it.
func checkResolvedCase(t *testing.T, ask func(path string) string) {
	t.Helper()
	link := regexp.MustCompile(`href="(/cases/[0-9a-f]{16})"`).FindStringSubmatch(ask("/claims"))
	if link == nil {
		t.Fatal("no claim leads to its case")
	}
	page := ask(link[1])
	if !strings.Contains(page, `class="state s-resolved"`) || !strings.Contains(page, `class="history"`) {
		t.Errorf("the case is not resolved:\n%s", page)
	}
	for _, not := range []string{`class="next"`, `class="big"`} {
		if strings.Contains(page, not) {
			t.Errorf("the page of a resolved case still has %s:\n%s", not, page)
		}
	}
}
