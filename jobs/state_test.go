package jobs_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/verify"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// A night's state set says what the ledger says, on both databases alike, byte for byte; Render refuses one whose rows,
// sums or identities differ. People's acts change it, and what is over is shown once.
func TestStateOfTheDay(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); stateOfTheDay(t, jobstest.OnSQLite()) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); stateOfTheDay(t, jobstest.OnPostgres()) })
}

func stateOfTheDay(t *testing.T, on jobstest.Database) {
	m := newMerchant(t, world.Options{Seed: 1, Days: 30, Installments: 150, Plant: true})
	m.AskFar()
	m.Ledger, _ = on.Open(t)
	m.Reports.Kinds = []report.Kind{report.ExceptionsKind, report.RecoveriesKind, report.AgingKind, report.AgendaKind, report.ControlKind}
	m.Reports.Bases = []report.Basis{report.ByOperation}
	if on.Name == "sqlite" { // the formats are of one row model, which the other database fills alike
		m.Reports.Formats = []report.Format{report.CSV, report.CSVBR, report.JSONL, report.XLSX}
	}
	day := m.Today()
	m.RunNight(t)
	for _, table := range []string{"exceptions", "aging"} {
		jobstest.CompareGolden(t, table+".golden", m.state(t, "1001", table, day, 0)+m.state(t, "1002", table, day, 0))
	}
	both := rowsOf(t, m.state(t, "1001", "exceptions", day, 0)) + rowsOf(t, m.state(t, "1002", "exceptions", day, 0))
	if all := rowsOf(t, m.state(t, "all", "exceptions", day, 0)); all != both || all == 0 {
		t.Errorf("all accounts have %d cases, each by itself %d", all, both)
	}
	for _, f := range m.RunNight(t).Files {
		if strings.Contains(f.Path, "_asof_") && f.New {
			t.Errorf("the same morning again wrote %s", f.Path)
		}
	}

	overdue, short := m.caseOf(t, "SLIP_CREDIT_OVERDUE"), m.caseOf(t, "SLIP_SHORT_PAID")
	people := &casework.Handler{Ledger: m.Ledger, Today: day, Wall: time.Now}
	for _, act := range []casework.ActRequest{
		{Verb: ledger.Dispute, Cases: []string{overdue.Case}, Actor: "ana", Reference: "P-1"},
		{Verb: ledger.Close, Cases: []string{short.Case}, Actor: "ana", Reason: "agreed with the payer"},
	} {
		if _, err := people.ActOnCases(t.Context(), act); err != nil {
			t.Fatal(err)
		}
	}
	m.RunNight(t)
	account := overdue.Account.String()
	if got := cellOf(t, m.state(t, account, "exceptions", day, 1), overdue.Case, "state"); got != "disputed" {
		t.Errorf("the disputed case is %q", got)
	}
	if got := cellOf(t, m.state(t, account, "exceptions", day, 1), overdue.Case, "claimed"); got != overdue.Impact.V.Fixed(2) {
		t.Errorf("the disputed case was claimed for %q, its impact is %s", got, overdue.Impact.V)
	}
	for _, of := range []string{account, manifest.AllAccounts} {
		claim := m.state(t, of, "recoveries", day, 1)
		got := ""
		for _, column := range []string{"reference", "claimed_on", "claimed", "open", "recovered", "claim_state"} {
			got += cellOf(t, claim, overdue.Case, column) + " "
		}
		if want := fmt.Sprintf("P-1 %s %s %[2]s  claimed ", day, overdue.Impact.V.Fixed(2)); got != want || rowsOf(t, claim) != 1 {
			t.Errorf("the claim is %q of %s, should be %q", got, of, want)
		}
	}
	aging := m.state(t, account, "aging", day, 1)
	for _, kind := range []string{asof.SlipNotCredited, asof.DisputeOpen} {
		if !strings.Contains(aging, account+","+kind+",") {
			t.Errorf("an overdue case in dispute is not in %s:\n%s", kind, aging)
		}
	}
	if got := cellOf(t, m.state(t, account, "aging", day, 1), asof.DisputeOpen, "d0_1_qty"); got != "1" {
		t.Errorf("%s cases were disputed today", got)
	}
	if got := cellOf(t, m.state(t, short.Account.String(), "exceptions", day, 1), short.Case, "state"); got != "closed" {
		t.Errorf("the case that was closed is %q", got)
	}

	// The next morning shows what became of a case since, and no more what the morning before had shown.
	late := m.caseOf(t, "SLIP_OVERPAID")
	if _, err := people.ActOnCases(t.Context(), casework.ActRequest{Verb: ledger.Close, Cases: []string{late.Case}, Actor: "ana", Reason: "paid by hand"}); err != nil {
		t.Fatal(err)
	}
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	m.RunNight(t)
	if got := cellOf(t, m.state(t, late.Account.String(), "exceptions", day+1, 0), late.Case, "state"); got != "closed" {
		t.Errorf("the case closed since is %q", got)
	}
	if got := cellOf(t, m.state(t, short.Account.String(), "exceptions", day+1, 0), short.Case, "state"); got != "" {
		t.Errorf("the case closed before is %q", got)
	}
	if got := cellOf(t, m.state(t, account, "exceptions", day+1, 0), overdue.Case, "age_days"); got != "1" {
		t.Errorf("the case opened yesterday is %q days old", got)
	}
	if v, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(v.Faults) > 0 {
		t.Error(err, v.Faults)
	}
}

// caseOf is the first case of a code that is open.
func (m *merchant) caseOf(t *testing.T, code string) (found ledger.Finding) {
	t.Helper()
	filter := caselog.FindingFilter{Codes: []string{code}, States: []ledger.State{ledger.Opened}}
	err := m.Ledger.Findings(t.Context(), filter, func(f *ledger.Finding) error {
		found = *f
		return nil
	})
	if err != nil || found.Case == "" {
		t.Fatalf("no case of %s: %v", code, err)
	}
	return found
}

// state is a table of a published state set.
func (m *merchant) state(t *testing.T, account, table string, day ledger.Date, revision int) string {
	t.Helper()
	p := ledger.Period{From: day, To: day}
	name := manifest.Name(table, account, report.ByAsOf, p, "", revision, "csv")
	b, err := os.ReadFile(filepath.Join(m.Out, filepath.FromSlash(manifest.Dir(account, p)), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func rowsOf(t *testing.T, text string) int {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return len(rows) - 1
}

// cellOf is the cell of a column in the row whose second cell is key.
func cellOf(t *testing.T, text, key, column string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range rows[0] {
		for _, row := range rows[1:] {
			if name == column && row[1] == key {
				return row[i]
			}
		}
	}
	return ""
}
