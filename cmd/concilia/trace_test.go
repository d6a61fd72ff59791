package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/export/cnab"
	"concilia/store/ledger"
)

// TestLateAndShortFromWireToEDI follows one installment that was paid late and short: from the service's own JSON to the
// cases, the row of the report, and the columns of the EDI file.
func TestLateAndShortFromWireToEDI(t *testing.T) {
	t.Parallel()
	built := build(t)
	s, err := sandboxProcess(built.sandbox, []string{"--seed", "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	dir := copyDemo(t, allDays) // of the same seed

	subject := lateAndShort(t, s)
	parts := strings.Split(subject, ":")
	account, day, nsu, auth, number := parts[1], parts[2], parts[3], parts[4], parts[5]
	wire := wireRecord(t, s, account, day, nsu, number)
	member := func(name string) ledger.Amount {
		t.Helper()
		v, err := ledger.ParseAmount(wire[name].(json.Number).String())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	net := member("installmentValue") - member("discountMdrValue") - member("discountTrnRateInstalmentValue") -
		member("discountAntifraudRateInstalmentValue") - member("discountAntecipationValue")
	received := member("receivedValue")
	if received >= net || wire["receivedDateEffective"].(string) <= wire["receivedDateForeast"].(string) {
		t.Fatalf("%s is not late and short on the wire: %v", subject, wire)
	}

	codes := map[string]string{}
	for _, e := range exceptionsOf(t, dir, subject) {
		codes[e.Code] = e.Impact
	}
	if len(codes) != 2 || codes["RECEIVED_VALUE_MISMATCH"] != (net-received).String() || codes["RECEIVED_LATE"] != "" {
		t.Errorf("cases of %s: %v, want short by %s, and late", subject, codes, net-received)
	}

	row := reportRow(t, dir, account, day, nsu, number)
	for column, want := range map[string]string{
		"received": received.Fixed(2), "net_expected": net.Fixed(2), "impact": (net - received).Fixed(2), "verdict": "break",
		"effective_date": wire["receivedDateEffective"].(string), "forecast_date": wire["receivedDateForeast"].(string),
	} {
		if row[column] != want {
			t.Errorf("report: %s is %q, want %q", column, row[column], want)
		}
	}

	title := ediTitle(t, dir, account, day, nsu, auth, number)
	short := net - received
	for what, got := range map[string]bool{
		"movement 06":                      title.Movement == cnab.Paid,
		"valor líquido is what was paid":   title.Net == received,
		"outras despesas is what is short": title.OtherExpenses == short+member("discountAntecipationValue"),
		"valor pago is the gross":          title.Paid == member("installmentValue"),
		"vencimento is the forecast":       title.Due.String() == wire["receivedDateForeast"].(string),
		"data do crédito is the day paid":  title.CreditDate.String() == wire["receivedDateEffective"].(string),
	} {
		if !got {
			t.Errorf("EDI: %s: not in %+v", what, title)
		}
	}
}

// night runs one night of dir against the sandbox, through the command line.
func night(t *testing.T, s *sandbox, dir string) {
	t.Helper()
	if code, out := runCommand(t, s, dir, "run"); code != exit.Breaks {
		t.Fatalf("run ended with %d:\n%s", code, out)
	}
}

const testConfig = `
ledger: {dsn: "sqlite:%[1]s/concilia.db"}
service: {gateway_url: %[2]s, integration_url: %[3]s, user_name: demo, requests_per_second: 1000}
accounts:
  - {number: 1001, since: 2026-09-19, name: Loja Centro, document: "11222333000181", bank: {code: "001", branch: "1234", branch_digit: "5", account: "567890", account_digit: "1", agreement: "1234567", name: BANCO DO BRASIL}}
  - {number: 1002, since: 2026-09-19, name: Loja Norte, document: "11444777000161", bank: {code: "237", branch: "4321", branch_digit: "0", account: "98765", account_digit: "4", agreement: "7654321", name: BRADESCO}}
reports: {out: "%[1]s/reports", archive: "%[1]s/concilia.db-archive"}
plan: {slips_due_back: 8, slips_due_forward: 8}
`

// runCommand runs the program in this process as a person would in dir, on the morning of the sandbox.
func runCommand(t *testing.T, s *sandbox, dir string, args ...string) (int, string) {
	t.Helper()
	config := filepath.Join(dir, "concilia.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, testConfig, filepath.ToSlash(dir), s.gateway, s.integration), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"CONCILIA_SERVICE_PASSWORD": demoPassword, "CONCILIA_CLOCK": "2026-11-18T06:00:00-03:00"}
	if s.since != "" {
		vars["CONCILIA_ACCOUNTS_0_SINCE"], vars["CONCILIA_ACCOUNTS_1_SINCE"] = s.since, s.since
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), environment{
		args: append([]string{"--config", config}, args...), stdout: &stdout, stderr: &stderr, wall: time.Now,
		lookup: func(k string) (string, bool) { v, ok := vars[k]; return v, ok },
	})
	return code, stdout.String() + stderr.String()
}

// lateAndShort asks the sandbox which installment it planted late and short.
func lateAndShort(t *testing.T, s *sandbox) string {
	t.Helper()
	res, err := http.Get(s.control + "/sandbox/planted")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var list []struct{ Code, Subject string }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	late := map[string]bool{}
	for _, p := range list {
		late[p.Subject] = late[p.Subject] || p.Code == "RECEIVED_LATE"
	}
	for _, p := range list {
		if p.Code == "RECEIVED_VALUE_MISMATCH" && late[p.Subject] {
			return p.Subject
		}
	}
	t.Fatal("nothing was planted late and short")
	return ""
}

// wireRecord is the service's own JSON of one installment.
func wireRecord(t *testing.T, s *sandbox, account, day, nsu, number string) map[string]any {
	t.Helper()
	token := login(t, s)
	query := url.Values{"accountNumber": {account}, "startDate": {day}, "endDate": {day}}
	req, err := http.NewRequest(http.MethodPost,
		s.integration+"/api/transaction/concil/search-by-operation-date-installments?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var rows []map[string]any
	decoder := json.NewDecoder(res.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r["nsu"] == nsu && r["installmentNumber"].(json.Number).String() == number {
			return r
		}
	}
	t.Fatalf("the service has no installment %s of %s on %s", number, nsu, day)
	return nil
}

func login(t *testing.T, s *sandbox) string {
	t.Helper()
	body := strings.NewReader(`{"userName":"demo","password":"` + demoPassword + `"}`)
	res, err := http.Post(s.integration+"/api/authentication/login", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct{ AccessToken string }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.AccessToken == "" {
		t.Fatalf("no token: %v", err)
	}
	return answer.AccessToken
}

// tracedCase is what the test reads of a line of exceptions list --json.
type tracedCase struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	State    string `json:"state"`
	Subject  string `json:"subject"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Impact   string `json:"impact"`
}

func exceptionsOf(t *testing.T, dir, subject string) []tracedCase {
	t.Helper()
	_, out := runCommand(t, &sandbox{gateway: "http://127.0.0.1:1", integration: "http://127.0.0.1:1"}, dir, "exceptions", "list", "--json")
	var all []tracedCase
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		var e tracedCase
		if err := decoder.Decode(&e); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if e.Subject == subject {
			all = append(all, e)
		}
	}
}

// publishedFile is the path of the one file of the operation set that holds a sale's day.
func publishedFile(t *testing.T, dir, account, kind, day, revisionAndFormat string) string {
	t.Helper()
	month := strings.ReplaceAll(day[:7], "-", "/")
	pattern := filepath.Join(dir, "reports", account, month, kind+"_"+account+"_operation_*_"+revisionAndFormat)
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files[0]
}

func reportRow(t *testing.T, dir, account, day, nsu, number string) map[string]string {
	t.Helper()
	f, err := os.Open(publishedFile(t, dir, account, "installments", day, "r0.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range rows[1:] {
		row := map[string]string{}
		for i, id := range rows[0] {
			row[id] = cells[i]
		}
		if row["nsu"] == nsu && row["installment"] == number && strings.HasPrefix(row["sale_at"], day) {
			return row
		}
	}
	t.Fatalf("no row of %s, installment %s", nsu, number)
	return nil
}

func ediTitle(t *testing.T, dir, account, day, nsu, auth, number string) cnab.Title {
	t.Helper()
	first, err := ledger.ParseDate(day)
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "report", "--account", account, "--from", first.MonthStart().String(),
		"--to", first.MonthEnd().String(), "--kind", "installments", "--format", "edi")
	if code != exit.Breaks {
		t.Fatalf("report ended with %d:\n%s%s", code, out, errs)
	}
	f, err := os.Open(publishedFile(t, dir, account, "installments", day, "r1.ret"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var found []cnab.Title
	_, err = cnab.Read(f, cnab.ReadOptions{StrictIdentities: true, OnTitle: func(_ int, title cnab.Title) error {
		if title.DocumentNumber == nsu && strings.HasPrefix(title.CompanyUse, fmt.Sprintf("%02s/", number)) &&
			strings.Contains(title.CompanyUse, auth) {
			found = append(found, title)
		}
		return nil
	}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d titles of %s, installment %s: %v", len(found), nsu, number, err)
	}
	return found[0]
}
