package html_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/html"
	"concilia/store/ledger"
)

func written(t testing.TB, p html.Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPageAsWritten(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"pt-BR", "en"} {
		got := written(t, sample(language))
		path := filepath.Join("..", "..", "testdata", "export", "page_"+language+".html")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s (-golden +now), UPDATE_GOLDEN=1 writes it anew:\n%s", path, d)
		}
		if again := written(t, sample(language)); !bytes.Equal(got, again) {
			t.Errorf("%s: the same page gave other bytes", language)
		}
	}
}

// What the reader takes from the bytes is what was put in.
func TestFiguresAreReadBack(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"pt-BR", "en"} {
		got, err := html.Read(bytes.NewReader(written(t, sample(language))))
		if err != nil {
			t.Fatal(err)
		}
		want := html.Figures{
			"causes.missing": int64(brl("13204.57")), "causes.lost": int64(brl("1204.57")), "causes.late": int64(brl("12000")),
			"causes.at_risk": int64(brl("90")), "causes.claimed": int64(brl("7.10")),
			"causes.excess": int64(brl("15.30")), "causes.count": 62 * 10_000, "causes.excess_count": 2 * 10_000,
			"cause.RECEIVED_OVERDUE": int64(brl("11000")), "cause.SLIP_CREDIT_OVERDUE": int64(brl("1000")),
			"cause.MDR_RATE_MISMATCH": int64(brl("700")), "cause.RECEIVED_VALUE_MISMATCH": int64(brl("300")),
			"cause.FEE_UNEXPECTED": int64(brl("104.57")), "cause.rest": int64(brl("100")),
			"cases.RECEIVED_OVERDUE": 31 * 10_000, "cases.SLIP_CREDIT_OVERDUE": 4 * 10_000, "cases.MDR_RATE_MISMATCH": 20 * 10_000,
			"cases.RECEIVED_VALUE_MISMATCH": 3 * 10_000, "cases.FEE_UNEXPECTED": 2 * 10_000, "cases.rest": 2 * 10_000,
			"summary.count": 214 * 10_000, "summary.installments": 1432 * 10_000, "summary.gross": int64(brl("184230.10")),
			"summary.difference": int64(brl("-1204.57")),
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", language, d)
		}
	}
}

// A page that was changed, cut or contradicts itself is refused.
func TestReaderRefuses(t *testing.T) {
	t.Parallel()
	whole := string(written(t, sample("pt-BR")))
	for _, tc := range []struct{ why, old, new, want string }{
		{"the shown number was changed", ">1.204,57</data>", ">1.204,75</data>", "should show"},
		{"the value was changed", `value="1204.57"`, `value="1204.75"`, "should show"},
		{"both were changed, so the parts miss the whole", `value="1204.57" data-f="causes.lost">1.204,57`, `value="1204.75" data-f="causes.lost">1.204,75`, "lost and late"},
		{"a cause was changed", `value="700.00" data-f="cause.MDR_RATE_MISMATCH">700,00`, `value="900.00" data-f="cause.MDR_RATE_MISMATCH">900,00`, "causes do not add up"},
		{"a count was changed", `value="20" data-f="cases.MDR_RATE_MISMATCH">20`, `value="21" data-f="cases.MDR_RATE_MISMATCH">21`, "causes do not add up"},
		{"a figure lost its name", ` data-f="causes.lost"`, ``, "cannot be read"},
		{"a figure has two values", "</main>", `<data value="1.00" data-f="causes.excess">1,00</data></main>`, "has two values"},
		{"a script was put in", "</main>", "<script>1</script></main>", "<script"},
		{"the end is missing", "</html>\n", "", "written whole"},
		{"the language is another", `lang="pt-BR"`, `lang="en"`, "should show"},
		{"what is missing is missing", `data-f="causes.excess"`, `data-f="causes.other"`, "causes.excess is not there"},
	} {
		if !strings.Contains(whole, tc.old) {
			t.Fatalf("%s: the page has no %q", tc.why, tc.old)
		}
		_, err := html.Read(strings.NewReader(strings.Replace(whole, tc.old, tc.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", tc.why, err, tc.want)
		}
	}
}

// The first screen comes in the order finance asks in.
func TestOrderOfThePage(t *testing.T) {
	t.Parallel()
	p := sample("pt-BR")
	p.Accounts = []html.Account{{Number: "1002", Level: html.Bad, Verdict: "incompleto"}, {Number: "1001", Verdict: "conciliado"}}
	body := string(written(t, p))
	at := 0
	for _, want := range []string{
		"<h1>", `class="accounts"`, "<b>1002</b>", "<b>1001</b>", `class="verdict bad"`, "Não avaliado", `data-f="causes.missing"`, `data-f="causes.lost"`,
		`data-f="causes.late"`, `data-f="causes.at_risk"`, `data-f="causes.claimed"`, `data-f="causes.excess"`, `data-f="cause.RECEIVED_OVERDUE"`, `data-f="cause.SLIP_CREDIT_OVERDUE"`,
		`data-f="cause.MDR_RATE_MISMATCH"`, `data-f="cause.RECEIVED_VALUE_MISMATCH"`, `data-f="cause.FEE_UNEXPECTED"`, `data-f="cause.rest"`,
		`id="todo"`, `id="ages"`, `id="at-risk"`, `id="excess"`, `id="bridge"`, `id="agenda"`, `id="waterfall"`, `id="tables"`, `id="control"`, "<footer>",
	} {
		i := strings.Index(body[at:], want)
		if i < 0 {
			t.Fatalf("%q does not come after what should stand before it", want)
		}
		at += i
	}
}

// Whatever a name or a note holds, it is text.
func TestTextsAreNoMarkup(t *testing.T) {
	t.Parallel()
	const evil = `"><script>alert(1)</script><data value="9.99" data-f="causes.lost">9,99</data><img src=x onerror=1>{{.}}`
	plain := written(t, sample("en"))
	p := sample("en")
	p.Heading, p.Subtitle, p.Verdict, p.Name, p.Digest = evil, evil, evil, evil, evil
	p.Blind, p.Withheld = []string{evil}, []string{evil}
	p.Accounts = []html.Account{{Number: evil, Name: evil, Verdict: evil, Note: evil}}
	for i := range p.Missing.Causes {
		c := &p.Missing.Causes[i]
		c.Title, c.Owner, c.Next = evil, evil, evil
	}
	p.Bridge[0].Heading, p.Bridge[0].Note, p.Bridge[0].Lines[0].Label, p.Steps[0].Label = evil, evil, evil, evil
	p.Days[0].Heading, p.Days[0].First, p.Days[0].Days[0].Label, p.Agenda.Note = evil, evil, evil, evil
	p.Tables[0].Heading, p.Tables[0].Files, p.Tables[0].Columns[0].Header = evil, evil, evil
	p.Tables[0].Rows[0][1] = evil
	p.Control.File, p.Control.Lines[0].Detail, p.Control.Figures[0].Measure = evil, evil, evil
	got := written(t, p)
	figures, err := html.Read(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := html.Read(bytes.NewReader(plain))
	if d := cmp.Diff(want, figures); d != "" {
		t.Errorf("a text changed what is read back:\n%s", d)
	}
	if strings.Contains(string(got), "<script") || strings.Contains(string(got), "<img") {
		t.Error("a text became markup")
	}
}

// Nothing is fetched or run, and what shows a picture says what it is.
func TestPageIsSelfContainedAndAccessible(t *testing.T) {
	t.Parallel()
	body := string(written(t, sample("pt-BR")))
	for _, never := range []string{"http:", "https:", "//", " src=", "@import", "javascript", " on", "style=\""} {
		text := regexp.MustCompile(`>[^<]*<`).ReplaceAllString(body, "><")
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if n := len(regexp.MustCompile(`url\((?:[^#])`).FindAllString(body, -1)); n > 0 {
		t.Errorf("the page fetches %d pictures", n)
	}
	charts := regexp.MustCompile(`<svg viewBox="0 0 3600[^>]*>(?:<title>[^<]+</title>)?`).FindAllString(body, -1)
	if len(charts) != 4 {
		t.Errorf("%d charts, want the waterfall, the days, the ages and the agenda", len(charts))
	}
	for _, c := range charts {
		if !strings.Contains(c, `role="img"`) || !strings.Contains(c, "<title>") {
			t.Errorf("a chart without role or title: %s", c)
		}
	}
	for _, th := range regexp.MustCompile(`<th[ >][^>]*`).FindAllString(body, -1) {
		if !strings.Contains(th, "scope=") {
			t.Errorf("a heading cell without scope: %s", th)
		}
	}
	for _, want := range []string{"prefers-color-scheme:dark", "@page{size:A4", `name="viewport"`, `<html lang="pt-BR">`, "<title>"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestWriterRefusesCausesThatDoNotAddUp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		change func(*html.Missing)
	}{
		{"what is lost is of no cause", func(m *html.Missing) { m.Figures.Lost += ledger.Cent }},
		{"nor is what is at risk", func(m *html.Missing) { m.AtRisk = nil }},
		{"a figure is shown otherwise than it is", func(m *html.Missing) { m.Lines[0].Amount += ledger.Cent }},
		{"a cause is a cent short", func(m *html.Missing) { m.Causes[6].Amount -= ledger.Cent }},
		{"a case is not counted", func(m *html.Missing) { m.Causes[0].Cases-- }},
		{"the excess is of no cause", func(m *html.Missing) { m.Gained = nil }},
	} {
		p := sample("pt-BR")
		tc.change(&p.Missing)
		if err := html.Write(&bytes.Buffer{}, p); err == nil {
			t.Errorf("%s: it was written", tc.why)
		}
	}
}

// A night without a case and without a row is a page too.
func TestEmptyPage(t *testing.T) {
	t.Parallel()
	p := html.Page{
		Language: "pt-BR", Name: "1001_asof_20261118_20261118", Heading: "Conta 1001", Verdict: "conciliado",
		Missing: html.Missing{Lines: figureLines(ledger.Figures{}, func(pt, _ string) string { return pt })},
		Steps:   []html.Step{{Label: "Valor bruto", Total: true}, {Label: "Líquido esperado", Total: true}}, Days: []html.Days{{Heading: "Dias"}},
		Tables: []html.Table{{ID: "exceptions", Heading: "Exceções", Columns: []html.Column{{Header: "Conta"}, {Header: "Impacto", Number: true, Measure: "impact"}}}},
	}
	got, err := html.Read(bytes.NewReader(written(t, p)))
	if err != nil || got["causes.missing"] != 0 || got["exceptions.impact"] != 0 || len(got) != 9 {
		t.Errorf("got %v, %v", got, err)
	}
}

// What rests on something withheld is not shown as nothing.
func TestUnknownIsNotZero(t *testing.T) {
	t.Parallel()
	p := html.Page{Language: "en", Name: "n", Missing: html.Missing{Unknown: true, Note: "cards are withheld"}}
	body := written(t, p)
	got, err := html.Read(bytes.NewReader(body))
	if err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
	if !strings.Contains(string(body), "not known") || !strings.Contains(string(body), "cards are withheld") {
		t.Error("the page does not say that it does not know")
	}
}

// The reader takes any bytes without a panic, and what it accepts has what every page has.
func FuzzRead(f *testing.F) {
	f.Add(written(f, sample("pt-BR")))
	f.Add(written(f, sample("en")))
	f.Add([]byte("<!doctype html>\n<html lang=\"en\">\n<data value=\"1\" data-f=\"causes.count\">1</data></html>\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := html.Read(bytes.NewReader(b))
		if err == nil && got["causes.lost"]+got["causes.late"] != got["causes.missing"] {
			t.Errorf("accepted %v", got)
		}
	})
}
