package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
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
		for name := range texts {
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
		for id, word := range labels {
			if word == "" {
				t.Errorf("%s %q has no word", kind, id)
			}
		}
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
	"obstacle.", "error.no_basis", "error.no_format", "error.no_kind",
}

// A text that the program asks for exists and is given the values that it names; a text that exists is asked for.
func TestTextsAreAskedForWithTheirValues(t *testing.T) {
	t.Parallel()
	asked := map[string][]string{} // id: the names of values
	literals := map[string]bool{}
	for _, root := range []string{"..", "../../cmd/concilia", "../../jobs"} {
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

// textFunctions are the functions that are given the id of a text; Text is given the language before it, AddText the name of
// a line.
var textFunctions = []string{"Text", "text", "word", "startSection", "portugueseText", "AddText", "NewMessage", "WithHint", "tell"}

// pairFunctions are given the ids of an error and of its hint, then the values of both.
var pairFunctions = []string{"NewFault", "NewUsageError", "NewRequestError"}

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
		args, single := call.Args, isCallOf(call, textFunctions)
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Text", "AddText", "WithHint"}, f.Sel.Name) && len(args) > 0 {
			args = args[1:]
		}
		if isCallOf(call, []string{"tell"}) && len(args) > 0 {
			args = args[1:]
		}
		if call.Ellipsis.IsValid() {
			return true // the values are not written here
		}
		for _, a := range args[:min(2, len(args))] {
			if text := literalOf(a); isCallOf(call, pairFunctions) && text != "" && !idForm.MatchString(text) {
				t.Errorf("%s: %q is no id: people would read it in any language", path, text)
			}
		}
		switch {
		case isCallOf(call, pairFunctions) && len(args) > 1 && idForm.MatchString(literalOf(args[0])):
			asked[strings.TrimSpace(literalOf(args[0])+" "+literalOf(args[1]))] = namesOf(args[2:])
		case single && len(args) > 0 && idForm.MatchString(literalOf(args[0])):
			asked[literalOf(args[0])] = namesOf(args[1:])
		}
		return true
	})
}

// isCallOf reports whether a call is of one of the functions.
func isCallOf(call *ast.CallExpr, names []string) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return slices.Contains(names, f.Name)
	case *ast.SelectorExpr:
		return slices.Contains(names, f.Sel.Name)
	}
	return false
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

// A corrected file that cannot be read says where.
func TestFaultsOfAFile(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"texts: {page: {a: {one: x}}}":                    "wants the forms one and other",
		"texts: {page: {a: {one: x, other: y, many: z}}}": "wants the forms one and other",
		"text: {}": "field text not found",
		"texts: {page: {a: x}}\nlabels: {page: {b: [x]}}": "cannot unmarshal",
	} {
		if _, err := parseMessages([]byte(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", content, err, want)
		}
	}
	if kinds := slices.Collect(maps.Keys(portuguese().Labels)); len(kinds) < 20 {
		t.Errorf("labels of %v", kinds)
	}
}
