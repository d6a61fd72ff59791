package main

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/exit"
)

// crawl follows the links of a desk as one person.
type crawl struct {
	*testDesk
	lang   string
	as     func(*http.Request)
	most   int               // addresses of one shape that are followed
	shapes map[string]int    // how often each was met
	from   map[string]string // addresses that were asked for: the page that has the link
}

var (
	hrefPattern = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
	idPattern   = regexp.MustCompile(`\bid="([^"]+)"`)
)

// shapeOf is an address without what tells one item from another.
func shapeOf(address *url.URL) string {
	parts := strings.Split(address.EscapedPath(), "/")
	switch last := parts[len(parts)-1]; {
	case len(parts) < 3 || parts[1] == "handbook" || parts[1] == "static":
	case parts[1] == "files":
		parts = append(parts[:2], path.Ext(last))
	case strings.Contains(last, ":"): // a subject
		kind, _, _ := strings.Cut(last, ":")
		parts = append(parts[:2], kind)
	default:
		for i := range parts[2:] {
			parts[2+i] = "*"
		}
	}
	return strings.Join(parts, "/") + " " + strings.Join(slices.Sorted(maps.Keys(address.Query())), "&")
}

// follow asks for every address that links lead to from one page, a few of each shape.
func (c *crawl) follow(t *testing.T, start string, look func(address string, got *http.Response, body string)) {
	t.Helper()
	c.shapes, c.from = map[string]int{}, map[string]string{start: ""}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		got, body := c.ask(t, c.lang, queue[0], c.as)
		look(queue[0], got, body)
		next := c.listLinks(t, queue[0], got, body)
		for _, link := range next {
			address, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s has the link %q: %v", queue[0], link, err)
				continue
			}
			if _, met := c.from[link]; met || c.shapes[shapeOf(address)] >= c.most {
				continue
			}
			c.shapes[shapeOf(address)]++
			c.from[link] = queue[0]
			queue = append(queue, link)
		}
	}
}

// listLinks are the addresses of the desk that a page leads to; an empty one, and one within the page that is not there, is a fault. Who
// signs out sees nothing more, and the frame of a published page is none of the desk's.
func (c *crawl) listLinks(t *testing.T, page string, got *http.Response, body string) (out []string) {
	t.Helper()
	if to := got.Header.Get("Location"); to != "" {
		return []string{to}
	}
	if !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") || strings.HasPrefix(page, "/files/") || strings.Contains(page, "as=html") {
		return nil
	}
	var ids []string
	for _, m := range idPattern.FindAllStringSubmatch(body, -1) {
		if slices.Contains(ids, m[1]) {
			t.Errorf("%s has two things with the id %s", page, m[1])
		}
		ids = append(ids, m[1])
	}
	for _, m := range hrefPattern.FindAllStringSubmatch(body, -1) {
		link := html.UnescapeString(m[1])
		rest, anchor, within := strings.Cut(link, "#")
		switch {
		case within && rest == "":
			if !slices.Contains(ids, anchor) {
				t.Errorf("%s leads to #%s, which it does not have", page, anchor)
			}
		case strings.HasPrefix(link, "https://") && strings.HasPrefix(page, "/handbook/"): // where people read more
		case strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "//"):
			if !strings.Contains(m[0], "action=") {
				out = append(out, rest)
			}
		case strings.HasPrefix(page, "/handbook/") && regexp.MustCompile(`^[\w-]+$`).MatchString(rest):
			out = append(out, "/handbook/"+rest)
		default:
			t.Errorf("%s has the link %q", page, link)
		}
	}
	return out
}

// rawText finds what a page must not show: the id of a text without a text, and what a template prints of what is not there.
func rawText(t *testing.T) *regexp.Regexp {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "export", "words", "en.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	texts, _, _ := strings.Cut(string(file), "\nlabels:")
	var groups []string
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z_]+):$`).FindAllStringSubmatch(texts, -1) {
		groups = append(groups, m[1])
	}
	slices.Sort(groups)
	return regexp.MustCompile(`(?:^|[\s>"(])((?:` + strings.Join(slices.Compact(groups), "|") + `)\.[a-z][a-z0-9_]*)(?:$|[\s<"),;])|%!|<nil>|&lt;nil&gt;|no value`)
}

// Every link of every page leads somewhere, no page shows the id of a text, and of all that a manager of every account finds a person of
// one account is shown nothing of another: each address is asked for once more by that person.
func TestEveryLinkOfEveryPage(t *testing.T) {
	t.Parallel()
	dir := copyLeft(t, demoWith(t, fewDays...))
	d := openDeskOf(t, dir, withPeople(t), func(o *console.Options) { o.Source = &onlySnapshots{of: o.Source} })
	ana, rui := d.signIn(t, "ana"), d.signIn(t, "rui")
	d.followMail(t, dir, ana)
	raw := rawText(t)
	foreign := regexp.MustCompile(`(?:^|[^0-9a-f.,])1002(?:[^0-9a-f]|$)`)
	for _, lang := range []string{"pt-BR", "en"} {
		manager := &crawl{testDesk: d, lang: lang, as: ana, most: map[string]int{"pt-BR": 5, "en": 1}[lang]}
		manager.follow(t, "/", func(address string, got *http.Response, body string) {
			if got.StatusCode != http.StatusOK && got.StatusCode != http.StatusSeeOther {
				t.Errorf("%s, which %q leads to: %d", address, manager.from[address], got.StatusCode)
			}
			isPage := strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") && !strings.HasPrefix(address, "/handbook/")
			if m := raw.FindString(markupAround(body)); isPage && m != "" {
				t.Errorf("%s in %s shows %q", address, lang, m)
			}
		})
		if len(manager.shapes) < 50 {
			t.Errorf("only %d kinds of addresses were found: %v", len(manager.shapes), slices.Sorted(maps.Keys(manager.shapes)))
		}
		if lang != "pt-BR" {
			continue
		}
		answered := map[int]int{}
		for _, address := range slices.Sorted(maps.Keys(manager.from)) {
			got, body := d.ask(t, lang, address, rui)
			answered[got.StatusCode]++
			switch m := foreign.FindString(strings.ReplaceAll(body, html.EscapeString(address), "")); {
			case got.StatusCode >= http.StatusInternalServerError:
				t.Errorf("%s for a person of one account: %d", address, got.StatusCode)
			case m != "" && !strings.HasPrefix(address, "/handbook/"):
				t.Errorf("%s shows something of another account: …%s…", address, around(body, foreign))
			}
		}
		if answered[http.StatusOK] < 60 || answered[http.StatusNotFound] < 20 {
			t.Errorf("a person of one account is answered %v", answered)
		}
	}
	reader := &crawl{testDesk: d, lang: "pt-BR", as: rui, most: 4}
	reader.follow(t, "/", func(address string, got *http.Response, body string) {
		if got.StatusCode != http.StatusOK && got.StatusCode != http.StatusSeeOther {
			t.Errorf("%s, which %q leads a reader to: %d", address, reader.from[address], got.StatusCode)
		}
		if foreign.MatchString(body) && !strings.HasPrefix(address, "/handbook/") {
			t.Errorf("%s shows a reader something of another account: …%s…", address, around(body, foreign))
		}
	})
}

// followMail follows every link of the morning's mail, each of which leads to the public address.
func (d *testDesk) followMail(t *testing.T, dir string, as func(*http.Request)) {
	t.Helper()
	config, page := filepath.Join(dir, "concilia.yaml"), filepath.Join(t.TempDir(), "mail.html")
	text, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(config, append(text, "\nconsole: {public_url: https://desk.example/}\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := inProcess("--config", config, "mail", "show", "--html", page); code != exit.OK {
		t.Fatalf("the mail: %d\n%s", code, errs)
	}
	mail, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	links := hrefPattern.FindAllStringSubmatch(string(mail), -1)
	for _, m := range links {
		link, isOurs := strings.CutPrefix(html.UnescapeString(m[1]), "https://desk.example")
		got, _ := d.ask(t, "pt-BR", link, as)
		if !isOurs || got.StatusCode != http.StatusOK && got.StatusCode != http.StatusSeeOther {
			t.Errorf("the mail leads to %s: %d", m[1], got.StatusCode)
		}
	}
	if len(links) < 15 {
		t.Errorf("only %d links in the mail:\n%s", len(links), mail)
	}
}

// markupAround is the text of a page without its tags.
func markupAround(body string) string {
	return regexp.MustCompile(`<[^>]+>`).ReplaceAllString(body, " ")
}

// around is the text about the first place where a pattern is met.
func around(body string, pattern *regexp.Regexp) string {
	at := pattern.FindStringIndex(body)
	if at == nil {
		return ""
	}
	return body[max(0, at[0]-80):min(len(body), at[1]+80)]
}
