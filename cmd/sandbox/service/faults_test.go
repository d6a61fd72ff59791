package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// reply is an answer as it came over the wire, however broken.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error // of reading the body
}

func (s sandbox) raw(t *testing.T, method, path, token, body string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, b, err}
}

// arm orders a fault.
func (s sandbox) arm(t *testing.T, order string) {
	t.Helper()
	if status, body := s.call(t, "POST", "/sandbox/faults", "", order); status != 201 {
		t.Fatalf("arming %s: %d %s", order, status, body)
	}
}

// elements are the rows of a list as they came.
func (r reply) elements(t *testing.T) []json.RawMessage {
	t.Helper()
	var rows []json.RawMessage
	if err := json.Unmarshal(r.body, &rows); err != nil || r.err != nil {
		t.Fatalf("%v %v in %.100s", err, r.err, r.body)
	}
	return rows
}

const (
	searchDay = "/gateway/api/transaction/concil/search-by-operation-date-installments?accountNumber=1002&startDate=2026-11-10&endDate=2026-11-10"
	creditDay = "/integration/api/billissuer/list/by/credit-date?accountNumber=1002&startDate=2026-11-01&endDate=2026-11-10"
)

func TestEveryKindOfFault(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{}, service.Options{})
	token := s.token(t, integrationLogin)
	good := map[string]reply{"search": s.raw(t, "POST", searchDay, token, ""), "credit": s.raw(t, "GET", creditDay, token, "")}
	whole := map[string][]json.RawMessage{"search": good["search"].elements(t), "credit": good["credit"].elements(t)}
	short := func(r reply) bool {
		return r.err == nil && !json.Valid(r.body) && r.header.Get("Content-Length") == fmt.Sprint(len(r.body))
	}
	for _, c := range []struct {
		why, endpoint, order string
		holds                func(r reply) bool
	}{
		{"a refused token", "search", `"401"`, func(r reply) bool { return r.status == 401 }},
		{"too many requests, with when to come back", "search", `"429","retry_after":7`, func(r reply) bool { return r.status == 429 && r.header.Get("Retry-After") == "7" }},
		{"too many requests, in a second", "credit", `"429"`, func(r reply) bool { return r.status == 429 && r.header.Get("Retry-After") == "1" }},
		{"an unexpected error", "credit", `"500"`, func(r reply) bool { return r.status == 500 && json.Valid(r.body) }},
		{"out of service", "search", `"503"`, func(r reply) bool { return r.status == 503 && r.header.Get("Retry-After") == "" }},
		{"out of service until", "search", `"503","retry_after":2`, func(r reply) bool { return r.status == 503 && r.header.Get("Retry-After") == "2" }},
		{"slow, and right", "search", `"slow","delay_ms":5`, func(r reply) bool { return bytes.Equal(r.body, good["search"].body) }},
		{"hung up amid the body", "search", `"close"`, func(r reply) bool { return r.status == 200 && r.err != nil && len(r.body) < len(good["search"].body) }},
		{"cut, its length right", "search", `"cut"`, short},
		{"cut, a list of slips", "credit", `"cut"`, short},
		{"another content type", "credit", `"content-type"`, func(r reply) bool {
			return strings.HasPrefix(r.header.Get("Content-Type"), "text/html") && bytes.Equal(r.body, good["credit"].body)
		}},
		{"capped", "search", `"cap","limit":4`, func(r reply) bool { return slices.EqualFunc(r.elements(t), whole["search"][:4], sameBytes) }},
		{"a cap above what there is", "search", `"cap","limit":4000`, func(r reply) bool { return len(r.elements(t)) == len(whole["search"]) }},
		{"two rows twice", "credit", `"duplicate","rows":2`, func(r reply) bool {
			return slices.EqualFunc(r.elements(t), append(slices.Clone(whole["credit"]), whole["credit"][:2]...), sameBytes)
		}},
		{"a sale of the day before", "search", `"leak"`, func(r reply) bool {
			rows := r.elements(t)
			return len(rows) == len(whole["search"])+1 && bytes.Contains(rows[len(rows)-1], []byte(`"transactionDate":"2026-11-09T`))
		}},
		{"slips credited before", "credit", `"leak","rows":2`, func(r reply) bool {
			rows := r.elements(t)
			return len(rows) > len(whole["credit"]) && bytes.Contains(rows[len(rows)-1], []byte(`"EffectiveCreditDate":"2026-10-`))
		}},
		{"members nobody described", "search", `"unknown-member","rows":600000`, func(r reply) bool {
			return json.Valid(r.body) && bytes.Count(r.body, []byte(`"membroNovo"`)) == len(whole["search"])
		}},
		{"a state nobody described", "search", `"unknown-status"`, func(r reply) bool {
			return json.Valid(r.body) && bytes.Count(r.body, []byte(`Status":"EmTransito"`)) == 2
		}},
		{"a slip's state nobody described", "credit", `"unknown-status","rows":3`, func(r reply) bool {
			return json.Valid(r.body) && bytes.Count(r.body, []byte(`"StatusBill":42`)) == 3
		}},
	} {
		s.arm(t, `{"endpoint":"`+c.endpoint+`","kind":`+c.order+`}`)
		ask := func() reply {
			if c.endpoint == "search" {
				return s.raw(t, "POST", searchDay, token, "")
			}
			return s.raw(t, "GET", creditDay, token, "")
		}
		if r := ask(); !c.holds(r) {
			t.Errorf("%s: %d %v %.200s, %v", c.why, r.status, r.header, r.body, r.err)
		}
		if r := ask(); r.status != 200 || !bytes.Equal(r.body, good[c.endpoint].body) {
			t.Errorf("%s: the next answer is spoilt too", c.why)
		}
	}
}

func sameBytes(x, y json.RawMessage) bool { return bytes.Equal(x, y) }

func TestFaultsOfSingleObjects(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{}, service.Options{})
	s.arm(t, `{"endpoint":"login","kind":"unknown-member"}`)
	if token := s.token(t, integrationLogin); token == "" {
		t.Error("a token with a strange member beside it is gone")
	}
	s.arm(t, `{"endpoint":"token","kind":"cut"}`)
	if r := s.raw(t, "POST", gatewayLogin, "", goodLogin); r.status != 200 || json.Valid(r.body) {
		t.Errorf("a cut token answer: %d %s", r.status, r.body)
	}
	token := s.token(t, integrationLogin)
	id := s.rows(t, "GET", slipPath("due-date", 1001), token)[0]["id"].(string)
	s.arm(t, `{"endpoint":"information","kind":"unknown-status"}`)
	if r := s.raw(t, "GET", "/integration/api/billissuer/information?accountNumber=1001&id="+id, token, ""); !bytes.Contains(r.body, []byte(`"status":42`)) {
		t.Errorf("detail: %s", r.body)
	}
	s.arm(t, `{"endpoint":"due","kind":"duplicate"}`)
	if r := s.raw(t, "GET", "/integration/api/billissuer/list/by/due-date", token, ""); r.status != 400 || len(r.elements(t)) != 3 {
		t.Errorf("an error answer was altered: %s", r.body)
	}
}

func TestFaultsAreCountedAndListed(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 2}, service.Options{})
	token := s.token(t, integrationLogin)
	statuses := func(n int) (got []int) {
		for range n {
			got = append(got, s.raw(t, "GET", creditDay, token, "").status)
		}
		return got
	}
	s.arm(t, `{"endpoint":"credit","kind":"500","count":2,"after":1}`)
	s.arm(t, `{"endpoint":"*","kind":"503"}`)
	s.arm(t, `{"endpoint":"due","kind":"429","count":-1}`)
	// The first is let pass by the first fault, and so gets the second.
	if got := statuses(5); !slices.Equal(got, []int{503, 500, 500, 200, 200}) {
		t.Errorf("statuses %v", got)
	}
	type list struct {
		Armed, Fired []map[string]any
		Counts       map[string]int
	}
	show := func(method string) (l list) {
		status, body := s.call(t, method, "/sandbox/faults", "", "")
		if err := json.Unmarshal(body, &l); err != nil || status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		return l
	}
	l := show("GET")
	if len(l.Armed) != 1 || l.Armed[0]["endpoint"] != "due" || l.Armed[0]["count"] != -1.0 {
		t.Errorf("armed %v", l.Armed)
	}
	if len(l.Fired) != 3 || l.Fired[0]["id"] != 2.0 || l.Fired[0]["at"] != "2026-11-18T09:00:00Z" || l.Counts["credit 500"] != 2 || l.Counts["credit 503"] != 1 {
		t.Errorf("fired %v, counts %v", l.Fired, l.Counts)
	}
	if l = show("DELETE"); len(l.Armed) != 0 || len(l.Fired) != 3 {
		t.Errorf("disarmed: %v", l)
	}
	if r := s.raw(t, "GET", "/integration/api/billissuer/list/by/due-date?accountNumber=1001&startDate=2026-11-10&endDate=2026-11-10", token, ""); r.status != 200 {
		t.Errorf("a disarmed fault fired: %d", r.status)
	}
}

func TestFaultsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 1}, service.Options{})
	for order, tags := range map[string][]string{
		`{}`:                                 {"endpoint", "kind"},
		`{"endpoint":"cards","kind":"500"}`:  {"endpoint"},
		`{"endpoint":"search","kind":"404"}`: {"kind"},
		`{"endpoint":"search","kind":"500","count":-2}`:            {"count"},
		`{"endpoint":"search","kind":"500","after":-1}`:            {"count"},
		`{"endpoint":"search","kind":"slow","delay_ms":-1}`:        {"delay_ms"},
		`{"endpoint":"search","kind":"429","retry_after":1000000}`: {"retry_after"},
	} {
		status, body := s.call(t, "POST", "/sandbox/faults", "", order)
		expectProblems(t, order, status, body, 400, tags...)
	}
}

// TestFaultsByChance holds the soak's mode: about as many as asked for, the same for the same seed, each
// one that a client can notice.
func TestFaultsByChance(t *testing.T) {
	t.Parallel()
	outcome := func(seed uint64) (spoilt int, kinds string) {
		s := start(t, world.Options{Days: 2}, service.Options{Faults: service.FaultOptions{Rate: 0.3, Seed: seed, Delay: time.Millisecond}})
		for range 200 {
			// A simulation without a token: what is not a fault is 401.
			r := s.raw(t, "GET", "/gateway/v1/payments-simulator?Brand=visa&netValue=10", "", "")
			if r.status != 401 || r.err != nil || !json.Valid(r.body) || !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
				spoilt++
			}
		}
		var l struct{ Fired []struct{ Kind string } }
		_, body := s.call(t, "GET", "/sandbox/faults", "", "")
		if err := json.Unmarshal(body, &l); err != nil {
			t.Fatal(err)
		}
		slow := 0
		for _, f := range l.Fired {
			kinds += f.Kind + " "
			if f.Kind == "slow" {
				slow++
			}
		}
		if spoilt+slow != len(l.Fired) {
			t.Errorf("%d answers spoilt and %d slow, %d faults fired", spoilt, slow, len(l.Fired))
		}
		return len(l.Fired), kinds
	}
	n, kinds := outcome(5)
	if _, again := outcome(5); again != kinds {
		t.Error("equal seeds give other faults")
	}
	if n < 40 || n > 80 {
		t.Errorf("%d of 200 failed, want about 60", n)
	}
	for _, kind := range []string{"429", "500", "503", "slow", "close", "cut", "content-type"} {
		if !strings.Contains(kinds, kind) {
			t.Errorf("%s never fired by chance", kind)
		}
	}
}
