package render_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/store/ledger"
)

func stateJob() export.Job {
	j := job()
	j.Basis, j.Period = report.ByAsOf, ledger.Period{From: j.AsOf, To: j.AsOf}
	j.Kinds = []report.Kind{report.ExceptionsKind, report.AgingKind, report.ControlKind}
	j.Formats = []report.Format{report.CSV, report.CSVBR, report.JSONL, report.XLSX}
	return j
}

// stateFeed has a case of every state, of cards, slips and a month, with values of every type.
func stateFeed() *feed {
	base := func(subject, code string, state ledger.State, days int64) report.Case {
		return report.Case{
			Finding: ledger.Finding{
				Case: ledger.CaseID(1001, subject, code), Account: 1001, Code: code, RuleVersion: 1, Subject: subject,
				Severity: ledger.Error, State: state, Brand: "visa", Product: ledger.Credit, Day: day("2026-11-02"),
				DueOn: day("2026-11-10"), FirstSeen: day("2026-11-11"), OpenedOn: day("2026-11-12"), Exposure: true,
				Impact: ledger.Some(brl("96.605")), Expected: ledger.Money(brl("96.605")), Actual: ledger.Money(0),
			},
			Days: ledger.Some(int64(6)), BusinessDays: ledger.Some(days), Explanation: "=R$ 96,61; \"a receber\"",
		}
	}
	late := base("card:1001:2026-11-02:000101:A000101:1", "RECEIVED_OVERDUE", ledger.Disputed, 4)
	late.Reference, late.Related = "P-1", []string{"b", "a"}
	late.AgingEntries = []report.AgingEntry{
		{Kind: asof.CardOverdue, Brand: "visa", Days: 6, Amount: brl("96.605")},
		{Kind: asof.DisputeOpen, Brand: "visa", Days: 1, Amount: brl("96.605")},
	}
	slip := base("slip:1001:00000000-0000-0000-0000-000000000005", "SLIP_CREDIT_OVERDUE", ledger.Waived, 91)
	slip.Impact, slip.Brand, slip.WaivedUntil, slip.WaivedCap = opt("30"), "", day("2026-12-01"), opt("31.50")
	slip.AgingEntries = []report.AgingEntry{{Kind: asof.SlipNotCredited, Days: 91, Amount: brl("30")}}
	gained := base("card:1001:2026-11-02:000102:A000102:1", "RECEIVED_VALUE_MISMATCH", ledger.Opened, 0)
	gained.Impact, gained.Exposure = opt("-0.10"), false
	month := base("month:1001:2026-11:visa:credit:2-6", "RATE_TABLE_DRIFT", ledger.Resolved, 30)
	month.Impact, month.Expected, month.Actual = ledger.Opt[ledger.Amount]{}, ledger.Text("2.34"), ledger.Day(day("2026-11-03"))
	pending := base("card:1001:2026-11-02:000103:A000103:1", "RECEIVED_OVERDUE", ledger.Pending, 0)
	pending.Impact, pending.OpenedOn, pending.BreakOn = opt("0"), 0, day("2026-11-19")
	pending.Days, pending.BusinessDays = ledger.Opt[int64]{}, ledger.Opt[int64]{}
	f := everyClass()
	f.state = []report.Case{late, slip, gained, month, pending}
	f.ahead = []report.NotDue{
		{Account: 1001, Kind: asof.CardOverdue, Brand: "elo", Count: 2, Printed: brl("31.94"), Exact: brl("31.9366")},
		{Account: 1001, Kind: asof.SlipNotCredited, Count: 1, Printed: brl("2"), Exact: brl("2")},
	}
	return f
}

func TestStateTablesAsPublished(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	r := renderJob(t, stateJob(), stateFeed(), tg)
	for _, table := range []string{"exceptions", "aging"} {
		for _, f := range []report.Format{report.CSV, report.CSVBR, report.JSONL} {
			golden(t, table+"_asof."+map[report.Format]string{report.CSV: "csv", report.CSVBR: "br.csv", report.JSONL: "jsonl"}[f], []byte(body(t, out, r, table, f)))
		}
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}

// The page of a state shows the largest cases over all accounts, lost or gained, whatever their place in the file; what is
// resolved comes last.
func TestPageOfStateShowsTheLargestCases(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := stateJob(), stateFeed()
	j.Formats = []report.Format{report.CSV, report.HTML}
	f.state = slices.DeleteFunc(f.state, func(c report.Case) bool { return len(c.AgingEntries) > 0 })
	one := f.state[0]
	for n := range 30 {
		c := one
		c.Subject = fmt.Sprintf("card:1001:2026-11-02:%06d:A:1", 500+n)
		c.Case, c.Impact, c.Explanation = ledger.CaseID(1001, c.Subject, c.Code), ledger.Some(ledger.FromCents(int64(100+n))), "small"
		f.state = append(f.state, c)
	}
	for _, large := range []struct{ explanation, impact string }{{"the third", "800.00"}, {"the second", "-900.00"}, {"the largest", "1829.35"}} {
		c := one
		c.Account, c.Subject, c.Impact, c.Explanation = 1002, "card:1002:2026-11-02:"+large.explanation, opt(large.impact), large.explanation
		c.Case = ledger.CaseID(1002, c.Subject, c.Code)
		f.state = append(f.state, c)
	}
	f.state[len(f.state)-1].Severity = ledger.Info // gravity does not hide what is large
	gone := one
	gone.Account, gone.Subject, gone.Impact, gone.Explanation, gone.State = 1002, "card:1002:gone", opt("9999.00"), "resolved", ledger.Resolved
	gone.Case = ledger.CaseID(1002, gone.Subject, gone.Code)
	f.state = append(f.state, gone)
	f.rootsOfState(j.AsOf)
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	_, cases, ok := strings.Cut(string(body), `data-f="exceptions.count"`)
	if !ok || !strings.Contains(cases, "as maiores 12 abaixo") {
		t.Fatal("the page does not say that it shows the largest cases")
	}
	for _, want := range []string{"the largest", "the second", "the third", "small"} {
		i := strings.Index(cases, want)
		if i < 0 {
			t.Fatalf("%s is not in its place", want)
		}
		cases = cases[i:]
	}
	if strings.Contains(string(body), ">resolved<") {
		t.Error("a resolved case is among the largest")
	}
	// What happened comes first, then of what, and the code last, as in the lists of the console.
	_, head, _ := strings.Cut(string(body), `<table class="cases"><thead><tr>`)
	head, _, _ = strings.Cut(head, "</tr>")
	var columns []string
	for _, m := range regexp.MustCompile(`<th[^>]*>([^<]*)</th>`).FindAllStringSubmatch(head, -1) {
		columns = append(columns, m[1])
	}
	if want := []string{"Explicação", "Item", "Impacto", "Previsto ou vencimento", "Idade em dias", "Estado", "Responsável", "Código"}; !slices.Equal(columns, want) {
		t.Errorf("the columns are %q, want %q", columns, want)
	}
}

// A page whose figures are not those of the cases in its set is not published.
func TestPageAndCasesTellTheSameFigures(t *testing.T) {
	t.Parallel()
	tg, _ := target(t)
	j, f := stateJob(), stateFeed()
	j.Formats = []report.Format{report.CSV, report.HTML}
	f.rootsOfState(j.AsOf)
	for i := range f.roots {
		if f.roots[i].Figure == ledger.FigureClaimed {
			f.roots[i].Figure = ledger.FigureLate
		}
	}
	var tie *control.MismatchError
	if _, err := render.Set(t.Context(), j, f, tg); !errors.As(err, &tie) || !strings.Contains(err.Error(), "the rows of exceptions add up to") {
		t.Errorf("a page with other figures than its cases: %v", err)
	}
}

// A day without any row has its files, with a header and totals of zero.
func TestStateOfNothing(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	f := everyClass()
	r := renderJob(t, stateJob(), f, tg)
	for _, table := range []string{"exceptions", "aging"} {
		if got := body(t, out, r, table, report.CSV); strings.Count(got, "\n") != 1 {
			t.Errorf("%s is not a header alone:\n%s", table, got)
		}
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}

func TestStateIsRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why, want string
		set       func(*export.Job, *feed)
	}{
		{
			"an overdue case that is in no row of aging", "identity card_overdue: aging.card_overdue.total = exceptions.RECEIVED_OVERDUE.impact leaves -96.6050",
			func(_ *export.Job, f *feed) { f.state[0].AgingEntries = f.state[0].AgingEntries[1:] },
		},
		{
			"a dispute of another amount", "identity dispute_open: aging.dispute_open.total = exceptions.disputed.impact leaves -1.6050",
			func(_ *export.Job, f *feed) { f.state[0].AgingEntries[1].Amount = brl("95") },
		},
		{
			"a sum that the ledger does not give", "the ledger gives no sum of impact in table exceptions",
			func(_ *export.Job, f *feed) { f.forget = "impact" },
		},
		{
			"a state of two days", "is the state on 2026-11-18 alone",
			func(j *export.Job, _ *feed) { j.Period.From-- },
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			tg, out := target(t)
			j, f := stateJob(), stateFeed()
			tc.set(&j, f)
			_, err := render.Set(context.Background(), j, f, tg)
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(out.puts) > 0 {
				t.Errorf("error %v, %d files", err, len(out.puts))
			}
		})
	}
}

func TestBuckets(t *testing.T) {
	t.Parallel()
	for days, want := range map[int64]string{
		0: "d0_1", 1: "d0_1", 2: "d2_5", 5: "d2_5", 6: "d6_10", 10: "d6_10", 11: "d11_30", 30: "d11_30", 31: "d31_60",
		60: "d31_60", 61: "d61_90", 90: "d61_90", 91: "d91", 4000: "d91",
	} {
		if got := asof.BucketColumn(days); got != want {
			t.Errorf("%d business days stand in %s, should stand in %s", days, got, want)
		}
	}
}
