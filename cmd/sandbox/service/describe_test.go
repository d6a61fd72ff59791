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

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

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
	card := s.rows(t, "POST", "/integration/api/transaction/concil/search-by-operation-date-installments?"+testWindow, d.tokens["integrationToken"])[0]
	unpaid := ""
	for _, p := range s.rows(t, "GET", "/sandbox/planted", "") {
		if p["code"] == "SLIP_CREDIT_OVERDUE" {
			unpaid = p["subject"].(string)
		}
	}
	requests := operations(receiver.URL+"/n", slip, "Nsu="+card["nsu"].(string)+"&CodAuth="+card["codAuth"].(string), unpaid)
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
	target := strings.Replace(pathOf(op), "{bank}", "bb-1001", 1)
	if r.query != "" {
		target += "?" + r.query
	}
	status, body := d.send(t, strings.ToUpper(methodOf(op)), target, token, r.body, append(slices.Clone(asJSON), header...))
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
	described, isJSON := d.resolve(response)["content"].(node)["application/json"].(node)
	if !isJSON {
		if len(body) == 0 {
			t.Errorf("%s ?%s: an empty file", op, r.query)
		}
		return
	}
	schema, v := described["schema"].(node), decoded(t, body)
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
