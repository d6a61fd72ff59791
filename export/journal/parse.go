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
	"concilia/store/ledger"
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
}

type accountFile struct {
	Code string `yaml:"code"`
	Path string `yaml:"path"`
}

var (
	codePattern = regexp.MustCompile(`^[0-9]{1,20}$`)
	pathPattern = regexp.MustCompile(`^(Assets|Liabilities|Equity|Income|Expenses)(:[A-Z][A-Za-z0-9-]*)+$`)
	cnpjPattern = regexp.MustCompile(`^[0-9A-Z]{12}[0-9]{2}$`)
)

// maxChart bounds a file in bytes.
const maxChart = 1 << 20

// ParseChart reads a chart. name is what its problems call it; the error is a problem.List of everything that is wrong.
func ParseChart(name string, data []byte) (*Chart, error) {
	p := &chartParser{name: name}
	var f chartFile
	if len(data) > maxChart {
		p.add("", "", fmt.Sprintf("at most %d MiB", maxChart>>20))
		return nil, p.problems.Err()
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		var wrong *yaml.TypeError
		if !errors.As(err, &wrong) {
			p.add("", "", "YAML: "+strings.TrimPrefix(err.Error(), "yaml: "))
			return nil, p.problems.Err()
		}
		for _, text := range wrong.Errors {
			p.add("", "", text)
		}
		return nil, p.problems.Err()
	}
	c := &Chart{Method: ledger.Accrual, Grain: ByDay, Company: f.Company, Roles: p.readRoles("roles", f.Roles)}
	p.readWords(&f, c)
	for i, o := range f.Overrides {
		key := fmt.Sprintf("overrides[%d]", i)
		if o.Account < 0 {
			p.add(key+".account", fmt.Sprint(o.Account), "the number of an account")
		}
		c.Overrides = append(c.Overrides, Override{ledger.Account(o.Account), o.Brand, p.readRoles(key+".roles", o.Roles)})
	}
	return c, p.problems.Err()
}

// chartParser collects problems.
type chartParser struct {
	name     string
	problems problem.List
}

func (p *chartParser) add(key, value, want string) {
	p.problems = append(p.problems, problem.Problem{File: p.name, Key: key, Value: problem.Shown(value), Want: want})
}

// readWords reads the values that are words of a set, and the company.
func (p *chartParser) readWords(f *chartFile, c *Chart) {
	if f.Method != "" {
		if c.Method = ledger.Method(f.Method); !slices.Contains(ledger.Methods(), c.Method) {
			p.add("method", f.Method, "accrual or cash")
		}
	}
	if f.Grain != "" {
		if c.Grain = Grain(f.Grain); c.Grain != ByDay && c.Grain != ByRow {
			p.add("grain", f.Grain, "day or row")
		}
	}
	if f.Company != "" && !cnpjPattern.MatchString(f.Company) {
		p.add("company", "", "a CNPJ: fourteen characters without punctuation")
	}
	for i, word := range f.Skip {
		t := ledger.EntryType(word)
		if !slices.Contains(ledger.EntryTypes(), t) || t == ledger.EntryOpening {
			p.add(fmt.Sprintf("skip[%d]", i), word, "an entry: "+joinWords(ledger.EntryTypes()))
			continue
		}
		c.Skip = append(c.Skip, t)
	}
}

func (p *chartParser) readRoles(key string, roles map[string]accountFile) map[ledger.Role]Account {
	out := make(map[ledger.Role]Account, len(roles))
	names := make([]string, 0, len(roles))
	for name := range roles {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		a, key := roles[name], key+"."+name
		if !slices.Contains(ledger.Roles(), ledger.Role(name)) {
			p.add(key, "", "a role: "+joinWords(ledger.Roles()))
			continue
		}
		if a.Code != "" && !codePattern.MatchString(a.Code) {
			p.add(key+".code", a.Code, "digits, the reduced code of an account")
		}
		if a.Path != "" && !pathPattern.MatchString(a.Path) {
			p.add(key+".path", a.Path, "Assets, Liabilities, Equity, Income or Expenses, and parts after colons that begin with a capital letter")
		}
		out[ledger.Role(name)] = Account(a)
	}
	return out
}

func joinWords[T ~string](words []T) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}

// CheckRoles returns what the chart lacks for entries of sources, and of banks, in formats: a problem for each role without a code or a
// path, with the entry that needs it. Formats are csv and jsonl, which show either, and those of this package.
func (c *Chart) CheckRoles(name string, formats []string, sources []ledger.EventSource, banks bool) error {
	p := &chartParser{name: name}
	seen := map[ledger.Role]bool{}
	for _, t := range ledger.EntryTypes() {
		asked := slices.Contains(sources, ledger.CardEvents)
		switch {
		case t == ledger.EntryOpening:
			asked = true
		case t == ledger.EntryBank:
			asked = banks
		case strings.HasPrefix(string(t), "slip_"):
			asked = slices.Contains(sources, ledger.SlipEvents)
		}
		if c.Skips(t) || !asked {
			continue
		}
		for _, r := range RolesOf(t, c.Method) {
			if want, format := c.Roles[r].missingMember(formats); want != "" && !seen[r] {
				seen[r] = true
				p.add("roles."+string(r), "", fmt.Sprintf("%s: entry %s needs it in format %s", want, t, format))
			}
		}
	}
	return p.problems.Err()
}

// missingMember is what an account does not have that one of the formats shows; empty: it has what they all show.
func (a Account) missingMember(formats []string) (want, format string) {
	for _, f := range formats {
		switch {
		case Format(f) == Dominio && a.Code == "":
			return "a code", f
		case (Format(f) == Beancount || Format(f) == HLedger) && a.Path == "":
			return "a path", f
		case a == (Account{}):
			return "a code or a path", f
		}
	}
	return "", ""
}
