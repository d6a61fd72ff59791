package service_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/sandbox/service"
)

// TestFortyDaysWithTheReceiverDown moves the clock forty days; the receiver fails in turn for part of them,
// and the sandbox is asked to end, and killed, while deliveries wait.
func TestFortyDaysWithTheReceiverDown(t *testing.T) {
	t.Parallel()
	state, err := service.OpenState("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "deliveries.jsonl")
	with := func(path string) service.DeliveryOptions {
		o := quick()
		o.Journal = open(t, path)
		return o
	}
	r := listen(t)
	s := run(t, state, with(path))
	s.subscribe(t, r.URL+"/notifications/1001", "Y29uY2lsaWE6c2VncmVkbw==")
	began := s.world.Now()

	s.advance(t, 10)
	s.settled(t)
	for _, down := range []int32{503, 0, 302} {
		r.answer.Store(down)
		s.advance(t, 5)
	}
	s.stop(t) // asked to end, the receiver down
	s = run(t, state, with(path))
	if now := s.world.Now(); !now.Equal(began.AddDate(0, 0, 25)) {
		t.Errorf("after the restart the clock shows %s, want 25 days past %s", now, began)
	}
	s.advance(t, 10)
	// Killed: what is on the disk goes on in another process, this one is never heard of again.
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	killed := s
	path = filepath.Join(dir, "copy.jsonl")
	if err := os.WriteFile(path, append(b, `{"delivery":{"delivery":9`...), 0o600); err != nil {
		t.Fatal(err)
	}
	killed.stop(t)
	before := r.ids()
	r.answer.Store(http.StatusOK)
	s = run(t, state, with(path))
	s.advance(t, 5)
	p := s.settled(t)

	want := changes(s.world, began, began.AddDate(0, 0, 40))
	if got := r.ids(); !slices.Equal(got, want) {
		t.Errorf("%d notifications arrived, want %d, each of the 40 days", len(got), len(want))
	}
	if len(before) == 0 || len(before) >= len(want) || p.Counts["delivered"] != len(want) {
		t.Errorf("%d of %d arrived while it was up at first; delivered %d", len(before), len(want), p.Counts["delivered"])
	}
	if got := r.header; got.Get("Access-Key") != "chave" || got.Get("Authorization") != "Basic Y29uY2lsaWE6c2VncmVkbw==" || got.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", got)
	}
	s.stop(t)
}

func TestANotificationIsTheDocumentsBody(t *testing.T) {
	t.Parallel()
	r := listen(t)
	s := run(t, nil, quick())
	defer s.stop(t)
	s.advance(t, 2) // before there is a subscription: never sent
	s.subscribe(t, r.URL+"/notifications/1001", "")
	began := s.world.Now()
	s.advance(t, 9)
	s.settled(t)
	seen := 0
	for e := range s.world.Events(1001, began, s.world.Now()) {
		want := map[string]any{
			"movementId": float64(e.ID), "nsu": e.NSU, "codAuth": e.CodAuth, "installmentNumber": float64(e.Number),
			"moment": e.Moment.Format("2006-01-02T15:04:05"), "type": "STATUS_CHANGE", "oldValue": e.Old, "newValue": e.New,
		}
		if got := r.kept[e.ID]; !maps.Equal(got, want) {
			t.Errorf("event %d: %v, want %v", e.ID, got, want)
		}
		seen++
	}
	if seen == 0 || len(r.kept) != seen {
		t.Errorf("%d notifications for %d events", len(r.kept), seen)
	}
	if auth := r.header.Get("Authorization"); auth != "" {
		t.Errorf("Authorization %q without a credential", auth)
	}
}

func TestTheCredentialOfWebhookAuthIsSent(t *testing.T) {
	t.Parallel()
	r := listen(t)
	s := run(t, nil, quick())
	defer s.stop(t)
	if status, body := s.send(t, "POST", "/gateway/v1/security/webhook-auth", s.token(t, gatewayLogin), `{"basic":"Basic YTpi"}`, []string{"Content-Type", "application/json"}); status != 201 {
		t.Fatalf("webhook-auth: %d %s", status, body)
	}
	s.subscribe(t, r.URL+"/notifications/1001", "")
	s.advance(t, 1)
	s.settled(t)
	if got := r.header.Get("Authorization"); got != "Basic YTpi" {
		t.Errorf("Authorization %q", got)
	}
}

func TestTheDeliveryListIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	r := listen(t)
	s := run(t, nil, quick())
	defer s.stop(t)
	s.subscribe(t, r.URL+"/notifications/1001", "")
	s.advance(t, 3)
	all := s.settled(t)
	if n := len(s.deliveries(t, "account=1002").Deliveries); n != 0 {
		t.Errorf("%d of account 1002", n)
	}
	if n := len(s.deliveries(t, "account=1001&state=delivered").Deliveries); n != len(all.Deliveries) {
		t.Errorf("%d delivered, want %d", n, len(all.Deliveries))
	}
	var paged int
	for after, more := int64(0), true; more; {
		p := s.deliveries(t, fmt.Sprintf("limit=7&after=%d", after))
		paged += len(p.Deliveries)
		after, more = p.Next, p.Next != 0
	}
	if paged != len(all.Deliveries) {
		t.Errorf("%d over all pages, want %d", paged, len(all.Deliveries))
	}
	for _, bad := range []string{"account=x", "state=lost", "limit=-1", "wait=soon", "wait=1h", "after=1.5"} {
		status, body := s.call(t, "GET", "/sandbox/deliveries?"+bad, "", "")
		name, _, _ := strings.Cut(bad, "=")
		expectProblems(t, bad, status, body, 400, name)
	}
}

func TestAJournalThatMakesNoSense(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for why, text := range map[string]string{
		"a line amid it is cut": "{\"delivery\":{\"deli\n{\"clock\":{\"as_of\":\"2026-11-18\",\"now\":\"2026-11-20T09:00:00Z\"}}\n",
		"not a journal":         "hello\n",
	} {
		path := filepath.Join(dir, why)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := service.OpenJournal(path); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: error %v, want line 1 named", why, err)
		}
	}
	if _, err := service.OpenJournal(filepath.Join(dir, "none", "j")); err == nil {
		t.Error("a journal in no folder was opened")
	}
}
