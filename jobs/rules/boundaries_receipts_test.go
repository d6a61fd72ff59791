package rules_test

import (
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

func TestBoundariesOfReceipts(t *testing.T) {
	t.Parallel()
	part := func(value, status string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.Received, i.ReceivedStatus = some(value), status })
	}
	// was gives installment 2 an earlier receipt and what a later answer made of it.
	was := func(value string, later func(*ledger.InstallmentVersion)) func(histories) histories {
		return func(h histories) histories {
			paid(h[1], "", value)
			h[1] = then(h[1], later)
			return h
		}
	}
	open := func(v *ledger.InstallmentVersion) {
		v.Effective, v.Received, v.ReceivedStatus = 0, ledger.Opt[ledger.Amount]{}, ""
	}
	backTo := func(status, value string) func(*ledger.InstallmentVersion) {
		return func(v *ledger.InstallmentVersion) { v.Status, v.ReceivedStatus, v.Received = status, "", some(value) }
	}
	forecast := func(date string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.Forecast = day(date) })
	}
	status := func(status, received string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.Status, i.ReceivedStatus = status, received })
	}
	both := func(value, received string) func(histories) histories {
		return func(h histories) histories {
			paid(h[1], "", value)
			h[1].Current().ReceivedStatus = received
			return h
		}
	}
	// alone leaves installment 2 without the others, which the rule may look at too.
	alone := func(make func(histories) histories) func(histories) histories {
		return func(h histories) histories { return make(h)[1:2] }
	}
	raw := world{change: func(o *rules.Options) { o.Profile.Forecast = agreements.ForecastRaw }}
	late := world{asOf: "2025-01-10"}
	runCards(t, []cardCase{
		{code: "RECEIVED_VALUE_MISMATCH", says: "a cent over", make: settled("", "97.12"), want: within},
		{code: "RECEIVED_VALUE_MISMATCH", says: "a cent and a ten-thousandth over", make: settled("", "97.1201"), want: fires},
		{code: "RECEIVED_VALUE_MISMATCH", says: "money without date or status", make: part("97", ""), want: fires},
		{code: "RECEIVED_VALUE_MISMATCH", says: "says paid, shows nothing", make: part("0", "Pago"), want: fires},
		{code: "RECEIVED_VALUE_MISMATCH", says: "cancelled", make: was("97.11", backTo("Cancelada", "90")), want: none},
		{code: "RECEIVED_PARTIAL", says: "a cent short of the net is whole", make: part("97.10", ""), want: none},
		{code: "RECEIVED_PARTIAL", says: "a cent and a ten-thousandth short", make: part("97.0999", ""), want: fires, severity: "W"},
		{code: "RECEIVED_PARTIAL", says: "on the limit", make: part("50", ""), w: world{asOf: "2024-12-23"}, want: fires, severity: "W"},
		{code: "RECEIVED_PARTIAL", says: "the day after the limit", make: part("50", ""), w: world{asOf: "2024-12-24"}, want: fires, severity: "E"},
		{code: "RECEIVED_PARTIAL", says: "a blank status is no word", make: both("50", " "), want: passes},
		{code: "RECEIVED_PARTIAL", says: "nothing is no part", make: both("0", "Pendente"), want: none},
		{code: "RECEIVED_DATE_WITHOUT_VALUE", says: "a ten-thousandth is something", make: settled("", "0.0001"), want: passes},
		{code: "RECEIVED_DATE_WITHOUT_VALUE", says: "cancelled", make: was("0", backTo("Cancelada", "0")), want: none},
		{code: "RECEIVED_VALUE_WITHOUT_DATE", says: "cancelled, too", make: second(func(i *ledger.Installment) { i.Status, i.Received = "Cancelada", some("1") }), want: fires},
		{code: "RECEIVED_VALUE_WITHOUT_DATE", says: "with a date", make: settled("", "97.11"), want: passes},
		{code: "RECEIVED_VALUE_WITHOUT_DATE", says: "less than nothing", make: part("-1", ""), want: none},
		{code: "RECEIVED_REVERSED", says: "a ten-thousandth less", make: was("97.11", func(v *ledger.InstallmentVersion) { v.Received = some("97.1099") }), want: fires},
		{code: "RECEIVED_REVERSED", says: "more than before", make: was("97", func(v *ledger.InstallmentVersion) { v.Received = some("97.11") }), want: passes},
		{code: "RECEIVED_REVERSED", says: "the date alone is gone", make: was("97.11", func(v *ledger.InstallmentVersion) { v.Effective = 0 }), want: fires},
		{code: "RECEIVED_REVERSED", says: "a part that never had a date is gone", make: func(h histories) histories {
			h = part("50", "")(h)
			h[1] = then(h[1], open)
			return h
		}, want: fires},
		{code: "RECEIVED_REVERSED", says: "cancelled is no reversal of a live row", make: was("97.11", backTo("Cancelada", "0")), want: none},
		{code: "RECEIVED_REVERSED", says: "blocked is", make: was("97.11", func(v *ledger.InstallmentVersion) { open(v); v.Status = "Bloqueada" }), want: fires},
		{code: "RECEIVED_REVERSED", says: "less taken back than before is not less received", make: was("-10", func(v *ledger.InstallmentVersion) {
			v.Received = some("-5")
		}), want: passes},
		{code: "RECEIVED_NEGATIVE", says: "taken back as much as was paid", make: was("97.11", backTo("Chargeback", "-97.11")), want: passes},
		{code: "RECEIVED_NEGATIVE", says: "taken back a ten-thousandth more", make: was("97.11", backTo("Chargeback", "-97.1101")), want: fires},
		{code: "RECEIVED_NEGATIVE", says: "taken back of a live row", make: was("97.11", func(v *ledger.InstallmentVersion) { v.Received = some("-97.11") }), want: fires},
		{code: "CANCELLED_BUT_RECEIVED", says: "taken back a ten-thousandth less", make: was("97.11", backTo("Cancelada", "-97.1099")), want: fires},
		{code: "CANCELLED_BUT_RECEIVED", says: "taken back more is the other rule's", make: was("97.11", backTo("Cancelada", "-98")), want: passes},
		{code: "RECEIVED_OVERDUE", says: "reversed", make: alone(was("97.11", open)), w: late, want: none},
		{code: "RECEIVED_OVERDUE", says: "blocked", make: every(func(i *ledger.Installment) { i.Status = "Bloqueada" }), w: late, want: none},
		{code: "RECEIVED_OVERDUE", says: "the calendar ends before the limit", make: alone(forecast("2100-12-31")), w: late, want: passes},
		{code: "RECEIVED_LATE", says: "a holiday's forecast met the next business day", make: func(h histories) histories {
			return settled("2024-11-21", "97.11")(forecast("2024-11-20")(h))
		}, want: passes},
		{code: "RECEIVED_LATE", says: "on a Saturday after a Friday", make: settled("2024-12-21", "97.11"), want: fires},
		{code: "RECEIVED_LATE", says: "no forecast to be late for", make: alone(func(h histories) histories {
			return forecast("")(settled("2024-12-21", "97.11")(h))
		}), want: rules.NotEvaluable},
		{code: "RECEIVED_LATE", says: "cancelled", make: was("97.11", backTo("Cancelada", "0")), want: none},
		{code: "RECEIVED_LATE", says: "not paid", want: none},
		{code: "RECEIVED_IN_FUTURE", says: "the day after the pull", make: func(h histories) histories {
			paid(h[1], "2024-12-20", "97.11")
			h[1].Current().PulledOn = day("2024-12-19")
			return h
		}, want: fires},
		{code: "RECEIVED_NON_BUSINESS_DAY", says: "the year's last business day settles", make: settled("2024-12-31", "97.11"), want: passes},
		{code: "FORECAST_MISSING", says: "a date", want: passes},
		{code: "FORECAST_MISSING", says: "blocked rows wait for something else", make: every(func(i *ledger.Installment) { i.Status, i.Forecast = "Bloqueada", 0 }), want: none},
		{code: "FORECAST_DATE_MISMATCH", says: "the Sunday that the business day follows", make: func(h histories) histories {
			h[2].Current().Forecast = day("2025-01-19")
			return h
		}, want: passes},
		{code: "FORECAST_DATE_MISMATCH", says: "a business day early", make: forecast("2024-12-19"), want: fires, severity: "W"},
		{code: "FORECAST_DATE_MISMATCH", says: "two business days", make: forecast("2024-12-24"), want: fires, severity: "E"},
		{code: "FORECAST_DATE_MISMATCH", says: "a type nobody listed", make: every(func(i *ledger.Installment) { i.ReceivedType = "???" }), want: rules.Unmapped},
		{code: "FORECAST_DATE_MISMATCH", says: "a product nobody listed", make: every(func(i *ledger.Installment) { i.CardType = "PRE" }), want: rules.Unmapped},
		{code: "FORECAST_DATE_MISMATCH", says: "a product without a term", make: every(func(i *ledger.Installment) { i.CardType = "VOUCHER" }), want: none},
		{code: "FORECAST_NON_BUSINESS_DAY", says: "a Friday", want: passes},
		{code: "FORECAST_NON_BUSINESS_DAY", says: "read raw, a Sunday is a forecast like any other", make: forecast("2024-12-22"), w: raw, want: passes},
		{code: "STATUS_FIELD_CONFLICT", says: "installment says paid and shows nothing", make: status("Paga", ""), want: fires},
		{code: "STATUS_FIELD_CONFLICT", says: "blocked", make: alone(status("Bloqueada", "Pago")), want: none},
		{code: "STATUS_FIELD_CONFLICT", says: "says pending and is a cent short of all", make: both("97.10", "Pendente"), want: fires},
		{code: "STATUS_FIELD_CONFLICT", says: "says pending and is more than a cent short", make: both("97.0999", "Pendente"), want: passes},
		{code: "STATUS_FIELD_CONFLICT", says: "authorized is not a word on payment", make: both("97.11", ""), want: passes},
		{code: "CANCELLED_STILL_FORECAST", says: "forecast for the as-of itself", make: status("Cancelada", "Previsto"), w: world{asOf: "2024-12-20"}, want: fires},
		{code: "CANCELLED_STILL_FORECAST", says: "forecast for the day before it", make: status("Cancelada", "Previsto"), w: world{asOf: "2024-12-21"}, want: passes},
		{code: "CANCELLED_STILL_FORECAST", says: "with money on it", make: was("97.11", func(v *ledger.InstallmentVersion) {
			v.Status, v.ReceivedStatus = "Cancelada", "Previsto"
		}), want: none},
	})
}

func TestBoundariesOfAnticipation(t *testing.T) {
	t.Parallel()
	// early pays installment 2, due on 2024-12-20, on a day at a cost.
	early := func(c, rate, on string) func(histories) histories {
		return func(h histories) histories {
			paid(h[1], on, "96")
			i := &h[1].Current().Installment
			i.Anticipation, i.ReceivedType = some(c), "Antecipado"
			if i.AnticipationRate = (ledger.Opt[ledger.Rate]{}); rate != "" {
				i.AnticipationRate = pct(rate)
			}
			return h
		}
	}
	by := func(f agreements.AnticipationFormula, b agreements.AnticipationBase) world {
		return world{change: func(o *rules.Options) {
			o.Profile.Anticipation = agreements.AnticipationInterpretation{Formula: f, Base: b}
		}}
	}
	fraction := world{change: func(o *rules.Options) { o.Profile.Unit = ledger.Fraction }}
	// movedTo tells that an open version was due on 2024-12-20 before the service moved the forecast to the payment.
	movedTo := func(on string, make func(histories) histories) func(histories) histories {
		return func(h histories) histories {
			before := *h[1].Current()
			h = make(h)
			h[1].Current().Forecast, h[1].Current().Version = day(on), 2
			h[1] = ledger.InstallmentHistory{before, *h[1].Current()}
			return h
		}
	}
	typed := func(h histories) histories { h[1].Current().ReceivedType = "???"; return h }
	gross := func(value string, make func(histories) histories) func(histories) histories {
		return func(h histories) histories {
			h = make(h)
			i := &h[1].Current().Installment
			i.Gross, i.MDR = reais(value), some("0")
			return h
		}
	}
	runCards(t, []cardCase{
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "two cents", make: early("1.08", "1.09", "2024-11-20"), want: within},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "two cents and a ten-thousandth", make: early("1.0801", "1.09", "2024-11-20"), want: fires, severity: "E"},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "a thousandth of a large value", make: gross("10000", early("109.10", "1.09", "2024-11-20")), want: within},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "more than a thousandth of it", make: gross("10000", early("109.12", "1.09", "2024-11-20")), want: fires},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "anticipated at no cost", make: early("0", "1.09", "2024-11-20"), want: fires},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "no rate stated", make: early("1.06", "", "2024-11-20"), want: rules.NotEvaluable},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "not paid yet", make: second(func(i *ledger.Installment) { i.ReceivedType = "Antecipado" }), want: rules.NotEvaluable},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "a normal row", make: settled("", "97.11"), want: none},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "a type nobody listed at no cost", make: typed, want: rules.Unmapped},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "rates as fractions", make: early("1.06", "0.0109", "2024-11-20"), w: fraction, want: passes},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "compound", make: early("1.05", "1.09", "2024-11-20"), w: by(agreements.AnticipationCompound, agreements.AnticipationOnNetOfMDR), want: passes},
		{code: "ANTICIPATION_AMOUNT_MISMATCH", says: "flat, whatever the days", make: early("1.09", "1.09", "2024-12-19"), w: by(agreements.AnticipationFlat, agreements.AnticipationOnGross), want: passes},
		{code: "ANTICIPATION_RATE_MISMATCH", says: "0.010001 of a point", make: early("1.06", "1.100001", "2024-11-20"), want: fires},
		{code: "ANTICIPATION_RATE_MISMATCH", says: "no rate stated", make: early("1.06", "", "2024-11-20"), want: rules.NotEvaluable},
		{code: "ANTICIPATION_RATE_MISMATCH", says: "no contract", make: early("1.06", "1.09", "2024-11-20"), w: world{contract: "none"}, want: rules.NoInput},
		{code: "ANTICIPATION_WITHOUT_EARLY_DATE", says: "a day early", make: early("1.06", "1.09", "2024-12-19"), want: passes},
		{code: "ANTICIPATION_WITHOUT_EARLY_DATE", says: "at no cost", make: early("0", "1.09", "2024-12-20"), want: none},
		{
			code: "ANTICIPATION_WITHOUT_EARLY_DATE", says: "the forecast was moved to the day of payment",
			make: movedTo("2024-11-20", early("1.06", "1.09", "2024-11-20")), want: passes,
		},
		{code: "EARLY_PAYMENT_WITHOUT_COST", says: "two business days early", make: settled("2024-12-18", "97.11"), want: fires},
		{
			code: "EARLY_PAYMENT_WITHOUT_COST", says: "two business days early, and the forecast moved with it",
			make: movedTo("2024-12-18", settled("2024-12-18", "97.11")), want: fires,
		},
		{code: "EARLY_PAYMENT_WITHOUT_COST", says: "a weekend is no business day", make: settled("2024-12-20", "97.11"), want: passes},
		{code: "EARLY_PAYMENT_WITHOUT_COST", says: "open", want: none},
	})
}
