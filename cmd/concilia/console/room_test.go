package console

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/view"
	"concilia/store/ledger"
)

// heldSource keeps pages waiting for as long as the test says.
type heldSource struct {
	emptySource
	entered chan struct{}
	free    chan struct{}
}

func (s *heldSource) Snapshot(ctx context.Context, show func(Source) error) error {
	s.entered <- struct{}{}
	<-s.free
	return s.emptySource.Snapshot(ctx, show)
}

// youngSource is a ledger before its first night.
type youngSource struct{ emptySource }

func (youngSource) Snapshot(_ context.Context, show func(Source) error) error {
	return show(youngSource{})
}

func (youngSource) Heading(context.Context) (Heading, error) {
	return Heading{Accounts: []AccountName{{1001, "Centro"}}}, nil
}

// Before the first night pages are about these days: neither a day of the year 0 nor a form with mistakes in it.
func TestPagesBeforeTheFirstNight(t *testing.T) {
	t.Parallel()
	handler := newOpenConsole(t, youngSource{}, zerolog.Nop())
	for path, want := range map[string]string{"/own": "2026-11-18", "/coverage": "2026-11", "/cases": "2026-11-18"} {
		if w := askLocally(t, handler, path); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) || strings.Contains(w.Body.String(), "0001-") {
			t.Errorf("%s: %d, want 200 with %s\n%s", path, w.Code, want, w.Body)
		}
	}
}

// unagreedSource has a forecast of slips that no contract covers.
type unagreedSource struct{ emptySource }

func (s unagreedSource) Snapshot(_ context.Context, show func(Source) error) error { return show(s) }

func (unagreedSource) Forecast(context.Context, []ledger.Account, int) (*view.CashForecast, error) {
	return &view.CashForecast{Blocked: ledger.Real, WithoutContract: []ledger.Account{1001, 1002}}, nil
}

// A forecast says of which accounts no contract covers the slips.
func TestForecastSaysWhoHasNoContract(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		source Source
		shows  bool
	}{{unagreedSource{}, true}, {emptySource{}, false}} {
		w := askLocally(t, newOpenConsole(t, row.source, zerolog.Nop()), "/forecast")
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "No contract covers 1001, 1002") != row.shows {
			t.Errorf("%d, should say it: %v\n%s", w.Code, row.shows, w.Body)
		}
	}
}

// brokenSource has a mistake of ours in it.
type brokenSource struct{ emptySource }

func (s brokenSource) Snapshot(context.Context, func(Source) error) error {
	panic("no page 989 at all")
}

// newOpenConsole is a console that needs no signing in.
func newOpenConsole(t *testing.T, source Source, log zerolog.Logger) http.Handler {
	t.Helper()
	c, err := New(Options{
		Source: source, Language: "en", Zone: time.UTC, PageRows: 10, QueryTime: time.Hour, ActTime: time.Hour, MonthWait: time.Hour, Log: log, Wall: newClock().wall,
		Hosts: []string{"example.com"}, Idle: time.Hour, Absolute: time.Hour, HasStores: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	handler, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// askLocally asks for a page from this machine.
func askLocally(t *testing.T, handler http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	r.RemoteAddr = "127.0.0.1:4711"
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// As many pages as there is room for are rendered at once. One more waits, and is sent away with its filter kept; when there is room again
// it is answered.
func TestOnePageMoreThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	source := &heldSource{entered: make(chan struct{}, pagesAtOnce+1), free: make(chan struct{})}
	handler := newOpenConsole(t, source, zerolog.Nop())
	var all sync.WaitGroup
	for range pagesAtOnce {
		all.Go(func() {
			if w := askLocally(t, handler, "/cases"); w.Code != http.StatusOK {
				t.Errorf("a page that has room: %d", w.Code)
			}
		})
	}
	for range pagesAtOnce {
		<-source.entered
	}
	w := askLocally(t, handler, "/cases?account=1001&nsu=77")
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `href="/cases?account=1001&amp;nsu=77"`) {
		t.Errorf("one page more: %d, %v\n%s", w.Code, w.Header(), w.Body)
	}
	if len(source.entered) > 0 {
		t.Error("the ledger was asked for the page that has no room")
	}
	close(source.free)
	all.Wait()
	if w := askLocally(t, handler, "/cases?account=1001&nsu=77"); w.Code != http.StatusOK {
		t.Errorf("asked for again: %d", w.Code)
	}
}

// A mistake of ours is one page that names its line in the log, and nothing else of it; the next page is answered.
func TestMistakeOfOursIsOnePage(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	handler := newOpenConsole(t, brokenSource{}, zerolog.New(&log))
	w := askLocally(t, handler, "/cases")
	_, rest, _ := strings.Cut(log.String(), `"reference":"`)
	reference, _, _ := strings.Cut(rest, `"`)
	if w.Code != http.StatusInternalServerError || reference == "" || !strings.Contains(w.Body.String(), reference) || !strings.Contains(log.String(), "room_test.go") {
		t.Errorf("%d with reference %q\n%s\n%s", w.Code, reference, w.Body, log.String())
	}
	if strings.Contains(w.Body.String(), "panic") || strings.Contains(w.Body.String(), "989") {
		t.Errorf("the page tells of the mistake itself:\n%s", w.Body)
	}
	if w := askLocally(t, handler, "/login"); w.Code >= http.StatusInternalServerError {
		t.Errorf("the next page: %d", w.Code)
	}
}
