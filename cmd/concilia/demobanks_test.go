package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"concilia/cmd/concilia/command/banks"
	"concilia/cmd/concilia/exit"
	"concilia/config"
)

// The demo tells of what is planted in the statements of the bank, finds exactly that, and lives the same morning again without
// anything new; the first page of the desk's commands says how much is proven.
func TestDemoFindsWhatIsPlantedAtTheBanks(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches a whole demo in another test")
	}
	left := demoWith(t, "--banks", "--sales")
	for _, want := range []string{
		"All 51 planted differences were found, and nothing else.",
		"R$ 321,275.12 of R$ 348,248.13 proven at the bank up to 2026-11-17.",
	} {
		if !strings.Contains(left.said, want) {
			t.Errorf("it does not say %q:\n%s", want, left.said)
		}
	}
	dir := copyLeft(t, left)
	code, out, errs := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "bank", "list", "--json")
	if code != exit.OK || !strings.Contains(out, `"bank":"bb-1001","home":1001,`) || !strings.Contains(out, `"proven":"168799.34"`) {
		t.Errorf("bank list ends with %d:\n%s%s", code, out, errs)
	}
	if _, out, _ := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "status", "--json"); !strings.Contains(out, `"settled_to":"2026-11-17","received":"193000.41","proven":"168799.34"}`) {
		t.Errorf("status does not say what is proven at the banks:\n%s", out)
	}
	for code, want := range map[string]int{
		"BANK_CREDIT_MISSING": 1, "BANK_CREDIT_RETURNED": 1, "BANK_AMOUNT_MISMATCH": 1, "BANK_CREDIT_UNEXPECTED": 2, "BANK_DEBIT_UNEXPLAINED": 1,
		"BANK_DATE_SHIFT": 2, "SLIP_BANK_AMOUNT_MISMATCH": 1, "SLIP_TARIFF_MISMATCH": 1,
		"SALE_NOT_AT_ACQUIRER": 1, "SALE_AUTH_UNKNOWN": 1, "SALE_AMOUNT_MISMATCH": 2, "SALE_INSTALLMENTS_MISMATCH": 1, "SALE_BRAND_MISMATCH": 1,
		"SALE_DUPLICATE_IN_ERP": 1, "SALE_FILE_MISSING": 1, "SALE_NOT_IN_ERP": 2, "SALE_CANCELLED_ONE_SIDE": 1,
	} {
		_, out, _ := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "exceptions", "list", "--code", code, "--json")
		if got := strings.Count(out, "\n"); got != want {
			t.Errorf("%d cases of %s, want %d:\n%s", got, code, want, out)
		}
	}
	checkPublishedBanks(t, dir)
	checkAgedDeposit(t, dir)
	checkAgendaNamesBank(t, dir)
	checkLetterNamesItsItems(t, dir)
	d := openDeskOf(t, dir, withPeople(t))
	checkAccountsAreAtTheirBanks(t, d.config)
	checkBankPages(t, d)
	t.Run("in a browser", func(t *testing.T) { findShortDeposit(t, d) })
	checkBankDays(t, d)
	checkBankActs(t, d)
}

// checkAccountsAreAtTheirBanks looks whether the accounts of a demo are at the banks that their deposits come to, and whether its
// configuration is one that nothing is said of: the EDI files of account 1001 were those of another bank.
func checkAccountsAreAtTheirBanks(t *testing.T, c *config.Config) {
	t.Helper()
	for i := range c.Accounts {
		block, bank := &c.Accounts[i].Bank, &c.Banks[i]
		if !slices.Equal(bank.Accounts, []int64{c.Accounts[i].Number}) || block.Code != bank.Bank || block.Branch != bank.Branch || block.Account+"-"+block.AccountDigit != bank.Account {
			t.Errorf("account %d is at %s %s %s-%s, and its deposits come to %s %s %s", c.Accounts[i].Number, block.Code, block.Branch, block.Account, block.AccountDigit, bank.Bank, bank.Branch, bank.Account)
		}
	}
	for _, warning := range c.Warnings() {
		t.Errorf("every command warns: %s", warning)
	}
}

// checkPublishedBanks: the page of the day, which is read first, says of each bank account what the commands say.
func checkPublishedBanks(t *testing.T, dir string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(dir, "reports", "all", "*", "*", "settlement_all_asof_*.html"))
	if err != nil || len(pages) != 1 {
		t.Fatal(pages, err)
	}
	page, err := os.ReadFile(pages[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"R$ 168.799,34 de R$ 193.000,41 comprovados no banco até 17/11/2026", "R$ 152.475,78 de R$ 155.247,72 comprovados no banco até 17/11/2026",
	} {
		if !strings.Contains(strings.ReplaceAll(string(page), "\u00a0", " "), want) {
			t.Errorf("the page of the day does not say %q", want)
		}
	}
}

// checkAgedDeposit: the deposit that is not in the bank ages with what the service owes, since its bank day.
func checkAgedDeposit(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "reports", "1001", "*", "*", "aging_1001_asof_*_r0.csv"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	file, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range readCSV(t, string(file)) {
		if row["kind"] == "bank_missing" {
			if row["total"] != "11515.94" || row["total_qty"] != "1" || row["d2_5"] != row["total"] && row["d6_10"] != row["total"] {
				t.Errorf("what is missing at the bank ages as %v", row)
			}
			return
		}
	}
	t.Errorf("nothing is missing at the bank:\n%s", file)
}

// checkLetterNamesItsItems: a sale that the service does not have is claimed by what it can look it up by, not by a sentence alone,
// and what is of a month by the month, not by a credit on its first day.
func checkLetterNamesItsItems(t *testing.T, dir string) {
	t.Helper()
	out := t.TempDir()
	code, said, errs := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "claims", "letter", "--code", "SALE_NOT_AT_ACQUIRER,SLIP_TARIFF_MISMATCH",
		"--format", "html", "--out", out, "--lang", "pt-BR")
	if code != exit.OK {
		t.Fatalf("exit %d: %s%s", code, said, errs)
	}
	for account, want := range map[string]string{"1001": `<td><span class="id">12/11/2026</span><br>VD076990001<br></td>`, "1002": "<td>11/2026<br></td>"} {
		files, err := filepath.Glob(filepath.Join(out, "letter_"+account+"_*.html"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		if letter, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(letter), want) {
			t.Errorf("%v: no %s in\n%s", err, want, letter)
		}
	}
}

// checkAgendaNamesBank: what is to come says into which bank account.
func checkAgendaNamesBank(t *testing.T, dir string) {
	t.Helper()
	for account, bank := range map[string]string{"1001": "bb-1001", "1002": "bradesco-1002"} {
		files, err := filepath.Glob(filepath.Join(dir, "reports", account, "*", "*", "agenda_"+account+"_asof_*_r0.csv"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		file, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		rows := readCSV(t, string(file))
		for _, row := range rows {
			if row["bank"] != bank {
				t.Errorf("account %s: a row of the agenda says bank %q, want %s", account, row["bank"], bank)
				break
			}
		}
		if len(rows) == 0 {
			t.Errorf("account %s has no agenda", account)
		}
	}
}

// checkBankPages goes from the first page to the deposit that is not there and to the sales it should have paid, in two clicks, and sees
// that people of one account find nothing of the other's bank.
func checkBankPages(t *testing.T, d *testDesk) {
	t.Helper()
	ana, rui := d.signIn(t, "ana"), d.signIn(t, "rui")
	const missing = "group:1001:bb-1001:2026-11-10:service"
	page := "/bank/bb-1001/" + missing
	for _, row := range []struct {
		path  string
		who   func(*http.Request)
		code  int
		shows []string
		hides string
	}{
		{"/", ana, http.StatusOK, []string{`href="/bank"`, "168,799.34", "152,475.78"}, ""},
		{"/", rui, http.StatusOK, []string{"168,799.34"}, "bradesco-1002"},
		// What a store tells of its own sales is in none of the figures, so that it is none of their causes either.
		{"/", ana, http.StatusOK, []string{"Slip paid short"}, "Sale told twice by the store"},
		{"/bank", ana, http.StatusOK, []string{"168,799.34", "152,475.78", `href="` + page + `"`, "11,515.94"}, ""},
		{page, ana, http.StatusOK, []string{"11,515.94", "What it should have paid", `href="/sales/card:1001:`}, ""},
		{"/bank/bradesco-1002", ana, http.StatusOK, []string{"152,475.78"}, "bb-1001"},
		{"/bank?status=missing", ana, http.StatusOK, []string{"11,515.94"}, "4,548.41"},
		{"/bank?status=lost", ana, http.StatusBadRequest, nil, ""},
		{"/bank/bb-1001/group:1001:bb-1001:2026-11-10:nobody", ana, http.StatusNotFound, nil, ""},
		{"/bank", rui, http.StatusOK, []string{"bb-1001"}, "bradesco-1002"},
		{"/bank/bradesco-1002", rui, http.StatusNotFound, nil, ""},
		{"/bank/bradesco-1002/" + missing, rui, http.StatusNotFound, nil, ""},
	} {
		got, body := d.ask(t, "en", row.path, row.who)
		if got.StatusCode != row.code || row.hides != "" && strings.Contains(body, row.hides) {
			t.Errorf("%s: %d, want %d, without %q:\n%s", row.path, got.StatusCode, row.code, row.hides, body)
		}
		for _, want := range row.shows {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not show %q:\n%s", row.path, want, body)
			}
		}
	}
}

// findShortDeposit does what a controller does in the morning: from the first page of the desk two clicks lead to the deposit that is short,
// and to the sales that it should have paid.
func findShortDeposit(t *testing.T, d *testDesk) {
	t.Helper()
	h := &hands{browser: openBrowser(t), t: t, desk: d}
	h.do(t, "set the width", chromedp.EmulateViewport(1280, 900))
	h.start("/login")
	h.fill("#name", "ana")
	h.fill("#password", "a long sentence of ana")
	h.press("form.card button", "nav")
	h.start("/")
	h.press(`a[href="/bank/bb-1001"]`, "table.rows")
	h.shows("what does not agree at the bank", "168,799.34", "37.20")
	row := ask(t, h.browser, chromedp.Evaluate[string](
		`[...document.querySelectorAll("table.rows tbody tr")].find(tr => [...tr.cells].some(td => td.textContent.trim() === "37.20")).querySelector("a").getAttribute("href")`))
	h.press(fmt.Sprintf("a[href=%q]", row), "h1")
	h.shows("which deposit, and which sales", "37.20", "What it should have paid")
	sales := ask(t, h.browser, chromedp.Evaluate[[]string](`[...document.querySelectorAll('main a[href^="/sales/card:1001:"]')].map(a => a.textContent)`))
	if len(sales) < 2 {
		t.Errorf("the page of %s names the sales %q:\n%s", row, sales, ask(t, h.browser, chromedp.Text("main")))
	}
	h.took("finding the short deposit and its sales", 2)
	if len(h.said) > 0 {
		t.Errorf("the browser complains: %q", h.said)
	}
}

// checkBankDays holds the days on the page of a bank account against those of bank coverage.
func checkBankDays(t *testing.T, d *testDesk) {
	t.Helper()
	_, page := d.ask(t, "en", "/bank/bb-1001", d.signIn(t, "ana"))
	d.out.Reset()
	d.invocation.JSON = true
	if err := d.show(t, banks.NewBank(d.invocation), "coverage", "--bank", "bb-1001"); err != nil {
		t.Fatal(err)
	}
	days := 0
	for line := range strings.Lines(d.out.String()) {
		var day struct{ Day, State, Credits, Debits string }
		if err := json.Unmarshal([]byte(line), &day); err != nil {
			t.Fatal(err)
		}
		row := regexp.MustCompile(`>` + day.Day + `</th><td><span class="state bd-` + day.State + `">[^<]*</span></td><td class="n more">[0-9,]+</td><td class="n">([^<]+)</td><td class="n">([^<]+)</td>`).FindStringSubmatch(page)
		if row == nil || parseAmount(t, row[1]) != parseAmount(t, day.Credits) || parseAmount(t, row[2]) != parseAmount(t, day.Debits) {
			t.Errorf("%+v is on the page %q", day, row)
		}
		days++
	}
	if days < 30 {
		t.Errorf("only %d days", days)
	}
}

// checkBankActs accepts at the desk what a deposit is short by, then takes the match apart again: a reader may not, who has the other
// account finds nothing, and nothing is done before it is confirmed with a reason.
func checkBankActs(t *testing.T, d *testDesk) {
	t.Helper()
	people := map[string]func(*http.Request){"ana": d.signIn(t, "ana"), "rui": d.signIn(t, "rui"), "mia": d.signIn(t, "mia")}
	_, missing := d.ask(t, "en", "/bank/bb-1001/group:1001:bb-1001:2026-11-10:service", people["ana"])
	sale := regexp.MustCompile(`href="(/sales/card:1001:[^"]+)"`).FindStringSubmatch(missing)
	if _, page := d.ask(t, "en", sale[1], people["ana"]); !strings.Contains(page, `href="/bank/bb-1001/group:1001:bb-1001:2026-11-10:service"`) {
		t.Errorf("the sale does not lead to its deposit:\n%s", page)
	}
	_, list := d.ask(t, "en", "/bank?status=differs", people["ana"])
	name := regexp.MustCompile(`href="/bank/bb-1001/([0-9a-f]{16})"`).FindStringSubmatch(list)
	if name == nil {
		t.Fatalf("no deposit differs:\n%s", list)
	}
	_, item := d.ask(t, "en", "/bank/bb-1001/"+name[1], people["ana"])
	subjects := regexp.MustCompile(`<dd><code>((?:group|bank):[^<]+)</code>`).FindAllStringSubmatch(item, -1)
	if len(subjects) != 2 || !strings.Contains(item, "Take apart") {
		t.Fatalf("the deposit has no two sides to take apart:\n%s", item)
	}
	apart := url.Values{"verb": {"unmatch"}, "match": {name[1]}}
	join := url.Values{"verb": {"match"}, "group": {subjects[0][1]}, "line": {subjects[1][1]}}
	with := func(form url.Values, more ...string) url.Values {
		out := maps.Clone(form)
		for i := 0; i < len(more); i += 2 {
			out.Set(more[i], more[i+1])
		}
		return out
	}
	sure := []string{"confirm", "1", "reason", "agreed"}
	for _, row := range []struct {
		why, who, bank string
		form           url.Values
		code           int
		shows          string
	}{
		{"a reader", "rui", "bb-1001", apart, http.StatusForbidden, ""},
		{"who sees the other account alone", "mia", "bradesco-1002", apart, http.StatusNotFound, ""},
		{"without a reason, which is said at its field", "ana", "bb-1001", with(apart, "confirm", "1"), http.StatusBadRequest, `aria-describedby="e-reason"`},
		{"another word", "ana", "bb-1001", with(apart, "verb", "burn"), http.StatusBadRequest, ""},
		{"the preview", "ana", "bb-1001", apart, http.StatusOK, "nothing joins them but a person"},
		{"taken apart", "ana", "bb-1001", with(apart, sure...), http.StatusSeeOther, ""},
		{"it is no match any more", "ana", "bb-1001", with(apart, sure...), http.StatusConflict, "Nothing was done, for this reason"},
		{"nothing is chosen that it may be", "ana", "bb-1001", url.Values{"verb": {"match"}, "group": {subjects[0][1]}, "name": {subjects[0][1]}}, http.StatusBadRequest, `id="e-partner" role="alert">Choose what it is.`},
		{"sides that differ", "ana", "bb-1001", join, http.StatusOK, "is accepted as not coming"},
		{"without what is accepted, which the form has now", "ana", "bb-1001", with(join, sure...), http.StatusConflict, "agreed</textarea>"},
	} {
		got, body := d.ask(t, "en", "/bank/"+row.bank+"/act", func(r *http.Request) { postForm(row.form)(r); people[row.who](r) })
		if got.StatusCode != row.code || !strings.Contains(body, row.shows) {
			t.Errorf("%s: %d, want %d with %q:\n%s", row.why, got.StatusCode, row.code, row.shows, body)
		}
	}
	_, item = d.ask(t, "en", "/bank/bb-1001/"+url.PathEscape(subjects[0][1]), people["ana"])
	if !strings.Contains(item, "What it may be") || !strings.Contains(item, `value="`+subjects[1][1]+`"`) {
		t.Errorf("the group does not offer the line:\n%s", item)
	}
}
