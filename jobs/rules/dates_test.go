package rules_test

import (
	"strings"
	"testing"
	"time"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Grace 1; Carnival 2025 is 3 and 4 March, and Ash Wednesday is a business day.
func TestDatesOfOverdue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ df, due, limit, breakOn, aged string }{
		{"2024-11-19", "2024-11-19", "2024-11-21", "2024-11-22", "2024-11-28"},
		{"2024-11-20", "2024-11-21", "2024-11-22", "2024-11-23", "2024-11-29"},
		{"2024-11-21", "2024-11-21", "2024-11-22", "2024-11-23", "2024-11-29"},
		{"2024-11-22", "2024-11-22", "2024-11-25", "2024-11-26", "2024-11-30"},
		{"2024-11-23", "2024-11-25", "2024-11-26", "2024-11-27", "2024-12-03"},
		{"2024-11-24", "2024-11-25", "2024-11-26", "2024-11-27", "2024-12-03"},
		{"2024-11-25", "2024-11-25", "2024-11-26", "2024-11-27", "2024-12-03"},
		{"2025-02-28", "2025-02-28", "2025-03-05", "2025-03-06", "2025-03-12"},
		{"2025-03-03", "2025-03-05", "2025-03-06", "2025-03-07", "2025-03-13"},
		{"2025-03-05", "2025-03-05", "2025-03-06", "2025-03-07", "2025-03-13"},
		{"2024-12-31", "2024-12-31", "2025-01-02", "2025-01-03", "2025-01-09"},
	} {
		at := func(d ledger.Date) (*rules.Row, rules.Outcome) {
			e := world{asOf: d.String()}.env(t)
			h := rows()
			h[1][0].Forecast = day(c.df)
			s := rules.NewSale(e, h[0].Current().SaleKey(), h, true)
			return s.Rows[1], e.EvaluateRow(e.Index("RECEIVED_OVERDUE"), s.Rows[1])
		}
		r, o := at(day(c.due))
		if r.Due != day(c.due) || r.Limit != day(c.limit) || o.Status != rules.Passed {
			t.Errorf("due %s: business day %s, limit %s, status %d on it", c.df, r.Due, r.Limit, o.Status)
		}
		for d := day(c.due) + 1; d < day(c.breakOn); d++ {
			if _, o := at(d); o.Status != rules.Pends || o.BreakOn != day(c.breakOn) {
				t.Errorf("due %s, as of %s: status %d, breaks on %s", c.df, d, o.Status, o.BreakOn)
			}
		}
		if _, o := at(day(c.breakOn)); o.Status != rules.Fires || o.Hint != "" {
			t.Errorf("due %s, as of %s: status %d, hint %q", c.df, c.breakOn, o.Status, o.Hint)
		}
		if _, o := at(day(c.aged) - 1); o.Hint != "" {
			t.Errorf("due %s: aged already on %s", c.df, day(c.aged)-1)
		}
		if _, o := at(day(c.aged)); o.Status != rules.Fires || o.Hint != "aged" {
			t.Errorf("due %s: not aged on %s", c.df, c.aged)
		}
	}
}

func TestDatesOfSlips(t *testing.T) {
	t.Parallel()
	e := world{}.env(t)
	for _, c := range []struct{ due, onTime string }{
		{"2024-11-16", "2024-11-18"},
		{"2024-11-20", "2024-11-21"},
		{"2024-12-30", "2024-12-30"},
		{"2024-12-31", "2025-01-02"},
		{"2025-03-03", "2025-03-05"},
	} {
		for _, paidOn := range []ledger.Date{day(c.onTime), day(c.onTime) + 1} {
			s := rules.NewSlip(e, slip(func(v *ledger.SlipView) { v.Due, v.PaidOn = day(c.due), paidOn }))
			if late := paidOn > day(c.onTime); s.Late() != late {
				t.Errorf("due %s, paid %s: late %v", c.due, paidOn, s.Late())
			}
		}
	}
}

func TestDatesOfSlipCredit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ paid, due, warn, err string }{
		{"2024-11-14", "2024-11-18", "2024-11-19", "2024-11-22"},
		{"2024-11-15", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-11-16", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-11-18", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-12-31", "2025-01-02", "2025-01-03", "2025-01-07"},
	} {
		at := func(d ledger.Date) rules.Outcome {
			e := world{asOf: d.String()}.env(t)
			s := rules.NewSlip(e, slip(func(v *ledger.SlipView) { v.PaidOn, v.CreditedOn = day(c.paid), 0 }))
			o := e.EvaluateSlip(e.Index("SLIP_CREDIT_OVERDUE"), s)
			if s.CreditDue != day(c.due) {
				t.Errorf("paid %s: due %s", c.paid, s.CreditDue)
			}
			return o
		}
		for d := day(c.paid); d <= day(c.err)+2; d++ {
			o := at(d)
			want, severity := rules.Passed, ledger.Severity("")
			switch {
			case d > day(c.err):
				want, severity = rules.Fires, ledger.Error
			case d > day(c.warn):
				want, severity = rules.Fires, ledger.Warning
			case d > day(c.due):
				want, severity = rules.Pends, ledger.Warning
			}
			if o.Status != want || o.Severity != severity {
				t.Errorf("paid %s, as of %s: status %d %s, want %d %s", c.paid, d, o.Status, o.Severity, want, severity)
			}
			if o.Status == rules.Pends && o.BreakOn != day(c.warn)+1 {
				t.Errorf("paid %s: breaks on %s", c.paid, o.BreakOn)
			}
		}
	}
}

// Where a term leads: calendar days and the next business day, or business days, k times for installment k.
func TestWhereATermLeads(t *testing.T) {
	t.Parallel()
	contract := strings.ReplaceAll(contractText, "settlement: {credit: D+30}", "settlement: {credit: D+30, debit: D+1 bd, voucher: D+27}")
	for _, c := range []struct {
		says, product, sold string
		k                   int
		raw                 bool
		want                string
	}{
		{"thirty days, a holiday, moved on", "CREDIT", "2024-10-21", 1, false, "2024-11-21"},
		{"thirty days, read raw", "CREDIT", "2024-10-21", 1, true, "2024-11-20"},
		{"thrice thirty from the sale, not from the second", "CREDIT", "2024-09-02", 3, false, "2024-12-02"},
		{"debit: the next business day", "DEBIT", "2024-10-21", 1, false, "2024-10-22"},
		{"debit of a Saturday", "DEBIT", "2024-10-19", 1, false, "2024-10-21"},
		{"debit before the year's last business day, which settles", "DEBIT", "2024-12-30", 1, false, "2024-12-31"},
		{"debit, second installment", "DEBIT", "2024-12-30", 2, false, "2025-01-02"},
		{"voucher: 27 days, a Sunday, moved on", "VOUCHER", "2024-10-21", 1, false, "2024-11-18"},
	} {
		e := world{contract: contract, change: func(o *rules.Options) {
			if c.raw {
				o.Profile.Forecast = agreements.ForecastRaw
			}
		}}.env(t)
		h := rows()[:1]
		i := &h[0].Current().Installment
		i.SoldAt, i.CardType, i.Number = must(ledger.ParseLocalTime(c.sold+"T10:00:00", time.UTC)), c.product, c.k
		i.Forecast = day(c.want)
		r := rules.NewSale(e, i.SaleKey(), h, true).Rows[0]
		if r.ContractDue != day(c.want) {
			t.Errorf("%s: %s, want %s", c.says, r.ContractDue, c.want)
		}
		if o := e.EvaluateRow(e.Index("FORECAST_DATE_MISMATCH"), r); o.Status != rules.Passed {
			t.Errorf("%s: status %d", c.says, o.Status)
		}
	}
}
