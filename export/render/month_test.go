package render_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/verify"
	"concilia/store/ledger"
)

// monthly is a ledger in memory that kept the month of its rows: by brand, and of the slips.
type monthly struct {
	*feed
	off ledger.Amount // by which the kept figure of what was received is wrong
}

// lines adds the rows of the feed up, each amount as printed and exactly.
func (f *monthly) lines() []ledger.MonthLine {
	sums := map[[2]string]*ledger.MonthLine{}
	at := func(side, brand string) *ledger.MonthLine {
		k := [2]string{side, brand}
		if sums[k] == nil {
			sums[k] = &ledger.MonthLine{Account: 1001, Basis: "operation", Month: day("2026-11-01"), Side: side, Brand: brand}
		}
		return sums[k]
	}
	add := func(l *ledger.MonthLine, a ledger.MonthAmount, printed, exact ledger.Amount) {
		l.Printed[a] += printed
		l.Exact[a] += exact
	}
	sales := map[ledger.SaleKey]bool{}
	for i := range f.cards {
		v, e := &f.cards[i].v, &f.cards[i].e
		l := at("cards", e.Brand)
		if e.Class.IsReversal() {
			add(l, ledger.MonthCancelledGross, ledger.FromCents(e.GrossCents), v.Gross)
			continue
		}
		l.Installments++
		if !sales[v.SaleKey()] {
			sales[v.SaleKey()] = true
			l.Sales++
		}
		round := func(a ledger.MonthAmount, exact ...ledger.Amount) {
			for _, x := range exact {
				add(l, a, ledger.Amount(rd(x)), x)
			}
		}
		add(l, ledger.MonthGross, ledger.FromCents(e.GrossCents), v.Gross)
		round(ledger.MonthMDR, v.MDR.Or(0))
		round(ledger.MonthFees, v.Fee.Or(0), v.Antifraud.Or(0))
		round(ledger.MonthAnticipation, v.Anticipation.Or(0))
		round(ledger.MonthNetExpected, e.Net)
		for _, s := range v.Splits {
			round(ledger.MonthSplits, s.Value.Or(0))
		}
		received := v.Received.Or(0)
		printed, exact := ledger.Amount(rd(e.Net)-rd(received)), e.Net-received
		add(l, ledger.MonthDifference, ledger.Amount(rd(e.NetContract)-rd(e.Net)), e.NetContract-e.Net)
		switch e.Rest {
		case ledger.LineBlocked:
			add(l, ledger.MonthBlocked, printed, exact)
		case ledger.LineOverdue:
			add(l, ledger.MonthOverdue, printed, exact)
		case ledger.LineNotDue, ledger.LineNoForecast:
			add(l, ledger.MonthNotDue, printed, exact)
		default:
			round(ledger.MonthReceived, received)
			add(l, ledger.MonthShort, max(printed, 0), max(exact, 0))
			add(l, ledger.MonthOver, max(-printed, 0), max(-exact, 0))
			add(l, ledger.MonthDifference, printed, exact)
		}
	}
	for i := range f.slips {
		f.addSlip(at("slips", ""), &f.slips[i], add)
	}
	out := make([]ledger.MonthLine, 0, len(sums))
	for _, l := range sums {
		out = append(out, *l)
	}
	return out
}

func (*monthly) addSlip(l *ledger.MonthLine, one *slip, add func(*ledger.MonthLine, ledger.MonthAmount, ledger.Amount, ledger.Amount)) {
	s, e := &one.s, &one.e
	round := func(a ledger.MonthAmount, exact ledger.Amount) { add(l, a, ledger.Amount(rd(exact)), exact) }
	if e.Class == ledger.Cancelled {
		round(ledger.MonthCancelledGross, s.Value)
	}
	if e.Class != ledger.Paid {
		return
	}
	paid, tariff := s.PaidValue.Or(0), e.Tariff.Or(0)
	l.Sales++
	round(ledger.MonthGross, e.Face)
	round(ledger.MonthFees, tariff)
	add(l, ledger.MonthNetExpected, ledger.Amount(rd(e.Face)-rd(tariff)), e.Face-tariff)
	add(l, ledger.MonthDifference, ledger.Amount(rd(e.Face)-rd(paid)), e.Face-paid)
	add(l, ledger.MonthShort, max(ledger.Amount(rd(e.Face)-rd(paid)), 0), max(e.Face-paid, 0))
	add(l, ledger.MonthOver, max(ledger.Amount(rd(paid)-rd(e.Face)), 0), max(paid-e.Face, 0))
	net := ledger.MonthNotDue
	if s.CreditedOn != 0 {
		net = ledger.MonthReceived
	} else if e.Rest == ledger.LineCreditOverdue {
		net = ledger.MonthOverdue
	}
	add(l, net, ledger.Amount(rd(paid)-rd(tariff)), paid-tariff)
}

func (f *monthly) Months(_ context.Context, yield func(*report.AccountMonth) error) error {
	now := f.lines()
	for i := range now {
		if now[i].Brand == "visa" {
			now[i].Printed[ledger.MonthReceived] += f.off
			now[i].Exact[ledger.MonthReceived] += f.off
			now[i].Printed[ledger.MonthNotDue] -= f.off
			now[i].Exact[ledger.MonthNotDue] -= f.off
		}
	}
	before := ledger.MonthLine{Side: "cards", Brand: "visa", Installments: 1}
	before.Printed[ledger.MonthGross], before.Exact[ledger.MonthGross] = brl("12.34"), brl("12.34")
	return yield(&report.AccountMonth{
		Account: 1001, Now: now, Before: []ledger.MonthLine{before, {Side: "slips", Sales: 1}},
		Verdicts: report.MonthVerdicts{Items: map[report.MonthItem]ledger.Verdict{{Side: "cards", Brand: "visa"}: ledger.Breaks}},
	})
}

func (f *monthly) Sums(ctx context.Context, table string) (report.Sums, error) {
	s, err := f.feed.Sums(ctx, map[bool]string{true: "summary", false: table}[table == "month"])
	if err != nil || table != "month" {
		return s, err
	}
	summary := s.Columns
	s = report.Sums{Columns: map[string]int64{"last_gross": 12_3400, "last_net_expected": 0, "last_received": 0, "last_difference": 0}}
	for _, c := range []string{"installments", "gross", "mdr", "net_expected", "splits", "received", "not_due", "overdue", "blocked", "short", "over", "difference", "cancelled_gross"} {
		s.Columns[c] = summary[c]
	}
	s.Columns["fees"] = summary["transaction_fee"] + summary["antifraud_fee"]
	s.Columns["anticipation"], s.Columns["adjustments"] = summary["anticipation_cost"], summary["other_adjustments"]
	lines := f.lines()
	for i := range lines {
		l := &lines[i]
		s.Rows++
		s.Columns["sales"] += l.Sales
		if l.Side != "slips" {
			continue
		}
		for column, a := range map[string]ledger.MonthAmount{
			"gross": ledger.MonthGross, "fees": ledger.MonthFees, "net_expected": ledger.MonthNetExpected, "received": ledger.MonthReceived,
			"not_due": ledger.MonthNotDue, "overdue": ledger.MonthOverdue, "short": ledger.MonthShort, "over": ledger.MonthOver,
			"difference": ledger.MonthDifference, "cancelled_gross": ledger.MonthCancelledGross,
		} {
			s.Columns[column] += int64(l.Printed[a])
		}
	}
	return s, nil
}

// monthJob is a set with a month, whose slips of the month before were not asked for on every day.
func monthJob() export.Job {
	j := job()
	j.Kinds = []report.Kind{report.SummaryKind, report.MonthKind, report.SlipsKind, report.ControlKind}
	j.Formats = []report.Format{report.CSV, report.CSVBR, report.JSONL, report.XLSX, report.HTML}
	j.Months = map[ledger.Account]report.MonthSides{1001: {Cards: report.MonthDays{Compared: true}, Slips: report.MonthDays{Incomplete: true}}}
	return j
}

// A month is published in every format but EDI, what it says of cards is what the summary says, and verify finds it so.
func TestMonthAsPublished(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	r, err := render.Set(t.Context(), monthJob(), &monthly{feed: everyClass()}, tg)
	if err != nil {
		t.Fatal(err)
	}
	formats := map[report.Format]bool{}
	for _, f := range r.Files {
		body, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case f.Kind == report.MonthKind:
			golden(t, f.Path, body)
			formats[f.Format] = true
		case f.Format == report.HTML:
			if !strings.Contains(string(body), ">Conferência</th>") || !strings.Contains(string(body), ">boletos</td>") {
				t.Error("the page has no month")
			}
		}
	}
	if len(formats) != 3 {
		t.Errorf("a month as %v", slices.Sorted(maps.Keys(formats)))
	}
	identities := 0
	for _, i := range r.Residuals {
		if strings.HasPrefix(i.Name, "month_") {
			identities++
		}
	}
	if identities != 16 {
		t.Errorf("control has %d identities of the month", identities)
	}
	found, err := verify.CheckTree(t.Context(), out.root, nil)
	if err != nil || len(found.Faults) > 0 {
		t.Error(err, found.Faults)
	}
}

// What a reconcile kept wrongly is not published.
func TestMonthIsHeldAgainstTheSummary(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	_, err := render.Set(t.Context(), monthJob(), &monthly{feed: everyClass(), off: ledger.Cent}, tg)
	if err == nil || !strings.Contains(err.Error(), "month") || len(out.puts) > 0 {
		t.Errorf("error %v, published %v", err, out.puts)
	}
}
