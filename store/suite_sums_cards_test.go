package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/reportsums"
	"concilia/store/results"
)

// rd is the amount as printed with two decimals, in ten-thousandths.
func rd(a ledger.Amount) int64 { return int64(a.Rounded(ledger.HalfAwayFromZero)) }

// tally adds up named columns, as a writer's counters do.
type tally map[string]int64

func (c tally) money(id string, a ledger.Opt[ledger.Amount]) { c[id] += rd(a.Or(0)) }

// sums: what SQL adds up is what the rows add up to, on random ledgers.
func sums(t *testing.T, open func(*testing.T) *store.Ledger) {
	sumsOfSlips(t, open)
	l, try := open(t), account
	property(t, func(r *rapid.T) {
		try++
		n := beginOn(t, l, try)
		n.merge(day(1), day(4), drawMoney(r)...)
		n.merge(day(1), day(4), drawMoney(r)...)
		n.reconcile("a", func(work *results.ReconcileTx) {
			for _, s := range n.sales() {
				for _, h := range s.Rows {
					e := drawBelief(r, h.Current())
					ok(t, work.ReplaceExpectation(&e))
				}
			}
		})
		unit := rapid.SampledFrom([]ledger.Unit{ledger.Percent, ledger.Fraction}).Draw(r, "unit")
		q := november(rapid.SampledFrom([]string{"operation", "forecast", "credit"}).Draw(r, "basis"))
		q.Account, q.Period.To = try, day(rapid.IntRange(1, 30).Draw(r, "to"))
		c := counters{q: q, unit: unit, tables: map[string]tally{}, lines: map[string]map[string]bool{}}
		ok(t, n.l.Installments(t.Context(), q, c.card))
		for _, table := range []string{
			"installments", "splits", "splits-payable", "summary", "fees", "claims", "card-titles", "card-titles-net-of-splits",
		} {
			c.compare(r, n, table)
		}
	})
}

// counters count the tables of a set the way a writer does: row by row, in Go.
type counters struct {
	q      reports.Query
	unit   ledger.Unit
	tables map[string]tally
	lines  map[string]map[string]bool
}

func (c *counters) of(table string) tally {
	if c.tables[table] == nil {
		c.tables[table] = tally{}
	}
	return c.tables[table]
}

func (c *counters) line(table, key string) {
	if c.lines[table] == nil {
		c.lines[table] = map[string]bool{}
	}
	c.lines[table][key] = true
}

func (c *counters) rate(r ledger.Rate) int64 {
	p := ledger.Amount(r.Percent(c.unit))
	return rd(p) // rates print four of six decimals, as amounts print two of four
}

// compare holds SQL's sums against the counters. A column the counters never met must be zero.
func (c *counters) compare(r *rapid.T, n *night, table string) {
	got, err := n.l.Sums(n.t.Context(), c.q, table, c.unit)
	if err != nil {
		r.Fatal(err)
	}
	want := c.of(table)
	if rows := int64(len(c.lines[table])); got.Rows != rows {
		r.Errorf("%s: SQL counts %d rows, the reader %d", table, got.Rows, rows)
	}
	for id, v := range got.Columns {
		if v != want[id] {
			r.Errorf("%s %s: SQL %d, the reader %d", table, id, v, want[id])
		}
		delete(want, id)
	}
	if len(want) > 0 {
		r.Errorf("%s: SQL has no column for %v", table, want)
	}
}

func drawMoney(r *rapid.T) []ledger.Installment {
	amount := rapid.Custom(func(r *rapid.T) ledger.Amount {
		return ledger.Amount(rapid.SampledFrom([]int64{0, 49, 50, 51, -49, -50, -51, 1_000_049, 1_000_050, -12_350}).Draw(r, "amount"))
	})
	maybe := func(name string) ledger.Opt[ledger.Amount] {
		if rapid.Bool().Draw(r, name) {
			return ledger.Some(amount.Draw(r, name))
		}
		return ledger.Opt[ledger.Amount]{}
	}
	rows := drawRows(r, 4)
	for i := range rows {
		v := &rows[i]
		v.Number, v.Count = v.Number-1, rapid.IntRange(0, 3).Draw(r, "count")
		v.Gross, v.SaleTotal, v.MDR, v.Fee, v.SaleFee = amount.Draw(r, "gross"), maybe("total"), maybe("mdr"), maybe("fee"), maybe("sale fee")
		v.Antifraud, v.SaleAntifraud, v.Anticipation = maybe("antifraud"), maybe("sale antifraud"), maybe("anticipation")
		v.MDRRate = ledger.Some(ledger.Rate(rapid.SampledFrom([]int64{0, 2_340_000, 23_449, 1_250, -50}).Draw(r, "rate")))
		v.Received = maybe("received")
		v.Effective = rapid.SampledFrom([]ledger.Date{0, day(2), day(9)}).Draw(r, "effective")
		v.Forecast = rapid.SampledFrom([]ledger.Date{0, day(3), day(9)}).Draw(r, "forecast")
		v.Splits = nil
		for range rapid.IntRange(0, 3).Draw(r, "splits") {
			v.Splits = append(v.Splits, ledger.Split{
				Beneficiary: rapid.SampledFrom([]string{"", "x", "y"}).Draw(r, "beneficiary"),
				Pct:         ledger.Opt[ledger.Rate]{V: 10, OK: true}, Base: maybe("base"), Value: maybe("value"),
			})
		}
	}
	return rows
}

func drawBelief(r *rapid.T, v *ledger.InstallmentVersion) ledger.Expectation {
	classes := []ledger.Class{ledger.Open, ledger.Received, ledger.Blocked, ledger.Cancelled, ledger.Chargeback}
	rests := []ledger.BridgeLine{
		ledger.LineReceived, ledger.LineRounding, ledger.LineBlocked, ledger.LineNoForecast, ledger.LineNotDue,
		ledger.LineOverdue, ledger.LineReversed, ledger.LineNotAttributed,
	}
	e := believe(v, rapid.SampledFrom(classes).Draw(r, "class"), rapid.SampledFrom(rests).Draw(r, "rest"))
	e.Net, e.NetContract = e.Net+ledger.Amount(rapid.IntRange(-99, 99).Draw(r, "net")), e.NetContract+50
	e.Band = rapid.SampledFrom([]string{"1", "2-6"}).Draw(r, "band")
	e.ContractLine = rapid.SampledFrom([]string{"", "l1", "l2"}).Draw(r, "line")
	e.Brackets = drawBrackets(r)
	e.Splits = nil
	for i := range v.Splits {
		s := ledger.SplitExpectation{Expected: v.Splits[i].Base}
		if i == 1 {
			s.ContractPct = ledger.Some(ledger.Rate(1_000_050))
		}
		e.Splits = append(e.Splits, s)
	}
	return e
}

// card counts one installment in every table that has it.
func (c *counters) card(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
	key := v.Key()
	splits := int64(0)
	for i, s := range v.Splits {
		splits += rd(s.Value.Or(0))
		c.split(v, e, i)
	}
	t := c.of("installments")
	c.line("installments", key.Subject())
	t["installment"] += int64(key.Number)
	t["installments"] += int64(v.InstallmentCount())
	t["sale_total"] += int64(v.SaleTotal.Or(0))
	t["gross"] += int64(v.Gross)
	t["mdr_rate"] += c.rate(v.MDRRate.Or(0))
	t["anticipation_rate"] += c.rate(v.AnticipationRate.Or(0))
	t["contract_mdr_rate"] += rd(ledger.Amount(e.ContractMDRRate.Or(0)))
	for id, a := range map[string]ledger.Opt[ledger.Amount]{
		"mdr": v.MDR, "transaction_fee": v.Fee, "transaction_fee_sale": v.SaleFee, "antifraud_fee": v.Antifraud,
		"antifraud_fee_sale": v.SaleAntifraud, "anticipation": v.Anticipation, "received": v.Received, "impact": e.Impact,
		"net_expected": ledger.Some(e.Net), "net_contract": ledger.Some(e.NetContract),
	} {
		t.money(id, a)
	}
	t["splits"] += splits
	t["anticipation_days"] += e.DaysAnticipated.Or(0)
	t["days_late"] += e.DaysLate.Or(0)
	t["version"] += int64(v.Version)
	t["gross_cents"] += e.GrossCents
	c.summary(v, e, splits)
	c.cardTitle("card-titles", v, e, 0)
	c.cardTitle("card-titles-net-of-splits", v, e, splits)
	if !e.Class.IsReversal() {
		c.charges(v, e)
	}
	return nil
}

func (c *counters) split(v *ledger.InstallmentVersion, e *ledger.Expectation, i int) {
	key, s, x := v.Key(), v.Splits[i], e.Splits[i]
	t := c.of("splits")
	c.line("splits", fmt.Sprint(key.Subject(), i))
	t["installment"] += int64(key.Number)
	t["installments"] += int64(v.InstallmentCount())
	t["split"] += int64(i + 1)
	t["pct"] += c.rate(s.Pct.Or(0))
	t.money("base", s.Base)
	t.money("value", s.Value)
	t.money("expected_value", x.Expected)
	t["contract_pct"] += rd(ledger.Amount(x.ContractPct.Or(0)))
	if x.Expected.OK {
		t["difference"] += rd(s.Value.Or(0)) - rd(x.Expected.V)
	}
	if !e.Class.IsReversal() {
		c.line("splits-payable", s.Beneficiary+"|"+v.Effective.String())
		c.of("splits-payable")["splits"]++
		c.of("splits-payable").money("value", s.Value)
	}
}

func (c *counters) summary(v *ledger.InstallmentVersion, e *ledger.Expectation, splits int64) {
	t := c.of("summary")
	base := map[string]ledger.Date{"operation": v.SoldAt.Date(), "forecast": v.Forecast, "credit": v.Effective}[c.q.Basis]
	line := strings.Join([]string{base.String(), e.Brand, string(e.Product), e.Band}, "|")
	c.line("summary", line)
	n, s, r := rd(e.Net), rd(e.NetContract), rd(v.Received.Or(0))
	if e.Class.IsReversal() {
		t["cancelled_installments"]++
		t["cancelled_gross"] += e.GrossCents * 100
		t["cancelled_received"] += r
		return
	}
	t["installments"]++
	t["gross"] += e.GrossCents * 100
	for id, a := range map[string]ledger.Opt[ledger.Amount]{
		"mdr": v.MDR, "transaction_fee": v.Fee, "antifraud_fee": v.Antifraud, "anticipation_cost": v.Anticipation,
		"net_expected": ledger.Some(e.Net), "net_contract": ledger.Some(e.NetContract),
	} {
		t.money(id, a)
	}
	t["splits"] += splits
	t["overcharge"] += s - n
	t["difference"] += s - n
	switch e.Rest {
	case ledger.LineBlocked, ledger.LineNotDue, ledger.LineOverdue:
		t[string(e.Rest)] += n - r
	case ledger.LineNoForecast:
		t["not_due"] += n - r
	default:
		t["received"] += r
		t["net_kept"] += r - splits
		t["splits_received"] += splits
		t["short"] += max(n-r, 0)
		t["over"] += max(r-n, 0)
		t["difference"] += n - r
	}
	sale := v.SaleKey()
	c.line("sales", sale.Subject())
	c.line("sales of lines", line+sale.Subject())
	t["sales"], t[reportsums.SalesOfTheSet] = int64(len(c.lines["sales of lines"])), int64(len(c.lines["sales"]))
}

// charged are the fees by the names that reports have for them.
var charged = map[string]struct {
	line ledger.BridgeLine
	of   func(*ledger.InstallmentVersion) ledger.Opt[ledger.Amount]
}{
	"mdr":          {ledger.LineMDR, func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.MDR }},
	"transaction":  {ledger.LineFee, func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Fee }},
	"antifraud":    {ledger.LineAntifraud, func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Antifraud }},
	"anticipation": {ledger.LineAnticipation, func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Anticipation }},
}

// drawBrackets are brackets on the lines of the fees, some with a case, and on lines that are no fee's; or none at all,
// which is kept in another way.
func drawBrackets(r *rapid.T) []ledger.Bracket {
	if rapid.Bool().Draw(r, "no brackets") {
		return nil
	}
	out := []ledger.Bracket{{Line: ledger.LineReceived, Amount: 7, Code: "RECEIVED_PARTIAL", Case: "0f"}}
	for _, line := range []ledger.BridgeLine{
		ledger.LineMDR, ledger.LineFee, ledger.LineAntifraud, ledger.LineAnticipation, ledger.LineRounding,
	} {
		b := ledger.Bracket{Line: line, Amount: ledger.Amount(rapid.SampledFrom([]int64{-151, -50, 1, 49, 50, 10_049}).Draw(r, "off"))}
		switch {
		case rapid.Bool().Draw(r, "none"):
			continue
		case line != ledger.LineRounding && rapid.Bool().Draw(r, "owned"):
			b.Code, b.Case = "CODE", "0a"
		}
		out = append(out, b)
	}
	return out
}

// charges counts the fees of a live row in both tables.
func (c *counters) charges(v *ledger.InstallmentVersion, e *ledger.Expectation) {
	fees, claims := c.of("fees"), c.of("claims")
	for id, fee := range charged {
		took, off, found := fee.of(v).Or(0), ledger.Amount(0), false
		for _, b := range e.Brackets {
			if b.Line == fee.line && b.Case != "" && e.ContractLine != "" {
				off, found = b.Amount, true
			}
		}
		if id != "mdr" && took == 0 && !found {
			continue
		}
		c.line("fees", strings.Join([]string{id, e.Brand, string(e.Product), e.Band, e.ContractLine}, "|"))
		fees["installments"]++
		fees["gross"] += e.GrossCents * 100
		fees["charged"] += rd(took)
		if e.ContractLine != "" {
			fees["due"] += rd(took - off)
			fees["difference"] += rd(took) - rd(took-off)
			fees["overcharged"] += max(rd(took)-rd(took-off), 0)
			fees["undercharged"] += max(rd(took-off)-rd(took), 0)
		}
		if !found {
			continue
		}
		key := v.Key()
		fees["deviating"]++
		c.line("claims", key.Subject()+id)
		claims["installment"] += int64(key.Number)
		claims["installments"] += int64(v.InstallmentCount())
		claims["gross"] += int64(v.Gross)
		claims["due"] += rd(took - off)
		claims["charged"] += rd(took)
		claims["difference"] += rd(took) - rd(took-off)
	}
}

// manySums: over more rows than are read at once, with earlier versions, vanished rows, rows evaluated as another version and
// rows not evaluated at all, a reconcile sums what one query over all rows does, whatever it has at hand.
func manySums(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const days, aDay = 3, 900
	merge := func(first, last, perDay int, change func(i *ledger.Installment, at int) bool) {
		for d := first; d <= last; d++ {
			rows := make([]ledger.Installment, 0, perDay)
			for k := range perDay {
				i := row(day(d), fmt.Sprintf("%04d", k), 1, 1)
				if k%5 == 0 {
					i = received(i, ledger.Amount(500+k))
				}
				if change(&i, k) {
					rows = append(rows, i)
				}
			}
			n.merge(day(d), day(d), rows...)
		}
	}
	asSold := func(*ledger.Installment, int) bool { return true }
	takenBack := func(i *ledger.Installment, k int) bool {
		if k%15 == 0 {
			i.Received, i.Status = ledger.Some(ledger.Amount(-480)), "Canceled"
		}
		return k%11 != 0
	}
	paidLater := func(i *ledger.Installment, k int) bool {
		if k%7 == 0 {
			i.Received = ledger.Some(ledger.Amount(700))
		}
		return k%11 != 0
	}
	var cards []ledger.DaySum
	judge := func(run string, sales []ledger.Sale, evaluates func(d ledger.Date, at int) bool, sum func(r *results.ReconcileTx) ([]ledger.DaySum, error)) {
		n.reconcile(run, func(r *results.ReconcileTx) {
			for k := range sales {
				if evaluates(sales[k].Key.Day, k) {
					r.SetSale(&sales[k])
					ok(t, n.believed(r, sales[k].Rows[0].Current(), k))
				}
			}
			r.SetSale(nil)
			var err error
			cards, err = sum(r)
			ok(t, err)
		})
		n.sumsAgree(run, cards)
	}
	sumAll := func(r *results.ReconcileTx) ([]ledger.DaySum, error) { return r.CardSums(nil) }
	merge(1, days, aDay, asSold)
	merge(1, days, aDay, takenBack)
	judge("a", n.sales(), func(_ ledger.Date, k int) bool { return k%13 != 0 }, func(r *results.ReconcileTx) ([]ledger.DaySum, error) {
		ok(t, r.SumCardsAhead([]ledger.Date{day(1), day(2)}))
		return r.CardSums(nil)
	})
	equal(t, "days by brand", len(cards), 2*days)
	merge(1, days, aDay, paidLater)
	judge("b", nil, nil, func(r *results.ReconcileTx) ([]ledger.DaySum, error) {
		return r.CardSums([]ledger.Date{day(1), day(2), day(3), day(9)})
	})
	judge("c, the others of each day", n.sales(), func(_ ledger.Date, k int) bool { return k%13 == 0 }, sumAll)
	merge(4, 4, 60, asSold)
	merge(4, 4, 60, takenBack)
	judge("d, a whole day", n.sales(), func(d ledger.Date, _ int) bool { return d == day(4) }, sumAll)
	merge(5, 5, 60, asSold)
	atHand := n.sales()
	merge(5, 5, 60, paidLater)
	judge("e, a day that has changed since", atHand, func(d ledger.Date, _ int) bool { return d == day(5) }, sumAll)
}

// believed makes the expectation of a version as a row of its kind has it: a reversal where money was taken back, and open where none came.
func (n *night) believed(r *results.ReconcileTx, v *ledger.InstallmentVersion, k int) error {
	e := believe(v, ledger.Received, ledger.LineReceived)
	e.NetContract, e.Brand = ledger.Amount(1000+k), [...]string{"visa", "elo"}[k%2]
	switch {
	case v.Received.Or(0) < 0:
		e.Class, e.NetContract = ledger.Cancelled, 0
	case !v.Received.OK:
		e.Class = ledger.Open
	}
	_, err := r.WriteExpectation(&e, nil)
	return err
}

// sumsAgree compares sums of a reconcile with the current rows: differences with one query over all rows, and the gross of
// what is open with the rows themselves.
func (n *night) sumsAgree(run string, got []ledger.DaySum) {
	n.t.Helper()
	rows, err := n.l.Differences(n.t.Context(), n.account, ledger.Period{})
	ok(n.t, err)
	type group struct {
		day   ledger.Date
		brand string
	}
	waits := map[group]ledger.Amount{}
	ok(n.t, n.l.Installments(n.t.Context(), november("operation"), func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e != nil && e.Class == ledger.Open {
			waits[group{v.SoldAt.Date(), e.Brand}] += v.Gross
		}
		return nil
	}))
	want := make([]ledger.DaySum, len(rows))
	for i, b := range rows {
		want[i] = ledger.DaySum{Day: b.Day, Brand: b.Brand, Product: b.Product, Difference: b.Amount, Open: waits[group{b.Day, b.Brand}]}
	}
	got = slices.Clone(got)
	slices.SortFunc(got, func(a, b ledger.DaySum) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), strings.Compare(a.Brand, b.Brand))
	})
	if d := gocmp.Diff(want, got); d != "" {
		n.t.Errorf("sums of %s: %s", run, d)
	}
}

// differences are the sides of the bridge over days: one of cards, one of slips, and all there are.
func (n *night) differences() {
	n.t.Helper()
	for _, c := range []struct {
		says string
		days ledger.Period
		want string
	}{
		{"every day", ledger.Period{}, "cards 1, cards 2, slips 5"},
		{"no day but the second", ledger.Period{From: day(2), To: day(2)}, "cards 2"},
		{"the second to the fifth", ledger.Period{From: day(2), To: day(5)}, "cards 2, slips 5"},
		{"days of nothing", ledger.Period{From: day(6), To: day(9)}, ""},
	} {
		rows, err := n.l.Differences(n.t.Context(), account, c.days)
		ok(n.t, err)
		var got []string
		var cards ledger.Amount
		for _, r := range rows {
			got = append(got, fmt.Sprintf("%s %d", r.Side, r.Day-day(1)+1))
			if r.Side == "cards" {
				cards += r.Amount
			}
		}
		q := november("operation")
		if c.days != (ledger.Period{}) {
			q.Period = c.days
		}
		sums, err := n.l.Sums(n.t.Context(), q, reportsums.CardDifference, ledger.Percent)
		ok(n.t, err)
		equal(n.t, c.says+", with the sums of the rows", ledger.Amount(sums.Columns["difference"]), cards)
		equal(n.t, c.says, strings.Join(got, ", "), c.want)
	}
}
