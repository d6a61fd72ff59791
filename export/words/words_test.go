package words

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

var idForm = regexp.MustCompile(`^[a-z_]+\.[a-z0-9_]+$`)

var placeholderName = regexp.MustCompile(`\{([a-z_]+)\}`)

// placeholdersOf are the names in a text, each once, sorted.
func placeholdersOf(forms ...string) []string {
	var out []string
	for _, form := range forms {
		for _, m := range placeholderName.FindAllStringSubmatch(form, -1) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// allIDs are the ids of the texts of a file.
func allIDs(f *messageFile) []string {
	var out []string
	for group, texts := range f.Texts {
		for name := range texts() {
			out = append(out, group+"."+name)
		}
	}
	slices.Sort(out)
	return out
}

func TestEveryTextIsInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, id := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(allIDs(english()), allIDs(portuguese()))))) {
		en, inEnglish := findMessage(english(), id)
		pt, inPortuguese := findMessage(portuguese(), id)
		if !inEnglish || !inPortuguese {
			t.Errorf("%s: in English %v, in Portuguese %v", id, inEnglish, inPortuguese)
			continue
		}
		if a, b := placeholdersOf(en.Singular, en.Plural), placeholdersOf(pt.Singular, pt.Plural); !slices.Equal(a, b) {
			t.Errorf("%s: en names %v, pt-BR %v", id, a, b)
		}
		for _, text := range []string{en.Plural, pt.Plural} {
			if text == "" || strings.TrimSpace(text) != text {
				t.Errorf("%s: %q is empty, or begins or ends with a space", id, text)
			}
		}
	}
	if len(english().Labels) != 0 {
		t.Error("en.yaml has labels: English reports show the ids")
	}
	for kind, labels := range portuguese().Labels {
		for id, word := range labels() {
			if word == "" {
				t.Errorf("%s %q has no word", kind, id)
			}
		}
	}
}

// englishWords are words that sentences in Portuguese do not have; keys of the configuration and commands are as they are.
var (
	englishWords = regexp.MustCompile(`(?i)\b(?:the|of|is|are|was|were|and|with|without|none|nothing|not|there|that|this|which|it|its|by|an|one|what|has|have|such|` +
		`days?|rows?|files?|sales?|missing|line)\b`)
	notSentences = regexp.MustCompile("`[^`]*`|--[a-z-]+|\\bconcilia [a-z]+(?: [a-z]+)*|\\b\\w+[._:/]\\S+|\\{[a-z_]+\\}|CONCILIA_\\w+")
)

// What people read in Portuguese is Portuguese.
func TestPortugueseTextsHaveNoEnglishWords(t *testing.T) {
	t.Parallel()
	for _, id := range allIDs(portuguese()) {
		m, _ := findMessage(portuguese(), id)
		for _, text := range []string{m.Singular, m.Plural} {
			if word := englishWords.FindString(notSentences.ReplaceAllString(text, "")); word != "" {
				t.Errorf("%s: %q in %q", id, word, text)
			}
		}
	}
}

// spokenPackages are those whose errors people read as they are.
var spokenPackages = []string{
	"cmd/concilia/command", "cmd/concilia/exit", "cmd/concilia/wire", "config", "export/publish", "export/verify", "jobs/api", "jobs/sales/nfe", "jobs/sales/table",
}

// What people are told of an error is a text of these files: a sentence in the code would be read in English, whatever --lang says.
func TestErrorsForPeopleAreNotWrittenInTheCode(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, root := range spokenPackages {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			seen++
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				if name := nameOfCall(call); name != "New" && name != "Errorf" {
					return true
				}
				if text := literalOf(call.Args[0]); englishWords.MatchString(text) {
					t.Errorf("%s: the error %q is in no file of messages", path, text)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 50 {
		t.Errorf("only %d files were looked at", seen)
	}
}

// computedIDs are the beginnings of ids that the program puts together.
var computedIDs = []string{
	"figures.", "verdicts.", "notes.", "bridge.", "control_notes.", "control_items.", "control_warnings.",
	"counts.", "exits.code_", "bank_notes.", "revision.", "workbook.subtotals_by_", "find.as_", "find.kind_", "find.check_digit", "desk.day_", "desk.own_is_", "desk.own_day_", "desk.own_level_", "desk.sort_",
	"desk.weekday_", "desk.owner_", "weekdays.", "severities.", "roles.", "run_kinds.", "run_states.", "units.", "kinds.", "formats.", "bases.",
	"desk.month_act_", "desk.bank_match_means", "desk.bank_unmatch_means", "desk.close_month_means", "desk.reopen_month_means", "desk.month_proposed", "desk.month_standing",
	"desk.month_waiting", "desk.will_", "deposit_reasons.", "desk.slip_overdue", "desk.slip_credit_overdue", "desk.slip_not_credited", "desk.slip_open", "desk.slip_is_",
	"mail.alarm_", "letter.account", "letter.as_of", "letter.bank", "letter.document", "letter.holder", "letter.protocol", "letter.to", "account_names.", "verbs.", "item.step_", "item.date_", "item.reason_",
	"obstacle.", "cause.", "inspect.", "cnab_fault.is_", "http_status.", "error.no_basis", "error.no_format", "error.no_kind",
}

// A text that the program asks for exists and is given the values that it names; a text that exists is asked for.
func TestTextsAreAskedForWithTheirValues(t *testing.T) {
	t.Parallel()
	asked := map[string][]string{} // id: the names of values
	literals := map[string]bool{}
	for _, root := range []string{"..", "../../cmd/concilia", "../../config", "../../jobs", "../../store"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			switch {
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				collectCalls(t, path, asked, literals)
			case strings.HasSuffix(path, ".tmpl"):
				collectTemplateCalls(t, path, asked)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for ids, given := range asked {
		var wants []string
		for id := range strings.FieldsSeq(ids) {
			m, ok := findMessage(english(), id)
			if !ok {
				t.Errorf("%s is asked for and is not there", id)
				continue
			}
			wants = append(wants, placeholdersOf(m.Singular, m.Plural)...)
			if m.Singular != "" {
				wants = append(wants, "n")
			}
		}
		if wants = slices.Compact(slices.Sorted(slices.Values(wants))); !slices.Equal(wants, given) {
			t.Errorf("%s is given %v and names %v", ids, given, wants)
		}
	}
	for _, id := range allIDs(english()) {
		isComputed := slices.ContainsFunc(computedIDs, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
		if _, ok := asked[id]; !ok && !literals[id] && !isComputed {
			t.Errorf("no code asks for %s", id)
		}
	}
	if len(asked) < 100 {
		t.Errorf("only %d texts were found in the code", len(asked))
	}
}

// textFunctions are the functions that are given the id of a text and its values, by how many arguments come before it.
var textFunctions = map[string]int{
	"text": 0, "word": 0, "startSection": 0, "portugueseText": 0, "NewMessage": 0,
	"addFault": 2, "addWarning": 2, "addFieldFault": 3, "Text": 1, "AddText": 1, "WithHint": 1, "addIf": 1, "newRefusal": 1, "newRefusalIn": 2,
	"newLimitError": 0, "newURLError": 0,
}

// pairFunctions are given the ids of an error and of its hint, then the values of both, behind so many arguments.
var pairFunctions = map[string]int{"NewFault": 0, "NewUsageError": 0, "NewRequestError": 0, "NewRefusal": 1}

// collectCalls finds the calls of textFunctions with a literal id.
func collectCalls(t *testing.T, path string, asked map[string][]string, literals map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit := literalOf(n); lit != "" {
			literals[lit] = true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if call.Ellipsis.IsValid() {
			return true // the values are not written here
		}
		name := nameOfCall(call)
		if before, ok := pairFunctions[name]; ok && len(call.Args) > before+1 {
			ids, values := call.Args[before:before+2], call.Args[before+2:]
			for _, a := range ids {
				if text := literalOf(a); text != "" && !idForm.MatchString(text) {
					t.Errorf("%s: %q is no id: people would read it in any language", path, text)
				}
			}
			if idForm.MatchString(literalOf(ids[0])) {
				asked[strings.TrimSpace(literalOf(ids[0])+" "+literalOf(ids[1]))] = namesOf(values)
			}
		}
		before, ok := textFunctions[name]
		if _, method := call.Fun.(*ast.SelectorExpr); !method && (name == "Text" || name == "AddText" || name == "WithHint") {
			before = 0
		}
		if ok && len(call.Args) > before && idForm.MatchString(literalOf(call.Args[before])) {
			asked[literalOf(call.Args[before])] = namesOf(call.Args[before+1:])
		}
		return true
	})
}

// nameOfCall is the name of the function that is called.
func nameOfCall(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// namesOf are the names among names and values, sorted.
func namesOf(args []ast.Expr) (names []string) {
	for i := 0; i < len(args); i += 2 {
		names = append(names, literalOf(args[i]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// literalOf is the value of a literal text; empty for everything else.
func literalOf(n ast.Node) string {
	if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if s, err := strconv.Unquote(lit.Value); err == nil {
			return s
		}
	}
	return ""
}

var (
	templateCall  = regexp.MustCompile(`\bw "([a-z0-9_.]+)"((?: "[a-z_]+" (?:\([^)]*\)|[^ })]+))*)`)
	templateValue = regexp.MustCompile(` "([a-z_]+)" `)
)

func collectTemplateCalls(t *testing.T, path string, asked map[string][]string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range templateCall.FindAllStringSubmatch(string(content), -1) {
		var names []string
		for _, v := range templateValue.FindAllStringSubmatch(m[2], -1) {
			names = append(names, v[1])
		}
		slices.Sort(names)
		asked[m[1]] = names
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		why, language, id string
		values            []any
		want              string
	}{
		{"a text", "en", "control.verdict", nil, "Verdict"},
		{"in Portuguese", "pt-BR", "control.verdict", nil, "Veredito"},
		{"any other language is Portuguese", "", "control.verdict", nil, "Veredito"},
		{"with values", "pt-BR", "page.basis_and_period", []any{"basis", "data da venda", "from", "01/11/2026", "to", "30/11/2026"}, "por data da venda · 01/11/2026 a 30/11/2026"},
		{"a value that looks like a placeholder stays", "en", "page.account", []any{"account", "{account}"}, "Account {account}"},
		{"one", "pt-BR", "control.eligible", []any{"n", int64(1)}, "1 elegível"},
		{"none is as many", "pt-BR", "control.eligible", []any{"n", 0}, "0 elegíveis"},
		{"many", "pt-BR", "control.eligible", []any{"n", 2}, "2 elegíveis"},
		{"an unknown id", "en", "no.text", nil, "no.text"},
	} {
		if got := Text(row.language, row.id, row.values...); got != row.want {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
	if got := []string{Label("pt-BR", "cause", "charged_back"), Label("en", "cause", "charged_back"), Name("en", "cause", "charged_back"), Label("pt-BR", "cause", "else")}; !slices.Equal(got,
		[]string{"chargeback", "charged_back", "charged back", "else"}) {
		t.Errorf("labels: %q", got)
	}
}

// Every part of an error that has a text in both languages is written in the reader's, and what the system says by its kind.
func TestTextOfTellsEveryPart(t *testing.T) {
	t.Parallel()
	refusal := NewRefusal("cut", "refused.no_ofx", "remedy.ofx")
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	_, missing := os.Open("not-there")
	for _, row := range []struct {
		why string
		err error
		pt  string
	}{
		{"a library's error", errors.New("broken"), "broken"},
		{"a refusal within another error", fmt.Errorf("a.ofx: %w", refusal), "a.ofx: não há <OFX> no arquivo: peça ao banco o OFX"},
		{"two of them", errors.Join(fmt.Errorf("a: %w", refusal), fmt.Errorf("b: %w", refusal)), "a: não há <OFX> no arquivo: peça ao banco o OFX\nb: não há <OFX> no arquivo: peça ao banco o OFX"},
		{"a connection", fmt.Errorf("ledger: %w", refused), "ledger: conexão recusada (dial tcp: connect: connection refused)"},
		{"a file", missing, "não existe (" + missing.Error() + ")"},
		{"a name", &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, "não há servidor com esse nome (lookup x: no such host)"},
		{"a time", context.DeadlineExceeded, "tempo esgotado (context deadline exceeded)"},
		{"a full disk", &fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}, "disco cheio (write f: " + syscall.ENOSPC.Error() + ")"},
	} {
		if got := TextOf(row.err, "pt-BR"); got != row.pt {
			t.Errorf("%s: %q, want %q", row.why, got, row.pt)
		}
		if got := TextOf(row.err, "en"); got != row.err.Error() {
			t.Errorf("%s: in English %q, want %q", row.why, got, row.err)
		}
	}
}

// What is kept of a message until it is known who reads it says the same then; what is no message says itself.
func TestPackedMessagesAreReadInBothLanguages(t *testing.T) {
	t.Parallel()
	m := NewMessage("own_fault.payment", "n", 2, "fault", NewMessage("own_fault.no_member", "member", "sale_id"))
	got := Unpack(m.Pack())
	if en, pt := got.In("en"), got.In("pt-BR"); en != m.In("en") || pt != "pagamento 2: falta sale_id" {
		t.Errorf("%s: %q and %q", m.Pack(), en, pt)
	}
	for _, text := range []string{"", "bad", `["no.text"]`, `["own_fault.no_member","member"]`, `[1]`, `{}`} {
		if said := Unpack(text).In("pt-BR"); said != text {
			t.Errorf("%q says %q", text, said)
		}
	}
}

// A corrected file that cannot be read says where.
func TestFaultsOfAFile(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"# words\ntexts:\n  page:\n    a: {one: x}\n":               "line 4: wants the forms one and other",
		"texts:\n  page:\n    a: {one: x, other: y, many: z}\n":     "line 3: wants the forms one and other",
		"text:\n  page:\n    a: x\n":                                "line 1: there is no section text",
		"texts:\n  page:\n    a: x\nlabels:\n  page:\n    b: [x]\n": "line 6: cannot unmarshal",
		"texts:\n  page:\n    a: x\n    a: y\n":                     "line 4: mapping key \"a\" already defined",
		"texts:\n  page:\n    a: x\n  # again\n  page:\n    b: x\n": "line 5: wants a new key",
		"texts: {page: {a: x}}\n":                                   "line 1: wants a new key",
		"texts:\n  page: {a: x}\n":                                  "line 2: wants a new key",
		"texts:\n    page:\n      a: x\n":                           "line 2: wants a new key",
		"texts:\n  page:\n    a: x\n this: y\n":                     "line 4: wants a new key",
		"texts:\n  page:\n    a: x\n   b: y\n":                      "did not find expected <document start>",
	} {
		if err := readAll(content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", content, err, want)
		}
	}
	if kinds := slices.Collect(maps.Keys(portuguese().Labels)); len(kinds) < 20 {
		t.Errorf("labels of %v", kinds)
	}
}

// readAll reads every group and kind of a file.
func readAll(content string) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
	}()
	f, err := parseMessages(content)
	if err != nil {
		return err
	}
	for _, read := range f.Texts {
		read()
	}
	for _, read := range f.Labels {
		read()
	}
	return nil
}

// What is read of the files group by group is what they say as a whole.
func TestGroupsAreThoseOfTheWholeFile(t *testing.T) {
	t.Parallel()
	for _, content := range []string{englishText, portugueseText} {
		type wholeFile struct {
			Texts  map[string]map[string]message
			Labels map[string]map[string]string
		}
		var want wholeFile
		d := yaml.NewDecoder(strings.NewReader(content))
		d.KnownFields(true)
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		f, err := parseMessages(content)
		if err != nil {
			t.Fatal(err)
		}
		got := wholeFile{Texts: map[string]map[string]message{}}
		for group, read := range f.Texts {
			got.Texts[group] = read()
		}
		for kind, read := range f.Labels {
			if got.Labels == nil {
				got.Labels = map[string]map[string]string{}
			}
			got.Labels[kind] = read()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the whole file (-) and its groups (+):\n%s", diff)
		}
	}
}
