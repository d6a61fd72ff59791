package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// readAxe is the script that looks for what keeps people out of a page: the file of npm's axe-core that CONCILIA_AXE names.
func readAxe(t *testing.T) string {
	t.Helper()
	path := os.Getenv("CONCILIA_AXE")
	if path == "" {
		if os.Getenv("CONCILIA_REQUIRE_BROWSER") == "1" {
			t.Fatal("CONCILIA_AXE names no file, and CONCILIA_REQUIRE_BROWSER is 1")
		}
		t.Log("CONCILIA_AXE names no axe.min.js: pages are not searched for what keeps people out")
		return ""
	}
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// violation is what axe-core finds on a page.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		Target []any  `json:"target"`
		Why    string `json:"failureSummary"`
	} `json:"nodes"`
}

// findViolations are those of WCAG 2.2 A and AA on the page that is open, which has the script already.
func (b *browser) findViolations(t *testing.T) (found []violation) {
	t.Helper()
	const what = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]`
	text := ask(t, b, chromedp.Evaluate[string](`axe.run(document, {runOnly: `+what+`, resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// show shows pages in light or dark, or as they are printed.
func (b *browser) show(t *testing.T, media, colors string) {
	t.Helper()
	b.do(t, "show "+media+" "+colors, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colors}},
		})
		return err
	}))
}

// keepPicture keeps a picture of the page for people to look at, where CONCILIA_PICTURES names a folder.
func (b *browser) keepPicture(t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("CONCILIA_PICTURES")
	if dir == "" {
		return
	}
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(name, "-"), "-") + ".png"
	if err := os.WriteFile(filepath.Join(dir, name), ask(t, b, chromedp.FullScreenshot(100)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// visiblePages are one page of each kind, with what the demo left on it.
func (d *testDesk) visiblePages(t *testing.T) []string {
	t.Helper()
	ana := d.signIn(t, "ana")
	link := func(page, pattern string) string {
		_, body := d.ask(t, "en", page, ana)
		m := regexp.MustCompile(`href="(` + pattern + `)"`).FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("%s has no %s", page, pattern)
		}
		return html.UnescapeString(m[1])
	}
	run := link("/runs", `/runs/[^"/]+`)
	return []string{
		"/", "/cases", "/cases?owner=service&kind=card", "/cases?min-impact=x", "/cases?nsu=none", link("/cases", `/cases/[0-9a-f]{16}`), "/slips", "/slips?class=overdue",
		link("/cases?kind=card", `/sales/[^"]+|/cases/[0-9a-f]{16}`), link("/find?q=2026-11-10", `/sales/[^"]+`), link("/slips", `/slips/[^"?]+`), "/forecast", "/months", "/months/2026-10",
		"/claims", "/claims/letter?owner=service", "/files", "/runs", run, run + strings.TrimPrefix(run, "/runs"), "/coverage", "/rules", "/rules/MDR_RATE_MISMATCH",
		"/calendar/2026", "/handbook", "/handbook/console", "/find?q=18/11", "/find", "/me", "/nothing",
		"/bank", "/bank/bb-1001", link("/bank", `/bank/[^"/]+/[^"]+`), "/own", link("/own", `/own/[^"?]+`),
	}
}

// No page is wider than a phone or a screen, light or dark, in either language, keeps anybody out by the rules of WCAG 2.2 AA, or makes
// the browser complain. Each page is searched by those rules in one of its eight looks, the next one in the next look, and with
// CONCILIA_LONG=1 in all of them.
func TestConsolePagesForEverybody(t *testing.T) {
	t.Parallel()
	b, axe := openBrowser(t), readAxe(t)
	d := openDeskOf(t, copyLeft(t, demoWith(t, "--banks", "--sales")), withPeople(t))
	b.do(t, "sign in", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(d.URL+"/"), chromedp.SendKeys("#name", "ana"),
		chromedp.SendKeys("#password", "a long sentence of ana"), chromedp.Submit("#password"), chromedp.WaitVisible("header nav"))
	pages := d.visiblePages(t)
	for n, language := range []string{"pt-BR", "en"} {
		ask(t, b, chromedp.Evaluate[string](`document.cookie = "concilia-language=`+language+`; path=/"`))
		for i, path := range pages {
			b.do(t, path, chromedp.Navigate(d.URL+path), chromedp.WaitVisible("h1"))
			if lang := ask(t, b, chromedp.Evaluate[string](`document.documentElement.lang`)); lang != language {
				t.Fatalf("%s is in %s, not in %s", path, lang, language)
			}
			b.lookAtPage(t, language, path, axe, func(look int) bool { return os.Getenv("CONCILIA_LONG") == "1" || i%8 == 4*n+look })
		}
		b.lookAtForms(t, d, language, axe, 2*n)
	}
	// Who may act prints the list of cases, too: the form around it stays, and what acts is left out.
	b.show(t, "print", "light")
	b.do(t, "print the cases", chromedp.Navigate(d.URL+"/cases"), chromedp.WaitReady("h1"))
	for what, want := range map[string]bool{"table.cases tbody tr": true, "table.cases input": false, "button": false, "nav": false} {
		if seen := ask(t, b, chromedp.Evaluate[bool](`[...document.querySelectorAll("`+what+`")].some(e => e.checkVisibility())`)); seen != want {
			t.Errorf("%s is printed: %v, want %v", what, seen, want)
		}
	}
	b.checkComplaints(t)
}

// lookAtForms looks at the forms of acts before they are confirmed, and once more with what is wrong at their fields.
func (b *browser) lookAtForms(t *testing.T, d *testDesk, language, axe string, look int) {
	t.Helper()
	for i, of := range []struct{ page, button string }{
		{"/cases/" + d.openCases(t, "account=1001", d.signIn(t, "ana"))[0], `button[value="waive"]`},
		{"/months/2026-10", `button[value="close"]`},
		{"/bank/bb-1001/" + d.aMatch(t), `button[value="unmatch"]`},
	} {
		b.do(t, of.page, chromedp.Navigate(d.URL+of.page), chromedp.WaitVisible(of.button), chromedp.Click(of.button), chromedp.WaitVisible("form.card"))
		b.lookAtPage(t, language, "act "+of.button, axe, func(l int) bool { return l == look+i%2 })
		ask(t, b, chromedp.Evaluate[bool](`document.querySelectorAll("[required]").forEach(e => e.required = false), true`))
		b.do(t, "send it empty", chromedp.Click("form.card button"), chromedp.WaitVisible("form.card .wrong"))
		b.lookAtPage(t, language, "wrong "+of.button, axe, func(l int) bool { return l == look+(i+1)%2 })
	}
}

// aMatch is a match at the bank account bb-1001.
func (d *testDesk) aMatch(t *testing.T) string {
	t.Helper()
	_, list := d.ask(t, "en", "/bank/bb-1001?status=credited", d.signIn(t, "ana"))
	m := regexp.MustCompile(`href="/bank/bb-1001/([0-9a-f]{16})"`).FindStringSubmatch(list)
	if m == nil {
		t.Fatalf("nothing is matched:\n%s", list)
	}
	return m[1]
}

// narrowest is the width of the smallest phone that pages fit.
const narrowest = 320

// pageMeasures are how wide a page is, whether its accounts or cases scroll sideways, and how far down its heading stands.
type pageMeasures struct {
	Width   int64   `json:"width"`
	Scrolls bool    `json:"scrolls"`
	Top     float64 `json:"top"`
}

// measurePage has the browser measure the page.
const measurePage = `({
	width: document.documentElement.scrollWidth,
	scrolls: [...document.querySelectorAll("table.accounts, table.cases")].some(e => e.parentElement.scrollWidth > e.parentElement.clientWidth),
	top: document.querySelector("h1").getBoundingClientRect().top,
})`

// lookAtPage looks at the page that is open on a screen and on a phone, light and dark, and searches it in those looks that are wanted.
func (b *browser) lookAtPage(t *testing.T, language, path, axe string, wanted func(look int) bool) {
	t.Helper()
	here, shown := false, "" // the script is on the page; the colors that are shown
	for i, look := range []struct {
		width  int64
		colors string
	}{{1280, "light"}, {1280, "dark"}, {390, "dark"}, {390, "light"}, {narrowest, "light"}} {
		if look.colors != shown {
			b.show(t, "", look.colors)
			shown = look.colors
		}
		b.do(t, "set the width", chromedp.EmulateViewport(look.width, 900))
		page := ask(t, b, chromedp.Evaluate[pageMeasures](measurePage))
		if page.Width == 0 {
			t.Fatalf("%s is not measured", path)
		}
		if page.Width > look.width {
			t.Errorf("%s is %d wide on a screen of %d", path, page.Width, look.width)
		}
		if page.Scrolls {
			t.Errorf("%s on a screen of %d: the accounts or the cases scroll sideways", path, look.width)
		}
		if page.Top > 300 {
			t.Errorf("%s on a screen of %d: what it is about stands %v down", path, look.width, page.Top)
		}
		b.keepPicture(t, fmt.Sprintf("%s %d %s %s", language, look.width, look.colors, path[:min(len(path), 40)]))
		if axe == "" || look.width == narrowest || !wanted(i) {
			continue
		}
		if !here {
			here = ask(t, b, chromedp.Evaluate[bool](axe+`;true`))
		}
		for _, v := range b.findViolations(t) {
			t.Errorf("%s, %d, %s, %s: %s: %s: %v", path, look.width, look.colors, language, v.ID, v.Help, v.Nodes[:min(3, len(v.Nodes))])
		}
	}
}

// checkComplaints fails on what the browser said, but of the page that was asked for and is not there, which shows that it is heard.
func (b *browser) checkComplaints(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	heard := false
	for _, text := range b.said {
		if strings.HasSuffix(text, "/nothing") {
			heard = true
			continue
		}
		if !strings.HasSuffix(text, "/cases?min-impact=x") && !strings.HasSuffix(text, "/act") { // refused with a page that says why
			t.Errorf("the browser says: %s", text)
		}
	}
	if !heard {
		t.Error("nothing is heard of what the browser says")
	}
}

// A month and a letter print on A4: nothing is cut off at the side, menus and forms are left out.
func TestConsolePrintsOnA4(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	d := openTestDesk(t)
	_, list := d.ask(t, "en", "/claims/letter?owner=service&account=1001")
	letter := regexp.MustCompile(`href="(/claims/letter\?as=html[^"]+)"`).FindStringSubmatch(list)
	if letter == nil {
		t.Fatalf("no letter:\n%s", list)
	}
	const inner = (210 - 2*14) * 96 * 10 / 254 // pixels between the margins
	for _, path := range []string{"/months/2026-10", html.UnescapeString(letter[1])} {
		b.show(t, "print", "light")
		b.do(t, path, chromedp.EmulateViewport(inner, 1000), chromedp.Navigate(d.URL+path))
		if wide := ask(t, b, chromedp.Evaluate[int64](`Math.max(...[...document.querySelectorAll("body *")].map(e => Math.ceil(e.getBoundingClientRect().right)))`)); wide > inner+1 {
			t.Errorf("%s is printed %d wide between margins of %d", path, wide, inner)
		}
		if seen := ask(t, b, chromedp.Evaluate[int64](`[...document.querySelectorAll("nav,form,button,input")].filter(e => e.checkVisibility()).length`)); seen > 0 {
			t.Errorf("%s: %d menus, forms or buttons are printed", path, seen)
		}
		b.keepPicture(t, "print "+path[:min(len(path), 20)])
		file := ask(t, b, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
		box := regexp.MustCompile(`/MediaBox ?\[0 0 (59[456])[0-9.]* (84[123])[0-9.]*\]`)
		if !bytes.HasPrefix(file, []byte("%PDF")) || !box.Match(file) {
			t.Errorf("%s: %d bytes are printed, and not on A4: %s", path, len(file), regexp.MustCompile(`/MediaBox[^\]]*\]`).Find(file))
		}
	}
}
