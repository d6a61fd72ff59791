package proof_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/store/caselog"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// april is a lab that lives its first morning after March, with what a close rests on published.
func april(t *testing.T, where jobstest.Database) *lab {
	l := newLab(t, where)
	l.inApril()
	return l
}

func (l *lab) inApril() {
	l.first = proofDay("2026-04-02")
	l.Reports.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.SlipsKind, report.RestatementKind, report.ControlKind}
	l.Reports.Bases = []report.Basis{report.ByOperation, report.ByCredit}
}

func (l *lab) desk(eyes ...string) *casework.Handler {
	return &casework.Handler{Ledger: l.Ledger, FourEyes: eyes, Today: l.asOf, Wall: l.Wall}
}

var march = ledger.Period{From: ledger.NewDate(2026, time.March, 1), To: ledger.NewDate(2026, time.March, 31)}

// period asks for a close or a reopen of March by somebody and gives the outcome of the one account.
func (l *lab) period(d *casework.Handler, v ledger.Verb, basis report.Basis, by string) (string, error) {
	s, err := d.ChangePeriod(l.t.Context(), casework.PeriodRequest{
		Verb: v, Month: march, Basis: string(basis), Accounts: []ledger.Account{1001}, Actor: by, Reason: "conferido",
	})
	if err != nil {
		return "", err
	}
	return s.Periods[0].Outcome, nil
}

func (l *lab) closes(basis report.Basis) {
	l.t.Helper()
	if got, err := l.period(l.desk(), ledger.ClosePeriod, basis, "ana"); err != nil || got != "done" {
		l.t.Fatal(got, err)
	}
}

// table reads the newest revision of a published csv of an account's month, without its header.
func (l *lab) table(name string) [][]string {
	l.t.Helper()
	found, err := filepath.Glob(filepath.Join(l.Reports.Out, "1001", "2026", "*", name+"_r*.csv"))
	if err != nil || len(found) == 0 {
		l.t.Fatal(name, err)
	}
	slices.Sort(found)
	f, err := os.Open(found[len(found)-1])
	if err != nil {
		l.t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		l.t.Fatal(err)
	}
	return rows[1:]
}

// report renders the restatement of March.
func (l *lab) restated(basis report.Basis) [][]string {
	l.t.Helper()
	s, err := l.Report(l.t.Context(), jobs.ReportRequest{
		Period: ledger.Period{From: proofDay("2026-03-04"), To: proofDay("2026-04-30")}, Basis: string(basis), Kinds: []string{"restatement"},
	})
	if err != nil || len(s.Unpublished) > 0 {
		l.t.Fatal(err, s)
	}
	return l.table(fmt.Sprintf("restatement_1001_%s_20260304_20260430", basis))
}

// A close publishes the month with the EDI files that nights leave out, for the proposal and for the second person the same ones; what
// can't be published is not closed.
func TestCloseThatPublishes(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	l := april(t, jobstest.OnSQLite())
	l.Reports.Formats, l.Reports.EDIProfile, l.Reports.EDIAtClose = []report.Format{report.CSV, report.EDI}, "febraban", true
	l.Accounts[0].Block = jobstest.BankBlock()
	l.nights(1, nil)
	retornos := func() []string {
		found, err := filepath.Glob(filepath.Join(l.Reports.Out, "1001", "2026", "03", "*.ret"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := retornos(); len(found) > 0 {
		t.Fatalf("a night has made %v", found)
	}
	d := l.desk("period")
	d.PublishMonths = func(context.Context, []ledger.PeriodClose) error { return errors.New("no room") }
	if _, err := l.period(d, ledger.ClosePeriod, report.ByCredit, "ana"); !errors.Is(err, casework.ErrUnpublished) {
		t.Fatalf("what can't be published: %v", err)
	}
	d.PublishMonths = l.PublishMonths
	for _, step := range []struct{ by, want string }{{"ana", "proposed"}, {"ana", "waiting"}, {"rui", "done"}, {"rui", "standing"}} {
		if got, err := l.period(d, ledger.ClosePeriod, report.ByCredit, step.by); err != nil || got != step.want {
			t.Fatalf("%s closes it: %s, %v; want %s", step.by, got, err, step.want)
		}
		if found := retornos(); len(found) != 2 || !strings.Contains(found[0], "_1001_credit_20260304_20260331_r1.ret") {
			t.Fatalf("after %s: %v", step.want, found)
		}
	}
}

// What the service changes in a closed month is a case, a restatement and an adjustment of the month it was seen in; the
// month itself stays as it was reported.
func TestClosedMonth(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	story := func(t *testing.T, where jobstest.Database) {
		t.Parallel()
		l := april(t, where)
		l.nights(1, nil)
		for _, err := range l.summary.Unpublished {
			t.Fatal(err)
		}
		l.closes(report.ByOperation)
		l.closes(report.ByCredit)
		closed := func() int {
			found, err := filepath.Glob(filepath.Join(l.Reports.Out, "1001", "2026", "03", "*"))
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		files := closed()
		l.nights(1, both(
			on("A", 1, record{"installmentValue": num("90")}),
			across("C", record{"installmentStatus": "Canceled"}),
			func(l *lab) { l.lose("E", 1) },
			func(l *lab) {
				if _, err := l.PullRange(t.Context(), ledger.Period{From: proofDay("2026-03-04"), To: march.To}, []ledger.Source{ledger.Cards}); err != nil {
					t.Fatal(err)
				}
			},
		))
		if n := closed(); n != files {
			t.Errorf("March had %d files when it was closed and has %d", files, n)
		}
		var changed []string
		for _, row := range l.restated(report.ByOperation) {
			changed = append(changed, fmt.Sprintf("%s %s %s>%s %s %s %s %s %s", short.Replace(row[6]), row[7], row[8], row[9], row[10], row[11], row[12], row[13], row[14]))
		}
		want := []string{
			"A.1 installmentValue 100.00>90.00 -10.00 -10.00 0.00 restated 2026-04-03",
			"E.1 discountAntifraudRateInstalmentValue 0.00> -50.00 -49.45 0.00 vanished 2026-04-03",
			"E.1 discountMdrValue 0.55> 0.00 0.00 0.00 vanished 2026-04-03",
			"E.1 discountTrnRateInstalmentValue 0.00> 0.00 0.00 0.00 vanished 2026-04-03",
			"E.1 installmentStatus open> 0.00 0.00 0.00 vanished 2026-04-03",
			"E.1 installmentValue 50.00> 0.00 0.00 0.00 vanished 2026-04-03",
			"E.1 installmentsCount 1> 0.00 0.00 0.00 vanished 2026-04-03",
			"C.1 installmentStatus open>cancelled -100.00 -97.11 0.00 cancelled 2026-04-03",
			"C.2 installmentStatus open>cancelled -100.00 -97.11 0.00 cancelled 2026-04-03",
		}
		if d := cmp.Diff(want, changed); d != "" {
			t.Error(d)
		}
		if rows := l.restated(report.ByCredit); len(rows) != 2 || rows[0][12] != "-49.45" || rows[0][13] != "vanished" {
			t.Errorf("by credit only the receipt that is gone is restated: %v", rows)
		}
		var cases []string
		for _, line := range l.standing() {
			if code, rest, _ := strings.Cut(line, " "); code == "SRC_CHANGED_AFTER_CLOSE" {
				cases = append(cases, rest)
			}
		}
		if d := cmp.Diff([]string{"W - A.1", "W - C.1", "W - C.2", "W - E.1"}, cases); d != "" {
			t.Errorf("cases of what is restated:\n%s", d)
		}
		for basis, taken := range map[string]string{"operation": "253.67", "credit": "49.45"} {
			var adjusted []string
			for _, row := range l.table("summary_1001_" + basis + "_20260401_20260430") {
				if row[3] == "adjustment" {
					adjusted = append(adjusted, strings.Join([]string{row[1], row[7], row[13], row[15]}, " "))
				}
			}
			if d := cmp.Diff([]string{"2026-04-03 0.00 " + taken + " -" + taken}, adjusted); d != "" {
				t.Errorf("adjustments of %s:\n%s", basis, d)
			}
		}
		report, err := l.Ledger.Check(t.Context())
		if err != nil || len(report.Faults) > 0 {
			t.Error(err, report.Faults)
		}
	}
	t.Run("sqlite", func(t *testing.T) { story(t, jobstest.OnSQLite()) })
	t.Run("postgres", func(t *testing.T) { story(t, jobstest.OnPostgres()) })
}

// A month is closed by two people where four eyes are asked for, closed once, and only the latest one is reopened; what
// is in the way is named.
func TestPeriodDesk(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	l := april(t, jobstest.OnSQLite())
	l.asOf = l.first
	refused := func(says string, err error) {
		t.Helper()
		var told *casework.RequestError
		if !errors.As(err, &told) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is not told, but %v", says, err)
		}
	}
	_, err := l.period(l.desk(), ledger.ClosePeriod, report.ByCredit, "ana")
	refused("was never reconciled", err)
	l.nights(1, nil)
	_, err = l.period(l.desk(), ledger.ReopenPeriod, report.ByCredit, "ana")
	refused("no month is closed on this basis", err)
	_, err = l.period(l.desk(), ledger.ClosePeriod, report.ByForecast, "ana")
	refused("by operation or by credit", err)
	early := l.desk()
	early.Today = march.To
	_, err = l.period(early, ledger.ClosePeriod, report.ByCredit, "ana")
	refused("can be closed from 2026-04-01 on", err)

	two := l.desk("period")
	for _, step := range []struct {
		says, by, want string
		verb           ledger.Verb
	}{
		{"the first proposes", "ana", "proposed", ledger.ClosePeriod},
		{"and waits", "Ana", "waiting", ledger.ClosePeriod},
		{"another confirms", "rui", "done", ledger.ClosePeriod},
		{"closed again it stands as it was", "ana", "standing", ledger.ClosePeriod},
		{"reopening takes two as well", "ana", "proposed", ledger.ReopenPeriod},
		{"and is done", "rui", "done", ledger.ReopenPeriod},
	} {
		if got, err := l.period(two, step.verb, report.ByCredit, step.by); err != nil || got != step.want {
			t.Errorf("%s: %s, %v", step.says, got, err)
		}
	}
	closes, err := l.Ledger.PeriodCloses(t.Context(), caselog.PeriodFilter{})
	if err != nil || len(closes) != 1 || closes[0].IsInForce() {
		t.Error(closes, err)
	}
	if err := l.write("UPDATE period_close SET revision = 7"); err != nil {
		t.Fatal(err)
	}
	if faults, err := l.Ledger.VerifyActs(t.Context()); err != nil || len(faults) == 0 {
		t.Error("a close that was changed behind the log is not found:", faults, err)
	}
}
