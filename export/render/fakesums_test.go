package render_test

import (
	"context"
	"fmt"
	"strings"

	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/store/ledger"
)

// The sums of the fake ledger, as a database would work them out: column by column over the rows, with a rounding
// of their own.

// rd rounds to cents, half away from zero, in ten-thousandths.
func rd(a ledger.Amount) int64 {
	v := int64(a)
	if v < 0 {
		return -((-v + 50) / 100 * 100)
	}
	return (v + 50) / 100 * 100
}

// sumsOfTables are the tables that the fake ledger adds up. A kind with another table is in none of its sets: on drawn ledgers
// jobs.TestFilesTieToTheLedger proves every kind.
var sumsOfTables = map[string]func(*feed, *report.Sums){
	"installments":              (*feed).installmentSums,
	"splits":                    func(f *feed, s *report.Sums) { f.splitSums(s, "splits") },
	"splits-payable":            func(f *feed, s *report.Sums) { f.splitSums(s, "splits-payable") },
	"summary":                   (*feed).summarySums,
	"fees":                      func(f *feed, s *report.Sums) { f.chargeSums(s, "fees") },
	"claims":                    func(f *feed, s *report.Sums) { f.chargeSums(s, "claims") },
	"exceptions":                (*feed).caseSums,
	"aging":                     (*feed).agingSums,
	"restatement":               (*feed).restatementSums,
	"slips":                     (*feed).slipSums,
	"slips-summary":             (*feed).slipDaySums,
	"card-titles":               func(f *feed, s *report.Sums) { f.cardTitleSums(s, false) },
	"card-titles-net-of-splits": func(f *feed, s *report.Sums) { f.cardTitleSums(s, true) },
	"slip-titles":               (*feed).slipTitleSums,
	"statement":                 func(f *feed, s *report.Sums) { f.entrySums(s, false) },
	"statement-net":             func(f *feed, s *report.Sums) { f.entrySums(s, true) },
}

func (f *feed) Sums(_ context.Context, table string) (report.Sums, error) {
	s := report.Sums{Columns: map[string]int64{}}
	for _, t := range kindlist.Tables() {
		for _, c := range t.Columns {
			if t.ID == table && c.Type.Numeric() && !c.Ratio {
				s.Columns[c.ID] = 0
			}
		}
	}
	add := sumsOfTables[table]
	if add == nil {
		return s, fmt.Errorf("the fake ledger does not add up table %s: sumsOfTables of export/render/fakesums_test.go lacks it", table)
	}
	add(f, &s)
	delete(s.Columns, f.forget)
	return s, nil
}

func (f *feed) installmentSums(s *report.Sums) {
	c := s.Columns
	for i := range f.cards {
		v, e := &f.cards[i].v, &f.cards[i].e
		s.Rows++
		c["installment"] += int64(v.Number)
		c["installments"] += int64(v.Count)
		c["gross"] += int64(v.Gross)
		c["mdr"] += rd(v.MDR.Or(0))
		c["mdr_rate"] += int64(v.MDRRate.Or(0))
		c["contract_mdr_rate"] += int64(e.ContractMDRRate.Or(0))
		c["transaction_fee"] += rd(v.Fee.Or(0))
		c["transaction_fee_sale"] += rd(v.SaleFee.Or(0))
		c["antifraud_fee"] += rd(v.Antifraud.Or(0))
		c["anticipation_rate"] += int64(v.AnticipationRate.Or(0))
		c["anticipation"] += rd(v.Anticipation.Or(0))
		for _, sp := range v.Splits {
			c["splits"] += rd(sp.Value.Or(0))
		}
		c["net_expected"] += rd(e.Net)
		c["net_contract"] += rd(e.NetContract)
		c["received"] += rd(v.Received.Or(0))
		c["impact"] += rd(e.Impact.Or(0))
		c["version"] += int64(v.Version)
		c["gross_cents"] += e.GrossCents
	}
}

func (f *feed) splitSums(s *report.Sums, table string) {
	c := s.Columns
	lines := map[string]bool{}
	for i := range f.cards {
		v, e := &f.cards[i].v, &f.cards[i].e
		for k, sp := range v.Splits {
			if table == "splits-payable" {
				if e.Class != ledger.Cancelled && e.Class != ledger.Chargeback {
					lines[sp.Beneficiary+v.Effective.String()] = true
					c["splits"]++
					c["value"] += rd(sp.Value.Or(0))
				}
				continue
			}
			s.Rows++
			c["installment"] += int64(v.Number)
			c["installments"] += int64(v.Count)
			c["split"] += int64(k + 1)
			c["pct"] += int64(sp.Pct.Or(0))
			c["base"] += rd(sp.Base.Or(0))
			c["value"] += rd(sp.Value.Or(0))
			c["expected_value"] += rd(e.Splits[k].Expected.Or(0))
			c["contract_pct"] += int64(e.Splits[k].ContractPct.Or(0))
			c["difference"] += rd(sp.Value.Or(0)) - rd(e.Splits[k].Expected.Or(0))
		}
	}
	if table == "splits-payable" {
		s.Rows = int64(len(lines))
	}
}

func (f *feed) summarySums(s *report.Sums) {
	c := s.Columns
	lines, sales, onLines := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range f.cards {
		v, e := &f.cards[i].v, &f.cards[i].e
		line := fmt.Sprint(v.Account, v.SoldAt.Date(), e.Brand, e.Product, e.Band)
		lines[line] = true
		g, n, st, r := e.GrossCents*100, rd(e.Net), rd(e.NetContract), rd(v.Received.Or(0))
		if e.Class == ledger.Cancelled || e.Class == ledger.Chargeback {
			c["cancelled_installments"]++
			c["cancelled_gross"] += g
			c["cancelled_received"] += r
			continue
		}
		sale := fmt.Sprint(v.Account, v.NSU)
		sales[sale], onLines[sale+line] = true, true
		c["installments"]++
		c["gross"] += g
		c["mdr"] += rd(v.MDR.Or(0))
		c["transaction_fee"] += rd(v.Fee.Or(0))
		c["antifraud_fee"] += rd(v.Antifraud.Or(0))
		c["anticipation_cost"] += rd(v.Anticipation.Or(0))
		for _, sp := range v.Splits {
			c["splits"] += rd(sp.Value.Or(0))
		}
		c["net_expected"] += n
		c["net_contract"] += st
		c["overcharge"] += st - n
		c["difference"] += st - n
		switch {
		case r != 0 || v.Effective != 0 || e.Class == ledger.Received:
			c["received"] += r
			for _, sp := range v.Splits {
				c["splits_received"] += rd(sp.Value.Or(0))
			}
			c["short"] += max(n-r, 0)
			c["over"] += max(r-n, 0)
			c["difference"] += n - r
		case e.Class == ledger.Blocked:
			c["blocked"] += n
		case e.Rest == ledger.LineOverdue:
			c["overdue"] += n
		default:
			c["not_due"] += n
		}
	}
	s.Rows = int64(len(lines))
	f.adjustedSums(s)
	c["net_kept"] = c["received"] - c["splits_received"]
	c["sales"], c["sales of the set"] = int64(len(onLines)), int64(len(sales))
	for subject, severity := range f.cases {
		if !f.onRow(subject) {
			continue
		}
		if severity == ledger.Error {
			c["exceptions_error"]++
		} else {
			c["exceptions_warning"]++
		}
	}
}

// onRow says whether a subject is a row of the feed, a split of one or the sale of one.
func (f *feed) onRow(subject string) bool {
	for i := range f.cards {
		v := &f.cards[i].v
		row := v.Key().Subject()
		if subject == row || subject == v.SaleKey().Subject() || strings.HasPrefix(subject, "split"+strings.TrimPrefix(row, "card")+":") {
			return true
		}
	}
	return false
}

func (f *feed) chargeSums(s *report.Sums, table string) {
	c := s.Columns
	lines := map[string]bool{}
	for i := range f.cards {
		v, e := &f.cards[i].v, &f.cards[i].e
		if e.Class == ledger.Cancelled || e.Class == ledger.Chargeback {
			continue
		}
		for line, took := range map[ledger.BridgeLine]ledger.Amount{
			ledger.LineMDR: v.MDR.Or(0), ledger.LineFee: v.Fee.Or(0), ledger.LineAntifraud: v.Antifraud.Or(0),
			ledger.LineAnticipation: v.Anticipation.Or(0),
		} {
			off, deviates := ledger.Amount(0), false
			for _, b := range e.Brackets {
				if b.Line == line && e.ContractLine != "" {
					off, deviates = b.Amount, true
				}
			}
			if line != ledger.LineMDR && took == 0 && !deviates || table == "claims" && !deviates {
				continue
			}
			c["charged"] += rd(took)
			if e.ContractLine != "" {
				c["due"] += rd(took - off)
				c["difference"] += rd(took) - rd(took-off)
				if table == "fees" {
					c["overcharged"] += max(rd(took)-rd(took-off), 0)
					c["undercharged"] += max(rd(took-off)-rd(took), 0)
				}
			}
			if table == "claims" {
				s.Rows++
				c["installment"] += int64(v.Number)
				c["installments"] += int64(v.Count)
				c["gross"] += int64(v.Gross)
				continue
			}
			lines[fmt.Sprint(v.Account, line, e.Brand, e.Product, e.Band, e.ContractLine)] = true
			c["installments"]++
			c["gross"] += e.GrossCents * 100
			if deviates {
				c["deviating"]++
			}
		}
	}
	if table == "fees" {
		s.Rows = int64(len(lines))
	}
}

func (f *feed) slipSums(s *report.Sums) {
	c := s.Columns
	for i := range f.slips {
		v, e := &f.slips[i].s, &f.slips[i].e
		s.Rows++
		c["value"] += rd(v.Value)
		c["paid_value"] += rd(v.PaidValue.Or(0))
		c["penalty_received"] += rd(v.PenaltyReceived.Or(0))
		c["interest_received"] += rd(v.InterestReceived.Or(0))
		c["days_late"] += e.DaysLate.Or(0)
		c["float_days"] += e.FloatDays.Or(0)
		c["tariff"] += rd(e.Tariff.Or(0))
		c["net_credited"] += rd(e.NetCredited.Or(0))
	}
}

func (f *feed) slipDaySums(s *report.Sums) {
	c := s.Columns
	days := map[ledger.Date]bool{}
	for i := range f.slips {
		v, e := &f.slips[i].s, &f.slips[i].e
		days[v.Issued] = true
		face, paid := rd(v.Value), rd(v.PaidValue.Or(0))
		c["issued_qty"]++
		c["issued"] += face
		switch {
		case e.Class == ledger.Paid:
			c["paid_qty"]++
			c["paid"] += paid
			c["tariff"] += rd(e.Tariff.Or(0))
			if len(e.Brackets) > 0 && e.Brackets[0].Line == ledger.LineLateNotShown {
				c["charges_to_confirm"] += paid - face
			} else {
				c["difference"] += rd(e.Face) - paid
				c["short"] += max(rd(e.Face)-paid, 0)
				c["over"] += max(paid-rd(e.Face), 0)
			}
			switch {
			case v.CreditedOn != 0:
				c["credited_qty"]++
				c["credited"] += paid
			case e.Rest == ledger.LineCreditOverdue:
				c["credit_overdue"] += paid
			default:
				c["not_credited"] += paid
			}
		case e.Class == ledger.Cancelled:
			c["cancelled_qty"]++
			c["cancelled"] += face
		case e.Class == ledger.Failed:
			c["failed_qty"]++
			c["failed"] += face
		case v.Due < f.asOf:
			c["overdue_qty"]++
			c["overdue"] += face
		default:
			c["open_qty"]++
			c["open"] += face
		}
	}
	s.Rows = int64(len(days))
}

// payment adds the unsigned columns of a title: what is below zero is in the opposite one.
func payment(c map[string]int64, fee, additions, discounts, expenses, credits, net int64) {
	c["fees"] += max(fee, 0)
	c["additions"] += max(additions, 0)
	c["discounts"] += discounts + max(-additions, 0)
	c["other_expenses"] += max(expenses, 0)
	c["net"] += max(net, 0)
	c["other_credits"] += credits + max(-fee, 0) + max(-expenses, 0) + max(-net, 0)
}

func titleColumns(s *report.Sums) map[string]int64 {
	for _, id := range []string{
		"face", "paid", "net", "fees", "additions", "discounts", "other_expenses", "other_credits", "shares", "shares_value",
	} {
		s.Columns[id] = 0
	}
	return s.Columns
}

func (f *feed) cardTitleSums(s *report.Sums, netOfSplits bool) {
	c := titleColumns(s)
	for i := range f.cards {
		v, e := &f.cards[i].v, &f.cards[i].e
		if e.GrossCents < 0 {
			continue
		}
		s.Rows++
		gross, received := e.GrossCents*100, rd(v.Received.Or(0))
		fees := rd(v.MDR.Or(0)) + rd(v.Fee.Or(0)) + rd(v.Antifraud.Or(0))
		c["face"] += gross
		cost := rd(v.Anticipation.Or(0))
		for _, sp := range v.Splits {
			share := rd(sp.Value.Or(0))
			if netOfSplits {
				cost += share
			}
			if received >= 0 && !e.Class.IsReversal() && share >= 0 {
				c["shares"]++
				c["shares_value"] += share
			}
		}
		switch {
		case received < 0:
			payment(c, 0, 0, 0, -received, 0, 0)
		case e.Class == ledger.Received:
			c["paid"] += gross
			open := gross - fees - cost - received
			payment(c, fees, 0, 0, cost+max(open, 0), max(-open, 0), received)
		default:
			payment(c, fees, 0, 0, 0, 0, 0)
		}
	}
}

func (f *feed) slipTitleSums(s *report.Sums) {
	c := titleColumns(s)
	for i := range f.slips {
		v, e := &f.slips[i].s, &f.slips[i].e
		paid, status := v.PaidOn != 0 && v.PaidValue.OK, v.Status.Or(0)
		none := !paid && v.CancelledOn == 0 && v.Integration.Or(0) < ledger.IntegrationRejected && (status == 0 || status == ledger.BillProcessing)
		if none || v.Value < 0 || paid && v.PaidValue.V < 0 {
			continue
		}
		s.Rows++
		face := rd(v.Value)
		c["face"] += face
		if !paid {
			continue
		}
		value, tariff, charges := rd(v.PaidValue.V), rd(e.Tariff.Or(0)), rd(v.PenaltyReceived.Or(0))+rd(v.InterestReceived.Or(0))
		rest := value - face - charges
		c["paid"] += value
		payment(c, tariff, charges+max(rest, 0), max(-rest, 0), 0, 0, value-tariff)
	}
}
