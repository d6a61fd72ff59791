package render_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/store/ledger"
)

// changed are the changes of October, closed by operation: an item that changed in two runs, one that was cancelled, one
// that came in, one that another contract and calendar expect less of, and a slip.
func changed() closedFeed {
	october := ledger.PeriodClose{
		Account: 1001, Basis: "operation", Act: 3, Revision: 2, Run: "20261103T053000.000Z-0001", AsOf: day("2026-11-03"),
		Period: ledger.Period{From: day("2026-10-01"), To: day("2026-10-31")},
	}
	change := func(subject, run, seen string, cause ledger.RestatementCause, moved ledger.RestatedSums, fields ...ledger.RestatedField) ledger.Restatement {
		return ledger.Restatement{Close: october, Subject: subject, Run: run, SeenOn: day(seen), Cause: cause, Fields: fields, Changes: moved}
	}
	const card, slip = "card:1001:2026-10-05:000201:A000201:", "slip:1001:00000000-0000-0000-0000-000000000009"
	const first, second = "20261110T053000.000Z-0001", "20261112T053000.000Z-0001"
	old := report.ClosedFigures{
		Gross: brl("1000.00"), NetExpected: brl("950.00"), NetContract: brl("952.00"), Anticipation: brl("5.00"),
		Received: brl("300.00"), SlipGross: brl("80.00"),
	}
	now := old
	// One more is anticipated, for 2.50 where 2.40 were agreed: it is the agenda's movement.
	now.Gross, now.NetExpected, now.Anticipation, now.SlipGross = brl("940.00"), brl("887.4950"), brl("7.50"), brl("81.00")
	now.NetContract = brl("888.20")
	return closedFeed{
		changes: []ledger.Restatement{
			change(card+"1", first, "2026-11-10", ledger.CauseRestated, ledger.RestatedSums{Net: brl("-0.005"), Contract: brl("0.10")},
				ledger.RestatedField{Name: "discountMdrValue", Old: "2.10", New: "2.105"}),
			change(card+"1", second, "2026-11-12", ledger.CauseRestated, ledger.RestatedSums{Gross: brl("10.00"), Net: brl("9.00"), Contract: brl("9.00")},
				ledger.RestatedField{Name: "discountMdrValue", Old: "2.105", New: "3.105"},
				ledger.RestatedField{Name: "installmentValue", Old: "100.00", New: "110.00"},
				ledger.RestatedField{Name: "installmentsCount", Old: "2", New: "3"}),
			change(card+"2", second, "2026-11-12", ledger.CauseCancelled, ledger.RestatedSums{Gross: brl("-120.00"), Net: brl("-118.00"), Contract: brl("-118.00")},
				ledger.RestatedField{Name: "installmentStatus", Old: "open", New: "cancelled"}),
			change(card+"3", second, "2026-11-12", ledger.CauseEntered, ledger.RestatedSums{Gross: brl("50.00"), Net: brl("49.00"), Contract: brl("49.00")},
				ledger.RestatedField{Name: "installmentStatus", New: "open"}, ledger.RestatedField{Name: "installmentValue", New: "50.00"}),
			change(card+"4", second, "2026-11-12", ledger.CauseContract, ledger.RestatedSums{Contract: brl("-1.50")},
				ledger.RestatedField{Name: "calendar", Old: strings.Repeat("3c", 32), New: strings.Repeat("4d", 32)},
				ledger.RestatedField{Name: "contract", Old: strings.Repeat("1a", 32), New: strings.Repeat("2b", 32)}),
			change(slip, second, "2026-11-12", ledger.CauseRestated, ledger.RestatedSums{Gross: brl("1.00"), Net: brl("1.00")},
				ledger.RestatedField{Name: "value", Old: "80.00", New: "81.00"}),
		},
		closed: []report.ClosedPeriod{{PeriodClose: october, Old: old, New: now, Agenda: brl("-2.40")}},
	}
}

func restatementJob() (export.Job, *feed) {
	j, f := job(), &feed{basis: report.ByOperation, asOf: day("2026-11-18"), closedFeed: changed()}
	j.Period.From = day("2026-10-01")
	j.Kinds = []report.Kind{report.RestatementKind, report.ControlKind}
	j.Formats = []report.Format{report.CSV, report.CSVBR, report.JSONL, report.XLSX, report.HTML}
	return j, f
}

// The members of an item stand in order whatever run changed them, the amounts of a change on its first one alone; what
// the changes come to is what the closed figures moved by, and verify finds all of it again.
func TestRestatement(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := restatementJob()
	r := renderJob(t, j, f, tg)
	for _, format := range []report.Format{report.CSV, report.CSVBR, report.JSONL} {
		name := strings.Replace(string(format), "csv-br", "br.csv", 1)
		golden(t, "restatement."+name, []byte(body(t, out, r, "restatement", format)))
	}
	got := body(t, out, r, "control", report.CSV)
	for _, want := range []string{
		"restated 1001 2026-10 cards gross,printed,brl,0.00",
		`Σ Δ net, cards 2026-10, r2 = net_expected ( 887.495 − 950.00 ) + anticipation_cost ( 7.50 − 5.00 )`,
		`Σ Δ contract, cards 2026-10, r2 = net_contract ( 888.20 − 952.00 ) − agenda -2.40`,
		"restated 1001 2026-10 cards contract,at four decimals,brl,0.00,,,,0.0000",
		"restated 1001 2026-10 cards net,at four decimals,brl,0.00,,,,0.0000",
		"restated 1001 2026-10 slips gross,at four decimals,brl,0.00,,,,0.0000",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("control has no %q:\n%s", want, got)
		}
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}

// The page has what changed with its amounts, and the totals by cause, which are the table's.
func TestPageOfARestatement(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := restatementJob()
	_, page := readPage(t, out, renderJob(t, j, f, tg))
	got, err := html.Read(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"restatement.count": "10", "restatement.delta_contract": "-61.40", "restatement.delta_gross": "-59.00", "restatement.delta_net": "-59.01", "restatement.delta_received": "0.00",
		"restatement-causes.count": "4", "restatement-causes.delta_gross": "-59.00", "restatement-causes.delta_net": "-59.01",
		"restatement-causes.delta_contract": "-61.40",
	} {
		if n, there := got[key]; !there || n != int64(brl(want)) {
			t.Errorf("%s is %s, want %s", key, ledger.Amount(n), want)
		}
	}
	for _, want := range []string{
		"Reapresentação por causa", `<td>alterada depois de informada (3)</td><td class="n">11,00</td><td class="n">9,99</td><td class="n">0,00</td><td class="n">9,10</td>`,
		`<td>contrato alterado (1)</td><td class="n">0,00</td><td class="n">0,00</td><td class="n">0,00</td><td class="n">−1,50</td>`,
		`<td>entrou no período (1)</td><td class="n">50,00</td>`,
	} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// What does not add up is refused: figures that moved otherwise, a ledger of another mind, a page whose causes are not the table.
func TestRestatementMustTie(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		change func(*export.Job, *feed)
		want   string
	}{
		{"the closed period moved by a ten-thousandth that no change tells", func(_ *export.Job, f *feed) { f.closed[0].New.NetExpected++ }, "identity restated 1001 2026-10 cards net"},
		{"a slip moved that no change tells", func(_ *export.Job, f *feed) { f.closed[0].New.SlipGross += ledger.Cent }, "identity restated 1001 2026-10 slips gross"},
		{"the contract net moved and no document changed", func(_ *export.Job, f *feed) { f.closed[0].New.NetContract++ }, "identity restated 1001 2026-10 cards contract"},
		{"less is expected, and no splits are kept of it", func(_ *export.Job, f *feed) { f.closed[0].New.NetExpected -= ledger.Real }, "identity restated 1001 2026-10 cards net"},
		{"a total by cause was changed on the page", func(j *export.Job, _ *feed) {
			j.Hooks.AfterWrite = func(dir string) {
				replace(filepath.Join(dir, "settlement.html"), `value="-59.00" data-f="restatement-causes.delta_gross">−59,00`, `value="-58.00" data-f="restatement-causes.delta_gross">−58,00`)
			}
		}, "settlement.html restatement-causes, delta_gross"},
	} {
		tg, _ := target(t)
		j, f := restatementJob()
		tc.change(&j, f)
		_, err := render.Set(context.Background(), j, f, tg)
		var tie *control.MismatchError
		if !errors.As(err, &tie) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want a tie error with %q", tc.why, err, tc.want)
		}
	}
	tg, _ := target(t)
	j, f := restatementJob()
	f.closed[0].New.NetExpected -= ledger.Real
	f.closed[0].New.Splits += ledger.Real
	if _, err := render.Set(context.Background(), j, f, tg); err != nil {
		t.Error("splits are taken with the receipt where the service keeps them:", err)
	}
}

// Adjustments are lines of the summary with all that follows from them, and its identities hold over them.
func TestAdjustmentsOfASummary(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := job(), everyClass()
	f.days = []ledger.Date{day("2026-11-10"), day("2026-11-12")}
	j.Kinds, j.Formats = []report.Kind{report.SummaryKind, report.ControlKind}, []report.Format{report.CSV, report.XLSX}
	r := renderJob(t, j, f, tg)
	lines := strings.Split(body(t, out, r, "summary", report.CSV), "\n")
	var got []string
	for _, line := range lines {
		if cells := strings.Split(line, ","); len(cells) > 16 && cells[3] == "adjustment" {
			got = append(got, strings.Join(append([]string{cells[1]}, cells[7], cells[13], cells[15]), " "))
		}
	}
	if want := []string{"2026-11-10 0.00 1.00 -1.00", "2026-11-12 0.00 1.00 -1.00"}; !slices.Equal(want, got) {
		t.Error(got)
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}
