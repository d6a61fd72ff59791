package service_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// TestNotificationsAreAsDescribed holds what a receiver gets, and the list of it, against the description.
func TestNotificationsAreAsDescribed(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 10}, service.Options{})
	_, text := s.call(t, "GET", "/openapi.json", "", "")
	doc, err := readDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	operation := doc.at("webhooks", "conciliationNotification", "post")
	schema := operation["requestBody"].(node)["content"].(node)["application/json"].(node)["schema"].(node)
	var got atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got.Add(1)
		body, err := io.ReadAll(r.Body)
		v, err2 := decodeAny(body)
		if wrong := doc.judge("notification", schema, v); err != nil || err2 != nil || len(wrong) > 0 {
			t.Errorf("%s: %v %v %q", body, err, err2, wrong)
		}
		if _, _, ok := r.BasicAuth(); !ok {
			t.Error("the credential was not sent")
		}
		for _, p := range operation["parameters"].([]any) {
			if name := p.(node)["name"].(string); r.Header.Get(name) == "" {
				t.Errorf("header %s is described and was not sent", name)
			}
		}
	}))
	t.Cleanup(receiver.Close)
	if status, body := s.call(t, "POST", subscriptions+"1001", s.token(t, integrationLogin), `{"url":"`+receiver.URL+`","basicAuth":"dTpw"}`); status != 201 {
		t.Fatalf("subscribe: %d %s", status, body)
	}
	s.call(t, "POST", "/sandbox/clock", "", `{"advance_days":3}`)
	status, body := s.call(t, "GET", "/sandbox/deliveries?wait=1m", "", "")
	if wrong := doc.judge("list", doc.at("components", "schemas", "Deliveries"), decoded(t, body)); status != 200 || len(wrong) > 0 || got.Load() == 0 {
		t.Errorf("%d, %d notifications, %q", status, got.Load(), wrong)
	}
	if err := s.service.Close(t.Context()); err != nil {
		t.Error(err)
	}
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

// readOpenAPI reads the document that the service hands out.
func readOpenAPI(t *testing.T) document {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := readDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestEverySchemaIsUsed walks the references from paths and webhooks; each must lead somewhere, and each
// schema must be led to.
func TestEverySchemaIsUsed(t *testing.T) {
	t.Parallel()
	doc := readOpenAPI(t)
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
	doc := readOpenAPI(t)
	for _, c := range []struct{ why, schema, value, says string }{
		{"a member missing", "Message", `{}`, "message is missing"},
		{"a member too many", "Message", `{"message":"x","more":1}`, "more is not described"},
		{"an empty text", "Message", `{"message":""}`, "0 characters"},
		{"a number for a text", "Message", `{"message":1}`, "no string"},
		{"an empty array of problems", "Problems", `[]`, "0 items"},
		{"a problem within", "Problems", `[{"tag":null,"description":"x"}]`, "[0].tag"},
		{"a date that is none", "Clock", `{"now":"2026-11-18"}`, "parsing time"},
		{"a refusal that says yes", "TokenRefused", `{"authenticated":true,"created":null,"expiration":null,"accessToken":null,"message":"x"}`, "true, want false"},
		{"too many decimals", "Split", `{"beneficiario":"","tipoSplit":"","pctSplit":0.00001,"valorBaseSplit":1.0000,"valorSplit":1.0000}`, "x-decimals"},
		{"too few decimals", "Split", `{"beneficiario":"","tipoSplit":"","pctSplit":1.0000,"valorBaseSplit":1.0,"valorSplit":1.0000}`, "x-decimals"},
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
