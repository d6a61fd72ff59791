// Package journaltest has the programs of accountants evaluate journals that tests wrote.
package journaltest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export/journal"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// WholeChart has an account for every role, with other paths for each method, grain and account of the service: so a program reads
// all journals of a test in one call.
func WholeChart(m bookkeeping.Method, g journal.Grain, accounts ...ledger.Account) *journal.Chart {
	kind := strings.ToUpper(string(m)[:1]) + string(m)[1:] + "-" + string(g)
	c := &journal.Chart{Method: m, Grain: g, Roles: rolesBelow(kind)}
	for _, a := range accounts {
		below := kind + ":A" + a.String()
		c.Overrides = append(c.Overrides, journal.Override{Account: a, Brand: "visa", Roles: visaBelow(below)}, journal.Override{Account: a, Roles: rolesBelow(below)})
	}
	c.Overrides = append(c.Overrides, journal.Override{Brand: "visa", Roles: visaBelow(kind)})
	return c
}

func rolesBelow(part string) map[bookkeeping.Role]journal.Account {
	roots := map[bookkeeping.Role]string{
		bookkeeping.RoleReceivable: "Assets", bookkeeping.RoleService: "Assets", bookkeeping.RoleClaims: "Assets", bookkeeping.RoleExcess: "Liabilities",
		bookkeeping.RoleSales: "Income", bookkeeping.RoleReturns: "Income", bookkeeping.RoleChargebacks: "Income", bookkeeping.RoleSplitPayable: "Liabilities",
		bookkeeping.RoleSlipReceivable: "Assets", bookkeeping.RoleSlipTransit: "Assets", bookkeeping.RoleSlipSales: "Income", bookkeeping.RoleSlipCharges: "Income",
		bookkeeping.RoleOpening: "Equity", bookkeeping.RoleBank: "Assets",
	}
	out := map[bookkeeping.Role]journal.Account{}
	for i, r := range bookkeeping.Roles() {
		root := roots[r]
		if root == "" {
			root = "Expenses"
		}
		name := strings.ReplaceAll(string(r), "_", "-")
		out[r] = journal.Account{Code: fmt.Sprint(1000 + i), Path: root + ":" + part + ":" + strings.ToUpper(name[:1]) + name[1:]}
	}
	return out
}

// visaBelow are accounts of a brand of their own; one of them lies below the path of the general one.
func visaBelow(part string) map[bookkeeping.Role]journal.Account {
	return map[bookkeeping.Role]journal.Account{
		bookkeeping.RoleMDR:        {Code: "4999", Path: "Expenses:" + part + ":Mdr:Visa"},
		bookkeeping.RoleReceivable: {Code: "1999", Path: "Assets:" + part + ":Receivable:Visa"},
	}
}

// RequirePrograms skips a test without the accountants' programs, which CONCILIA_REQUIRE_JOURNAL=1 demands.
func RequirePrograms(t *testing.T) {
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

// CheckJudged has the programs of their formats take journals, and refuse each after an amount is changed by a cent: one of an entry,
// and one of the balances at its end. Files of other formats are left out.
func CheckJudged(t *testing.T, paths ...string) {
	t.Helper()
	RequirePrograms(t)
	beancounts, plain := ofFormat(paths, ".beancount"), ofFormat(paths, ".journal")
	if len(beancounts) > 0 {
		if out, err := readBeancounts(t, beancounts); err != nil {
			t.Errorf("bean-check: %v\n%.2000s", err, out)
		}
	}
	if len(plain) > 0 {
		for _, c := range readPlain(plain) {
			if out, err := exec.CommandContext(t.Context(), c[0], c[1:]...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%.2000s", c[0], err, out)
			}
		}
	}
	for _, ofBalance := range []bool{false, true} {
		checkBeancountsRefused(t, beancounts, ofBalance)
		for _, path := range plain {
			wrong := changeCent(t, path, ofBalance)
			for _, c := range readPlain([]string{wrong}) {
				if out, err := exec.CommandContext(t.Context(), c[0], c[1:]...).CombinedOutput(); err == nil {
					t.Errorf("%s takes %s with another cent:\n%.200s", c[0], filepath.Base(path), out)
				}
			}
		}
	}
}

// CheckIncluded has the programs of their format read files one after another, and find the balances that the journal of the whole
// period ends with.
func CheckIncluded(t *testing.T, whole string, parts []string) {
	t.Helper()
	RequirePrograms(t)
	body, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndex(body, []byte("\n\n")) + 1 // the balances are the last paragraph
	if !bytes.Contains(body[end:], []byte("balance ")) && !bytes.Contains(body[end:], []byte(" * Saldos")) {
		t.Fatalf("%s ends without balances", whole)
	}
	balances := filepath.Join(t.TempDir(), "balances"+filepath.Ext(whole))
	if err := os.WriteFile(balances, body[end:], 0o600); err != nil {
		t.Fatal(err)
	}
	all := append(slices.Clone(parts), balances)
	if strings.HasSuffix(whole, ".beancount") {
		if out, err := readBeancounts(t, all); err != nil {
			t.Errorf("bean-check: %v\n%.2000s", err, out)
		}
		return
	}
	main := filepath.Join(t.TempDir(), "all.journal")
	if err := os.WriteFile(main, []byte("include "+strings.Join(all, "\ninclude ")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range readPlain([]string{main}) {
		if out, err := exec.CommandContext(t.Context(), c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%.2000s", c[0], err, out)
		}
	}
}

func ofFormat(paths []string, extension string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !strings.HasSuffix(p, extension) })
}

// readBeancounts has bean-check read files, of which none declares an account of another.
func readBeancounts(t *testing.T, paths []string) ([]byte, error) {
	t.Helper()
	all := filepath.Join(t.TempDir(), "all.beancount")
	var text strings.Builder
	for _, p := range paths {
		whole, err := filepath.Abs(p)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "include %q\n", whole)
	}
	if err := os.WriteFile(all, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "bean-check", "--no-cache", all).CombinedOutput()
}

// checkBeancountsRefused has bean-check name each of the files, of which each has one amount changed.
func checkBeancountsRefused(t *testing.T, paths []string, ofBalance bool) {
	t.Helper()
	if len(paths) == 0 {
		return
	}
	var wrong []string
	for _, p := range paths {
		wrong = append(wrong, changeCent(t, p, ofBalance))
	}
	out, err := readBeancounts(t, wrong)
	for i, p := range wrong {
		if err == nil || !bytes.Contains(out, []byte(p+":")) {
			t.Errorf("bean-check takes %s with another cent: %v", filepath.Base(paths[i]), err)
		}
	}
}

// readPlain are the commands that read files of hledger.
func readPlain(paths []string) [][]string {
	h, l := []string{"hledger"}, []string{"ledger", "--pedantic"}
	for _, p := range paths {
		h, l = append(h, "-f", p), append(l, "-f", p)
	}
	return [][]string{append(h, "check", "--strict"), append(l, "balance")}
}

// changeCent copies a file with one amount changed: the last one, which is a balance, or one in the middle, which is an entry's. It
// changes the last digit before the currency, of a tolerance the one before that.
func changeCent(t *testing.T, path string, last bool) string {
	t.Helper()
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
	at := amounts[len(amounts)/2]
	if last {
		at = amounts[len(amounts)-1]
	}
	line := bytes.Clone(lines[at])
	end := bytes.LastIndex(line, []byte(" BRL"))
	if i := bytes.Index(line, []byte(" ~ 0 BRL")); i >= 0 {
		end = i
	}
	line[end-1] = '0' + (line[end-1]-'0'+1)%10
	lines[at] = line
	wrong := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(wrong, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return wrong
}
