package main

import (
	"bytes"
	"encoding/csv"
	"html"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// readPublished are the rows of the csv that a set published of a table, by column.
func (d *testDesk) readPublished(t *testing.T, query, table string) (rows []map[string]string) {
	t.Helper()
	_, page := d.ask(t, "en", "/files?format=csv&"+query)
	link := regexp.MustCompile(`href="(/files/[0-9a-f]{64}/` + table + `_[^"]+\.csv)"`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("no %s is linked for %s", table, query)
	}
	_, text := d.ask(t, "en", link[1])
	return readCSV(t, text)
}

// readCSV are the rows of a csv of the reports by column.
func readCSV(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = rune(text[strings.IndexAny(text, ",;")]), true, -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func parseAmount(t *testing.T, text string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What the pages say is to be credited is what the published forecast says, day by day.
func TestConsoleForecastIsThatOfTheReport(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	_, page := d.ask(t, "en", "/forecast?days=90&account=1001")
	_, today := d.ask(t, "en", "/")
	shown := map[string]ledger.Amount{}
	for _, m := range regexp.MustCompile(`<th scope="row" class="nowrap">(\S+) <span[^>]*>[^<]*</span></th><td class="n">([^<]+)<`).FindAllStringSubmatch(page, -1) {
		shown[m[1]] = parseAmount(t, m[2])
	}
	rows := d.readPublished(t, "account=1001&kind=forecast", "forecast")
	var blocked, dueToday ledger.Amount
	for _, row := range rows {
		if row["day"] == "" {
			continue
		}
		if want := parseAmount(t, row["expected"]); shown[row["day"]] != want {
			t.Errorf("%s: the page shows %s, the report %s", row["day"], shown[row["day"]], want)
		}
		delete(shown, row["day"])
	}
	if len(rows) < 60 || len(shown) > 0 {
		t.Errorf("%d rows; of the page are left %v", len(rows), shown)
	}
	for _, account := range []string{"1001", "1002"} {
		for _, row := range d.readPublished(t, "account="+account+"&kind=forecast", "forecast") {
			blocked += parseAmount(t, row["blocked"])
			if row["day"] == "2026-11-18" {
				dueToday += parseAmount(t, row["expected"])
			}
		}
	}
	for name, want := range map[string]ledger.Amount{"Blocked": blocked, "Due today": dueToday} {
		m := regexp.MustCompile(`<dt>` + name + `</dt><dd>(?:<a[^>]*>)?<small>R\$</small> ([0-9,.]+)`).FindStringSubmatch(today)
		if m == nil || parseAmount(t, m[1]) != want || want == 0 {
			t.Errorf("%s: the first page says %v, the reports %s", name, m, want)
		}
	}
}

// The open slips are those of the published days, wherever they stand, and the file has the rows of the page.
func TestConsoleSlipsAreThoseOfTheReport(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, func(o *console.Options) { o.PageRows = 500 })
	want := map[string]ledger.Amount{}
	dir, said := t.TempDir(), &bytes.Buffer{}
	code := run(t.Context(), environment{
		args: []string{
			"--config", d.invocation.ConfigPath, "report", "--account", "1001", "--kind", "slips", "--basis", "forecast", "--from", "2026-09-19", "--to", "2027-12-31",
			"--format", "csv", "--out", dir,
		},
		stdout: said, stderr: said, wall: time.Now, lookup: d.invocation.Lookup,
	})
	var text []byte
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(name), "slips-summary_") && err == nil {
			text, err = os.ReadFile(name)
		}
		return err
	})
	if code != exit.Breaks || err != nil || len(text) == 0 {
		t.Fatalf("the report ends with %d, %v:\n%s", code, err, said)
	}
	for _, row := range readCSV(t, string(text)) {
		for _, standing := range view.SlipStandings() {
			want[standing] += parseAmount(t, row[standing])
		}
	}
	for _, standing := range view.SlipStandings() {
		_, page := d.ask(t, "en", "/slips?account=1001&class="+standing)
		var sum ledger.Amount
		rows := regexp.MustCompile(`<td class="n">([0-9,.-]+)</td><td><span class="state st-`+standing+`"`).FindAllStringSubmatch(page, -1)
		for _, m := range rows {
			sum += parseAmount(t, m[1])
		}
		if sum != want[standing] {
			t.Errorf("%s: the page shows %s, the report %s", standing, sum, want[standing])
		}
		_, text := d.ask(t, "en", "/slips?account=1001&as=csv-br&class="+standing)
		if n := strings.Count(text, "\n") - 1; n != len(rows) {
			t.Errorf("%s: the file has %d rows, the page %d", standing, n, len(rows))
		}
	}
	if want["overdue"] == 0 || want["open"] == 0 {
		t.Errorf("the demo has no such slips: %v", want)
	}
}

// The list of slips comes in parts, in order of their due dates, and every slip is in exactly one of them.
func TestConsoleSlipsInParts(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, func(o *console.Options) { o.PageRows = 3 })
	link := regexp.MustCompile(`href="(/slips/[^"]+)"`)
	_, whole := d.ask(t, "en", "/slips?as=csv-br")
	seen := map[string]bool{}
	for path := "/slips"; path != ""; {
		_, page := d.ask(t, "en", path)
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if seen[m[1]] {
				t.Errorf("%s stands in two parts", m[1])
			}
			seen[m[1]] = true
		}
		next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page)
		if path = ""; next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	if n := strings.Count(whole, "\n") - 1; n != len(seen) || n < 7 {
		t.Errorf("the parts have %d slips, the file %d", len(seen), n)
	}
}

// TestConsoleClosesTheFirstMonth: a month that is covered from its middle on was closed, and its page offered to close it once more and
// had no verdict.
func TestConsoleClosesTheFirstMonth(t *testing.T) {
	t.Parallel()
	d := openDeskOf(t, copyLeft(t, demoWith(t, fewDays...)), withPeople(t))
	ana := d.signIn(t, "ana")
	post := func(form url.Values) (*http.Response, string) {
		return d.ask(t, "en", "/months/2026-10/act", func(r *http.Request) { postForm(form)(r); ana(r) })
	}
	_, preview := post(url.Values{"verb": {"close"}})
	form := url.Values{"verb": {"close"}, "confirm": {"1"}, "reason": {"checked"}}
	for _, m := range regexp.MustCompile(`name="(digest-\d+)" value="([0-9a-f]+)"`).FindAllStringSubmatch(preview, -1) {
		form.Set(m[1], m[2])
	}
	if got, page := post(form); got.StatusCode != http.StatusSeeOther || !strings.Contains(preview, "2026-10-29 – 2026-10-31") {
		t.Fatalf("closing: %d\n%s\n%s", got.StatusCode, preview, page)
	}
	_, page := d.ask(t, "en", "/months/2026-10", ana)
	for want, shown := range map[string]bool{"Account 1001: closed by ana": true, "Account 1002: closed by ana": true, `class="verdict`: true, `value="close"`: false} {
		if strings.Contains(page, want) != shown {
			t.Errorf("%q on its page: %v\n%s", want, !shown, page)
		}
	}
	if _, list := d.ask(t, "en", "/months", ana); !strings.Contains(list, "closed in 2 accounts") {
		t.Errorf("the list does not say that it is closed:\n%s", list)
	}
}

// The first page and the list of months say what the published sets say of a month, and how many acts no file has yet.
func TestConsoleVerdictsOfMonths(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	ana := d.signIn(t, "ana")
	_, today := d.ask(t, "en", "/", ana)
	months := regexp.MustCompile(`<a href="/months/(\d{4}-\d\d)">[^<]*</a> <span class="nowrap"><span[^>]*>[^<]*</span> ([^<]+)</span>`).FindAllStringSubmatch(today, -1)
	if len(months) < 2 {
		t.Fatalf("the first page has the months %v", months)
	}
	_, list := d.ask(t, "en", "/months", ana)
	for _, m := range months {
		_, page := d.ask(t, "en", "/months/"+m[1], ana)
		if !strings.Contains(page, "<strong>"+m[2]+"</strong>") || !strings.Contains(list, "</span> "+m[2]+"</td>") {
			t.Errorf("%s: its page and the list do not say %s", m[1], m[2])
		}
	}
	if strings.Contains(today, "since the run that ended") {
		t.Error("acts before any")
	}
	_, cases := d.ask(t, "en", "/cases?state=open", ana)
	id := caseLink.FindStringSubmatch(cases)[1]
	if got, page := d.ask(t, "en", "/cases/act", func(r *http.Request) {
		postForm(url.Values{"verb": {"ack"}, "case": {id}, "confirm": {"1"}, "reason": {"seen"}})(r)
		ana(r)
	}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("the act: %d\n%s", got.StatusCode, page)
	}
	if _, today = d.ask(t, "en", "/", ana); !strings.Contains(today, "1 act since the run that ended") {
		t.Errorf("the act is not counted:\n%s", today)
	}
}

// A month's page has the sums of the published summary of that month.
func TestConsoleMonthIsThatOfTheReport(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	_, page := d.ask(t, "en", "/months/2026-11?basis=operation&account=1001")
	want := map[string]ledger.Amount{}
	for _, row := range d.readPublished(t, "account=1001&basis=operation&kind=summary", "summary") {
		if strings.HasPrefix(row["base_date"], "2026-11") {
			want[row["brand"]] += parseAmount(t, row["gross"])
		}
	}
	for brand, gross := range want {
		m := regexp.MustCompile(`<td class="brand-name">` + brand + `</td><td class="n more">[^<]*</td><td class="n">([^<]+)<`).FindStringSubmatch(page)
		if m == nil || parseAmount(t, m[1]) != gross {
			t.Errorf("%s: the page says %v, the report %s", brand, m, gross)
		}
	}
	if len(want) < 2 {
		t.Errorf("only %d brands in the month", len(want))
	}
}

// A manager closes a month in three steps: the page of the month, the preview, and the confirmation, which does nothing when another
// revision is current than was shown. The month is then closed for the commands too, and can be reopened.
func TestConsoleClosesAMonth(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	ana := d.signIn(t, "ana")
	post := func(form url.Values) (*http.Response, string) {
		return d.ask(t, "en", "/months/2026-10/act", func(r *http.Request) { postForm(form)(r); ana(r) })
	}
	if _, page := d.ask(t, "en", "/months/2026-10", ana); !strings.Contains(page, `value="close"`) || strings.Contains(page, `value="reopen"`) {
		t.Errorf("the month offers other acts than to close it:\n%s", page)
	}
	if _, page := d.ask(t, "en", "/months/2026-11", ana); strings.Contains(page, `value="close"`) {
		t.Error("a month that has not ended can be closed")
	}
	_, preview := post(url.Values{"verb": {"close"}, "basis": {"operation"}})
	form := url.Values{"verb": {"close"}, "basis": {"operation"}, "confirm": {"1"}, "reason": {"checked with the shops"}}
	for _, m := range regexp.MustCompile(`name="(digest-\d+)" value="([0-9a-f]+)"`).FindAllStringSubmatch(preview, -1) {
		form.Set(m[1], m[2])
	}
	if len(form) != 6 || strings.Count(preview, "will be closed") != 2 || !strings.Contains(preview, "revision 0") {
		t.Fatalf("the preview is\n%s", preview)
	}
	other := maps.Clone(form)
	other.Set("digest-1002", strings.Repeat("0", 64))
	for _, row := range []struct {
		why   string
		form  url.Values
		code  int
		shows string
	}{
		{"another revision was shown: the one that stands now is", other, 409, `name="digest-1002" value="` + form.Get("digest-1002")},
		{"what was filled in stands there again", other, 409, "checked with the shops</textarea>"},
		{"the reason is missing at its field", url.Values{"verb": {"close"}, "confirm": {"1"}}, 400, `aria-describedby="e-reason"`},
		{"a month that is not closed", url.Values{"verb": {"reopen"}, "confirm": {"1"}, "reason": {"x"}}, 409, "Nothing was done, for this reason"},
		{"as it was shown", form, 303, ""},
		{"a second click finds it done", form, 303, ""},
	} {
		if got, page := post(row.form); got.StatusCode != row.code || !strings.Contains(page, row.shows) {
			t.Errorf("%s: %d, want %d with %q\n%s", row.why, got.StatusCode, row.code, row.shows, page)
		}
	}
	_, page := d.ask(t, "en", "/months/2026-10?did=done&did-n=2", ana)
	for _, want := range []string{"Done in 2 accounts.", "Account 1001: closed by ana", "Account 1002: closed by ana", `value="reopen"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the closed month lacks %q:\n%s", want, page)
		}
	}
	if got, _ := post(url.Values{"verb": {"reopen"}, "account": {"1002"}}); got.StatusCode != 200 {
		t.Errorf("the preview of reopening: %d", got.StatusCode)
	}
	if _, page := post(url.Values{"verb": {"close"}, "basis": {"credit"}, "account": {"7"}}); !strings.Contains(page, "not found") && !strings.Contains(page, "Not found") {
		t.Errorf("an account that there is not:\n%s", page)
	}
}

// Whose set takes longer to publish than a page waits is closed all the same: the page says that it goes on.
func TestConsoleClosesAMonthSlowly(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t), func(o *console.Options) { o.MonthWait = time.Nanosecond })
	ana := d.signIn(t, "ana")
	form := url.Values{"verb": {"close"}, "basis": {"credit"}, "account": {"1001"}}
	post := func() (*http.Response, string) {
		return d.ask(t, "en", "/months/2026-10/act", func(r *http.Request) { postForm(form)(r); ana(r) })
	}
	_, preview := post()
	for _, m := range regexp.MustCompile(`name="(digest-\d+)" value="([0-9a-f]+)"`).FindAllStringSubmatch(preview, -1) {
		form.Set(m[1], m[2])
	}
	form.Set("confirm", "1")
	form.Set("reason", "checked with the shops")
	got, _ := post()
	if at := got.Header.Get("Location"); got.StatusCode != http.StatusSeeOther || !strings.HasSuffix(at, "&did=goes_on") {
		t.Fatalf("%d to %q", got.StatusCode, at)
	}
	if _, page := d.ask(t, "en", got.Header.Get("Location"), ana); !strings.Contains(page, "Look at this page again in a few minutes") {
		t.Errorf("the page does not say that it goes on:\n%s", page)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		_, page := d.ask(t, "en", "/months/2026-10?basis=credit", ana)
		if strings.Contains(page, "Account 1001: closed by ana") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it was never closed:\n%s", page)
		}
	}
}

// From the list to the letter and to the claim: the letter of the chosen cases is opened, downloaded, and recorded as sent with its
// reference, all at once.
func TestConsoleLetter(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	ana := d.signIn(t, "ana")
	if _, list := d.ask(t, "en", "/cases?owner=service", ana); !strings.Contains(list, `formaction="/claims/letter"`) {
		t.Error("the list does not lead to the letter")
	}
	_, page := d.ask(t, "en", "/claims/letter?filter="+url.QueryEscape("owner=service&account=1001")+"&verb=ack", ana)
	links := regexp.MustCompile(`href="(/claims/letter\?as=[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(links) != 3 {
		t.Fatalf("%d links:\n%s", len(links), page)
	}
	for i, want := range []string{"NSU 073500004", "NSU", "PK"} {
		got, text := d.ask(t, "en", html.UnescapeString(links[i][1]), ana)
		if got.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d, without %s", links[i][1], got.StatusCode, want)
		}
		if policy := got.Header.Get("Content-Security-Policy"); i == 0 && !strings.Contains(policy, "sandbox") {
			t.Errorf("the page may do %q", policy)
		}
	}
	form := url.Values{}
	for _, m := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Add(m[1], html.UnescapeString(m[2]))
	}
	form.Set("reference", "PROT-9")
	if got, text := d.ask(t, "en", "/cases/act", func(r *http.Request) { postForm(form)(r); ana(r) }); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("the claim: %d\n%s", got.StatusCode, text)
	}
	_, claims := d.ask(t, "en", "/claims", ana)
	if n := strings.Count(claims, "PROT-9"); n != len(form["case"]) || n < 4 {
		t.Errorf("%d of %d cases are claimed", n, len(form["case"]))
	}
	if _, page := d.ask(t, "en", "/claims/letter?owner=service&account=1001", ana); !strings.Contains(page, "None of these cases") {
		t.Errorf("what is claimed is claimed again:\n%s", page)
	}
}

// A closed month says what changed after its close: by cause, and item by item with a link; before anything did, it says so.
func TestConsoleMonthSaysWhatChangedAfterItsClose(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	said := &bytes.Buffer{}
	if code := run(t.Context(), environment{
		args:   []string{"--config", d.invocation.ConfigPath, "period", "close", "2026-10", "--basis", "operation", "--account", "1001", "--reason", "checked", "--as", "Ana"},
		stdout: said, stderr: said, wall: time.Now, lookup: d.invocation.Lookup,
	}); code != 0 {
		t.Fatalf("closing ends with %d:\n%s", code, said)
	}
	const page = "/months/2026-10?account=1001"
	if _, body := d.ask(t, "pt-BR", page); !strings.Contains(body, "Nada mudou depois do fechamento") {
		t.Fatalf("the closed month says\n%s", body)
	}
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(filepath.Dir(d.invocation.ConfigPath), "concilia.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	closes, err := l.PeriodCloses(t.Context(), caselog.PeriodFilter{Accounts: []ledger.Account{1001}, Basis: "operation", InForce: true})
	if err != nil || len(closes) != 1 {
		t.Fatal(closes, err)
	}
	night, err := l.LastRun(t.Context(), ledger.Nightly)
	if err != nil {
		t.Fatal(err)
	}
	const sale = "card:1001:2026-10-10:073600001:ABC123:1"
	if err := l.KeepRestated(t.Context(), &closes[0], night, []ledger.Restatement{
		{Subject: sale, Cause: ledger.CauseCancelled, Changes: ledger.RestatedSums{Gross: -100_0000, Net: -97_6600, Received: -97_6549}},
		{Subject: "card:1001:2026-10-11:073600002:ABC124:1", Cause: ledger.CauseRestated, Changes: ledger.RestatedSums{Net: -1_2350, Contract: 5000}},
		{Subject: "card:1001:2026-10-12:073600003:ABC125:1", Cause: ledger.CauseRestated, Changes: ledger.RestatedSums{Net: -1_2350}},
	}, 0); err != nil {
		t.Fatal(err)
	}
	_, body := d.ask(t, "en", page)
	for what, want := range map[string]string{
		"how many": "3 changes", "sums of a cause, of the printed amounts": `restated</th><td class="n">2</td><td class="n">0.00</td><td class="n">-2.48</td>`,
		"the total": `Total</th><td class="n">3</td><td class="n">-100.00</td><td class="n">-100.14</td><td class="n">-97.65</td><td class="n more">0.50</td>`,
		"the sale":  `href="/sales/card:1001:2026-10-10:073600001:ABC123:1"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s: the page lacks %s", what, want)
		}
	}
	if strings.Contains(body, "Nothing changed after the close") {
		t.Error("the page says that nothing changed")
	}
}

// A set says which revision it is, when it was delivered, and what changed since the one before.
func TestConsoleFilesSayWhyARevisionWasMade(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	_, before := d.ask(t, "pt-BR", "/files?account=1001&basis=asof")
	if !strings.Contains(before, "entregue e relido em") || strings.Contains(before, "O que mudou desde a revisão anterior") {
		t.Errorf("a first revision says\n%s", before)
	}
	said := &bytes.Buffer{}
	if code := run(t.Context(), environment{
		args:   []string{"--config", d.invocation.ConfigPath, "report", "--account", "1001", "--basis", "asof", "--kind", "exceptions", "--format", "jsonl"},
		stdout: said, stderr: said, wall: time.Now, lookup: d.invocation.Lookup,
	}); code != exit.Breaks {
		t.Fatalf("the report ends with %d:\n%s", code, said)
	}
	for lang, want := range map[string]string{
		"pt-BR": "O que mudou desde a revisão anterior: Controle JSON, por linha (novo), Exceções JSON, por linha (novo).",
		"en":    "What changed since the revision before: Control JSON lines (new), Exceptions JSON lines (new).",
	} {
		if _, after := d.ask(t, lang, "/files?account=1001&basis=asof"); !strings.Contains(after, want) {
			t.Errorf("in %s the second revision says %q", lang, regexp.MustCompile(`(?s)<section class="set">.*?<ul`).FindString(after))
		}
	}
}
