package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// impactsOf is every case of a subject that has a line, as "CODE impact" or "CODE by ROOT".
func impactsOf(m *memory, subject string) string {
	var all []string
	for _, f := range m.findings {
		switch {
		case f.Subject != subject || !f.Impact.OK:
		case f.ExplainedBy != "":
			all = append(all, fmt.Sprintf("%s by %s", f.Code, f.ExplainedBy))
		default:
			all = append(all, fmt.Sprintf("%s %s", f.Code, f.Impact.V))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// The first owner of a bracket that fired has all of it; those after it are explained by it and cost nothing.
func TestOwnersInTheirOrder(t *testing.T) {
	t.Parallel()
	const who = "12345678000195"
	paid := func(on, value string) func(*ledger.Installment) {
		return func(i *ledger.Installment) {
			i.Effective, i.Received, i.ReceivedStatus = day(on), some(value), "Pago"
		}
	}
	early := func(on, c, rate string) func(*ledger.Installment) {
		return func(i *ledger.Installment) {
			paid(on, "96.11")(i)
			i.Anticipation, i.AnticipationRate, i.ReceivedType = some(c), pct(rate), "Antecipado"
		}
	}
	lacks := func(fee string) string { return strings.ReplaceAll(contractText, fee, "") }
	shares := contractText + "    splits: [{beneficiary: \"" + who + "\", pct: 10}]\n"
	split := func(p, base, value string) func(*ledger.Installment) {
		return func(i *ledger.Installment) {
			i.Splits = []ledger.Split{{Beneficiary: who, Type: "P", Pct: pct(p), Base: some(base), Value: some(value)}}
		}
	}
	for _, c := range []struct {
		says, contract string
		change, later  func(*ledger.Installment)
		split          string
		want           string
	}{
		{says: "no rate, another amount", change: func(i *ledger.Installment) {
			i.MDR, i.MDRRate = some("1"), pct("0")
		}, want: "MDR_AMOUNT_MISMATCH by MDR_CHARGED_ZERO, MDR_CHARGED_ZERO -1.49, MDR_RATE_MISMATCH by MDR_CHARGED_ZERO"},
		{says: "another rate, and not even that", change: func(i *ledger.Installment) {
			i.MDR, i.MDRRate = some("4"), pct("2.99")
		}, want: "MDR_AMOUNT_MISMATCH by MDR_RATE_MISMATCH, MDR_RATE_MISMATCH 1.51"},
		{says: "one fee wrong, the other not agreed", contract: lacks(", antifraud_fee: 0.30"), change: func(i *ledger.Installment) {
			i.Fee = some("0.15")
		}, want: "FEE_UNEXPECTED 0.30, TRN_FEE_MISMATCH 0.05"},
		{says: "the other one wrong, the one not agreed", contract: lacks("transaction_fee: 0.10, "), change: func(i *ledger.Installment) {
			i.Antifraud = some("0.25")
		}, want: "ANTIFRAUD_FEE_MISMATCH -0.05, FEE_UNEXPECTED 0.10"},
		{says: "neither agreed: one case, both lines", contract: lacks("transaction_fee: 0.10, antifraud_fee: 0.30, "), want: "FEE_UNEXPECTED 0.40"},
		{
			says: "no day gained, another rate, another amount", change: early("2024-11-21", "1", "2"),
			want: "ANTICIPATION_AMOUNT_MISMATCH by ANTICIPATION_WITHOUT_EARLY_DATE, " +
				"ANTICIPATION_RATE_MISMATCH by ANTICIPATION_WITHOUT_EARLY_DATE, ANTICIPATION_WITHOUT_EARLY_DATE 1.00",
		},
		{
			says: "another rate, another amount", change: func(i *ledger.Installment) {
				early("2024-11-06", "1.50", "2")(i)
				i.Received = some("95.61")
			},
			want: "ANTICIPATION_AMOUNT_MISMATCH by ANTICIPATION_RATE_MISMATCH, ANTICIPATION_RATE_MISMATCH 0.97",
		},
		{
			says: "gone, and below nothing", change: paid("2024-11-21", "97.11"), later: func(i *ledger.Installment) { i.Received = some("-5") },
			want: "RECEIVED_NEGATIVE by RECEIVED_REVERSED, RECEIVED_REVERSED 102.11, RECEIVED_VALUE_MISMATCH by RECEIVED_REVERSED",
		},
		{
			says: "gone, the date left", change: paid("2024-11-21", "97.11"), later: func(i *ledger.Installment) { i.Received = some("0") },
			want: "RECEIVED_DATE_WITHOUT_VALUE by RECEIVED_REVERSED, RECEIVED_REVERSED 97.11, RECEIVED_VALUE_MISMATCH by RECEIVED_REVERSED",
		},
		{says: "below nothing", change: paid("2024-11-21", "-5"), want: "RECEIVED_NEGATIVE 102.11, RECEIVED_VALUE_MISMATCH by RECEIVED_NEGATIVE"},
		{says: "a date and nothing", change: paid("2024-11-21", "0"), want: "RECEIVED_DATE_WITHOUT_VALUE 97.11, RECEIVED_VALUE_MISMATCH by RECEIVED_DATE_WITHOUT_VALUE"},
		{says: "a part", change: func(i *ledger.Installment) { i.Received = some("50") }, want: "RECEIVED_PARTIAL 47.11, RECEIVED_VALUE_MISMATCH by RECEIVED_PARTIAL"},
		{says: "short", change: paid("2024-11-21", "97"), want: "RECEIVED_VALUE_MISMATCH 0.11"},
		{
			says: "taken back, more than was paid", change: paid("2024-11-21", "97.11"), later: func(i *ledger.Installment) {
				i.Status, i.Received = "Chargeback", some("-100")
			}, want: "RECEIVED_NEGATIVE 2.89",
		},
		{
			says: "taken back in part", change: paid("2024-11-21", "97.11"), later: func(i *ledger.Installment) {
				i.Status, i.Received = "Chargeback", some("-90")
			}, want: "CANCELLED_BUT_RECEIVED -7.11",
		},
		{
			says: "another share of another base, another value", contract: shares, change: split("12", "90", "20"), split: "P",
			want: "SPLIT_AMOUNT_MISMATCH by SPLIT_CONTRACT_PCT_MISMATCH, SPLIT_BASE_MISMATCH by SPLIT_CONTRACT_PCT_MISMATCH, SPLIT_CONTRACT_PCT_MISMATCH 10.29",
		},
		{
			says: "another base, another value", contract: shares, change: split("10", "90", "20"), split: "P",
			want: "SPLIT_AMOUNT_MISMATCH 10.29, SPLIT_BASE_MISMATCH by SPLIT_AMOUNT_MISMATCH",
		},
		{says: "another base", contract: shares, change: split("10", "90", "9"), split: "P", want: "SPLIT_BASE_MISMATCH -0.71"},
		{says: "no split", contract: shares, split: "none", want: "SPLIT_MISSING -9.71"},
	} {
		h := installment("2024-10-21", "1", "A", 1, func(i *ledger.Installment) {
			i.Count, i.SaleTotal, i.Forecast = 2, some("200"), day("2024-11-21")
			if c.change != nil {
				c.change(i)
			}
		})
		if c.later != nil {
			h = next(h, c.later)
		}
		in := inputs("2024-11-21")
		if c.contract != "" {
			in.Contracts = must(agreements.ParseContracts("contract.yaml", []byte(c.contract)))
		}
		m := &memory{sales: []*ledger.Sale{saleOf(h)}}
		m.reconciled(t, in)
		key := h.Current().Key()
		subject := key.Subject()
		switch c.split {
		case "P":
			subject = ledger.SplitSubject(key, who, "P", 1)
		case "none":
			subject = ledger.SplitSubject(key, who, "", 1)
		}
		if got := impactsOf(m, subject); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.says, got, c.want)
		}
	}
}

// Penalty and interest have brackets of their own; what they leave is one bracket, and its owners take turns.
func TestOwnersOfSlips(t *testing.T) {
	t.Parallel()
	late := func(v *ledger.SlipView) {
		v.PaidOn, v.PaidValue, v.CreditedOn = day("2024-12-03"), some("102.43"), day("2024-12-04")
	}
	charged := func(penalty, interest string) func(*ledger.SlipView) {
		return func(v *ledger.SlipView) { v.PenaltyReceived, v.InterestReceived = some(penalty), some(interest) }
	}
	for _, c := range []struct {
		says   string
		change func(*ledger.SlipView)
		shown  func(*ledger.SlipView)
		want   string
	}{
		{"late, all paid", late, charged("2", "0.43"), ""},
		{"late, a penalty short", late, charged("1", "0.43"), "SLIP_LATE_PENALTY_MISMATCH 1.00, SLIP_PAYMENT_COMPOSITION_MISMATCH -1.00"},
		{
			"late, nothing paid", func(v *ledger.SlipView) { late(v); v.PaidValue = ledger.Opt[ledger.Amount]{} }, charged("2", "0.43"),
			"SLIP_PAID_INCOMPLETE 102.43, SLIP_PAYMENT_COMPOSITION_MISMATCH by SLIP_PAID_INCOMPLETE",
		},
		{"in time, charged all the same", func(v *ledger.SlipView) {
			v.PaidOn, v.PaidValue, v.CreditedOn = day("2024-11-20"), some("102"), day("2024-11-22")
		}, charged("2", "0"), "SLIP_CHARGE_NOT_DUE -2.00"},
		{"too much", func(v *ledger.SlipView) {
			v.PaidOn, v.PaidValue, v.CreditedOn = day("2024-11-20"), some("102"), day("2024-11-22")
		}, charged("0", "0"), "SLIP_OVERPAID -2.00"},
		{"cancelled, paid and not credited", func(v *ledger.SlipView) {
			v.CancelledOn, v.PaidOn, v.PaidValue = day("2024-11-01"), day("2024-11-20"), some("100")
		}, charged("0", "0"), "SLIP_CANCELLED_BUT_PAID -100.00, SLIP_CREDIT_OVERDUE 100.00"},
	} {
		v := ledger.SlipView{
			Account: 1001, ID: "a", Value: reais("100"), Issued: day("2024-11-01"), Due: day("2024-11-20"), Status: ledger.Some[int64](3),
		}
		c.change(&v)
		m := &memory{slips: []*ledger.Slip{viewsOf(v, []ledger.Source{ledger.SlipsCredit}, func(v *ledger.SlipView) {
			v.Penalty, v.Interest = some("2"), some("1")
			c.shown(v)
		})}}
		m.reconciled(t, inputs("2024-12-10"))
		if got := impactsOf(m, "slip:1001:a"); got != c.want {
			t.Errorf("%s: %s, want %s", c.says, got, c.want)
		}
	}
}
