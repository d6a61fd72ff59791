package service_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// sandbox is a service under test with a wall clock that the test moves.
type sandbox struct {
	*httptest.Server
	world   *world.World
	wall    *atomic.Int64 // nanoseconds
	service *service.Service
}

func start(t *testing.T, wo world.Options, so service.Options) sandbox {
	t.Helper()
	w, err := world.New(wo)
	if err != nil {
		t.Fatal(err)
	}
	wall := new(atomic.Int64)
	wall.Store(time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC).UnixNano())
	so.Users = []service.User{{Name: "demo", Password: "segredo"}}
	so.Now = func() time.Time { return time.Unix(0, wall.Load()) }
	face := service.New(w, so)
	server := httptest.NewServer(face)
	t.Cleanup(server.Close)
	return sandbox{server, w, wall, face}
}

// call sends a request and returns status and body.
func (s sandbox) call(t *testing.T, method, path, token, body string) (int, []byte) {
	t.Helper()
	return s.send(t, method, path, token, body, nil)
}

// send is call with headers of its own: name, value, name, value.
func (s sandbox) send(t *testing.T, method, path, token, body string, header []string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	isFile := resp.StatusCode == http.StatusOK && strings.Contains(path, "/statement")
	if got := resp.Header.Get("Content-Type"); got != "application/json; charset=utf-8" && !isFile {
		t.Errorf("%s %s: content type %q", method, path, got)
	}
	return resp.StatusCode, b
}

const (
	gatewayLogin     = "/gateway/api/auth/token"
	integrationLogin = "/integration/api/authentication/login"
	goodLogin        = `{"userName":"demo","password":"segredo"}`
)

// token logs in and returns the access token.
func (s sandbox) token(t *testing.T, path string) string {
	t.Helper()
	status, body := s.call(t, "POST", path, "", goodLogin)
	var r struct{ AccessToken string }
	if err := json.Unmarshal(body, &r); err != nil || status != 200 || r.AccessToken == "" {
		t.Fatalf("login at %s: %d %s", path, status, body)
	}
	return r.AccessToken
}

// rows fetches an array of records, numbers as text.
func (s sandbox) rows(t *testing.T, method, path, token string) []map[string]any {
	t.Helper()
	status, body := s.call(t, method, path, token, "")
	if status != 200 {
		t.Fatalf("%s %s: %d %s", method, path, status, body)
	}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	var rows []map[string]any
	if err := d.Decode(&rows); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return rows
}

// expectProblems checks for an error body: an array of tag and description, with these tags.
func expectProblems(t *testing.T, why string, status int, body []byte, wantStatus int, tags ...string) {
	t.Helper()
	var got []struct{ Tag, Description *string }
	if err := json.Unmarshal(body, &got); err != nil || status != wantStatus || len(got) != len(tags) {
		t.Errorf("%s: %d %s, want %d with tags %q", why, status, body, wantStatus, tags)
		return
	}
	for i, p := range got {
		if p.Tag == nil || p.Description == nil || *p.Tag != tags[i] || *p.Description == "" {
			t.Errorf("%s: problem %d of %s, want tag %q and a description", why, i, body, tags[i])
		}
	}
}
