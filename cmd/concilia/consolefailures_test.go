package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// keepLog gives a desk a log that can be read.
func keepLog() (func(*console.Options), *watchedText) {
	said := &watchedText{}
	return func(o *console.Options) { o.Log = zerolog.New(said) }, said
}

// logged fails where the log does not tell of something since the last time it was asked.
func (w *watchedText) logged(t *testing.T, why string, wants ...string) {
	t.Helper()
	text := w.String()
	w.mu.Lock()
	w.text.Reset()
	w.mu.Unlock()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s: the log lacks %q:\n%s", why, want, text)
		}
	}
}

// openLedger opens the ledger of a desk a second time.
func (d *testDesk) openLedger(t *testing.T) *store.Ledger {
	t.Helper()
	l, err := store.Open(t.Context(), d.invocation.LedgerAddress(d.config))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// openCases are cases of an account that can be acknowledged.
func (d *testDesk) openCases(t *testing.T, query string, as func(*http.Request)) (ids []string) {
	t.Helper()
	_, list := d.ask(t, "en", "/cases?state=open&"+query, as)
	for _, m := range caseLink.FindAllStringSubmatch(list, -1) {
		if !slices.Contains(ids, m[1]) {
			ids = append(ids, m[1])
		}
	}
	if len(ids) < 2 {
		t.Fatalf("only %d cases with %s", len(ids), query)
	}
	return ids
}

// act sends the form of an act on cases.
func (d *testDesk) act(t *testing.T, as func(*http.Request), form url.Values) (*http.Response, string) {
	t.Helper()
	return d.ask(t, "en", "/cases/act", func(r *http.Request) { postForm(form)(r); as(r) })
}

// A ledger that is missing, or that a newer program made, is a page that says so and what to do, and nothing half shown.
func TestFailureOfALedgerThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for why, spoil := range map[string]func(t *testing.T, path string){
		"none": func(t *testing.T, path string) {
			t.Helper()
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"a newer one": func(t *testing.T, path string) {
			t.Helper()
			p := &demoTree{t: t, dir: filepath.Dir(path), dsn: "sqlite:" + path}
			p.sql("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
		},
	} {
		dir := copyDemo(t, 5)
		spoil(t, filepath.Join(dir, "concilia.db"))
		d := openDeskOf(t, dir)
		want := map[string]string{"none": "The first run makes it", "a newer one": "Use the newer program"}[why]
		for _, page := range []string{"/", "/cases?account=1001&severity=E"} {
			got, body := d.ask(t, "en", page)
			if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" || !strings.Contains(body, want) || strings.Contains(body, "<table") {
				t.Errorf("%s: %s: %d without %q:\n%s", why, page, got.StatusCode, want, body)
			}
			if again := `href="` + strings.ReplaceAll(page, "&", "&amp;") + `">Try again`; !strings.Contains(body, again) {
				t.Errorf("%s: the filter of %s is lost:\n%s", why, page, body)
			}
		}
	}
}

// What is not there and what is not for a person look alike, to the byte.
func TestFailureOfWhatIsNotThereOrNotMine(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	ana, eva := d.signIn(t, "ana"), d.signIn(t, "eva")
	foreign := d.openCases(t, "account=1002", ana)[0]
	none, unknown := d.ask(t, "en", "/cases/ffffffffffffffff", eva)
	for _, path := range []string{"/cases/" + foreign, "/cases?account=1002", "/cases?account=4711", "/slips?account=1002", "/files?account=all"} {
		got, body := d.ask(t, "en", path, eva)
		// The menu says on which page somebody is, and nothing else may differ.
		same := func(page string) string { return strings.ReplaceAll(page, ` aria-current="page"`, "") }
		if got.StatusCode != http.StatusNotFound || none.StatusCode != http.StatusNotFound || same(body) != same(unknown) {
			t.Errorf("%s: %d, and another page than of what is not there:\n%s", path, got.StatusCode, body)
		}
	}
}

// Every problem of a filter is shown at its field, and what was right is kept.
func TestFailureOfABadFilter(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	for path, fields := range map[string]string{
		"/cases?code=NO_SUCH&min-impact=abc&due-to=9&age=x&nsu=073500004&severity=Q": "code min-impact due-to age severity",
		"/slips?due-from=9&value=x&account=1001":                                     "due-from value",
	} {
		got, body := d.ask(t, "en", path)
		if got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
		for _, name := range strings.Fields(fields) {
			if !strings.Contains(body, `aria-describedby="e-`+name+`"`) || !strings.Contains(body, `class="wrong" id="e-`+name+`"`) {
				t.Errorf("%s: nothing stands at %s", path, name)
			}
		}
		if n := strings.Count(body, `aria-invalid="true"`); n != len(strings.Fields(fields)) {
			t.Errorf("%s: %d fields are marked", path, n)
		}
		query, err := url.ParseQuery(path[strings.Index(path, "?")+1:])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"nsu", "min-impact", "due-from", "value"} {
			if v := query.Get(name); v != "" && !strings.Contains(body, `value="`+v+`"`) {
				t.Errorf("%s: %s=%s is not kept", path, name, v)
			}
		}
	}
}

// A case in another state, a form that is stale, an obstacle in one of many: each case with its reason, and nothing is done.
func TestFailureOfAnActThatDoesNotFit(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	ana := d.signIn(t, "ana")
	ids := d.openCases(t, "account=1001", ana)
	one, two := ids[0], ids[1]
	if got, body := d.act(t, ana, url.Values{"verb": {"close"}, "case": {one}, "confirm": {"1"}, "reason": {"x"}}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("closing: %d\n%s", got.StatusCode, body)
	}
	for _, row := range []struct {
		why, lang string
		form      url.Values
		wants     []string
	}{
		{"another state", "en", url.Values{"verb": {"ack"}, "case": {one}}, []string{one, "is closed; ack takes"}},
		{"another state in Portuguese", "pt-BR", url.Values{"verb": {"ack"}, "case": {one}}, []string{"caso " + one, "está encerrado; reconhecimento vale para"}},
		{"a stale form", "en", url.Values{"verb": {"ack"}, "case": {two}, "version-" + two: {"0123"}, "reason": {"as agreed"}}, []string{two, "has changed since it was shown", `name="version-` + two, "as agreed</textarea>"}},
		{"one of many", "en", url.Values{"verb": {"ack"}, "case": {two, one}}, []string{one, "closed"}},
		{"each of many", "en", url.Values{"verb": {"ack"}, "case": {two, one}, "version-" + two: {"0123"}}, []string{one, two, "has changed"}},
	} {
		row.form.Set("confirm", "1")
		got, body := d.ask(t, row.lang, "/cases/act", func(r *http.Request) { postForm(row.form)(r); ana(r) })
		if got.StatusCode != http.StatusConflict {
			t.Errorf("%s: %d", row.why, got.StatusCode)
		}
		for _, want := range row.wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page lacks %q:\n%s", row.why, want, body)
			}
		}
		if _, page := d.ask(t, "en", "/cases/"+two, ana); !strings.Contains(page, `class="state s-open"`) {
			t.Errorf("%s: something was done", row.why)
		}
	}
}

// While a run holds the account an act is given up after a while: nothing is done, and the form is shown as it was filled.
func TestFailureOfAnActDuringAReconcile(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t), func(o *console.Options) { o.ActTime = 300 * time.Millisecond })
	ana := d.signIn(t, "ana")
	id := d.openCases(t, "account=1001", ana)[0]
	form := url.Values{"verb": {"dispute"}, "case": {id}, "confirm": {"1"}, "reference": {"PROT-77"}, "follow_up": {"2026-12-24"}, "reason": {`as agreed, "in writing"`}}
	err := d.openLedger(t).TransactActs(t.Context(), []ledger.Account{1001}, func(*caselog.ActTx) error {
		got, body := d.act(t, ana, form)
		if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
			t.Errorf("%d, %v", got.StatusCode, got.Header)
		}
		for _, want := range []string{"A run uses this account now", `value="PROT-77"`, `value="2026-12-24"`, "as agreed, &#34;in writing&#34;</textarea>", `name="version-` + id} {
			if !strings.Contains(body, want) {
				t.Errorf("the form lacks %q:\n%s", want, body)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, page := d.ask(t, "en", "/cases/"+id, ana); !strings.Contains(page, `class="state s-open"`) || strings.Contains(page, "PROT-77") {
		t.Error("the act was done")
	}
	// Sent again when the account is free it is done; on a busy machine its short time may be over once more.
	for deadline := time.Now().Add(patience); ; {
		got, body := d.act(t, ana, form)
		if got.StatusCode == http.StatusSeeOther {
			return
		}
		if got.StatusCode != http.StatusServiceUnavailable || time.Now().After(deadline) {
			t.Fatalf("sent again: %d\n%s", got.StatusCode, body)
		}
	}
}

// To close a month while a run holds its account is answered with 503 after a while: nothing is done, and the form stays filled.
func TestFailureOfAMonthActDuringAReconcile(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t), func(o *console.Options) { o.ActTime = 300 * time.Millisecond })
	ana := d.signIn(t, "ana")
	post := func(form url.Values) (*http.Response, string) {
		return d.ask(t, "en", "/months/2026-10/act", func(r *http.Request) { postForm(form)(r); ana(r) })
	}
	form := url.Values{"verb": {"close"}, "basis": {"operation"}, "account": {"1001"}}
	_, preview := post(form)
	for _, m := range regexp.MustCompile(`name="(digest-\d+)" value="([0-9a-f]+)"`).FindAllStringSubmatch(preview, -1) {
		form.Set(m[1], m[2])
	}
	form.Set("confirm", "1")
	form.Set("reason", `checked, "with the shops"`)
	err := d.openLedger(t).TransactActs(t.Context(), []ledger.Account{1001}, func(*caselog.ActTx) error {
		got, body := post(form)
		if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
			t.Errorf("%d, %v", got.StatusCode, got.Header)
		}
		for _, want := range []string{"A run uses this account now", "checked, &#34;with the shops&#34;</textarea>", `name="digest-1001" value="` + form.Get("digest-1001")} {
			if !strings.Contains(body, want) {
				t.Errorf("the form lacks %q:\n%s", want, body)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, page := d.ask(t, "en", "/months/2026-10", ana); strings.Contains(page, "closed by ana") {
		t.Error("the month was closed")
	}
}

// What a person may not do is refused with the reason, and logged.
func TestFailureOfWhoMayNotAct(t *testing.T) {
	t.Parallel()
	log, said := keepLog()
	d := openTestDesk(t, withPeople(t), log)
	d.config.FourEyes = []string{"waive"}
	ana, eva, rui := d.signIn(t, "ana"), d.signIn(t, "eva"), d.signIn(t, "rui")
	ids := d.openCases(t, "account=1001", ana)
	shown := openTestDesk(t, withPeople(t), log, func(o *console.Options) { o.ReadOnly = true })
	shownAna := shown.signIn(t, "ana")
	waive := func(id string, more ...string) url.Values {
		v := url.Values{"verb": {"waive"}, "case": {id}, "confirm": {"1"}, "until": {"2026-12-24"}, "cap": {"9000"}, "reason": {"small"}}
		for _, name := range more {
			v.Set(name, "1")
		}
		return v
	}
	for _, id := range ids[:2] {
		proposer := map[string]func(*http.Request){ids[0]: ana, ids[1]: eva}[id]
		if got, body := d.act(t, proposer, waive(id)); got.StatusCode != http.StatusSeeOther || !strings.HasSuffix(got.Header.Get("Location"), "did=proposed") {
			t.Fatalf("no proposal: %d\n%s", got.StatusCode, body)
		}
	}
	said.logged(t, "before", "")
	for _, row := range []struct {
		why   string
		d     *testDesk
		as    func(*http.Request)
		form  url.Values
		wants string // on the page
		log   string
	}{
		{"a reader", d, rui, url.Values{"verb": {"ack"}, "case": {ids[0]}, "confirm": {"1"}}, "Your role does not allow this", `"person":"rui"`},
		{"a console that only shows", shown, shownAna, url.Values{"verb": {"ack"}, "case": {ids[0]}, "confirm": {"1"}}, "This console only shows", "read_only"},
		{"one's own proposal", d, ana, waive(ids[0], "confirms"), "The proposal is your own", "own_proposal"},
		{"another's proposal without the role", d, eva, waive(ids[0], "confirms"), "Your role does not allow this", `"person":"eva"`},
	} {
		got, body := row.d.act(t, row.as, row.form)
		if got.StatusCode != http.StatusForbidden || !strings.Contains(body, row.wants) {
			t.Errorf("%s: %d without %q:\n%s", row.why, got.StatusCode, row.wants, body)
		}
		said.logged(t, row.why, "an act was refused", row.log, `"address":"127.0.0.1"`)
	}
	if _, page := d.ask(t, "en", "/cases/"+ids[0], ana); !strings.Contains(page, `class="state s-open"`) {
		t.Error("something was done")
	}
	if got, _ := d.act(t, ana, waive(ids[1], "confirms")); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a manager confirms another's: %d", got.StatusCode)
	}
}

// A form of another site, a request for another host, and an identity from a stranger are refused and logged.
func TestFailureOfStrangers(t *testing.T) {
	t.Parallel()
	log, said := keepLog()
	d := openTestDesk(t, withPeople(t), log, func(o *console.Options) { o.IdentityHeader, o.IdentityRole = "Remote-User", people.Reader })
	for _, row := range []struct {
		why    string
		code   int
		log    string
		change func(*http.Request)
	}{
		{"a form of another site", http.StatusForbidden, "a form from another site was refused", func(r *http.Request) {
			r.Method = http.MethodPost
			r.Header.Set("Origin", "https://evil.example")
		}},
		{"another host", http.StatusMisdirectedRequest, "a request for another host was refused", func(r *http.Request) { r.Host = "evil.example" }},
		{"an identity", http.StatusBadRequest, "an identity header that does not count was refused", func(r *http.Request) { r.Header.Set("Remote-User", "ana") }},
	} {
		if got, _ := d.ask(t, "en", "/cases", row.change); got.StatusCode != row.code {
			t.Errorf("%s: %d, want %d", row.why, got.StatusCode, row.code)
		}
		said.logged(t, row.why, row.log, `"address":"127.0.0.1:`)
	}
}

// Of a published file that the archive has no more, or has otherwise, the page says what it was and the command that renders its rows
// again, which does; no byte of it is sent.
func TestFailureOfAFileThatIsGone(t *testing.T) {
	t.Parallel()
	dir := copyDemo(t, 5)
	d := openDeskOf(t, dir)
	_, page := d.ask(t, "en", "/files?account=1001&basis=asof&kind=exceptions&format=csv")
	link := regexp.MustCompile(`href="(/files/([0-9a-f]{64})/(exceptions_[^"]+))"`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("no file:\n%s", page)
	}
	archived := filepath.Join(dir, "concilia.db-archive", link[2][:2], link[2]+".gz")
	for why, spoil := range map[string]func() error{
		"gone":        func() error { return os.Remove(archived) },
		"other bytes": func() error { return os.WriteFile(archived, []byte("x"), 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		got, body := d.ask(t, "en", link[1])
		if got.StatusCode != http.StatusGone || !strings.Contains(body, link[2]) || !strings.Contains(body, link[3]) || strings.Contains(body, "BANK_") {
			t.Errorf("%s: %d\n%s", why, got.StatusCode, body)
		}
		if got.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: it comes as a file", why)
		}
		command := regexp.MustCompile(`concilia (report --as-of-run [^<]+) --out DIR`).FindStringSubmatch(body)
		if command == nil {
			t.Fatalf("no command:\n%s", body)
		}
		out, said := t.TempDir(), &bytes.Buffer{}
		args := append([]string{"--config", d.invocation.ConfigPath}, strings.Fields(command[1])...)
		code := run(t.Context(), environment{args: append(args, "--out", out), stdout: said, stderr: said, wall: time.Now, lookup: d.invocation.Lookup})
		if code != exit.OK && code != exit.Breaks {
			t.Errorf("%v ends with %d:\n%s", args, code, said)
		}
		if !hasFileLike(t, out, "exceptions_1001_asof_") {
			t.Errorf("%v rendered nothing of it:\n%s", args, said)
		}
	}
}

// hasFileLike says whether a folder has a file that begins with a name, with rows.
func hasFileLike(t *testing.T, dir, name string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() || !strings.HasPrefix(filepath.Base(path), name) || !strings.HasSuffix(path, ".csv") {
			return err
		}
		text, err := os.ReadFile(path)
		found = found || bytes.Count(text, []byte("\n")) > 1
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// At start a file of people that others can read, or that is none, ends the console with 40; what happens when it is spoiled later is
// in TestPeopleFile.
func TestFailureOfTheFileOfPeople(t *testing.T) {
	t.Parallel()
	for why, row := range map[string]struct {
		content string
		mode    fs.FileMode
		want    string
	}{
		"others can read it": {"people: []\n", 0o644, "chmod 600"},
		"it is none":         {"people: {\n", 0o600, "users_file"},
	} {
		dir := copyDemo(t, 5)
		people, config := filepath.Join(dir, "people.yaml"), filepath.Join(dir, "concilia.yaml")
		text, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		for path, content := range map[string]string{people: row.content, config: string(text) + "\nconsole: {users_file: people.yaml}\n"} {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(people, row.mode); err != nil {
			t.Fatal(err)
		}
		code, _, said := runMailCommand(t, "--config", config, "console", "--listen", "127.0.0.1:0")
		if code != exit.Config || !strings.Contains(said, row.want) {
			t.Errorf("%s: ends with %d without %q:\n%s", why, code, row.want, said)
		}
	}
}

// Markup and formulas in what people type stay text on pages and in downloads.
func TestFailureOfMarkupAndFormulas(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	ana := d.signIn(t, "ana")
	id := d.openCases(t, "account=1001", ana)[0]
	const markup, formula = `<img src=x onerror=alert(1)>"'`, `=HYPERLINK("http://evil.example")`
	for _, form := range []url.Values{
		{"verb": {"assign"}, "to": {formula}, "reason": {markup}},
		{"verb": {"dispute"}, "reference": {`"><b>9`}, "reason": {markup}},
	} {
		form.Set("case", id)
		form.Set("confirm", "1")
		if got, body := d.act(t, ana, form); got.StatusCode != http.StatusSeeOther {
			t.Fatalf("%v: %d\n%s", form, got.StatusCode, body)
		}
	}
	for _, path := range []string{"/cases/" + id, "/cases?state=disputed", "/claims", "/find?q=" + url.QueryEscape(markup), "/cases?assignee=" + url.QueryEscape(markup)} {
		_, body := d.ask(t, "en", path, ana)
		if strings.Contains(body, "<img") || strings.Contains(body, `"><b>9`) {
			t.Errorf("%s shows markup as such:\n%s", path, body)
		}
	}
	_, text := d.ask(t, "en", "/cases?state=disputed&as=csv-br", ana)
	if !strings.Contains(text, `'=HYPERLINK(`) || strings.Contains(text, `;=`) || strings.Contains(text, `;"=`) {
		t.Errorf("the download has a formula:\n%s", text)
	}
}

// TestFailuresLeakNothing: no page of an error has a secret of the configuration, or a path of the machine.
func TestFailuresLeakNothing(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	ana := d.signIn(t, "ana")
	for _, path := range []string{"/nothing", "/cases?min-impact=x", "/files/" + hex.EncodeToString(make([]byte, sha256.Size)) + "/x", "/runs/none", "/find?q=%00", "/slips/slip:1001:none", "/own/own:1:x"} {
		_, body := d.ask(t, "en", path, ana)
		for _, secret := range []string{filepath.Dir(d.invocation.ConfigPath), "argon2id", "goroutine", "SELECT ", "sqlite"} {
			if strings.Contains(body, secret) {
				t.Errorf("%s shows %q:\n%s", path, secret, body)
			}
		}
	}
}
