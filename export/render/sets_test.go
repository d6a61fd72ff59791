package render_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/store/ledger"
)

// body is a published file of a set, by what it is of.
func body(t *testing.T, out *folder, r export.Result, what string, f report.Format) string {
	t.Helper()
	for _, file := range r.Files {
		if file.Format == f && strings.HasPrefix(file.Path, what+"_") {
			b, err := os.ReadFile(filepath.Join(out.root, r.Dir, file.Path))
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
	}
	t.Fatalf("no %s of %s among %v", f, what, r.Files)
	return ""
}

func TestOtherSets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why   string
		set   func(*export.Job, *feed)
		check func(*testing.T, *folder, export.Result)
	}{
		{
			"an empty period gives every file, never silence", func(_ *export.Job, f *feed) { f.cards, f.slips, f.cases = nil, nil, nil },
			func(t *testing.T, out *folder, r export.Result) {
				if n := strings.Count(body(t, out, r, "installments", report.CSV), "\n"); n != 1 || len(r.Files) != 13 {
					t.Errorf("%d lines, files %v", n, r.Files)
				}
				if n := strings.Count(body(t, out, r, "installments", report.EDI), "\r\n"); n != 4 {
					t.Errorf("an EDI file without titles has %d records, should have 4", n)
				}
			},
		},
		{"everything withheld leaves control", func(j *export.Job, _ *feed) {
			j.Kinds = []report.Kind{report.ControlKind}
			j.Withheld = []export.Withheld{{Kind: report.SummaryKind, Code: "RUN_WINDOW_INCOMPLETE"}}
			j.Formats = []report.Format{report.EDI}
		}, func(t *testing.T, out *folder, r export.Result) {
			if got := body(t, out, r, "control", report.CSV); len(r.Files) != 1 ||
				!strings.Contains(got, "1001,withheld,summary,code,text,RUN_WINDOW_INCOMPLETE,,,,,,") {
				t.Errorf("files %v, control %s", r.Files, got)
			}
		}},
		{"over all accounts there is no EDI, and each row has its own account", func(j *export.Job, f *feed) {
			j.Account, j.Kinds = manifest.AllAccounts, []report.Kind{report.SummaryKind, report.ControlKind}
			j.Facts.Accounts = []export.AccountFacts{{Account: 1001, Verdict: ledger.Breaks}, {Account: 1002, Verdict: ledger.Incomplete}}
			for _, c := range everyClass().cards {
				c.v.Account, c.e.Key.Account = 1002, 1002
				f.cards = append(f.cards, c)
			}
		}, func(t *testing.T, out *folder, r export.Result) {
			got := body(t, out, r, "summary", report.CSV)
			if strings.Count(got, "\n1001,") != 5 || strings.Count(got, "\n1002,") != 5 || len(r.Files) != 3 {
				t.Errorf("files %v, summary %s", r.Files, got)
			}
			if r.Totals.Cards.Gross != brl("1200") || r.Dir != "all/2026/11" {
				t.Errorf("gross %s in %s", r.Totals.Cards.Gross, r.Dir)
			}
		}},
		{"splits that are taken out of the receipt", func(j *export.Job, f *feed) {
			j.NetOfSplits = true
			for i := range f.cards {
				if c := &f.cards[i]; !c.e.Class.IsReversal() {
					c.e.Net -= c.v.SplitTotal()
				}
			}
		}, func(t *testing.T, _ *folder, r export.Result) {
			if !strings.Contains(r.Residuals[0].Formula, "- splits = net_expected") || r.Residuals[0].Exact != 0 {
				t.Errorf("%+v", r.Residuals[0])
			}
		}},
		{"an English workbook, filtered", func(j *export.Job, _ *feed) {
			j.Language, j.Formats = table.English, []report.Format{report.XLSX}
			j.Filter.Classes = []ledger.Class{ledger.Open}
		}, func(t *testing.T, _ *folder, r export.Result) {
			if !strings.Contains(r.Files[0].Path, "_f") || r.Files[0].Kind != report.Settlement || r.Files[0].Rows != 5+12+3+3+10+8+3+5 {
				t.Errorf("%+v", r.Files[0])
			}
		}},
		{
			"a kind that is identified shows who, and its EDI file no document whose digits do not check",
			func(j *export.Job, f *feed) {
				j.Identified = kindlist.Known()
				f.slips[0].s.PayerDocument = "52998224724"
			},
			func(t *testing.T, out *folder, r export.Result) {
				if got := body(t, out, r, "slips", report.CSV); !strings.Contains(got, ",52998224725,MARIA JOSE,") {
					t.Error(got)
				}
				if got := body(t, out, r, "splits", report.CSV); !strings.Contains(got, ",52998224725,P,") {
					t.Error(got)
				}
				if got := body(t, out, r, "control", report.CSV); !strings.Contains(got, "1001,left_out,slips.ret,payer_documents_not_written,count,1,") {
					t.Error(got)
				}
			},
		},
		{
			"a bank whose readers cut columns their own way is warned of", func(j *export.Job, _ *feed) { j.Block.Bank.Code = "341" },
			func(t *testing.T, out *folder, r export.Result) {
				if got := body(t, out, r, "control", report.CSV); !strings.Contains(got, "1001,warnings,edi,bank 341,text,") {
					t.Error(got)
				}
			},
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			tg, out := target(t)
			j, f := job(), everyClass()
			tc.set(&j, f)
			r := renderJob(t, j, f, tg)
			tc.check(t, out, r)
			if v := verifyTree(t, out.root); len(v.Faults) > 0 {
				t.Error(v.Faults)
			}
		})
	}
}

// Equal content gives equal bytes in every run and on every machine: only control and manifest name the run.
func TestEqualNightsGiveEqualFiles(t *testing.T) {
	t.Parallel()
	hashes := func(run string) map[string]string {
		tg, _ := target(t)
		j := job()
		j.Facts.Run = run
		out := make(map[string]string)
		for _, f := range renderJob(t, j, everyClass(), tg).Files {
			if f.Kind != report.ControlKind {
				out[f.Path] = f.SHA256
			}
		}
		return out
	}
	if d := cmp.Diff(hashes("a"), hashes("b")); d != "" {
		t.Error(d)
	}
}

// The figures of a day do not depend on the order of its rows.
func TestSumsDoNotDependOnOrder(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j := job()
	j.Formats, j.Kinds = []report.Format{report.CSV}, []report.Kind{report.SummaryKind, report.ControlKind}
	want := body(t, out, renderJob(t, j, everyClass(), tg), "summary", report.CSV)
	rapid.Check(t, func(rt *rapid.T) {
		f := everyClass()
		f.cards = rapid.Permutation(f.cards).Draw(rt, "cards")
		slices.SortStableFunc(f.cards, func(a, b card) int { return int(a.v.SoldAt.Date() - b.v.SoldAt.Date()) })
		out := &folder{root: t.TempDir()}
		r, err := render.Set(t.Context(), j, f, export.Target{Staging: t.TempDir(), Publisher: out})
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, body(t, out, r, "summary", report.CSV)); d != "" {
			rt.Error(d)
		}
	})
}

// Splits of what is still to be received are not taken from what was: of an October with 22,625.33 received and splits of
// 6,106.96, of which 2,459.89 of the received rows, 20,165.44 stay.
func TestSplitsOfOpenRowsAreKept(t *testing.T) {
	t.Parallel()
	f := everyClass()
	came := sale{
		at: "2026-11-02T09:00:00", nsu: "1", number: 1, of: 1, gross: "22625.33", cents: 2262533, received: "22625.33", forecast: "2026-11-04",
		credit: "2026-11-04", class: ledger.Received, rest: ledger.LineReceived, splits: []ledger.Split{share("11444777000161", "2459.89")},
	}
	comes := sale{
		at: "2026-11-02T10:00:00", nsu: "2", number: 1, of: 1, gross: "40000", cents: 4000000, forecast: "2026-12-04", class: ledger.Open,
		rest: ledger.LineNotDue, splits: []ledger.Split{share("11444777000161", "3647.07")},
	}
	f.cards, f.cases = []card{came.card(), comes.card()}, nil
	tg, out := target(t)
	j := job()
	j.Formats, j.Kinds = []report.Format{report.CSV}, []report.Kind{report.SummaryKind, report.ControlKind}
	got := body(t, out, renderJob(t, j, f, tg), "summary", report.CSV)
	for id, want := range map[string]string{"received": "22625.33", "splits": "6106.96", "splits_received": "2459.89", "net_kept": "20165.44"} {
		if v := column(t, got, id); v != want {
			t.Errorf("%s %s, want %s", id, v, want)
		}
	}
}

// Whatever rows a set has, what is kept is what was received less the splits of those rows, and all of it where splits are
// taken out before; a row with splits that is open, blocked or late changes neither.
func TestKeptIsReceivedLessItsSplits(t *testing.T) {
	t.Parallel()
	rests := map[ledger.BridgeLine]ledger.Class{
		ledger.LineReceived: ledger.Received, ledger.LineNotDue: ledger.Open, ledger.LineNoForecast: ledger.Open,
		ledger.LineOverdue: ledger.Open, ledger.LineBlocked: ledger.Blocked, ledger.LineReversed: ledger.Cancelled,
	}
	lines := slices.Sorted(maps.Keys(rests))
	rapid.Check(t, func(rt *rapid.T) {
		f := everyClass()
		f.cards, f.cases = nil, nil
		var received, splits ledger.Amount
		for i := range rapid.IntRange(1, 12).Draw(rt, "rows") {
			rest := rapid.SampledFrom(lines).Draw(rt, "rest")
			share := share("11444777000161", rapid.SampledFrom([]string{"0", "1.00", "9.66", "12.345"}).Draw(rt, "split"))
			s := sale{
				at: "2026-11-02T09:00:00", nsu: strconv.Itoa(i), number: 1, of: 1, gross: "100", cents: 10000, class: rests[rest], rest: rest,
				splits: []ledger.Split{share},
			}
			if rest == ledger.LineReceived {
				s.received, s.credit = rapid.SampledFrom([]string{"100.00", "99.995", "-3"}).Draw(rt, "received"), "2026-11-04"
				received, splits = received+ledger.Amount(rd(brl(s.received))), splits+ledger.Amount(rd(share.Value.V))
			}
			f.cards = append(f.cards, s.card())
		}
		j := job()
		j.Formats, j.Kinds = []report.Format{report.CSV}, []report.Kind{report.SummaryKind, report.ControlKind}
		kept := received - splits
		if j.NetOfSplits = rapid.Bool().Draw(rt, "net of splits"); j.NetOfSplits {
			kept = received
			for i := range f.cards {
				if c := &f.cards[i]; !c.e.Class.IsReversal() {
					c.e.Net -= c.v.SplitTotal()
				}
			}
		}
		out := &folder{root: t.TempDir()}
		r, err := render.Set(t.Context(), j, f, export.Target{Staging: t.TempDir(), Publisher: out})
		if err != nil {
			rt.Fatal(err)
		}
		sums, err := table.ReadCSV(strings.NewReader(body(t, out, r, "summary", report.CSV)), kindlist.Tables()[0], nil)
		if got := sums.Sum("net_kept"); err != nil || got != int64(kept) || sums.Sum("splits_received") != int64(splits) {
			rt.Errorf("kept %d, want %s: %s received, their splits %s; %v", got, kept, received, splits, err)
		}
	})
}

// A workbook that is not the one that was written is found out by its own sums.
func TestWorkbookIsReadBack(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	other := everyClass()
	other.cards[4].v.Received = opt("48.99")
	r := renderJob(t, job(), other, tg)
	book := body(t, out, r, "settlement", report.XLSX)
	tg, out = target(t)
	j := job()
	j.Hooks.AfterWrite = func(dir string) { write(t, filepath.Join(dir, "settlement.xlsx"), []byte(book)) }
	_, err := render.Set(t.Context(), j, everyClass(), tg)
	want := "settlement.xlsx summary, net_kept: the file read back differs from what was written " +
		"(ledger 253.2700, writer 253.2700, file 253.2600); nothing of the set is published"
	if err == nil || err.Error() != want || len(out.puts) > 0 {
		t.Errorf("error %v", err)
	}
}
