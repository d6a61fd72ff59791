package main

import (
	"context"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// hands work in a browser as a person does, by mouse or by keyboard alone, and count clicks: a click is a link, a button or Enter, and
// typing is none.
type hands struct {
	*browser
	t        *testing.T
	desk     *testDesk
	keyboard bool
	turn     int // of the three ways of working: each acts on cases of its own
	clicks   int
}

// start opens a page; counting begins.
func (h *hands) start(path string) {
	h.t.Helper()
	h.do(h.t, "open "+path, chromedp.Navigate(h.desk.URL+path), chromedp.WaitVisible("h1"))
	h.clicks = 0
}

// askPage evaluates an expression on the page that there is. Where one page follows another there may be none to do it for a moment, which
// is no answer.
func (h *hands) askPage(expression string) bool {
	h.t.Helper()
	ctx, stop := context.WithTimeout(h.Context, patience)
	defer stop()
	for {
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil {
			return yes
		}
		if ctx.Err() != nil {
			h.t.Fatalf("no page answers %s: %v", expression, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// reach brings the focus to what a person would choose: with the keyboard alone by nothing but the tabulator.
func (h *hands) reach(selector string) {
	h.t.Helper()
	there := fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, selector)
	if !h.askPage(fmt.Sprintf(`document.querySelector(%q) !== null`, selector)) {
		h.t.Fatalf("the page has no %s:\n%s", selector, ask(h.t, h.browser, chromedp.Text("main")))
	}
	for range 300 {
		if h.askPage(there) {
			// What has the focus is in sight, and nothing covers it.
			if !h.askPage(`(() => { const e = document.activeElement, r = e.getClientRects()[0]; if (!r) return false;
				const x = Math.min(r.left + r.width / 2, innerWidth - 1), at = document.elementFromPoint(x, r.top + r.height / 2); return at !== null && (e.contains(at) || at.contains(e)); })()`) {
				h.t.Errorf("%s has the focus and is not in sight", selector)
			}
			return
		}
		h.do(h.t, "press Tab", chromedp.KeyEvent("\t"))
	}
	h.t.Fatalf("the tabulator does not reach %s", selector)
}

// press presses a link or a button, and waits for the next page to show something.
func (h *hands) press(selector, then string) {
	h.t.Helper()
	h.do(h.t, "mark the page", chromedp.SetAttributeValue("html", "data-left", "1"))
	if h.keyboard {
		h.reach(selector)
		h.do(h.t, "press Enter on "+selector, chromedp.KeyEvent("\r"))
	} else {
		h.do(h.t, "click "+selector, chromedp.Click(selector))
	}
	h.clicks++
	h.await(then)
}

// await waits for the page after the marked one to show something.
func (h *hands) await(selector string) {
	h.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if h.askPage(`document.readyState === "complete" && !document.documentElement.dataset.left`) {
			if h.askPage(fmt.Sprintf(`document.querySelector(%q) !== null`, selector)) {
				return
			}
			h.t.Fatalf("the page has no %s:\n%s", selector, ask(h.t, h.browser, chromedp.Text("body")))
		}
	}
	h.t.Fatalf("no other page came with %s", selector)
}

// choose checks a box.
func (h *hands) choose(selector string) {
	h.t.Helper()
	if h.keyboard {
		h.reach(selector)
		h.do(h.t, "press the space bar", chromedp.KeyEvent(" "))
	} else {
		h.do(h.t, "check "+selector, chromedp.Click(selector))
	}
	h.clicks++
}

// fill types into a field.
func (h *hands) fill(selector, text string) {
	h.t.Helper()
	if h.keyboard {
		h.reach(selector)
		h.do(h.t, "type", chromedp.KeyEvent(text))
		return
	}
	h.do(h.t, "type into "+selector, chromedp.SendKeys(selector, text))
}

// search types into the search box, which Enter sends.
func (h *hands) search(text, then string) {
	h.t.Helper()
	h.do(h.t, "mark the page", chromedp.SetAttributeValue("html", "data-left", "1"))
	h.fill("input[type=search]", text)
	h.do(h.t, "send", chromedp.KeyEvent("\r"))
	h.clicks++
	h.await(then)
}

// shows says what the page lacks.
func (h *hands) shows(why string, wants ...string) {
	h.t.Helper()
	text := ask(h.t, h.browser, chromedp.Text("main"))
	for _, want := range wants {
		if !strings.Contains(text, want) {
			h.t.Errorf("%s: the page lacks %q:\n%s", why, want, text)
		}
	}
}

// took holds a job to its clicks.
func (h *hands) took(job string, clicks int) {
	h.t.Helper()
	if h.clicks != clicks {
		h.t.Errorf("%s takes %d clicks, not %d", job, h.clicks, clicks)
	}
}

// letScriptsRun switches the scripts of pages on or off; what the test asks is answered in any case.
func (b *browser) letScriptsRun(t *testing.T, on bool) {
	t.Helper()
	b.do(t, "scripts", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	}))
}

// What people come for is done in the clicks that were promised: by mouse, with the keyboard alone, and without scripts.
func TestConsoleJobsByTheirClicks(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	d := openTestDesk(t, withPeople(t))
	h := &hands{browser: b, t: t, desk: d, keyboard: true}
	b.do(t, "set the width", chromedp.EmulateViewport(1280, 900))
	h.start("/login")
	h.fill("#name", "ana")
	h.fill("#password", "a long sentence of ana")
	h.press("form.card button", "nav")
	for i, way := range []struct {
		name              string
		keyboard, scripts bool
	}{{"with the keyboard alone", true, true}, {"without scripts", false, false}, {"by mouse", false, true}} {
		t.Run(way.name, func(t *testing.T) { // one after the other: they share the desk
			b.letScriptsRun(t, way.scripts)
			for _, job := range []struct {
				name string
				do   func(*hands)
			}{
				{"a is all paid, what now, whom to ask", knowWhatIsMissing},
				{"b the next 30 days by account and bank day", seeTheNextDays},
				{"c close October", closeOctober},
				{"d claim with proof", claimWithProof},
				{"e why did this sale cost more", seeWhyItCost},
				{"f compare months, brands and stores", compareMonths},
				{"g find one sale or boleto", findOneItem},
			} {
				t.Run(job.name, func(t *testing.T) {
					job.do(&hands{browser: b, t: t, desk: d, keyboard: way.keyboard, turn: i + 1})
				})
			}
			b.letScriptsRun(t, true)
		})
	}
	t.Run("single keys", func(t *testing.T) { useSingleKeys(&hands{browser: b, t: t, desk: d}) })
}

// useSingleKeys moves through the cases by single keys, which are only text in a field, and do nothing once they are switched off.
func useSingleKeys(h *hands) {
	holds := func(why, expression string) {
		h.t.Helper()
		if !h.askPage(expression) {
			h.t.Errorf("%s: %s does not hold", why, expression)
		}
	}
	const searches, marked = `document.activeElement === document.querySelector("input[type=search]")`, `document.querySelectorAll("tr.here").length`
	h.start("/cases")
	h.do(h.t, "search", chromedp.KeyEvent("/"))
	holds("a key leads to the search box", searches)
	h.do(h.t, "type", chromedp.KeyEvent("jx/?"))
	holds("keys are text in a field", `document.activeElement.value.endsWith("jx/?") && `+marked+` === 0`)
	h.start("/cases")
	h.do(h.t, "two down, one up, choose", chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"), chromedp.KeyEvent("x"))
	holds("the first row is chosen", `(r => r.classList.contains("here") && r.contains(document.activeElement) && r.querySelector("input").checked)(document.querySelector("table.cases tbody tr"))`)
	holds("and no other", marked+` === 1 && document.querySelectorAll("table.cases input:checked").length === 1`)
	h.do(h.t, "ask for the keys", chromedp.KeyEvent("?"))
	holds("their list is in sight", `(r => r.top >= 0 && r.bottom <= innerHeight && r.height > 0)(document.querySelector("[data-shortcuts]").getBoundingClientRect())`)
	h.do(h.t, "mark the page", chromedp.SetAttributeValue("html", "data-left", "1"), chromedp.KeyEvent("\r"))
	h.await("section.next")
	for _, on := range []bool{false, true} {
		h.start("/me")
		h.choose("input[name=keys]")
		h.press("form.card button", "h1")
		h.start("/cases")
		h.do(h.t, "one down", chromedp.KeyEvent("j"))
		holds("keys as they were switched", fmt.Sprintf(`(%s === 1) === %v`, marked, on))
	}
}

// a. Is all paid, what now, whom to ask.
func knowWhatIsMissing(h *hands) {
	h.start("/")
	h.shows("whether all is paid", "breaks", "Missing", "1,175.48")
	h.took("knowing", 0)
	h.press(fmt.Sprintf("table.cases tbody tr:nth-child(%d) a", h.turn), "section.next")
	h.shows("whom to ask", "Next step")
	h.took("the item", 1)
	h.press(`button[value="ack"]`, "form.card")
	h.press("form.card button", ".good-note")
	h.took("acting", 3)
}

// b. The next 30 days of an account by bank day.
func seeTheNextDays(h *hands) {
	h.start("/")
	h.press(`a[href="/forecast?account=1001"]`, "table.rows")
	h.shows("the days", "2026-11-18", "Within 30 days")
	h.took("the forecast", 1)
}

// c. Close October.
func closeOctober(h *hands) {
	h.start("/")
	h.press(`nav a[href="/months"]`, "table.rows")
	h.press(`table.rows a[href^="/months/2026-10"]`, "section.acts")
	h.took("seeing October", 2)
	h.press(`button[value="close"]`, "form.card")
	h.keepPicture(h.t, "preview of closing")
	h.fill("#reason", "checked with the shops")
	h.press("form.card button", ".good-note")
	h.took("closing October", 4)
	h.shows("by whom it is closed", "Account 1001: closed by ana", "Account 1002: closed by ana")
	h.press(`button[value="reopen"]`, "form.card") // for who comes next
	h.fill("#reason", "one shop was late")
	h.press("form.card button", ".good-note")
}

// d. Claim with proof: the last turn claims all, those before it one case each.
func claimWithProof(h *hands) {
	h.start("/")
	h.press(`nav a[href="/cases"]`, "table.cases")
	h.press(`.chips a[href="/cases?owner=service"]`, "table.cases")
	if h.turn < 3 {
		h.choose(fmt.Sprintf("table.cases tbody tr:nth-last-child(%d) input", h.turn))
	}
	h.press(`button[formaction="/claims/letter"]`, "form.card")
	if h.turn == 3 {
		list := ask(h.t, h.browser, chromedp.Location())
		h.press(`table.rows a:not([download])`, "h1")
		h.do(h.t, "back to the list of letters", chromedp.Navigate(list), chromedp.WaitVisible("form.card"))
	}
	h.took("the letter", 4)
	protocol := fmt.Sprintf("PROT-%d", h.turn)
	h.fill("#reference", protocol)
	h.press("form.card button", ".good-note")
	h.took("the claim", 5)
	if h.turn == 3 { // of several, the list leads to where they are now
		h.press(".good-note a", "table.rows")
	} else {
		h.start("/claims")
	}
	h.shows("the claims", protocol)
}

// e. Why did this sale cost more.
func seeWhyItCost(h *hands) {
	h.start("/")
	h.search(h.desk.linkedSale(h.t), "table.rows")
	h.shows("the cost of the sale, step by step", "MDR", "2.34 %")
	h.took("why", 1)
}

// f. Compare months and brands.
func compareMonths(h *hands) {
	h.start("/")
	h.press(`nav a[href="/months"]`, "table.rows")
	h.press(`table.rows a[href^="/months/2026-11"]`, "table.rows")
	h.shows("the month before beside it, by store and brand", "Gross 2026-10", "Visa", "1001", "1002")
	h.took("comparing", 2)
}

// g. Find one sale or slip.
func findOneItem(h *hands) {
	h.start("/")
	h.search("2026-11-10", "table.rows")
	h.took("the list of hits", 1)
	h.press("table.rows tbody tr:nth-child(2) a", "h1")
	h.took("one of them", 2)
	h.start("/")
	h.press(`nav a[href="/slips"]`, "table.slips")
	h.press("table.slips tbody a", "table.rows")
	h.took("a slip to collect", 2)
	line := ask(h.t, h.browser, chromedp.Evaluate[string](`[...document.querySelectorAll(".pairs dd")].map(d => d.textContent).find(t => /^[0-9. ]{47,60}$/.test(t)) || ""`))
	h.start("/")
	h.search(line, "table.rows")
	h.took("a slip by its linha digitável", 1)
	h.shows("the slip", line)
}

// linkedSale is what finds a sale that has cases, and nothing else.
func (d *testDesk) linkedSale(t *testing.T) string {
	t.Helper()
	ana := d.signIn(t, "ana")
	_, list := d.ask(t, "en", "/cases?code=MDR_RATE_MISMATCH", ana)
	m := regexp.MustCompile(`NSU ([^<]+)</span>`).FindStringSubmatch(list)
	if m == nil {
		t.Fatalf("no sale in\n%s", list)
	}
	return "nsu:" + html.UnescapeString(m[1])
}
