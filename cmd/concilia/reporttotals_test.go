package main

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/store/ledger"
)

// TestReportPrintsTheSumsOfItsFiles: the totals of a report, as JSON when it makes the files and as text when they are
// there already, are the sums of the csv files that it names.
func TestReportPrintsTheSumsOfItsFiles(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches a whole demo in another test")
	}
	dir := copyLeft(t, demoWith(t, fewDays...))
	p := &demoTree{t: t, dir: dir, dsn: "sqlite:" + filepath.Join(dir, "concilia.db")}
	for _, row := range []struct{ says, args string }{
		{"sales of a month, cards and slips", "--basis operation --from 2026-11-01 --to 2026-11-30 --kind summary,slips"},
		{"what is to come, by forecast date", "--basis forecast --from 2026-11-18 --to 2026-12-18 --kind summary,slips"},
		{"what came, by credit date", "--basis credit --from 2026-11-01 --to 2026-11-30 --kind summary,slips"},
		{"slips by payment date", "--basis payment --from 2026-11-01 --to 2026-11-30"},
		{"installments alone", "--basis operation --from 2026-11-01 --to 2026-11-15 --kind installments"},
		{"installments by credit date", "--basis credit --from 2026-11-01 --to 2026-11-15 --kind installments"},
		{"slips alone", "--basis forecast --from 2026-11-01 --to 2026-11-15 --kind slips"},
		{"one brand has no slips", "--basis operation --from 2026-11-01 --to 2026-11-30 --brand visa"},
		{"one brand by credit date", "--basis credit --from 2026-11-01 --to 2026-11-30 --brand visa,elo --kind summary"},
		{"one class of cards and slips", "--basis operation --from 2026-11-01 --to 2026-11-30 --status open --kind summary,slips"},
		{"a class that only cards have", "--basis operation --from 2026-11-01 --to 2026-11-30 --status received --kind summary,slips"},
		{"one account", "--basis operation --from 2026-11-01 --to 2026-11-20 --account 1002 --kind summary"},
		{"splits list parts of rows", "--basis operation --from 2026-11-01 --to 2026-11-10 --kind splits"},
		{"the state of a day is of no period", "--basis asof --kind exceptions"},
	} {
		t.Run(row.says, func(t *testing.T) {
			args := append([]string{"--config", p.config()}, append(strings.Fields("report --format csv"), strings.Fields(row.args)...)...)
			fresh, want := p.reportJSON(t, args), map[string]ledger.Amount{}
			for _, f := range fresh.Files {
				if f.Format == "csv" {
					addFileSums(t, f.Path, fresh.has("summary"), want)
				}
			}
			if d := cmp.Diff(want, fresh.sums(t)); d != "" {
				t.Errorf("JSON of new files differs from them:\n%s", d)
			}
			if d := cmp.Diff(fresh.sums(t), p.reportJSON(t, args).sums(t)); d != "" {
				t.Errorf("JSON of unchanged files differs from that of new ones:\n%s", d)
			}
			_, said := p.command(args...)
			printed := map[string]ledger.Amount{}
			for side, names := range map[string][]string{
				"cards": {"net_contract", "received", "not_due", "overdue", "blocked", "difference"},
				"slips": {"issued", "paid", "credited", "overdue", "difference"},
			} {
				line := regexp.MustCompile(`(?m)^` + side + ` .*$`).FindString(said)
				for i, m := range regexp.MustCompile(`R\$ (-?[0-9,]+\.[0-9]{2})`).FindAllStringSubmatch(line, -1) {
					printed[side+"."+names[i]] = parseSum(t, strings.ReplaceAll(m[1], ",", ""))
				}
			}
			for name, sum := range fresh.sums(t) {
				if got, ok := printed[name]; ok && got != sum {
					t.Errorf("%s: %s printed, %s in the files", name, got, sum)
				}
			}
			if len(want) > 0 && len(printed) == 0 || len(want) == 0 && len(printed) > 0 {
				t.Errorf("%d sums in the files, %d printed:\n%s", len(want), len(printed), said)
			}
		})
	}
}

// reportOutput is the JSON of a report.
type reportOutput struct {
	Totals map[string]map[string]string `json:"totals"`
	Files  []reportedFile               `json:"files"`
}

type reportedFile struct {
	Path   string `json:"path"`
	Format string `json:"format"`
}

// reportJSON runs a report with --json.
func (p *demoTree) reportJSON(t *testing.T, args []string) (out reportOutput) {
	t.Helper()
	code, said := p.command(append([]string{"--json"}, args...)...)
	if code != exit.OK && code != exit.Breaks {
		t.Fatalf("report ended with %d:\n%s", code, said)
	}
	if err := json.Unmarshal([]byte(said[strings.Index(said, "{"):]), &out); err != nil {
		t.Fatalf("%v:\n%s", err, said)
	}
	if len(out.Files) == 0 {
		t.Fatalf("no files:\n%s", said)
	}
	return out
}

// sums are the totals by side and name; those that only a summary shows are left out where no summary is among the files.
func (o reportOutput) sums(t *testing.T) map[string]ledger.Amount {
	t.Helper()
	out := map[string]ledger.Amount{}
	for side, values := range o.Totals {
		for name, text := range values {
			if side == "slips" || o.has("summary") || rowSums[name] != "" {
				out[side+"."+name] = parseSum(t, text)
			}
		}
	}
	return out
}

// has says whether a table is among the files.
func (o reportOutput) has(table string) bool {
	return slices.ContainsFunc(o.Files, func(f reportedFile) bool {
		return f.Format == "csv" && strings.HasPrefix(filepath.Base(f.Path), table+"_")
	})
}

// rowSums are the totals of cards that rows of installments add up to, and their columns.
var rowSums = map[string]string{
	"gross": "gross_cents", "net_expected": "net_expected", "net_contract": "net_contract", "cancelled_gross": "gross_cents",
	"cancelled_received": "received",
}

// addFileSums adds up the columns of a csv file that are totals, of installments where there is no summary of them; over all
// accounts they are the same rows once more.
func addFileSums(t *testing.T, path string, summarized bool, sums map[string]ledger.Amount) {
	t.Helper()
	table, account, _ := strings.Cut(filepath.Base(path), "_")
	columns := map[string][]string{
		"summary":       {"gross", "net_expected", "net_contract", "received", "not_due", "overdue", "blocked", "difference", "cancelled_gross", "cancelled_received"},
		"slips-summary": {"issued", "paid", "credited", "overdue", "difference", "charges_to_confirm"},
		"installments":  slices.Collect(maps.Keys(rowSums)),
	}[table]
	if strings.HasPrefix(account, "all_") || columns == nil || table == "installments" && summarized {
		return
	}
	side := "cards."
	if table == "slips-summary" {
		side = "slips."
	}
	for _, name := range columns {
		sums[side+name] += 0
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, id := range rows[0] {
		at[strings.TrimPrefix(id, "\ufeff")] = i
	}
	for _, row := range rows[1:] {
		for _, name := range columns {
			column, cents := name, false
			if table == "installments" {
				cancelled := row[at["class"]] == string(ledger.Cancelled) || row[at["class"]] == string(ledger.Chargeback)
				if column = rowSums[name]; cancelled != strings.HasPrefix(name, "cancelled") || row[at[column]] == "" {
					continue
				}
				cents = column == "gross_cents"
			}
			sum := parseSum(t, row[at[column]])
			if cents {
				sum /= 100
			}
			sums[side+name] += sum
		}
	}
}

func parseSum(t *testing.T, text string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
