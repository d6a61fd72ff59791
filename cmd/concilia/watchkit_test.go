package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/concilia/alertstest"
	"concilia/cmd/concilia/demo"
	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// watchedHouse is a merchant's folder, the service it asks, and the addresses that its runs notify.
type watchedHouse struct {
	*alertstest.Listener
	t      *testing.T
	dir    string
	world  *world.World
	asked  *httptest.Server
	down   atomic.Bool // the service refuses every login
	tokens sync.Map    // that requests carried
}

// newWatchedHouse draws ten days with planted differences. The configuration ends with what is given; {told} in it is
// the address of the listener.
func newWatchedHouse(t *testing.T, more string) *watchedHouse {
	t.Helper()
	asOf, err := world.ParseDate("2026-11-18")
	if err != nil {
		t.Fatal(err)
	}
	h := &watchedHouse{t: t, dir: t.TempDir(), Listener: alertstest.NewListener(t)}
	if h.world, err = world.New(world.Options{Seed: 1, Days: 10, AsOf: asOf, Plant: true}); err != nil {
		t.Fatal(err)
	}
	inner := service.New(h.world, service.Options{Users: []service.User{{Name: demo.User, Password: demoPassword}}, Now: time.Now})
	h.asked = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			h.tokens.Store(token, true)
		}
		if h.down.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(h.asked.Close)
	h.write("contract.yaml", demo.ContractText(h.world))
	h.write("concilia.yaml", fmt.Sprintf(`ledger: {dsn: "sqlite:%s"}
service: {gateway_url: %[2]s/gateway, integration_url: %[2]s/integration, user_name: %[3]s, requests_per_second: 1000}
accounts: [{number: 1001, since: 2026-11-08}]
contract: contract.yaml
plan: {slips_due_back: 10, slips_due_forward: 10}
reports: {out: %[4]q, formats: [csv], kinds: [summary, control], basis: [operation]}
`, h.path("ledger.db"), h.asked.URL, demo.User, h.path("reports"))+strings.ReplaceAll(more, "{told}", h.Server.URL))
	return h
}

func (h *watchedHouse) path(name string) string { return filepath.Join(h.dir, name) }

func (h *watchedHouse) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(h.path(name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// environment is what a command of the house sees of the outside.
func (h *watchedHouse) environment(stdout, stderr io.Writer, args ...string) environment {
	vars := map[string]string{
		"CONCILIA_SERVICE_PASSWORD": demoPassword, "CONCILIA_CLOCK": h.world.Now().Format(time.RFC3339),
		"CONCILIA_WEBHOOK_ACCESS_KEY": receiverKey,
	}
	return environment{
		args: append([]string{"--config", h.path("concilia.yaml")}, args...), stdout: stdout, stderr: stderr, wall: time.Now,
		lookup: func(key string) (string, bool) { v, ok := vars[key]; return v, ok },
	}
}

// want runs a command that must end with a code, and gives what it said on standard error.
func (h *watchedHouse) want(code int, args ...string) string {
	h.t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(context.Background(), h.environment(&stdout, &stderr, args...)); got != code {
		h.t.Fatalf("%s ended with %d, want %d:\n%s", strings.Join(args, " "), got, code, stderr.String())
	}
	return stderr.String()
}
