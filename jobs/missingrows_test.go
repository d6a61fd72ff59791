package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// forgetful is a service that leaves rows out of its answers to one day, alone or among others, of one list of an account.
type forgetful struct {
	pull.Service
	account ledger.Account
	list    ledger.Source
	day     ledger.Date
	// leaves gives, of the n-th answer that holds the day, from 1 on, the number of rows of the day to be left out, from the
	// start or, below 0, from the end. nil: none.
	leaves func(n int) int
	refuse func(n int) error // nil: never

	mu      sync.Mutex
	answers int // that hold the day
}

func (f *forgetful) hold(list ledger.Source, a ledger.Account, from, to ledger.Date) (n int, err error) {
	if list != f.list || a != f.account || f.day < from || f.day > to || f.leaves == nil {
		return 0, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers++
	if f.refuse != nil {
		err = f.refuse(f.answers)
	}
	return f.leaves(f.answers), err
}

// without leaves n of the rows of a day out.
func without[T any](rows []T, day ledger.Date, n int, dayOf func(*T) ledger.Date) []T {
	all := 0
	for i := range rows {
		if dayOf(&rows[i]) == day {
			all++
		}
	}
	place := 0
	return slices.DeleteFunc(rows, func(r T) bool {
		if dayOf(&r) != day {
			return false
		}
		place++
		return place <= n || place > all+n
	})
}

func (f *forgetful) SearchInstallments(
	ctx context.Context, a ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
) (api.Answer, error) {
	n, err := f.hold(ledger.Cards, a, from, to)
	if err != nil {
		return api.Answer{}, err
	}
	answer, err := f.Service.SearchInstallments(ctx, a, from, to, sink)
	answer.Rows = without(answer.Rows, f.day, n, func(r *ledger.Installment) ledger.Date { return r.SoldAt.Date() })
	return answer, err
}

func (f *forgetful) ListSlips(
	ctx context.Context, list ledger.Source, a ledger.Account, from, to ledger.Date, state ledger.Opt[int64],
) (api.SlipAnswer, error) {
	n, err := f.hold(list, a, from, to)
	if err != nil {
		return api.SlipAnswer{}, err
	}
	answer, err := f.Service.ListSlips(ctx, list, a, from, to, state)
	answer.Rows = without(answer.Rows, f.day, n, (*ledger.SlipView).ListDay)
	return answer, err
}

// newForgetful is a merchant of one account whose first night saw everything.
func newForgetful(t *testing.T, list ledger.Source) (*merchant, *forgetful, *jobs.Summary) {
	t.Helper()
	m := newMerchant(t, world.Options{
		Seed: 71, Days: 6, Installments: 240, SlipsPerDay: 10, AsOf: world.NewDate(2026, time.November, 18),
	})
	m.SkipReports()
	m.Accounts, m.Plan = m.Accounts[:1], plan.Settings{SlipsDueBack: 6}
	f := &forgetful{Service: m.Service, account: m.Accounts[0].Number, list: list, day: m.Today() - 3}
	m.Service = f
	return m, f, m.RunNight(t)
}

// setAside are the pulls of a run whose answers were set aside, with the rows each lacked.
func (m *merchant) setAside(t *testing.T, run string) (lacked []int64) {
	t.Helper()
	pulls, err := m.Ledger.PullsOfRun(t.Context(), m.Accounts[0].Number, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pulls {
		if p.Note.Missing > 0 {
			if p.Complete || !strings.Contains(p.Failure, "asked for again") || p.SHA256 == "" {
				t.Errorf("a pull that was set aside is complete %t, %q", p.Complete, p.Failure)
			}
			lacked = append(lacked, p.Note.Missing)
		}
	}
	return lacked
}

// One answer that ends early, and looks whole, is asked for once more before any row of it vanishes, at the real service.
func TestOneTruncatedAnswerIsRechecked(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 70, Days: 6, Installments: 1200})
	m.Accounts = m.Accounts[:1]
	m.RunNight(t)
	whole := m.RunNight(t)
	before := m.rows(t)
	m.arm(t, `{"endpoint":"search","kind":"cap","limit":5,"count":1}`)
	s := m.RunNight(t)
	lacked := m.setAside(t, s.Run)
	if len(lacked) != 1 || lacked[0] < 50 || s.Pulled.Requests != whole.Pulled.Requests+1 || s.Pulled.Rows != whole.Pulled.Rows {
		t.Errorf("answers lacked %v rows; %+v was pulled, without the fault %+v", lacked, *s.Pulled, *whole.Pulled)
	}
	if s.ExitCode() != whole.ExitCode() || len(s.FailedWindows) > 0 {
		t.Errorf("it ends %s with %d, without the fault %s with %d", s.Verdict, s.ExitCode(), whole.Verdict, whole.ExitCode())
	}
	if p := s.Pulled; p.New+p.Changed+p.Vanished > 0 {
		t.Errorf("%+v was pulled", *p)
	}
	if d := cmp.Diff(before, m.rows(t)); d != "" {
		t.Errorf("before (-) and after (+) the ledger holds:\n%s", d)
	}
	// A note says so, in the state of the day alone, until the day is asked for again.
	const code = "RUN_TRUNCATION_SUSPECTED"
	if other := len(s.NewFindings) - min(s.NewFindings[code], 1); other > 0 {
		t.Errorf("%v was found first", s.NewFindings)
	}
	want := fmt.Sprintf("; a first answer lacked %d of them, which the day shows when asked for once more.", lacked[0])
	notes := func() (all []ledger.Severity) {
		standing := caselog.FindingFilter{Codes: []string{code}, States: []ledger.State{ledger.Opened, ledger.Reopened}}
		if err := m.Ledger.Findings(t.Context(), standing, func(f *ledger.Finding) error {
			if strings.HasSuffix((catalogue.Voice{Language: "en"}).Explain(*f), want) {
				all = append(all, f.Severity)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := notes(); !slices.Equal(got, []ledger.Severity{ledger.Info}) {
		t.Errorf("notes that end%s are %v", want, got)
	}
	for _, f := range s.Files {
		if f.New && !strings.Contains(f.Path, "_asof_") {
			t.Errorf("%s was written", f.Path)
		}
	}
	if m.RunNight(t); len(notes()) > 0 {
		t.Errorf("asked for again without the fault, the note stays")
	}
}

// Of a day of which an answer lacks known rows, the second answer decides: only what both lack has vanished, whatever the
// list. Without a second answer the window has failed, and nothing has vanished.
func TestOnlyWhatTwoAnswersLackVanishes(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for _, list := range []ledger.Source{ledger.Cards, ledger.SlipsDue} {
		m, f, first := newForgetful(t, list)
		if first.ExitCode() != jobs.ExitOK {
			t.Fatalf("the first night ends %s", first.Verdict)
		}
		for _, c := range []struct {
			says             string
			leaves           func(n int) int
			refuse           func(n int) error
			aside            []int64
			vanished, failed int
		}{
			{
				says:   "the second is whole",
				leaves: func(n int) int { return []int{0, 4}[n%2] }, aside: []int64{4},
			},
			{
				says:   "each lacks others",
				leaves: func(n int) int { return []int{4, -4}[n%2] }, aside: []int64{4},
			},
			{
				says:   "there is no second",
				leaves: func(int) int { return 4 }, aside: []int64{4, 4}, failed: 1, // the failed window is asked for once more
				refuse: func(n int) error {
					if n%2 == 0 {
						return errors.New("500")
					}
					return nil
				},
			},
			{
				says:   "they lack some in common",
				leaves: func(n int) int { return []int{2, 4}[n%2] }, aside: []int64{4}, vanished: 2,
			},
			{
				says:   "both lack the same",
				leaves: func(int) int { return 4 }, aside: []int64{2}, vanished: 2, // two had vanished before
			},
		} {
			f.leaves, f.refuse, f.answers = c.leaves, c.refuse, 0
			s := m.RunNight(t)
			if int(s.Pulled.Vanished) != c.vanished || len(s.FailedWindows) != c.failed {
				t.Errorf("%s, %s: %d vanished, failed %v", list, c.says, s.Pulled.Vanished, s.FailedWindows)
			}
			if got := m.setAside(t, s.Run); !slices.Equal(got, c.aside) {
				t.Errorf("%s, %s: set aside were answers that lacked %v, want %v", list, c.says, got, c.aside)
			}
			f.leaves = nil
		}
		f.leaves = func(int) int { return 4 }
		m.RunNight(t)
		// Slips that other lists still show are missing from this one.
		if gone := append(m.subjects(t, "SRC_VANISHED"), m.subjects(t, "SLIP_MISSING_IN_DUE_LIST")...); len(gone) != 4 {
			t.Errorf("%s: vanished are %v, want 4", list, gone)
		}
	}
}

// A window that was refused while the others were answered is asked for once more in the same run, after them.
func TestFailedWindowIsAskedForAgain(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for _, c := range []struct {
		says    string
		refuses int // answers, from the first on
		failed  int
	}{
		{"the second question is answered", 1, 0},
		{"that one is refused, too", 2, 1},
	} {
		m, f, _ := newForgetful(t, ledger.Cards)
		f.leaves = func(int) int { return 0 }
		m.RunNight(t)
		usual := f.answers // the day is also among the doubtful ones
		f.answers = 0
		f.refuse = func(n int) error {
			if n <= c.refuses {
				return errors.New("429")
			}
			return nil
		}
		s := m.RunNight(t)
		if f.answers != usual+1 || len(s.FailedWindows) != c.failed || int(s.Record.Asked.Failed) != c.failed {
			t.Errorf("%s: asked %d times, without a failure %d, failed %v", c.says, f.answers, usual, s.FailedWindows)
		}
		if want := []int{jobs.ExitOK, jobs.ExitIncomplete}[c.failed]; s.ExitCode() != want {
			t.Errorf("%s: it ends with %d, want %d", c.says, s.ExitCode(), want)
		}
	}
}

// A range asked for again in wide windows finds what one of them lacks day by day.
func TestBackfillRechecksWhatAWideWindowLacks(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m, f, _ := newForgetful(t, ledger.SlipsDue)
	again := jobs.BackfillRequest{
		Period: ledger.Period{From: m.Today() - 6, To: m.Today() - 1}, Sources: []ledger.Source{ledger.SlipsDue}, Recheck: true,
	}
	for _, c := range []struct {
		says     string
		leaves   func(n int) int
		vanished int64
	}{
		{"once", func(n int) int { return []int{0, 3}[min(n, 2)%2] }, 0},
		{"again and again", func(int) int { return 3 }, 3},
	} {
		f.leaves, f.answers = c.leaves, 0
		s := m.backfill(t, again)
		if s.Pulled.Vanished != c.vanished || f.answers < 2 || len(s.FailedWindows) > 0 || len(m.setAside(t, s.Run)) == 0 {
			t.Errorf("%s: %d vanished after %d answers with the day, failed %v", c.says, s.Pulled.Vanished, f.answers, s.FailedWindows)
		}
	}
}

// A backfill of one request at a time gets past a day whose rows are gone: the second question repeats the first.
func TestBoundedBackfillGetsPastMissingRows(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m, f, _ := newForgetful(t, ledger.SlipsDue)
	f.leaves = func(int) int { return 3 }
	s := m.backfill(t, jobs.BackfillRequest{
		Period: ledger.Period{From: f.day, To: f.day}, Sources: []ledger.Source{ledger.SlipsDue}, Recheck: true, MaxRequests: 1,
	})
	if s.Left > 0 || s.Pulled.Vanished != 3 || s.Pulled.Requests < 2 {
		t.Errorf("%d days are left, %+v was pulled", s.Left, *s.Pulled)
	}
}

// A night that is killed between the two answers begins again with the first, and ends as if it had not been killed.
func TestKillBetweenTwoAnswers(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for _, c := range []struct {
		says     string
		later    int // rows that the answers after the kill lack
		vanished int64
	}{
		{"the service has come to its senses", 0, 0},
		{"the rows are gone", 5, 5},
	} {
		m, f, _ := newForgetful(t, ledger.Cards)
		ctx, kill := context.WithCancelCause(t.Context())
		killed := errors.New("killed")
		f.leaves = func(n int) int { return 5 }
		f.refuse = func(n int) error {
			if n == 2 {
				kill(killed)
				return killed
			}
			return nil
		}
		if _, err := m.Night(ctx, m.Today()); !errors.Is(err, killed) {
			t.Fatalf("%s: the night ends with %v", c.says, err)
		}
		f.refuse, f.leaves = nil, func(int) int { return c.later }
		s := m.RunNight(t)
		if !s.Record.Resumed || s.Pulled.Vanished != c.vanished || len(s.FailedWindows) > 0 {
			t.Errorf("%s: taken up %t, %d vanished, failed %v", c.says, s.Record.Resumed, s.Pulled.Vanished, s.FailedWindows)
		}
		if gone := m.subjects(t, "SRC_VANISHED"); int64(len(gone)) != c.vanished {
			t.Errorf("%s: vanished are %v", c.says, fmt.Sprint(gone))
		}
	}
}
