package jobs_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"concilia/cmd/sandbox/world"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/verify"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/jobs/publish"
	"concilia/store/ledger"
	"concilia/store/published"
)

// Night after night what was replaced and is past its days goes, and nothing else: the current files are there, the tree
// verifies, and any night that was taken away comes back byte for byte until the next one.
func TestRetentionTakesWhatIsOldAndReplaced(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 93, Days: 10, Installments: 40, Plant: true}).askNear()
	m.Target = newShare(m.Out)
	m.Reports.Formats = []report.Format{report.CSV, report.JSONL}
	m.Reports.Kinds = []report.Kind{report.SummaryKind, report.SlipsKind, report.ExceptionsKind}
	m.Retention = map[string]int{"csv": 1, "slips": 2}
	var nights []*jobs.Summary
	ever := map[string]string{} // every file that was ever published
	retired := 0
	for range 4 {
		s := m.RunNight(t)
		nights = append(nights, s)
		for _, f := range s.Files {
			ever[strings.TrimPrefix(f.Path, m.Out+"/")] = f.SHA256
		}
		retired += len(s.Retired)
		m.holdsWhatItShould(t, s.AsOf)
		if v, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(v.Faults) > 0 {
			t.Errorf("as of %s: %v, %v", s.AsOf, v.Faults, err)
		}
		m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	}
	if retired < 20 {
		t.Fatalf("%d files were taken away: nothing was shown", retired)
	}
	// Asked for as of the first night, what stood then is there again, and stays what it was.
	req := jobs.ReportRequest{AsOfRun: nights[0].Run, Basis: "asof", Period: ledger.Period{From: nights[0].AsOf, To: nights[0].AsOf}}
	s, err := m.Report(t.Context(), req)
	if err != nil || len(s.Unpublished) > 0 || len(s.Files) == 0 {
		t.Fatal(err, s.Unpublished, len(s.Files))
	}
	there := jobstest.HashFiles(t, m.Out)
	for _, f := range s.Files {
		name := strings.TrimPrefix(f.Path, m.Out+"/")
		if !f.New || ever[name] == "" || there[name] != ever[name] {
			t.Errorf("%s is there with %q, was published with %q, new: %t", name, there[name], ever[name], f.New)
		}
	}
	if v, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(v.Faults) > 0 {
		t.Errorf("after it came back: %v, %v", v.Faults, err)
	}
	again := m.RunNight(t)
	m.holdsWhatItShould(t, again.AsOf)
	if v, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(v.Faults) > 0 {
		t.Errorf("after it went again: %v, %v", v.Faults, err)
	}
	m.trimsItsArchive(t, req)
}

// trimsItsArchive lives a night after reports.archive_keep_days: what the share has no more goes from the archive, too, and is counted by the run
// record; everything else stays, and the archive verifies.
func (m *merchant) trimsItsArchive(t *testing.T, retired jobs.ReportRequest) {
	t.Helper()
	m.ArchiveKeepDays, m.AllAccounts, m.Retention = 30, true, map[string]int{"csv": 1, "jsonl": 1}
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	m.Wall = func() time.Time { return time.Now().AddDate(0, 0, 29) }
	if s := m.RunNight(t); s.Record.ArchiveRemoved != 0 {
		t.Errorf("%d files went before their time", s.Record.ArchiveRemoved)
	}
	m.Wall = func() time.Time { return time.Now().AddDate(0, 0, 31) }
	s := m.RunNight(t)
	if kept, err := m.Ledger.RunByID(t.Context(), s.Run); err != nil || kept.ArchiveRemoved == 0 {
		t.Errorf("the run record says that %d files went, %v", kept.ArchiveRemoved, err)
	}
	if v, err := m.Archive.Verify(t.Context()); err != nil || len(v.Faults) > 0 {
		t.Errorf("the archive without them: %v, %v", v, err)
	}
	check, err := (&publish.Publisher{Ledger: m.Ledger, Archive: m.Archive}).Check(t.Context())
	if err != nil || check.Files == 0 || len(check.Faults) > 0 {
		t.Errorf("the archive lacks what it has to have: %v, %v", check, err)
	}
	var refused *casework.RequestError
	if _, err := m.Report(t.Context(), retired); !errors.As(err, &refused) || !strings.Contains(refused.HintIn("en"), "--out") {
		t.Errorf("a set that is nowhere any more was asked for: %v", err)
	}
}

// holdsWhatItShould holds the share against the ledger's revisions after a night, by rules written out once more: csv
// files may go after a day, those of slips after two, others never.
func (m *merchant) holdsWhatItShould(t *testing.T, today ledger.Date) {
	t.Helper()
	accounts := []string{manifest.AllAccounts}
	for _, a := range m.Accounts {
		accounts = append(accounts, a.Number.String())
	}
	for _, account := range accounts {
		for _, kept := range m.revisions(t, account, today) {
			for _, f := range kept.Files {
				stands := m.stands(t, kept, f, today)
				days := map[bool]int{true: 1, false: 1 << 20}[f.Format == "csv"]
				if f.Kind == "slips" {
					days = 2
				}
				_, err := os.Stat(filepath.Join(m.Out, f.Path))
				if want := stands || int(today-kept.AsOf) <= days; want != (err == nil) || want != (f.RetiredOn == 0) {
					t.Errorf("as of %s: %s, made as of %s, stands: %t: on the share %v, gone in the ledger since %q",
						today, f.Path, kept.AsOf, stands, err == nil, f.RetiredOn)
				}
			}
		}
	}
}

// revisions are those of every set that the nights up to today published of an account.
func (m *merchant) revisions(t *testing.T, account string, today ledger.Date) (out []*published.Set) {
	t.Helper()
	add := func(basis string, p ledger.Period) {
		all, err := m.Ledger.Revisions(t.Context(), account, basis, p, "", "")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, all...)
	}
	for d := today - 9; d <= today; d++ {
		add("asof", ledger.Period{From: d, To: d})
	}
	since := m.Accounts[0].Since
	for _, basis := range []string{"operation", "credit"} {
		add(basis, ledger.Period{From: max(since, today.MonthStart()), To: today.MonthEnd()})
	}
	if len(out) == 0 {
		t.Fatal("nothing was published")
	}
	return out
}

func (m *merchant) stands(t *testing.T, kept *published.Set, f published.File, today ledger.Date) bool {
	t.Helper()
	if kept.Basis == "asof" {
		return kept.Period.To == today
	}
	all, err := m.Ledger.Revisions(t.Context(), kept.Account, kept.Basis, kept.Period, kept.Filter, "")
	if err != nil {
		t.Fatal(err)
	}
	return !slices.ContainsFunc(all, func(o *published.Set) bool {
		return o.Revision > kept.Revision && slices.ContainsFunc(o.Files, func(g published.File) bool {
			return g.Kind == f.Kind && g.Format == f.Format && strings.Split(g.Path, "_")[0] == strings.Split(f.Path, "_")[0]
		})
	})
}

// Of any revisions: the current one of a period, the state of the last day, the revision of a close, and what is young or has
// no days always stay; all else goes.
func TestRetentionOfAnyRevisions(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	rapid.Check(t, func(t *rapid.T) {
		kept := &publish.Retention{Days: map[string]int{}}
		for _, word := range []string{"summary", "slips", "sales", "efd-1601", "csv", "xlsx", "card-events", "slip-events"} {
			if rapid.Bool().Draw(t, word) {
				kept.Days[word] = rapid.IntRange(1, 9).Draw(t, word+" days")
			}
		}
		today := day("2026-11-30")
		var sets []*published.Set
		var closes []ledger.PeriodClose
		for _, basis := range []string{"asof", "credit", "operation"} {
			for p := range rapid.IntRange(0, 3).Draw(t, basis) {
				period := ledger.Period{From: today - ledger.Date(40*p), To: today - ledger.Date(40*p)}
				n := rapid.IntRange(1, 4).Draw(t, "revisions")
				for r := n - 1; r >= 0; r-- {
					sets = append(sets, drawnSet(t, basis, period, r, today))
				}
				if basis != "asof" && rapid.Bool().Draw(t, "closed") {
					closes = append(closes, ledger.PeriodClose{Account: 1001, Basis: basis, Period: period, Revision: rapid.IntRange(0, n-1).Draw(t, "at")})
				}
			}
		}
		for n := range rapid.IntRange(0, 3).Draw(t, "of the movement") {
			sets = append(sets, drawnMovement(t, 3-n, today))
		}
		got := map[string]bool{}
		for _, d := range kept.SelectExpired(sets, closes, today) {
			for _, path := range d.Paths() {
				got[path] = true
			}
		}
		for _, s := range sets {
			for _, f := range s.Files {
				if want := goes(kept.Days, sets, closes, s, f, today); want != got[f.Path] {
					t.Fatalf("%s goes: %t, want %t", f.Path, got[f.Path], want)
				}
			}
		}
	})
}

func drawnSet(t *rapid.T, basis string, p ledger.Period, revision int, today ledger.Date) *published.Set {
	s := &published.Set{Account: "1001", Basis: basis, Period: p, Revision: revision, AsOf: today - ledger.Date(rapid.IntRange(0, 12).Draw(t, "age"))}
	for _, table := range []string{"summary", "slips", "sales", "sales-summary", "efd-1601"} {
		kind := table
		if table == "sales-summary" {
			kind = "sales"
		}
		for _, format := range []string{"csv", "xlsx"} {
			if !rapid.Bool().Draw(t, table+format) {
				continue
			}
			f := published.File{Path: fmt.Sprintf("1001/%s_1001_%s_%s_r%d.%s", table, basis, p.To.Compact(), revision, format), Kind: kind, Format: format, Revision: revision}
			if rapid.IntRange(0, 4).Draw(t, "gone") == 0 && revision == 0 {
				f.RetiredOn = today - 1
			}
			s.Files = append(s.Files, f)
		}
	}
	return s
}

// drawnMovement is a set of the movement with tables of one source or both.
func drawnMovement(t *rapid.T, number int, today ledger.Date) *published.Set {
	s := &published.Set{Account: "1001", Basis: "movement", Number: int64(number), AsOf: today - ledger.Date(rapid.IntRange(0, 12).Draw(t, "age"))}
	for _, kind := range rapid.SampledFrom([][]string{{"card-events"}, {"slip-events"}, {"card-events", "slip-events"}}).Draw(t, "sources") {
		path := fmt.Sprintf("1001/movement/%s_%d.csv", kind, number)
		s.Files = append(s.Files, published.File{Path: path, Kind: kind, Format: "csv"})
	}
	return s
}

// goes says the same file by file, as the page on retention has it.
func goes(days map[string]int, sets []*published.Set, closes []ledger.PeriodClose, s *published.Set, f published.File, today ledger.Date) bool {
	limit := max(days[f.Kind], days[f.Format])
	if s.Basis == "movement" { // whole, by days of each of its tables, if another follows
		for _, g := range s.Files {
			if days[g.Kind] == 0 {
				return false
			}
			limit = max(limit, days[g.Kind])
		}
		follows := slices.ContainsFunc(sets, func(o *published.Set) bool { return o.Basis == s.Basis && o.Number > s.Number })
		return follows && int(today-s.AsOf) > limit
	}
	if f.RetiredOn != 0 || limit == 0 || int(today-s.AsOf) <= limit {
		return false
	}
	for _, c := range closes {
		if c.Basis == s.Basis && c.Period == s.Period && c.Revision == s.Revision {
			return false
		}
	}
	if s.Basis == "asof" {
		last := slices.MaxFunc(sets, func(a, b *published.Set) int {
			return cmp.Compare(stateDay(a), stateDay(b))
		})
		if s.Period.To < last.Period.To {
			return true
		}
	}
	for _, o := range sets {
		same := o.Basis == s.Basis && o.Period == s.Period && o.Revision > s.Revision
		if same && slices.ContainsFunc(o.Files, func(g published.File) bool { return tableOf(g) == tableOf(f) && g.Format == f.Format }) {
			return true
		}
	}
	return false
}

func tableOf(f published.File) string {
	table, _, _ := strings.Cut(f.Path, "_")
	return table
}

func stateDay(s *published.Set) ledger.Date {
	if s.Basis != "asof" {
		return 0
	}
	return s.Period.To
}
