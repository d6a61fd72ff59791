package store_test

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

// ofAllAccounts are the functions of the store whose statements go over every account on purpose, and why. All others name their
// account, so that the tables can be distributed by it.
var ofAllAccounts = map[string]string{
	"readPulls":                 "a check reads the whole ledger",
	"checkQuarantine":           "a check reads the whole ledger",
	"checkBodiesOfPulls":        "a check reads the whole ledger",
	"caselog.checkActHashes":    "a check reads the whole ledger",
	"caselog.checkActBodies":    "a check reads the whole ledger",
	"leasedAccounts":            "a prune asks once which accounts there are, and then each",
	"runs.AccountLeases":        "a lease an account: one small table, read by people and metrics",
	"runs.LeasedRuns":           "a lease an account: one small table, read by workers",
	"runs.ClaimAlerts":          "alerts are told by one process for every account",
	"facts.SlipBodies":          "a payer is forgotten in every account",
	"bank.StatementBodies":      "a payer is forgotten in every account",
	"bank.listAccounts":         "a payer is forgotten in every account",
	"bank.readHome":             "finds the account that a bank account is kept by",
	"sales.readShopHome":        "finds the account that a shop is kept by",
	"caselog.CaseIDs":           "people name a case by the beginning of its id",
	"caselog.CasesOfOthers":     "counts what the accounts have that no configuration names",
	"caselog.FindingEventsAsOf": "people name a case by its id, which the account is hashed into",
}

// composed are the functions and texts whose statement gets its account from another one: a condition, or the columns of an insert.
var composed = map[string]string{
	"bank.BankCredits":        "CreditsAsked's conditions",
	"bank.SumBankCredits":     "CreditsAsked's conditions",
	"bank.takeIn":             "columns",
	"books.Entries":           "the query's conditions",
	"books.insertCut":         "columns",
	"facts.selectStoredSlip":  "the callers' condition",
	"facts.SelectPull":        "the callers' condition",
	"facts.insertPull":        "columns",
	"facts.writeChanges":      "installmentKeySQL",
	"facts.writeForecastDays": "columns",
	"reports.openRowsSQL":     "Query's conditions",
	"reports.AgendaSums":      "Query's conditions",
	"reports.openAsOf":        "Query's conditions",
	"reports.OnCardSQL":       "addCardOfCase",
	"reports.FiringCases":     "addCardOfCase",
	"reports.installmentsBy":  "Query's conditions",
	"reports.openCards":       "Query's conditions",
	"reportsums.cardRows":     "Query's conditions",
	"reports.readVersions":    "Query's conditions",
	"reports.sinceColumns":    "isEarlier",
	"reports.takenBackSince":  "isEarlier",
	"caselog.appendAct":       "columns",
	"caselog.insertEvent":     "columns",
	"caselog.upsertFinding":   "columns",
	"sales.mergeWaiting":      "columns",
	"sales.writeFaults":       "columns",
	"sales.writeFile":         "columns",
	"runs.selectUnit":         "the callers' condition",
}

var (
	// tableOfAccounts is a table whose key begins with the account, in a file of migrations.
	tableOfAccounts = regexp.MustCompile(`(?ms)^CREATE TABLE (\w+) \(\n  account +(?:INTEGER|BIGINT) `)
	usesTable       = regexp.MustCompile(`\b(?:FROM|INTO|UPDATE|JOIN) +(\w+)\b`)
	namesAccount    = regexp.MustCompile(`\baccount +(?:=|IN)|INSERT INTO \w+ \(\s+account\b|^account$`)
	joinsTable      = regexp.MustCompile(`(?s)\bJOIN +(\w+) (?:AS \w+ )?ON (.+?)(?:\bJOIN\b|\bWHERE\b|\bGROUP BY\b|\bORDER BY\b|$)`)
)

// TestStatementsNameTheirAccount: every statement of the store over a table that is kept by account names one account, and joins
// such tables within it, or is listed with the reason why not.
func TestStatementsNameTheirAccount(t *testing.T) {
	t.Parallel()
	migrations, err := filepath.Glob("migrations/sqlite/*.sql")
	must(t, err)
	byAccount := map[string]bool{}
	for _, file := range migrations {
		text, err := os.ReadFile(file)
		must(t, err)
		for _, m := range tableOfAccounts.FindAllStringSubmatch(string(text), -1) {
			byAccount[m[1]] = true
		}
	}
	if len(byAccount) < 30 {
		t.Fatalf("only %d tables are kept by account: %v", len(byAccount), slices.Sorted(maps.Keys(byAccount)))
	}
	listed := maps.Clone(ofAllAccounts)
	maps.Copy(listed, composed)
	unused, looked := maps.Clone(listed), 0
	eachDeclaration(t, func(where string, texts []string) {
		text := strings.Join(texts, "\n")
		uses := slices.ContainsFunc(usesTable.FindAllStringSubmatch(text, -1), func(m []string) bool { return byAccount[m[1]] })
		if !uses {
			return
		}
		looked++
		says := ""
		if !slices.ContainsFunc(texts, namesAccount.MatchString) {
			says = "names no account"
		}
		for _, text := range texts { // a condition that is put together elsewhere is not in the text of its join
			for _, m := range joinsTable.FindAllStringSubmatch(text, -1) {
				if byAccount[m[1]] && !strings.Contains(m[2], "account") {
					says = "joins " + m[1] + " across accounts"
				}
			}
		}
		delete(unused, where)
		switch is := listed[where] != ""; {
		case says != "" && !is:
			t.Errorf("%s %s: %s", where, says, text)
		case says == "" && is:
			t.Errorf("%s is listed and names its account", where)
		}
	})
	for where := range unused {
		t.Errorf("%s is listed and has no statement", where)
	}
	if looked < 100 {
		t.Errorf("only %d functions with statements were looked at", looked)
	}
}

// eachDeclaration calls fn with the texts of each function, constant and variable of the store.
func eachDeclaration(t *testing.T, fn func(where string, texts []string)) {
	t.Helper()
	files := token.NewFileSet()
	must(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "storetest") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		texts := func(name string, n ast.Node) {
			var all []string
			ast.Inspect(n, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					text, err := strconv.Unquote(l.Value)
					must(t, err)
					all = append(all, text)
				}
				return true
			})
			fn(strings.TrimPrefix(filepath.Dir(path)+"."+name, ".."), all)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				texts(d.Name.Name, d)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						texts(v.Names[0].Name, v)
					}
				}
			}
		}
		return nil
	}))
}
