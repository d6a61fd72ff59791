package rules_test

import (
	"slices"
	"testing"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// weeks is eight earlier days of the given rows, 100.00 each.
func weeks(rows ...int64) []runs.DayVolume {
	var all []runs.DayVolume
	for _, n := range rows {
		all = append(all, runs.DayVolume{Rows: n, Gross: ledger.Amount(n) * 100 * ledger.Real})
	}
	return all
}

func TestVolume(t *testing.T) {
	t.Parallel()
	steady := weeks(100, 100, 100, 100, 100, 100, 100, 100)
	// Sorted 80 90 95 100 110 120 130 400: median 105, distances 5 5 10 15 15 25 25 295, their median 15.
	wide := weeks(400, 80, 90, 95, 100, 110, 120, 130)
	one := func(n int64, gross string) runs.DayVolume { return runs.DayVolume{Rows: n, Gross: reais(gross)} }
	const warn, info = ledger.Warning, ledger.Info
	for _, c := range []struct {
		says     string
		day      string
		today    runs.DayVolume
		earlier  []runs.DayVolume
		pulls    int
		want     rules.Status
		what     string
		severity ledger.Severity
	}{
		{"as always", "2024-10-29", one(100, "10000"), steady, 2, passes, "", ""},
		{"half as many: a tenth of the median, five times", "2024-10-29", one(50, "10000"), steady, 2, passes, "", ""},
		{"one fewer, of the usual value", "2024-10-29", one(49, "10000"), steady, 2, fires, "rows", info},
		{"half again as many", "2024-10-29", one(150, "10000"), steady, 2, passes, "", ""},
		{"one more", "2024-10-29", one(151, "10000"), steady, 2, fires, "rows", info},
		{"a cent beyond half the value", "2024-10-29", one(100, "4999.99"), steady, 2, fires, "total", info},
		{"half the value", "2024-10-29", one(100, "5000"), steady, 2, passes, "", ""},
		{"a row more than a tenth", "2024-10-29", one(11, "1000"), steady, 2, fires, "rows", info},
		{"a tenth of rows and value", "2024-10-29", one(10, "1000"), steady, 2, fires, "rows", warn},
		{"a tenth of the rows, more of the value", "2024-10-29", one(10, "1000.01"), steady, 2, fires, "rows", info},
		{"nothing at all", "2024-10-29", one(0, "0"), steady, 2, fires, "rows", warn},
		{"ten times as many", "2024-10-29", one(1000, "100000"), steady, 2, fires, "rows", info},
		{"five times the median distance", "2024-10-29", one(180, "10500"), wide, 2, passes, "", ""},
		{"one beyond it", "2024-10-29", one(181, "10500"), wide, 2, fires, "rows", info},
		{"days of few rows vary by five each", "2024-10-29", one(35, "1000"), weeks(10, 10, 10, 10, 10, 10, 10, 10), 2, passes, "", ""},
		{"and no more", "2024-10-29", one(36, "1000"), weeks(10, 10, 10, 10, 10, 10, 10, 10), 2, fires, "rows", info},
		{"and their value by five rows' worth", "2024-10-29", one(10, "3500"), weeks(10, 10, 10, 10, 10, 10, 10, 10), 2, passes, "", ""},
		{"and no cent more", "2024-10-29", one(10, "3500.01"), weeks(10, 10, 10, 10, 10, 10, 10, 10), 2, fires, "total", info},
		{"of days that never sold the value has no measure", "2024-10-29", one(25, "1"), weeks(0, 0, 0, 0, 0, 0, 0, 0), 2, passes, "", ""},
		{"only the latest eight count", "2024-10-29", one(100, "10000"), append(slices.Clone(steady), weeks(9, 9, 9, 9, 9, 9, 9, 9, 9)...), 2, passes, "", ""},
		{"seven earlier days are too few", "2024-10-29", one(0, "0"), steady[1:], 2, rules.NotEvaluable, "", ""},
		{"one pull is no comparison", "2024-10-29", one(0, "0"), steady, 1, rules.NotEvaluable, "", ""},
		{"a holiday is as it is", "2024-11-20", one(0, "0"), steady, 2, none, "", ""},
		{"a Sunday is compared with Sundays", "2024-10-27", one(0, "0"), steady, 2, fires, "rows", warn},
		{"figures beyond what can be compared", "2024-10-29", runs.DayVolume{Rows: 100, Gross: 1 << 60}, steady, 2, rules.NotEvaluable, "", ""},
	} {
		e := world{change: func(o *rules.Options) { o.PullsOf = func(ledger.Source, ledger.Date) int { return c.pulls } }}.env(t)
		v := runs.Volume{Source: ledger.Cards, Day: day(c.day), DayVolume: c.today, Earlier: c.earlier}
		o := runs.EvaluateVolume(e, v)
		if o.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.says, o.Status, c.want)
		}
		if o.Status != fires {
			continue
		}
		told(t, runs.VolumeAnomaly, o)
		if i := slices.IndexFunc(o.Numbers, func(n ledger.Number) bool { return n.Name == "what" }); o.Numbers[i].Value != c.what {
			t.Errorf("%s: of %s", c.says, o.Numbers[i].Value)
		}
		if got := e.Severity(e.Index(runs.VolumeAnomaly), &o); got != c.severity {
			t.Errorf("%s: severity %s, want %s", c.says, got, c.severity)
		}
		if got := v.Subject(1001); got != "day:1001:cards:"+c.day {
			t.Errorf("subject %s", got)
		}
	}
}

// An unusual day is what it is once an answer begun a week after it, or later, showed the same rows.
func TestVolumeSettlesAfterAWeek(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says  string
		seen  string
		again bool
		want  rules.Status
	}{
		{"six days after it", "2024-11-04", true, fires},
		{"seven days after it", "2024-11-05", true, passes},
		{"seven days after it, with other rows", "2024-11-05", false, fires},
		{"a month after it", "2024-11-28", true, passes},
	} {
		e := world{change: func(o *rules.Options) {
			o.SeenOn = func(ledger.Source, ledger.Date) ledger.Date { return day(c.seen) }
		}}.env(t)
		v := runs.Volume{
			Source: ledger.Cards, Day: day("2024-10-29"), DayVolume: runs.DayVolume{Rows: 10, Gross: reais("1000")},
			Earlier: weeks(100, 100, 100, 100, 100, 100, 100, 100), ShownAgain: c.again,
		}
		if o := runs.EvaluateVolume(e, v); o.Status != c.want {
			t.Errorf("the last answer came %s: status %d, want %d", c.says, o.Status, c.want)
		}
	}
}

// The sentence of an unusual day names what is unusual, and what is usual.
func TestVolumeSentence(t *testing.T) {
	t.Parallel()
	v := runs.Volume{
		Source: ledger.Cards, Day: day("2024-10-29"), DayVolume: runs.DayVolume{Rows: 10, Gross: reais("1000")},
		Earlier: weeks(100, 100, 100, 100, 100, 100, 100, 100),
	}
	o := runs.EvaluateVolume(world{}.env(t), v)
	f := ledger.Finding{Code: runs.VolumeAnomaly, Expected: o.Expected, Actual: o.Actual, Numbers: o.Numbers}
	for lang, want := range map[string]string{
		"en":    "Card sales of 2024-10-29: rows 10 and total R$ 1,000.00, where 8 earlier same weekdays have a median of 100 and R$ 10,000.00.",
		"pt-BR": "Vendas com cartão de 29/10/2024: linhas 10 e total R$ 1.000,00; a mediana dos 8 mesmos dias da semana anteriores é 100 e R$ 10.000,00.",
	} {
		if got := (catalogue.Voice{Language: lang}).Explain(f); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", lang, got, want)
		}
	}
}

func TestRateDrift(t *testing.T) {
	t.Parallel()
	sums := func(rows int, mdr, gross string) rules.RateSums {
		return rules.RateSums{Rows: rows, MDR: reais(mdr), Gross: reais(gross)}
	}
	key := rules.MonthGroup{Month: day("2024-11-01"), Brand: "visa", Product: ledger.Credit, Band: "2-6"}
	for _, c := range []struct {
		says        string
		now, before rules.RateSums
		pulls       int
		want        rules.Status
		hint        string
	}{
		{"the same rate", sums(30, "249", "10000"), sums(30, "498", "20000"), 2, passes, ""},
		{"0.02 of a point more", sums(30, "251", "10000"), sums(30, "249", "10000"), 2, within, ""},
		{"a cent more than that", sums(30, "251.01", "10000"), sums(30, "249", "10000"), 2, fires, "over"},
		{"0.02 of a point less", sums(30, "247", "10000"), sums(30, "249", "10000"), 2, within, ""},
		{"a cent less than that", sums(30, "246.99", "10000"), sums(30, "249", "10000"), 2, fires, "under"},
		{"29 installments this month", sums(29, "900", "10000"), sums(30, "249", "10000"), 2, none, ""},
		{"29 the month before", sums(30, "900", "10000"), sums(29, "249", "10000"), 2, none, ""},
		{"nothing sold that could be divided by", sums(30, "1", "0"), sums(30, "249", "10000"), 2, rules.NotEvaluable, ""},
		{"days that were pulled once", sums(30, "900", "10000"), sums(30, "249", "10000"), 1, rules.NotEvaluable, ""},
	} {
		o := runs.EvaluateRateDrift(world{}.env(t), runs.RateChange{MonthGroup: key, Now: c.now, Before: c.before, Pulls: c.pulls})
		if o.Status != c.want || o.Hint != c.hint {
			t.Errorf("%s: status %d, want %d, hint %q", c.says, o.Status, c.want, o.Hint)
		}
		if o.Status == fires {
			told(t, runs.RateDrift, o)
		}
	}
	o := runs.EvaluateRateDrift(world{}.env(t), runs.RateChange{MonthGroup: key, Now: sums(30, "299", "10000"), Before: sums(40, "249", "10000"), Pulls: 2})
	f := ledger.Finding{Code: runs.RateDrift, Expected: o.Expected, Actual: o.Actual, Numbers: o.Numbers}
	if got := (catalogue.Voice{Language: "en"}).Explain(f); got != "The MDR of visa credit 2-6 went from 2.49 % to 2.99 % in 2024-11: R$ 50.00 on R$ 10,000.00." {
		t.Error(got)
	}
	if got := key.Subject(1001); got != "month:1001:2024-11:visa:credit:2-6" {
		t.Errorf("subject %s", got)
	}
}

// Which installments a month's rate is made of.
func TestWhatDrifts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says   string
		change func(*ledger.Installment)
		want   rules.Status
	}{
		{"an open one", func(*ledger.Installment) {}, passes},
		{"a charged-back one", func(i *ledger.Installment) { i.Status = "Chargeback" }, passes},
		{"not a cancelled one", func(i *ledger.Installment) { i.Status = "Cancelada" }, none},
		{"not one in a status nobody listed", func(i *ledger.Installment) { i.Status = "Xyz" }, rules.Unmapped},
		{"not one of a brand nobody listed", func(i *ledger.Installment) { i.CardName = "Xyz" }, rules.Unmapped},
		{"not one of a product nobody listed", func(i *ledger.Installment) { i.CardType = "Xyz" }, rules.Unmapped},
	} {
		e := world{}.env(t)
		h := second(c.change)(rows())
		if got := runs.CheckRated(e, rules.NewSale(e, h[0].Current().SaleKey(), h, true).Rows[1]); got != c.want {
			t.Errorf("%s: status %d, want %d", c.says, got, c.want)
		}
	}
}

func TestBudgetAndContinuity(t *testing.T) {
	t.Parallel()
	e := world{}.env(t)
	budget := func(rows int, tolerated, gross string) rules.Outcome {
		return runs.EvaluateBudget(e, runs.Budget{Code: "MDR_AMOUNT_MISMATCH", Month: day("2024-11-01"), Rows: rows, Tolerated: reais(tolerated), Gross: reais(gross)})
	}
	continuity := func(opening, movements, closing string) rules.Outcome {
		return runs.EvaluateContinuity(e, runs.Continuity{
			Month: day("2024-11-01"), Brand: "visa", Product: ledger.Credit, Opening: reais(opening), Movements: reais(movements), Closing: reais(closing),
		})
	}
	for _, c := range []struct {
		says, code string
		o          rules.Outcome
		want       rules.Status
	}{
		{"five reais in a month of little", runs.BudgetExceeded, budget(500, "5.00", "1000"), passes},
		{"a cent more", runs.BudgetExceeded, budget(500, "5.01", "1000"), fires},
		{"0.01 % of a month of much", runs.BudgetExceeded, budget(500, "100.00", "1000000"), passes},
		{"a cent more than that", runs.BudgetExceeded, budget(500, "100.01", "1000000"), fires},
		{"of 499 rows nothing can be told", runs.BudgetExceeded, budget(499, "100.01", "1000"), rules.NotEvaluable},
		{"what was open, what moved, what is open", runs.ContinuityBroken, continuity("100", "-100", "0"), passes},
		{"one ten-thousandth is missing", runs.ContinuityBroken, continuity("100", "-99.9999", "0"), fires},
		{"more than an amount holds", runs.ContinuityBroken, runs.EvaluateContinuity(e, runs.Continuity{
			Month: day("2024-11-01"), Brand: "visa", Product: ledger.Credit, Opening: 1<<63 - 1, Movements: 1, Closing: 0,
		}), fires},
	} {
		if c.o.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.says, c.o.Status, c.want)
		}
		if c.o.Status == fires {
			told(t, c.code, c.o)
		}
	}
	for want, got := range map[string]string{
		"month:1001:2024-11:MDR_AMOUNT_MISMATCH": runs.Budget{Code: "MDR_AMOUNT_MISMATCH", Month: day("2024-11-01")}.Subject(1001),
		"month:1001:2024-11:visa:credit":         runs.Continuity{Month: day("2024-11-01"), Brand: "visa", Product: ledger.Credit}.Subject(1001),
	} {
		if got != want {
			t.Errorf("subject %s, want %s", got, want)
		}
	}
}
