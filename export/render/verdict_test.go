package render_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/html"
	"concilia/export/report"
	"concilia/store/ledger"
)

// A page of a period has the verdict of the cases and rows that are in it, control says the same, and today's verdict over all
// periods is one line.
func TestVerdictOfAPeriod(t *testing.T) {
	t.Parallel()
	inPeriod, before := "card:1001:2026-11-02:000102:A000102:1", "card:1001:2026-08-03:999:A999:1"
	one := func(subject, day_ string, verdict ledger.Verdict, impact string, figure ledger.Figure) export.UnresolvedCase {
		c := export.UnresolvedCase{
			Account: 1001, Case: "c1", Code: "TXN_INSTALLMENTS_MISSING", Subject: subject, Side: "cards", Day: day(day_), Verdict: verdict, Figure: figure,
		}
		if impact != "" {
			c.Impact = brl(impact)
		}
		return c
	}
	for _, row := range []struct {
		because string
		edit    func(*export.Job, *feed)
		want    ledger.Verdict
		level   string
		says    string
	}{
		{"open cases in another month only", func(_ *export.Job, f *feed) {
			f.roots = append(f.roots, one(before, "2026-08-03", ledger.Breaks, "5000.00", ledger.FigureLate))
		}, ledger.Reconciled, "verdict good", "no período nada falta"},
		{"a case on a row of it", func(_ *export.Job, f *feed) {
			f.roots = append(f.roots, one(inPeriod, "2026-11-02", ledger.Breaks, "0.65", ledger.FigureLost))
		}, ledger.Breaks, "verdict bad", "TXN_INSTALLMENTS_MISSING"},
		{"a case without an amount is named", func(_ *export.Job, f *feed) {
			f.roots = append(f.roots, one(inPeriod, "2026-11-02", ledger.ReconciledWithWarnings, "", ""))
		}, ledger.ReconciledWithWarnings, "verdict fair", "sem valor próprio: TXN_INSTALLMENTS_MISSING."},
		{"a case of its days whose row is in no report", func(_ *export.Job, f *feed) {
			f.roots = append(f.roots, one("card:1001:2026-11-05:gone:A1:1", "2026-11-05", ledger.Breaks, "", ""))
		}, ledger.Breaks, "verdict bad", "sem valor próprio: TXN_INSTALLMENTS_MISSING."},
		{"a case that is pending", func(_ *export.Job, f *feed) {
			f.roots = append(f.roots, one(inPeriod, "2026-11-02", ledger.ReconciledWithPending, "", ""))
		}, ledger.ReconciledWithPending, "verdict fair", ""},
		{"a day of it is not complete", func(j *export.Job, _ *feed) { j.Facts.Incomplete = true }, ledger.Incomplete, "verdict bad", ""},
	} {
		tg, out := target(t)
		j, f := pageJob()
		f.roots = nil
		row.edit(&j, f)
		j.Facts.Verdict = ledger.Breaks
		r := renderJob(t, j, f, tg)
		_, body := readPage(t, out, r)
		for _, want := range []string{`class="` + row.level, "Hoje, em todos os meses: divergências.", row.says} {
			if !bytes.Contains(body, []byte(want)) {
				t.Errorf("%s: the page has no %q", row.because, want)
			}
		}
		if got := controlText(t, out, r, "run", "verdict"); got != string(row.want) {
			t.Errorf("%s: control says %s, want %s", row.because, got, row.want)
		}
		if got := controlText(t, out, r, "run", "verdict_today"); got != "breaks" {
			t.Errorf("%s: control says that today is %s", row.because, got)
		}
	}
}

// controlText is a value of the published control.
func controlText(t *testing.T, out *folder, r export.Result, item, measure string) string {
	t.Helper()
	for _, f := range r.Files {
		if f.Kind != report.ControlKind || f.Format != report.CSV {
			continue
		}
		body, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row[2] == item && row[3] == measure {
				return row[5]
			}
		}
	}
	t.Fatalf("control has no %s of %s", measure, item)
	return ""
}

// A line of the bridge that lost 2.50 and has 2.00 in excess says both, on the page and in control, and their difference nowhere.
func TestBridgeKeepsExcessApart(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	j.Facts.Bridge = []ledger.BridgeRow{
		{Side: "cards", Line: ledger.LineReceived, Amount: brl("2.50")},
		{Side: "cards", Line: ledger.LineReceived, Amount: brl("-2.00"), Excess: brl("2.00")},
	}
	j.Facts.Sides = []export.BridgeSide{{Side: "cards", Difference: brl("0.50")}}
	r := renderJob(t, j, f, tg)
	_, body := readPage(t, out, r)
	for _, want := range []string{"recebido a menor", "2,50", "recebido a maior", "−2,00", "pela data da venda"} {
		if !bytes.Contains(body, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
	if lost, excess := controlText(t, out, r, "cards", "received_short_or_over"), controlText(t, out, r, "cards", "received_short_or_over excess"); lost != "2.50" || excess != "-2.00" {
		t.Errorf("control has %s lost and %s in excess", lost, excess)
	}
}

// A page has the bridge of a side only where it is of the page's own rows: of cards by sale date, of slips by due date, of both in
// the state, and with a filter of none; neither as a table nor in the control part.
func TestPageHasTheBridgeOfItsBasisAlone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because      string
		basis        report.Basis
		filter       report.Filter
		cards, slips bool
	}{
		{"by sale date", report.ByOperation, report.Filter{}, true, false},
		{"by credit date", report.ByCredit, report.Filter{}, false, false},
		{"by forecast date, which is the due date of slips", report.ByForecast, report.Filter{}, false, true},
		{"of one brand", report.ByOperation, report.Filter{Brands: []string{"visa"}}, false, false},
		{"the state", report.ByAsOf, report.Filter{}, true, true},
	} {
		t.Run(row.because, func(t *testing.T) {
			t.Parallel()
			tg, out := target(t)
			j, _ := pageJob()
			j.Basis, j.Filter, j.Kinds = row.basis, row.filter, []report.Kind{report.SummaryKind, report.ControlKind}
			if row.basis == report.ByAsOf {
				j.Period, j.Kinds = ledger.Period{From: j.AsOf, To: j.AsOf}, []report.Kind{report.ExceptionsKind, report.ControlKind}
			}
			j.Facts.Bridge = nil
			j.Facts.Sides = []export.BridgeSide{{Side: "cards"}, {Side: "slips"}}
			_, body := readPage(t, out, renderJob(t, j, &feed{}, tg))
			_, control, _ := bytes.Cut(body, []byte(`id="control"`))
			for side, want := range map[string]bool{"cartões": row.cards, "boletos": row.slips} {
				if got := bytes.Contains(control, []byte("Ponte dos "+side)); got != want {
					t.Errorf("the bridge of %s in the control part: %t", side, got)
				}
			}
			if got, want := bytes.Count(body, []byte(`<table class="bridge">`)), btoi(row.cards)+btoi(row.slips); got != want {
				t.Errorf("%d tables of a bridge, want %d", got, want)
			}
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Totals of a table with one gain and one loss are two, never the one less the other; read again they are the column's sum.
func TestTotalsKeepExcessApart(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	j.Formats = []report.Format{report.CSV, report.HTML, report.XLSX}
	r := renderJob(t, j, f, tg)
	_, body := readPage(t, out, r)
	figures, err := html.Read(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"slips-summary.short": "18.00", "slips-summary.over": "3.20", "fees.overcharged": "1.30", "fees.undercharged": "0.31",
	} {
		if got, there := figures[key]; !there || got != int64(brl(want)) {
			t.Errorf("%s is %s, want %s", key, ledger.Amount(got), want)
		}
	}
	if strings.Contains(string(body), `data-f="slips-summary.difference"`) || strings.Contains(string(body), `data-f="fees.difference"`) {
		t.Error("a total nets what is missing and what is in excess")
	}
	claims := sheet(t, out, r, "Pedido de ressarcimento")
	if !has(claims, "", "1.3", "-0.31", "Diferença") {
		t.Errorf("the sheet of the claims has no two sums of its differences: %v", claims[len(claims)-4:])
	}
	if fees := sheet(t, out, r, "Taxas"); !strings.HasSuffix(strings.Join(fees[len(fees)-1], "|"), "|1.3|0.31") {
		t.Errorf("the totals of the fees are %v", fees[len(fees)-1])
	}
}
