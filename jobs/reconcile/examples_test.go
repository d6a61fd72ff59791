package reconcile_test

import (
	"testing"
	"time"

	"concilia/store/ledger"
)

// C0: a rate above the contract's, and short on top of it; the calendar twin is the sale's first installment.
func TestRateTooHighAndShort(t *testing.T) {
	t.Parallel()
	high := func(df, de, r string) func(*ledger.Installment) {
		return func(i *ledger.Installment) {
			i.MDR, i.MDRRate = some("2.99"), pct("2.99")
			i.Forecast, i.Effective, i.Received = day(df), day(de), some(r)
			i.ReceivedStatus = "Pago"
		}
	}
	clean := func(df string) func(*ledger.Installment) {
		return func(i *ledger.Installment) { i.Forecast = day(df); i.Effective = 0 }
	}
	for _, twin := range []string{"2024-11-21", "2024-11-20"} {
		m := &memory{sales: []*ledger.Sale{saleOf(
			installment("2024-10-21", "000123", "A1B2C3", 1, clean(twin)),
			installment("2024-10-21", "000123", "A1B2C3", 2, high("2024-12-20", "2024-12-20", "96.51")),
			installment("2024-10-21", "000123", "A1B2C3", 3, clean("2025-01-20")),
		)}}
		// Evaluated before the twin falls due: only what the example is about fires.
		r := m.reconciled(t, inputs("2024-11-15"))
		golden(t, "c11_0_twin_"+twin+".golden", m.page("as of 2024-11-15, twin forecast "+twin, r))
	}
}

func TestLateAndShortAfterAHoliday(t *testing.T) {
	t.Parallel()
	open := func(df string) func(*ledger.Installment) { return func(i *ledger.Installment) { i.Forecast = day(df) } }
	paid := func(de, r string) func(*ledger.Installment) {
		return func(i *ledger.Installment) { i.Effective, i.Received, i.ReceivedStatus = day(de), some(r), "Pago" }
	}
	a1 := installment("2024-10-20", "000201", "B00001", 1, open("2024-11-19"))
	a2 := installment("2024-10-21", "000202", "B00002", 1, open("2024-11-20"))
	rest := func(h ledger.InstallmentHistory) []ledger.InstallmentHistory {
		c := h[0].Installment
		sold := c.SoldAt.Date()
		var out []ledger.InstallmentHistory
		for k := 2; k <= 3; k++ {
			df := sold + ledger.Date(30*k)
			out = append(out, installment(sold.String(), c.NSU, c.Auth, k, func(i *ledger.Installment) { i.Forecast = df }))
		}
		return out
	}
	m := &memory{}
	page := ""
	night := func(asOf string, one, two ledger.InstallmentHistory) {
		m.sales = []*ledger.Sale{saleOf(append(rest(a1), one)...), saleOf(append(rest(a2), two)...)}
		page += m.page("as of "+asOf, m.reconciled(t, inputs(asOf)))
	}
	night("2024-11-19", a1, a2)
	night("2024-11-20", a1, a2)
	seen := &memory{findings: m.findings}
	seen.sales = []*ledger.Sale{saleOf(append(rest(a1), a1)...)}
	page += seen.page("as of 2024-11-22, a1 seen unpaid", seen.reconciled(t, inputs("2024-11-22")))
	m.findings = seen.findings
	night("2024-11-22", next(a1, paid("2024-11-21", "97.01")), next(a2, paid("2024-11-21", "97.11")))
	golden(t, "c11_a.golden", page)
}

func TestCancelledSale(t *testing.T) {
	t.Parallel()
	row := func(k int, df, de, r string) ledger.InstallmentHistory {
		return installment("2024-11-04", "000203", "B00003", k, func(i *ledger.Installment) {
			i.Count, i.SaleTotal, i.SaleFee, i.SaleAntifraud = 2, some("200"), some("0.20"), some("0.60")
			i.Forecast, i.Effective, i.Received = day(df), day(de), some(r)
			if de != "" {
				i.ReceivedStatus = "Pago"
			}
		})
	}
	b1, b2 := row(1, "2024-12-04", "2024-12-04", "97.11"), row(2, "2025-01-03", "", "")
	cancel := func(i *ledger.Installment) { i.Status, i.ReceivedStatus = "Cancelada", "" }
	m := &memory{}
	page := ""
	night := func(title, asOf string, rows ...ledger.InstallmentHistory) {
		m.sales = []*ledger.Sale{saleOf(rows...)}
		page += m.page(title, m.reconciled(t, inputs(asOf)))
	}
	night("2024-12-09", "2024-12-09", b1, b2)
	c1, c2 := next(b1, cancel), next(b2, cancel)
	night("2024-12-10, cancelled", "2024-12-10", c1, c2)
	night("2024-12-11, clawed back", "2024-12-11", next(c1, func(i *ledger.Installment) { i.Received = some("-97.11") }), c2)
	night("2024-12-11, received 0", "2024-12-11", next(c1, func(i *ledger.Installment) { i.Received = some("0") }), c2)
	night("2024-12-11, b2 still forecast", "2024-12-11",
		next(c1, func(i *ledger.Installment) { i.Received = some("0") }), next(c2, func(i *ledger.Installment) { i.ReceivedStatus = "Previsto" }))
	golden(t, "c11_b.golden", page)
}

func TestAnticipatedWithRounding(t *testing.T) {
	t.Parallel()
	sale := func(nsu, auth, c, rate, r string) *ledger.Sale {
		row := func(k int, gross, df string) ledger.InstallmentHistory {
			return installment("2024-09-02", nsu, auth, k, func(i *ledger.Installment) {
				i.SaleTotal, i.Gross, i.MDR = some("1000"), reais(gross), some("8.30")
				i.Forecast = day(df)
			})
		}
		third := row(3, "333.33", "2024-12-02")
		i := &third[0].Installment
		i.Anticipation, i.AnticipationRate, i.ReceivedType, i.ReceivedStatus = some(c), pct(rate), "Antecipado", "Pago"
		i.Effective, i.Received = day("2024-10-15"), some(r)
		settled := func(h ledger.InstallmentHistory) ledger.InstallmentHistory {
			h[0].Effective, h[0].ReceivedStatus = h[0].Forecast, "Pago"
			h[0].Received = ledger.Some(h[0].Gross - reais("8.70"))
			return h
		}
		return saleOf(settled(row(1, "333.34", "2024-10-02")), settled(row(2, "333.33", "2024-11-01")), third)
	}
	m := &memory{sales: []*ledger.Sale{
		sale("000204", "B00004", "5.66", "1.09", "318.97"), sale("000205", "B00005", "6.71", "1.29", "317.92"),
	}}
	golden(t, "c11_c.golden", m.page("as of 2024-12-10", m.reconciled(t, inputs("2024-12-10"))))
}

func TestMDRRoundedOnTheSale(t *testing.T) {
	t.Parallel()
	sale := func(nsu, auth, gross string, mdr ...string) *ledger.Sale {
		var rows []ledger.InstallmentHistory
		for k, m := range mdr {
			rows = append(rows, installment("2024-10-21", nsu, auth, k+1, func(i *ledger.Installment) {
				n := int64(len(mdr))
				i.Count, i.SaleTotal, i.Gross, i.MDR = int(n), some("120"), reais(gross), some(m)
				i.SaleFee, i.SaleAntifraud = ledger.Some(reais("0.10")*ledger.Amount(n)), ledger.Some(reais("0.30")*ledger.Amount(n))
				i.Forecast = day("2024-10-21") + ledger.Date(30*(k+1))
				for weekday := i.Forecast.Weekday(); weekday == time.Saturday || weekday == time.Sunday; weekday = i.Forecast.Weekday() {
					i.Forecast++
				}
				if i.Forecast == day("2024-11-20") {
					i.Forecast++
				}
				i.Effective, i.ReceivedStatus = i.Forecast, "Pago"
				i.Received = ledger.Some(i.Gross - i.MDR.V - reais("0.40"))
			}))
		}
		return saleOf(rows...)
	}
	m := &memory{sales: []*ledger.Sale{
		sale("000206", "B00006", "40", "1.01", "0.99", "0.99"),
		sale("000207", "B00007", "30", "0.77", "0.74", "0.74", "0.74"),
		sale("000208", "B00008", "30", "0.79", "0.74", "0.74", "0.74"),
	}}
	page := m.page("reading installment", m.reconciled(t, inputs("2025-03-10")))
	in := inputs("2025-03-10")
	in.Profile.MDRRounding = "sale"
	m.findings = nil
	page += m.page("reading sale", m.reconciled(t, in))
	golden(t, "c11_d.golden", page)
}

func TestSlips(t *testing.T) {
	t.Parallel()
	slip := func(id, value, due, paid, wp, credited string, lists []ledger.Source, change func(*ledger.SlipView)) *ledger.Slip {
		v := ledger.SlipView{
			Account: 1001, ID: id, Value: reais(value), Issued: day("2024-10-10"), Due: day(due), PaidOn: day(paid), PaidValue: some(wp),
			CreditedOn: day(credited), Status: ledger.Some[int64](ledger.BillPaid), PayerDocument: "52998224725",
		}
		var views []ledger.SlipVersion
		for _, list := range lists {
			v := v
			v.List = list
			if list == ledger.SlipsCredit {
				v.LateAllowed = ledger.Some(true)
				change(&v)
			}
			views = append(views, ledger.SlipVersion{SlipView: v, Version: 1, SeenAt: time.Unix(1, 0), FirstSeen: day("2024-11-01")})
		}
		s := ledger.SlipOf(views, nil)
		return &s
	}
	late := func(penR, intR string) func(*ledger.SlipView) {
		return func(v *ledger.SlipView) {
			v.Penalty, v.Interest, v.PenaltyReceived, v.InterestReceived = some("2"), some("1"), some(penR), some(intR)
		}
	}
	clean := late("0", "0")
	all := []ledger.Source{ledger.SlipsDue, ledger.SlipsPayment, ledger.SlipsCredit}
	paid := all[:2]
	e1 := "3fa85f64-0000-0000-0000-0000000000e1"
	e2 := "3fa85f64-0000-0000-0000-0000000000e2"
	e3 := "3fa85f64-0000-0000-0000-0000000000e3"
	m := &memory{}
	page := ""
	night := func(title, asOf string, slips ...*ledger.Slip) {
		m.slips = slips
		page += m.page(title, m.reconciled(t, inputs(asOf)))
	}
	night("e2 as of 2024-11-22", "2024-11-22", slip(e2, "320", "2024-11-08", "2024-11-21", "327.79", "", paid, clean))
	night("as of 2024-11-25", "2024-11-25",
		slip(e1, "150", "2024-11-16", "2024-11-18", "150", "2024-11-19", all, clean),
		slip(e2, "320", "2024-11-08", "2024-11-21", "327.79", "2024-11-22", all, late("6.40", "1.39")),
		slip(e3, "320", "2024-11-08", "2024-11-21", "326.00", "2024-11-22", all, late("5.40", "1.39")))
	m.findings = nil
	for _, asOf := range []string{"2024-11-19", "2024-11-20", "2024-11-21", "2024-11-22", "2024-11-25", "2024-11-26"} {
		night("e1 credited by no list, as of "+asOf, asOf, slip(e1, "150", "2024-11-16", "2024-11-18", "150", "", paid, clean))
	}
	golden(t, "c11_e.golden", page)
}
