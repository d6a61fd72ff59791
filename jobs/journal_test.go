package jobs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export/journal"
	"concilia/export/journal/journaltest"
	"concilia/export/verify"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// checkJournals has the journal of the month of the nights so far: it is balanced, ends with what the rows say, is verified, and is taken
// by the programs of accountants, by either method and grain.
func (m *merchant) checkJournals(t *testing.T) {
	t.Helper()
	month := ledger.Period{From: ledger.NewDate(2026, 11, 1), To: ledger.NewDate(2026, 11, 30)}
	service := map[string]map[string]string{}
	kept := m.Journal
	var files []string
	for _, method := range bookkeeping.Methods() {
		for _, grain := range []journal.Grain{journal.ByDay, journal.ByRow} {
			m.Journal = jobs.JournalSettings{Chart: journaltest.WholeChart(method, grain, m.accountNumbers()...), File: "accounts.yaml"}
			req := jobs.ReportRequest{
				Period: month, Basis: "operation", Kinds: []string{"journal"}, Formats: []string{"csv", "jsonl", "beancount", "hledger", "dominio"},
			}
			s, err := m.Report(t.Context(), req)
			if err != nil || len(s.Unpublished) > 0 {
				t.Fatal(method, grain, err, s)
			}
			again, err := m.Report(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range again.Files {
				if f.New {
					t.Errorf("%s is made again of the same entries", f.Path)
				}
			}
			for _, f := range s.Files {
				if strings.Contains(f.Path, "journal_") {
					files = append(files, f.Path)
					noteService(t, service, f.Path)
				}
			}
		}
	}
	for account, balances := range service {
		if len(balances) != 1 {
			t.Errorf("account %s: the methods do not agree on what the service paid: %v", account, balances)
		}
	}
	m.checkTies(t)
	m.checkOwnCSV(t, month)
	m.refuseJournals(t, month)
	m.Journal = kept
	m.checkSets(t, ledger.Period{From: ledger.NewDate(2026, 11, 18), To: month.To})
	t.Run("programs", func(t *testing.T) { journaltest.CheckJudged(t, files...) })
}

// checkOwnCSV has the journal as the office's own CSV, by either layout: it has what Domínio's file has, and is verified.
func (m *merchant) checkOwnCSV(t *testing.T, month ledger.Period) {
	t.Helper()
	values := map[journal.Layout][]string{
		journal.ByLine: {"posted_on", "code", "debit", "credit"}, journal.ByPair: {"posted_on", "debit_code", "credit_code", "amount"},
	}
	for layout, columns := range values {
		chart := journaltest.WholeChart(bookkeeping.Accrual, journal.ByDay, m.accountNumbers()...)
		chart.Layout = layout
		var header string
		for _, value := range columns {
			chart.Columns = append(chart.Columns, journal.Column{Header: strings.ToUpper(value), Value: value})
			header += "," + strings.ToUpper(value)
		}
		m.Journal.Chart = chart
		s, err := m.Report(t.Context(), jobs.ReportRequest{
			Period: month, Basis: "operation", Kinds: []string{"journal"}, Formats: []string{"csv", "jsonl", "dominio"},
		})
		if err != nil || len(s.Unpublished) > 0 {
			t.Fatal(layout, err, s)
		}
		checked := 0
		for _, f := range s.Files {
			if !strings.Contains(f.Path, "journal_") || !strings.HasSuffix(f.Path, ".csv") {
				continue
			}
			body, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := journal.ReadOwn(bytes.NewReader(body), chart.OwnValues())
			want := readTotals(t, strings.TrimSuffix(f.Path, ".csv")+".dominio.txt", journal.Dominio)
			if err != nil || got.Debits != want.Debits || got.Entries < want.Entries || !strings.HasPrefix(string(body), header[1:]+"\n") {
				t.Errorf("%s: %+v, %v, want %+v:\n%.200s", f.Path, got, err, want, body)
			}
			found, err := verify.CheckTree(t.Context(), filepath.Dir(f.Path), nil)
			if err != nil || len(found.Faults) > 0 {
				t.Errorf("verify: %v, %v", found.Faults, err)
			}
			checked++
		}
		if checked != len(m.Accounts) {
			t.Errorf("layout %s: %d files in %+v", layout, checked, s.Files)
		}
	}
}

// bookBoth makes the journal by either method, whichever the nights made.
func (m *merchant) bookBoth(t *testing.T) {
	t.Helper()
	for _, method := range bookkeeping.Methods() {
		jobstest.BookJournal(t, m.Worker, method)
	}
}

// checkTies holds the journals of months against what reports say: nothing is left.
func (m *merchant) checkTies(t *testing.T) {
	t.Helper()
	found := map[string]ledger.Amount{}
	m.bookBoth(t)
	for _, a := range m.accountNumbers() {
		for _, method := range bookkeeping.Methods() {
			for _, first := range []ledger.Date{ledger.NewDate(2026, 10, 1), ledger.NewDate(2026, 11, 1)} {
				month := ledger.Period{From: first, To: first.MonthEnd()}
				for _, tie := range jobstest.TieJournal(t, m.Worker, a, method, month) {
					found[tie.Item] += tie.Lines[len(tie.Lines)-1].Amount.Abs()
				}
			}
		}
	}
	for _, item := range []string{"settled service", "fees mdr", "slip_transit"} {
		if found[item] == 0 {
			t.Errorf("nothing is tied: %s of %v", item, found)
		}
	}
}

// checkSets compares the journals in the sets of the movement with that of all days since the first: they have the same entries, and
// included one after another they end with the same balances.
func (m *merchant) checkSets(t *testing.T, days ledger.Period) {
	t.Helper()
	whole, err := m.Report(t.Context(), jobs.ReportRequest{
		Period: days, Basis: "operation", Kinds: []string{"journal"}, Formats: []string{"beancount", "hledger", "dominio"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range whole.Files {
		name := filepath.Base(f.Path)
		format := map[string]journal.Format{".beancount": journal.Beancount, ".journal": journal.HLedger, ".txt": journal.Dominio}[filepath.Ext(name)]
		if format == "" {
			continue
		}
		account := strings.Split(name, "_")[1]
		sets, err := filepath.Glob(filepath.Join(m.Out, account, "movement/*/*/journal_*"+filepath.Ext(name)))
		if err != nil || len(sets) < 5 {
			t.Fatalf("%d sets with a journal, %v", len(sets), err)
		}
		var all journal.Totals
		for _, set := range sets {
			got := readTotals(t, set, format)
			all.Entries, all.Debits, all.Credits = all.Entries+got.Entries, all.Debits+got.Debits, all.Credits+got.Credits
		}
		if want := readTotals(t, f.Path, format); all != want || all.Entries < 5 {
			t.Errorf("account %s, %s: sets have %+v, all days %+v", account, format, all, want)
		}
		if format != journal.Dominio {
			t.Run("sets in "+string(format), func(t *testing.T) { journaltest.CheckIncluded(t, f.Path, sets) })
		}
	}
}

// checkExtract asks for the journal as of the second night, at another place: it has the entries of the first two sets, and makes no
// revision.
func (m *merchant) checkExtract(t *testing.T, second string) {
	t.Helper()
	home, out := m.Target, m.Out
	defer func() { m.Target, m.Reports.Out = home, out }()
	place := t.TempDir()
	m.Target, m.Reports.Out = jobstest.NewTarget(place), place
	s, err := m.Report(t.Context(), jobs.ReportRequest{
		Period: ledger.Period{From: ledger.NewDate(2026, 11, 18), To: ledger.NewDate(2026, 11, 30)}, Basis: "operation", Kinds: []string{"journal"},
		Formats: []string{"dominio"}, Out: place, AsOfRun: second,
	})
	if err != nil || len(s.Unpublished) > 0 {
		t.Fatal(err, s)
	}
	checked := 0
	for _, f := range s.Files {
		name := filepath.Base(f.Path)
		if !strings.HasPrefix(name, "journal_") {
			continue
		}
		account := strings.Split(name, "_")[1]
		sets, err := filepath.Glob(filepath.Join(out, account, "movement/*/*/journal_*.dominio.txt"))
		if err != nil || len(sets) < 3 {
			t.Fatal(sets, err)
		}
		var all journal.Totals
		for _, set := range sets[:2] {
			got := readTotals(t, set, journal.Dominio)
			all.Entries, all.Debits, all.Credits = all.Entries+got.Entries, all.Debits+got.Debits, all.Credits+got.Credits
		}
		if got := readTotals(t, f.Path, journal.Dominio); got != all || got.Entries == 0 || f.Revision != nil {
			t.Errorf("%s has %+v, the first two sets %+v", name, got, all)
		}
		checked++
	}
	if checked != len(m.Accounts) {
		t.Errorf("extracts: %+v", s.Files)
	}
}

func readTotals(t *testing.T, path string, f journal.Format) journal.Totals {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	got, err := journal.ReadTotals(in, f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return got
}

// noteService notes what a journal of beancount ends with on the account of the service.
func noteService(t *testing.T, service map[string]map[string]string, path string) {
	t.Helper()
	if !strings.HasSuffix(path, ".beancount") {
		return
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if strings.Contains(line, " balance ") && strings.Contains(line, ":Service ") {
			account := strings.Split(filepath.Base(path), "_")[1]
			if service[account] == nil {
				service[account] = map[string]string{}
			}
			_, balance, _ := strings.Cut(line, ":Service ")
			service[account][balance] = filepath.Base(path)
		}
	}
}

// refuseJournals asks for what there is no journal of.
func (m *merchant) refuseJournals(t *testing.T, month ledger.Period) {
	t.Helper()
	chart := journaltest.WholeChart(bookkeeping.Accrual, journal.ByDay)
	delete(chart.Roles, bookkeeping.RoleClaims)
	m.Journal.Chart = chart
	_, err := m.Report(t.Context(), jobs.ReportRequest{Period: month, Basis: "operation", Kinds: []string{"journal"}, Formats: []string{"hledger"}})
	if err == nil || !strings.Contains(err.Error(), "roles.claims") || !strings.Contains(err.Error(), "settled") {
		t.Errorf("a chart without an account for claims: %v", err)
	}
	journalAlone := []string{"journal"}
	for _, c := range []struct {
		req  jobs.ReportRequest
		want string
	}{
		{jobs.ReportRequest{Basis: "credit", Kinds: journalAlone}, "kind journal takes basis posting, not credit"},
		{jobs.ReportRequest{Basis: "operation", Kinds: []string{"journal", "fees"}}, "kind journal is a set of its own"},
		{jobs.ReportRequest{Basis: "operation", Kinds: journalAlone, Formats: []string{"xlsx"}}, `kind journal has no format "xlsx"`},
		{jobs.ReportRequest{Basis: "operation", Kinds: journalAlone, Brands: []string{"visa"}}, "kind journal takes no filter: its entries are those of all rows"},
		{
			jobs.ReportRequest{Basis: "operation", Kinds: journalAlone, AsOfRun: "20261118-060000-000001"},
			"kind journal is published as of the last set of the movement; that of an earlier run is a private extract",
		},
		{
			jobs.ReportRequest{Basis: "movement"},
			"basis movement: what was told is never told again in reports.out, it can only be copied to another place",
		},
		{
			jobs.ReportRequest{Basis: "movement", Out: m.Out + "-copies", Kinds: []string{"card-events"}},
			"basis movement: its sets are copied whole, so that verify finds them as they were published",
		},
	} {
		c.req.Period = month
		if _, err := m.Report(t.Context(), c.req); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.req, err, c.want)
		}
	}
	m.Journal.Chart = nil
	_, err = m.Report(t.Context(), jobs.ReportRequest{Period: month, Basis: "operation", Kinds: journalAlone})
	if err == nil || err.Error() != "kind journal: the configuration has no chart of accounts" {
		t.Errorf("no chart: %v", err)
	}
}
