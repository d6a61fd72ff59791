package jobs_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/index"
	"concilia/export/report"
	"concilia/export/verify"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
)

// readIndex is an index as it lies in a folder.
func readIndex(t *testing.T, out, account string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(index.FileName(account))))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestIndexLeadsToEveryFile: the pages of a folder lead to every file in it and to nothing else, whatever others put there; they
// are renewed when files are, the same when nothing changed, and written again where somebody took them away.
func TestIndexLeadsToEveryFile(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 81, Days: 10, Installments: 100})
	m.Reports.Formats = []report.Format{report.CSV, report.HTML}
	m.RunNight(t)
	if err := os.WriteFile(filepath.Join(m.Out, "1001", "foreign.csv"), []byte("a;b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(` href="([^"#]+)"`)
	linked := map[string]bool{}
	for _, account := range []string{"", "all", "1001", "1002"} {
		for _, l := range links.FindAllStringSubmatch(readIndex(t, m.Out, account), -1) {
			linked[filepath.Join(m.Out, account, filepath.FromSlash(l[1]))] = true
		}
	}
	for path := range linked {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
	files := 0
	err := filepath.WalkDir(m.Out, func(path string, d os.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil || d.IsDir() || strings.HasSuffix(name, ".done") || name == "index.html":
			return err
		case name == "foreign.csv":
			if linked[path] {
				t.Error("an index leads to a file that is not of a report")
			}
			return nil
		}
		if files++; !linked[path] {
			t.Errorf("no index leads to %s", path)
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files: %v", files, err)
	}
	for _, want := range []string{`id="exceptions_1001_asof_`, `id="set_1001_operation_`, "<h2>Situação do dia</h2>", `href="../index.html"`} {
		if !strings.Contains(readIndex(t, m.Out, "1001"), want) {
			t.Errorf("the index of 1001 lacks %s", want)
		}
	}
	for _, account := range []string{"", "all", "1001"} {
		if !strings.Contains(readIndex(t, m.Out, account), `<p class="verdict `) {
			t.Errorf("the index of %q has no verdict", account)
		}
	}
	if want := regexp.MustCompile(`<a href="1001/index.html">[^<]*</a> <small>(divergências|conciliado)`); !want.MatchString(readIndex(t, m.Out, "")) {
		t.Error("account 1001 has no verdict in the index of all")
	}
	checkPageAnchors(t, m.Out)
	if r, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(r.Faults) > 0 {
		t.Errorf("verify: %v %v", r.Faults, err)
	}

	before := readIndex(t, m.Out, "")
	if err := os.Remove(filepath.Join(m.Out, "1001", "index.html")); err != nil {
		t.Fatal(err)
	}
	r, err := verify.CheckTree(t.Context(), m.Out, nil)
	if err != nil || len(r.Faults) != 1 || r.Faults[0].File != "index.html" || !strings.Contains(r.Faults[0].Text.String(), "links to 1001/index.html, which") {
		t.Errorf("a dead link is not told: %v %v", r.Faults, err)
	}
	m.RunNight(t)
	if after := readIndex(t, m.Out, ""); after != before {
		t.Errorf("the same files have another index:\n%s", after)
	}
	readIndex(t, m.Out, "1001")

	must(t, os.RemoveAll(filepath.Join(m.Out, "1002")))
	must(t, os.Remove(filepath.Join(m.Out, "1001", "index.html")))
	m.RunNight(t)
	if page := readIndex(t, m.Out, ""); strings.Contains(page, "1002") || !strings.Contains(page, `href="1001/index.html"`) {
		t.Errorf("an index leads to what was taken away:\n%s", page)
	}
	must(t, os.RemoveAll(m.Out))
	m.RunNight(t)
	if _, err := os.Stat(filepath.Join(m.Out, "index.html")); err == nil {
		t.Error("a folder without reports, which may be a share that is not mounted, has an index")
	}
}

// checkPageAnchors checks that every page leads to its own set and tables in the index of its account.
func checkPageAnchors(t *testing.T, out string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(out, "*", "*", "*", "settlement_*.html"))
	if err != nil || len(pages) < 8 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	anchors := regexp.MustCompile(` href="../../index.html#([^"]+)"`)
	for _, path := range pages {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "settlement_"), "_r")
		index, own := readIndex(t, out, strings.SplitN(set, "_", 2)[0]), 0
		for _, l := range anchors.FindAllStringSubmatch(string(body), -1) {
			if !strings.HasSuffix(l[1], set) {
				continue // the day before, and the month
			}
			if own++; !strings.Contains(index, ` id="`+l[1]+`"`) {
				t.Errorf("%s leads to %s, which is not in its index", filepath.Base(path), l[1])
			}
		}
		if own < 2 {
			t.Errorf("%s leads to %d places of its own", filepath.Base(path), own)
		}
	}
}

// TestReportOfAllAccounts: without an account named, a report ends with all accounts for every kind that they have together, and what
// is brought back as of a run is in the indexes again.
func TestReportOfAllAccounts(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 81, Days: 40, Installments: 100})
	m.Reports.Formats, m.Reports.Kinds = []report.Format{report.CSV}, []report.Kind{report.SummaryKind, report.ControlKind}
	night := m.RunNight(t)
	last := night.AsOf - 1
	month := ledger.Period{From: last.MonthStart(), To: last.MonthEnd()}
	for _, tc := range []struct {
		kind  string
		basis string
		p     ledger.Period
	}{
		{"summary", "operation", month},
		{"month", "credit", month},
		{"exceptions", "asof", ledger.Period{}},
		{"recoveries", "asof", ledger.Period{}},
		{"forecast", "asof", ledger.Period{}},
	} {
		s, err := m.Report(t.Context(), jobs.ReportRequest{Period: tc.p, Basis: tc.basis, Kinds: []string{tc.kind}})
		if err != nil || !slices.ContainsFunc(s.Files, func(f setpublish.FileSummary) bool {
			return strings.HasPrefix(filepath.Base(f.Path), tc.kind+"_all_"+tc.basis)
		}) {
			t.Errorf("%s on basis %s of all accounts: %v, %v", tc.kind, tc.basis, s, err)
		}
	}
	must(t, os.Remove(filepath.Join(m.Out, "index.html")))
	if _, err := m.Report(t.Context(), jobs.ReportRequest{Period: month, Basis: "operation", Kinds: []string{"summary"}, AsOfRun: night.Run}); err != nil {
		t.Fatal(err)
	}
	readIndex(t, m.Out, "")
}

// unindexed is a target that takes no index.
type unindexed struct{ jobstest.Target }

func (unindexed) Replace(context.Context, string, string) error { return os.ErrPermission }

// TestIndexCostsNoReport: a target that takes files and no index has every file, and the night ends as it would have.
func TestIndexCostsNoReport(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 81, Days: 10, Installments: 100})
	m.Target = unindexed{jobstest.NewTarget(m.Out)}
	if s := m.RunNight(t); len(s.Unpublished) > 0 {
		t.Errorf("not published: %v", s.Unpublished)
	}
	if _, err := os.Stat(filepath.Join(m.Out, "index.html")); err == nil {
		t.Error("there is an index")
	}
	if r, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(r.Faults) > 0 || r.Sets == 0 {
		t.Errorf("verify: %v %v", r.Faults, err)
	}
}
