package rules_test

import (
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// version is what a later version of installment 2 says; on is the as-of that brought it.
type version struct {
	on     string
	change func(*ledger.InstallmentVersion)
}

// became gives installment 2 of the clean sale further versions. The first was seen on 2024-10-22.
func became(later ...version) func(histories) histories {
	return func(h histories) histories {
		h[1].Current().LastChanged, h[1].Current().FirstSeen = day("2024-10-22"), day("2024-10-22")
		for _, v := range later {
			h[1] = then(h[1], func(x *ledger.InstallmentVersion) {
				x.LastChanged, x.PulledOn = day(v.on), day(v.on)
				v.change(x)
			})
		}
		return h
	}
}

// once is the world in which every day was answered once.
var once = world{change: func(o *rules.Options) { o.PullsOf = func(ledger.Source, ledger.Date) int { return 1 } }}

func forecast(on string) func(*ledger.InstallmentVersion) {
	return func(v *ledger.InstallmentVersion) { v.Forecast = day(on) }
}

func status(installment, received string) func(*ledger.InstallmentVersion) {
	return func(v *ledger.InstallmentVersion) { v.Status, v.ReceivedStatus = installment, received }
}

func receipt(on, value string) func(*ledger.InstallmentVersion) {
	return func(v *ledger.InstallmentVersion) {
		v.Effective, v.Received, v.ReceivedStatus = day(on), some(value), "Pago"
	}
}

func TestForecastMoved(t *testing.T) {
	t.Parallel()
	const code = "FORECAST_MOVED"
	anticipate := func(v *ledger.InstallmentVersion) {
		v.Forecast, v.Anticipation, v.AnticipationRate, v.ReceivedType = day("2024-11-05"), some("1.50"), pct("1.09"), "Antecipado"
	}
	runCards(t, []cardCase{
		{code: code, says: "a forecast that stands passes", make: became(version{"2024-10-23", status("Autorizada", "Previsto")}), want: passes},
		{code: code, says: "a day later", make: became(version{"2024-10-23", forecast("2024-12-21")}), want: fires, severity: "W"},
		{code: code, says: "a day earlier", make: became(version{"2024-10-23", forecast("2024-12-19")}), want: fires, severity: "W"},
		{code: code, says: "later twice", make: became(version{"2024-10-23", forecast("2024-12-21")}, version{"2024-10-24", forecast("2024-12-22")}), want: fires, severity: "E"},
		{code: code, says: "later once, and seen again", make: became(version{"2024-10-23", forecast("2024-12-21")}, version{"2024-10-24", status("Autorizada", "Previsto")}), want: fires, severity: "W"},
		{code: code, says: "later and earlier", make: became(version{"2024-10-23", forecast("2024-12-27")}, version{"2024-10-24", forecast("2024-12-23")}), want: fires, severity: "W"},
		{code: code, says: "moved and moved back passes", make: became(version{"2024-10-23", forecast("2024-12-21")}, version{"2024-10-24", forecast("2024-12-20")}), want: passes},
		{code: code, says: "earlier with an anticipation is a new promise", make: became(version{"2024-10-23", anticipate}), want: passes},
		{code: code, says: "a new promise that is moved", make: became(version{"2024-10-23", anticipate}, version{"2024-10-24", forecast("2024-11-06")}), want: fires, severity: "W"},
		{code: code, says: "later with an anticipation is a move", make: became(version{"2024-10-23", func(v *ledger.InstallmentVersion) {
			anticipate(v)
			v.Forecast = day("2024-12-21")
		}}), want: fires, severity: "W"},
		{code: code, says: "a first forecast is no move", make: func(h histories) histories {
			h[1].Current().Forecast = 0
			return became(version{"2024-10-23", forecast("2024-12-21")})(h)
		}, want: passes},
		{code: code, says: "what a blocked row says is not compared", make: became(
			version{"2024-10-23", func(v *ledger.InstallmentVersion) { v.Status, v.Forecast = "Bloqueada", day("2025-02-01") }},
			version{"2024-10-24", func(v *ledger.InstallmentVersion) { v.Status, v.Forecast = "Autorizada", day("2024-12-20") }}), want: passes},
		{code: code, says: "once paid it is no question any more", make: func(h histories) histories {
			for i := range h {
				paid(h[i], "", "97.11")
			}
			return h
		}, want: none},
		{code: code, says: "one pull is no comparison", make: became(version{"2024-10-23", forecast("2024-12-21")}), w: once, want: rules.NotEvaluable},
		{code: code, says: "a status nobody listed", make: became(version{"2024-10-23", func(v *ledger.InstallmentVersion) { v.Status, v.Forecast = "Xyz", day("2024-12-21") }}), want: passes},
	})
}

func TestStatusRegression(t *testing.T) {
	t.Parallel()
	const code = "STATUS_REGRESSION"
	open := status("Autorizada", "")
	runCards(t, []cardCase{
		{code: code, says: "one that was always open passes", want: passes},
		{code: code, says: "cancelled and open again", make: became(version{"2024-10-23", status("Cancelada", "")}, version{"2024-10-24", open}), want: fires, severity: "E"},
		{code: code, says: "charged back and open again", make: became(version{"2024-10-23", status("Chargeback", "")}, version{"2024-10-24", open}), want: fires, severity: "E"},
		{code: code, says: "said to be received, without value, and open again", make: became(version{"2024-10-23", status("Autorizada", "Pago")}, version{"2024-10-24", open}), want: fires, severity: "E"},
		{code: code, says: "cancelled in the end passes", make: became(version{"2024-10-23", status("Cancelada", "")}), want: passes},
		{code: code, says: "blocked and open again is life", make: became(version{"2024-10-23", status("Bloqueada", "")}, version{"2024-10-24", open}), want: passes},
		{code: code, says: "a receipt taken back is another rule's", make: became(version{"2024-10-23", receipt("2024-10-23", "97.11")}, version{"2024-10-24", func(v *ledger.InstallmentVersion) {
			v.Effective, v.Received, v.ReceivedStatus = 0, ledger.Opt[ledger.Amount]{}, ""
		}}), want: passes},
		{code: code, says: "cancelled, and open again with less than nothing received", make: became(version{"2024-10-23", status("Cancelada", "")}, version{"2024-10-24", func(v *ledger.InstallmentVersion) {
			v.Status, v.Received = "Autorizada", some("-1")
		}}), want: fires, severity: "E"},
		{code: code, says: "a status nobody listed in between accuses nobody", make: became(version{"2024-10-23", status("Xyz", "Pago")}, version{"2024-10-24", open}), want: passes},
		{code: code, says: "one pull is no comparison", w: once, want: rules.NotEvaluable},
	})
}

func TestBlockedAgeing(t *testing.T) {
	t.Parallel()
	const code = "BLOCKED_AGEING"
	blocked := became(version{"2024-10-24", status("Bloqueada", "")}) // a Thursday
	at := func(asOf string) world { return world{asOf: asOf} }
	runCards(t, []cardCase{
		{code: code, says: "an open one is not looked at", want: none},
		{code: code, says: "ten business days", make: blocked, w: at("2024-11-07"), want: passes},
		{code: code, says: "the eleventh", make: blocked, w: at("2024-11-08"), want: fires, severity: "W"},
		{code: code, says: "another version of the same block does not start anew", make: became(version{"2024-10-24", status("Bloqueada", "")},
			version{"2024-11-05", func(v *ledger.InstallmentVersion) { v.Reference = "x" }}), w: at("2024-11-08"), want: fires, severity: "W"},
		{code: code, says: "a block after a break does", make: became(version{"2024-10-24", status("Bloqueada", "")}, version{"2024-10-28", status("Autorizada", "")},
			version{"2024-10-29", status("Bloqueada", "")}), w: at("2024-11-08"), want: passes},
		{code: code, says: "one that was received is not looked at", make: became(version{"2024-10-24", func(v *ledger.InstallmentVersion) {
			receipt("2024-10-24", "97.11")(v)
			v.Status = "Bloqueada"
		}}), w: at("2024-12-08"), want: none},
		{code: code, says: "one pull is no comparison", make: blocked, w: world{asOf: "2024-12-08", change: once.change}, want: rules.NotEvaluable},
	})
}

func TestSplitsAgainstReceiptAndRegister(t *testing.T) {
	t.Parallel()
	const changed, unknown = "SPLIT_CHANGED_AFTER_RECEIPT", "SPLIT_BENEFICIARY_UNKNOWN"
	other := func(value string) func(*ledger.InstallmentVersion) {
		return func(v *ledger.InstallmentVersion) {
			v.Splits = []ledger.Split{{Beneficiary: "12345678000195", Type: "P", Pct: pct("10"), Base: some("97.11"), Value: some(value)}}
		}
	}
	knows := func(document, from string) world {
		r := must(agreements.ParseRegister("r.csv", []byte("document,name,valid_from,valid_to\n"+document+",x,"+from+",\n")))
		return world{change: func(o *rules.Options) { o.Register = r }}
	}
	bare := every(func(i *ledger.Installment) { i.Splits = nil })
	runCards(t, []cardCase{
		{code: changed, says: "before it is received splits may change", make: became(version{"2024-10-23", other("9")}), want: none},
		{code: changed, says: "the splits of the receipt passes", make: became(version{"2024-10-23", receipt("2024-10-23", "97.11")}, version{"2024-10-24", status("Liquidada", "Pago")}), want: passes},
		{code: changed, says: "with the receipt they may change", make: became(version{"2024-10-23", func(v *ledger.InstallmentVersion) {
			receipt("2024-10-23", "97.11")(v)
			other("9")(v)
		}}), want: passes},
		{code: changed, says: "a ten-thousandth after it", make: became(version{"2024-10-23", receipt("2024-10-23", "97.11")}, version{"2024-10-24", other("9.7101")}), want: fires, severity: "E"},
		{code: changed, says: "a split gone after it", make: became(version{"2024-10-23", receipt("2024-10-23", "97.11")}, version{"2024-10-24", func(v *ledger.InstallmentVersion) { v.Splits = nil }}), want: fires, severity: "E"},
		{code: changed, says: "changed and back passes", make: became(version{"2024-10-23", receipt("2024-10-23", "97.11")}, version{"2024-10-24", other("9")}, version{"2024-10-25", other("9.71")}), want: passes},
		{code: changed, says: "one pull is no comparison", make: became(version{"2024-10-23", receipt("2024-10-23", "97.11")}, version{"2024-10-24", other("9")}), w: once, want: rules.NotEvaluable},
		{code: changed, says: "taken back later is another rule's", make: became(version{"2024-10-23", receipt("2024-10-23", "97.11")}, version{"2024-10-24", func(v *ledger.InstallmentVersion) {
			v.Status, v.Splits = "Cancelada", nil
		}}), want: none},

		{code: unknown, says: "no register", want: rules.NoInput},
		{code: unknown, says: "a beneficiary in it", w: knows("12.345.678/0001-95", ""), want: passes},
		{code: unknown, says: "from the sale date on", w: knows("12345678000195", "2024-10-21"), want: passes},
		{code: unknown, says: "from the day after it", w: knows("12345678000195", "2024-10-22"), want: fires, severity: "W"},
		{code: unknown, says: "somebody else in it", w: knows("11222333000181", ""), want: fires, severity: "W"},
		{code: unknown, says: "no splits, nobody to know", make: bare, w: world{contract: "none", change: knows("12345678000195", "").change}, want: none},
	})
}

func TestNotOrdered(t *testing.T) {
	t.Parallel()
	const code = "ANTICIPATION_NOT_ORDERED"
	early := second(func(i *ledger.Installment) {
		i.Effective, i.Received, i.ReceivedStatus = day("2024-11-05"), some("95.56"), "Pago"
		i.Anticipation, i.AnticipationRate, i.ReceivedType = some("1.55"), pct("1.09"), "Antecipado"
	})
	orders := func(lines string) world {
		o := must(agreements.ParseOrders("o.csv", []byte("account,order,ordered_on,pay_on,nsu,auth,installment\n"+lines)))
		return world{change: func(x *rules.Options) { x.Orders = o }}
	}
	runCards(t, []cardCase{
		{code: code, says: "no orders configured", make: early, want: rules.NoInput},
		{code: code, says: "nothing anticipated, nothing to order", w: orders(""), want: none},
		{code: code, says: "an order for it", make: early, w: orders("1001,A,2024-11-01,2024-11-05,77,A1,2\n"), want: passes},
		{code: code, says: "an order for a later day", make: early, w: orders("1001,A,2024-11-01,2024-11-06,77,A1,2\n"), want: fires, severity: "E"},
		{code: code, says: "an order for another installment", make: early, w: orders("1001,A,2024-11-01,2024-11-05,77,A1,3\n"), want: fires, severity: "E"},
		{code: code, says: "an order of another account", make: early, w: orders("1002,A,2024-11-01,,,,\n"), want: fires, severity: "E"},
		{code: code, says: "a standing order", make: early, w: orders("1001,A,2024-11-05,,,,\n"), want: passes},
		{code: code, says: "a standing order from the day after", make: early, w: orders("1001,A,2024-11-06,,,,\n"), want: fires, severity: "E"},
		{code: code, says: "not paid yet", make: second(func(i *ledger.Installment) { i.Anticipation, i.AnticipationRate = some("1.55"), pct("1.09") }), w: orders(""), want: rules.NotEvaluable},
		{code: code, says: "a type nobody listed", make: second(func(i *ledger.Installment) { i.ReceivedType = "Xyz" }), w: orders(""), want: rules.Unmapped},
	})
	// What was not ordered should have cost nothing; what was ordered costs what was agreed.
	for lines, want := range map[string]string{"": "0", "1001,A,2024-11-05,,,,\n": "1.59"} {
		e := orders(lines).env(t)
		h := early(rows())
		if r := rules.NewSale(e, h[0].Current().SaleKey(), h, true).Rows[1]; r.ExpectedAnticipation != reais(want) {
			t.Errorf("orders %q: C* is %s, want %s", lines, r.ExpectedAnticipation, want)
		}
	}
}
