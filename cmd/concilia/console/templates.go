package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/view/salesview"
	"concilia/export/words"
	"concilia/store/ledger"
)

//go:embed templates static
var embedded embed.FS

// templates are the pages in one language, by name.
type templates struct{ pages map[string]*template.Template }

func (t *templates) execute(w io.Writer, name string, f *frame) error {
	page, ok := t.pages[name]
	if !ok {
		return fmt.Errorf("there is no template %q", name)
	}
	return page.ExecuteTemplate(w, "layout", f)
}

// parseTemplates reads the layout and every page in a language.
func (c *Console) parseTemplates(lang string) (*templates, error) {
	const dir = "templates"
	base, err := template.New("").Funcs(c.functions(lang)).ParseFS(embedded, dir+"/layout.tmpl", dir+"/parts.tmpl")
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(embedded, dir+"/*.tmpl")
	if err != nil {
		return nil, err
	}
	out := &templates{map[string]*template.Template{}}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".tmpl")
		if name == "layout" || name == "parts" {
			continue
		}
		page, err := template.Must(base.Clone()).ParseFS(embedded, file)
		if err != nil {
			return nil, err
		}
		out.pages[name] = page
	}
	return out, nil
}

// functions are what templates may call: texts, addresses, and the spelling of amounts, dates and ids.
func (c *Console) functions(lang string) template.FuncMap {
	return template.FuncMap{
		"w":        func(id string, values ...any) string { return keepTogether(words.Text(lang, id, values...)) },
		"label":    func(kind string, id any) string { return words.Name(lang, kind, fmt.Sprint(id)) },
		"name":     func(group string, id any) string { return nameOf(lang, group, fmt.Sprint(id)) },
		"verdict":  func(v ledger.Verdict) string { return words.Text(lang, "verdicts."+string(v)) },
		"level":    levelOf,
		"url":      func(parts ...any) string { return c.Prefix + joinPath(parts) },
		"subject":  url.PathEscape,
		"itemLink": c.itemLink,
		"itemName": func(subject string, slips map[string]string) string {
			return keepTogether(nameSubject(lang, subject, slips))
		},
		"term":      func(term string) string { return spellTerm(term, lang) },
		"spell":     func(text string) string { return caseview.SpellValue(text, lang) },
		"source":    func(s any) string { return caseview.SpellSource(fmt.Sprint(s), lang) },
		"money":     func(a any) (string, error) { return spellMoney(a, lang) },
		"day":       func(d any) string { return spellDay(d, lang) },
		"moment":    func(i any) (string, error) { return spellAnyMoment(i, lang, c.Zone) },
		"took":      func(s *view.Seconds) string { return view.Language(lang).FormatDuration(time.Duration(*s)) },
		"bytes":     func(n int64) string { return view.Language(lang).FormatBytes(n) },
		"keep":      keepTogether,
		"breaks":    breakable,
		"gain":      func(amount string) string { return strings.TrimPrefix(amount, "-") },
		"tableName": tableName,
		"count":     func(n any) string { return spellCount(n, lang) },
		"figures":   caseview.FigureRows,
		"month":     func(d ledger.Date) string { return spellMonth(d, lang) },
		"isoMonth":  ledger.MonthText,
		"dayMonth":  func(d ledger.Date) string { return spellDayMonth(d, lang) },
		"weekday": func(d ledger.Date) string {
			return words.Text(lang, "desk.weekday_"+strconv.Itoa(weekdayFromMonday(d)+1))
		},
		"share":     shareOf,
		"percent":   func(tenths int64) string { return spellTenths(tenths, lang) },
		"base":      path.Base,
		"short":     func(s string) string { return s[:min(len(s), 8)] },
		"plain":     caseview.PlainFigures,
		"figure":    func(f *caseview.RunFigures) ledger.Amount { return caseview.PlainFigures(f).Missing() },
		"tookOf":    func(s view.Seconds) string { return view.Language(lang).FormatDuration(time.Duration(s)) },
		"ruleTitle": func(code string) string { return caseview.RuleTitle(code, lang) },
		"add":       func(a, b int) int { return a + b },
		"total":     func(name string) string { return strings.ReplaceAll(words.Name(lang, "run_total", name), ".", ": ") },
		"document":  func(name string) string { return nameDocument(name, lang) },
		"storeWhy":  func(why string) string { return salesview.DescribeOpenDay(view.Language(lang), why) },
		"list":      func(all ...string) []string { return all },
		"has":       func(all []string, one string) bool { return slices.Contains(all, one) },
		"dict":      dict,
		"joined": func(all []ledger.Account) string {
			texts := make([]string, len(all))
			for i, a := range all {
				texts[i] = a.String()
			}
			return strings.Join(texts, ", ")
		},
	}
}

// keepTogether keeps an amount in a sentence on one line, with its sign.
func keepTogether(s string) string {
	return strings.NewReplacer("-R$ ", "\u2212R$\u00a0", "R$ -", "\u2212R$\u00a0", "R$ ", "R$\u00a0").Replace(s)
}

// tableName is the table that a file holds, or its kind where it holds several.
func tableName(f caseview.PublishedFile) string {
	if table, _, found := strings.Cut(path.Base(f.Path), "_"); found && table != "set" {
		return table
	}
	return f.Kind
}

func decimalPoint(lang string) string {
	if lang == "en" {
		return "."
	}
	return ","
}

// breakable is a code that may be broken behind its underscores.
func breakable(code string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(code), "_", "_<wbr>"))
}

// nameOf is the word for an id of a group of texts; the id itself where there is none.
func nameOf(lang, group, id string) string {
	if text := words.Text(lang, group+"."+id); text != group+"."+id {
		return text
	}
	return id
}

// nameDocument names a document that a run used, which may be one of an account.
func nameDocument(name, lang string) string {
	kind, account, _ := strings.Cut(name, " ")
	return strings.TrimSpace(words.Name(lang, "document", kind) + " " + account)
}

// dict is named values for a part of a page.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	if len(pairs)%2 != 0 {
		return nil, errors.New("dict wants a name and a value each")
	}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// joinPath joins the segments of a path, each escaped; the first begins with a slash and is taken as it is.
func joinPath(parts []any) string {
	var b strings.Builder
	for i, p := range parts {
		if i == 0 {
			fmt.Fprint(&b, p)
			continue
		}
		b.WriteString("/" + url.PathEscape(fmt.Sprint(p)))
	}
	return b.String()
}

// levelOf is how a verdict is coloured; its word and its sign say the same.
func levelOf(v ledger.Verdict) string {
	switch v {
	case ledger.Reconciled, ledger.ReconciledWithPending:
		return "good"
	case ledger.ReconciledWithWarnings:
		return "fair"
	case "":
		return "plain"
	}
	return "bad"
}

// spellMoney is an amount in reais with two decimals; empty for one that is absent.
func spellMoney(a any, lang string) (string, error) {
	switch v := a.(type) {
	case ledger.Amount:
		return view.SpellReais(v, lang), nil
	case view.Amount:
		return view.SpellReais(ledger.Amount(v), lang), nil
	case view.OptionalAmount:
		if !v.OK {
			return "", nil
		}
		return view.SpellReais(v.V, lang), nil
	case string:
		if v == "" {
			return "", nil
		}
		n, err := ledger.ParseAmount(v)
		return view.SpellReais(n, lang), err
	}
	return "", fmt.Errorf("%T is no amount", a)
}

// spellTerm is when the contract pays, such as D+1 bd for one business day.
func spellTerm(term, lang string) string {
	if days, ok := strings.CutSuffix(term, " bd"); ok && lang != "en" {
		return days + " d.u."
	}
	return term
}

// spellDay is a day as the language writes it, given as a date or as YYYY-MM-DD; empty for none.
func spellDay(d any, lang string) string {
	switch v := d.(type) {
	case ledger.Date:
		return view.SpellDate(v, lang)
	case string:
		if parsed, err := ledger.ParseDate(v); err == nil {
			return view.SpellDate(parsed, lang)
		}
		return v
	}
	return ""
}

// spellAnyMoment is spellMoment of an instant of either type.
func spellAnyMoment(i any, lang string, zone *time.Location) (string, error) {
	switch v := i.(type) {
	case view.Instant:
		return spellMoment(v, lang, zone), nil
	case time.Time:
		return spellMoment(view.Instant{Time: v}, lang, zone), nil
	}
	return "", fmt.Errorf("%T is no instant", i)
}

// spellMoment is an instant to the minute on the configured clock.
func spellMoment(i view.Instant, lang string, zone *time.Location) string {
	if i.IsZero() {
		return ""
	}
	if lang == "en" {
		return i.In(zone).Format("2006-01-02 15:04")
	}
	return i.In(zone).Format("02/01/2006 15:04")
}

// spellMonth is the month of a day: 11/2026, in English 2026-11.
func spellMonth(d ledger.Date, lang string) string {
	if lang == "en" {
		return ledger.MonthText(d)
	}
	return view.SpellDate(d, lang)[len("01/"):]
}

// spellDayMonth is a day without its year: 18/11, in English 11-18.
func spellDayMonth(d ledger.Date, lang string) string {
	text := view.SpellDate(d, lang)
	if lang == "en" {
		return text[len("2026-"):]
	}
	return text[:len("18/11")]
}

// spellCount is a number of things with its thousands apart.
func spellCount(n any, lang string) string {
	var v int64
	switch n := n.(type) {
	case int:
		v = int64(n)
	case int64:
		v = n
	}
	return view.Language(lang).FormatCount(v)
}

// shareOf is how much of the most an amount is, in percent.
func shareOf(a, most ledger.Amount) int64 {
	if a <= 0 || most <= 0 {
		return 0
	}
	return int64(min(100, a/max(1, most/100)))
}

// spellTenths is tenths of a percent, with a sign.
func spellTenths(tenths int64, lang string) string {
	sign := "+"
	if tenths < 0 {
		sign, tenths = "-", -tenths
	}
	return sign + spellCount(tenths/10, lang) + decimalPoint(lang) + strconv.FormatInt(tenths%10, 10) + "%"
}

// staticFiles serves the style sheet, the script and the icon. For each page a browser asks whether its copy of them is the one that
// there is, by the tag of its content, and is sent what is not.
func staticFiles() http.Handler {
	files, tags := http.FileServerFS(embedded), tagsOfStaticFiles()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		if tag, ok := tags[strings.TrimPrefix(r.URL.Path, "/")]; ok {
			w.Header().Set("ETag", tag)
		}
		files.ServeHTTP(w, r)
	})
}

// tagsOfStaticFiles are the tags of the files by their names: their content decides, not the program that has them.
func tagsOfStaticFiles() map[string]string {
	names, _ := fs.Glob(embedded, "static/*") // the pattern is well formed
	tags := make(map[string]string, len(names))
	for _, name := range names {
		content, err := embedded.ReadFile(name)
		if err != nil {
			panic(err) // part of the program
		}
		sum := sha256.Sum256(content)
		tags[name] = `"` + hex.EncodeToString(sum[:16]) + `"`
	}
	return tags
}
