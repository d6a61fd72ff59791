package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

type answerer = func(http.ResponseWriter, *http.Request)

// What goes wrong on the way, and whether it is asked again.
func TestFaults(t *testing.T) {
	t.Parallel()
	good := say(200, "["+record()+"]")
	closed := func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }
	header := func(key, value string, next answerer) answerer {
		return func(w http.ResponseWriter, r *http.Request) { w.Header().Set(key, value); next(w, r) }
	}
	short := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		hangUp("["+record()+"]")(w, r)
	}
	html := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<html>[]</html>"))
	}
	for _, c := range []struct {
		name     string
		answers  []answerer
		requests int
		wants    string // in the error; empty: it is answered
	}{
		{"a good answer comes at once", []answerer{good}, 1, ""},
		{"a closed connection is asked again", []answerer{closed, good}, 2, ""},
		{"a server error is asked again", []answerer{say(500, `[{"tag":"","description":"Erro desconhecido."}]`), good}, 2, ""},
		{"503 is asked again", []answerer{say(503, ""), say(503, ""), good}, 3, ""},
		{"a pause asked for is made", []answerer{header("Retry-After", "0", say(429, "")), good}, 2, ""},
		{"a body cut within a row is asked again", []answerer{hangUp("[" + record() + `,{"nsu":"1`), good}, 2, ""},
		{"a body cut before the bracket is asked again", []answerer{hangUp("[" + record()), good}, 2, ""},
		{"a body shorter than its length says is asked again though its list is closed", []answerer{short, good}, 2, ""},
		{"a body that ends early without a fault of the transport is asked again", []answerer{say(200, "["+record()+","), good}, 2, ""},
		{"an empty body is asked again", []answerer{say(200, ""), good}, 2, ""},
		{"a page of HTML is asked again", []answerer{html, good}, 2, ""},
		{"tries are bounded", []answerer{say(503, `{"message":"Em manutenção"}`)}, 5, "503: Em manutenção"},
		{"data behind the list fails the window", []answerer{say(200, "["+record()+"] x")}, 5, "data follows the list"},
		{"two lists fail the window", []answerer{say(200, "["+record()+"][]")}, 5, "data follows the list"},
		{"null is no list", []answerer{say(200, "null")}, 5, "the answer is not a list"},
		{"an object is no list, and its words are told", []answerer{say(200, `{"message":"Conta inválida"}`)}, 5, "Conta inválida: the answer is not a list"},
		{"a trailing comma fails the window", []answerer{say(200, "["+record()+",]")}, 5, "no valid JSON"},
		{"a missing comma fails the window", []answerer{say(200, "["+record()+record()+"]")}, 5, "no valid JSON"},
		{"broken JSON within a row fails the window", []answerer{say(200, "["+record("nsu", "12x")+"]")}, 5, "no valid JSON"},
		{"400 is final", []answerer{say(400, `[{"tag":"accountNumber","description":"Conta inválida"}]`)}, 1, "400: accountNumber: Conta inválida"},
		{"the object form of an error is told", []answerer{say(400, `{"error":"Pedido não encontrado"}`)}, 1, "400: Pedido não encontrado"},
		{"404 is final and has the status's name when nothing is said", []answerer{say(404, "<html>no</html>")}, 1, "404: not found"},
		{"204 is no list and final", []answerer{say(204, "")}, 1, "204: no content"},
		{"a redirect is not followed", []answerer{header("Location", "/elsewhere", say(302, ""))}, 1, "302: found"},
		{"a pause of more seconds than any number is too long", []answerer{header("Retry-After", "99999999999999999999", say(503, ""))}, 1, "longer than is waited"},
		{"a pause of 2^31 seconds is too long", []answerer{header("Retry-After", "2147483648", say(503, ""))}, 1, "longer than is waited"},
		{"a pause too long is not waited for", []answerer{header("Retry-After", "3600", say(503, ""))}, 1, "pause of 1h0m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, inTurn(c.answers...))
			answer, err := f.client(t).SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
			if got := f.callCount(); got != c.requests || answer.Requests != c.requests {
				t.Errorf("%d requests, the receipt says %d, want %d", got, answer.Requests, c.requests)
			}
			if c.wants == "" {
				if err != nil || len(answer.Rows) != 1 {
					t.Fatalf("%d rows, error %v", len(answer.Rows), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.wants) {
				t.Fatalf("error %v, want one that says %q", err, c.wants)
			}
			if prefix := "api search installments 2026-11-02..2026-11-02 account 1001: "; !strings.HasPrefix(err.Error(), prefix) {
				t.Errorf("error %q does not begin with %q", err, prefix)
			}
			if len(answer.Rows) != 0 || len(answer.Bad) != 0 {
				t.Error("rows came with an error")
			}
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	var asked []time.Time
	f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, time.Now())
		if len(asked) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		say(200, "[]")(w, r)
	})
	if _, err := f.client(t).SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil); err != nil {
		t.Fatal(err)
	}
	if pause := asked[1].Sub(asked[0]); pause < time.Second {
		t.Errorf("asked again after %s, the service wanted a second", pause)
	}
}

// A sink sees rows of a whole answer only, and its own error comes back untouched.
func TestSink(t *testing.T) {
	t.Parallel()
	f := serve(t, inTurn(hangUp("["+record()+","+record()), say(200, "["+record()+","+record("nsu", `"2"`)+"]")))
	var seen []string
	answer, err := f.client(t).SearchInstallments(t.Context(), 1001, dayOne, dayOne, func(i *ledger.Installment) error {
		seen = append(seen, i.NSU)
		return nil
	})
	if err != nil || strings.Join(seen, " ") != "123456789 2" || answer.Rows != nil {
		t.Errorf("sink saw %v, rows %d, error %v", seen, len(answer.Rows), err)
	}
	stop := errors.New("enough")
	_, err = f.client(t).SearchInstallments(t.Context(), 1001, dayOne, dayOne, func(*ledger.Installment) error { return stop })
	if err != stop { //nolint:errorlint // untouched: not even wrapped
		t.Errorf("error %v, want the sink's own", err)
	}
	if f.callCount() != 3 {
		t.Errorf("%d requests: the sink's error was asked again", f.callCount())
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("["))
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	_, err := f.client(t).SearchInstallments(ctx, 1001, dayOne, dayOne, nil)
	if !errors.Is(err, context.Canceled) || api.IsUnreachable(err) || api.IsRefused(err) {
		t.Errorf("error %v, want a cancelled context and nothing else", err)
	}
	if f.callCount() != 1 {
		t.Errorf("%d requests after cancelling", f.callCount())
	}
	if _, err := f.client(t).SearchInstallments(ctx, 1001, dayOne, dayOne, nil); !errors.Is(err, context.Canceled) || f.callCount() != 1 {
		t.Errorf("error %v and %d requests on a context that is over", err, f.callCount())
	}
}

// Silence ends a request, in the header's place and in the middle of a body.
func TestSilence(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"before the header": "", "within the body": "[" + record()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if begin != "" {
					w.Write([]byte(begin))
					w.(http.Flusher).Flush()
				}
				<-r.Context().Done()
			})
			client := f.client(t, func(o *api.Options) { o.Timeout, o.MaxTries = 4*time.Second, 2 })
			_, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
			if err == nil || !strings.Contains(err.Error(), "said nothing for too long") || f.callCount() != 2 {
				t.Errorf("error %v after %d requests", err, f.callCount())
			}
		})
	}
}

// TestSlowAnswer: an answer that drips is given up within an interval and not asked for again, however long it would go on; one that
// comes fast enough, and a short one, are answers.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	drip := func(w http.ResponseWriter, r *http.Request) {
		for _, c := range []byte("[" + strings.Repeat(" ", 1<<20)) {
			if r.Context().Err() != nil {
				return
			}
			w.Write([]byte{c})
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	}
	for _, c := range []struct {
		name    string
		answer  answerer
		rate    int
		wants   string // in the error; empty: it is answered
		windows bool   // asking for fewer days may help
	}{
		{"a byte at a time", drip, 10_000_000, "fewer than 10000000 bytes a minute (service.min_rate)", true},
		{"all at once", say(200, "["+record()+"]"), 10_000_000, "", false},
		{"no rate is asked for", say(200, "["+record()+"]"), 0, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, c.answer)
			client := f.client(t, func(o *api.Options) {
				o.MinRate = c.rate
				if c.wants != "" { // each look at the clock is a second later, so that no wait of the machine's is taken for the service's
					var looks atomic.Int64
					began := time.Now()
					o.Now = func() time.Time { return began.Add(time.Duration(looks.Add(1)) * time.Second) }
				}
			})
			_, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
			if (err == nil) != (c.wants == "") || err != nil && !strings.Contains(err.Error(), c.wants) || api.IsWindowTooLarge(err) != c.windows {
				t.Errorf("error %v", err)
			}
			if f.callCount() != 1 {
				t.Errorf("%d requests", f.callCount())
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	f := serve(t, say(503, ""))
	_, refused := f.client(t, func(o *api.Options) {
		o.IntegrationURL, o.MaxTries = gone.URL, 2
	}).ListSlips(t.Context(), ledger.SlipsDue, 1001, dayOne, dayOne, ledger.Opt[int64]{})
	_, unavailable := f.client(t).SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
	_, invalid := f.client(t).SearchInstallments(t.Context(), -1, dayOne, 0, nil)
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"nobody listens where the login is", refused, true},
		{"a gateway says that the service is not there", unavailable, true},
		{"a question that cannot be asked", invalid, false},
		{"no error", nil, false},
	} {
		if got := api.IsUnreachable(c.err); got != c.want {
			t.Errorf("%s: %v, want %v (%v)", c.name, got, c.want, c.err)
		}
	}
}

// A body beyond its bound is not asked for again, and a limiter that gives no turn ends the call before it is made.
func TestBounds(t *testing.T) {
	t.Parallel()
	f := serve(t, say(200, `{"id":"x","message":"`+strings.Repeat("x", 1<<20)+`"}`))
	_, err := f.client(t).ReadSlip(t.Context(), 1001, "x")
	if err == nil || !strings.Contains(err.Error(), "longer than 1048576 bytes") || f.callCount() != 1 {
		t.Errorf("error %v after %d requests", err, f.callCount())
	}
	stop := errors.New("no turn")
	turns := &turns{left: 3, err: stop}
	limited := f.client(t, func(o *api.Options) { o.Limiter = turns })
	_, err = limited.ReadSlip(t.Context(), 1001, "x")
	if err == nil || turns.left != 1 {
		t.Errorf("error %v, %d of 3 turns left: one for the login, one for the call", err, turns.left)
	}
	turns.left = 0
	if _, err = limited.ReadSlip(t.Context(), 1001, "x"); !errors.Is(err, stop) || api.IsUnreachable(err) {
		t.Errorf("error %v", err)
	}
	if f.callCount() != 2 {
		t.Errorf("%d requests", f.callCount())
	}
}

type turns struct {
	left int
	err  error
}

func (l *turns) Wait(context.Context) error {
	if l.left == 0 {
		return l.err
	}
	l.left--
	return nil
}
