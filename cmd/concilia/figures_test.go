package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/export/html"
	"concilia/export/report/asof"
	"concilia/export/table"
	"concilia/store/ledger"
)

// told are figures as some command or page gives them, by their names in JSON.
type told map[string]string

// figureNamesInJSON are the members of figures.
func figureNamesInJSON() []string {
	names := []string{"missing"}
	for _, name := range ledger.FigureNames() {
		names = append(names, string(name))
	}
	return names
}

// toldInWords reads the figures from the one line that carries them; what is claimed or waived and not mentioned is 0.
func toldInWords(t *testing.T, text string) told {
	t.Helper()
	out := told{}
	for _, name := range figureNamesInJSON() {
		word := "missing"
		if name != word {
			word = strings.ToLower(asof.FigureName(ledger.Figure(name), table.English))
		}
		found := regexp.MustCompile(`\b`+word+` R\$ ([0-9,]+\.[0-9]{2})`).FindAllStringSubmatch(text, -1)
		switch quiet := name == "claimed" || name == "waived"; {
		case len(found) == 1:
			out[name] = strings.ReplaceAll(found[0][1], ",", "")
		case len(found) == 0 && quiet:
			out[name] = "0.00"
		default:
			t.Fatalf("%d times %s in:\n%s", len(found), word, text)
		}
	}
	return out
}

// toldIn reads the figures of a JSON object, or those of its member.
func toldIn(t *testing.T, text string, member ...string) told {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	for _, m := range member {
		if err := json.Unmarshal(object[m], &object); err != nil {
			t.Fatalf("%s: %v in:\n%s", m, err, text)
		}
	}
	out := told{}
	if err := json.Unmarshal(object["figures"], &out); err != nil {
		t.Fatalf("figures: %v in:\n%s", err, text)
	}
	return out
}

// figuresDesk is a lived ledger on which people act on the morning of its night.
type figuresDesk struct {
	*demoTree
	day ledger.Date
}

func newFiguresDesk(t *testing.T) *figuresDesk {
	dir := copyDemo(t, allDays)
	return &figuresDesk{&demoTree{t: t, dir: dir, dsn: "sqlite:" + filepath.Join(dir, "concilia.db")}, ledger.NewDate(2026, time.November, 18)}
}

// anyVerdict is the code of a command that may end with any verdict.
const anyVerdict = -1

// said is what a command printed, which must end with the code.
func (d *figuresDesk) said(code int, args ...string) string {
	d.t.Helper()
	var out, complaints bytes.Buffer
	got := run(d.t.Context(), environment{
		args: append([]string{"--config", d.config()}, args...), stdout: &out, stderr: &complaints, wall: time.Now,
		lookup: func(name string) (string, bool) {
			switch name {
			case "CONCILIA_LEDGER_DSN":
				return d.dsn, true
			case "CONCILIA_CLOCK":
				return d.day.String() + "T09:00:00-03:00", true
			}
			return "", false
		},
	})
	if got != code && (code != anyVerdict || got != exit.OK && got != exit.Breaks) {
		d.t.Fatalf("%v ended with %d, wanted %d:\n%s%s", args, got, code, &out, &complaints)
	}
	return out.String()
}

// listedCase is a case of exceptions list --json.
type listedCase struct {
	Case, State, Impact, Severity string
	Account                       int64
	ExplainedBy                   string `json:"explained_by"`
}

func (d *figuresDesk) cases() (all []listedCase) {
	d.t.Helper()
	for line := range strings.Lines(d.said(exit.OK, "exceptions", "list", "--json")) {
		var c listedCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			d.t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// act lets people act on some of the cases, each as its state allows.
func (d *figuresDesk) act(r *rand.Rand) {
	d.t.Helper()
	acts := [][]string{
		{"dispute", "--reference", "R-1", "--reason", "claimed"},
		{"dispute", "--reference", "R-2"},
		{"waive", "--until", "2026-12-31", "--cap", "100000", "--reason", "small"},
		{"ack"},
		{"close", "--reason", "settled otherwise"},
	}
	for _, c := range d.cases() {
		if c.State != "open" || r.IntN(3) > 0 {
			continue
		}
		act := acts[r.IntN(len(acts))]
		if act[0] == "waive" && c.Impact == "" {
			continue // there is nothing a cap could hold
		}
		d.said(exit.OK, append([]string{"exceptions", act[0], c.Case, "--as", "ana"}, act[1:]...)...)
	}
}

// pages are the figures of the pages of the accounts' state, added up.
func (d *figuresDesk) pages() told {
	d.t.Helper()
	day := d.day.String()
	text := d.said(anyVerdict, "report", "--basis", "asof", "--from", day, "--to", day, "--account", "1001,1002", "--format", "html", "--json")
	var report struct {
		Files []struct{ Path, Format string }
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		d.t.Fatal(err)
	}
	sums, n := html.Figures{}, 0
	for _, f := range report.Files {
		if f.Format != "html" || strings.Contains(f.Path, "_all_") {
			continue
		}
		page, err := os.Open(f.Path)
		if err != nil {
			d.t.Fatal(err)
		}
		figures, err := html.Read(page)
		if err := page.Close(); err != nil {
			d.t.Fatal(err)
		}
		if err != nil {
			d.t.Fatal(err)
		}
		for key, v := range figures {
			sums[key] += v
		}
		n++
	}
	if n != 2 {
		d.t.Fatalf("%d pages of two accounts:\n%s", n, text)
	}
	out := told{}
	for _, name := range figureNamesInJSON() {
		out[name] = ledger.Amount(sums["causes."+name]).String()
	}
	return out
}

// listedRun is the row of the last run in runs list, by the heads of its columns; what is lost and late the list has together.
func (d *figuresDesk) listedRun(want told) told {
	d.t.Helper()
	cells := func(line string) []string { return regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1) }
	lines := strings.Split(d.said(exit.OK, "runs", "list", "--kind", "reconcile", "--limit", "1"), "\n")
	head, row := cells(lines[0]), cells(lines[1])
	out := told{"claimed": "0.00", "waived": "0.00", "lost": want["lost"], "late": want["late"]}
	for i := range row {
		// A reconcile has neither rows nor new ones: its cells are counted from the last.
		name, isMoney := strings.CutSuffix(head[len(head)-1-i], " R$")
		name = strings.NewReplacer("in excess", "excess", "at risk", "at_risk").Replace(name)
		if isMoney {
			out[name] = strings.ReplaceAll(row[len(row)-1-i], ",", "")
		}
	}
	return out
}

// TestOneAnswerToHowMuchIsMissing: whatever the cases are and people did about them, the figures of the run's JSON, its line, the
// list of runs, its record, status, the list of cases and the pages are the same to the cent.
func TestOneAnswerToHowMuchIsMissing(t *testing.T) {
	t.Parallel()
	d := newFiguresDesk(t)
	r, seen := rand.New(rand.NewPCG(4, 1)), map[string]bool{}
	for try := range 4 {
		answers := map[string]told{}
		if try%2 == 0 {
			answers["the run's JSON"] = toldIn(t, d.said(anyVerdict, "reconcile", "--as-of", d.day.String(), "--json"))
		} else {
			answers["the summary line"] = toldInWords(t, d.said(anyVerdict, "reconcile", "--as-of", d.day.String(), "--quiet"))
		}
		want := toldIn(t, d.said(exit.OK, "runs", "list", "--limit", "1", "--json"))
		all := d.said(exit.OK, "exceptions", "list", "--lang", "en")
		answers["runs show --json"] = toldIn(t, d.said(exit.OK, "runs", "show", "last", "--json"))
		answers["runs show"] = toldInWords(t, d.said(exit.OK, "runs", "show", "last"))
		answers["status"] = toldInWords(t, d.said(exit.OK, "status"))
		answers["status --json"] = toldIn(t, d.said(exit.OK, "status", "--json"))
		answers["exceptions list"] = toldInWords(t, all[strings.LastIndex(strings.TrimSpace(all), "\n")+1:])
		answers["the cases one by one"] = d.added(want)
		answers["runs list"] = d.listedRun(want)
		answers["the pages"] = d.pages()
		for where, got := range answers {
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("try %d: the list of runs in JSON (-) and %s (+):\n%s", try, where, diff)
			}
		}
		for name, v := range want {
			seen[name] = seen[name] || v != "0.00"
		}
		d.act(r)
	}
	if len(seen) != 7 || slices.Contains(slices.Collect(maps.Values(seen)), false) {
		t.Errorf("not every figure was ever told: %v", seen)
	}
}

// added adds up the listed cases by what is printed of each. What of the rest is lost, late or at risk the list does not tell.
func (d *figuresDesk) added(want told) told {
	d.t.Helper()
	sums := map[string]ledger.Amount{}
	for _, c := range d.cases() {
		impact, err := ledger.ParseAmount(c.Impact)
		if c.Impact == "" || c.ExplainedBy != "" || c.State == "shadow" {
			continue
		}
		if err != nil {
			d.t.Fatal(err)
		}
		name := map[string]string{"disputed": "claimed", "waived": "waived"}[c.State]
		switch {
		case impact < 0:
			name = "excess"
		case name == "":
			name = "rest"
		}
		sums[name] += impact.Rounded(ledger.HalfAwayFromZero).Abs()
	}
	amount := func(name string) ledger.Amount {
		a, err := ledger.ParseAmount(want[name])
		if err != nil {
			d.t.Fatal(err)
		}
		return a
	}
	if rest := amount("missing") + amount("at_risk"); rest != sums["rest"] || amount("lost")+amount("late") != amount("missing") {
		d.t.Errorf("missing and at risk are %s, the cases nobody took up come to %s: %v", rest, sums["rest"], want)
	}
	out := told{}
	for name, v := range want {
		out[name] = v
	}
	for _, name := range []string{"claimed", "waived", "excess"} {
		out[name] = sums[name].String()
	}
	return out
}

// demoSums are the sentences of the demo that add up: a whole and its parts.
var demoSums = []struct{ says, whole string }{{"cards", "owes"}, {"slips", "payers paid"}}

// TestDemoSentencesClose: the parts of each sentence of the demo add up to its whole, to the cent; the third is the figures of
// the page that the demo says to open, which shows the largest cases.
func TestDemoSentencesClose(t *testing.T) {
	t.Parallel()
	left := demoOf(t, allDays)
	money := regexp.MustCompile(`R\$ (-?[0-9,]+\.[0-9]{2})`)
	for _, c := range demoSums {
		line := regexp.MustCompile(`(?m)^.*` + c.whole + ` R\$ .*$`).FindString(left.said)
		amounts := money.FindAllStringSubmatch(line, -1)
		var sum ledger.Amount
		for i, m := range amounts {
			a, err := ledger.ParseAmount(strings.ReplaceAll(m[1], ",", ""))
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				a = -a
			}
			sum += a
		}
		if len(amounts) < 4 || sum != 0 {
			t.Errorf("%s: the parts miss the whole by %s in: %s", c.says, sum, line)
		}
	}
	for _, word := range []string{"blocked R$", "overdue R$"} {
		if !strings.Contains(left.said, word) {
			t.Errorf("the demo does not say %q", word)
		}
	}
	line := regexp.MustCompile(`(?m)^As of .*$`).FindString(left.said)
	pages, err := filepath.Glob(filepath.Join(left.dir, "concilia-demo/reports/all/2026/11/settlement_all_asof_*_r0.html"))
	if err != nil || len(pages) != 1 {
		t.Fatal(pages, err)
	}
	page, err := os.ReadFile(pages[0])
	if err != nil {
		t.Fatal(err)
	}
	figures, err := html.Read(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range toldInWords(t, line) {
		if got := ledger.Amount(figures["causes."+name]).String(); got != v {
			t.Errorf("%s: the demo says %s, the page of all accounts %s", name, v, got)
		}
	}
	d := newFiguresDesk(t)
	_, shown, _ := strings.Cut(string(page), `data-f="exceptions.count"`)
	for _, c := range d.largest(2) {
		if amount := html.FormatNumber(c.Impact, "pt-BR"); !strings.Contains(shown, ">"+amount+"<") {
			t.Errorf("the page of all accounts lacks case %s of R$ %s", c.Case, amount)
		}
	}
}

// TestCasesAreListedBySizeAndGravity: over all accounts the largest case comes first, lost or in excess, of one size the gravest.
func TestCasesAreListedBySizeAndGravity(t *testing.T) {
	t.Parallel()
	d := newFiguresDesk(t)
	all := d.cases()
	inOrder := slices.SortedFunc(slices.Values(all), func(a, b listedCase) int {
		return cmp.Or(cmp.Compare(b.size(t), a.size(t)), cmp.Compare(ledger.Severity(a.Severity).Rank(), ledger.Severity(b.Severity).Rank()),
			cmp.Compare(a.Account, b.Account), cmp.Compare(a.Case, b.Case))
	})
	if diff := gocmp.Diff(inOrder, all); diff != "" {
		t.Errorf("as they should be listed (-), as they are (+):\n%s", diff)
	}
	if accounts := d.largest(2); accounts[0].Account == accounts[1].Account {
		t.Error("the two largest cases are of one account: the order over accounts is not shown by them")
	}
}

// largest are the n cases with the largest impacts.
func (d *figuresDesk) largest(n int) []listedCase {
	all := d.cases()
	slices.SortStableFunc(all, func(a, b listedCase) int { return cmp.Compare(b.size(d.t), a.size(d.t)) })
	return all[:n]
}

// size is the impact without its sign.
func (c *listedCase) size(t *testing.T) ledger.Amount {
	if c.Impact == "" {
		return 0
	}
	a, err := ledger.ParseAmount(c.Impact)
	if err != nil {
		t.Fatal(err)
	}
	return a.Abs()
}
