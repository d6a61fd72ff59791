package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"concilia/store/sqldb"
)

// exits runs a command that must end with exactly the exit code given.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	ts.Logf("[stdout]\n%s[stderr]\n%s", ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	if got != want {
		ts.Fatalf("%s ended with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// capture puts what the first group of an expression matches in the last command's output into a variable.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture VARIABLE EXPRESSION")
	}
	expression, err := regexp.Compile(args[1])
	ts.Check(err)
	found := expression.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("%s matches nothing, or has no group", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// comparesPlanted holds the cases that the last command printed against what the service says it planted.
func comparesPlanted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: planted")
	}
	type difference struct{ Code, Subject, Impact string }
	found := map[difference]bool{}
	for lines := bufio.NewScanner(strings.NewReader(ts.ReadFile("stdout"))); lines.Scan(); {
		var d difference
		ts.Check(json.Unmarshal(lines.Bytes(), &d))
		found[d] = true
	}
	res, err := http.Get(ts.Getenv("CONTROL") + "/sandbox/planted")
	ts.Check(err)
	defer res.Body.Close()
	var list []difference
	ts.Check(json.NewDecoder(res.Body).Decode(&list))
	planted := map[difference]bool{}
	for _, d := range list {
		planted[d] = true
	}
	if len(planted) == 0 {
		ts.Fatalf("the service planted nothing")
	}
	if diff := cmp.Diff(planted, found); diff != "" {
		ts.Fatalf("planted (-) and found (+) differ:\n%s", diff)
	}
}

// cutAnswers puts a proxy before the service that breaks off in the middle of the card search's answer for one day, and
// points the worker at it. GATEWAY and INTEGRATION stay the service's own.
func cutAnswers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: cutting DATE")
	}
	target, err := url.Parse(ts.Getenv("CONTROL"))
	ts.Check(err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	proxy.ModifyResponse = func(res *http.Response) error {
		q := res.Request.URL.Query()
		if strings.Contains(res.Request.URL.Path, "/concil/") && q.Get("startDate") == args[0] {
			res.Body = &half{ReadCloser: res.Body, left: 700}
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	ts.Defer(server.Close)
	ts.Setenv("CONCILIA_SERVICE_GATEWAY_URL", server.URL+"/gateway")
	ts.Setenv("CONCILIA_SERVICE_INTEGRATION_URL", server.URL+"/integration")
}

// half is a body that breaks off after some bytes.
type half struct {
	io.ReadCloser
	left int
}

// Read gives what is left, then fails.
func (h *half) Read(b []byte) (int, error) {
	if h.left == 0 {
		return 0, fmt.Errorf("the line went dead")
	}
	n, err := h.ReadCloser.Read(b[:min(len(b), h.left)])
	h.left -= n
	return n, err
}

// execSQL executes a statement in a SQLite database: sql FILE STATEMENT.
func execSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENT")
	}
	db, err := sqldb.Open(context.Background(), "sqlite:"+ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Write.Exec(args[1])
	ts.Check(err)
	ts.Check(db.Close())
}
