package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"concilia/config/problem"
	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// chartFile is the file of a chart as an office writes it.
type chartFile struct {
	Method    string                 `yaml:"method"`
	Grain     string                 `yaml:"grain"`
	Company   string                 `yaml:"company"`
	Skip      []string               `yaml:"skip"`
	Roles     map[string]accountFile `yaml:"roles"`
	Overrides []struct {
		Account int64                  `yaml:"account"`
		Brand   string                 `yaml:"brand"`
		Roles   map[string]accountFile `yaml:"roles"`
	} `yaml:"overrides"`
	Columns []struct {
		Header string `yaml:"header"`
		Value  string `yaml:"value"`
	} `yaml:"columns"`
	Layout string `yaml:"layout"`
}

type accountFile struct {
	Code string `yaml:"code"`
	Path string `yaml:"path"`
}

var (
	codePattern   = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z./-]{0,29}$`)
	digitsPattern = regexp.MustCompile(`^[0-9]{1,20}$`) // a code that Domínio takes
	pathPattern   = regexp.MustCompile(`^(Assets|Liabilities|Equity|Income|Expenses)(:[A-Z][A-Za-z0-9-]*)+$`)
	cnpjPattern   = regexp.MustCompile(`^[0-9A-Z]{12}[0-9]{2}$`)
)

// maxChart bounds a file in bytes.
const maxChart = 1 << 20

// ParseChart reads a chart. name is what its problems call it; the error is a problem.List of everything that is wrong.
func ParseChart(name string, data []byte) (*Chart, error) {
	p := &chartParser{name: name}
	var f chartFile
	if len(data) > maxChart {
		p.add("", "", words.NewMessage("want.at_most_mib", "most", maxChart>>20))
		return nil, p.problems.Err()
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		var wrong *yaml.TypeError
		if !errors.As(err, &wrong) {
			p.add("", "", words.NewMessage("problem.not_yaml", "cause", strings.TrimPrefix(err.Error(), "yaml: ")))
			return nil, p.problems.Err()
		}
		for _, text := range wrong.Errors {
			p.add("", "", words.NewMessage("problem.text", "cause", text))
		}
		return nil, p.problems.Err()
	}
	c := &Chart{Method: bookkeeping.Accrual, Grain: ByDay, Company: f.Company, Roles: p.readRoles("roles", f.Roles), Layout: ByLine}
	p.readWords(&f, c)
	for i, o := range f.Overrides {
		key := fmt.Sprintf("overrides[%d]", i)
		if o.Account < 0 {
			p.add(key+".account", fmt.Sprint(o.Account), words.NewMessage("want.the_account_number"))
		}
		c.Overrides = append(c.Overrides, Override{ledger.Account(o.Account), o.Brand, p.readRoles(key+".roles", o.Roles)})
	}
	p.readColumns(&f, c)
	return c, p.problems.Err()
}

// chartParser collects problems.
type chartParser struct {
	name     string
	problems problem.List
}

func (p *chartParser) add(key, value string, want words.Message) {
	p.problems = append(p.problems, problem.Problem{File: p.name, Key: key, Value: problem.Shown(value), Want: want})
}

// readWords reads the values that are words of a set, and the company.
func (p *chartParser) readWords(f *chartFile, c *Chart) {
	if f.Method != "" {
		if c.Method = bookkeeping.Method(f.Method); !slices.Contains(bookkeeping.Methods(), c.Method) {
			p.add("method", f.Method, words.NewMessage("want.method"))
		}
	}
	if f.Grain != "" {
		if c.Grain = Grain(f.Grain); c.Grain != ByDay && c.Grain != ByRow {
			p.add("grain", f.Grain, words.NewMessage("want.grain"))
		}
	}
	if f.Company != "" && !cnpjPattern.MatchString(f.Company) {
		p.add("company", "", words.NewMessage("want.company"))
	}
	skippable := slices.DeleteFunc(bookkeeping.EntryTypes(), func(t bookkeeping.EntryType) bool { return t == bookkeeping.EntryOpening })
	for i, word := range f.Skip {
		t := bookkeeping.EntryType(word)
		if !slices.Contains(skippable, t) {
			p.add(fmt.Sprintf("skip[%d]", i), word, words.NewMessage("want.entry", "names", joinWords(skippable)))
			continue
		}
		c.Skip = append(c.Skip, t)
	}
}

// readColumns reads what the office's own CSV is like. A file can be proved only by amounts that are in it.
func (p *chartParser) readColumns(f *chartFile, c *Chart) {
	if f.Layout != "" {
		if c.Layout = Layout(f.Layout); c.Layout != ByLine && c.Layout != ByPair {
			p.add("layout", f.Layout, words.NewMessage("want.chart_layout"))
			return
		}
	}
	for i, column := range f.Columns {
		key := fmt.Sprintf("columns[%d]", i)
		switch {
		case strings.TrimSpace(column.Header) == "" || strings.ContainsAny(column.Header, "\r\n"):
			p.add(key+".header", column.Header, words.NewMessage("want.column_header"))
		case slices.ContainsFunc(c.Columns, func(o Column) bool { return o.Header == column.Header }):
			p.add(key+".header", column.Header, words.NewMessage("want.header_once"))
		}
		switch {
		case !slices.Contains(c.Layout.Values(), column.Value):
			p.add(key+".value", column.Value, words.NewMessage("want.layout_value", "layout", c.Layout, "names", strings.Join(c.Layout.Values(), ", ")))
		case slices.ContainsFunc(c.Columns, func(o Column) bool { return o.Value == column.Value }):
			p.add(key+".value", column.Value, words.NewMessage("want.value_once"))
		}
		c.Columns = append(c.Columns, Column(column))
	}
	for _, id := range c.Layout.sums() {
		if !slices.Contains(c.OwnValues(), id) {
			p.add("columns", "", words.NewMessage("want.sum_column", "value", id))
		}
	}
}

func (p *chartParser) readRoles(key string, roles map[string]accountFile) map[bookkeeping.Role]Account {
	out := make(map[bookkeeping.Role]Account, len(roles))
	names := make([]string, 0, len(roles))
	for name := range roles {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		a, key := roles[name], key+"."+name
		if !slices.Contains(bookkeeping.Roles(), bookkeeping.Role(name)) {
			p.add(key, "", words.NewMessage("want.role", "names", joinWords(bookkeeping.Roles())))
			continue
		}
		if a.Code != "" && !codePattern.MatchString(a.Code) {
			p.add(key+".code", a.Code, words.NewMessage("want.reduced_code"))
		}
		if a.Path != "" && !pathPattern.MatchString(a.Path) {
			p.add(key+".path", a.Path, words.NewMessage("want.account_path"))
		}
		out[bookkeeping.Role(name)] = Account(a)
	}
	return out
}

func joinWords[T ~string](all []T) string {
	out := make([]string, len(all))
	for i, w := range all {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}
