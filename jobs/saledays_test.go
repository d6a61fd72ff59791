package jobs_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// TestSaleDaysThatDidNotMoveAreCopied: a month of which some sale days moved is published with the bytes that it has when every row is
// read, whatever happens between two nights; and rows of the other days are not read, unless the archive lost the files that have them.
func TestSaleDaysThatDidNotMoveAreCopied(t *testing.T) {
	t.Parallel()
	for _, where := range []jobstest.Database{jobstest.OnSQLite(), jobstest.OnPostgres()} {
		t.Run(where.Name, func(t *testing.T) {
			t.Parallel()
			m := newMerchant(t, world.Options{Seed: 33, Days: 6, Installments: 12, Plant: true, AsOf: world.NewDate(2026, time.November, 8)}).askNear()
			ledgerOf, write := where.Open(t)
			m.Ledger, m.Accounts = ledgerOf, m.Accounts[:1]
			m.Reports.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.ControlKind}
			m.Reports.Formats, m.Reports.Bases = []report.Format{report.CSV, report.CSVBR, report.JSONL}, []report.Basis{report.ByOperation}
			m.Reports.DaysFromRows = 1
			m.RunNight(t)
			m.liveSaleDays(t, func() { must(t, write("UPDATE report_days SET days = "+m.forgeDays(t, where.Name))) })

			must(t, write("UPDATE installment SET terminal = 'another'"))
			m.nextDay()
			m.RunNight(t)
			isAnother := func(row []string) bool { return row[2] == "another" }
			every := m.listDays(t, func([]string) bool { return true })
			if read := m.listDays(t, isAnother); len(read) == 0 || len(read) >= len(every) {
				t.Errorf("rows of %v are read, should be those of the days of %v that moved", read, every)
			}
			m.loseArchived(t, "installments_*_r*.csv")
			m.nextDay()
			m.RunNight(t)
			if read := m.listDays(t, isAnother); !slices.Equal(read, every) {
				t.Errorf("rows of %v are read, should be those of %v: the archive lost the file", read, every)
			}
		})
	}
}

// TestSaleDaysAreCopiedWithoutTheirSplits: sale days that did not move are copied too where their rows have splits and no file of the set
// shows these.
func TestSaleDaysAreCopiedWithoutTheirSplits(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 33, Days: 6, Installments: 12, Plant: true, AsOf: world.NewDate(2026, time.November, 8)}).askNear()
	ledgerOf, write := jobstest.OnSQLite().Open(t)
	m.Ledger, m.Accounts = ledgerOf, m.Accounts[1:2] // which has splits
	m.Reports.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.ControlKind}
	m.Reports.Formats, m.Reports.Bases = []report.Format{report.CSV}, []report.Basis{report.ByOperation}
	m.Reports.DaysFromRows = 1
	m.RunNight(t)
	must(t, write("UPDATE installment SET terminal = 'another'"))
	m.nextDay()
	m.RunNight(t)
	every := m.listDays(t, func(row []string) bool { return row[splitsCell] != "" })
	read := m.listDays(t, func(row []string) bool { return row[2] == "another" })
	if len(every) < 3 || len(read) >= len(every) {
		t.Errorf("rows of %v are read; of the days with splits, %v, most did not move", read, every)
	}
}

// splitsCell is the place of the splits among the cells of an installment.
var splitsCell = report.InstallmentsTable.ColumnIndex("splits")

// liveSaleDays lives nights of all kinds and compares what each publishes with what is rendered from every row. forge changes what is kept
// of the days: it is refused, since its sums have to be equal.
func (m *merchant) liveSaleDays(t *testing.T, forge func()) {
	t.Helper()
	asSent, asBefore := m.Service, m.Inputs.Contracts
	without, err := agreements.ParseContracts("none", []byte("contracts: []\n"))
	must(t, err)
	for _, change := range []struct {
		name  string
		apply func()
	}{
		{"rows of a day are restated", func() { m.Service = renamed{asSent, m.Today() - 1} }},
		{"what is kept of days is forged, and a day passes", func() { forge(); m.nextDay() }},
		{"the run is killed at its first set", func() { m.nextDay(); m.killAtSet(t, 1) }},
		{"the run is killed at its last set", func() { m.Service = asSent; m.killAtSet(t, 2) }},
		{"the contract is set aside", func() { m.Inputs.Contracts = without }},
		{"the contract is back, and a day passes", func() { m.Inputs.Contracts = asBefore; m.nextDay() }},
		{"a file of the archive is lost, and a day passes", func() { m.loseArchived(t, "installments_*_r*.br.csv"); m.nextDay() }},
		{"a day passes", func() { m.nextDay() }},
	} {
		change.apply()
		m.RunNight(t)
		should, is := m.extractTables(t), m.currentTables(t)
		for _, name := range slices.Sorted(maps.Keys(should)) {
			if is[name] != should[name] {
				t.Errorf("%s: %s is not what every row read gives", change.name, name)
			}
		}
		if len(should) != 5*3 {
			t.Errorf("%s: %d files of tables are compared", change.name, len(should))
		}
	}
}

// forgeDays returns what the sale days of November left, as a literal of a database, with a sale more on each.
func (m *merchant) forgeDays(t *testing.T, database string) string {
	t.Helper()
	current, err := m.Ledger.SetsOnBasis(t.Context(), m.Accounts[0].Number.String(), string(report.ByOperation))
	must(t, err)
	days, err := m.Ledger.DaysOf(t.Context(), current[0])
	must(t, err)
	r, err := gzip.NewReader(bytes.NewReader(days))
	must(t, err)
	text, err := io.ReadAll(r)
	must(t, err)
	forged := bytes.ReplaceAll(text, []byte(`"Sales":`), []byte(`"Sales":1`))
	if bytes.Equal(forged, text) {
		t.Fatalf("no sales are kept: %.200s", text)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err = w.Write(forged)
	must(t, errors.Join(err, w.Close()))
	if database == "postgres" {
		return fmt.Sprintf(`'\x%x'`, out.Bytes())
	}
	return fmt.Sprintf("X'%x'", out.Bytes())
}

// killAtSet runs the night and stops it after so many sets were published.
func (m *merchant) killAtSet(t *testing.T, sets int) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	m.Progress = &stopAtSet{stop: stop, left: sets}
	defer func() { m.Progress = jobs.Silent{} }()
	if _, err := m.Night(ctx, m.Today()); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// stopAtSet ends a run while it publishes.
type stopAtSet struct {
	jobs.Silent
	stop       func()
	publishing bool
	left       int
}

func (s *stopAtSet) Step(name string, _ int) { s.publishing = name == "publish" }

func (s *stopAtSet) Advance(int) {
	if s.publishing {
		if s.left--; s.left == 0 {
			s.stop()
		}
	}
}

// setFile splits the name of a file of a set: table, period, the rest, revision or extract, extension.
var setFile = regexp.MustCompile(`^([a-z-]+)_\d+_operation_(\d{8})_(\d{8})_([rx])([0-9a-f]+)\.(.+)$`)

// currentTables are the texts of the files of tables of November that are current, by table and extension.
func (m *merchant) currentTables(t *testing.T) map[string]string {
	t.Helper()
	current := map[string]string{} // paths
	must(t, filepath.WalkDir(m.Out, func(path string, _ os.DirEntry, err error) error {
		f := setFile.FindStringSubmatch(filepath.Base(path))
		if f == nil || f[1] == "control" || f[1] == "set" || !strings.HasPrefix(f[2], "202611") || strings.Contains(path, string(filepath.Separator)+"all"+string(filepath.Separator)) {
			return err
		}
		name := f[1] + "." + f[6]
		if was := current[name]; len(path) > len(was) || len(path) == len(was) && path > was {
			current[name] = path
		}
		return err
	}))
	return readTexts(t, current)
}

// extractTables are the same files as they are rendered from every row.
func (m *merchant) extractTables(t *testing.T) map[string]string {
	t.Helper()
	home, out, since := m.Target, m.Out, max(m.Accounts[0].Since, ledger.NewDate(2026, time.November, 1))
	defer func() { m.Target, m.Reports.Out = home, out }()
	place := t.TempDir()
	m.Target, m.Reports.Out = jobstest.NewTarget(place), place
	s, err := m.Report(t.Context(), jobs.ReportRequest{
		Period: ledger.Period{From: since, To: since.MonthEnd()}, Basis: "operation", Out: place, AccountsNamed: true,
	})
	if err != nil || len(s.Unpublished) > 0 {
		t.Fatal(err, s.Unpublished)
	}
	found := map[string]string{}
	for _, file := range s.Files {
		if f := setFile.FindStringSubmatch(filepath.Base(file.Path)); f != nil && f[1] != "control" {
			found[f[1]+"."+f[6]] = file.Path
		}
	}
	return readTexts(t, found)
}

func readTexts(t *testing.T, paths map[string]string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, path := range paths {
		body, err := os.ReadFile(path)
		must(t, err)
		out[name] = string(body)
	}
	return out
}

// listDays lists the sale days of the current installments of which some rows are like that.
func (m *merchant) listDays(t *testing.T, like func(row []string) bool) (days []string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(m.currentTables(t)["installments.csv"])).ReadAll()
	must(t, err)
	for _, row := range rows[1:] {
		if like(row) {
			days = append(days, row[1][:len("2026-11-01")])
		}
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// loseArchived removes from the archive the files whose names are like that.
func (m *merchant) loseArchived(t *testing.T, like string) {
	t.Helper()
	lost := 0
	sets, err := m.Ledger.SetsOf(t.Context(), m.Accounts[0].Number.String())
	must(t, err)
	for _, s := range sets {
		for _, f := range s.Files {
			if ok, err := filepath.Match(like, filepath.Base(f.Path)); err != nil || !ok {
				continue
			}
			err := os.Remove(filepath.Join(m.Archive.Place(), f.SHA256[:2], f.SHA256+".gz"))
			if err == nil {
				lost++
			} else if !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	if lost == 0 {
		t.Fatalf("no file of the archive is like %s", like)
	}
}
