package jobs_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/terms"
	"concilia/store"
	"concilia/store/ledger"
)

// harmless are the warnings and notes that a world without a fault may raise, each with the reason.
var harmless = map[string]string{
	"RUN_VOLUME_ANOMALY":         "a shop that sells at random has days unlike the eight before",
	"TXN_POSSIBLE_DOUBLE_CHARGE": "a card may buy the same twice within five minutes",
}

// quiet is what came of the clean worlds of one first morning.
type quiet struct {
	asOf                         string
	worlds, nights               int
	installments, slips          int
	critical, errors, warn, info int
}

func (q *quiet) count(s ledger.Severity) {
	switch s {
	case ledger.Critical:
		q.critical++
	case ledger.Error:
		q.errors++
	case ledger.Warning:
		q.warn++
	default:
		q.info++
	}
}

// No false alarms: worlds without a fault, of many seeds and mornings, with contract, register and orders, on nights in
// a row and after days on which nobody worked, raise nothing at all of any severity but what harmless names.
func TestNoFalseAlarms(t *testing.T) {
	t.Parallel()
	seeds, span := 4, 35
	if os.Getenv("CONCILIA_LONG") == "1" {
		seeds, span = 20, 80
	}
	if raced {
		t.Skip("the race detector watches a few mutants instead")
	}
	// An ordinary day, a day after a holiday, the days around the turn of a year, Carnival and Easter.
	mornings := []string{"2026-11-18", "2026-11-22", "2027-01-01", "2026-02-18", "2026-04-06"}
	sums := make([]quiet, len(mornings))
	var mu sync.Mutex
	t.Run("worlds", func(t *testing.T) {
		for i, morning := range mornings {
			sums[i].asOf = morning
			for seed := range seeds {
				t.Run(fmt.Sprintf("%s seed %d", morning, seed), func(t *testing.T) {
					t.Parallel()
					q := quietWorld(t, morning, uint64(1000*i+seed), span)
					mu.Lock()
					defer mu.Unlock()
					s := &sums[i]
					s.worlds, s.nights = s.worlds+1, s.nights+q.nights
					s.installments, s.slips = s.installments+q.installments, s.slips+q.slips
					s.critical, s.errors, s.warn, s.info = s.critical+q.critical, s.errors+q.errors, s.warn+q.warn, s.info+q.info
				})
			}
		}
	})
	var b strings.Builder
	const layout = "%-14s %6v %6v %12v %6v %8v %6v %8v %4v\n"
	fmt.Fprintf(&b, layout, "first morning", "worlds", "nights", "installments", "slips", "critical", "errors", "warnings", "info")
	worlds := 0
	for _, s := range sums {
		worlds += s.worlds
		fmt.Fprintf(&b, layout, s.asOf, s.worlds, s.nights, s.installments, s.slips, s.critical, s.errors, s.warn, s.info)
	}
	if worlds < seeds*len(mornings) || span != 35 {
		t.Log("\n" + b.String())
		return // the table is of all worlds of the short run
	}
	proofGolden(t, "alarms.golden", b.String())
}

// quietWorld lives four nights of a clean world, the last after two days without one.
func quietWorld(t *testing.T, morning string, seed uint64, span int) quiet {
	day, err := world.ParseDate(morning)
	if err != nil {
		t.Fatal(err)
	}
	account := world.Account{Number: 1001, Name: "Loja", Splits: seed%2 == 1}
	m := newMerchant(t, world.Options{
		Seed: seed, Days: span, From: day - world.Date(span), To: day + 4, AsOf: day, Installments: 17 * span, SlipsPerDay: 1, Accounts: []world.Account{account},
	})
	m.Reports.Bases, m.Reports.Kinds = nil, nil
	m.Plan.SlipsDueBack, m.Plan.SlipsDueForward = 20, 5
	if m.Terms.Register, err = terms.ParseRegister("register.csv", []byte("document,name,valid_from,valid_to\n12345678000195,A,,\n")); err != nil {
		t.Fatal(err)
	}
	orders := "account,order,ordered_on,pay_on,nsu,auth,installment\n1001,ALL,2020-01-01,,,,\n"
	if m.Terms.Orders, err = terms.ParseOrders("orders.csv", []byte(orders)); err != nil {
		t.Fatal(err)
	}
	q := quiet{nights: 4}
	for night, days := range []int{0, 1, 1, 3} {
		m.world.SetNow(m.world.Now().AddDate(0, 0, days))
		s := m.night(t)
		all := store.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened, ledger.Shadow}}
		if err := m.Ledger.Findings(t.Context(), all, func(f *ledger.Finding) error {
			q.count(f.Severity)
			if harmless[f.Code] == "" || f.Severity == ledger.Critical || f.Severity == ledger.Error {
				t.Errorf("night %d as of %s: a false alarm: %s", night+1, m.Today(), caseLine(f))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if fine := []ledger.Verdict{ledger.Reconciled, ledger.ReconciledWithPending, ledger.ReconciledWithWarnings}; !slices.Contains(fine, s.Verdict) {
			t.Errorf("night %d as of %s: the verdict is %s", night+1, m.Today(), s.Verdict)
		}
	}
	query := store.Query{Account: 1001, Basis: "operation", Period: ledger.Period{From: 1, To: 1 << 20}}
	if err := m.Ledger.Installments(t.Context(), query, func(*ledger.InstallmentVersion, *ledger.Expectation) error {
		q.installments++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.Ledger.SlipRows(t.Context(), query, func(*ledger.Slip, *ledger.SlipExpectation) error {
		q.slips++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return q
}
