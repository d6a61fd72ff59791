package main

import (
	"net"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
)

// TestServeRefusesBeforeAJobBegins: a receiver that cannot work is refused before a job is started by the clock. A service
// manager that starts serve again and again would have a night begun, and interrupted, every time.
func TestServeRefusesBeforeAJobBegins(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct{ says, webhook string }{
		{"webhook.listen", "{listen: '" + taken.Addr().String() + "'}"},
		{"webhook.cert_file", "{listen: '127.0.0.1:0', cert_file: concilia.yaml, key_file: concilia.yaml}"},
	} {
		said, end := serveBeside(t, t.TempDir(), unreachable+"metrics: {listen: ''}\nwebhook: "+c.webhook+
			"\nschedule: [{job: check, cron: '0 0 1 1 *', on_start: true}]\n")
		said.wait(t, c.says)
		if code := end(); code != exit.Config {
			t.Errorf("%s: ended with %d: %s", c.says, code, said)
		}
		if strings.Contains(said.String(), "jobs by the clock") || strings.Contains(said.String(), "occurrence") {
			t.Errorf("%s: jobs were begun before it was refused: %s", c.says, said)
		}
	}
}
