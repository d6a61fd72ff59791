package service_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

func TestSimulator(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 1}, service.Options{})
	token := s.token(t, gatewayLogin)
	status, body := s.call(t, "GET", simulator, token, "")
	want := `{"installments":[{"installment":1,"amount":1035.24},{"installment":2,"amount":1046.98},{"installment":3,"amount":1052.82},` +
		`{"installment":4,"amount":1058.72},{"installment":5,"amount":1064.68},{"installment":6,"amount":1070.71},{"installment":7,"amount":1083.51},` +
		`{"installment":8,"amount":1089.72},{"installment":9,"amount":1096.00},{"installment":10,"amount":1102.36},{"installment":11,"amount":1108.78},{"installment":12,"amount":1115.29}]}`
	if status != 200 || strings.TrimSpace(string(body)) != want {
		t.Errorf("visa, net 1000: %d %s", status, body)
	}
	for _, c := range []struct {
		query string
		tags  []string
	}{
		{"Brand=diners&netValue=1000", []string{""}},
		{"netValue=1000", []string{""}},
		{"Brand=visa", []string{"netValue"}},
		{"Brand=visa&netValue=0", []string{"netValue"}},
		{"Brand=visa&netValue=-5", []string{"netValue"}},
		{"Brand=visa&netValue=1e3", []string{"netValue"}},
		{"Brand=&netValue=1,5", []string{"", "netValue"}},
	} {
		status, body := s.call(t, "GET", "/gateway/v1/payments-simulator?"+c.query, token, "")
		expectProblems(t, c.query, status, body, 400, c.tags...)
	}
	_, body = s.call(t, "GET", "/gateway/v1/payments-simulator?Brand=diners&netValue=1", token, "")
	if got := strings.TrimSpace(string(body)); got != `[{"tag":"","description":"Bandeira não identificada"}]` {
		t.Errorf("unknown brand: %s", got)
	}
}

func TestBadQueriesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 2}, service.Options{})
	token := s.token(t, integrationLogin)
	for _, path := range []string{
		"POST /gateway/api/transaction/concil/search-by-operation-date-installments",
		"GET /integration/api/billissuer/list/by/due-date",
		"GET /integration/api/billissuer/list/by/payment-date",
		"GET /integration/api/billissuer/list/by/credit-date",
	} {
		method, path, _ := strings.Cut(path, " ")
		for _, c := range []struct {
			query string
			tags  []string
		}{
			{"", []string{"accountNumber", "startDate", "endDate"}},
			{"accountNumber=x&startDate=2026-11-01&endDate=2026-11-01", []string{"accountNumber"}},
			{"accountNumber=9&startDate=2026-11-01&endDate=2026-11-01", []string{"accountNumber"}},
			{"accountNumber=1001&startDate=01/11/2026&endDate=2026-02-30", []string{"startDate", "endDate"}},
			{"accountNumber=1001&startDate=2026-11-02&endDate=2026-11-01", []string{"endDate"}},
		} {
			status, body := s.call(t, method, path+"?"+c.query, token, "")
			expectProblems(t, path+"?"+c.query, status, body, 400, c.tags...)
		}
	}
	status, body := s.call(t, "GET", "/integration/api/billissuer/list/by/credit-date?accountNumber=1001&startDate=2026-11-01&endDate=2026-11-01&statusIntegration=3", token, "")
	expectProblems(t, "an unknown statusIntegration", status, body, 400, "statusIntegration")
	status, body = s.call(t, "GET", "/integration"+search, token, "")
	expectProblems(t, "GET on the search", status, body, 405, "")
	status, body = s.call(t, "POST", "/integration/api/billissuer/nothing", token, "")
	expectProblems(t, "an unknown path", status, body, 404, "")
}

// Names of the members of slips, exactly and in the document's order; those of an installment are in openapi.json in that order.
const (
	slipMembers   = "id value issueDate dueDate payerDocument payerName payerStreetAndNumber payerZipCode payerCity payerCityState payerNeighborhood payerPhoneNumber effectivePaymentDate effectiveCreditDate effectivePaymentValue barCode digitableLine pixEmv"
	creditMembers = "Id Value IssueDate DueDate PayerDocument PayerName PayerStreetAndNumber PayerZipCode PayerCity PayerCityState PayerNeighborhood PayerPhoneNumber EffectivePaymentDate EffectiveCreditDate EffectivePaymentValue BarCode OurNumber DigitableLine PixEmv OverduePaymentAllow OverduePaymentDateLimit OverduePaymentPenalty OverduePenaltyReceived OverduePaymentInterest OverdueInterestReceived CancelDate CancellationReason StatusBill ReferenceCode"
)

// requiredMembers are the members that every record of a schema has, in the order in which openapi.json lists them.
func requiredMembers(t *testing.T, schema string) string {
	t.Helper()
	doc := readOpenAPI(t)
	return strings.Trim(fmt.Sprint(doc.at("components", "schemas", schema)["required"]), "[]")
}

func TestMemberNames(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{}, service.Options{})
	token := s.token(t, integrationLogin)
	all := "accountNumber=1002&startDate=2026-09-01&endDate=2027-03-01"
	id := s.rows(t, "GET", slipPath("due-date", 1002), token)[0]["id"].(string)
	for _, c := range []struct{ method, path, want string }{
		{"POST", "/gateway/api/transaction/concil/search-by-operation-date-installments?" + all, requiredMembers(t, "Installment")},
		{"GET", "/integration/api/billissuer/list/by/due-date?" + all, slipMembers + " statusBill statusIntegration"},
		{"GET", "/integration/api/billissuer/list/by/payment-date?" + all, slipMembers + " statusBill statusIntegration"},
		{"GET", "/integration/api/billissuer/list/by/credit-date?" + all, creditMembers},
		{"GET", "/integration/api/billissuer/information?accountNumber=1002&id=" + id, slipMembers + " status success message"},
	} {
		_, body := s.call(t, c.method, c.path, token, "")
		d := json.NewDecoder(strings.NewReader(string(body)))
		if tok, _ := d.Token(); tok == json.Delim('[') {
			_, _ = d.Token()
		}
		var got []string
		for d.More() {
			name, _ := d.Token()
			got = append(got, fmt.Sprint(name))
			var skip any
			if err := d.Decode(&skip); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: members as served (got) and as openapi.json and this file list them (want):\n got %s\nwant %s", c.path, strings.Join(got, " "), c.want)
		}
	}
	first := s.rows(t, "POST", "/integration/api/transaction/concil/search-by-operation-date-installments?"+all, token)[0]
	for name, v := range first {
		if n, ok := v.(json.Number); ok && !strings.HasPrefix(name, "installmentN") && !strings.HasPrefix(name, "installmentsC") {
			if _, frac, _ := strings.Cut(n.String(), "."); len(frac) != 4 {
				t.Errorf("%s is printed %s, want four decimals", name, n)
			}
		}
	}
}

func slipPath(list string, account int) string {
	return fmt.Sprintf("/integration/api/billissuer/list/by/%s?accountNumber=%d&startDate=2026-01-01&endDate=2027-12-31", list, account)
}

// TestWindowsCutExactly asks every list day by day: each record comes back on its own day, once.
func TestWindowsCutExactly(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 30}, service.Options{})
	token := s.token(t, integrationLogin)
	for _, c := range []struct{ method, path, id, date string }{
		{"POST", "/gateway/api/transaction/concil/search-by-operation-date-installments", "nsu", "transactionDate"},
		{"GET", "/integration/api/billissuer/list/by/due-date", "id", "dueDate"},
		{"GET", "/integration/api/billissuer/list/by/payment-date", "id", "effectivePaymentDate"},
		{"GET", "/integration/api/billissuer/list/by/credit-date", "Id", "EffectiveCreditDate"},
	} {
		from, to := s.world.AsOf()-35, s.world.AsOf()+65
		ask := func(a, b world.Date) []map[string]any {
			return s.rows(t, c.method, fmt.Sprintf("%s?accountNumber=1001&startDate=%s&endDate=%s", c.path, a, b), token)
		}
		count := func(rows []map[string]any) map[string]int {
			n := map[string]int{}
			for _, r := range rows {
				n[fmt.Sprint(r[c.id], r["installmentNumber"], r[c.date].(string)[:10])]++
			}
			return n
		}
		days := map[string]int{}
		for d := from; d <= to; d++ {
			for key, n := range count(ask(d, d)) {
				if !strings.HasSuffix(key, d.String()) {
					t.Errorf("%s on %s holds %s", c.path, d, key)
				}
				days[key] += n
			}
		}
		if whole := count(ask(from, to)); len(whole) == 0 || !maps.Equal(whole, days) {
			t.Errorf("%s: %d records at once, %d day by day", c.path, len(whole), len(days))
		}
	}
	for _, r := range s.rows(t, "GET", slipPath("payment-date", 1001), token) {
		if fmt.Sprint(r["statusBill"]) != "3" {
			t.Errorf("slip %v in the list by payment date has statusBill %v", r["id"], r["statusBill"])
		}
	}
}

func TestCreditListByIntegrationStatus(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 30}, service.Options{})
	token := s.token(t, integrationLogin)
	all := s.rows(t, "GET", slipPath("credit-date", 1001), token)
	if issued := s.rows(t, "GET", slipPath("credit-date", 1001)+"&statusIntegration=2", token); len(issued) != len(all) || len(all) == 0 {
		t.Errorf("%d of %d credited slips are issued", len(issued), len(all))
	}
	if none := s.rows(t, "GET", slipPath("credit-date", 1001)+"&statusIntegration=9", token); len(none) != 0 {
		t.Errorf("%d credited slips are rejected", len(none))
	}
}

func TestSlipDetail(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{}, service.Options{})
	token := s.token(t, integrationLogin)
	detail := func(query string) map[string]any {
		status, body := s.call(t, "GET", "/integration/api/billissuer/information?"+query, token, "")
		d := json.NewDecoder(strings.NewReader(string(body)))
		d.UseNumber()
		var m map[string]any
		if err := d.Decode(&m); err != nil || status != 200 {
			t.Fatalf("%s: %d %s", query, status, body)
		}
		return m
	}
	seen := map[string]bool{}
	for _, listed := range s.rows(t, "GET", slipPath("due-date", 1001), token) {
		id := listed["id"].(string)
		got, other := detail("accountNumber=1001&id="+strings.ToUpper(id)), detail("accountNumber=1001&id_bill="+id)
		if fmt.Sprint(got) != fmt.Sprint(other) || got["success"] != true {
			t.Errorf("slip %s asked as id and as id_bill: %v and %v", id, got, other)
		}
		for name, v := range listed {
			if !strings.HasPrefix(name, "status") && got[name] != v {
				t.Errorf("slip %s: %s is %v in the list, %v in detail", id, name, v, got[name])
			}
		}
		seen[fmt.Sprint(listed["statusBill"], "→", got["status"])] = true
	}
	if got := slices.Sorted(maps.Keys(seen)); strings.Join(got, " ") != "1→1 2→2 3→3 9→2" {
		t.Errorf("statuses in list and detail: %v", got)
	}
	for _, query := range []string{"accountNumber=1001&id=3fa85f64-5717-4562-b3fc-2c963f66afa6", "accountNumber=1001"} {
		if got := detail(query); got["success"] != false || got["message"] == "" {
			t.Errorf("%s: %v", query, got)
		}
	}
}

func TestControlPaths(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Plant: true}, service.Options{})
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/sandbox/health", "", 200, `{"status":"ok"}`},
		{"GET", "/sandbox/clock", "", 200, `{"now":"2026-11-18T09:00:00Z"}`},
		{"POST", "/sandbox/clock", `{"advance_days":2}`, 200, `{"now":"2026-11-20T09:00:00Z"}`},
		{"POST", "/sandbox/clock", `{"now":"2026-11-18T06:00:00-03:00"}`, 200, `{"now":"2026-11-18T09:00:00Z"}`},
		{"POST", "/sandbox/clock", `{}`, 400, ""},
		{"POST", "/sandbox/clock", `{"now":"tomorrow"}`, 400, ""},
		{"POST", "/sandbox/clock", `{"advance_days":4000}`, 400, ""},
		{"POST", "/sandbox/clock", `{"advance_days":1,"now":"2026-11-18T09:00:00Z"}`, 400, ""},
		{"DELETE", "/sandbox/clock", "", 405, ""},
		{"GET", "/sandbox/nothing", "", 404, ""},
	} {
		status, body := s.call(t, c.method, c.path, "", c.body)
		if got := strings.TrimSpace(string(body)); status != c.status || c.want != "" && got != c.want {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, status, got, c.status, c.want)
		}
	}
	_, body := s.call(t, "GET", "/sandbox/planted", "", "")
	var planted []world.Planted
	if err := json.Unmarshal(body, &planted); err != nil || len(planted) == 0 {
		t.Errorf("planted: %s", body)
	}
}

// TestSearchByCode finds every sale by its NSU and authorization, as the search by day shows it, but for the splits.
func TestSearchByCode(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 3}, service.Options{})
	token := s.token(t, integrationLogin)
	_, text := s.call(t, "GET", "/openapi.json", "", "")
	doc, err := readDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	schema := doc.at("paths", "/integration/api/transaction/concil/search-by-code", "post", "responses", "200", "content", "application/json", "schema")
	all := s.rows(t, "POST", "/integration/api/transaction/concil/search-by-operation-date-installments?"+testWindow, token)
	for _, row := range []map[string]any{all[0], all[len(all)-1]} {
		query := fmt.Sprintf("/integration/api/transaction/concil/search-by-code?accountNumber=1002&Nsu=%s&CodAuth=%s", row["nsu"], row["codAuth"])
		_, body := s.call(t, "POST", query, token, "")
		if wrong := doc.judge("by code", schema, decoded(t, body)); len(wrong) > 0 {
			t.Errorf("%s is not as described: %q", query, wrong)
		}
		var want []map[string]any
		for _, r := range all {
			if r["nsu"] == row["nsu"] && r["codAuth"] == row["codAuth"] {
				delete(r, "splits")
				want = append(want, r)
			}
		}
		if diff := cmp.Diff(want, s.rows(t, "POST", query, token)); diff != "" {
			t.Errorf("%s: by day (-) and by code (+) differ:\n%s", query, diff)
		}
	}
	none := "/gateway/api/transaction/concil/search-by-code?accountNumber=1002&Nsu=" + fmt.Sprint(all[0]["nsu"]) + "&CodAuth=other"
	if status, body := s.call(t, "POST", none, token, ""); status != 200 || strings.TrimSpace(string(body)) != "[]" {
		t.Errorf("a sale that is not there is answered %d %s", status, body)
	}
	status, body := s.call(t, "POST", "/gateway/api/transaction/concil/search-by-code?accountNumber=9&CodAuth="+strings.Repeat("x", 31), token, "")
	expectProblems(t, "a bad question", status, body, 400, "accountNumber", "Nsu", "CodAuth")
}
