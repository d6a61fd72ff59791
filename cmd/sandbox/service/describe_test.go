package service_test

import (
	"maps"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// docRequest is what a documented operation is driven with.
type docRequest struct{ query, body string }

// driven is an operation's requests: good ones, and bad ones that must give 400.
type driven struct{ good, bad []docRequest }

const (
	testWindow = "accountNumber=1002&startDate=2026-09-01&endDate=2027-03-01"
	jsonHeader = "application/json"
)

// operations are the requests of every operation of the description. Requests without token, from a
// stranger's address and with a spoilt state file are made from the good ones.
func operations(receiver, slip string) map[string]driven {
	list := driven{[]docRequest{{query: testWindow}}, []docRequest{{}, {query: testWindow + "x"}}}
	login := driven{[]docRequest{{body: goodLogin}}, []docRequest{{body: `{}`}, {body: `{"userName":"` + strings.Repeat("x", 31) + `","password":"x"}`}}}
	account := []docRequest{{query: "accountNumber=1001"}}
	return map[string]driven{
		"POST /gateway/api/auth/token":                         login,
		"POST /integration/api/authentication/login":           login,
		"GET /integration/api/billissuer/list/by/due-date":     list,
		"GET /integration/api/billissuer/list/by/payment-date": list,
		"GET /integration/api/billissuer/list/by/credit-date": {
			append([]docRequest{{query: testWindow + "&statusIntegration=2"}}, list.good...), append([]docRequest{{query: testWindow + "&statusIntegration=3"}}, list.bad...),
		},
		"POST /gateway/api/transaction/concil/search-by-operation-date-installments":     list,
		"POST /integration/api/transaction/concil/search-by-operation-date-installments": list,
		"GET /integration/api/billissuer/information": {
			[]docRequest{{query: "accountNumber=1001&id=" + slip}, {query: "accountNumber=1001&id_bill=" + slip}, {query: "accountNumber=1001&id=x"}}, []docRequest{{query: "id=" + slip}},
		},
		"GET /gateway/v1/payments-simulator": {
			[]docRequest{{query: "Brand=visa&netValue=1000"}, {query: "Brand=ELO&netValue=0.01"}}, []docRequest{{query: "Brand=diners&netValue=1000"}, {query: "Brand=visa"}},
		},
		"POST /gateway/v1/security/webhook-auth": {
			[]docRequest{{body: `{"basic":"Basic dTpw"}`}}, []docRequest{{body: `{}`}, {body: `{"basic":"Bearer dTpw"}`}, {body: `{"basic":"Basic *"}`}, {body: `{"basic":"Basic dTpw"}`}},
		},
		"DELETE /gateway/v1/security/webhook-auth": {[]docRequest{{}, {}}, nil},
		"POST /integration/api/webhooks/subscriptions": {
			[]docRequest{{account[0].query, `{"url":"` + receiver + `","basicAuth":"dTpw"}`}, {account[0].query, `{"url":"` + receiver + `"}`}},
			[]docRequest{{"", `{"url":"` + receiver + `"}`}, {account[0].query, `{}`}, {account[0].query, `{"url":"ftp://x","basicAuth":"u:p"}`}},
		},
		"GET /integration/api/webhooks/subscriptions":    {account, []docRequest{{}, {query: "accountNumber=7"}}},
		"DELETE /integration/api/webhooks/subscriptions": {append(account, account...), []docRequest{{}}},
		"GET /openapi.json":                              {good: []docRequest{{}}},
		"GET /sandbox/health":                            {good: []docRequest{{}}},
		"GET /sandbox/planted":                           {good: []docRequest{{}}},
		"GET /sandbox/clock":                             {good: []docRequest{{}}},
		"POST /sandbox/clock":                            {[]docRequest{{body: `{"advance_days":0}`}, {body: `{"now":"2026-11-18T09:00:00Z"}`}}, []docRequest{{body: `{}`}}},
	}
}

// driver calls operations and holds every answer against the description.
type driver struct {
	sandbox
	document
	tokens map[string]string // by security scheme
	seen   map[string]bool   // "METHOD path status"
}

// TestEveryDocumentedPath drives every operation of the description, to every status it documents.
func TestEveryDocumentedPath(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	state, err := service.OpenState(file)
	if err != nil {
		t.Fatal(err)
	}
	receiver := httptest.NewServer(nil)
	t.Cleanup(receiver.Close)
	s := start(t, world.Options{Plant: true}, service.Options{State: state, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	_, text := s.call(t, "GET", "/openapi.json", "", "")
	doc, err := readDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	d := driver{s, doc, map[string]string{"gatewayToken": s.token(t, gatewayLogin), "integrationToken": s.token(t, integrationLogin)}, map[string]bool{}}
	slip := s.rows(t, "GET", slipPath("due-date", 1001), d.tokens["integrationToken"])[0]["id"].(string)
	requests := operations(receiver.URL+"/n", slip)
	documented := doc.operations()
	if got := slices.Sorted(maps.Keys(requests)); !slices.Equal(got, documented) {
		t.Errorf("driven and documented differ:\n%q\n%q", got, documented)
	}
	for _, op := range documented {
		for _, r := range requests[op].good {
			d.drive(t, op, r, true, 0)
		}
		for _, r := range requests[op].bad {
			d.drive(t, op, r, true, 400)
		}
		if len(requests[op].good) == 0 {
			continue
		}
		first := requests[op].good[0]
		if d.operation(op)["security"] != nil {
			d.drive(t, op, first, false, 401)
		} else if d.documents(op, 401) {
			first := first
			first.body = strings.ReplaceAll(first.body, "segredo", "errada")
			d.drive(t, op, first, false, 401)
		}
		if d.documents(op, 403) {
			d.drive(t, op, first, true, 403, "X-Forwarded-For", "203.0.113.9")
		}
		if strings.HasSuffix(op, "/webhook-auth") {
			d.drive(t, op, first, true, 400, "Content-Type", "text/plain")
		}
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, op := range documented {
		if d.documents(op, 500) {
			d.drive(t, op, requests[op].good[0], true, 500)
		}
		for status := range d.at("paths")[pathOf(op)].(node)[methodOf(op)].(node)["responses"].(node) {
			if !d.seen[op+" "+status] {
				t.Errorf("%s: %s is documented and was not seen", op, status)
			}
		}
	}
}

// drive sends one request. The status must be documented for the operation and be the one wanted (0 is any
// success), and the body must be as described for it; the body of a request that succeeds must be, too.
func (d driver) drive(t *testing.T, op string, r docRequest, withToken bool, want int, header ...string) {
	t.Helper()
	o := d.operation(op)
	token := ""
	if list, ok := o["security"].([]any); ok && withToken {
		for scheme := range list[0].(node) {
			token = d.tokens[scheme]
		}
	}
	target := pathOf(op)
	if r.query != "" {
		target += "?" + r.query
	}
	status, body := d.send(t, strings.ToUpper(methodOf(op)), target, token, r.body, append([]string{"Content-Type", jsonHeader}, header...))
	if status != want && (want != 0 || status > 299) {
		t.Errorf("%s ?%s %s: %d %.200s, want %d", op, r.query, r.body, status, body, want)
		return
	}
	code := strconv.Itoa(status)
	d.seen[op+" "+code] = true
	response, ok := o["responses"].(node)[code].(node)
	if !ok {
		t.Errorf("%s: %d is not documented", op, status)
		return
	}
	schema, v := d.resolve(response)["content"].(node)["application/json"].(node)["schema"].(node), decoded(t, body)
	wrong := d.judge("answer", schema, v)
	if asked, ok := o["requestBody"].(node); ok && status < 300 {
		wrong = append(wrong, d.judge("request", asked["content"].(node)["application/json"].(node)["schema"].(node), decoded(t, []byte(r.body)))...)
	}
	if len(wrong) > 0 {
		t.Errorf("%s ?%s: %d\n%s", op, r.query, status, strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	}
	if list, ok := v.([]any); ok && len(list) == 0 {
		t.Errorf("%s ?%s: an empty list proves nothing", op, r.query)
	}
}

func decoded(t *testing.T, body []byte) any {
	t.Helper()
	v, err := decodeAny(body)
	if err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	return v
}

func methodOf(op string) string { m, _, _ := strings.Cut(op, " "); return strings.ToLower(m) }
func pathOf(op string) string   { _, p, _ := strings.Cut(op, " "); return p }

func (d document) operation(op string) node { return d.at("paths", pathOf(op), methodOf(op)) }

func (d document) documents(op string, status int) bool {
	_, ok := d.operation(op)["responses"].(node)[strconv.Itoa(status)]
	return ok
}

// operations are the "METHOD path" pairs described, sorted.
func (d document) operations() []string {
	var all []string
	for p, methods := range d.at("paths") {
		for m := range methods.(node) {
			all = append(all, strings.ToUpper(m)+" "+p)
		}
	}
	slices.Sort(all)
	return all
}

// TestNothingServedIsUndocumented holds the routes against the description, under other prefixes too.
func TestNothingServedIsUndocumented(t *testing.T) {
	t.Parallel()
	w, err := world.New(world.Options{Days: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []service.Options{{}, {GatewayPrefix: "/gw", IntegrationPrefix: "/marca"}} {
		o.Now = time.Now
		s := service.New(w, o)
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequest("GET", "/openapi.json", nil))
		doc, err := readDocument(rec.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		routes := slices.Sorted(slices.Values(s.Routes()))
		if !slices.Equal(routes, doc.operations()) {
			t.Errorf("served and documented differ:\n%q\n%q", routes, doc.operations())
		}
	}
}

// TestEverySchemaIsUsed walks the references from paths and webhooks; each must lead somewhere, and each
// schema must be led to.
func TestEverySchemaIsUsed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := readDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case node:
			if ref, ok := v["$ref"].(string); ok && !used[ref] {
				used[ref] = true
				walk(doc.resolve(v))
			}
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(doc["paths"])
	walk(doc["webhooks"])
	for _, kind := range []string{"schemas", "parameters", "responses"} {
		for name := range doc.at("components", kind) {
			if !used["#/components/"+kind+"/"+name] {
				t.Errorf("%s %s is never used", kind, name)
			}
		}
	}
}

// TestJudge proves that the judge finds what is wrong: a judge that finds nothing would pass everything.
func TestJudge(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := readDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ why, schema, value, says string }{
		{"a member missing", "Message", `{}`, "message is missing"},
		{"a member too many", "Message", `{"message":"x","more":1}`, "more is not described"},
		{"an empty text", "Message", `{"message":""}`, "0 characters"},
		{"a number for a text", "Message", `{"message":1}`, "no string"},
		{"an empty array of problems", "Problems", `[]`, "0 items"},
		{"a problem within", "Problems", `[{"tag":null,"description":"x"}]`, "[0].tag"},
		{"a date that is none", "Clock", `{"now":"2026-11-18"}`, "parsing time"},
		{"a refusal that says yes", "TokenRefused", `{"authenticated":true,"created":null,"expiration":null,"accessToken":null,"message":"x"}`, "true, want false"},
		{"too many decimals", "Split", `{"beneficiario":"","tipoSplit":"","pctSplit":0.00001,"valorBaseSplit":1,"valorSplit":1}`, "multipleOf"},
		{"a fraction for an integer", "Notification", `{"movementId":1.5,"nsu":"","codAuth":"","installmentNumber":1,"moment":"","type":"","oldValue":"","newValue":""}`, "no integer"},
		{"a number past its bound", "Notification", `{"movementId":1,"nsu":"","codAuth":"","installmentNumber":13,"moment":"","type":"","oldValue":"","newValue":""}`, "maximum"},
		{"a credential without scheme", "Credential", `{"basic":"dTpw"}`, "not like"},
		{"no URL", "Subscription", `{"url":"n"}`, "no absolute URL"},
		{"two moves of the clock", "ClockMove", `{"now":"2026-11-18T09:00:00Z","advance_days":1}`, "2 members"},
	} {
		got := strings.Join(doc.judge("v", doc.at("components", "schemas", c.schema), decoded(t, []byte(c.value))), "\n")
		if !strings.Contains(got, c.says) {
			t.Errorf("%s: judged %q, want %q in it", c.why, got, c.says)
		}
	}
}
