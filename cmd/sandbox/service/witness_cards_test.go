package service_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"concilia/cmd/sandbox/world"
)

// contractMDR is the rate the contract gives a sale.
func contractMDR(cardType string, n int) decimal.Decimal {
	switch {
	case cardType == "DEBIT":
		return dec("1.10")
	case n == 1:
		return dec("2.34")
	case n <= 6:
		return dec("2.90")
	}
	return dec("3.50")
}

// sale judges the installments of one sale together, then each alone.
func (f *finder) sale(key string, rows []row) {
	sale, first := "sale:"+key, rows[0]
	n := f.count(first)
	numbers := map[int]bool{}
	sum, mdr, trn, anti := decimal.Zero, decimal.Zero, decimal.Zero, decimal.Zero
	least, most := first.num("installmentValue"), first.num("installmentValue")
	oneRate, live := true, true
	for _, r := range rows {
		k := f.number(r)
		f.when(numbers[k], "TXN_INSTALLMENTS_EXTRA", sale)
		numbers[k] = true
		g := r.num("installmentValue")
		least, most = decimal.Min(least, g), decimal.Max(most, g)
		sum, mdr = sum.Add(g), mdr.Add(r.num("discountMdrValue"))
		trn, anti = trn.Add(r.num("discountTrnRateInstalmentValue")), anti.Add(r.num("discountAntifraudRateInstalmentValue"))
		oneRate = oneRate && r.num("discountMdrTax").Equal(first.num("discountMdrTax"))
		live = live && r.text("installmentStatus") != "Canceled"
		f.when(k < 1 || k > n || n < 1 || n > 12, "REC_INSTALLMENT_RANGE", sale)
		f.when(f.count(r) != n, "TXN_COUNT_CONFLICT", sale)
		f.when(!r.num("transactionTotalValue").Equal(first.num("transactionTotalValue")), "TXN_TOTAL_CONFLICT", sale)
		for _, same := range strings.Fields("cardName cardType cardNumber terminal transactionDate transactionReference transactionPaymentIdWeb") {
			f.when(r.text(same) != first.text(same), "TXN_ATTR_CONFLICT", sale)
		}
	}
	total, each := first.num("transactionTotalValue"), dec("0.01").Mul(decimal.NewFromInt(int64(n)))
	if len(numbers) != n {
		f.add("TXN_INSTALLMENTS_MISSING", sale, "")
	} else {
		f.when(sum.Sub(total).Abs().GreaterThan(dec("0.0001").Mul(decimal.NewFromInt(int64(n)))), "TXN_TOTAL_MISMATCH", sale)
	}
	f.when(most.Sub(least).GreaterThan(each), "TXN_INSTALLMENT_UNEVEN", sale)
	f.when(!oneRate, "MDR_RATE_INCONSISTENT", sale)
	if live {
		if f.reading.MDRRounding == world.MDRSale {
			each = dec("0.01")
		}
		if f.reading.Fees == world.FeesFirst {
			trn, anti = first.num("discountTrnRateInstalmentValue"), first.num("discountAntifraudRateInstalmentValue")
		}
		f.when(mdr.Sub(pct(total, f.rate(first, "discountMdrTax"))).Abs().GreaterThan(each), "MDR_TXN_TOTAL_MISMATCH", sale)
		f.when(!trn.Equal(first.num("discountTrnRateTransactionValue")), "TXN_TRN_FEE_ALLOCATION_MISMATCH", sale)
		f.when(!anti.Equal(first.num("discountAntifraudRateTransactionValue")), "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", sale)
	}
	for _, r := range rows {
		number := ":" + strconv.Itoa(f.number(r))
		f.installment("card:"+key+number, "split:"+key+number, r)
	}
}

func (f *finder) installment(card, splitKey string, r row) {
	sold, forecast, effective := r.day("transactionDate"), r.day("receivedDateForeast"), r.day("receivedDateEffective")
	received := r.num("receivedValue")
	f.when(forecast < sold || effective != 0 && effective < sold, "REC_DATE_ORDER", card)
	number := r.text("cardNumber")
	f.when(strings.Trim(number[6:len(number)-4], "*") != "" || len(number) < 15, "REC_CARD_NOT_MASKED", card)
	f.when(effective >= f.asOf, "RECEIVED_IN_FUTURE", card)
	f.when(effective != 0 && !effective.IsBankDay(), "RECEIVED_NON_BUSINESS_DAY", card)
	f.when(f.reading.Forecast != world.ForecastRaw && !forecast.IsBankDay(), "FORECAST_NON_BUSINESS_DAY", card)
	f.when((effective == 0) != received.IsZero(), "RECEIVED_VALUE_WITHOUT_DATE", card)
	if r.text("installmentStatus") == "Canceled" {
		f.when(r.text("receivedStatus") != "Canceled", "CANCELLED_STILL_FORECAST", card)
		if received.IsPositive() {
			f.add("CANCELLED_BUT_RECEIVED", card, received.Neg().StringFixed(2))
		}
		if received.IsNegative() {
			f.add("RECEIVED_NEGATIVE", card, received.Neg().StringFixed(2))
		}
		return
	}
	gross, mdr := r.num("installmentValue"), r.num("discountMdrValue")
	trn, anti, cost := r.num("discountTrnRateInstalmentValue"), r.num("discountAntifraudRateInstalmentValue"), r.num("discountAntecipationValue")
	net := gross.Sub(mdr).Sub(trn).Sub(anti).Sub(cost)
	f.when(mdr.Add(trn).Add(anti).Add(cost).GreaterThan(gross), "FEE_EXCEEDS_GROSS", card)
	f.mdr(card, r, gross, mdr)
	wantTrn, wantAnti := dec("0.10"), dec("0.30")
	if r.text("cardType") == "DEBIT" || f.reading.Fees == world.FeesFirst && f.number(r) > 1 {
		wantTrn, wantAnti = decimal.Zero, decimal.Zero
	}
	f.when(!trn.Equal(wantTrn), "TRN_FEE_MISMATCH", card)
	f.when(!anti.Equal(wantAnti), "ANTIFRAUD_FEE_MISMATCH", card)
	f.timing(card, r, sold, forecast, effective, f.anticipationBase(gross, mdr, trn.Add(anti)), cost)
	due := net
	if f.reading.ReceivedNetOfSplits {
		for _, one := range r["splits"].([]any) {
			due = due.Sub(row(one.(map[string]any)).num("valorSplit"))
		}
	}
	f.receipt(card, r, forecast.BankDayOnOrAfter(), effective, due, received)
	f.splitsOf(card, splitKey, r, net)
}

func (f *finder) mdr(card string, r row, gross, mdr decimal.Decimal) {
	rate, agreed := f.rate(r, "discountMdrTax"), contractMDR(r.text("cardType"), f.count(r))
	impact := mdr.Sub(pct(gross, agreed)).StringFixed(2)
	f.when(mdr.IsZero() || rate.IsZero(), "MDR_CHARGED_ZERO", card)
	if !rate.Equal(agreed) {
		f.add("MDR_RATE_MISMATCH", card, impact)
	}
	off := mdr.Sub(pct(gross, rate)).Abs()
	if shared := f.reading.MDRRounding == world.MDRSale && f.count(r) > 1; !off.IsZero() && (!shared || off.GreaterThan(dec("0.01"))) {
		f.add("MDR_AMOUNT_MISMATCH", card, impact)
	}
}

// timing judges the forecast and anticipation.
func (f *finder) timing(card string, r row, sold, forecast, effective world.Date, base, cost decimal.Decimal) {
	if r.text("receivedType") == "Anticipated" {
		rate := f.rate(r, "discountAntecipationTax")
		want := f.anticipation(base, rate, int64(forecast-effective))
		f.when(!cost.Equal(want) || cost.IsZero(), "ANTICIPATION_AMOUNT_MISMATCH", card)
		f.when(!rate.Equal(dec("1.09")), "ANTICIPATION_RATE_MISMATCH", card)
		f.when(effective == 0 || effective >= forecast, "ANTICIPATION_WITHOUT_EARLY_DATE", card)
		return
	}
	f.when(!cost.IsZero() || !r.num("discountAntecipationTax").IsZero(), "ANTICIPATION_NOT_ORDERED", card)
	f.when(effective != 0 && effective < forecast, "EARLY_PAYMENT_WITHOUT_COST", card)
	want := sold.AddBankDays(1)
	if r.text("cardType") == "CREDIT" {
		want = sold + world.Date(30*f.number(r))
		if f.reading.Forecast != world.ForecastRaw {
			want = want.BankDayOnOrAfter()
		}
	}
	f.when(forecast != want, "FORECAST_DATE_MISMATCH", card)
}

func (f *finder) receipt(card string, r row, forecast, effective world.Date, net, received decimal.Decimal) {
	paid := r.text("receivedStatus") == "Paid"
	f.when(paid != (effective != 0) || (r.text("installmentStatus") == "Paid") != paid, "STATUS_FIELD_CONFLICT", card)
	if effective == 0 {
		if r.text("installmentStatus") == "Blocked" {
			return
		}
		if limit := forecast.AddBankDays(1); f.asOf > limit {
			f.add("RECEIVED_OVERDUE", card, net.StringFixed(2))
		} else if f.asOf > forecast {
			f.add("RECEIVED_OVERDUE", card, "0.00")
		}
		return
	}
	f.when(effective > forecast, "RECEIVED_LATE", card)
	if !received.Equal(net) {
		f.add("RECEIVED_VALUE_MISMATCH", card, net.Sub(received).StringFixed(2))
	}
}

func (f *finder) splitsOf(card, key string, r row, net decimal.Decimal) {
	splits := r["splits"].([]any)
	f.when(f.splits != (len(splits) == 1), "SPLIT_MISSING", card)
	wantBase := net
	if f.reading.SplitBase == world.SplitOfGross {
		wantBase = r.num("installmentValue")
	}
	for _, one := range splits {
		s := row(one.(map[string]any))
		subject := key + ":" + hash8(s.text("beneficiario")) + ":" + s.text("tipoSplit") + ":1"
		base, value := s.num("valorBaseSplit"), s.num("valorSplit")
		f.when(!base.Equal(wantBase), "SPLIT_BASE_MISMATCH", subject)
		f.when(!f.rate(s, "pctSplit").Equal(dec("10")) || s.text("beneficiario") != "12345678000195", "SPLIT_CONTRACT_PCT_MISMATCH", subject)
		if want := pct(base, dec("10")); !value.Equal(want) {
			f.add("SPLIT_AMOUNT_MISMATCH", subject, value.Sub(want).StringFixed(2))
		}
		f.when(value.GreaterThan(net), "SPLIT_EXCEEDS_NET", card)
	}
}

// doubleCharges looks for live sales alike in card, terminal and total within five minutes.
func (f *finder) doubleCharges(sales map[string][]row) {
	moments := map[string][]time.Time{}
	for key, rows := range sales {
		r := rows[0]
		at, err := time.Parse("2006-01-02T15:04:05", r.text("transactionDate"))
		if err != nil {
			panic(err)
		}
		look := r.text("cardNumber") + r.text("terminal") + r.text("transactionTotalValue")
		for _, other := range moments[look] {
			f.when(at.Sub(other).Abs() <= 5*time.Minute, "TXN_POSSIBLE_DOUBLE_CHARGE", "sale:"+key)
		}
		moments[look] = append(moments[look], at)
	}
}
