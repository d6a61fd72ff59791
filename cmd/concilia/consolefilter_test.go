package main

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/exit"
)

var caseLink = regexp.MustCompile(`href="/cases/([0-9a-f]{16})"`)

// walkCases are the cases of a list over all its pages.
func (d *testDesk) walkCases(t *testing.T, path string) (ids []string) {
	t.Helper()
	for path != "" {
		got, body := d.ask(t, "en", path)
		if got.StatusCode != 200 {
			t.Fatalf("%s: %d", path, got.StatusCode)
		}
		for _, m := range caseLink.FindAllStringSubmatch(body, -1) {
			ids = append(ids, m[1])
		}
		next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(body)
		if path = ""; next != nil {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	return ids
}

// The parts that a filter divides the cases into are all of them; the download has exactly what the pages have, in their order.
func TestConsoleFiltersAndDownload(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	all := d.walkCases(t, "/cases")
	for _, row := range []struct {
		why   string
		parts []string
	}{
		{"least and most impact", []string{"max-impact=100", "min-impact=100.0001"}},
		{"kinds", []string{"kind=slip", "kind=card,sale,split,webhook,day,month"}},
		{"accounts", []string{"account=1001", "account=1002"}},
		{"due", []string{"due-to=2026-11-09", "due-from=2026-11-10"}},
	} {
		var got []string
		for _, query := range row.parts {
			part := d.walkCases(t, "/cases?"+query)
			if len(part) == 0 || len(part) == len(all) {
				t.Errorf("%s: %s has %d of %d cases", row.why, query, len(part), len(all))
			}
			got = append(got, part...)
			downloaded := d.download(t, "/cases?sort=age&as=csv-br&"+query)
			if want := d.walkCases(t, "/cases?sort=age&"+query); !slices.Equal(downloaded, want) {
				t.Errorf("%s: the file has %v, the pages %v", query, downloaded, want)
			}
		}
		// A case without a day is in no part of the days.
		if row.why != "due" {
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(all)); !slices.Equal(got, want) {
				t.Errorf("%s: %d cases in the parts, %d in all", row.why, len(got), len(want))
			}
		}
	}
	owed := d.walkCases(t, "/cases?owner=service")
	if others := d.walkCases(t, "/cases?owner=finance"); len(owed) == 0 || len(others) == 0 || slices.Contains(others, owed[0]) {
		t.Errorf("owners: %d and %d cases", len(owed), len(others))
	}
}

// download are the cases of a file.
func (d *testDesk) download(t *testing.T, path string) (ids []string) {
	t.Helper()
	got, body := d.ask(t, "pt-BR", path)
	if kind := got.Header.Get("Content-Disposition"); !strings.HasPrefix(kind, "attachment") {
		t.Errorf("%s comes as %q", path, kind)
	}
	lines := strings.Split(strings.TrimSpace(body), "\r\n")
	if !strings.HasPrefix(lines[0], "\uFEFFO que houve;NSU;") {
		t.Errorf("%s begins with %q", path, lines[0])
	}
	for _, line := range lines[1:] {
		ids = append(ids, line[strings.LastIndex(line, ";")+1:])
	}
	return ids
}

// Every filter in use is a chip that leads to the list without it, and the way back from a case keeps them.
func TestConsoleFilterIsKept(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	_, body := d.ask(t, "en", "/cases?account=1001&severity=E&sort=age")
	for label, rest := range map[string]string{"Account: 1001": "severity=E&amp;sort=age", "Severity: error": "account=1001&amp;sort=age"} {
		if !strings.Contains(body, `<li><a href="/cases?`+rest+`"><span class="vh">Take away </span>`+label) {
			t.Errorf("no chip takes %s away", label)
		}
	}
	_, form := d.ask(t, "en", "/cases?brand=visa&product=credit&new=1")
	for _, kept := range []string{`name="brand" value="visa"`, `<option value="credit" selected>`, `type="hidden" name="new" value="1"`} {
		if !strings.Contains(form, kept) {
			t.Errorf("who chooses further loses %s", kept)
		}
	}
	id := caseLink.FindStringSubmatch(body)[1]
	for _, row := range []struct{ why, referer, want string }{
		{"from a list", d.URL + "/cases?account=1001&after=" + id, `href="/cases?account=1001">Cases</a></p>`},
		{"from the first page", d.URL + "/", `href="/cases">Cases</a></p>`},
		{"from elsewhere", "https://evil.example/cases?account=1", `href="/cases">Cases</a></p>`},
	} {
		_, page := d.ask(t, "en", "/cases/"+id, func(r *http.Request) { r.Header.Set("Referer", row.referer) })
		if !strings.Contains(page, row.want) {
			t.Errorf("%s: the way back is not %s", row.why, row.want)
		}
	}
}

// An amount and what is new choose the same cases on the page and in exceptions list.
func TestConsoleChoosesCasesAsTheCommandDoes(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t, func(o *console.Options) { o.PageRows = 500 })
	for query, flags := range map[string][]string{"amount=225,31": {"--amount", "225.31"}, "new=1": {"--new"}, "new=1&amount=1829.35": {"--new", "--amount", "1829.35"}} {
		_, page := d.ask(t, "en", "/cases?"+query)
		var shown, told []string
		for _, m := range regexp.MustCompile(`<td class="wide"><a href="/cases/([0-9a-f]{16})"`).FindAllStringSubmatch(page, -1) {
			shown = append(shown, m[1])
		}
		code, out, errs := inProcess(append([]string{"--config", d.invocation.ConfigPath, "exceptions", "list", "--json"}, flags...)...)
		for _, m := range regexp.MustCompile(`"case":"([0-9a-f]{16})"`).FindAllStringSubmatch(out, -1) {
			told = append(told, m[1])
		}
		slices.Sort(shown)
		slices.Sort(told)
		if code != exit.OK || len(shown) == 0 || !slices.Equal(shown, told) {
			t.Errorf("%s: the page shows %v, the command tells %v: %s", query, shown, told, errs)
		}
	}
	if code, _, errs := inProcess("--config", d.invocation.ConfigPath, "exceptions", "list", "--amount", "x"); code != exit.Usage || !strings.Contains(errs, `--amount "x"`) {
		t.Errorf("an amount that is none ends with %d: %s", code, errs)
	}
}
