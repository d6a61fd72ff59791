package storetest

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
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
		v.Antifraud, v.SaleAntifrd, v.Anticipation = maybe("antifraud"), maybe("sale antifraud"), maybe("anticipation")
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

// card counts one installment in every table it stands in.
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
	t["anticipation_rate"] += c.rate(v.AnticipRate.Or(0))
	t["contract_mdr_rate"] += rd(ledger.Amount(e.ContractMDRRate.Or(0)))
	for id, a := range map[string]ledger.Opt[ledger.Amount]{
		"mdr": v.MDR, "transaction_fee": v.Fee, "transaction_fee_sale": v.SaleFee, "antifraud_fee": v.Antifraud,
		"antifraud_fee_sale": v.SaleAntifrd, "anticipation": v.Anticipation, "received": v.Received, "impact": e.Impact,
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
	t["sales"], t[reports.SalesOfTheSet] = int64(len(c.lines["sales of lines"])), int64(len(c.lines["sales"]))
}
