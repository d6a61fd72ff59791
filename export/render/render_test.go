package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export/render"

	"github.com/google/go-cmp/cmp"

	"concilia/export"
	"concilia/export/cnab"
	"concilia/export/control"
	"concilia/export/report"
	"concilia/store/ledger"
)

// golden compares text with a file of testdata/export, or writes it when UPDATE_GOLDEN is set.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "export", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-golden +now), UPDATE_GOLDEN=1 writes it anew:\n%s", name, d)
	}
}

func renderJob(t *testing.T, j export.Job, f *feed, target export.Target) export.Result {
	t.Helper()
	r, err := render.Set(context.Background(), j, f, target)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryTableAsPublished(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j := job()
	j.Formats = []report.Format{report.CSV, report.EDI} // the bytes of a workbook are also the Go release's
	r := renderJob(t, j, everyClass(), tg)
	for _, f := range r.Files {
		b, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, f.Path, b)
	}
	b, err := os.ReadFile(filepath.Join(out.root, r.Dir, r.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, r.Manifest, b)
	totals, err := json.MarshalIndent(r.Totals, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "totals.json", append(totals, '\n'))
	last := out.puts[len(out.puts)-2:]
	if !strings.HasSuffix(last[0], ".manifest.json") || !strings.HasSuffix(last[1], ".done") {
		t.Errorf("manifest and done must come last, came %v", last)
	}
}

func TestRerunWritesNothing(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	first := renderJob(t, job(), everyClass(), tg)
	n := len(out.puts)
	again := job()
	again.Facts.Run = "another"
	again.Current = &export.CurrentRevision{Revision: first.Revision, Fingerprints: first.Fingerprints}
	r := renderJob(t, again, everyClass(), tg)
	if !r.Unchanged || r.Revision != 0 || len(out.puts) != n || r.Digest != first.Digest {
		t.Errorf("an equal night wrote %v, revision %d", out.puts[n:], r.Revision)
	}
	if nsa := tg.Numbers.(*numbers).nsa; nsa != 2 {
		t.Errorf("NSA went on to %d, should stay at 2", nsa)
	}
}

func TestChangedRowIsTheNextRevision(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		change func(*export.Job, *feed)
		want   []string
	}{
		{
			"a received amount changed", func(_ *export.Job, f *feed) { f.cards[4].v.Received = opt("48.99") },
			[]string{"installments changed", "summary changed"},
		},
		{"the contract changed", func(j *export.Job, _ *feed) { j.Documents["contract"] = "c1" }, []string{"contract changed"}},
		{"another program wrote other layouts", func(j *export.Job, _ *feed) {
			j.Current.Fingerprints["part:layout"] = "settlement 0"
			for name := range j.Current.Fingerprints {
				if strings.HasPrefix(name, "file:") {
					j.Current.Fingerprints[name] = "of that layout"
				}
			}
		}, []string{"layout changed"}},
		{"a format is added", func(j *export.Job, _ *feed) { delete(j.Current.Fingerprints, "file:settlement.xlsx") }, []string{"settlement.xlsx added"}},
		{"a slip was paid", func(_ *export.Job, f *feed) { f.slips[0].s.Version++ }, []string{"slips changed"}},
		{"the bank changed", func(j *export.Job, _ *feed) { j.Block.Bank.Account = "1" }, []string{"account block changed"}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			tg, _ := target(t)
			first := renderJob(t, job(), everyClass(), tg)
			j, f := job(), everyClass()
			j.Current = &export.CurrentRevision{Revision: 3, Fingerprints: first.Fingerprints}
			tc.change(&j, f)
			r := renderJob(t, j, f, tg)
			if r.Revision != 4 || r.Supersedes == nil || *r.Supersedes != 3 || r.Unchanged {
				t.Errorf("revision %d, supersedes %v", r.Revision, r.Supersedes)
			}
			if d := cmp.Diff(tc.want, r.Why); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTieRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		break_ func(*export.Job, *feed)
		want   string
	}{
		{
			"the query of rows forgets one", func(_ *export.Job, f *feed) { f.drop = 3 },
			"summary.csv, installments: the ledger's query differs from what was written (ledger 9.0000, writer 8.0000, file 8.0000); nothing of the set is published",
		},
		{"the writer writes a row twice", func(j *export.Job, _ *feed) {
			j.Hooks.Repeat = func(table string, row int64) int {
				if table == "splits" && row == 1 {
					return 2
				}
				return 1
			}
		}, "splits.csv, count: there are more rows than the ledger counts (ledger 3.0000, writer 4.0000, file 4.0000); nothing of the set is published"},
		{"a digit flips on the way to the disk", func(j *export.Job, _ *feed) {
			j.Hooks.AfterWrite = func(dir string) { flip(filepath.Join(dir, "summary.csv"), ",145.11,", ",145.12,") }
		}, "summary.csv: table summary: row 2: row_hash is "},
		{"a digit flips on the disk of a file that was read back while it was written", func(j *export.Job, _ *feed) {
			j.ExpectsRevision = true
			j.Hooks.AfterWrite = func(dir string) { flip(filepath.Join(dir, "summary.csv"), ",145.11,", ",145.12,") }
		}, "summary.csv: it was changed after it was written: its SHA-256 is "},
		{"the writer writes a row twice into such a file", func(j *export.Job, _ *feed) {
			j.ExpectsRevision = true
			j.Hooks.Repeat = func(table string, _ int64) int {
				if table == "splits" {
					return 2
				}
				return 1
			}
		}, "splits.csv, count: there are more rows than the ledger counts (ledger 3.0000, writer 6.0000, file 6.0000); nothing of the set is published"},
		{"a digit of the EDI file flips", func(j *export.Job, _ *feed) {
			j.Hooks.AfterWrite = func(dir string) { flip(filepath.Join(dir, "installments.ret"), "0000009651", "0000009652") }
		}, "installments.ret: read back: "},
		{"one title says a cent too much was paid, in columns that agree with each other", func(j *export.Job, _ *feed) {
			j.Hooks.EditTitle = func(t *cnab.Title) {
				if t.Movement == cnab.Paid && t.DocumentNumber == "000102" {
					t.Paid, t.Additions, t.Net = t.Paid+ledger.Cent, t.Additions+ledger.Cent, t.Net+ledger.Cent
				}
			}
		}, "installments.ret, paid: the ledger's query differs from what was written (ledger 283.3400, writer 283.3500, file 283.3500); nothing of the set is published"},
		{"of a slip the tariff stands among other expenses", func(j *export.Job, _ *feed) {
			j.Hooks.EditTitle = func(t *cnab.Title) {
				if t.Fee == brl("3.50") {
					t.Fee, t.OtherExpenses = 0, t.Fee
				}
			}
		}, "slips.ret, fees: the ledger's query differs from what was written (ledger 8.5000, writer 5.0000, file 5.0000); nothing of the set is published"},
		{"a share of a split is lost", func(j *export.Job, _ *feed) {
			j.Hooks.EditTitle = func(t *cnab.Title) {
				if len(t.Splits) == 2 {
					t.Splits = t.Splits[:1]
				}
			}
		}, "installments.ret, shares: the ledger's query differs from what was written (ledger 3.0000, writer 2.0000, file 2.0000); nothing of the set is published"},
		{"a text that no sum has is another on the disk", func(j *export.Job, _ *feed) {
			j.Formats = append(j.Formats, report.HTML)
			j.Hooks.AfterWrite = func(dir string) { flip(filepath.Join(dir, "settlement.html"), "<h1>", "<h2>") }
		}, "settlement.html: it was changed after it was written: its SHA-256 is "},
		{"a row is lost on the disk", func(j *export.Job, _ *feed) {
			j.Hooks.AfterWrite = func(dir string) { cutLast(filepath.Join(dir, "slips.csv")) }
		}, "slips.csv, count: the file read back differs from what was written (ledger 8.0000, writer 8.0000, file 7.0000); nothing of the set is published"},
		{
			"the ledger keeps a sum to itself", func(_ *export.Job, f *feed) { f.forget = "received" },
			"the ledger gives no sum of received in table summary: it can't be proven",
		},
		{
			"the expected net is not what the row adds up to", func(_ *export.Job, f *feed) { f.cards[0].e.Net++ },
			"identity gross_to_net: gross - mdr - transaction_fee - antifraud_fee - anticipation_cost - other_adjustments = net_expected leaves -0.0001; nothing of the set is published",
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			tg, out := target(t)
			j, f := job(), everyClass()
			tc.break_(&j, f)
			_, err := render.Set(context.Background(), j, f, tg)
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("error %v\nwant  %s", err, tc.want)
			}
			if len(out.puts) > 0 {
				t.Errorf("published %v", out.puts)
			}
			if left, err := os.ReadDir(tg.Staging); err != nil || len(left) > 0 {
				t.Errorf("staging holds %v, %v", left, err)
			}
		})
	}
	var tie *control.MismatchError
	tg, _ := target(t)
	f := everyClass()
	f.drop = 1
	_, err := render.Set(context.Background(), job(), f, tg)
	if !errors.As(err, &tie) || tie.Code() != control.MismatchCode {
		t.Errorf("%v is no MismatchError", err)
	}
}

func flip(path, from, to string) {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	if !strings.Contains(string(b), from) {
		panic(path + " has no " + from)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), from, to, 1)), 0o644); err != nil {
		panic(err)
	}
}

func cutLast(path string) {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-2], "")), 0o644); err != nil {
		panic(err)
	}
}
