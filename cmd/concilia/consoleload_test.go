//go:build linux

package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"concilia/cmd/concilia/console"
)

// TestConsoleUnderLoad is run by hand, with CONCILIA_DESK_ROWS=1000000: 50 people ask for a page every five seconds, for a minute and over
// all kinds of pages, of a ledger with so many installments; then once more while the next night runs. It tells how long each kind takes,
// what the console holds of memory and how long a night takes alone and together with them, and fails where a page does not come.
func TestConsoleUnderLoad(t *testing.T) {
	rows, err := strconv.Atoi(os.Getenv("CONCILIA_DESK_ROWS"))
	if err != nil {
		t.Skip("CONCILIA_DESK_ROWS names no number of rows: this is run by hand")
	}
	night := newBigDesk(t, rows)
	d := openDeskOf(t, night.dir, func(o *console.Options) { o.PageRows, o.QueryTime = 100, 5*time.Second })
	pages := d.listLoadedPages(t)
	d.logCosts(t, pages)
	desk := night.openConsole(t)
	desk.askAsPeople(t, pages, time.After(time.Minute))
	desk.logMemory(t)
	if night.kept {
		return // its service is gone
	}
	alone := night.liveNext(t)
	done := make(chan time.Time)
	var beside time.Duration
	go func() {
		defer close(done)
		beside = night.liveNext(t)
	}()
	desk.askAsPeople(t, pages, done)
	desk.logMemory(t)
	t.Logf("a night took %v alone and %v beside 50 people", alone.Round(time.Second), beside.Round(time.Second))
}

// loadedConsole is a console in a process of its own.
type loadedConsole struct {
	url string
	pid int
}

// openConsole serves the pages of the ledger until the test ends.
func (b *bigDesk) openConsole(t testing.TB) *loadedConsole {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), b.program, "--config", filepath.Join(b.dir, "concilia.yaml"), "console", "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD=big", "GOGC=", "GOMEMLIMIT=") // its own limits, not those of tests
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &loadedConsole{strings.TrimSuffix(strings.TrimSpace(address), "/"), cmd.Process.Pid}
}

// askAsPeople asks for pages as 50 people do until something has happened, and tells how long they took.
func (c *loadedConsole) askAsPeople(t *testing.T, pages []string, until <-chan time.Time) {
	t.Helper()
	const people, pause = 50, 5 * time.Second
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	took := map[string][]time.Duration{}
	var mu sync.Mutex
	var all sync.WaitGroup
	ended := make(chan struct{})
	for person := range people {
		all.Go(func() {
			wait := pause * time.Duration(person) / people
			for i := person; ; i++ {
				select {
				case <-ended:
					return
				case <-time.After(wait):
				}
				page, began := pages[i%len(pages)], time.Now()
				code := fetchWhole(t, client, c.url+page)
				one := time.Since(began)
				if code != http.StatusOK && code != http.StatusSeeOther { // one hit is led to
					t.Errorf("%s: %d", page, code)
				}
				mu.Lock()
				took[page] = append(took[page], one)
				took["all pages"] = append(took["all pages"], one)
				mu.Unlock()
				wait = pause - one
			}
		})
	}
	<-until
	close(ended)
	all.Wait()
	for _, page := range slices.Sorted(maps.Keys(took)) {
		of := took[page]
		slices.Sort(of)
		at := func(percent int) time.Duration { return of[(len(of)-1)*percent/100].Round(time.Millisecond) }
		t.Logf("%-60.60s %4d times: p50 %v, p95 %v, p99 %v, most %v", page, len(of), at(50), at(95), at(99), of[len(of)-1].Round(time.Millisecond))
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		t.Logf("load %s", load)
	}
}

// logMemory tells what the console has held of memory at most.
func (c *loadedConsole) logMemory(t *testing.T) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the console: %s", regexp.MustCompile(`VmHWM.*`).Find(status))
}

// fetchWhole asks for a page and reads it to its end; 0: it did not come.
func fetchWhole(t *testing.T, client *http.Client, address string) int {
	got, err := client.Get(address)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer got.Body.Close()
	if _, err := io.Copy(io.Discard, got.Body); err != nil {
		t.Error(err)
	}
	return got.StatusCode
}

// logCosts tells what each page takes of the processor, which says more than a clock on a machine with other work.
func (d *testDesk) logCosts(t *testing.T, pages []string) {
	t.Helper()
	const times = 5
	spent := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for _, page := range pages {
		fetchWhole(t, d.Client(), d.URL+page)
		began := spent()
		for range times {
			fetchWhole(t, d.Client(), d.URL+page)
		}
		t.Logf("%-60.60s %v of the processor", page, ((spent() - began) / times).Round(time.Millisecond/10))
	}
}

// someCases is the page of a letter about the cases that the list begins with.
func (d *testDesk) someCases(t *testing.T) string {
	t.Helper()
	_, list := d.ask(t, "en", "/cases")
	letter := "/claims/letter?"
	for _, m := range caseLink.FindAllStringSubmatch(list, 100) {
		letter += "&case=" + m[1]
	}
	return letter
}

// listLoadedPages are pages of every kind that a large ledger has.
func (d *testDesk) listLoadedPages(t *testing.T) []string {
	t.Helper()
	pages := []string{
		"/", "/cases", "/cases?owner=service", "/slips", "/forecast", "/forecast?days=90", "/months", "/months/2026-11", "/claims", "/files", "/runs", "/coverage",
		"/rules", "/find?q=17/11", "/find?q=100,00", "/calendar/2026", "/handbook/console", "/me", "/months?basis=credit", "/slips?class=overdue",
		"/cases?code=MDR_RATE_MISMATCH&sort=due", "/coverage?month=2026-10", "/bank", "/bank/main", "/bank/main?status=credited", "/own", "/own?bucket=matched",
		"/find?q=PED-739500-7",
	}
	for page, pattern := range map[string]string{
		"/cases": `/cases/[0-9a-f]{16}`, "/find?q=100,00": `/sales/[^"]+`, "/runs": `/runs/[^"/]+`, "/slips": `/slips/[^"?]+`, "/bank/main?status=credited": `/bank/main/[^"?]+`,
		"/own?bucket=matched": `/own/[^"?]+`,
	} {
		_, body := d.ask(t, "pt-BR", page)
		if m := regexp.MustCompile(`href="(` + pattern + `)"`).FindStringSubmatch(body); m != nil {
			pages = append(pages, html.UnescapeString(m[1]))
		}
	}
	return append(pages, d.someCases(t))
}
