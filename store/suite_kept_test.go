package store_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/reportsums"
	"concilia/store/results"
)

// kept: the days, the forecast and the months that a reconcile keeps are what other queries sum over the rows, on random ledgers, whether it
// sums what it has at hand or reads the rows again, and a night that sums a few days keeps what one that sums all of them does.
func kept(t *testing.T, open func(*testing.T) *store.Ledger) {
	l, try := open(t), account
	property(t, func(r *rapid.T) {
		try++
		n := beginOn(t, l, try)
		netOfSplits := rapid.Bool().Draw(r, "net of splits")
		reading := ledger.ForecastReading{
			Settle: func(d ledger.Date) ledger.Date { return d + 1 }, NetOfSplits: netOfSplits,
			Received: ledger.Period{From: day(1), To: day(4)},
		}
		evaluate := func(work *results.ReconcileTx, on func(ledger.Date) bool) {
			atHand := rapid.Bool().Draw(r, "histories at hand") // then no row of a whole day is read again
			for _, s := range n.sales() {
				if atHand {
					work.SetSale(&s)
				}
				for _, h := range s.Rows {
					if v := h.Current(); on(v.SoldAt.Date()) {
						e := drawConsistentBelief(r, v)
						ok(t, work.ReplaceExpectation(&e))
					}
				}
			}
			work.SetSale(nil)
			for _, s := range n.allSlips() {
				e := drawSlipBelief(r, &s)
				e.NetCredited = ledger.Opt[ledger.Amount]{}
				if s.CreditedOn != 0 {
					e.NetCredited = ledger.Some(s.PaidValue.Or(0) - e.Tariff.Or(0))
				}
				ok(t, work.ReplaceSlipExpectation(&e))
			}
		}
		n.merge(day(1), day(4), drawMoney(r)...)
		for range rapid.IntRange(0, 4).Draw(r, "windows") {
			drawSlipWindow(r, n)
		}
		n.reconcile("a", func(work *results.ReconcileTx) {
			evaluate(work, func(ledger.Date) bool { return true })
			ok(t, work.KeepTotals(true, nil, reading))
		})
		first := monthsOf(t, n, "a")
		changed := day(rapid.IntRange(1, 4).Draw(r, "changed day"))
		var again []ledger.Installment
		for _, row := range drawMoney(r) {
			if row.SoldAt.Date() == changed {
				again = append(again, row)
			}
		}
		n.merge(changed, changed, again...)
		drawSlipWindow(r, n)
		n.reconcile("b", func(work *results.ReconcileTx) {
			evaluate(work, func(d ledger.Date) bool { return d == changed })
			ok(t, work.KeepTotals(false, []ledger.Date{changed}, reading))
		})
		compareDaysWithSums(r, n, "a", changed)
		compareDaysWithSums(r, n, "b", changed)
		compareMonthsWithSums(r, n, "b")
		compareForecastWithAgenda(r, n, "b", netOfSplits)
		forecast := forecastOf(t, n, "b")
		n.reconcile("c", func(work *results.ReconcileTx) { ok(t, work.KeepTotals(true, nil, reading)) })
		if b, c := monthsOf(t, n, "b"), monthsOf(t, n, "c"); b != c {
			r.Errorf("a part of the days was summed:\n%s\nall of them:\n%s", b, c)
		}
		if again := forecastOf(t, n, "c"); again != forecast {
			r.Errorf("a part of the days was summed:\n%s\nall of them:\n%s", forecast, again)
		}
		if now := monthsOf(t, n, "a"); now != first {
			r.Errorf("the first run left\n%s\nwhich became\n%s", first, now)
		}
	})
}

// drawConsistentBelief is drawBelief with a class that goes with the line, and a line that goes with what was received.
func drawConsistentBelief(r *rapid.T, v *ledger.InstallmentVersion) ledger.Expectation {
	e := drawBelief(r, v)
	if v.Received.Or(0) != 0 {
		e.Rest = ledger.LineReceived
	}
	switch e.Rest {
	case ledger.LineNotDue, ledger.LineNoForecast, ledger.LineOverdue:
		e.Class = ledger.Open
	case ledger.LineBlocked:
		e.Class = ledger.Blocked
	}
	e.Received = v.Received.Or(0)
	return e
}

func monthsOf(t *testing.T, n *night, run string) string {
	lines, err := n.l.MonthLines(t.Context(), n.account, run, ledger.Period{})
	ok(t, err)
	text := ""
	for _, line := range lines {
		text += fmt.Sprintf("%+v\n", line)
	}
	return text
}

func forecastOf(t *testing.T, n *night, run string) string {
	sums, err := n.l.ForecastOfRun(t.Context(), n.account, run)
	ok(t, err)
	return fmt.Sprintf("%+v", sums)
}

// compareDaysWithSums holds what is added up from days against what the rows come to.
func compareDaysWithSums(r *rapid.T, n *night, run string, day ledger.Date) {
	unit := rapid.SampledFrom([]ledger.Unit{ledger.Percent, ledger.Fraction}).Draw(r, "unit")
	for _, period := range []ledger.Period{{From: 1, To: 1 << 20}, {From: day, To: day}} {
		q := reports.Query{Account: n.account, Basis: "operation", Period: period, AsOfRun: run}
		for _, table := range []string{"installments", "summary", reportsums.CardDifference} {
			kept, err := n.l.SumTogether(n.t.Context(), q, table, unit)
			ok(n.t, err)
			sums, err := n.l.Sums(n.t.Context(), q, table, unit)
			ok(n.t, err)
			if d := cmp.Diff(sums, kept[table]); d != "" {
				r.Errorf("%s of %s as of run %s, of the rows (-) and of the days (+):\n%s", table, period, run, d)
			}
		}
	}
}

func compareMonthsWithSums(r *rapid.T, n *night, run string) {
	year := ledger.Period{From: ledger.NewDate(2026, 1, 1), To: ledger.NewDate(2027, 12, 31)}
	lines, err := n.l.MonthLines(n.t.Context(), n.account, run, ledger.Period{})
	ok(n.t, err)
	for _, basis := range []string{"operation", "credit"} {
		of := map[string]*ledger.MonthLine{"cards": {}, "slips": {}}
		for _, line := range lines {
			if line.Basis != basis {
				continue
			}
			of[line.Side].Add(&line)
			for what, p := range map[string]*[ledger.MonthAmountCount]ledger.Amount{"printed": &line.Printed, "exact": &line.Exact} {
				if p[ledger.MonthNetExpected] != p[ledger.MonthReceived]+p[ledger.MonthNotDue]+p[ledger.MonthOverdue]+p[ledger.MonthBlocked]+
					p[ledger.MonthShort]-p[ledger.MonthOver] {
					r.Errorf("%s %s %s: what was expected is not what became of it, %s: %v", basis, line.Month, line.Side, what, p)
				}
			}
		}
		q := reports.Query{Account: n.account, Basis: basis, Period: year, AsOfRun: run}
		check := func(what string, got, want int64) {
			if got != want {
				r.Errorf("%s %s: kept %d, the rows say %d", basis, what, got, want)
			}
		}
		sum, err := n.l.Sums(n.t.Context(), q, "summary", ledger.Percent)
		ok(n.t, err)
		cards := of["cards"]
		check("installments", cards.Installments, sum.Columns["installments"])
		check("sales", cards.Sales, sum.Columns[reportsums.SalesOfTheSet])
		for column, amount := range map[string]ledger.MonthAmount{
			"gross": ledger.MonthGross, "mdr": ledger.MonthMDR, "anticipation_cost": ledger.MonthAnticipation, "net_expected": ledger.MonthNetExpected,
			"splits": ledger.MonthSplits, "received": ledger.MonthReceived, "not_due": ledger.MonthNotDue, "overdue": ledger.MonthOverdue,
			"blocked": ledger.MonthBlocked, "short": ledger.MonthShort, "over": ledger.MonthOver, "difference": ledger.MonthDifference,
			"cancelled_gross": ledger.MonthCancelledGross, "cancelled_received": ledger.MonthCancelledReceived,
		} {
			check(column, int64(cards.Printed[amount]), sum.Columns[column])
		}
		if basis == "operation" {
			compareCardTotals(r, n, q)
		}
		check("fees", int64(cards.Printed[ledger.MonthFees]), sum.Columns["transaction_fee"]+sum.Columns["antifraud_fee"])
		slips := of["slips"]
		sum, err = n.l.Sums(n.t.Context(), q, "slips-summary", ledger.Percent)
		ok(n.t, err)
		check("slips paid", slips.Sales, sum.Columns["paid_qty"])
		check("slips gross", int64(slips.Printed[ledger.MonthGross]), sum.Columns["paid"]+sum.Columns["difference"]-sum.Columns["charges_to_confirm"])
		check("slips difference", int64(slips.Printed[ledger.MonthDifference]), sum.Columns["difference"])
		check("slips cancelled", int64(slips.Printed[ledger.MonthCancelledGross]), sum.Columns["cancelled"])
		check("slips received, to come and late", int64(slips.Printed[ledger.MonthReceived]+slips.Printed[ledger.MonthNotDue]+
			slips.Printed[ledger.MonthOverdue]+slips.Printed[ledger.MonthFees]), sum.Columns["paid"])
		compareMonthWithParts(n, q, lines, slips, check)
	}
}

// compareCardTotals compares the totals that are added up from sale days with the sums of the rows, of the whole period and of its first
// days alone.
func compareCardTotals(r *rapid.T, n *night, q reports.Query) {
	for _, to := range []ledger.Date{q.Period.To, q.Period.From + 45} {
		q.Period.To = to
		rows, err := n.l.Sums(n.t.Context(), q, "summary", ledger.Percent)
		ok(n.t, err)
		kept, err := n.l.CardTotals(n.t.Context(), q)
		ok(n.t, err)
		for _, column := range []string{
			"gross", "net_expected", "net_contract", "received", "not_due", "overdue", "blocked", "difference", "cancelled_gross", "cancelled_received",
		} {
			if kept.Columns[column] != rows.Columns[column] {
				r.Errorf("%s, %s: the days add up to %d, the rows to %d", q.Period, column, kept.Columns[column], rows.Columns[column])
			}
		}
	}
}

// compareMonthWithParts compares kept months with what only the report of a month sums over rows.
func compareMonthWithParts(n *night, q reports.Query, lines []ledger.MonthLine, slips *ledger.MonthLine, check func(what string, got, want int64)) {
	cards, err := n.l.Sums(n.t.Context(), q, reportsums.MonthCards, ledger.Percent)
	ok(n.t, err)
	sales, brands := int64(0), map[string]*ledger.MonthLine{}
	for _, line := range lines {
		if line.Basis == q.Basis && line.Side == "cards" {
			if brands[line.Brand] == nil {
				brands[line.Brand] = &ledger.MonthLine{}
			}
			brands[line.Brand].Add(&line)
			sales += line.Sales
		}
	}
	maps.DeleteFunc(brands, func(_ string, l *ledger.MonthLine) bool {
		return l.Installments == 0 && l.Printed[ledger.MonthCancelledGross] == 0 && l.Exact[ledger.MonthCancelledGross] == 0
	})
	check("sales by brand", sales, cards.Columns["sales"])
	for brand := range brands {
		check("rows of brand "+brand, 1, cards.Columns[reportsums.MonthBrand+brand])
	}
	check("brands", int64(len(brands)), cards.Rows)
	parts, err := n.l.Sums(n.t.Context(), q, reportsums.MonthSlips, ledger.Percent)
	ok(n.t, err)
	check("slips, sales", slips.Sales, parts.Columns["sales"])
	for column, amount := range map[string]ledger.MonthAmount{
		"gross": ledger.MonthGross, "fees": ledger.MonthFees, "net_expected": ledger.MonthNetExpected, "received": ledger.MonthReceived,
		"not_due": ledger.MonthNotDue, "overdue": ledger.MonthOverdue, "short": ledger.MonthShort, "over": ledger.MonthOver,
		"difference": ledger.MonthDifference, "cancelled_gross": ledger.MonthCancelledGross,
	} {
		check("slips, "+column, int64(slips.Printed[amount]), parts.Columns[column])
	}
}

func compareForecastWithAgenda(r *rapid.T, n *night, run string, netOfSplits bool) {
	sums, err := n.l.ForecastOfRun(n.t.Context(), n.account, run)
	ok(n.t, err)
	of := map[ledger.ForecastKind]ledger.ForecastSum{}
	for _, s := range sums {
		sum := of[s.Kind]
		sum.Items, sum.Printed, sum.Exact = sum.Items+s.Items, sum.Printed+s.Printed, sum.Exact+s.Exact
		of[s.Kind] = sum
	}
	var net, blocked, exact ledger.Amount
	var items int64
	ok(n.t, n.l.AgendaItems(n.t.Context(), reports.Query{Account: n.account, AsOfRun: run}, reports.Agenda{}, func(i *ledger.AgendaItem) error {
		items++
		if i.Blocked {
			blocked += ledger.Amount(rd(i.Net))
			return nil
		}
		net, exact = net+ledger.Amount(rd(i.Net)), exact+i.Net
		return nil
	}))
	cards := of[ledger.ForecastCards]
	if got := [4]ledger.Amount{cards.Printed, cards.Exact, of[ledger.ForecastBlocked].Printed, ledger.Amount(cards.Items + of[ledger.ForecastBlocked].Items)}; got !=
		[4]ledger.Amount{net, exact, blocked, ledger.Amount(items)} {
		r.Errorf("the forecast has %d, the agenda %d %d %d %d", got, net, exact, blocked, items)
	}
	if netOfSplits && of[ledger.ForecastSplits].Items > 0 {
		r.Error("splits that were taken out of what is received are passed on once more")
	}
	var received ledger.Amount
	ok(n.t, n.l.Installments(n.t.Context(), reports.Query{
		Account: n.account, Basis: "credit", Period: ledger.Period{From: day(1), To: day(4)}, AsOfRun: run,
	}, func(v *ledger.InstallmentVersion, _ *ledger.Expectation) error {
		received += ledger.Amount(rd(v.Received.Or(0)))
		return nil
	}))
	if got := of[ledger.ReceivedCards].Printed; got != received {
		r.Errorf("received %s, the rows say %s", got, received)
	}
}
