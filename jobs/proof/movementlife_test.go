package proof_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"concilia/export/journal"
	"concilia/export/journal/journaltest"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/jobs/setpublish"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// TestMovementOfARandomLife: whatever becomes of rows from morning to morning, and whatever of the mornings is killed, run again, missed,
// restated, closed, reopened or backfilled, each event is in exactly one file for ever, all of them add up to what the ledger has, and the journal
// to what the rows say; on both databases alike.
func TestMovementOfARandomLife(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	mornings := int(jobstest.Long(9, 60))
	for seed := range proofSeeds(1) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			lite := newMovementLife(t, jobstest.OnSQLite(), seed)
			lite.live(mornings)
			if seed > 0 {
				return
			}
			for _, move := range []string{killedMorning, cutShort, againMorning, missed, restated, closing, reopening, backfilled} {
				if lite.done[move] == 0 {
					t.Errorf("the life has no morning that is %s: %v", move, lite.done)
				}
			}
			shared := newMovementLife(t, jobstest.OnPostgres(), seed)
			shared.live(mornings)
			for name, sum := range lite.files {
				if shared.files[name] != sum {
					t.Errorf("%s is another file on PostgreSQL", name)
				}
			}
			if len(shared.files) != len(lite.files) {
				t.Errorf("%d files on SQLite, %d on PostgreSQL", len(lite.files), len(shared.files))
			}
		})
	}
}

// What may happen to a morning.
const (
	killedMorning = "killed"          // at some step, and run again
	cutShort      = "cut short"       // between the cut and its files
	againMorning  = "run again"       // after something else became known
	missed        = "missed"          // two mornings before it
	restated      = "restated"        // by another contract and mapping
	closing       = "closing March"   // by one basis
	reopening     = "reopening March" // by the one closed last
	backfilled    = "backfilled"      // all of March
)

// movementLife is a life of which the movement tells.
type movementLife struct {
	*lab
	random *rand.Rand
	closed []report.Basis
	other  bool // the other contract and mapping are in force
	done   map[string]int
	files  map[string]string // of the movement so far, with their hashes
}

func newMovementLife(t *testing.T, where jobstest.Database, seed int) *movementLife {
	l := april(t, where)
	l.Reports.EDIProfile, l.Accounts[0].Block = "febraban", jobstest.BankBlock()
	l.Reports.Kinds, l.Reports.Bases = nil, nil // of months nothing is published but what a close rests on
	l.Movement = setpublish.MovementSettings{
		Enabled: true, Sources: []bookkeeping.EventSource{bookkeeping.CardEvents, bookkeeping.SlipEvents}, Formats: []report.Format{report.CSV, report.EDI},
		SettleOnPayment: seed%2 == 1, Journal: []report.Format{report.Beancount, report.Dominio},
	}
	if seed%3 == 0 {
		l.Movement.From = march.From + 5
	}
	l.Journal = jobs.JournalSettings{Chart: journaltest.WholeChart(bookkeeping.Accrual, journal.ByRow, 1001), File: "accounts.yaml"}
	return &movementLife{lab: l, random: rand.New(rand.NewPCG(uint64(seed), 2026)), done: map[string]int{}, files: map[string]string{}}
}

func (l *movementLife) live(mornings int) {
	l.t.Helper()
	l.nights(1, nil)
	moves := []string{killedMorning, cutShort, againMorning, missed, restated, closing, reopening, backfilled}
	for n := range mornings {
		move := moves[n%len(moves)]
		if n >= len(moves) {
			move = moves[l.random.IntN(len(moves))]
		}
		l.liveOne(move)
		if move == cutShort && l.random.IntN(2) == 0 && n < mornings-1 {
			continue // the next morning publishes both sets
		}
		if move == cutShort {
			l.rerun()
		}
		l.check()
		if l.t.Failed() {
			l.t.Fatalf("morning %d, %s, after %v", n+1, move, l.done)
		}
	}
	l.checkBookedAnew()
	if len(l.files) < mornings {
		l.t.Errorf("%d files in %d mornings: the life changes nothing", len(l.files), mornings)
	}
}

// change changes some rows of March, and has them asked for again.
func (l *movementLife) change() func(*lab) {
	return both(afterwards(l.random), afterwards(l.random), pullAgain("2026-03-04", "2026-03-31"))
}

// liveOne lives one morning on which rows change.
func (l *movementLife) liveOne(move string) {
	l.t.Helper()
	l.done[move]++
	switch move {
	case missed:
		l.jump += 2
	case restated:
		l.restate()
	case killedMorning:
		l.next(both(l.change(), func(*lab) { l.kill() }))
		return
	case closing:
		l.Reports.Kinds, l.Reports.Bases = []report.Kind{report.SummaryKind, report.ControlKind}, []report.Basis{report.ByOperation, report.ByCredit}
		defer func() { l.Reports.Kinds, l.Reports.Bases = nil, nil }()
	case cutShort:
		l.Progress = jobstest.Unstaged{Place: l.Archive.Place()}
		defer func() { l.Progress = jobs.Silent{} }()
	}
	l.next(l.change())
	switch move {
	case againMorning:
		l.change()(l.lab)
		l.rerun()
	case closing, reopening:
		l.turnPeriod(move)
		l.rerun()
	case backfilled:
		l.lay(l.asOf) // what the service shows by itself
		_, err := l.Backfill(l.t.Context(), jobs.BackfillRequest{Period: march, Sources: append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...), Recheck: true, AsOf: l.asOf})
		if err != nil {
			l.t.Fatal(err)
		}
		l.rerun()
	}
}

// restate has the documents say something else of the rows that there are: of what a sale costs, and of what is cancelled.
func (l *movementLife) restate() {
	l.t.Helper()
	contract, mapping := proofContract, ""
	if l.other = !l.other; l.other {
		contract, mapping = strings.Replace(proofContract, "mdr: 2.49", "mdr: 2.69", 1), "status: {chargeback: [Canceled]}\n"
		if l.random.IntN(2) == 0 {
			mapping = "status: {open: [Canceled]}\n"
		}
	}
	l.contract(contract)
	var err error
	if l.Inputs.Mapping, err = agreements.ParseMapping("mapping.yaml", []byte(mapping)); err != nil {
		l.t.Fatal(err)
	}
}

// rerun runs the same morning again.
func (l *movementLife) rerun() {
	l.t.Helper()
	if _, err := l.Night(l.t.Context(), l.asOf); err != nil {
		l.t.Fatal(err)
	}
}

// kill runs the morning and stops it at some step.
func (l *movementLife) kill() {
	l.t.Helper()
	ctx, stop := context.WithCancel(l.t.Context())
	defer stop()
	s := &stopper{stop: stop}
	s.left.Store(int64(1 + l.random.IntN(12)))
	l.Progress = s
	defer func() { l.Progress = jobs.Silent{} }()
	if _, err := l.Night(ctx, l.asOf); err != nil && !errors.Is(err, context.Canceled) {
		l.t.Fatal(err)
	}
}

// stopper stops a run after so many steps and parts of steps.
type stopper struct {
	jobs.Silent
	left atomic.Int64
	stop func()
}

func (s *stopper) Step(string, int) { s.count() }

func (s *stopper) Advance(int) { s.count() }

func (s *stopper) count() {
	if s.left.Add(-1) == 0 {
		s.stop()
	}
}

// turnPeriod closes March by a basis, or reopens what was closed last.
func (l *movementLife) turnPeriod(move string) {
	l.t.Helper()
	verb, basis := ledger.ClosePeriod, report.ByOperation
	switch {
	case move == reopening && len(l.closed) == 0:
		return
	case move == reopening:
		verb, basis = ledger.ReopenPeriod, l.closed[len(l.closed)-1]
		l.closed = l.closed[:len(l.closed)-1]
	case len(l.closed) == 1:
		basis = report.ByCredit
		l.closed = append(l.closed, basis)
	case len(l.closed) == 0:
		l.closed = append(l.closed, basis)
	default:
		return
	}
	if got, err := l.period(l.desk(), verb, basis, "ana"); err != nil || got != "done" {
		l.t.Fatalf("%s by %s: %s, %v", move, basis, got, err)
	}
}

// check looks at all files of the movement so far: none was changed, and they tell what the ledger holds.
func (l *movementLife) check() {
	l.t.Helper()
	now := map[string]string{}
	if _, err := os.Stat(l.Reports.Out); err == nil {
		now = jobstest.HashMovement(l.t, l.Reports.Out)
	}
	for name, sum := range l.files {
		if now[name] != sum {
			l.t.Errorf("%s was changed or taken away", name)
		}
	}
	l.files = now
	jobstest.CheckTold(l.t, l.Worker, filepath.Join(l.Reports.Out, "1001/movement"))
	for _, method := range bookkeeping.Methods() {
		jobstest.BookJournal(l.t, l.Worker, method)
		jobstest.TieJournal(l.t, l.Worker, 1001, method, march)
	}
}

// checkBookedAnew throws the journal away and has it made once more from the sets: it is the one that mornings made of their own sets by one
// method, and later ones of theirs by the other.
func (l *movementLife) checkBookedAnew() {
	l.t.Helper()
	before := l.entries()
	if before[bookkeeping.Accrual] == before[bookkeeping.Cash] {
		l.t.Fatalf("the journal by either method is\n%s", before[bookkeeping.Cash])
	}
	for _, statement := range []string{"DELETE FROM journal_entry", "DELETE FROM journal_sum", "UPDATE event_cut SET accrual = 0, cash = 0"} {
		if err := l.on.Execute(l.t.Context(), l.dsn, statement); err != nil {
			l.t.Fatal(err)
		}
	}
	for _, method := range bookkeeping.Methods() {
		jobstest.BookJournal(l.t, l.Worker, method)
		if again := l.entries()[method]; again != before[method] {
			l.t.Errorf("%s: of the sets the journal is\n%s\nit was\n%s", method, again, before[method])
		}
	}
}

// entries are those of the journal, a line each, by method.
func (l *movementLife) entries() map[bookkeeping.Method]string {
	l.t.Helper()
	out := map[bookkeeping.Method]string{}
	for _, method := range bookkeeping.Methods() {
		err := l.Ledger.Entries(l.t.Context(), &books.JournalQuery{Account: 1001, Method: method}, func(e *bookkeeping.Entry) error {
			out[method] += fmt.Sprintf("%+v\n", *e)
			return nil
		})
		if err != nil {
			l.t.Fatal(err)
		}
	}
	return out
}
