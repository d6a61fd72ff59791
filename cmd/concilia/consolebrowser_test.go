package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is the system's chromium. What its console says of errors, the violations of the pages' policy among them, is kept.
type browser struct {
	context.Context

	mu   sync.Mutex
	said []string
}

// openBrowser opens a chromium; without one the test is skipped, unless there must be one.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	switch {
	case path == "" && os.Getenv("CONCILIA_REQUIRE_BROWSER") == "1":
		t.Fatal("there is no chromium, and CONCILIA_REQUIRE_BROWSER is 1")
	case path == "":
		t.Skip("there is no chromium: the pages are not looked at in a browser")
	}
	// Its profile lies in a folder of chromedp's, which removes it once processes that outlive the browser have stopped writing there. A folder
	// of the test's could not be removed then, and the test would fail.
	//
	// Its window has no tabs, and no graphics card is simulated: nobody sees what else would be drawn, such as the wheel that turns in a tab
	// while a page loads.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("kiosk", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("accept-lang", "en"), chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	b := &browser{}
	b.Context, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(b.Context); err != nil { // starts it, without a time limit: that would end it
		t.Fatal(err)
	}
	err := chromedp.Listen(b.Context, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
				b.note(e.Entry.Text + " " + e.Entry.URL)
			}
		case *runtime.EventExceptionThrown:
			b.note(e.ExceptionDetails.Text + " " + e.ExceptionDetails.URL)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError {
				b.note(fmt.Sprint(e.Args))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, text)
}

// do carries actions out, with time for a busy machine.
func (b *browser) do(t *testing.T, why string, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, stop := context.WithTimeout(b.Context, patience)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatalf("%s: %v", why, err)
	}
}

// ask carries an action out that has an answer.
func ask[T any](t *testing.T, b *browser, action chromedp.Action[T]) T {
	t.Helper()
	ctx, stop := context.WithTimeout(b.Context, patience)
	defer stop()
	got, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// signIn signs somebody in at the page of a desk that is open next.
func (b *browser) signIn(t *testing.T, d *testDesk, name, path string) {
	t.Helper()
	b.do(t, "sign "+name+" in", chromedp.Navigate(d.URL+path), chromedp.SendKeys("#name", name), chromedp.SendKeys("#password", "a long sentence of "+name),
		chromedp.Click("form.card button"), chromedp.WaitVisible("section"))
}

// waiveInTwo waives a case: one person proposes it, another one finds it on the first page and confirms it.
func (b *browser) waiveInTwo(t *testing.T, d *testDesk) {
	t.Helper()
	d.config.FourEyes = []string{"waive"}
	signOut := []chromedp.Action[chromedp.Void]{chromedp.Navigate(d.URL + "/me"), chromedp.Click(`form[action="/logout"] button`), chromedp.WaitVisible("#name")}
	b.do(t, "sign out", signOut...)
	b.signIn(t, d, "eva", "/")
	b.do(t, "open the last case", chromedp.Navigate(d.URL+"/cases?state=open&account=1001"), chromedp.Click("table.cases tbody tr:last-child td.wide a"), chromedp.WaitVisible("section.acts"))
	address := ask(t, b, chromedp.Location())
	b.do(t, "propose to waive it", chromedp.Click(`button[value="waive"]`), chromedp.WaitVisible("#until"), chromedp.SetValue("#until", "2026-12-24"),
		chromedp.SendKeys("#cap", "9000"), chromedp.SendKeys("#reason", "too small"), chromedp.Click("form.card button"), chromedp.WaitVisible(".good-note"))
	if state := ask(t, b, chromedp.Text(".meta .state")); state != "open" {
		t.Errorf("a proposal leaves the case %q", state)
	}
	b.do(t, "sign out", signOut...)
	b.signIn(t, d, "ana", "/")
	if said := ask(t, b, chromedp.Text(".proposal")); !strings.Contains(said, "eva") || !strings.Contains(said, "too small") {
		t.Errorf("the proposal says %q", said)
	}
	b.do(t, "confirm it", chromedp.Click(".proposal button"), chromedp.WaitVisible(".good-note"), chromedp.Navigate(address), chromedp.WaitVisible(".meta .state"))
	if state := ask(t, b, chromedp.Text(".meta .state")); state != "waived" {
		t.Errorf("the confirmed case is %q", state)
	}
}

// A person signs in, finds the case of the largest amount, claims it, records the answer, and sees both stay. On the way the browser
// complains of nothing.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	d := openTestDesk(t, withPeople(t))
	b.do(t, "sign in", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(d.URL+"/cases"),
		chromedp.SendKeys("#name", "ana"), chromedp.SendKeys("#password", "a long sentence of ana"), chromedp.Submit("#password"),
		chromedp.WaitVisible("table.cases"))

	amounts := ask(t, b, chromedp.Evaluate[[]string](`[...document.querySelectorAll("table.cases tbody td.n:not(.more)")].map(td => td.textContent)`))
	if len(amounts) < 2 {
		t.Fatalf("the list shows %v", amounts)
	}
	largest := -1 // of what is missing; what came too much is listed with it
	for i, a := range amounts {
		if i > 0 && parseAmount(t, a).Abs() > parseAmount(t, amounts[i-1]).Abs() {
			t.Errorf("%s stands below %s", a, amounts[i-1])
		}
		if largest < 0 && parseAmount(t, a) > 0 {
			largest = i
		}
	}
	if largest < 0 {
		t.Fatalf("nothing is missing: %v", amounts)
	}
	b.do(t, "open the first case", chromedp.Click(fmt.Sprintf("table.cases tbody tr:nth-child(%d) td.wide a", largest+1)), chromedp.WaitVisible("section.acts"))
	address := ask(t, b, chromedp.Location())
	b.do(t, "claim it", chromedp.Click(`button[value="dispute"]`), chromedp.WaitVisible("#reference"),
		chromedp.SendKeys("#reference", "PROT-2026-1"), chromedp.Click("form.card button"), chromedp.WaitVisible(".good-note"))
	b.do(t, "record an answer", chromedp.Click(`button[value="answer"]`), chromedp.WaitVisible("#reply"), chromedp.SetValue("#reply", "partial"),
		chromedp.SendKeys("#reason", "half of it comes on Friday"), chromedp.Click("form.card button"), chromedp.WaitVisible(".good-note"))
	b.do(t, "come back later", chromedp.Navigate(d.URL+"/"), chromedp.Navigate(address), chromedp.WaitVisible(".meta .state"))
	state, history := ask(t, b, chromedp.Text(".meta .state")), ask(t, b, chromedp.Text("main"))
	if state != "disputed" || !strings.Contains(history, "PROT-2026-1") || !strings.Contains(history, "half of it comes on Friday") {
		t.Errorf("the case is %q, and the page says\n%s", state, history)
	}

	b.do(t, "see the claim", chromedp.Navigate(d.URL+"/claims"), chromedp.WaitVisible("table.rows"))
	claims := ask(t, b, chromedp.Text("main"))
	if !strings.Contains(claims, "PROT-2026-1") || !strings.Contains(claims, amounts[largest]) {
		t.Errorf("the claims are\n%s", claims)
	}
	b.waiveInTwo(t, d)
	b.do(t, "ask for what is not there", chromedp.Navigate(d.URL+"/nothing"), chromedp.WaitVisible("h1"))
	b.checkComplaints(t)
}
