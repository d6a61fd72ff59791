package jobs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"concilia/cmd/sandbox/world"
	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// Every published file may be deleted, the contract edited, the accounts renamed, and other nights may have come: each
// run still gives the bytes that stood when it had reconciled.
func TestAsOfRunGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	spare(t)
	for _, database := range []string{"SQLite", "Postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			// SQLite shows every format, and the month before. What a database could do otherwise shows in few and in one month.
			o, formats := world.Options{Seed: 77, Days: 25, Installments: 60, Plant: true}, report.Formats()
			if database == "Postgres" {
				o.Days, formats = 16, []report.Format{report.CSV, report.HTML, report.EDI}
			}
			m := newMerchant(t, o)
			if database == "Postgres" {
				m.Ledger, _ = onPostgres().open(t)
			}
			m.Reports.Formats = formats
			m.tellAgain(t)
		})
	}
}

// tellAgain lives three nights, then asks for what stood at each of them after everything else has changed.
func (m *merchant) tellAgain(t *testing.T) {
	m.bank()
	m.Target = newShare(m.out)
	m.Reports.EDIProfile = "febraban"
	var nights []*jobs.Summary
	var stood []map[string]string
	for range 2 {
		nights, stood = append(nights, m.night(t)), append(stood, hashes(t, m.out))
		m.world.SetNow(m.world.Now().AddDate(0, 0, 1))
	}
	if len(stood[1]) <= len(stood[0]) {
		t.Fatal("the nights brought no new revision")
	}
	since := m.Accounts[0].Since
	restarted := m.edited(t)
	for i, night := range nights {
		if err := os.RemoveAll(m.out); err != nil {
			t.Fatal(err)
		}
		last := night.AsOf - 1
		for _, basis := range []string{"operation", "credit"} {
			for first := last.MonthStart(); first.MonthEnd() >= since; first = (first - 1).MonthStart() {
				restarted.asOfRun(t, night.Run, basis, ledger.Period{From: max(first, since), To: first.MonthEnd()})
			}
		}
		restarted.asOfRun(t, night.Run, "asof", ledger.Period{From: night.AsOf, To: night.AsOf})
		again, standing := hashes(t, m.out), 0
		for name, sum := range again {
			if stood[i][name] != sum {
				t.Errorf("as of night %d: %s comes out with %s, and was %q", i, name, sum, stood[i][name])
			}
		}
		for name := range stood[i] {
			later := strings.NewReplacer("_r0.", "_r1.", "_r1.", "_r2.").Replace(name)
			_, replaced := stood[i][later]
			if state := strings.Contains(name, "_asof_"); replaced || state && !strings.Contains(name, night.AsOf.Compact()) {
				continue
			}
			standing++
			if again[name] == "" {
				t.Errorf("as of night %d: %s stood, and is not written", i, name)
			}
		}
		if standing < 30 {
			t.Errorf("%d files stood as of night %d", standing, i)
		}
		for _, kind := range []string{"statement", "restatement", "exceptions", "agenda-roll", "settlement"} {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(again)), func(name string) bool { return strings.HasPrefix(path.Base(name), kind+"_") }) {
				t.Errorf("as of night %d: no %s came out again", i, kind)
			}
		}
	}
}

// asOfRun asks twice for what stood at a run. The second time all of it is there.
func (m *merchant) asOfRun(t *testing.T, run, basis string, p ledger.Period) {
	t.Helper()
	before := hashes(t, m.out)
	req := jobs.ReportRequest{AsOfRun: run, Basis: basis, Period: p}
	for _, first := range []bool{true, false} {
		s, err := m.Report(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range s.Unpublished {
			t.Errorf("%s %s: %v", basis, p, err)
		}
		for _, f := range s.Files {
			if f.New != first {
				t.Errorf("%s: is it new? %t", f.Path, f.New)
			}
		}
		after := hashes(t, m.out)
		if first && len(after) == len(before) {
			t.Errorf("%s %s: nothing was written", basis, p)
		}
		if d := cmp.Diff(before, after); !first && d != "" {
			t.Errorf("%s %s, asked for again:\n%s", basis, p, d)
		}
		before = after
	}
}

// edited is the merchant after a restart of another version, with another contract, other names and another clock.
func (m *merchant) edited(t *testing.T) *merchant {
	t.Helper()
	text := strings.ReplaceAll(string(contract(m.world)), "mdr: 2", "mdr: 7")
	other, w := *m, *m.Worker
	other.Worker = &w
	var err error
	if w.Terms.Contracts, err = agreements.ParseContracts("contract.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	// A holiday more and a spelling that means something else: ages and the agenda follow those of then.
	holiday, err := calendar.New(calendar.Options{Extra: []ledger.Date{ledger.NewDate(2026, time.November, 17), ledger.NewDate(2026, time.December, 3)}})
	if err != nil {
		t.Fatal(err)
	}
	w.Terms.Calendar = func(ledger.Account) *calendar.Calendar { return holiday }
	if w.Terms.Mapping, err = agreements.ParseMapping("mapping.yaml", []byte("received_type: {anticipated: [Normal]}\n")); err != nil {
		t.Fatal(err)
	}
	w.Accounts = append([]jobs.Account(nil), m.Accounts...)
	for i := range w.Accounts {
		w.Accounts[i].Block.Name, w.Accounts[i].Block.Bank.Agreement = "OUTRA LOJA", "7654321"
	}
	w.Reports.Language, w.ProgramVersion = table.English, "another"
	w.Wall = func() time.Time { return time.Date(2031, 1, 2, 3, 4, 5, 6, time.FixedZone("JST", 9*3600)) }
	return &other
}

// What cannot be given as it was is refused with what is known of it, and nothing is written.
func TestAsOfRunRefused(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 78, Days: 20, Installments: 40})
	pulled, err := m.PullRange(t.Context(), ledger.Period{From: m.Today() - 3, To: m.Today() - 1}, []ledger.Source{ledger.Cards})
	if err != nil {
		t.Fatal(err)
	}
	m.Target = newShare(m.out)
	night := m.night(t)
	last := night.AsOf - 1
	month := ledger.Period{From: max(last.MonthStart(), night.AsOf-20), To: last.MonthEnd()}
	for _, row := range []struct {
		name, run string
		period    ledger.Period
		want      string
	}{
		{"no run has the id", "nobody", month, "there is no run nobody"},
		{"a run that only pulled believed nothing", pulled.Run, month, "reconciled nothing"},
		{"the set was never published", night.Run, ledger.Period{From: last, To: last}, "not published yet"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := m.Report(t.Context(), jobs.ReportRequest{AsOfRun: row.run, Basis: "operation", Period: row.period})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Unpublished) == 0 || !strings.Contains(s.Unpublished[0].Error(), row.want) || s.ExitCode() != jobs.ExitIncomplete {
				t.Errorf("exit %d: %v, want %q", s.ExitCode(), s.Unpublished, row.want)
			}
		})
	}
	t.Run("a belief of then was tampered with", func(t *testing.T) {
		c, err := sqlite.OpenConn(filepath.Join(filepath.Dir(m.out), "ledger.db"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(sqlitex.ExecuteTransient(c, "UPDATE installment SET reference = 'another'", nil), c.Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(m.out); err != nil {
			t.Fatal(err)
		}
		s, err := m.Report(t.Context(), jobs.ReportRequest{AsOfRun: night.Run, Basis: "operation", Period: month})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Unpublished) == 0 || !strings.Contains(s.Unpublished[0].Error(), "SHA-256") || len(hashes(t, filepath.Join(m.out, "1001"))) > 0 {
			t.Errorf("%v, %d files", s.Unpublished, len(hashes(t, m.out)))
		}
	})
}

// bank gives the accounts what EDI files need.
func (m *merchant) bank() {
	for i := range m.Accounts {
		m.Accounts[i].Block = export.Block{
			Name: "LOJA EXEMPLO LTDA", Document: "11222333000181", Bank: export.Bank{
				Code: "001", Branch: "1234", BranchDigit: "5", Account: "567890", AccountDigit: "1", Agreement: "1234567",
				Name: "BANCO DO BRASIL",
			},
		}
	}
}

// hashes are the SHA-256 of every file below a folder, none when it is not there.
func hashes(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if p == root && os.IsNotExist(err) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		sum := sha256.Sum256(b)
		rel, _ := filepath.Rel(root, p)
		out[rel] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
