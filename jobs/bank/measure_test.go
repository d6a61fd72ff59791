package bank_test

import (
	"fmt"
	"strings"
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// TestMeasuredPayers: how a payer pays is what matches most reais by day and cents, when that is clear. What makes no difference, or is
// seen on too few days, stays as it is.
func TestMeasuredPayers(t *testing.T) {
	t.Parallel()
	cal, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	contracts, err := agreements.ParseContracts("c", []byte("contracts:\n  - {account: 1001, valid_from: 2024-01-01, slip: {tariff: 2.50, credit: D+1 bd}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	terms := bank.Terms{Mapping: agreements.DefaultMapping(), Contracts: contracts, Calendar: cal}
	for _, tt := range []struct {
		name string
		pays bank.Payer
		days int
		want string // what is decided
	}{
		{"by day, net of the tariff", bank.Payer{Grain: match.Day, NetOfTariff: true}, 12, "grain=day net_of_splits=false slip_tariff=net"},
		{"by brand", bank.Payer{Grain: match.Brand, NetOfTariff: true}, 12, "grain=brand net_of_splits=false slip_tariff=net"},
		{"by slip, whole", bank.Payer{Grain: match.Slip}, 12, "grain=slip net_of_splits=false"},
		{"less the splits", bank.Payer{Grain: match.Day, NetOfSplits: true, NetOfTariff: true}, 12, "grain=day net_of_splits=true slip_tariff=net"},
		{"nine days are too few", bank.Payer{Grain: match.Brand, NetOfTariff: true}, 9, ""},
	} {
		a := &bank.Account{ID: "itau", Accounts: []ledger.Account{1001}, Shift: 5}
		payer := tt.pays
		payer.Name, payer.Match, payer.Cards, payer.Slips = "service", bank.Pattern{Piece: "SERVICO"}, true, true
		payer.Measured = agreements.BankKeys()
		a.Payers = []bank.Payer{payer}
		for _, k := range agreements.BankKeys() {
			a.Payers[0].Set(k, k.Candidates()[0]) // as it is until it is measured
		}
		var days []banking.Day
		for d := november(1); d <= november(29); d++ {
			days = append(days, banking.Day{Day: d, State: banking.DayCovered})
		}
		measured := bank.NewMeasurements(a, 1001, days, terms)
		if len(measured) != 1 {
			t.Fatal(len(measured))
		}
		m := measured[0]
		payDays(m, &payer, cal, tt.days)
		var decided []string
		for _, k := range m.Measure() {
			switch {
			case k.Decided:
				decided = append(decided, fmt.Sprintf("%s=%s", k.Key, k.Value))
			case k.Value != k.InForce:
				t.Errorf("%s: %s is not decided, and is told as %s", tt.name, k.Key, k.Value)
			}
		}
		if got := strings.Join(decided, " "); got != tt.want {
			t.Errorf("%s: decided %q, want %q", tt.name, got, tt.want)
		}
	}
}

// payDays has the service credit sales of two brands and two slips on business days, and the bank show it as a payer pays.
func payDays(m *bank.Measurement, p *bank.Payer, cal *calendar.Calendar, days int) {
	book := func(day ledger.Date, cents int64) {
		m.AddLine(&banking.Line{Row: banking.Row{Day: day, Amount: ledger.FromCents(cents), Text: "SERVICO"}})
	}
	for day := november(3); days > 0; day++ {
		if !cal.IsBusinessDay(calendar.Settles, day) {
			continue
		}
		days--
		cards, slips := map[string]int64{}, int64(0)
		for i, of := range [][2]string{{"VISA", "CREDIT"}, {"VISA", "DEBIT"}, {"ELO", "CREDIT"}} {
			cents := int64(10_000 + 137*int(day-november(1)) + 5_011*i)
			splits := cents / 10
			m.AddInstallment(&banking.CreditedInstallment{
				Account: 1001, Day: day, Amount: ledger.FromCents(cents), Splits: ledger.FromCents(splits), Brand: of[0], Product: of[1],
				Key: fmt.Sprint("card:", day, i), Seen: day,
			})
			if p.NetOfSplits {
				cents -= splits
			}
			cards[of[0]] += cents
		}
		for i := range 2 {
			cents := int64(7_000 + 91*int(day-november(1)) + 1_003*i)
			m.AddSlip(&banking.CreditedSlip{Account: 1001, ID: fmt.Sprint(day, i), Day: day, Due: day, Paid: ledger.FromCents(cents)})
			if p.NetOfTariff {
				cents -= 250
			}
			if slips += cents; p.Grain == match.Slip {
				book(day, cents)
			}
		}
		switch p.Grain {
		case match.Day:
			book(day, cards["VISA"]+cards["ELO"]+slips)
		case match.Brand:
			book(day, cards["VISA"])
			book(day, cards["ELO"])
			book(day, slips)
		case match.Slip:
			book(day, cards["VISA"]+cards["ELO"])
		}
	}
}
