package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

const (
	userName = "loja-centro"
	password = "correct horse battery"
)

var (
	dayOne = ledger.NewDate(2026, time.November, 2)
	zone   = time.FixedZone("BRT", -3*3600)
)

// fake is a service that answers logins and hands every other request to answer.
type fake struct {
	*httptest.Server
	answer func(w http.ResponseWriter, r *http.Request)

	mu     sync.Mutex
	logins map[string]int // by path, prefix included
	life   time.Duration
	calls  []*http.Request
	now    func() time.Time
}

func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *fake {
	t.Helper()
	f := &fake{answer: answer, logins: map[string]int{}, life: time.Hour, now: time.Now}
	f.Server = httptest.NewServer(http.HandlerFunc(f.handle))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) handle(w http.ResponseWriter, r *http.Request) {
	login := strings.HasSuffix(r.URL.Path, "/login") || strings.HasSuffix(r.URL.Path, "/token")
	f.mu.Lock()
	if !login {
		f.calls = append(f.calls, r)
	}
	f.mu.Unlock()
	if !login {
		f.answer(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logins[r.URL.Path]++
	if want := fmt.Sprintf(`{"password":%q,"userName":%q}`, password, userName); string(body) != want {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	now := f.now().UTC()
	fmt.Fprintf(w, `{"authenticated":true,"created":%q,"expiration":%q,"accessToken":%q,"message":"ok"}`,
		now.Format("2006-01-02T15:04:05.000Z"), now.Add(f.life).Format("2006-01-02T15:04:05.000Z"), f.token(r.URL.Path))
}

// token is the one that the last login of a path gave.
func (f *fake) token(path string) string { return fmt.Sprintf("token-%s-%d", path, f.logins[path]) }

func (f *fake) loginCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, k := range f.logins {
		n += k
	}
	return n
}

func (f *fake) callCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

func (f *fake) options() api.Options {
	return api.Options{
		GatewayURL: f.URL + "/gateway", IntegrationURL: f.URL + "/integration/", UserName: userName, Password: password,
		Timeout: 2 * time.Minute, Now: time.Now, Zone: zone, Backoff: time.Millisecond, UserAgent: "concilia/test",
	}
}

func (f *fake) client(t *testing.T, change ...func(*api.Options)) *api.Client {
	t.Helper()
	o := f.options()
	for _, c := range change {
		c(&o)
	}
	c, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// say answers with a status and a body.
func say(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// inTurn answers the first request with the first answer and so on, and every later one with the last.
func inTurn(answers ...func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) {
	var mu sync.Mutex
	i := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		a := answers[min(i, len(answers)-1)]
		i++
		mu.Unlock()
		a(w, r)
	}
}

// hangUp sends the beginning of a body and closes the connection.
func hangUp(part string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, part)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// record is a good installment with some members replaced: pairs of name and raw JSON value. An empty value leaves the
// member out.
func record(pairs ...string) string {
	members := [][2]string{
		{"transactionDate", `"2026-11-02T16:19:29"`},
		{"terminal", `"T-0001"`},
		{"cardNumber", `"411111******1111"`},
		{"cardType", `"CREDIT"`},
		{"cardName", `"visa"`},
		{"codAuth", `"026603"`},
		{"nsu", `"123456789"`},
		{"installmentNumber", `1`},
		{"installmentsCount", `2`},
		{"installmentValue", `50.0000`},
		{"transactionTotalValue", `100.0000`},
		{"installmentStatus", `"Authorized"`},
		{"discountMdrValue", `1.4500`},
		{"discountMdrTax", `2.9000`},
		{"discountTrnRateInstalmentValue", `0.0500`},
		{"discountTrnRateTransactionValue", `0.1000`},
		{"discountAntifraudRateInstalmentValue", `0.1500`},
		{"discountAntifraudRateTransactionValue", `0.3000`},
		{"discountAntecipationValue", `0.0000`},
		{"discountAntecipationTax", `0.0000`},
		{"receivedValue", `0.0000`},
		{"receivedDateForeast", `"2026-12-02"`},
		{"receivedDateEffective", `null`},
		{"receivedType", `"Normal"`},
		{"receivedStatus", `"Pending"`},
		{"transactionReference", `"PED-1"`},
		{"transactionPaymentIdWeb", `"020080286103040952150000006201850000000000"`},
		{"splits", `[{"beneficiario":"12345678000195","tipoSplit":"PERCENT","pctSplit":10.0000,"valorBaseSplit":48.3500,"valorSplit":4.8400}]`},
	}
	for i := 0; i < len(pairs); i += 2 {
		found := false
		for j := range members {
			if members[j][0] == pairs[i] {
				members[j][1], found = pairs[i+1], true
			}
		}
		if !found {
			members = append(members, [2]string{pairs[i], pairs[i+1]})
		}
	}
	var parts []string
	for _, m := range members {
		if m[1] != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", m[0], m[1]))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}
