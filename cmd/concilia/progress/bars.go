package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/pull"
)

// NewProgress prints the run's progress on w: a bar on a terminal, one line per step otherwise, nothing when quiet.
func NewProgress(w io.Writer, quiet bool, l view.Language) pull.Progress {
	if quiet {
		return jobs.Silent{}
	}
	if f, ok := TerminalOf(w); ok {
		return &bars{out: f, language: l, width: func() int {
			width, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return 0
			}
			return width
		}}
	}
	return &lines{out: w, language: l}
}

// lines prints one line when a step ends.
type lines struct {
	mu       sync.Mutex
	out      io.Writer
	language view.Language
	step     string
}

// Step, Advance and Done print the steps of a run.
func (l *lines) Step(name string, _ int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step = words.Label(l.language, "step", name)
}

func (l *lines) Advance(int) {}

func (l *lines) Done(results ...words.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "%-10s %s\n", l.step, words.JoinMessages(l.language, results))
}

// bars draws the running step as a bar, and leaves a line behind when it ends.
type bars struct {
	mu       sync.Mutex
	out      io.Writer
	language view.Language
	width    func() int // columns of the terminal, 0 where it is not known; a longer bar is cut
	step     string
	writer   progress.Writer
	tracker  *progress.Tracker
	ended    chan struct{}
}

// barLength is the length of a bar where the terminal is wide enough, in columns.
const barLength = 28

// pacedParts is how many parts a step has at least whose pace is shown.
const pacedParts = 20

// Step, Advance and Done print the steps of a run.
func (b *bars) Step(name string, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopBar()
	b.step = words.Label(b.language, "step", name)
	w := progress.NewWriter()
	w.SetOutputWriter(b.out)
	w.SetAutoStop(true) // Stop does nothing before the drawing has begun: a step that ends at once would wait for ever
	w.SetTrackerLength(barLength)
	w.SetMessageLength(max(10, utf8.RuneCountInString(b.step)))
	w.SetUpdateFrequency(100 * time.Millisecond)
	w.SetTrackerPosition(progress.PositionRight)
	if b.width != nil {
		columns := b.width() // the library finds that of standard output alone
		w.SetTerminalWidth(columns)
		if columns > 0 {
			w.SetTrackerLength(max(5, min(barLength, columns/4)))
		}
	}
	w.SetStyle(progress.StyleBlocks)
	// The indicator of the library's styles keeps a state that all bars of the process would share.
	w.Style().Chars.Indeterminate = progress.IndeterminateIndicatorMovingBackAndForth("▒█▒", progress.DefaultUpdateFrequency/2)
	// Without a number of parts neither time left nor pace is known; with few of them the pace is 0/s.
	w.Style().Visibility.ETA = total > 0
	w.Style().Visibility.Speed = total >= pacedParts
	w.Style().Visibility.Value = total > 0
	w.Style().Options.ETAString = "left"
	w.Style().Options.Separator = " "
	w.Style().Options.PercentFormat = "%3.0f%%"
	w.Style().Options.TimeInProgressPrecision = time.Second
	// RemoveOnCompletion would leave a line behind at every tick: the library does not move up over such a bar.
	b.tracker = &progress.Tracker{Message: b.step, Total: int64(total), Units: progress.Units{Formatter: b.language.FormatCount}}
	w.AppendTracker(b.tracker)
	b.writer, b.ended = w, make(chan struct{})
	go func(ended chan struct{}) {
		defer close(ended)
		w.Render()
	}(b.ended)
}

func (b *bars) Advance(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tracker != nil {
		b.tracker.Increment(int64(n))
	}
}

func (b *bars) Done(results ...words.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopBar()
	fmt.Fprintf(b.out, "%-10s %s\n", b.step, words.JoinMessages(b.language, results))
}

// stopBar ends the bar, and erases the line that the library leaves of it.
func (b *bars) stopBar() {
	if b.writer == nil {
		return
	}
	b.tracker.MarkAsDone()
	b.writer.Stop()
	<-b.ended
	fmt.Fprint(b.out, text.CursorUp.Sprint(), text.EraseLine.Sprint())
	b.writer, b.tracker = nil, nil
}
