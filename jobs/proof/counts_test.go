package proof_test

import (
	"testing"

	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/store/caselog"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// debitsOf replaces the cards by so many debits on each day of a period before the morning.
func debitsOf(from string, counts []int) func(*lab) {
	return func(l *lab) {
		var all []record
		for i, n := range counts {
			one := &lab{t: l.t, counter: &counter{}, asOf: l.asOf}
			debits([]ledger.Date{proofDay(from) + ledger.Date(i)}, n, nil)(one)
			all = append(all, one.cards...)
		}
		l.cards, l.slips = all, nil
	}
}

// severities are the severities of the cases of a code that stand, by the day they are about.
func (l *lab) severities(code string) map[ledger.Date]ledger.Severity {
	l.t.Helper()
	out := map[ledger.Date]ledger.Severity{}
	filter := caselog.FindingFilter{Codes: []string{code}, States: []ledger.State{ledger.Opened, ledger.Reopened}}
	if err := l.Ledger.Findings(l.t.Context(), filter, func(f *ledger.Finding) error {
		out[f.Day] = f.Severity
		return nil
	}); err != nil {
		l.t.Fatal(err)
	}
	return out
}

// A shop of 200 rows a day, more or less, shows 200 on several of them by chance: its nights stay green and every kind
// is published, and a note says what to set should it be a cut after all.
func TestRoundCountsByChanceWithholdNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, jobstest.OnSQLite())
	l.Accounts[0].Since = proofDay("2026-02-18")
	natural := debitsOf("2026-02-18", []int{214, 168, 200, 181, 97, 203, 241, 188, 155, 226, 173, 64, 200, 192, 236, 161, 207, 179, 71, 210})
	for night := 1; night <= 2; night++ {
		l.nights(1, natural)
		want := map[ledger.Date]ledger.Severity{proofDay("2026-02-20"): ledger.Info, proofDay("2026-03-02"): ledger.Info}
		if diff := cmp.Diff(want, l.severities("RUN_TRUNCATION_SUSPECTED")); diff != "" {
			t.Errorf("night %d: wanted (-) and found (+) differ:\n%s", night, diff)
		}
		if withheld := l.summary.Accounts[0].Withheld; l.summary.ExitCode() != jobs.ExitOK || len(withheld) > 0 {
			t.Errorf("night %d: exit %d, verdict %s, withheld %v", night, l.summary.ExitCode(), l.summary.Verdict, withheld)
		}
	}
}

// A service that cuts its lists at 200 shows 200 on every fuller day and never more: three such days are critical, and
// are so no more once a day shows more.
func TestTruncationAtARoundCountIsCritical(t *testing.T) {
	t.Parallel()
	l := newLab(t, jobstest.OnSQLite())
	natural := debitsOf("2026-03-04", []int{214, 168, 203, 181, 241, 155})
	limit := 200
	cut := func(l *lab) {
		natural(l)
		l.answers = func(_ ledger.Source, _, _ string, rows []record) []record { return rows[:min(len(rows), limit)] }
	}
	l.nights(1, cut)
	want := map[ledger.Date]ledger.Severity{}
	for _, d := range days("2026-03-04", "2026-03-06", "2026-03-08") {
		want[d] = ledger.Critical
	}
	if diff := cmp.Diff(want, l.severities("RUN_TRUNCATION_SUSPECTED")); diff != "" {
		t.Errorf("wanted (-) and found (+) differ:\n%s", diff)
	}
	if l.summary.ExitCode() != jobs.ExitIncomplete {
		t.Errorf("exit %d", l.summary.ExitCode())
	}
	limit = 1000
	if l.nights(1, cut); len(l.severities("RUN_TRUNCATION_SUSPECTED")) > 0 || l.summary.ExitCode() == jobs.ExitIncomplete {
		t.Errorf("uncut, %v stays, exit %d", l.severities("RUN_TRUNCATION_SUSPECTED"), l.summary.ExitCode())
	}
}

// A day with a tenth of its usual rows is a warning until an answer begun a week after it shows the same rows; one that
// brings the missing rows resolves it at once.
func TestUnusualVolumeEndsAfterAWeek(t *testing.T) {
	t.Parallel()
	counts := make([]int, 64) // Mondays from 2026-01-05 to 2026-03-09, one of them in Carnival; nothing on the days between
	for i := 0; i < len(counts); i += 7 {
		counts[i] = 100
	}
	monday, last := proofDay("2026-03-09"), len(counts)-1
	counts[last] = 10
	for _, c := range []struct {
		says  string
		lived int // mornings, the first being that after the day
		last  int // morning on which the case is still open
		after int // rows of the day from the fourth morning on
	}{
		{"the day stays as it is", 7, 6, 10},
		{"the missing rows come on the fourth morning", 4, 3, 100},
	} {
		l := newLab(t, jobstest.OnSQLite())
		l.Accounts[0].Since = monday - ledger.Date(last)
		for morning := 1; morning <= c.lived; morning++ {
			if morning == 4 {
				counts[last] = c.after
			}
			l.nights(1, debitsOf("2026-01-05", counts))
			want := map[ledger.Date]ledger.Severity{}
			if morning > 1 && morning <= c.last {
				want[monday] = ledger.Warning
			}
			if diff := cmp.Diff(want, l.severities("RUN_VOLUME_ANOMALY")); diff != "" {
				t.Errorf("%s, morning %d: wanted (-) and found (+) differ:\n%s", c.says, morning, diff)
			}
		}
	}
}
