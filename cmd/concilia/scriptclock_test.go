package main

import (
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// advance moves the service's business clock on by days.
func advance(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: advance DAYS")
	}
	res, err := http.Post(ts.Getenv("CONTROL")+"/sandbox/clock", "application/json", strings.NewReader(`{"advance_days":`+args[0]+`}`))
	ts.Check(err)
	ts.Check(res.Body.Close())
	if res.StatusCode != http.StatusOK {
		ts.Fatalf("the service says %s", res.Status)
	}
}
