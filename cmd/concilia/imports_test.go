package main

import (
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

// house says who may import whom among our own packages, tests aside. A name ending in /* stands for every package
// below it; a package that is not named here has no room in the house.
var house = map[string][]string{
	"store/ledger":               {},
	"store/ledger/banking":       {"store/ledger"},
	"store/ledger/bookkeeping":   {"store/ledger"},
	"store/ledger/ownsales":      {"store/ledger"},
	"store/ledger/ledgertest":    {"store/ledger", "store/ledger/banking"},
	"config/problem":             {"export/words"},
	"config":                     {"config/problem", "export/report/kindlist", "export/words"},
	"cmd/sandbox/world":          {},
	"export/xlsx":                {},
	"store/sqldb":                {"store/ledger", "export/words"},
	"store/machine":              {},
	"store/runs":                 {"store/machine", "store/sqldb", "store/ledger", "export/words"},
	"store/facts":                {"store/runs", "store/sqldb", "store/ledger", "store/ledger/banking"},
	"store/lookup":               {"store/facts", "store/sqldb", "store/ledger"},
	"store/caselog":              {"store/facts", "store/sqldb", "store/ledger", "export/words"},
	"store/totals":               {"store/facts", "store/sqldb", "store/ledger"},
	"store/results":              {"store/caselog", "store/lookup", "store/totals", "store/facts", "store/runs", "store/sqldb", "store/ledger", "export/words"},
	"store/restatements":         {"store/results", "store/facts", "store/sqldb", "store/ledger"},
	"store/published":            {"store/sqldb", "store/ledger"},
	"store/reports":              {"store/caselog", "store/results", "store/totals", "store/facts", "store/spool", "store/sqldb", "store/ledger", "store/ledger/bookkeeping"},
	"store/reportsums":           {"store/reports", "store/caselog", "store/results", "store/totals", "store/facts", "store/sqldb", "store/ledger", "store/ledger/bookkeeping"},
	"store/concluded":            {"store/sqldb", "store/ledger"},
	"store/bank":                 {"store/caselog", "store/concluded", "store/facts", "store/runs", "store/sqldb", "store/ledger", "store/ledger/banking", "export/words"},
	"store/books":                {"store/bank", "store/published", "store/reports", "store/reportsums", "store/results", "store/facts", "store/sqldb", "store/ledger", "store/ledger/banking", "store/ledger/bookkeeping", "export/words"},
	"store/spool":                {},
	"store/sales":                {"store/caselog", "store/concluded", "store/runs", "store/spool", "store/sqldb", "store/ledger", "store/ledger/ownsales", "export/words"},
	"store/migrations":           {},
	"store":                      {"store/*", "export/words"},
	"store/storetest":            {"store"},
	"jobs/api":                   {"store/ledger", "export/words", "jobs/api/mask"},
	"jobs/api/mask":              {"store/ledger"},
	"jobs/webhook":               {"store/ledger"},
	"jobs/calendar":              {"store/ledger", "export/words"},
	"jobs/agreements":            {"store/ledger", "config/problem", "export/words"},
	"jobs/bank/rows":             {"store/ledger", "store/ledger/banking", "store/spool"},
	"jobs/textfile":              {},
	"jobs/bank/ofx":              {"store/ledger", "store/ledger/banking", "jobs/bank/rows", "jobs/textfile", "export/words"},
	"jobs/bank/columns":          {"store/ledger", "store/ledger/banking", "jobs/bank/rows", "jobs/textfile", "export/words"},
	"jobs/bank/match":            {"store/ledger", "jobs/calendar"},
	"jobs/bank":                  {"store/ledger", "store/ledger/banking", "store/spool", "jobs/bank/*", "jobs/agreements", "jobs/calendar", "jobs/rules", "jobs/rules/deposits", "jobs/rules/runs", "export/cnab", "export/words"},
	"jobs/movement":              {"store/ledger", "store/ledger/bookkeeping"},
	"jobs/movement/movementtest": {"store/ledger", "store/ledger/bookkeeping", "jobs/movement"},
	"jobs/entries":               {"store/ledger", "store/ledger/bookkeeping"},
	"jobs/sales/table":           {"store/ledger", "store/ledger/banking", "store/ledger/ownsales", "config/problem", "jobs/textfile", "export/words"},
	"jobs/sales/nfe":             {"store/ledger", "store/ledger/ownsales", "jobs/sales/table", "export/words"},
	"jobs/sales/match":           {"store/ledger", "store/ledger/ownsales"},
	"jobs/sales":                 {"store/ledger", "store/ledger/ownsales", "jobs/sales/*", "jobs/agreements", "jobs/calendar", "jobs/rules", "jobs/rules/runs", "jobs/rules/shops", "export/words"},
	"export/cnab":                {"store/ledger", "export/words"},
	"export/journal":             {"store/ledger", "store/ledger/bookkeeping", "config/problem", "export/table", "export/words"},
	"export/journal/journaltest": {"store/ledger", "store/ledger/bookkeeping", "export/journal"},
	"export/cnab/cnabtest":       {"store/ledger", "export/cnab"},
	"export/edi":                 {"store/ledger", "store/ledger/bookkeeping", "export/cnab"},
	"export/html":                {"store/ledger", "export/words"},
	"export/letter":              {"store/ledger", "export/html", "export/table", "export/words", "export/xlsx"},
	"export/words":               {},
	"export/publish":             {"store/machine", "export/words"},
	"export/manifest":            {"store/ledger", "export/publish", "export/report", "export/report/*", "export/words"},
	"export/control":             {"store/ledger", "export/manifest", "export/report", "export/report/*", "export/table", "export/words"},
	"export/readback":            {"export/journal", "store/ledger", "export/cnab", "export/control", "export/html", "export/report", "export/report/*", "export/table", "export/xlsx"},
	"export/verify":              {"store/ledger", "export/control", "export/index", "export/journal", "export/manifest", "export/publish", "export/readback", "export/report", "export/report/*", "export/table", "export/words"},
	"export/retire":              {"store/ledger", "export/manifest", "export/report", "export/report/*"},
	"export/index":               {"store/ledger", "export/html", "export/manifest", "export/report", "export/report/*", "export/table", "export/words"},
	"export/table":               {"store/ledger"},
	"export/report":              {"store/ledger", "store/ledger/banking", "store/ledger/bookkeeping", "store/ledger/ownsales", "export/table", "export/words"},
	"export/report/asof":         {"store/ledger", "store/ledger/banking", "export/report", "export/table", "export/words"},
	"export/report/othersides":   {"store/ledger", "store/ledger/banking", "store/ledger/bookkeeping", "store/ledger/ownsales", "export/report", "export/table", "export/words"},
	"export/report/kindlist":     {"store/ledger", "export/report", "export/report/asof", "export/report/othersides", "export/table", "export/words"},
	"jobs/schedule":              {"export/words"},
	"jobs/rules":                 {"store/ledger", "jobs/calendar", "jobs/agreements", "export/words"},
	"jobs/rules/assumptions":     {"store/ledger", "jobs/agreements", "jobs/rules"},
	"jobs/rules/cards":           {"store/ledger", "jobs/agreements", "jobs/rules"},
	"jobs/rules/catalogue":       {"store/ledger", "jobs/rules", "jobs/rules/*", "export/words"},
	"jobs/rules/deposits":        {"store/ledger", "store/ledger/banking", "jobs/calendar", "jobs/rules"},
	"jobs/rules/notifications":   {"store/ledger", "jobs/rules"},
	"jobs/rules/runs":            {"store/ledger", "jobs/rules"},
	"jobs/rules/shops":           {"store/ledger", "store/ledger/ownsales", "jobs/calendar", "jobs/rules", "jobs/sales/match"},
	"jobs/rules/slips":           {"store/ledger", "jobs/rules"},
	"jobs/caselife":              {"store/ledger"},
	"jobs/reconcile":             {"store/ledger", "jobs/caselife", "jobs/calendar", "jobs/agreements", "jobs/reconcile/openrows", "jobs/rules", "jobs/rules/*"},
	"jobs/reconcile/openrows":    {"store/ledger", "jobs/agreements", "jobs/rules"},
	"jobs/source":                {"store", "store/*", "jobs/entries", "jobs/reconcile", "export", "export/journal", "export/report", "export/report/*", "export/table", "jobs/calendar", "jobs/rules/catalogue", "jobs/agreements"},
	"jobs/casework":              {"store", "store/*", "jobs/api", "jobs/bank", "jobs/calendar", "jobs/plan", "jobs/rules/catalogue", "jobs/rules/runs", "jobs/source", "export", "export/report", "export/report/*", "export/words"},
	"jobs/explain":               {"store", "store/*", "jobs/agreements", "jobs/bank", "jobs/calendar", "jobs/casework", "jobs/rules", "jobs/rules/*", "export/letter", "export/words"},
	"jobs/find":                  {"store", "store/*", "jobs/rules/catalogue", "export/words"},
	"jobs/plan":                  {"store", "store/*", "jobs/calendar", "jobs/rules/runs"},
	"jobs/queue":                 {"store", "store/*"},
	"jobs/restatement":           {"store", "store/*", "export/report", "export/report/*", "jobs/calendar", "jobs/rules"},
	"jobs/pull":                  {"store", "store/*", "jobs/api", "jobs/plan", "jobs/queue", "jobs/reconcile", "jobs/rules", "jobs/rules/runs", "export/words"},
	"export":                     {"store/ledger", "store/ledger/banking", "store/ledger/bookkeeping", "export/cnab", "export/control", "export/edi", "export/html", "export/journal", "export/manifest", "export/report", "export/report/*", "export/table", "export/words"},
	"export/staging":             {"store/ledger", "export", "export/control", "export/edi", "export/manifest", "export/readback", "export/report", "export/report/*", "export/table"},
	"export/causes":              {"store/ledger", "export", "export/control", "export/html", "export/manifest", "export/report", "export/report/*"},
	"export/proof":               {"store/ledger", "store/ledger/bookkeeping", "export", "export/control", "export/manifest", "export/report", "export/report/*", "export/staging", "export/table", "export/words", "export/xlsx"},
	"export/page":                {"store/ledger", "export", "export/causes", "export/control", "export/html", "export/index", "export/manifest", "export/proof", "export/readback", "export/report", "export/report/*", "export/staging", "export/table", "export/words", "export/xlsx"},
	"export/workbook":            {"store/ledger", "export", "export/control", "export/manifest", "export/proof", "export/readback", "export/report", "export/report/*", "export/staging", "export/table", "export/words", "export/xlsx"},
	"export/render":              {"store/ledger", "store/ledger/bookkeeping", "export", "export/*"},
	"jobs/publish":               {"store", "store/*", "export", "export/index", "export/manifest", "export/publish", "export/report", "export/report/*", "export/retire", "export/table", "export/words"},
	"jobs":                       {"store", "store/*", "jobs/*", "export", "export/control", "export/index", "export/manifest", "export/render", "export/report", "export/report/*", "export/table", "export/words"},
	"jobs/othersides":            {"store", "store/*", "jobs/agreements", "jobs/api/mask", "jobs/bank", "jobs/bank/match", "jobs/calendar", "jobs/caselife", "jobs/reconcile", "jobs/rules", "jobs/rules/shops", "jobs/sales", "jobs/sales/match", "export/words"},
	"jobs/reportset":             {"store", "store/*", "export", "export/journal", "export/manifest", "export/report", "export/report/*", "export/table", "jobs/agreements", "jobs/calendar", "jobs/casework", "jobs/plan", "jobs/reconcile", "jobs/rules/catalogue", "jobs/source"},
	"jobs/setplan":               {"store", "store/*", "export", "export/journal", "export/manifest", "export/report", "export/report/*", "jobs/agreements", "jobs/calendar", "jobs/casework", "jobs/plan", "jobs/publish", "jobs/pull", "jobs/reconcile", "jobs/reportset", "jobs/rules/runs", "jobs/source", "export/words"},
	"jobs/setpublish":            {"store", "store/*", "export", "export/control", "export/manifest", "export/render", "export/report", "export/report/*", "export/retire", "jobs/entries", "jobs/movement", "jobs/publish", "jobs/pull", "jobs/queue", "jobs/reconcile", "jobs/reportset", "jobs/rules/catalogue", "jobs/rules/runs", "jobs/setplan", "jobs/source", "export/words"},
	"jobs/evaluate":              {"store", "store/*", "jobs/agreements", "jobs/bank", "jobs/plan", "jobs/pull", "jobs/queue", "jobs/reconcile", "jobs/restatement", "jobs/rules", "jobs/rules/assumptions", "jobs/rules/catalogue", "export/words"},
	"jobs/jobstest":              {"store", "store/*", "jobs", "jobs/agreements", "jobs/api", "jobs/calendar", "jobs/plan", "jobs/setpublish", "export", "export/index", "export/journal", "export/publish", "export/report", "export/report/*", "export/table", "export/verify", "export/words", "cmd/sandbox/service", "cmd/sandbox/world"},
	"jobs/proof":                 {"store", "store/*", "jobs", "jobs/*", "export", "export/*"},
	"cmd/sandbox/service":        {"cmd/sandbox/world"},
	"cmd/sandbox":                {"cmd/sandbox/*"},
	"cmd/concilia/handbook":      {},
	"cmd/concilia/view":          {"store", "store/*", "jobs", "jobs/*", "export", "export/*"},
	"cmd/concilia/console":       {"cmd/concilia/console/people", "cmd/concilia/console/signin", "store/ledger", "store/ledger/ownsales", "cmd/concilia/view", "cmd/concilia/view/*", "jobs/casework", "jobs/explain", "jobs/find", "export/words"},
	"cmd/concilia/exit":          {"cmd/concilia/view", "store", "store/*", "jobs", "jobs/*", "export/publish", "export/words", "config/problem"},
	"cmd/concilia/listen":        {},
	"cmd/concilia/progress":      {"cmd/concilia/exit", "cmd/concilia/view", "store/ledger", "jobs", "jobs/api", "jobs/pull", "config", "export/words"},
	"cmd/concilia/metrics":       {"cmd/concilia/exit", "cmd/concilia/listen", "cmd/concilia/view", "store", "store/*", "jobs/api", "jobs/webhook"},
	"cmd/concilia/wire":          {"cmd/concilia/exit", "cmd/concilia/metrics", "cmd/concilia/progress", "cmd/concilia/view", "store", "store/*", "jobs", "jobs/*", "export", "export/*", "config", "config/problem", "export/words"},
	"cmd/concilia/alerts":        {"cmd/concilia/exit", "cmd/concilia/mailing", "cmd/concilia/metrics", "cmd/concilia/progress", "cmd/concilia/view", "cmd/concilia/view/runview", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/casework", "config"},
	"cmd/concilia/alertstest":    {},
	"cmd/concilia/desk":          {"cmd/concilia/console", "cmd/concilia/exit", "cmd/concilia/handbook", "cmd/concilia/view", "cmd/concilia/view/*", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/*", "export", "export/publish", "export/report", "export/report/*", "export/words", "config"},
	"cmd/concilia/daemon":        {"cmd/concilia/alerts", "cmd/concilia/mailing", "cmd/concilia/console", "cmd/concilia/console/people", "cmd/concilia/desk", "cmd/concilia/exit", "cmd/concilia/listen", "cmd/concilia/metrics", "cmd/concilia/progress", "cmd/concilia/view", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/*", "config", "export/words"},
	"cmd/concilia/audit":         {"cmd/concilia/wire", "store", "store/*", "jobs", "jobs/publish", "export/verify", "export/words"},
	"cmd/concilia/manual":        {"cmd/concilia/view"},
	"cmd/concilia/demo":          {"cmd/concilia/console", "cmd/concilia/console/people", "cmd/concilia/daemon", "cmd/concilia/desk", "cmd/concilia/exit", "cmd/concilia/progress", "cmd/concilia/view", "cmd/concilia/view/runview", "cmd/concilia/wire", "cmd/sandbox/*", "store", "store/*", "jobs", "jobs/*", "export/report", "export/words", "config"},
	"cmd/concilia":               {"cmd/concilia/*", "store", "store/caselog", "store/ledger", "store/runs", "jobs/casework", "jobs/rules/catalogue", "export/report", "export/report/kindlist", "export/words", "config"},

	"cmd/concilia/command":            {"cmd/concilia/exit", "cmd/concilia/mailing", "cmd/concilia/view", "cmd/concilia/view/runview", "cmd/concilia/wire", "jobs", "jobs/calendar", "store/ledger", "config", "export/words", "config/problem"},
	"cmd/concilia/command/banks":      {"cmd/concilia/command", "cmd/concilia/desk", "cmd/concilia/exit", "cmd/concilia/view", "cmd/concilia/view/bankview", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/bank", "jobs/bank/match", "jobs/calendar", "jobs/casework", "jobs/othersides", "config", "config/problem", "export/words"},
	"cmd/concilia/command/cases":      {"cmd/concilia/command", "cmd/concilia/console", "cmd/concilia/desk", "cmd/concilia/exit", "cmd/concilia/progress", "cmd/concilia/view", "cmd/concilia/view/caseview", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/agreements", "jobs/casework", "jobs/evaluate", "jobs/find", "jobs/rules/*", "export/report", "export/words", "config", "config/problem"},
	"cmd/concilia/command/nights":     {"cmd/concilia/alerts", "cmd/concilia/command", "cmd/concilia/desk", "cmd/concilia/exit", "cmd/concilia/progress", "cmd/concilia/view", "cmd/concilia/view/runview", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/calendar", "jobs/plan", "jobs/schedule", "config", "config/problem", "export/report", "export/words"},
	"cmd/concilia/command/publishing": {"cmd/concilia/audit", "cmd/concilia/command", "cmd/concilia/desk", "cmd/concilia/exit", "cmd/concilia/progress", "cmd/concilia/view", "cmd/concilia/wire", "store", "store/*", "jobs", "export/cnab", "export/manifest", "export/publish", "export/report", "export/report/kindlist", "export/verify", "export/words", "config", "config/problem"},
	"cmd/concilia/command/service":    {"cmd/concilia/command", "cmd/concilia/exit", "cmd/concilia/view", "store/ledger", "jobs/api", "export/words", "config"},
	"cmd/concilia/command/serving":    {"cmd/concilia/command", "cmd/concilia/console", "cmd/concilia/console/people", "cmd/concilia/daemon", "cmd/concilia/desk", "cmd/concilia/exit", "cmd/concilia/mailing", "cmd/concilia/progress", "cmd/concilia/view", "cmd/concilia/wire", "store/ledger", "export/mail", "export/words", "config"},
	"cmd/concilia/command/stores":     {"cmd/concilia/command", "cmd/concilia/exit", "cmd/concilia/view", "cmd/concilia/view/salesview", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/othersides", "jobs/sales", "config", "config/problem", "export/words"},
	"cmd/concilia/command/upkeep":     {"cmd/concilia/command", "cmd/concilia/exit", "cmd/concilia/view", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/calendar", "jobs/publish", "export/manifest", "export/words", "config", "config/problem"},

	"export/mail":           {},
	"cmd/concilia/mailing":  {"cmd/concilia/console", "cmd/concilia/desk", "cmd/concilia/metrics", "cmd/concilia/view", "cmd/concilia/view/*", "cmd/concilia/wire", "store", "store/*", "jobs", "jobs/casework", "export/mail", "export/words", "config"},
	"cmd/concilia/mailtest": {},

	"cmd/concilia/console/people": {"store/ledger", "export/words"},
	"cmd/concilia/console/signin": {"cmd/concilia/console/people"},

	"cmd/concilia/view/bankview":  {"cmd/concilia/view", "cmd/concilia/view/caseview", "store", "store/*", "jobs", "jobs/*", "export", "export/*"},
	"cmd/concilia/view/salesview": {"cmd/concilia/view", "store", "store/*", "jobs", "jobs/*", "export", "export/*"},
	"cmd/concilia/view/runview":   {"cmd/concilia/view", "store", "store/*", "jobs", "jobs/*", "export", "export/*"},
	"cmd/concilia/view/caseview":  {"cmd/concilia/view", "cmd/concilia/view/runview", "store", "store/*", "jobs", "jobs/*", "export", "export/*"},
}

// testOnly is what test files may import on top.
var testOnly = []string{"cmd/concilia/alertstest", "cmd/concilia/handbook", "cmd/concilia/mailtest", "cmd/sandbox/service", "cmd/sandbox/world", "store/storetest", "store/ledger/banking", "store/ledger/ownsales", "store/ledger/ledgertest", "export/cnab/cnabtest", "export/journal", "export/journal/journaltest", "export/report", "export/report/*", "export/table", "jobs/movement", "jobs/movement/movementtest", "jobs/rules", "jobs/rules/*", "export/publish", "export/verify"}

func TestImports(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(rel))
		seen[pkg] = true
		checkFile(t, pkg, path, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range seen {
		if _, ok := house[pkg]; !ok {
			t.Errorf("%s has no room in the house: add it to the table, or put its files where they belong", pkg)
		}
	}
	if !seen["cmd/concilia"] || !seen["store/ledger"] {
		t.Fatal("the walk did not see the house")
	}
}

func checkFile(t *testing.T, pkg, path, rel string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	allowed := house[pkg]
	isTest := strings.HasSuffix(path, "_test.go")
	if isTest {
		allowed = append(append([]string{pkg}, allowed...), testOnly...)
		if pkg == "cmd/concilia" { // they try the program as a whole
			allowed = append(allowed, "store/*", "jobs", "jobs/*", "export/*")
		}
	}
	for _, imp := range file.Imports {
		target, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		ours, ok := strings.CutPrefix(target, "concilia/")
		if !ok {
			continue
		}
		if !permitted(allowed, ours) {
			t.Errorf("%s imports %s, which the table does not allow to %s", rel, ours, pkg)
		}
		if strings.HasSuffix(ours, "test") && !isTest && !strings.HasSuffix(pkg, "test") {
			t.Errorf("%s imports %s, which is for tests alone", rel, ours)
		}
	}
}

func permitted(allowed []string, target string) bool {
	for _, a := range allowed {
		below, tree := strings.CutSuffix(a, "*")
		if a == target || tree && strings.HasPrefix(target, below) {
			return true
		}
	}
	return false
}

// decimals are the packages that know shopspring/decimal: those that read what people write, the conversion to integers,
// and the rules for their powers. Everywhere else an amount is an integer already.
var decimals = []string{"config", "config/problem", "jobs/agreements", "jobs/rules", "store/ledger"}

// TestNumbersOfPeopleAreDecimals: the packages that read files of people parse numbers as decimals and convert them exactly;
// the parser of the service's answers is not for them.
func TestNumbersOfPeopleAreDecimals(t *testing.T) {
	importers := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(filepath.Join("..", ".."), path)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(rel))
		if strings.Contains(string(text), `"github.com/shopspring/decimal"`) {
			importers[pkg] = true
		}
		if pkg != "store/ledger" && slices.Contains(decimals, pkg) && regexp.MustCompile(`ledger\.Parse(Amount|Rate)\(`).Match(text) {
			t.Errorf("%s parses a number past problem.ParseDecimal", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(importers)); !slices.Equal(got, decimals) {
		t.Errorf("decimals are in %v, want them in %v", got, decimals)
	}
}

// TestNoFloats keeps floating point away from money: no file of store, jobs or export names a float type.
func TestNoFloats(t *testing.T) {
	for _, dir := range []string{"store", "jobs", "export"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, line := range floatLines(t, path) {
				t.Errorf("%s:%d: a float near money; say why with the comment `float: reason` if it must be", path, line)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
