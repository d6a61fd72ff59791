package sales_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/shops"
	"concilia/jobs/sales"
	"concilia/jobs/sales/match"
	"concilia/jobs/sales/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

var (
	centro   = sales.Store{ID: "centro", Accounts: []ledger.Account{1001}, Map: &table.Map{}}
	firstDay = ledger.NewDate(2026, 11, 3)
)

var bankDays = sync.OnceValue(func() *calendar.Calendar {
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		panic(err)
	}
	return days
})

// terms are those of the rules without settings.
func terms(asOf ledger.Date) *shops.Terms {
	return &shops.Terms{AsOf: asOf, Calendar: bankDays(), Tolerance: func(code string) rules.Tolerance {
		for _, r := range shops.Rules() {
			if r.Code == code {
				return r.Default
			}
		}
		return rules.Tolerance{}
	}}
}

func payment(id string, day int, cents int64, auth string) ownsales.Payment {
	return ownsales.Payment{Sale: id, Number: 1, SoldAt: ledger.StartOf(firstDay + ledger.Date(day)), Amount: ledger.FromCents(cents), Method: ownsales.MethodCredit, Status: ownsales.StatusPaid, Auth: auth}
}

func serviceSale(day int, cents int64, auth string) match.Sale {
	return match.Sale{
		Key: ledger.SaleKey{Account: 1001, Day: firstDay + ledger.Date(day), NSU: fmt.Sprint(cents), Auth: auth, Occurrence: 1}, SoldAt: ledger.StartOf(firstDay+ledger.Date(day)) + 12*36_000_000_000,
		Total: ledger.FromCents(cents), Installments: 1, Brand: "visa", Product: ledger.Credit, Live: true,
	}
}

func days(n int) map[ledger.Date]bool {
	out := map[ledger.Date]bool{}
	for i := range n {
		out[firstDay+ledger.Date(i)] = true
	}
	return out
}

func conciliate(payments []ownsales.Payment, all []match.Sale, own, service int) []sales.Row {
	c := sales.Conciliation{
		Terms:    terms(firstDay + 30),
		Sides:    []sales.Side{{Store: &centro, Payments: payments, Complete: days(own)}},
		Accounts: map[ledger.Account]*sales.ServiceSide{1001: {Sales: all, Complete: days(service)}},
	}
	return c.Conciliate()
}

func tell(rows []sales.Row) (out []string, sum ledger.Amount) {
	for i := range rows {
		r := &rows[i]
		id := "-"
		if r.Own != nil {
			id = r.Own.Sale
		}
		out = append(out, fmt.Sprint(id, " ", r.Bucket, " ", r.Level, " ", r.Weak(), " ", r.Reasons(), " ", r.Difference))
		sum += r.Difference
	}
	return out, sum
}

// The worked example of four sales against three.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	got, sum := tell(conciliate(
		[]ownsales.Payment{payment("A", 0, 100_00, "A1B2C3"), payment("B", 0, 50_00, "D4E5F6"), payment("C", 0, 80_00, ""), payment("D", 0, 30_00, "Z9Z9Z9")},
		[]match.Sale{serviceSale(0, 100_00, "A1B2C3"), serviceSale(0, 50_01, "D4E5F6"), serviceSale(0, 80_00, "X1X1X1")}, 2, 2))
	want := []string{"A matched 4 false [] 0.00", "B divergent 6 false [amount] -0.01", "C matched 7 true [] 0.00", "D not_at_service 0 false [] 30.00"}
	if diff := cmp.Diff(want, got); diff != "" || sum != 29_99*ledger.Cent {
		t.Errorf("%s, sum %s:\n%s", got, sum, diff)
	}
}

// What is evaluated, and what waits.
func TestBuckets(t *testing.T) {
	t.Parallel()
	cancelled := func(p ownsales.Payment) ownsales.Payment {
		p.Status = ownsales.StatusCancelled
		return p
	}
	gone := serviceSale(0, 10_00, "AAAA")
	gone.Live = false
	for _, c := range []struct {
		name         string
		own          []ownsales.Payment
		service      []match.Sale
		ownDays, svc int
		want         []string
	}{
		{"a day the store does not tell whole", []ownsales.Payment{payment("A", 0, 10_00, "AAAA")}, nil, 0, 2, nil},
		{"the service's next day is not whole", []ownsales.Payment{payment("A", 0, 10_00, "AAAA")}, nil, 2, 1, []string{"A waiting 0 false [] 10.00"}},
		{"the service has none", []ownsales.Payment{payment("A", 0, 10_00, "AAAA")}, nil, 2, 2, []string{"A not_at_service 0 false [] 10.00"}},
		{"the store has none", nil, []match.Sale{serviceSale(0, 10_00, "AAAA")}, 2, 2, []string{"- only_at_service 0 false [] -10.00"}},
		{"the store has none, its next day is not whole", nil, []match.Sale{serviceSale(0, 10_00, "AAAA")}, 1, 2, []string{"- waiting 0 false [] -10.00"}},
		{"the store has none, its day is not whole", nil, []match.Sale{serviceSale(0, 10_00, "AAAA")}, 0, 2, nil},
		{"cancelled there and not here", nil, []match.Sale{gone}, 2, 2, nil},
		{"cancelled here and unknown there", []ownsales.Payment{cancelled(payment("A", 0, 10_00, "AAAA"))}, nil, 2, 2, nil},
		{"cancelled on both sides", []ownsales.Payment{cancelled(payment("A", 0, 10_00, "AAAA"))}, []match.Sale{gone}, 2, 2, []string{"A matched 4 false [] 0.00"}},
		{"cancelled here alone", []ownsales.Payment{cancelled(payment("A", 0, 10_00, "AAAA"))}, []match.Sale{serviceSale(0, 10_00, "AAAA")}, 2, 2, []string{"A divergent 4 false [cancelled] -10.00"}},
		{"cancelled there alone", []ownsales.Payment{payment("A", 0, 10_00, "AAAA")}, []match.Sale{gone}, 2, 2, []string{"A divergent 4 false [cancelled] 10.00"}},
		{"told twice", []ownsales.Payment{payment("A", 0, 10_00, "AAAA"), payment("B", 0, 10_00, "AAAA")}, []match.Sale{serviceSale(0, 10_00, "AAAA")}, 2, 2, []string{"A matched 4 false [] 0.00", "B duplicated 0 false [] 10.00"}},
	} {
		got, _ := tell(conciliate(c.own, c.service, c.ownDays, c.svc))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: wanted (-) and found (+):\n%s", c.name, diff)
		}
	}
}

// paidBySlip is a payment by slip; by names it: slip=ID, number=N, reference=R, or nothing.
func paidBySlip(id string, cents int64, by string) ownsales.Payment {
	p := payment(id, 0, cents, "")
	p.Method = ownsales.MethodSlip
	switch name, value, _ := strings.Cut(by, "="); name {
	case "slip":
		p.SlipID = value
	case "number":
		p.OurNumber = value
	case "reference":
		p.Reference = value
	}
	return p
}

// issuedSlip is a slip of the first day as the service shows it before it is credited.
func issuedSlip(id string, cents int64) match.Sale {
	return match.Sale{
		Key: ledger.SaleKey{Account: 1001, Day: firstDay}, SoldAt: ledger.StartOf(firstDay), Total: ledger.FromCents(cents), Product: match.SlipProduct,
		Live: true, Slip: id, Untold: true,
	}
}

// Slips are held against slips. Until one is credited the service tells neither its number nor whether it was cancelled: what may
// be it waits.
func TestSlips(t *testing.T) {
	t.Parallel()
	credited := func(s match.Sale, number, reference string) match.Sale {
		s.Untold, s.OurNumber, s.Reference = false, number, reference
		return s
	}
	cancelled := func(p ownsales.Payment) ownsales.Payment {
		p.Status = ownsales.StatusCancelled
		return p
	}
	gone := credited(issuedSlip("s1", 10_00), "", "")
	gone.Live = false
	for _, c := range []struct {
		name    string
		own     []ownsales.Payment
		service []match.Sale
		told    int // days of which the service listed every slip
		want    []string
	}{
		{"by its id", []ownsales.Payment{paidBySlip("A", 10_00, "slip=S1")}, []match.Sale{issuedSlip("s1", 10_00)}, 2, []string{"A matched 1 false [] 0.00"}},
		{"of another amount", []ownsales.Payment{paidBySlip("A", 10_00, "slip=S1")}, []match.Sale{issuedSlip("s1", 11_00)}, 2, []string{"A divergent 1 false [amount] -1.00"}},
		{"by its number, when it is told", []ownsales.Payment{paidBySlip("A", 10_00, "number=77")}, []match.Sale{credited(issuedSlip("s1", 10_00), "77", "")}, 2, []string{"A matched 2 false [] 0.00"}},
		{"by its number, before that", []ownsales.Payment{paidBySlip("A", 10_00, "number=77")}, []match.Sale{issuedSlip("s1", 10_00)}, 2, []string{"A waiting 0 false [] 10.00", "- waiting 0 false [] -10.00"}},
		{"by its reference, another one of the amount is told", []ownsales.Payment{paidBySlip("A", 10_00, "reference=F1")}, []match.Sale{credited(issuedSlip("s1", 10_00), "77", "F2")}, 2, []string{"A not_at_service 0 false [] 10.00", "- only_at_service 0 false [] -10.00"}},
		{"one that names none may be it", []ownsales.Payment{paidBySlip("A", 10_00, ""), paidBySlip("B", 20_00, "slip=s2")}, []match.Sale{credited(issuedSlip("s1", 10_00), "77", "F2"), issuedSlip("s2", 20_00)}, 2, []string{"B matched 1 false [] 0.00", "- waiting 0 false [] -10.00"}},
		{"by the order's reference, where no slip is issued", []ownsales.Payment{paidBySlip("A", 10_00, "reference=F1")}, nil, 2, nil},
		{"by its number, where no slip is issued", []ownsales.Payment{paidBySlip("A", 10_00, "number=77")}, nil, 2, []string{"A not_at_service 0 false [] 10.00"}},
		{"an id that the service has not", []ownsales.Payment{paidBySlip("A", 10_00, "slip=S2")}, []match.Sale{issuedSlip("s1", 10_00)}, 2, []string{"A not_at_service 0 false [] 10.00", "- only_at_service 0 false [] -10.00"}},
		{"no slip is named", []ownsales.Payment{paidBySlip("A", 10_00, "")}, []match.Sale{issuedSlip("s1", 10_00)}, 2, nil},
		{"the service did not tell the day's slips", []ownsales.Payment{paidBySlip("A", 10_00, "slip=S2")}, nil, 1, []string{"A waiting 0 false [] 10.00"}},
		{"no store tells slips", nil, []match.Sale{issuedSlip("s1", 10_00)}, 2, nil},
		{"cancelled here, not told there", []ownsales.Payment{cancelled(paidBySlip("A", 10_00, "slip=S1"))}, []match.Sale{issuedSlip("s1", 10_00)}, 2, []string{"A waiting 1 false [] -10.00"}},
		{"cancelled here, paid there", []ownsales.Payment{cancelled(paidBySlip("A", 10_00, "slip=S1"))}, []match.Sale{credited(issuedSlip("s1", 10_00), "77", "")}, 2, []string{"A divergent 1 false [cancelled] -10.00"}},
		{"cancelled on both sides", []ownsales.Payment{cancelled(paidBySlip("A", 10_00, "slip=S1"))}, []match.Sale{gone}, 2, []string{"A matched 1 false [] 0.00"}},
		{"told twice", []ownsales.Payment{paidBySlip("A", 10_00, "slip=S1"), paidBySlip("B", 10_00, "slip=S1")}, []match.Sale{issuedSlip("s1", 10_00)}, 2, []string{"A matched 1 false [] 0.00", "B duplicated 0 false [] 10.00"}},
	} {
		w := sales.Conciliation{
			Terms: terms(firstDay + 30), Sides: []sales.Side{{Store: &centro, Payments: c.own, Complete: days(2)}},
			Accounts: map[ledger.Account]*sales.ServiceSide{1001: {Sales: c.service, Complete: days(2), SlipsTold: days(c.told)}},
		}
		got, _ := tell(w.Conciliate())
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: wanted (-) and found (+):\n%s", c.name, diff)
		}
	}
}

// In random worlds of which every day is whole, nothing is lost: what the store says less what the service says is the sum of the
// differences, to the cent.
func TestBridgeHasNoResidual(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 13))
	for n := range 300 {
		var payments []ownsales.Payment
		var all []match.Sale
		var own, service ledger.Amount
		for i := range 40 {
			day, cents, auth := r.IntN(5), int64(100+r.IntN(5)), fmt.Sprintf("AU%02d", r.IntN(12))
			if r.IntN(4) > 0 {
				p := payment(fmt.Sprint("P", i), day, cents+int64(r.IntN(2)), auth)
				if r.IntN(6) == 0 {
					p.Status = ownsales.StatusRefunded
				}
				own += sales.OwnTotal(&p)
				payments = append(payments, p)
			}
			if r.IntN(4) > 0 {
				s := serviceSale(day, cents, auth)
				s.Key.Occurrence, s.Live = i+1, r.IntN(6) > 0
				service += sales.ServiceTotal(&s)
				all = append(all, s)
			}
		}
		if _, sum := tell(conciliate(payments, all, 6, 6)); sum != own-service {
			t.Fatalf("world %d: %s - %s, but the differences add up to %s", n, own, service, sum)
		}
	}
}
