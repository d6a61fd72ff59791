package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/command/nights"
	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/config"
	"concilia/store/ledger"
)

// testDesk is a console over what a demo left.
type testDesk struct {
	*httptest.Server
	invocation *command.Invocation
	out        *bytes.Buffer // of the commands
	config     *config.Config
	console    *console.Console
}

func openTestDesk(t *testing.T, change ...func(*console.Options)) *testDesk {
	t.Helper()
	return openDeskOf(t, copyDemo(t, allDays), change...)
}

// never is a time that no load of the machine reaches.
const never = time.Hour

// openDeskOf is a desk on the folder of a demo.
func openDeskOf(t *testing.T, dir string, change ...func(*console.Options)) *testDesk {
	t.Helper()
	out := &bytes.Buffer{}
	g := newInvocation(environment{
		stdout: out, stderr: io.Discard, wall: time.Now,
		lookup: func(key string) (string, bool) {
			return "2026-11-18T09:00:00-03:00", key == "CONCILIA_CLOCK"
		},
	})
	g.ConfigPath, g.Quiet = filepath.Join(dir, "concilia.yaml"), true
	c, err := config.LoadOffline(g.ConfigPath, g.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	proc := g.Process
	proc.Readers = 1 // what needs another one while it has one would wait for itself
	source := desk.NewSource(&proc, c)
	t.Cleanup(source.Close)
	o := console.Options{
		Source: source, Language: "pt-BR", Zone: c.Location(), PageRows: 10, QueryTime: never, ActTime: never, MonthWait: never, Log: zerolog.Nop(), Wall: time.Now,
		HasBanks: len(c.Banks) > 0, HasStores: len(c.Stores) > 0, Hosts: []string{"desk.example"}, Origin: "https://desk.example", Idle: time.Hour, Absolute: 2 * time.Hour,
	}
	for _, fn := range change {
		fn(&o)
	}
	desk, err := console.New(o)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := desk.Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(desk.Close)
	t.Cleanup(server.Close)
	server.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &testDesk{server, g, out, c, desk}
}

// show runs a command on the folder of the desk; what it prints is in out.
func (d *testDesk) show(t *testing.T, cmd *cobra.Command, args ...string) error {
	t.Helper()
	cmd.SetArgs(append([]string{}, args...))
	return cmd.ExecuteContext(t.Context())
}

// ask asks for a page in a language.
func (d *testDesk) ask(t *testing.T, lang, path string, change ...func(*http.Request)) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Language", lang)
	for _, fn := range change {
		fn(req)
	}
	got, err := d.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got, string(body)
}

// textWithoutWords finds the id of a text where the text itself should be.
var textWithoutWords = regexp.MustCompile(`\b(desk|case|figures|verdicts|kinds|formats|bases|severities|run_kinds|run_states|weekdays|roles)\.[a-z_]+\b`)

func TestConsolePages(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	_, list := d.ask(t, "pt-BR", "/cases")
	first := regexp.MustCompile(`href="/cases/([0-9a-f]{16})"`).FindStringSubmatch(list)
	_, runs := d.ask(t, "pt-BR", "/runs")
	run := regexp.MustCompile(`href="(/runs/[^"/]+)"`).FindStringSubmatch(runs)
	if first == nil || run == nil {
		t.Fatalf("no case or run is linked:\n%s", list)
	}
	for _, row := range []struct {
		why, path string
		code      int
		pt, en    string // shown on the page
	}{
		{"the first page leads with what is missing", "/", 200, "1.738,62", "1,738.62"},
		{"the list has a part of the cases, and says how many there are", "/cases", 200, "30 casos", "30 cases"},
		{"cases of slips, without what the filter takes away", "/cases?kind=slip&owner=service&max-impact=1000&age=0", 200, "Tipo: boleto", "Kind: slip"},
		{"claims to follow up, before there are any", "/cases?follow-up=2026-11-18&claimed=1", 200, "Acompanhar até: 18/11/2026", "To be asked about by: 2026-11-18"},
		{"a range that is none", "/cases?min-impact=10&max-impact=9&due-from=2026-11-02&due-to=2026-11-01", 400, "menor que o impacto mínimo", "less than the least impact"},
		{"no kind and no owner", "/cases?kind=x&owner=y", 400, "não existe: y", "there is no y"},
		{"the next part", "/cases?after=" + first[1], 200, "30 casos", "30 cases"},
		{"the next part after a case that has left the list: the first part", "/cases?after=ffffffffffffffff", 200, first[1], first[1]},
		{"a filter", "/cases?code=SLIP_SHORT_PAID", 200, "1 caso<", "1 case<"},
		{"a filter that hides everything says how much", "/cases?nsu=none", 200, "esconde 30 casos", "hides 30 cases"},
		{"every mistake of a filter stands at its field", "/cases?code=NO_SUCH&min-impact=abc&due-to=9", 400, "não é uma data", "no date"},
		{"a case", "/cases/" + first[1], 200, "Próximo passo", "Next step"},
		{"a case by the beginning of its id", "/cases/" + first[1][:8], 200, first[1], first[1]},
		{"an unknown case", "/cases/ffffffffffffffff", 404, "Não encontrado", "Not found"},
		{"another account", "/cases?account=4711", 404, "Não encontrado", "Not found"},
		{"the open slips", "/slips", 200, "Boletos em aberto", "Open slips"},
		{"slips to collect, of a span", "/slips?class=overdue&due-from=2026-10-01&account=1001", 200, "Vencidos", "Overdue"},
		{"no slip is like that", "/slips?value=0,01", 200, "Nenhum boleto em aberto corresponde a isso", "No open slip is like that"},
		{"every mistake of the filter of slips", "/slips?class=lost&due-from=9&value=x", 400, "não existe: lost", "there is no lost"},
		{"the forecast", "/forecast", 200, "Confirmado e previsto por dia útil", "Confirmed and expected by business day"},
		{"the forecast of an account", "/forecast?days=90&account=1001", 200, "Em 90 dias", "Within 90 days"},
		{"no span of the forecast", "/forecast?days=31", 400, "não existe: 31", "days: there is no 31"},
		{"the forecast of another account", "/forecast?account=4711", 404, "Não encontrado", "Not found"},
		{"months", "/months", 200, "10/2026", "2026-10"},
		{"months by the day of the credit", "/months?basis=credit&account=1001", 200, "basis=credit&amp;account=1001", "basis=credit&amp;account=1001"},
		{"no basis of months", "/months?basis=asof", 400, "basis:", "basis:"},
		{"a month without a whole one before it", "/months/2026-10", 200, "09/2026 não está na base ou não está completo", "2026-09 is not known, or not complete"},
		{"a month beside the one before", "/months/2026-11", 200, "Bruto 10/2026", "Gross 2026-10"},
		{"a month that is not over", "/months/2026-11?basis=credit", 200, "os valores ainda mudam", "still change"},
		{"a month without anything", "/months/2019-01", 404, "Não encontrado", "Not found"},
		{"no month at all", "/months/october", 404, "Não encontrado", "Not found"},
		{"claims before there are any", "/claims", 200, "Nada foi contestado ainda", "Nothing has been claimed yet"},
		{"no claim in a state", "/claims?state=recovered", 200, "Nenhuma contestação nesta situação", "No claim is in this state"},
		{"no state of claims", "/claims?state=open", 400, "não existe: open", "state: there is no open"},
		{"files", "/files?account=1001&format=xlsx", 200, "Planilha", "Workbook"},
		{"files of another account", "/files?account=4711", 404, "Não encontrado", "Not found"},
		{"runs", "/runs", 200, "Noite", "Night"},
		{"a run", run[1], 200, "Divergências", "Breaks"},
		{"a run against itself", run[1] + strings.TrimPrefix(run[1], "/runs"), 200, "Totais", "Totals"},
		{"an unknown run", "/runs/20990101T000000.000Z-none", 404, "Não encontrado", "Not found"},
		{"coverage", "/coverage", 200, "dias completos: 17", "days complete: 17"},
		{"coverage of a month", "/coverage?month=2026-10&account=1001&source=cards", 200, "dias completos: 31", "days complete: 31"},
		{"no month", "/coverage?month=x", 400, "não é um mês", "no month"},
		{"rules", "/rules", 200, "SLIP_SHORT_PAID", "SLIP_SHORT_PAID"},
		{"a rule", "/rules/SLIP_SHORT_PAID", 200, "foi pago menos do que o valor", "less than the value and its charges was paid"},
		{"no rule", "/rules/NO_SUCH", 404, "Não encontrado", "Not found"},
		{"the calendar", "/calendar/2026", 200, "20/11/2026", "2026-11-20"},
		{"no year of the calendar", "/calendar/1", 404, "Não encontrado", "Not found"},
		{"the handbook", "/handbook", 200, "/handbook/operate", "/handbook/operate"},
		{"a topic", "/handbook/console", 200, "navegador", "browser"},
		{"no topic", "/handbook/none", 404, "Não encontrado", "Not found"},
		{"nothing to look for", "/find", 200, "Digite um NSU", "Type an NSU"},
		{"several hits are listed", "/find?q=18/11", 200, "R$", "R$"},
		{"nothing found", "/find?q=nsu:none", 200, "Conta 1001", "Account 1001"},
		{"no sale", "/sales/sale:1001:2026-01-01:1:1", 404, "Não encontrado", "Not found"},
		{"preferences", "/me", 200, "Idioma", "Language"},
		{"no page", "/nothing", 404, "Não encontrado", "Not found"},
		{"a path trick", "/files/..%2f..%2fetc%2fpasswd/x", 404, "Não encontrado", "Not found"},
	} {
		for lang, want := range map[string]string{"pt-BR": row.pt, "en": row.en} {
			got, body := d.ask(t, lang, row.path)
			if got.StatusCode != row.code || !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
				t.Errorf("%s: %s in %s: %d, wants %d and %q", row.why, row.path, lang, got.StatusCode, row.code, want)
			}
			if id := textWithoutWords.FindString(strings.ReplaceAll(body, "desk.js", "")); id != "" && !strings.Contains(row.path, "handbook") {
				t.Errorf("%s in %s: %s has no text", row.path, lang, id)
			}
			if policy := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") ||
				got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: headers %v", row.path, got.Header)
			}
			if strings.Contains(body, " style=") || strings.Contains(body, "<script>") || strings.Contains(body, " onclick") {
				t.Errorf("%s: something inline, which the policy forbids", row.path)
			}
		}
	}
}

// The figures of the pages are those of the commands.
func TestConsoleFiguresAreThoseOfCommands(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	d.invocation.JSON = true
	if err := d.show(t, nights.NewStatus(d.invocation)); err != nil {
		t.Fatal(err)
	}
	var status struct{ Figures map[string]string }
	if err := json.Unmarshal(d.out.Bytes(), &status); err != nil || len(status.Figures) < 7 {
		t.Fatal(err, status)
	}
	for _, path := range []string{"/", "/cases"} {
		_, page := d.ask(t, "en", path)
		for name, amount := range status.Figures {
			a, err := ledger.ParseAmount(amount)
			if err != nil {
				t.Fatal(err)
			}
			shown := regexp.MustCompile(`f-` + name + `"><dt>[^<]*</dt><dd><small>R\$</small> ([0-9,.]+)<`).FindStringSubmatch(page)
			quiet := (name == "claimed" || name == "waived") && a == 0
			if !quiet && (shown == nil || strings.ReplaceAll(shown[1], ",", "") != a.Fixed(2)) {
				t.Errorf("%s: %s is %v, the command says %s", path, name, shown, amount)
			}
		}
	}
}

// A published file comes byte for byte as it was published; a page of it may do nothing but show itself.
func TestConsoleFiles(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	_, page := d.ask(t, "en", "/files?account=1001&basis=asof")
	links := regexp.MustCompile(`href="(/files/([0-9a-f]{64})/([^"]+))"`).FindAllStringSubmatch(page, -1)
	if len(links) < 5 {
		t.Fatalf("%d files are linked", len(links))
	}
	for _, link := range links {
		got, body := d.ask(t, "en", link[1])
		sum := sha256.Sum256([]byte(body))
		if got.StatusCode != 200 || hex.EncodeToString(sum[:]) != link[2] {
			t.Errorf("%s: %d, other bytes than published", link[3], got.StatusCode)
		}
		policy, download := got.Header.Get("Content-Security-Policy"), got.Header.Get("Content-Disposition")
		if isPage := strings.HasSuffix(link[3], ".html"); isPage != (download == "") || isPage != strings.Contains(policy, "sandbox") {
			t.Errorf("%s: %q, policy %q", link[3], download, policy)
		}
	}
	for why, path := range map[string]string{
		"another name": "/files/" + links[0][2] + "/other.csv", "another hash": "/files/" + strings.Repeat("0", 64) + "/" + links[0][3],
	} {
		if got, _ := d.ask(t, "en", path); got.StatusCode != 404 {
			t.Errorf("%s: %d", why, got.StatusCode)
		}
	}
}

// A file that shows payers in the clear is shown only to people who may see them; others who may see the account read that it exists.
func TestConsoleFilesWithPayers(t *testing.T) {
	t.Parallel()
	dir := copyDemo(t, allDays)
	config := filepath.Join(dir, "concilia.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^reports:\n`).ReplaceAll(text, []byte("reports:\n  identified: [slips]\n"))
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs := inProcess("--config", config, "report", "--account", "1001", "--basis", "operation", "--from", "2026-11-01", "--to", "2026-11-17", "--kind", "slips", "--format", "csv")
	if code != exit.OK && code != exit.Breaks {
		t.Fatalf("exit %d: %s", code, errs)
	}
	d := openDeskOf(t, dir, withPeople(t))
	ana, pia := d.signIn(t, "ana"), d.signIn(t, "pia")
	const list = "/files?account=1001&kind=slips&format=csv"
	_, page := d.ask(t, "en", list, pia)
	link := regexp.MustCompile(`href="(/files/[0-9a-f]{64}/slips_1001_operation_20261101_20261117[^"]*)"[^·]*<span class="soft">CSV · shows payers`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("no file with payers:\n%s", page)
	}
	if got, _ := d.ask(t, "en", link[1], pia); got.StatusCode != http.StatusOK {
		t.Errorf("who may see payers: %d", got.StatusCode)
	}
	if got, body := d.ask(t, "en", link[1], ana); got.StatusCode != http.StatusForbidden || !strings.Contains(body, "names and documents of payers") {
		t.Errorf("who may not: %d\n%s", got.StatusCode, body)
	}
	if _, page := d.ask(t, "en", list, ana); strings.Contains(page, link[1]) || !strings.Contains(page, "shows payers") {
		t.Errorf("the list leads to a file that is refused, or does not tell of it:\n%s", page)
	}
	d.checkPayersOfSlips(t, pia, ana)
}

// checkPayersOfSlips: the page of a slip names its payer to who sees payers, and finds it by the payer's document; to another person the
// document is masked, and finds nothing.
func (d *testDesk) checkPayersOfSlips(t *testing.T, sees, other func(*http.Request)) {
	t.Helper()
	var slip *ledger.Slip
	err := d.openLedger(t).Slips(t.Context(), 1001, func(s *ledger.Slip) error {
		if _, err := ledger.ParseDocument(s.PayerDocument); err == nil && s.PayerName != "" {
			slip = s
		}
		return nil
	})
	if err != nil || slip == nil {
		t.Fatal("no slip has a payer: ", err)
	}
	page, find := "/slips/"+slip.Subject(), "/find?q="+slip.PayerDocument
	_, shown := d.ask(t, "en", page, sees)
	_, masked := d.ask(t, "en", page, other)
	if !strings.Contains(shown, slip.PayerName) || !strings.Contains(shown, slip.PayerDocument) {
		t.Errorf("the payer does not stand on the page:\n%s", shown)
	}
	if strings.Contains(masked, slip.PayerName) || strings.Contains(masked, slip.PayerDocument) || !strings.Contains(masked, ledger.MaskPayerDocument(slip.PayerDocument)) {
		t.Errorf("the payer is not masked:\n%s", masked)
	}
	if got, body := d.ask(t, "en", find, sees); !strings.Contains(got.Header.Get("Location")+body, slip.ID) {
		t.Errorf("the payer's document finds nothing: %d\n%s", got.StatusCode, body)
	}
	if got, body := d.ask(t, "en", find, other); got.StatusCode != http.StatusOK || strings.Contains(body, slip.ID) {
		t.Errorf("the payer's document finds something for who may not see payers: %d\n%s", got.StatusCode, body)
	}
}

func TestConsoleRefusesStrangers(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	post := func(header, value string) func(*http.Request) {
		return func(r *http.Request) {
			r.Method = http.MethodPost
			r.Header.Set(header, value)
		}
	}
	for _, row := range []struct {
		why    string
		code   int
		change func(*http.Request)
	}{
		{"the name of another site that points here", 421, func(r *http.Request) { r.Host = "evil.example" }},
		{"the public name", 200, func(r *http.Request) { r.Host = "desk.example" }},
		{"this machine by its name", 200, func(r *http.Request) { r.Host = "localhost:1" }},
		{"a form of another site", 403, post("Sec-Fetch-Site", "cross-site")},
		{"a form whose origin is another site", 403, post("Origin", "https://evil.example")},
		{"our own form", 303, post("Sec-Fetch-Site", "same-origin")},
		{"our own form behind a proxy", 303, post("Origin", "https://desk.example")},
		{"a form that is too large", 400, func(r *http.Request) {
			r.Method, r.Body = http.MethodPost, io.NopCloser(strings.NewReader("language="+strings.Repeat("x", 70<<10)))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}},
	} {
		if got, _ := d.ask(t, "en", "/me", row.change); got.StatusCode != row.code {
			t.Errorf("%s: %d, want %d", row.why, got.StatusCode, row.code)
		}
	}
}

// Without a ledger every page says so, and none fails.
func TestConsoleWithoutLedger(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	c, err := config.LoadOffline(d.invocation.ConfigPath, d.invocation.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, lookup := filepath.Join(t.TempDir(), "none.db"), d.invocation.Lookup
	d.invocation.Lookup = func(key string) (string, bool) {
		if key == "CONCILIA_LEDGER_DSN" {
			return "sqlite:" + elsewhere, true
		}
		return lookup(key)
	}
	source := desk.NewSource(&d.invocation.Process, c)
	defer source.Close()
	without := openTestDesk(t, func(o *console.Options) { o.Source = source })
	for _, path := range []string{"/", "/cases", "/runs", "/files"} {
		got, body := without.ask(t, "en", path)
		if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" || !strings.Contains(body, "There is no ledger yet") {
			t.Errorf("%s: %d\n%s", path, got.StatusCode, body)
		}
	}
}

// peopleOfTests is the file of people of withPeople, made once: each of their passwords takes a twentieth of a second to hash.
var peopleOfTests = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "people")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "people.yaml")
	for _, p := range []people.Person{
		{Name: "ana", FullName: "Ana Lima", Role: people.Manager},
		{Name: "rui", Role: people.Reader, Accounts: []ledger.Account{1001}},
		{Name: "eva", Role: people.Actor, Accounts: []ledger.Account{1001}},
		{Name: "mia", Role: people.Manager, Accounts: []ledger.Account{1001}},
		{Name: "pia", Role: people.Reader, Payers: true},
	} {
		p.Password = people.HashPassword("a long sentence of " + p.Name)
		if err := people.AddPerson(path, p); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(path)
})

// withPeople gives the desk ana (manager, all accounts), rui (reader of 1001), and three more.
func withPeople(t *testing.T) func(*console.Options) {
	t.Helper()
	file, err := peopleOfTests()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "people.yaml")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	register, err := people.OpenRegister(path, time.Now, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return func(o *console.Options) { o.People = register }
}

// signIn signs a person in and gives what later requests carry.
func (d *testDesk) signIn(t *testing.T, name string) func(*http.Request) {
	t.Helper()
	form := url.Values{"name": {name}, "password": {"a long sentence of " + name}, "next": {"/cases"}}
	got, body := d.ask(t, "en", "/login", postForm(form))
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/cases" || len(got.Cookies()) == 0 {
		t.Fatalf("%s cannot sign in: %d\n%s", name, got.StatusCode, body)
	}
	cookie := got.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie: %v", cookie)
	}
	return func(r *http.Request) { r.AddCookie(cookie) }
}

func postForm(form url.Values) func(*http.Request) {
	return func(r *http.Request) {
		r.Method, r.Body = http.MethodPost, io.NopCloser(strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
}

func TestConsoleSignInIsThrottled(t *testing.T) {
	t.Parallel()
	// The clock stands still: a second after the fifth failure one may try again, and a busy machine takes longer than that to look at a try.
	now := time.Now()
	d := openTestDesk(t, withPeople(t), func(o *console.Options) { o.Wall = func() time.Time { return now } })
	try := func(name, password string) (*http.Response, string) {
		return d.ask(t, "en", "/login", postForm(url.Values{"name": {name}, "password": {password}}))
	}
	_, wrong := try("ana", "x")
	_, nobody := try("eva", "x")
	if strings.Replace(wrong, `value="ana"`, `value="eva"`, 1) != nobody {
		t.Error("an unknown name looks different from a wrong password")
	}
	for range 4 {
		try("ana", "x")
	}
	got, _ := try("ana", "a long sentence of ana")
	if got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" || len(got.Cookies()) > 0 {
		t.Errorf("after five failures a right password: %d, %v", got.StatusCode, got.Header)
	}
}

// A header names a person only from a trusted proxy, and only once.
func TestConsoleIdentityHeader(t *testing.T) {
	t.Parallel()
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	header := func(o *console.Options) { o.IdentityHeader, o.IdentityRole = "Remote-User", people.Reader }
	trusted := func(o *console.Options) { header(o); o.TrustedProxies = loopback }
	names := func(values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Remote-User"] = values }
	}
	proxied, direct := openTestDesk(t, withPeople(t), trusted), openTestDesk(t, withPeople(t), header)
	onlyNamed := openTestDesk(t, withPeople(t), trusted, func(o *console.Options) { o.IdentityRole = "" })
	for _, row := range []struct {
		why    string
		d      *testDesk
		change func(*http.Request)
		code   int
		want   string
	}{
		{"a person of the file", proxied, names("ana"), 200, "manager"},
		{"somebody else has the role of the configuration", proxied, names("Joana"), 200, "Joana"},
		{"somebody else without such a role", onlyNamed, names("Joana"), 403, ""},
		{"twice", proxied, names("ana", "rui"), 400, ""},
		{"from a stranger", direct, names("ana"), 400, ""},
		{"without the header people sign in", proxied, func(*http.Request) {}, 303, ""},
	} {
		if got, body := row.d.ask(t, "en", "/me", row.change); got.StatusCode != row.code || !strings.Contains(body, row.want) {
			t.Errorf("%s: %d, want %d and %q", row.why, got.StatusCode, row.code, row.want)
		}
	}
	// What a person of the file chooses stays with them in any browser; what others choose stays in theirs.
	for name, want := range map[string]string{"ana": "Idioma", "Joana": "Language"} {
		choose := func(r *http.Request) { postForm(url.Values{"language": {"pt-BR"}})(r); names(name)(r) }
		if got, _ := proxied.ask(t, "en", "/me", choose); got.StatusCode != http.StatusSeeOther {
			t.Errorf("%s chooses a language: %d", name, got.StatusCode)
		}
		if _, body := proxied.ask(t, "en", "/me", names(name)); !strings.Contains(body, want) {
			t.Errorf("%s reads no %q in another browser", name, want)
		}
	}
}

func TestConsoleUserCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := "service: {gateway_url: http://127.0.0.1/g, integration_url: http://127.0.0.1/i, user_name: u}\naccounts: [{number: 1001}]\n" +
		"reports: {formats: [csv]}\nconsole: {users_file: people.yaml}\n"
	path := filepath.Join(dir, "concilia.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why, input, args string
		code             int
		out              string
	}{
		{"a list without a file", "", "list", 0, "nobody"},
		{"a person", "a long sentence of ana\n", "add Ana --role manager --full-name Ana", 0, ""},
		{"the same again", "a long sentence of ana\n", "add ana --role reader", 2, "there already"},
		{"a short password", "short\n", "add rui --role reader", 2, "12 to 128"},
		{"no password", "", "add rui --role reader", 2, "standard input"},
		{"no role", "a long sentence of rui\n", "add rui", 2, "no role"},
		{"no name", "a long sentence of rui\n", "add ruí --role reader", 2, "no name"},
		{"a reader of one account", "a long sentence of rui\n", "add rui --role reader --account 1001", 0, ""},
		{"another password", "another long sentence\n", "passwd rui", 0, ""},
		{"the list", "", "list --json", 0, `{"name":"rui","full_name":"","role":"reader","accounts":[1001],"payers":false}`},
		{"nobody to remove", "", "remove eva", 2, "there is no eva"},
		{"removed", "", "remove rui", 0, ""},
		{"the list again", "", "list", 0, "ana"},
	} {
		var out bytes.Buffer
		root := newRoot(environment{stdout: &out, stderr: &out, wall: time.Now, lookup: func(string) (string, bool) { return "", false }})
		root.SetArgs(append([]string{"--config", path, "console", "user"}, strings.Fields(row.args)...))
		root.SetIn(strings.NewReader(row.input))
		err := root.ExecuteContext(t.Context())
		if err != nil {
			out.WriteString(err.Error())
		}
		if code := exit.CodeOf(err); code != row.code || !strings.Contains(out.String(), row.out) || strings.Contains(out.String(), "sentence of") {
			t.Errorf("%s: exit %d, %q; want %d and %q", row.why, code, out.String(), row.code, row.out)
		}
	}
}

// Acts are shown before they are done, done on all cases or on none, and never on a case that has changed since.
func TestConsoleActs(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, withPeople(t))
	d.config.FourEyes = []string{"waive"}
	ana, rui, eva := d.signIn(t, "ana"), d.signIn(t, "rui"), d.signIn(t, "eva")
	cases := map[string][]string{}
	for _, account := range []string{"1001", "1002"} {
		_, body := d.ask(t, "en", "/cases?state=open&account="+account, ana)
		for _, m := range regexp.MustCompile(`href="/cases/([0-9a-f]{16})"`).FindAllStringSubmatch(body, -1) {
			cases[account] = append(cases[account], m[1])
		}
	}
	one, two, foreign := cases["1001"][0], cases["1001"][1], cases["1002"][0]
	form := func(pairs ...string) url.Values {
		v := url.Values{}
		for i := 0; i+1 < len(pairs); i += 2 {
			v.Add(pairs[i], pairs[i+1])
		}
		return v
	}
	version := func(id string) string {
		_, body := d.ask(t, "en", "/cases/act", postForm(form("verb", "assign", "case", id)), ana)
		m := regexp.MustCompile(`name="version-` + id + `" value="([0-9a-f]+)"`).FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("the preview has no version of %s", id)
		}
		return m[1]
	}
	state := func(id string) string {
		_, body := d.ask(t, "en", "/cases/"+id, ana)
		return regexp.MustCompile(`class="state s-[a-z]+">([^<]+)<`).FindStringSubmatch(body)[1]
	}
	seen := version(one)
	for _, row := range []struct {
		why   string
		as    func(*http.Request)
		form  url.Values
		code  int
		want  string // in the place that is led to, or on the page
		after string // state of the first case
	}{
		{"a reader may not", rui, form("verb", "ack", "case", one, "confirm", "1"), 403, "Not allowed", "open"},
		{"a preview says what becomes of it", ana, form("verb", "ack", "case", one), 200, `s-open">open</span> → <span class="state s-acknowledged"`, "open"},
		{"a preview does nothing", ana, form("verb", "ack", "case", one), 200, "version-" + one, "open"},
		{"an act of a case's page leads back to it", ana, form("verb", "ack", "case", one), 200, `href="/cases/` + one + `">Cancel</a>`, "open"},
		{"one of a list leads back to the list", ana, form("verb", "ack", "case", one, "filter", "account=1001"), 200, `href="/cases?account=1001">Cancel</a>`, "open"},
		{"a stale form does nothing", ana, form("verb", "ack", "case", one, "confirm", "1", "version-"+one, "0123"), 409, "has changed since", "open"},
		{"done", ana, form("verb", "ack", "case", one, "confirm", "1", "version-"+one, seen, "reason", "seen"), 303, "/cases/" + one + "?did=done", "acknowledged"},
		{"a double click finds it done", ana, form("verb", "ack", "case", one, "confirm", "1", "version-"+one, seen), 303, "did=already", "acknowledged"},
		{"all or none", ana, form("verb", "ack", "case", two, "case", one, "confirm", "1"), 409, one, "open"},
		{"what a verb needs", ana, form("verb", "close", "case", two, "confirm", "1"), 400, `aria-describedby="e-reason"`, "open"},
		{"what a verb does not take", ana, form("verb", "waive", "case", two, "confirm", "1", "until", "31/02/2026", "cap", "x", "reason", "small"), 400, `<textarea id="reason" name="reason" rows="2" maxlength="1000" required>small</textarea>`, "open"},
		{"a waiver without the most that may be at stake", ana, form("verb", "waive", "case", two, "confirm", "1", "until", "2026-12-24", "reason", "small"), 400, `aria-describedby="e-cap"`, "open"},
		{"no verb", ana, form("verb", "delete", "case", two, "confirm", "1"), 400, "there is no delete", "open"},
		{"no case", ana, form("verb", "ack", "confirm", "1"), 400, "choose 1 to 500", ""},
		{"no case of a list, which stands there again", ana, form("verb", "close", "filter", "account=1001&state=open"), 400, `<p class="wrong" id="e-case" role="alert">choose 1 to 500 cases</p>`, ""},
		{"no case of a list that is none", ana, form("verb", "close", "filter", "%zz"), 400, "choose 1 to 500", ""},
		{"an account of others", eva, form("verb", "ack", "case", foreign, "confirm", "1"), 404, "Not found", "open"},
		{"a verb that needs two people is proposed", eva, form("verb", "waive", "case", two, "confirm", "1", "until", "2026-12-24", "cap", "9000", "reason", "small"), 303, "did=proposed", "open"},
		{"the same person again changes nothing", eva, form("verb", "waive", "case", two, "confirm", "1", "until", "2026-12-24", "cap", "9000", "reason", "small"), 303, "did=proposed", "open"},
		{"a manager confirms it", ana, form("verb", "waive", "case", two, "confirm", "1", "until", "2026-12-24", "cap", "9000.00", "reason", "small"), 303, "did=done", "waived"},
	} {
		if row.why == "a manager confirms it" {
			if _, today := d.ask(t, "en", "/", ana); !strings.Contains(today, "Proposals that wait for you") || !strings.Contains(today, "<b>eva</b>") {
				t.Error("a manager is not shown what waits for one")
			}
		}
		got, body := d.ask(t, "en", "/cases/act", postForm(row.form), row.as)
		if got.StatusCode != row.code || !strings.Contains(got.Header.Get("Location")+body, row.want) {
			t.Errorf("%s: %d to %q, want %d and %q", row.why, got.StatusCode, got.Header.Get("Location"), row.code, row.want)
		}
		if id := row.form.Get("case"); id != "" && state(id) != row.after {
			t.Errorf("%s: the case is %s, want %s", row.why, state(id), row.after)
		}
	}
	_, body := d.ask(t, "en", "/cases/"+one, ana)
	if !strings.Contains(body, "ack, via console, ana: seen") {
		t.Errorf("the history does not tell who acted by which way:\n%s", body)
	}
	d.config.FourEyes = nil
	if got, _ := d.ask(t, "en", "/cases?did=done&did-n=3", ana); got.StatusCode != 200 {
		t.Errorf("the list after an act: %d", got.StatusCode)
	}
}

// A page that takes longer than it may is not available now, whatever the ledger says of being interrupted: 503, and nothing half shown.
func TestConsolePagesSlowerThanTheirTime(t *testing.T) {
	t.Parallel()
	for _, most := range []time.Duration{time.Nanosecond, 200 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond} {
		d := openTestDesk(t, func(o *console.Options) { o.QueryTime = most })
		for _, page := range []string{"/", "/cases", "/slips", "/find?q=17/11"} {
			got, text := d.ask(t, "en", page)
			late := got.StatusCode == http.StatusServiceUnavailable && got.Header.Get("Retry-After") != ""
			if !late && (got.StatusCode != http.StatusOK || most == time.Nanosecond) || !strings.Contains(text, "</html>") {
				t.Errorf("%s in %s: %d\n%s", page, most, got.StatusCode, text)
			}
		}
	}
}
