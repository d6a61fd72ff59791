package rules_test

import (
	"strings"
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Every tolerance lets exactly its own size pass: one row on the boundary, one the least step beyond it.

func TestBoundariesOfFees(t *testing.T) {
	t.Parallel()
	m := func(value, rate string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.MDR, i.MDRRate = some(value), pct(rate) })
	}
	fee := func(value string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.Fee = some(value) })
	}
	perSale := world{contract: strings.NewReplacer(
		"    rates:", "    fee_basis: sale\n    rates:", "transaction_fee: 0.10, antifraud_fee: 0.30", "transaction_fee: 0.30, antifraud_fee: 0.90",
	).Replace(contractText)}
	bySale := world{change: func(o *rules.Options) { o.Profile.MDRRounding = agreements.MDRPerSale }}
	onFirst := world{change: func(o *rules.Options) { o.Profile.FeeSpread = agreements.FeesOnFirst }}
	fees := func(first, others, sale string) func(histories) histories {
		return func(h histories) histories {
			for n, x := range h {
				i := &x.Current().Installment
				i.Fee, i.SaleFee = some(others), some(sale)
				if n == 0 {
					i.Fee = some(first)
				}
			}
			return h
		}
	}
	spread := func(first, others string) func(histories) histories {
		return func(h histories) histories {
			for n, x := range h {
				i := &x.Current().Installment
				i.Gross, i.SaleTotal, i.MDR = reais("40"), some("120"), some(others)
				if n == 0 {
					i.MDR = some(first)
				}
			}
			return h
		}
	}
	runCards(t, []cardCase{
		{code: "MDR_AMOUNT_MISMATCH", says: "a cent under", make: m("2.48", "2.49"), want: within},
		{code: "MDR_AMOUNT_MISMATCH", says: "a cent and a ten-thousandth", make: m("2.5001", "2.49"), want: fires},
		{code: "MDR_AMOUNT_MISMATCH", says: "half a cent is rounded away from zero", make: m("2.51", "2.505"), want: passes},
		{code: "MDR_AMOUNT_MISMATCH", says: "right on the sale, three cents off on the row", make: spread("1.03", "0.98"), want: within},
		{code: "MDR_AMOUNT_MISMATCH", says: "right on the sale, four cents off on the row", make: spread("1.04", "0.98"), want: fires},
		{code: "MDR_AMOUNT_MISMATCH", says: "two cents off on the sale", make: spread("1.05", "0.98"), want: fires},
		{code: "MDR_AMOUNT_MISMATCH", says: "right on the sale, but a day pulled in part cannot say so", make: spread("1.03", "0.98"), partial: true, want: fires},
		{code: "MDR_TXN_TOTAL_MISMATCH", says: "three cents over three", make: m("2.52", "2.49"), want: within},
		{code: "MDR_TXN_TOTAL_MISMATCH", says: "rounded on the sale, a cent", make: m("2.50", "2.49"), w: bySale, want: within},
		{code: "MDR_TXN_TOTAL_MISMATCH", says: "rounded on the sale, two cents", make: m("2.51", "2.49"), w: bySale, want: fires},
		{code: "MDR_TXN_TOTAL_MISMATCH", says: "a day pulled in part", partial: true, want: rules.NotEvaluable},
		{code: "MDR_RATE_INCONSISTENT", says: "0.0001 of a point", make: m("2.49", "2.4901"), want: within},
		{code: "MDR_RATE_INCONSISTENT", says: "0.000101 of a point", make: m("2.49", "2.490101"), want: fires},
		{code: "MDR_RATE_INCONSISTENT", says: "a blank rate of a cancelled row does not count", make: second(func(i *ledger.Installment) {
			i.Status, i.MDRRate = "Cancelada", pct("0")
		}), want: passes},
		{code: "MDR_RATE_MISMATCH", says: "0.005 of a point under", make: m("2.49", "2.485"), want: within},
		{code: "MDR_RATE_MISMATCH", says: "0.005001 of a point", make: m("2.49", "2.495001"), want: fires},
		{code: "MDR_RATE_MISMATCH", says: "a cancelled row", make: every(func(i *ledger.Installment) { i.Status, i.MDRRate = "Chargeback", pct("9") }), want: none},
		{code: "MDR_RATE_MISMATCH", says: "not stated, a cent off", make: second(func(i *ledger.Installment) {
			i.MDR, i.MDRRate = some("2.50"), ledger.Opt[ledger.Rate]{}
		}), want: within},
		{code: "MDR_CHARGED_ZERO", says: "nothing sent at all", make: second(func(i *ledger.Installment) {
			i.MDR, i.MDRRate = ledger.Opt[ledger.Amount]{}, ledger.Opt[ledger.Rate]{}
		}), want: fires},
		{code: "MDR_CHARGED_ZERO", says: "twenty cents, of which the contract takes 0.00", make: second(func(i *ledger.Installment) {
			i.Gross, i.MDR = reais("0.20"), some("0")
		}), want: passes},
		{code: "MDR_CHARGED_ZERO", says: "twenty-one cents, of which it takes a cent", make: second(func(i *ledger.Installment) {
			i.Gross, i.MDR = reais("0.21"), some("0")
		}), want: fires},
		{code: "MDR_CHARGED_ZERO", says: "twenty cents at a rate of nothing", make: second(func(i *ledger.Installment) {
			i.Gross, i.MDR, i.MDRRate = reais("0.20"), some("0"), pct("0")
		}), want: fires},
		{code: "MDR_CHARGED_ZERO", says: "a contract of nothing", w: world{contract: strings.ReplaceAll(contractText, "mdr: 2.49", "mdr: 0")}, want: none},
		{code: "TRN_FEE_MISMATCH", says: "a cent over", make: fee("0.11"), want: within},
		{code: "TRN_FEE_MISMATCH", says: "a cent under", make: fee("0.09"), want: within},
		{code: "TRN_FEE_MISMATCH", says: "a cent and a ten-thousandth", make: fee("0.1101"), want: fires},
		{code: "TRN_FEE_MISMATCH", says: "per sale, the rows as the service likes", make: fees("0.30", "0", "0.30"), w: perSale, want: passes},
		{code: "TRN_FEE_MISMATCH", says: "per sale, the stated fee two cents off", make: fees("0.10", "0.10", "0.32"), w: perSale, want: fires},
		{code: "TRN_FEE_MISMATCH", says: "per sale, the rows two cents off", make: fees("0.12", "0.10", "0.30"), w: perSale, want: fires},
		{
			code: "TRN_FEE_MISMATCH", says: "per sale, a row taken back", w: perSale,
			make: second(func(i *ledger.Installment) { i.Status = "Cancelada" }), want: none,
		},
		{code: "ANTIFRAUD_FEE_MISMATCH", says: "a cent", make: second(func(i *ledger.Installment) { i.Antifraud = some("0.31") }), want: within},
		{code: "ANTIFRAUD_FEE_MISMATCH", says: "a cent and a ten-thousandth", make: second(func(i *ledger.Installment) { i.Antifraud = some("0.3101") }), want: fires},
		{code: "FEE_UNEXPECTED", says: "a fee below zero that nobody agreed to", w: world{
			contract: strings.ReplaceAll(contractText, "transaction_fee: 0.10, ", ""),
		}, make: every(func(i *ledger.Installment) { i.Fee = some("-0.01") }), want: fires},
		{code: "FEE_UNEXPECTED", says: "no fee where none is agreed", w: world{
			contract: strings.ReplaceAll(contractText, "transaction_fee: 0.10, ", ""),
		}, make: every(func(i *ledger.Installment) { i.Fee = ledger.Opt[ledger.Amount]{} }), want: passes},
		{code: "FEE_EXCEEDS_GROSS", says: "as much as the value", make: second(func(i *ledger.Installment) { i.MDR = some("99.60") }), want: passes},
		{code: "FEE_EXCEEDS_GROSS", says: "a ten-thousandth more", make: second(func(i *ledger.Installment) { i.MDR = some("99.6001") }), want: fires},
		{code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "three cents and a ten-thousandth over three", make: fees("0.10", "0.10", "0.3301"), want: fires},
		{code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "an installment missing", make: func(h histories) histories { return h[:2] }, want: rules.NotEvaluable},
		{code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "all on the first", make: fees("0.30", "0", "0.30"), w: onFirst, want: passes},
		{code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "all on the first, three cents", make: fees("0.33", "0", "0.30"), w: onFirst, want: within},
		{code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "all on the first, and on the others too", make: fees("0.30", "0.10", "0.30"), w: onFirst, want: fires},
		{code: "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", says: "three cents over three", make: every(func(i *ledger.Installment) { i.SaleAntifraud = some("0.87") }), want: within},
		{code: "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", says: "four", make: every(func(i *ledger.Installment) { i.SaleAntifraud = some("0.86") }), want: fires},
	})
}

func TestBoundariesOfRecords(t *testing.T) {
	t.Parallel()
	gross := func(value string) func(histories) histories {
		return func(h histories) histories { h[0].Current().Gross = reais(value); return h }
	}
	// more adds rows of installment 2, all of one pull, each changed in turn.
	more := func(changes ...func(*ledger.InstallmentVersion)) func(histories) histories {
		return func(h histories) histories {
			for n, change := range changes {
				v := *h[1].Current()
				v.Occurrence, v.SaleOccurrence = n+2, 1
				change(&v)
				h = append(h, ledger.InstallmentHistory{v})
			}
			return h
		}
	}
	same := func(*ledger.InstallmentVersion) {}
	other := func(v *ledger.InstallmentVersion) { v.Fee = some("9") }
	elsewhere := func(v *ledger.InstallmentVersion) { v.LastPull = "p0"; other(v) }
	runCards(t, []cardCase{
		{code: "REC_DUPLICATE_ROW", says: "the first again, after another", make: more(other, same), want: fires},
		{code: "REC_DUPLICATE_ROW", says: "the first again, after one of another pull", make: more(elsewhere, same), want: fires},
		{code: "REC_DUPLICATE_ROW", says: "two others", make: more(other, elsewhere), want: passes},
		{code: "REC_DUPLICATE_KEY", says: "another, of another pull", make: more(elsewhere), want: passes},
		{code: "REC_DUPLICATE_KEY", says: "a third row that differs from the first alone", make: more(elsewhere, other), want: fires},
		{code: "REC_INSTALLMENT_RANGE", says: "1 of 0", make: func(h histories) histories { h[0][0].Count = 0; return h[:1] }, want: fires},
		{code: "REC_INSTALLMENT_RANGE", says: "0 of 0 is 1 of 1", make: func(h histories) histories {
			h[0][0].Number, h[0][0].Count = 0, 0
			return h[:1]
		}, want: passes},
		{code: "REC_INSTALLMENT_RANGE", says: "minus one", make: second(func(i *ledger.Installment) { i.Number = -1 }), want: fires},
		{code: "REC_NEGATIVE_AMOUNT", says: "zero is not below zero", make: every(func(i *ledger.Installment) { i.MDR = some("0") }), want: passes},
		{code: "REC_NEGATIVE_AMOUNT", says: "a total below zero", make: second(func(i *ledger.Installment) { i.SaleTotal = some("-0.0001") }), want: fires},
		{code: "REC_DATE_ORDER", says: "paid the day before the sale", make: settled("2024-10-20", "97.11"), want: fires},
		{code: "REC_DATE_ORDER", says: "a forecast on the day of the sale", make: second(func(i *ledger.Installment) { i.Forecast = day("2024-10-21") }), want: passes},
		{code: "TXN_INSTALLMENTS_EXTRA", says: "each number once", want: passes},
		{code: "TXN_INSTALLMENTS_MISSING", says: "a cancelled installment is not missing", make: second(func(i *ledger.Installment) { i.Status = "Cancelada" }), want: passes},
		{code: "TXN_COUNT_CONFLICT", says: "one count", want: passes},
		{code: "TXN_TOTAL_CONFLICT", says: "one total", want: passes},
		{code: "TXN_TOTAL_CONFLICT", says: "a row that states none", make: second(func(i *ledger.Installment) { i.SaleTotal = ledger.Opt[ledger.Amount]{} }), want: passes},
		{code: "TXN_TOTAL_CONFLICT", says: "a ten-thousandth", make: second(func(i *ledger.Installment) { i.SaleTotal = some("300.0001") }), want: fires},
		{code: "TXN_TOTAL_MISMATCH", says: "0.0003 over three", make: gross("100.0003"), want: within},
		{code: "TXN_TOTAL_MISMATCH", says: "0.0004 over three", make: gross("100.0004"), want: fires, severity: "I"},
		{code: "TXN_TOTAL_MISMATCH", says: "a cent under", make: gross("99.99"), want: fires, severity: "I"},
		{code: "TXN_TOTAL_MISMATCH", says: "a cent and a ten-thousandth", make: gross("100.0101"), want: fires, severity: "E"},
		{code: "TXN_TOTAL_MISMATCH", says: "not with two totals", make: second(func(i *ledger.Installment) { i.SaleTotal = some("301") }), want: none},
		{code: "TXN_INSTALLMENT_UNEVEN", says: "three cents and a ten-thousandth", make: gross("100.0301"), want: fires},
		{code: "TXN_INSTALLMENT_UNEVEN", says: "with an installment missing all the same", make: func(h histories) histories { return gross("101")(h)[:2] }, want: fires},
		{code: "TXN_INSTALLMENT_UNEVEN", says: "a day pulled in part", make: gross("101"), partial: true, want: rules.NotEvaluable},
		{code: "TXN_ATTR_CONFLICT", says: "another web payment", make: second(func(i *ledger.Installment) { i.WebPaymentID = "x" }), want: fires},
	})
}
