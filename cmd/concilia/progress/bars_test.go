package progress

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
)

// screen is what a terminal was sent.
type screen struct {
	mu   sync.Mutex
	sent bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent.Write(b)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	colors := regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	return colors.ReplaceAllString(s.sent.String(), "")
}

// last is the end of it.
func (s *screen) last() string {
	text := s.text()
	return text[max(0, len(text)-200):]
}

// A bar says how much is done of how much, how fast it goes and how long it will take; it leaves one line behind.
func TestBarsSayPaceAndTimeLeft(t *testing.T) {
	t.Parallel()
	out := &screen{}
	b := &bars{out: out, language: view.English}
	b.Step("pull", 43_800)
	want := regexp.MustCompile(`pull +[0-9]+% .*\[4,000 in [0-9]+s; left: [0-9hms]+; [0-9,]+/s\]`)
	for tries := 0; !want.MatchString(out.text()); tries++ {
		if tries == 0 {
			b.Advance(4_000)
		}
		if tries == 1_000 {
			t.Fatalf("the bar never says it all:\n%q", out.last())
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.Done(words.NewMessage("43800 days in 1640 windows"))
	if !strings.HasSuffix(out.text(), "pull       43800 days in 1640 windows\n") {
		t.Errorf("the step leaves behind %q", out.last())
	}
}

// TestBarRedrawsInPlace: on a terminal, wide or narrow, a step leaves one line however often it was drawn, also when it ends before it was
// drawn; a step that another one follows without an end leaves none.
func TestBarRedrawsInPlace(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{120, 40} {
		t.Run(fmt.Sprintf("%d columns", columns), func(t *testing.T) {
			t.Parallel()
			keyboard, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			if err := pty.Setsize(tty, &pty.Winsize{Rows: 30, Cols: columns}); err != nil {
				t.Fatal(err)
			}
			seen := vt10x.New(vt10x.WithSize(int(columns), 30))
			read := make(chan struct{})
			go func() {
				defer close(read)
				_, _ = io.Copy(seen, keyboard) // ends with an error when the terminal is closed
			}()
			p := NewProgress(tty, false, view.English)
			for _, step := range []struct {
				name  string
				parts int
			}{{"pull", 50_000}, {"reconcile", 0}, {"publish", 15}} {
				p.Step(step.name, step.parts)
				for drawn, last := 0, ""; drawn < 5; { // each time with another content
					if now := seen.String(); strings.Contains(now, step.name) && now != last {
						drawn, last = drawn+1, now
						p.Advance(1)
					}
					time.Sleep(10 * time.Millisecond)
				}
				switch step.name {
				case "reconcile":
					p.Step("again", 3)
				case "publish":
					p.Advance(step.parts) // all of them, before the step is done
				}
				p.Done(words.NewMessage(step.name + " is done"))
			}
			p.Step("retention", 1)
			p.Done(words.NewMessage("nothing"))
			if err := tty.Close(); err != nil {
				t.Fatal(err)
			}
			<-read
			var lines []string
			for line := range strings.Lines(seen.String()) {
				lines = append(lines, strings.TrimRight(line, " \n"))
			}
			want := []string{"pull       pull is done", "again      reconcile is done", "publish    publish is done", "retention  nothing"}
			if got := strings.TrimRight(strings.Join(lines, "\n"), "\n"); got != strings.Join(want, "\n") {
				t.Errorf("the screen shows\n%s", got)
			}
			_ = keyboard.Close()
		})
	}
}

// Where there is no terminal a step is a line.
func TestLinesAreOnePerStep(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := NewProgress(&out, false, view.English)
	l.Step("pull", 10)
	l.Advance(10)
	l.Done(words.NewMessage("counts.window", "n", 10))
	if got := out.String(); got != "pull       10 windows\n" {
		t.Errorf("a step prints %q", got)
	}
	out.Reset()
	l = NewProgress(&out, false, view.Portuguese)
	l.Step("pull", 10)
	l.Done(words.NewMessage("counts.window", "n", 10), words.NewMessage("steps.no_target"))
	if got := out.String(); got != "consulta   10 janelas; o destino está fora do alcance\n" {
		t.Errorf("a step prints in Portuguese %q", got)
	}
	NewProgress(&out, true, view.English).Done(words.NewMessage("nothing"))
	if strings.Contains(out.String(), "nothing") {
		t.Error("quiet says something")
	}
}
