package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
)

// fullOutput takes so many bytes and no more, as a file on a full disk does.
type fullOutput struct {
	room int
	said bytes.Buffer
}

var errFull = errors.New("no space left on device")

func (o *fullOutput) Write(p []byte) (int, error) {
	n := min(len(p), o.room)
	o.room -= n
	o.said.Write(p[:n])
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestOutputThatIsCutShort: whatever a command prints, and by whatever means, where it cannot be written the command
// does not end as if it had been, and says that it is standard output that is full, not the place of the reports.
func TestOutputThatIsCutShort(t *testing.T) {
	t.Parallel()
	h := newWatchedHouse(t, "")
	h.want(exit.Breaks, "run", "--quiet")
	for _, args := range []string{
		"runs list", "runs list --json", "runs show last", "status", "coverage", "exceptions list", "plan", "schedule", "rules list",
		"rules list --json", "rules show RECEIVED_OVERDUE", "calendar 2026", "version", "config example", "config check", "ledger check",
		"man run", "completion bash", "reconcile", "--help", "verify " + h.path("reports"),
	} {
		for _, room := range []int{0, 20} {
			out := &fullOutput{room: room}
			var stderr bytes.Buffer
			code := run(t.Context(), h.environment(out, &stderr, strings.Fields(args)...))
			if code != exit.Internal || !strings.Contains(stderr.String(), "print the results: no space left") ||
				!strings.Contains(stderr.String(), "standard output is full") || strings.Contains(stderr.String(), "reports.out") {
				t.Errorf("%s with room for %d bytes: exit %d: %s", args, room, code, stderr.String())
			}
			if out.said.Len() != room {
				t.Errorf("%s with room for %d bytes wrote %d", args, room, out.said.Len())
			}
		}
	}
}

// TestOutputKeepsAnErrorOfItsOwn: a wrong command line stays one where nothing can be printed.
func TestOutputKeepsAnErrorOfItsOwn(t *testing.T) {
	t.Parallel()
	o := &checkedOutput{to: &fullOutput{}}
	if _, err := o.Write([]byte("x")); !errors.Is(err, errFull) {
		t.Fatal(err)
	}
	mine := exit.NewUsageError("error.no_accounts", "")
	if got := o.resultOf(mine); !errors.Is(got, mine) {
		t.Errorf("%v", got)
	}
	if got := exit.CodeOf(o.resultOf(exit.Status(exit.Breaks))); got != exit.Internal {
		t.Errorf("an outcome nobody could read ends with %d", got)
	}
}
