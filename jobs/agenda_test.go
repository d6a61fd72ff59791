package jobs_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/report"
	"concilia/export/verify"
	"concilia/jobs/jobstest"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// agendas publishes the agenda of a story's nights and remembers what each day's standing one closed with.
type agendas struct {
	*story
	to     export.Target
	out    string
	closed map[ledger.Date]map[string]string // by brand and product
	told   map[ledger.Date]bool              // that opened with another day's closing
}

func newAgendas(t *testing.T, s *story) *agendas {
	t.Helper()
	out := t.TempDir()
	return &agendas{
		story: s, out: out, closed: map[ledger.Date]map[string]string{}, told: map[ledger.Date]bool{},
		to: export.Target{Staging: t.TempDir(), Publisher: &jobstest.Folder{Root: out}},
	}
}

// again evaluates the same day once more, in a run of its own that nothing moved before.
func (a *agendas) again() {
	a.t.Helper()
	a.run = a.laterRun()
	a.ok(a.l.BeginRun(a.t.Context(), a.run))
	lease, err := a.l.LeaseAccounts(a.t.Context(), a.run.ID, []ledger.Account{1001}, time.Hour)
	a.ok(err)
	a.judge()
	a.ok(lease.Release(a.t.Context()))
}

// laterRun is a run after every one before, whatever its as-of.
func (a *agendas) laterRun() *ledger.Run {
	began := a.run.Began.Add(time.Second)
	return &ledger.Run{
		ID: ledger.RunID(began, "bbbbbb"), Kind: ledger.ReconcileRun, AsOf: a.asOf, Began: began, Accounts: []ledger.Account{1001},
	}
}

// publish publishes the agenda; Render refuses one whose rows leave anything, or differ from what SQL adds up.
func (a *agendas) publish() export.Result {
	a.t.Helper()
	r, err := a.w.PublishAgenda(a.t.Context(), a.run, a.w.Accounts[0], a.to, report.Filter{})
	if err != nil {
		a.t.Fatalf("as of %s: %v", a.asOf, err)
	}
	return r
}

// roll is agenda-roll as published: since, and opening and closing by brand and product, those of zero left out.
func (a *agendas) roll(r export.Result) (since string, opening, closing map[string]string) {
	a.t.Helper()
	opening, closing = map[string]string{}, map[string]string{}
	names, err := filepath.Glob(filepath.Join(a.out, r.Dir, fmt.Sprintf("agenda-roll_1001_asof_%s_*_r%d.csv", a.asOf.Compact(), r.Revision)))
	a.ok(err)
	f, err := os.Open(names[0])
	a.ok(err)
	defer func() { a.ok(f.Close()) }()
	rows, err := csv.NewReader(f).ReadAll()
	a.ok(err)
	at := func(id string) int { return slices.Index(rows[0], id) }
	for _, row := range rows[1:] {
		key := row[at("brand")] + " " + row[at("product")]
		since = row[at("since")]
		for id, to := range map[string]map[string]string{"opening": opening, "closing": closing} {
			if v := row[at(id)]; v != "0.0000" {
				to[key] = v
			}
		}
	}
	return since, opening, closing
}

// open is the gross of the open installments, counted here.
func (a *agendas) open() map[string]string {
	a.t.Helper()
	sums := map[string]ledger.Amount{}
	q := reports.Query{Account: 1001, Basis: "operation", Period: ledger.Period{From: storyBegins - 9, To: a.asOf}}
	a.ok(a.l.Installments(a.t.Context(), q, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e != nil && e.Class == ledger.Open {
			sums[e.Brand+" "+string(e.Product)] += v.Gross
		}
		return nil
	}))
	out := map[string]string{}
	for k, v := range sums {
		if v != 0 {
			out[k] = v.Fixed(4)
		}
	}
	return out
}

// follows holds a published roll against the ledger and the day before that has one.
func (a *agendas) follows(r export.Result) {
	a.t.Helper()
	since, opening, closing := a.roll(r)
	var before ledger.Date
	for d := range a.closed {
		if d < a.asOf {
			before = max(before, d)
		}
	}
	want, opened := "", map[string]string{}
	if before != 0 {
		want, opened = before.String(), a.closed[before]
		a.told[a.asOf] = true
	}
	if d := cmp.Diff(opened, opening); d != "" || since != want && len(opening)+len(closing) > 0 {
		a.t.Fatalf("as of %s since %s: opens with another balance than %s closed with:\n%s", a.asOf, since, want, d)
	}
	if d := cmp.Diff(a.open(), closing); d != "" {
		a.t.Fatalf("as of %s: closes with what is not open (-open +closing):\n%s", a.asOf, d)
	}
	a.closed[a.asOf] = closing
}

// Over nights that are skipped, run again, and run for a day that is past, every balance opens with what the day before
// closed with, and closes with what is open; and a night that is run again publishes nothing.
func TestAgendaRollsOn(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		for seed := range jobstest.Seeds(3, 30) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				agendaRollsOn(t, jobstest.FreshLedger(t), seed, jobstest.Long(15, 20))
			})
		}
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		on := jobstest.OnPostgres()
		for seed := range jobstest.Seeds(1, 3) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				l, _ := on.Open(t)
				agendaRollsOn(t, l, seed, jobstest.Long(8, 10))
			})
		}
	})
}

func agendaRollsOn(t *testing.T, l *store.Ledger, seed, nights uint64) {
	t.Helper()
	a := newAgendas(t, newStory(t, l, seed))
	for n := range nights {
		a.night()
		if a.once(4) { // nothing is published
			continue
		}
		a.follows(a.publish())
		switch n % 5 {
		case 1:
			a.again()
			if r := a.publish(); !r.Unchanged {
				t.Fatalf("as of %s: the same night again publishes %v", a.asOf, r.Why)
			}
		case 3: // the day before once more: what came since is reported there, too
			a.asOf--
			a.again()
			if r := a.publish(); !r.Unchanged {
				a.follows(r)
			}
			a.asOf++
		}
	}
	if len(a.told) < int(nights)/3 {
		t.Errorf("only %d days opened with another's closing: the property was hardly tried", len(a.told))
	}
	report, err := verify.CheckTree(t.Context(), a.out, nil)
	a.ok(err)
	if len(report.Faults) > 0 {
		t.Error(report.Faults)
	}
}

// What was counted after a break is what the next night opens with: nothing leads there from before, and the agenda is
// not withheld for ever.
func TestAgendaBeginsAnewAfterABreak(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	l, do := jobstest.OnSQLite().Open(t)
	a := newAgendas(t, newStory(t, l, 3))
	for range 5 {
		a.night()
		a.publish()
	}
	a.ok(do(fmt.Sprintf("UPDATE continuity SET closing = closing + 100 WHERE ended_run IS NULL AND day = %d AND brand = 'visa'", a.asOf-2)))
	a.night()
	_, err := a.w.PublishAgenda(t.Context(), a.run, a.w.Accounts[0], a.to, report.Filter{})
	var tie *control.MismatchError
	if !errors.As(err, &tie) {
		t.Fatalf("the night of the break is published: %v", err)
	}
	broken := a.asOf
	for range 2 {
		a.night()
		since, _, closing := a.roll(a.publish())
		if d := cmp.Diff(a.open(), closing); d != "" || since != broken.String() {
			t.Errorf("as of %s, since %s: %s", a.asOf, since, d)
		}
		broken = a.asOf
	}
}

// A filter of brands keeps to their rows in both tables; one of statuses that leaves the open ones out has no net.
func TestAgendaOfAFilter(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	l, _ := jobstest.OnSQLite().Open(t)
	a := newAgendas(t, newStory(t, l, 1))
	for range 8 {
		a.night()
	}
	for _, f := range []report.Filter{
		{Brands: []string{"elo"}}, {Classes: []ledger.Class{ledger.Blocked}}, {Classes: []ledger.Class{ledger.Open}},
	} {
		r, err := a.w.PublishAgenda(t.Context(), a.run, a.w.Accounts[0], a.to, f)
		if err != nil {
			t.Errorf("%s: %v", f.Canonical(), err)
			continue
		}
		for _, file := range r.Files {
			b, err := os.ReadFile(filepath.Join(a.out, r.Dir, file.Path))
			a.ok(err)
			if len(f.Brands) > 0 && file.Kind == report.AgendaKind && strings.Contains(string(b), "visa") {
				t.Errorf("%s has rows of another brand", file.Path)
			}
		}
	}
}
