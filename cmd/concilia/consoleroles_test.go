package main

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// consolePatterns are the routes as they are declared.
func consolePatterns(t *testing.T) (patterns []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("console", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\{pattern: "([A-Z]+ [^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			patterns = append(patterns, m[1])
		}
	}
	if len(patterns) < 25 {
		t.Fatalf("only %d routes were found", len(patterns))
	}
	return patterns
}

// runIDPattern finds the id of a run, whose digits are those of the moment at which the demo was lived.
var runIDPattern = regexp.MustCompile(`\d{8}T\d{6}\.\d{3}Z-[a-z2-7]{8}`)

// visitRow is a request, and what it comes to for each kind of visitor: somebody without a session, rui (reader of 1001), eva (actor
// of 1001) and ana (manager of all).
type visitRow struct {
	path                    string
	form                    url.Values // of a POST
	stranger, rui, eva, ana int
	foreign                 string // what of another account rui and eva must not read on the page
}

// ofTheOtherAccount is what no page, file or download may show to who sees account 1001 alone: the name of 1002, its bank account, its
// store, what leads to it, and its files and those of all accounts.
var ofTheOtherAccount = regexp.MustCompile(`Loja Norte|bradesco-1002|loja-1002|/(?:sales/sale|slips/slip):1002:|account=1002|[a-z]_(?:1002|all)_[a-z]`)

// Every route is asked for without a session, by every role, and by people of another account; a route without a row fails.
func TestConsoleRoutesByRoleAndAccount(t *testing.T) {
	t.Parallel()
	d := openDeskOf(t, copyLeft(t, demoWith(t, "--banks", "--sales")), withPeople(t))
	visitors := map[string]func(*http.Request){
		"stranger": func(*http.Request) {}, "rui": d.signIn(t, "rui"), "eva": d.signIn(t, "eva"), "ana": d.signIn(t, "ana"),
	}
	served := http.NewServeMux()
	without := map[string]bool{}
	for _, pattern := range consolePatterns(t) {
		served.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
		without[pattern] = true
	}
	for _, row := range d.visitRows(t, visitors["ana"]) {
		method := http.MethodGet
		if row.form != nil {
			method = http.MethodPost
		}
		req, err := http.NewRequestWithContext(t.Context(), method, row.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		_, pattern := served.Handler(req)
		delete(without, pattern)
		for name, code := range map[string]int{"stranger": row.stranger, "rui": row.rui, "eva": row.eva, "ana": row.ana} {
			change := visitors[name]
			if row.form != nil {
				change = func(r *http.Request) { postForm(row.form)(r); visitors[name](r) }
			}
			got, body := d.ask(t, "en", row.path, change)
			if got.StatusCode != code {
				t.Errorf("%s %s for %s: %d, want %d", method, row.path, name, got.StatusCode, code)
			}
			if name == "stranger" && code == http.StatusSeeOther && !strings.HasPrefix(got.Header.Get("Location"), "/login") {
				t.Errorf("%s %s leads a stranger to %q", method, row.path, got.Header.Get("Location"))
			}
			if got.StatusCode == http.StatusNotFound && strings.Contains(body, "1002") {
				t.Errorf("%s %s says to %s that there is something of 1002:\n%s", method, row.path, name, body)
			}
			if row.foreign != "" && name != "ana" && strings.Contains(runIDPattern.ReplaceAllString(body, "a run"), row.foreign) {
				t.Errorf("%s %s shows %q to %s", method, row.path, row.foreign, name)
			}
			if strings.Contains(body, "No night has been processed yet") {
				t.Errorf("%s %s tells %s that nothing has run:\n%s", method, row.path, name, body)
			}
			if shown := ofTheOtherAccount.FindString(body); shown != "" && name != "ana" && name != "stranger" { // who is led to sign in with the address they asked for
				t.Errorf("%s %s shows %q to %s", method, row.path, shown, name)
			}
		}
	}
	if len(without) > 0 {
		t.Errorf("visitRows of consoleroles_test.go needs a row for each of %v: what every role gets there", slices.Sorted(maps.Keys(without)))
	}
	for _, name := range []string{"rui", "eva"} {
		if got, _ := d.ask(t, "en", "/me", visitors[name]); got.StatusCode != http.StatusSeeOther {
			t.Errorf("%s signed out and still sees pages: %d", name, got.StatusCode)
		}
	}
}

// visitRows are the rows, with the addresses of what the demo has of both accounts.
func (d *testDesk) visitRows(t *testing.T, ana func(*http.Request)) []visitRow {
	t.Helper()
	link := func(page, pattern string) string {
		_, body := d.ask(t, "en", page, ana)
		m := regexp.MustCompile(`href="(` + pattern + `)"`).FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("%s has no %s", page, pattern)
		}
		return m[1]
	}
	const aCase, aFile = `/cases/[0-9a-f]{16}`, `/files/[0-9a-f]{64}/[^"]+`
	mine, foreign := link("/cases?account=1001", aCase), link("/cases?account=1002", aCase)
	foreignSale := link(link("/cases?account=1002&kind=card", aCase), `/sales/[^"]+`)
	foreignSlip := link(link("/cases?account=1002&kind=slip", aCase), `/slips/[^"]+`)
	lastPart := func(path string) string { return path[strings.LastIndexAny(path, ":/")+1:] }
	run := link("/runs", `/runs/[^"/]+`)
	act := func(path string) url.Values {
		return url.Values{"verb": {"ack"}, "case": {strings.TrimPrefix(path, "/cases/")}}
	}
	mineOnly := func(path string) visitRow { return visitRow{path: path, stranger: 303, rui: 404, eva: 404, ana: 200} }
	all := func(path, foreign string) visitRow {
		return visitRow{path: path, stranger: 303, rui: 200, eva: 200, ana: 200, foreign: foreign}
	}
	found := func(word string) visitRow { // what leads ana to its page, and the others to a list of nothing
		return visitRow{path: "/find?q=" + url.QueryEscape(word), stranger: 303, rui: 200, eva: 200, ana: 303, foreign: "<table"}
	}
	leads := func(path string) visitRow { return visitRow{path: path, stranger: 303, rui: 303, eva: 303, ana: 303} }
	rows := []visitRow{
		all("/", "1002"), all("/cases", ">1002<"), mineOnly("/cases?account=1002"), mineOnly("/cases?as=csv-br&account=1002"),
		all("/cases?as=csv-br", ";1002;"), all(mine, ""), mineOnly(foreign),
		all("/forecast", "1002"), mineOnly("/forecast?account=1002"), all("/months", "1002"), mineOnly("/months?account=1002"),
		all("/months/2026-11", "1002"), mineOnly("/months/2026-11?account=1002"), all("/claims", "1002"), mineOnly("/claims?account=1002"),
		all("/claims/letter?owner=service", "1002"), mineOnly("/claims/letter?account=1002"), mineOnly("/claims/letter?case=" + strings.TrimPrefix(foreign, "/cases/")),
		mineOnly("/claims/letter?owner=service&as=html&letter-of=1002"), all("/claims/letter?owner=service&as=html&letter-of=1001", "1002"),
		mineOnly("/claims/letter?owner=service&as=csv-br&letter-of=1002"), mineOnly("/claims/letter?owner=service&as=xlsx&letter-of=1002"),
		mineOnly("/claims/letter?case=" + lastPart(mine) + "&case=" + lastPart(foreign)),
		all("/find?q=18/11", ">1002<"), found("auth:" + strings.Split(foreignSale, ":")[4]), found(lastPart(foreignSlip)), found(lastPart(foreign)), all(link(link("/cases?account=1001&kind=card", aCase), `/sales/[^"]+`), ""),
		mineOnly(foreignSale),
		all(link(link("/cases?account=1001&kind=slip", aCase), `/slips/[^"]+`), ""),
		mineOnly(foreignSlip),
		all("/slips", ">1002<"), mineOnly("/slips?account=1002"), all("/slips?as=csv-br", ";1002;"), mineOnly("/slips?as=csv-br&account=1002"),
		all("/files", "_1002_"), mineOnly("/files?account=all"), mineOnly("/files?account=1002"),
		all(link("/files?account=1001", aFile), ""), mineOnly(link("/files?account=1002", aFile)), mineOnly(link("/files?account=all", aFile)),
		leads("/index.html"), leads("/1001/index.html"),
		{path: "/1002/index.html", stranger: 303, rui: 404, eva: 404, ana: 303},
		{path: "/all/index.html", stranger: 303, rui: 404, eva: 404, ana: 303},
		all("/runs", "17,853.71"), all(run, "17,853.71"), all(run+"/progress", ""), all(run+strings.TrimPrefix(run, "/runs"), "1002"),
		all("/coverage", "1002"), mineOnly("/coverage?account=1002"), all("/rules", ""), all("/rules/SLIP_SHORT_PAID", ""),
		all("/bank", "1002"), mineOnly("/bank?account=1002"), all("/bank/bb-1001", "1002"), mineOnly("/bank/bradesco-1002"),
		all("/bank/bb-1001/group:1001:bb-1001:2026-11-10:service", "1002"), mineOnly(link("/bank/bradesco-1002", `/bank/bradesco-1002/[^"]+`)),
		all("/own", "1002"), mineOnly("/own?store=loja-1002"), mineOnly("/own?account=1002"), all(link("/own?store=loja-1001", `/own/[^"?]+`), "1002"), all(link("/own?store=loja-1001&bucket=only_at_service", `/own/slip:[^"?]+`), "1002"),
		mineOnly(link("/own?store=loja-1002", `/own/[^"?]+`)),
		leads("/calendar"), all("/calendar/2026", ""), all("/handbook", ""), all("/handbook/console", ""), all("/me", ""),
		{path: "/login", stranger: 200, rui: 200, eva: 200, ana: 200},
		{path: "/login", form: url.Values{"name": {"nobody"}, "password": {"x"}}, stranger: 401, rui: 401, eva: 401, ana: 401},
		{path: "/me", form: url.Values{"language": {"en"}}, stranger: 303, rui: 303, eva: 303, ana: 303},
		{path: "/cases/act", form: act(mine), stranger: 401, rui: 403, eva: 200, ana: 200},
		{path: "/cases/act", form: act(foreign), stranger: 401, rui: 403, eva: 404, ana: 200},
		{path: "/cases/act", form: url.Values{"verb": {"ack"}, "case": {lastPart(mine), lastPart(foreign)}}, stranger: 401, rui: 403, eva: 404, ana: 200},
		{path: "/cases/act", form: url.Values{"verb": {"ack"}, "all": {"1"}, "filter": {"account=1002"}}, stranger: 401, rui: 403, eva: 404, ana: 200},
		{path: "/cases/act", form: url.Values{"verb": {"ack"}, "all": {"1"}, "filter": {""}}, stranger: 401, rui: 403, eva: 200, ana: 200},
		{path: "/months/2026-10/act", form: url.Values{"verb": {"close"}}, stranger: 303, rui: 403, eva: 403, ana: 200},
		{path: "/months/2026-10/act", form: url.Values{"verb": {"burn"}}, stranger: 303, rui: 403, eva: 403, ana: 400},
		{path: "/bank/bb-1001/act", form: url.Values{"verb": {"unmatch"}, "match": {"x"}}, stranger: 303, rui: 403, eva: 200, ana: 200}, // a preview says that there is none
		{path: "/bank/bradesco-1002/act", form: url.Values{"verb": {"unmatch"}, "match": {"x"}}, stranger: 303, rui: 403, eva: 404, ana: 200},
		{path: "/logout", form: url.Values{}, stranger: 303, rui: 303, eva: 303, ana: 303}, // the last: the sessions end
	}
	return rows
}

// A manager of one account closes months of it alone, and of another account's sees nothing.
func TestConsoleManagerOfOneAccount(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	mia := d.signIn(t, "mia")
	for _, row := range []struct {
		why  string
		form url.Values
		code int
	}{
		{"the other account by name", url.Values{"verb": {"close"}, "account": {"1002"}}, http.StatusNotFound},
		{"both by name", url.Values{"verb": {"close"}, "account": {"1001,1002"}}, http.StatusNotFound},
		{"all that there is", url.Values{"verb": {"close"}}, http.StatusOK},
	} {
		got, page := d.ask(t, "en", "/months/2026-10/act", func(r *http.Request) { postForm(row.form)(r); mia(r) })
		if got.StatusCode != row.code || strings.Contains(page, "1002") {
			t.Errorf("%s: %d, want %d, and nothing of 1002:\n%s", row.why, got.StatusCode, row.code, page)
		}
	}
}

// What was filled in when the session had ended is filled in again after signing in, and nothing is done before it is confirmed.
func TestConsoleKeepsAFormThroughSignIn(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	ana := d.signIn(t, "ana")
	_, list := d.ask(t, "en", "/cases?state=open", ana)
	id := caseLink.FindStringSubmatch(list)[1]
	late := url.Values{
		"verb": {"close"}, "case": {id}, "confirm": {"1"}, "version-" + id: {"0123"}, "reason": {`agreed by "phone" <with> the shop`}, "filter": {"account=1001"},
	}
	got, page := d.ask(t, "en", "/cases/act", postForm(late))
	kept := regexp.MustCompile(`name="kept" value="([^"]+)"`).FindStringSubmatch(page)
	if got.StatusCode != http.StatusUnauthorized || kept == nil || !strings.Contains(page, "What you filled in is kept") {
		t.Fatalf("a form without a session: %d\n%s", got.StatusCode, page)
	}
	form := html.UnescapeString(kept[1])
	if strings.Contains(form, "confirm") || strings.Contains(form, "version-") {
		t.Errorf("more is kept than what was filled in: %s", form)
	}
	for _, row := range []struct {
		why, name, password string
		kept                string
		code                int
		want                string
	}{
		{"a wrong password keeps it", "ana", "x", form, 401, `name="kept" value="` + kept[1] + `"`},
		{"filled again", "ana", "a long sentence of ana", form, 200, `required>agreed by &#34;phone&#34; &lt;with&gt; the shop</textarea>`},
		{"who has no right to act", "rui", "a long sentence of rui", form, 403, "Not allowed"},
		{"a confirmation that was put into it", "ana", "a long sentence of ana", form + "&confirm=1", 200, "agreed by"},
		{"what is no form", "ana", "a long sentence of ana", "%zz", 303, ""},
	} {
		got, page := d.ask(t, "en", "/login", postForm(url.Values{"name": {row.name}, "password": {row.password}, "kept": {row.kept}}))
		if got.StatusCode != row.code || !strings.Contains(page, row.want) {
			t.Errorf("%s: %d, want %d and %s\n%s", row.why, got.StatusCode, row.code, row.want, page)
		}
	}
	if _, page := d.ask(t, "en", "/cases/"+id, ana); !strings.Contains(page, "s-open") {
		t.Error("the case was acted on without a confirmation")
	}
}
