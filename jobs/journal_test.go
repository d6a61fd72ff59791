package jobs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/journal"
	"concilia/export/verify"
	"concilia/jobs"
	"concilia/store/ledger"
)

// wholeChart has an account for every role.
func wholeChart(m ledger.Method, g journal.Grain) *journal.Chart {
	c := &journal.Chart{Method: m, Grain: g, Roles: map[ledger.Role]journal.Account{}}
	roots := map[ledger.Role]string{
		ledger.RoleReceivable: "Assets", ledger.RoleService: "Assets", ledger.RoleClaims: "Assets", ledger.RoleExcess: "Liabilities",
		ledger.RoleSales: "Income", ledger.RoleReturns: "Income", ledger.RoleChargebacks: "Income", ledger.RoleSplitPayable: "Liabilities",
		ledger.RoleSlipReceivable: "Assets", ledger.RoleSlipTransit: "Assets", ledger.RoleSlipSales: "Income", ledger.RoleSlipCharges: "Income",
		ledger.RoleOpening: "Equity",
	}
	for i, r := range ledger.Roles() {
		root := roots[r]
		if root == "" {
			root = "Expenses"
		}
		name := strings.ReplaceAll(string(r), "_", "-")
		c.Roles[r] = journal.Account{Code: fmt.Sprint(1000 + i), Path: root + ":" + strings.ToUpper(name[:1]) + name[1:]}
	}
	c.Overrides = []journal.Override{{Brand: "visa", Roles: map[ledger.Role]journal.Account{
		ledger.RoleMDR: {Code: "4999", Path: "Expenses:Mdr:Visa"}, ledger.RoleReceivable: {Code: "1999", Path: "Assets:Receivable:Visa"},
	}}}
	return c
}

// judges are the programs that read a journal of a format, each with its command.
func judges(path string) [][]string {
	switch {
	case strings.HasSuffix(path, ".beancount"):
		return [][]string{{"bean-check", path}}
	case strings.HasSuffix(path, ".journal"):
		return [][]string{{"hledger", "-f", path, "check", "--strict"}, {"ledger", "--pedantic", "-f", path, "balance"}}
	}
	return nil
}

// hasJudges skips a test without the accountants' programs, which CONCILIA_REQUIRE_JOURNAL=1 demands.
func hasJudges(t *testing.T) {
	t.Helper()
	for _, program := range []string{"bean-check", "hledger", "ledger"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CONCILIA_REQUIRE_JOURNAL") != "" {
				t.Fatalf("CONCILIA_REQUIRE_JOURNAL is set: %v", err)
			}
			t.Skipf("no %s here: the Debian packages beancount, hledger and ledger bring what judges a journal", program)
		}
	}
}

// judge has the programs of its format read a journal.
func judge(t *testing.T, path string) (refused []error) {
	t.Helper()
	for _, c := range judges(path) {
		out, err := exec.CommandContext(t.Context(), c[0], c[1:]...).CombinedOutput()
		if err != nil {
			refused = append(refused, fmt.Errorf("%s: %w\n%.2000s", c[0], err, out))
		}
	}
	return refused
}

// judgeBoth has the programs take a journal, and refuse it after an amount is changed by a cent: one of an entry, one of the balances
// at its end.
func judgeBoth(t *testing.T, path string) {
	t.Helper()
	if len(judges(path)) == 0 {
		return
	}
	for _, err := range judge(t, path) {
		t.Errorf("%s is refused: %v", filepath.Base(path), err)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(body, []byte("\n"))
	var amounts []int
	for i, line := range lines {
		if bytes.Contains(line, []byte(" BRL\n")) {
			amounts = append(amounts, i)
		}
	}
	if len(amounts) < 2 {
		t.Fatalf("%s has no amounts", path)
	}
	for _, at := range []int{amounts[len(amounts)/2], amounts[len(amounts)-1]} {
		changed := slices.Clone(lines)
		changed[at] = changeCent(lines[at])
		wrong := filepath.Join(t.TempDir(), filepath.Base(path))
		if err := os.WriteFile(wrong, bytes.Join(changed, nil), 0o644); err != nil {
			t.Fatal(err)
		}
		if refused := judge(t, wrong); len(refused) != len(judges(path)) {
			t.Errorf("%s with %q in place of %q is taken: %v", filepath.Base(path), changed[at], lines[at], refused)
		}
	}
}

// changeCent changes the last digit before the currency, of a tolerance the one before that.
func changeCent(line []byte) []byte {
	out := bytes.Clone(line)
	at := bytes.LastIndex(out, []byte(" BRL"))
	if i := bytes.Index(out, []byte(" ~ 0 BRL")); i >= 0 {
		at = i
	}
	out[at-1] = '0' + (out[at-1]-'0'+1)%10
	return out
}

// TestJournalOfNights: over nights of a shop, with everything that can go wrong in them, the journal of a month is balanced, ends with
// what the rows say, is verified, and is taken by the programs of accountants, by either method and grain.
func TestJournalOfNights(t *testing.T) {
	t.Parallel()
	spare(t)
	hasJudges(t)
	m := moving(t, world.Options{Seed: 11, Days: 20, Installments: 120, Plant: true, AsOf: movementDay, To: movementDay + 20})
	for range 7 {
		if s := m.night(t); len(s.Unpublished) > 0 {
			t.Fatal(s.Unpublished)
		}
		m.nextDay()
	}
	month := ledger.Period{From: ledger.NewDate(2026, 11, 1), To: ledger.NewDate(2026, 11, 30)}
	service := map[string]map[string]string{}
	for _, method := range ledger.Methods() {
		for _, grain := range []journal.Grain{journal.ByDay, journal.ByRow} {
			m.Journal = jobs.JournalSettings{Chart: wholeChart(method, grain), File: "accounts.yaml"}
			req := jobs.ReportRequest{
				Period: month, Basis: "operation", Kinds: []string{"journal"}, Formats: []string{"csv", "jsonl", "beancount", "hledger", "dominio"},
			}
			s, err := m.Report(t.Context(), req)
			if err != nil || len(s.Unpublished) > 0 {
				t.Fatal(method, grain, err, s)
			}
			again, err := m.Report(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range again.Files {
				if f.New {
					t.Errorf("%s is made again of the same entries", f.Path)
				}
			}
			for _, f := range s.Files {
				if !strings.Contains(f.Path, "journal_") {
					continue
				}
				judgeBoth(t, f.Path)
				if strings.HasSuffix(f.Path, ".beancount") {
					body, err := os.ReadFile(f.Path)
					if err != nil {
						t.Fatal(err)
					}
					for line := range strings.Lines(string(body)) {
						if strings.Contains(line, " balance Assets:Service ") {
							account := strings.Split(filepath.Base(f.Path), "_")[1]
							if service[account] == nil {
								service[account] = map[string]string{}
							}
							service[account][line] = string(method) + " " + string(grain)
						}
					}
				}
			}
		}
	}
	for account, balances := range service {
		if len(balances) != 1 {
			t.Errorf("account %s: the methods do not agree on what the service paid: %v", account, balances)
		}
	}
	found, err := verify.CheckTree(t.Context(), m.out, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Faults {
		t.Errorf("verify: %s", f)
	}
	m.refuseJournals(t, month)
}

// refuseJournals asks for what there is no journal of.
func (m *merchant) refuseJournals(t *testing.T, month ledger.Period) {
	t.Helper()
	chart := wholeChart(ledger.Accrual, journal.ByDay)
	delete(chart.Roles, ledger.RoleClaims)
	m.Journal.Chart = chart
	_, err := m.Report(t.Context(), jobs.ReportRequest{Period: month, Basis: "operation", Kinds: []string{"journal"}, Formats: []string{"hledger"}})
	if err == nil || !strings.Contains(err.Error(), "roles.claims") || !strings.Contains(err.Error(), "settled") {
		t.Errorf("a chart without an account for claims: %v", err)
	}
	for _, req := range []jobs.ReportRequest{
		{Basis: "credit", Kinds: []string{"journal"}},
		{Basis: "operation", Kinds: []string{"journal", "fees"}},
		{Basis: "operation", Kinds: []string{"journal"}, Formats: []string{"xlsx"}},
		{Basis: "operation", Kinds: []string{"journal"}, Brands: []string{"visa"}},
	} {
		req.Period = month
		if _, err := m.Report(t.Context(), req); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v is answered", req)
		}
	}
}
