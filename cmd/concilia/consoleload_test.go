//go:build linux

package main

import (
	"html"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"concilia/cmd/concilia/console"
)

// TestConsoleUnderLoad is run by hand, with CONCILIA_DESK_ROWS=1000000: 50 people ask for a page every five seconds, for a minute and over
// all kinds of pages, of a ledger with so many installments. It tells how long each kind takes, and fails where a page does not come.
func TestConsoleUnderLoad(t *testing.T) {
	rows, err := strconv.Atoi(os.Getenv("CONCILIA_DESK_ROWS"))
	if err != nil {
		t.Skip("CONCILIA_DESK_ROWS names no number of rows: this is run by hand")
	}
	const people, pause, lasts = 50, 5 * time.Second, time.Minute
	night := newBigDesk(t, rows)
	d := openDeskOf(t, night.dir, func(o *console.Options) { o.PageRows, o.QueryTime = 100, 5*time.Second })
	pages := d.listLoadedPages(t)
	d.logCosts(t, pages)
	took := map[string][]time.Duration{}
	var mu sync.Mutex
	var all sync.WaitGroup
	end := time.Now().Add(lasts)
	for person := range people {
		all.Go(func() {
			time.Sleep(pause * time.Duration(person) / people)
			for i := person; time.Now().Before(end); i++ {
				page := pages[i%len(pages)]
				began := time.Now()
				code := d.fetch(t, page)
				one := time.Since(began)
				if code != http.StatusOK && code != http.StatusSeeOther { // one hit is led to
					t.Errorf("%s: %d", page, code)
				}
				mu.Lock()
				took[page] = append(took[page], one)
				mu.Unlock()
				time.Sleep(pause - one)
			}
		})
	}
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
		d.fetch(t, page)
		began := spent()
		for range times {
			d.fetch(t, page)
		}
		t.Logf("%-60.60s %v of the processor", page, ((spent() - began) / times).Round(time.Millisecond/10))
	}
}

// fetch asks for a page and reads it whole.
func (d *testDesk) fetch(t *testing.T, path string) int {
	got, err := d.Client().Get(d.URL + path)
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

// listLoadedPages are pages of every kind that a large ledger has.
func (d *testDesk) listLoadedPages(t *testing.T) []string {
	t.Helper()
	pages := []string{
		"/", "/cases", "/cases?owner=service", "/slips", "/forecast", "/forecast?days=90", "/months", "/months/2026-11", "/claims", "/files", "/runs", "/coverage",
		"/rules", "/find?q=17/11", "/find?q=100,00", "/calendar/2026", "/handbook/console", "/me", "/months?basis=credit", "/slips?class=overdue",
		"/cases?code=MDR_RATE_MISMATCH&sort=due", "/coverage?month=2026-10", "/bank", "/bank/main", "/bank/main?status=credited", "/own", "/own?bucket=matched",
		"/find?q=PED-739500-7", "/claims/letter?owner=service",
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
	return pages
}
