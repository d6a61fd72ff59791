package bank

import (
	"regexp"
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// TestWhoseLine: a line belongs to a payer if everything that is configured fits; a foreign one belongs to none.
func TestWhoseLine(t *testing.T) {
	t.Parallel()
	cnpj := "12345678000195"
	for _, tt := range []struct {
		says  string
		payer Payer
		line  banking.Row
		want  bool
	}{
		{"a piece of the text, in any spelling", Payer{Match: Pattern{Piece: "serviço ltda"}}, banking.Row{Text: "TED SERVICO LTDA 01", Amount: 1}, true},
		{"another text", Payer{Match: Pattern{Piece: "serviço"}}, banking.Row{Text: "PIX MARIA", Amount: 1}, false},
		{"without a pattern nothing fits", Payer{}, banking.Row{Text: "PIX", Amount: 1}, false},
		{"an expression", Payer{Match: Pattern{Expression: regexp.MustCompile(`^TED [0-9]+$`)}}, banking.Row{Text: "TED 12", Amount: 1}, true},
		{"an expression that does not fit", Payer{Match: Pattern{Expression: regexp.MustCompile(`^TED [0-9]+$`)}}, banking.Row{Text: "TED X", Amount: 1}, false},
		{"a document in its column", Payer{Document: cnpj}, banking.Row{Text: "PIX", Document: "12.345.678/0001-95", Amount: 1}, true},
		{"a document within the text", Payer{Document: cnpj}, banking.Row{Text: "PIX 12.345.678/0001-95 SERVICO", Amount: 1}, true},
		{"a longer number that has its digits", Payer{Document: cnpj}, banking.Row{Text: "DOC 9123456780001951", Amount: 1}, false},
		{"text and document both", Payer{Match: Pattern{Piece: "PIX"}, Document: cnpj}, banking.Row{Text: "PIX " + cnpj, Amount: 1}, true},
		{"text alone where a document is asked for too", Payer{Match: Pattern{Piece: "PIX"}, Document: cnpj}, banking.Row{Text: "PIX", Amount: 1}, false},
		{"a category", Payer{Category: []string{"206", "222"}}, banking.Row{Category: "222", Amount: 1}, true},
		{"another category", Payer{Match: Pattern{Piece: "PIX"}, Category: []string{"206"}}, banking.Row{Text: "PIX", Category: "222", Amount: 1}, false},
		{"the pattern of debits, of a debit", Payer{Match: Pattern{Piece: "SERVICO"}, DebitMatch: Pattern{Piece: "TARIFA"}}, banking.Row{Text: "TARIFA", Amount: -1}, true},
		{"the pattern of debits, of a credit", Payer{Match: Pattern{Piece: "SERVICO"}, DebitMatch: Pattern{Piece: "TARIFA"}}, banking.Row{Text: "TARIFA", Amount: 1}, false},
	} {
		if _, _, got := tt.payer.ownsLine(&banking.Line{Row: tt.line}); got != tt.want {
			t.Errorf("%s: %v", tt.says, got)
		}
	}
}

// TestBothSides: what the service says it paid becomes groups, what it took back a known debit, and only booked lines of the
// payer count.
func TestBothSides(t *testing.T) {
	t.Parallel()
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	day := creditDay
	account := &Account{
		ID: "itau-12345", Accounts: []ledger.Account{1001}, Shift: 5,
		Payers: []Payer{
			{Name: "cards", Match: Pattern{Expression: regexp.MustCompile(`^SERVICO (?P<brand>[A-Z]+)`)}, Cards: true, Grain: match.Brand},
			{Name: "slips", Match: Pattern{Piece: "SERVICO"}, Slips: true, Grain: match.Day, NetOfTariff: true},
		},
	}
	bankDays := []banking.Day{{Day: day, State: banking.DayCovered}, {Day: day + 1, State: banking.DayProven}}
	contracts, err := agreements.ParseContracts("c", []byte("contracts:\n  - {account: 1001, valid_from: 2024-01-01, slip: {tariff: 2.50}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := NewConciliation(account, 1001, bankDays, Terms{Mapping: agreements.DefaultMapping(), Contracts: contracts, Calendar: days})
	for i := range creditedOnDay {
		c.AddInstallment(&creditedOnDay[i])
	}
	c.AddSlip(&slipOnDay)
	for _, l := range []banking.Line{
		{Row: banking.Row{Day: day, Amount: 700_000, Text: "SERVICO VISA"}},
		{Row: banking.Row{Day: day, Amount: 500_100, Text: "SERVICO MASTERCARD"}},
		{Row: banking.Row{Day: day, Amount: 1_000_000, Text: "-SERVICO"}},
		{Row: banking.Row{Day: day, Amount: 1_000_000, Text: "PIX MARIA"}},
		{Row: banking.Row{Day: day, Amount: 500_100, Text: "SERVICO ELO"}, Vanished: true},
		{Row: banking.Row{Day: day, Amount: 500_100, Text: "SERVICO ELO", Scheduled: true}},
	} {
		c.AddLine(&l)
	}
	for _, r := range c.Match(day + 10).Results {
		want := map[string]int{"cards": 2, "slips": 1}[r.Payer]
		if len(r.Rows) != want || len(r.Lines) != want {
			t.Errorf("%s: %+v", r.Payer, r.Rows)
		}
		for i := range r.Groups {
			if sum := sumTitles(c, r.Payer, &r.Groups[i]); sum != r.Groups[i].Amount {
				t.Errorf("%s %s: its titles come to %s", r.Payer, r.Groups[i].Key, sum)
			}
		}
		for _, row := range r.Rows {
			if row.Status != match.Credited {
				t.Errorf("%s: %+v", r.Payer, row)
			}
		}
	}
}

// What the service says it paid on a day.
var (
	creditDay     = ledger.NewDate(2026, 11, 4)
	creditedOnDay = []banking.CreditedInstallment{
		{Account: 1001, Day: creditDay, Amount: 1_000_000, Brand: "VISA", Product: "CREDIT", Key: "a"},
		{Account: 1001, Day: creditDay, Amount: 500_050, Brand: "Mastercard", Product: "Crédito", Key: "b"},
		{Account: 1001, Day: creditDay, Amount: -300_000, Brand: "VISA", Product: "CREDIT", Key: "c"},
	}
	slipOnDay = banking.CreditedSlip{Account: 1001, ID: "x", Day: creditDay, Due: creditDay, Paid: 1_025_000}
)

// sumTitles is what the titles of a group come to.
func sumTitles(c *Conciliation, payer string, g *match.Group) (sum ledger.Amount) {
	group := c.GroupSubject(payer, g)
	for i := range creditedOnDay {
		if t, ok := c.InstallmentOf(group, &creditedOnDay[i]); ok {
			sum += t.Amount
		}
	}
	if t, ok := c.SlipOf(group, &slipOnDay); ok {
		sum += t.Amount
	}
	return sum
}

// TestWhatWasTakenBack: what the service took back of an installment is a debit known for 30 days from the day it was first seen.
func TestWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	c := NewConciliation(&Account{}, 1001, nil, Terms{Mapping: agreements.DefaultMapping()})
	seen := creditDay + 9
	for _, tt := range []struct {
		says           string
		x              banking.CreditedInstallment
		amount         string
		usable, usedTo ledger.Date
	}{
		{"it stands", banking.CreditedInstallment{Day: creditDay, Amount: 1_000_000, Now: 1_000_000, NowDay: creditDay, Seen: creditDay}, "0", 0, 0},
		{"it says itself when", banking.CreditedInstallment{Day: creditDay, Amount: -300_000, Now: -300_000, NowDay: creditDay, Seen: seen}, "30", creditDay, seen + 30},
		{"cancelled, and it keeps its amount", banking.CreditedInstallment{Day: creditDay, Amount: 1_000_000, Now: 1_000_000, NowDay: creditDay, Seen: seen, ReceivedStatus: "Cancelado"}, "100", seen, seen + 30},
		{"it fell", banking.CreditedInstallment{Day: creditDay, Amount: 1_000_000, Fallen: true, Now: 900_050, NowDay: creditDay, Seen: seen}, "9.99", seen, seen + 30},
		{"it fell by less than a cent", banking.CreditedInstallment{Day: creditDay, Amount: 1_000_000, Fallen: true, Now: 999_990, NowDay: creditDay, Seen: seen}, "0", 0, 0},
		{"it fell and is cancelled", banking.CreditedInstallment{Day: creditDay, Amount: 1_000_000, Fallen: true, Now: 900_000, NowDay: creditDay, Seen: seen, Status: "Cancelado"}, "100", seen, seen + 30},
		{"its day is gone", banking.CreditedInstallment{Day: creditDay, Amount: 1_000_000, Fallen: true, Now: 1_000_000, Seen: seen}, "100", seen, seen + 30},
		{"it fell below zero", banking.CreditedInstallment{Day: creditDay, Amount: 1_000_000, Fallen: true, Now: -1_000_000, NowDay: seen - 2, Seen: seen}, "100", seen - 2, seen + 30},
	} {
		want := ledger.Period{From: tt.usable, To: tt.usedTo}
		if d := c.knownDebit(&tt.x); d.Amount != reais(t, tt.amount) || d.Amount != 0 && (d.Usable != want || !d.Known) {
			t.Errorf("%s: %s from %s", tt.says, d.Amount, d.Usable)
		}
	}
}

// TestNetOfSplits: where splits leave before the credit, less by them is expected, and the titles of a group say so.
func TestNetOfSplits(t *testing.T) {
	t.Parallel()
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	account := &Account{ID: "a", Accounts: []ledger.Account{1001}, Payers: []Payer{{Name: "service", Match: Pattern{Piece: "SERVICO"}, Cards: true, Grain: match.Day, NetOfSplits: true}}}
	c := NewConciliation(account, 1001, []banking.Day{{Day: creditDay, State: banking.DayCovered}}, Terms{Mapping: agreements.DefaultMapping(), Calendar: days})
	paid := []banking.CreditedInstallment{
		{Account: 1001, Day: creditDay, Amount: 971_100, Splits: 97_100, Brand: "VISA", Product: "CREDIT", Key: "a"},
		{Account: 1001, Day: creditDay, Amount: 500_000, Splits: 500_000, Brand: "VISA", Product: "CREDIT", Key: "all of it is split off"},
	}
	for i := range paid {
		c.AddInstallment(&paid[i])
	}
	c.AddLine(&banking.Line{Row: banking.Row{Day: creditDay, Amount: 874_000, Text: "SERVICO"}})
	r := c.Match(creditDay + 1).Results[0]
	if len(r.Rows) != 1 || r.Rows[0].Status != match.Credited || r.Groups[0].Count != 1 || r.Groups[0].Splits != 97_100 || !account.NetOfSplits() {
		t.Fatalf("%+v", r.Rows)
	}
	group := c.GroupSubject("service", &r.Groups[0])
	if one, ok := c.InstallmentOf(group, &paid[0]); !ok || one.Amount != 874_000 || c.GroupOfInstallment(&paid[0]) == "" {
		t.Errorf("its title is %+v", one)
	}
	if _, ok := c.InstallmentOf(group, &paid[1]); ok || c.GroupOfInstallment(&paid[1]) != "" {
		t.Error("what is split off whole is expected")
	}
}

func reais(t *testing.T, text string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
