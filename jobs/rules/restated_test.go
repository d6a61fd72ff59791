package rules_test

import (
	"testing"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

func TestRestated(t *testing.T) {
	t.Parallel()
	const code = "SRC_RESTATED"
	type V = ledger.InstallmentVersion
	got := receipt("2024-10-23", "97.11")
	runCards(t, []cardCase{
		{code: code, says: "what never changed passes", want: passes},
		{code: code, says: "the value by a ten-thousandth", make: became(version{"2024-10-23", func(v *V) { v.Gross++ }}), want: fires, severity: "W"},
		{code: code, says: "the total", make: became(version{"2024-10-23", func(v *V) { v.SaleTotal = some("301") }}), want: fires, severity: "W"},
		{code: code, says: "the count", make: became(version{"2024-10-23", func(v *V) { v.Count = 4 }}), want: fires, severity: "W"},
		{code: code, says: "the MDR", make: became(version{"2024-10-23", func(v *V) { v.MDR = some("2.50") }}), want: fires, severity: "W"},
		{code: code, says: "its rate", make: became(version{"2024-10-23", func(v *V) { v.MDRRate = pct("2.50") }}), want: fires, severity: "W"},
		{code: code, says: "the transaction fee", make: became(version{"2024-10-23", func(v *V) { v.Fee = some("0.11") }}), want: fires, severity: "W"},
		{code: code, says: "the antifraud fee", make: became(version{"2024-10-23", func(v *V) { v.Antifraud = some("0") }}), want: fires, severity: "W"},
		{code: code, says: "the time of sale", make: became(version{"2024-10-23", func(v *V) { v.SoldAt++ }}), want: fires, severity: "W"},
		{code: code, says: "changed and back passes", make: became(version{"2024-10-23", func(v *V) { v.Gross++ }}, version{"2024-10-24", func(v *V) { v.Gross-- }}), want: passes},
		{code: code, says: "the value, after it was received", make: became(version{"2024-10-23", got}, version{"2024-10-24", func(v *V) { v.Gross++ }}), want: fires, severity: "E"},
		{code: code, says: "the value, before it was received", make: became(version{"2024-10-23", func(v *V) { v.Gross++ }}, version{"2024-10-24", got}), want: fires, severity: "W"},

		{code: code, says: "the value, together with the receipt", make: became(version{"2024-10-23", func(v *V) { got(v); v.Gross++ }}), want: fires, severity: "W"},

		{code: code, says: "a first receipt is life", make: became(version{"2024-10-23", got}), want: passes},
		{code: code, says: "a value first and its date later is life", make: became(version{"2024-10-23", receipt("", "97.11")}, version{"2024-10-24", got}), want: passes},
		{code: code, says: "a part first and the rest with the date is life", make: became(version{"2024-10-23", receipt("", "50")}, version{"2024-10-24", got}), want: passes},
		{code: code, says: "more received than was stated with its date", make: became(version{"2024-10-23", got}, version{"2024-10-24", receipt("2024-10-23", "97.12")}), want: fires, severity: "E"},
		{code: code, says: "another date of receipt", make: became(version{"2024-10-23", got}, version{"2024-10-24", receipt("2024-10-24", "97.11")}), want: fires, severity: "E"},
		{code: code, says: "less received is another rule's", make: became(version{"2024-10-23", got}, version{"2024-10-24", receipt("2024-10-23", "90")}), want: passes},
		{code: code, says: "taken back by a cancellation is life", make: became(version{"2024-10-23", got}, version{"2024-10-24", func(v *V) {
			v.Status, v.ReceivedStatus, v.Effective, v.Received = "Cancelada", "", 0, some("-97.11")
		}}), want: passes},
		{code: code, says: "more received on a cancelled row", make: became(version{"2024-10-23", got}, version{"2024-10-24", func(v *V) {
			v.Status, v.Received = "Cancelada", some("98")
		}}), want: fires, severity: "E"},

		{code: code, says: "an anticipation before payment is life", make: became(version{"2024-10-23", func(v *V) { v.Anticipation, v.AnticipationRate = some("1"), pct("1") }},
			version{"2024-10-24", func(v *V) { v.Anticipation, v.AnticipationRate = some("2"), pct("1") }}), want: passes},
		{code: code, says: "an anticipation filled in after payment is life", make: became(version{"2024-10-23", got}, version{"2024-10-24", func(v *V) { v.Anticipation = some("1") }}), want: passes},
		{code: code, says: "and changed after that", make: became(version{"2024-10-23", got}, version{"2024-10-24", func(v *V) { v.Anticipation = some("1") }},
			version{"2024-10-25", func(v *V) { v.Anticipation = some("1.01") }}), want: fires, severity: "E"},
		{code: code, says: "its rate changed after payment", make: became(version{"2024-10-23", func(v *V) { got(v); v.AnticipationRate = pct("1.09") }},
			version{"2024-10-24", func(v *V) { v.AnticipationRate = pct("1.10") }}), want: fires, severity: "E"},
		{code: code, says: "taken off after payment", make: became(version{"2024-10-23", func(v *V) { got(v); v.Anticipation = some("1") }},
			version{"2024-10-24", func(v *V) { v.Anticipation = some("0") }}), want: fires, severity: "E"},

		{code: code, says: "a moved forecast is another rule's", make: became(version{"2024-10-23", forecast("2024-12-27")}), want: passes},
		{code: code, says: "other splits are another rule's", make: became(version{"2024-10-23", got}, version{"2024-10-24", func(v *V) { v.Splits = nil }}), want: passes},
		{code: code, says: "a status is another rule's", make: became(version{"2024-10-23", status("Cancelada", "")}, version{"2024-10-24", status("Autorizada", "")}), want: passes},
		{code: code, says: "a rate spelled as none is none", make: became(version{"2024-10-23", func(v *V) { v.SaleTotal, v.Count = some("300.00"), 3 }}), want: passes},
		{code: code, says: "one pull is no comparison", make: became(version{"2024-10-23", func(v *V) { v.Gross++ }}), w: once, want: rules.NotEvaluable},
	})
	e := world{}.env(t)
	h := became(version{"2024-10-23", func(v *V) { v.Gross, v.MDR = reais("90"), some("2.24") }})(rows())
	o := e.EvaluateRow(e.Index(code), rules.NewSale(e, h[0].Current().SaleKey(), h, true).Rows[1])
	f := ledger.Finding{Code: code, Expected: o.Expected, Actual: o.Actual, Numbers: o.Numbers}
	if got := (catalogue.Voice{Language: "en"}).Explain(f); got != "Value of the installment was R$ 100.00 and is R$ 90.00 since 2024-10-23; 1 more members changed." {
		t.Error(got)
	}
}

// seen makes a slip of one list of what it said one after the other, first on 2024-10-10, then a day later each.
func seen(list ledger.Source, said ...func(*ledger.SlipView)) *ledger.Slip {
	v := unpaid(func(*ledger.SlipView) {}).SlipView
	v.List = list
	var all []ledger.SlipVersion
	for i := range len(said) + 1 {
		if i > 0 {
			said[i-1](&v)
		}
		all = append(all, ledger.SlipVersion{
			SlipView: v, Version: i + 1, LastRun: "now", FirstSeen: day("2024-10-10"), LastChanged: day("2024-10-10") + ledger.Date(i),
		})
	}
	s := ledger.SlipOf(all[len(said):], all[:len(said)])
	return &s
}

func TestSlipsAgainstWhatTheyWere(t *testing.T) {
	t.Parallel()
	const restated, regression = "SRC_RESTATED", "SLIP_STATUS_REGRESSION"
	type V = ledger.SlipView
	bill := func(n int64) func(*V) { return func(v *V) { v.Status = ledger.Some(n) } }
	pay := func(on, value string) func(*V) {
		return func(v *V) {
			v.PaidOn, v.PaidValue, v.Status = day(on), some(value), ledger.Some[int64](ledger.BillPaid)
		}
	}
	for _, c := range []struct {
		code, says string
		s          *ledger.Slip
		w          world
		want       rules.Status
		severity   ledger.Severity
	}{
		{restated, "what never changed passes", seen(ledger.SlipsDue), world{}, passes, ""},
		{restated, "another value", seen(ledger.SlipsDue, func(v *V) { v.Value++ }), world{}, fires, ledger.Warning},
		{restated, "another value and back passes", seen(ledger.SlipsDue, func(v *V) { v.Value++ }, func(v *V) { v.Value-- }), world{}, passes, ""},
		{restated, "another value after it was paid", seen(ledger.SlipsDue, pay("2024-11-08", "100"), func(v *V) { v.Value++ }), world{}, fires, ledger.Error},
		{restated, "paid at last is life", seen(ledger.SlipsDue, pay("2024-11-08", "100")), world{}, passes, ""},
		{restated, "a value filled in after the date is life", seen(ledger.SlipsDue, pay("2024-11-08", "0"), pay("2024-11-08", "100")), world{}, passes, ""},
		{restated, "another date of payment", seen(ledger.SlipsDue, pay("2024-11-08", "100"), pay("2024-11-09", "100")), world{}, fires, ledger.Error},
		{restated, "no date of payment any more", seen(ledger.SlipsDue, pay("2024-11-08", "100"), func(v *V) { v.PaidOn = 0 }), world{}, fires, ledger.Error},
		{restated, "another value paid", seen(ledger.SlipsDue, pay("2024-11-08", "100"), pay("2024-11-08", "100.0001")), world{}, fires, ledger.Error},
		{restated, "another due date is no restatement", seen(ledger.SlipsDue, func(v *V) { v.Due++ }), world{}, passes, ""},
		{restated, "one pull is no comparison", seen(ledger.SlipsDue, func(v *V) { v.Value++ }), once, rules.NotEvaluable, ""},

		{regression, "issued, overdue, paid passes", seen(ledger.SlipsDue, bill(ledger.BillOverdue), bill(ledger.BillPaid)), world{}, passes, ""},
		{regression, "paid and issued again", seen(ledger.SlipsDue, bill(ledger.BillPaid), bill(ledger.BillIssued)), world{}, fires, ledger.Error},
		{regression, "paid and failed", seen(ledger.SlipsDue, bill(ledger.BillPaid), bill(ledger.BillFailed)), world{}, fires, ledger.Error},
		{regression, "paid, issued and paid again passes", seen(ledger.SlipsDue, bill(ledger.BillPaid), bill(ledger.BillIssued), bill(ledger.BillPaid)), world{}, passes, ""},
		{regression, "failed and issued", seen(ledger.SlipsDue, bill(ledger.BillFailed), bill(ledger.BillIssued)), world{}, fires, ledger.Error},
		{regression, "failed and in process", seen(ledger.SlipsDue, bill(ledger.BillFailed), bill(ledger.BillProcessing)), world{}, fires, ledger.Error},
		{regression, "failed and paid after all passes", seen(ledger.SlipsDue, bill(ledger.BillFailed), bill(ledger.BillPaid)), world{}, passes, ""},
		{regression, "one pull is no comparison", seen(ledger.SlipsDue, bill(ledger.BillPaid), bill(ledger.BillIssued)), once, rules.NotEvaluable, ""},
	} {
		e := c.w.env(t)
		i := e.Index(c.code)
		o := e.EvaluateSlip(i, rules.NewSlip(e, c.s))
		if o.Status != c.want || o.Status == fires && e.Severity(i, &o) != c.severity {
			t.Errorf("%s: %s: status %d, want %d; %s", c.code, c.says, o.Status, c.want, e.Severity(i, &o))
		}
		if o.Status == fires {
			told(t, c.code, o)
		}
	}
}

func TestVanished(t *testing.T) {
	t.Parallel()
	card := runs.VanishedRow{Source: ledger.Cards, Day: day("2024-10-21"), Amount: reais("100"), Last: day("2024-10-30")}
	with := func(g runs.VanishedRow, change func(*runs.VanishedRow)) runs.VanishedRow { change(&g); return g }
	bill := with(card, func(g *runs.VanishedRow) { g.Source = ledger.SlipsDue })
	for _, c := range []struct {
		says string
		g    runs.VanishedRow
		w    world
		want rules.Status
	}{
		{"an installment the day lacks", card, world{}, fires},
		{"one pull is no comparison", card, once, rules.NotEvaluable},
		{"a row without a key may be it", with(card, func(g *runs.VanishedRow) { g.Unreadable = true }), world{}, rules.NotEvaluable},
		{"a slip is asked for again first", bill, world{}, rules.NotEvaluable},
		{"and is gone when it is lacking still", with(bill, func(g *runs.VanishedRow) { g.Rechecked = true }), world{}, fires},
	} {
		o := runs.EvaluateVanished(c.w.env(t), c.g)
		if o.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.says, o.Status, c.want)
		}
		if o.Status == fires {
			told(t, runs.Vanished, o)
		}
	}
	runCards(t, []cardCase{
		{code: runs.Vanished, says: "what still stands passes", want: passes},
		{code: runs.Vanished, says: "what still stands, pulled once", w: once, want: rules.NotEvaluable},
	})
}
