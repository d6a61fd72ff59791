package render_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/verify"
	"concilia/store/ledger"
)

// roots are causes on rows of the feed, one of a row of another period, and one in excess.
func roots() []export.UnresolvedCase {
	root := func(code, subject, impact string, figure ledger.Figure, age int64) export.UnresolvedCase {
		r := export.UnresolvedCase{
			Account: 1001, Case: "case-" + code + subject, Code: code, Subject: subject, Impact: brl(impact), Figure: figure, Verdict: ledger.Breaks,
		}
		if figure == ledger.FigureClaimed {
			r.Verdict = ledger.Reconciled
		}
		if age >= 0 {
			r.Age = ledger.Some(age)
		}
		return r
	}
	return []export.UnresolvedCase{
		root("RECEIVED_OVERDUE", "card:1001:2026-11-03:=1+1:A=1+1:1", "77.605", ledger.FigureLate, 9),
		root("MDR_RATE_MISMATCH", "card:1001:2026-11-02:000102:A000102:1", "0.65", ledger.FigureLost, 3),
		root("FEE_UNEXPECTED", "sale:1001:2026-11-04:000109:A000109", "0.105", ledger.FigureLost, -1),
		root("SPLIT_AMOUNT_MISMATCH", "split:1001:2026-11-02:000102:A000102:1:ae9351af:P:1", "-0.004", ledger.FigureExcess, 40),
		root("SLIP_CREDIT_OVERDUE", "slip:1001:00000000-0000-0000-0000-000000000005", "30.00", ledger.FigureLate, 8),
		root("SLIP_INTEGRATION_FAILED", "slip:1001:00000000-0000-0000-0000-000000000001", "12.50", ledger.FigureAtRisk, 2),
		root("RECEIVED_VALUE_MISMATCH", "card:1001:2026-11-02:000102:A000102:1", "4.00", ledger.FigureClaimed, 3),
		root("RECEIVED_OVERDUE", "card:1001:2026-08-03:999:A999:1", "5000.00", ledger.FigureLate, 60),
	}
}

func pageJob() (export.Job, *feed) {
	j, f := job(), everyClass()
	j.Formats = []report.Format{report.CSV, report.HTML}
	j.Words = map[string]export.CauseWords{"RECEIVED_OVERDUE": {Title: "Parcela vencida e não recebida", Owner: "Cobrar de: operadora", Next: "Cobrar."}}
	f.roots = roots()
	return j, f
}

// readPage is the published page.
func readPage(t *testing.T, out *folder, r export.Result) (path string, body []byte) {
	t.Helper()
	for _, f := range r.Files {
		if f.Format == report.HTML {
			path = filepath.Join(out.root, r.Dir, f.Path)
		}
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, body
}

// In a period set the causes are those of its rows; each is rounded to cents by itself, and what came in excess is apart.
func TestPageOfAPeriod(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	golden(t, "settlement_1001_operation_20261101_20261130_r0.html", body)
	got, err := html.Read(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"causes.late": "107.61", "causes.at_risk": "12.50", "causes.claimed": "4.00", "causes.lost": "0.76", "causes.missing": "108.37", "causes.excess": "0.00",
		"causes.count": "4", "causes.excess_count": "1", "cause.RECEIVED_OVERDUE": "77.61", "cause.FEE_UNEXPECTED": "0.11",
		"summary.gross": "600.00", "installments.count": "12",
	} {
		if got[key] != int64(brl(want)) {
			t.Errorf("%s is %s, want %s", key, ledger.Amount(got[key]), want)
		}
	}
}

// TestRowsOfAPageHaveAnchors: a link leads to a sale or a slip, each of which a page names once.
func TestRowsOfAPageHaveAnchors(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(string(body), -1) {
		if seen[m[1]] {
			t.Errorf("two places are called %q", m[1])
		}
		seen[m[1]] = true
	}
	for _, want := range []string{"sale:1001:2026-11-02:000102:A000102", "slip:1001:00000000-0000-0000-0000-000000000002"} {
		if !seen[want] {
			t.Errorf("no place is called %q: %v", want, seen)
		}
	}
}

// What a page must never show: who paid, the run, and markup out of a name.
func TestPageHidesPersonsAndRuns(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	j.Block.Name = `LOJA <script>alert("x")</script> & CIA`
	j.Language = table.English
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	text := string(body)
	for _, never := range []string{"MARIA", "52998224725", "<script", j.Facts.Run, "_r0", "2026-11-18T"} {
		if strings.Contains(text, never) {
			t.Errorf("the page shows %q", never)
		}
	}
	for _, want := range []string{"LOJA &lt;script&gt;", `<html lang="en">`, "as of 2026-11-18", "control_1001_operation_20261101_20261130_r*.csv"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestEqualNightsGiveEqualPages(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	for _, run := range []string{"a", "b"} {
		tg, out := target(t)
		j, f := pageJob()
		j.Facts.Run = run
		_, body := readPage(t, out, renderJob(t, j, f, tg))
		bodies = append(bodies, body)
	}
	if !bytes.Equal(bodies[0], bodies[1]) {
		t.Error("two runs of the same content gave two pages")
	}
}

// A page is refused when the ledger, the writer and its bytes are not of one mind.
func TestPageMustTie(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		change func(*export.Job, *feed)
		want   string
	}{
		{"the ledger's own figure of what is lost is a cent more", func(_ *export.Job, f *feed) { f.off = ledger.Cent }, "settlement.html causes"},
		{"a total was changed on the page", func(j *export.Job, _ *feed) {
			j.Hooks.AfterWrite = func(dir string) {
				replace(filepath.Join(dir, "settlement.html"), `value="600.00" data-f="summary.gross">600,00`, `value="601.00" data-f="summary.gross">601,00`)
			}
		}, "settlement.html summary"},
		{"a total is gone from the page", func(j *export.Job, _ *feed) {
			j.Hooks.AfterWrite = func(dir string) {
				replace(filepath.Join(dir, "settlement.html"), `data-f="summary.gross"`, `data-f="summary.grows"`)
			}
		}, "summary.gross is not there"},
	} {
		tg, _ := target(t)
		j, f := pageJob()
		tc.change(&j, f)
		_, err := render.Set(context.Background(), j, f, tg)
		var tie *control.MismatchError
		if !errors.As(err, &tie) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want a tie error with %q", tc.why, err, tc.want)
		}
	}
}

func replace(path, old, text string) {
	b, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(b, []byte(old)) {
		panic(path + " has no " + old)
	}
	if err := os.WriteFile(path, bytes.Replace(b, []byte(old), []byte(text), 1), 0o644); err != nil {
		panic(err)
	}
}

// Verify reads the page again: whole it has no fault, changed it has.
func TestVerifyReadsThePage(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	path, body := readPage(t, out, renderJob(t, j, f, tg))
	report, err := verify.CheckTree(context.Background(), out.root, nil)
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("a whole set has faults: %v, %v", report.Faults, err)
	}
	changed := bytes.Replace(body, []byte(`value="600.00" data-f="summary.gross">600,00`), []byte(`value="601.00" data-f="summary.gross">601,00`), 1)
	if bytes.Equal(changed, body) {
		t.Fatal("nothing was changed")
	}
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	report, err = verify.CheckTree(context.Background(), out.root, nil)
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	for _, fault := range report.Faults {
		told += fault.Text.String() + "\n"
	}
	for _, want := range []string{"SHA-256 is", "sum of summary.gross", "settlement.html summary, gross: the file says"} {
		if !strings.Contains(told, want) {
			t.Errorf("no fault says %q:\n%s", want, told)
		}
	}
}

// An empty period is a page of zeros; a set of which everything is withheld does not say that nothing is missing.
func TestPageOfNothing(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, _ := pageJob()
	_, body := readPage(t, out, renderJob(t, j, &feed{basis: report.ByOperation, asOf: j.AsOf}, tg))
	got, err := html.Read(bytes.NewReader(body))
	if err != nil || got["installments.count"] != 0 || got["causes.missing"] != 0 || len(got) < 20 {
		t.Errorf("got %v, %v", got, err)
	}
	tg, out = target(t)
	j, f := pageJob()
	j.Withheld = []export.Withheld{{Kind: report.SummaryKind, Code: "PULL_INCOMPLETE"}}
	j.Kinds = []report.Kind{report.ControlKind}
	_, body = readPage(t, out, renderJob(t, j, f, tg))
	got, err = html.Read(bytes.NewReader(body))
	if err != nil || len(got) != 0 || !bytes.Contains(body, []byte("não apurado")) || !bytes.Contains(body, []byte("Resumo (PULL_INCOMPLETE)")) {
		t.Errorf("got %v, %v", got, err)
	}
}

// The page of all accounts opens with one line per account, worst first.
func TestPageOfAllAccounts(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	j.Account, j.Kinds = manifest.AllAccounts, []report.Kind{report.SummaryKind, report.ControlKind}
	f.roots = nil
	for account, verdict := range map[ledger.Account]ledger.Verdict{1002: ledger.ReconciledWithPending, 1003: ledger.Breaks} {
		f.roots = append(f.roots, export.UnresolvedCase{
			Account: account, Case: account.String(), Code: "X", Subject: "sale:" + account.String() + ":2026-11-04:1:A1", Side: "cards",
			Day: day("2026-11-04"), Verdict: verdict,
		})
	}
	// Today's verdicts are of every period, and order nothing here.
	j.Facts.Accounts = []export.AccountFacts{
		{Account: 1001, Verdict: ledger.Breaks}, {Account: 1003, Verdict: ledger.Reconciled}, {Account: 1002, Verdict: ledger.Reconciled},
	}
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	at := 0
	for _, want := range []string{"<b>1003</b>", "<b>1002</b>", "<b>1001</b>", "causes.missing"} {
		i := strings.Index(string(body[at:]), want)
		if i < 0 {
			t.Fatalf("%s is not in its place", want)
		}
		at += i
	}
}
