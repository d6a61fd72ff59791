package proof_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// harmless are the notes that a world without a fault may raise, each with the reason.
var harmless = map[string]string{
	"RUN_VOLUME_ANOMALY":         "a shop that sells at random has days unlike the eight before",
	"RUN_TRUNCATION_SUSPECTED":   "two days may show the same round number of rows by chance",
	"TXN_POSSIBLE_DOUBLE_CHARGE": "a card may buy the same twice within five minutes",
}

// quiet is what came of a clean world.
type quiet struct {
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

const (
	quietSeeds = 4  // of each morning, in the published table
	quietSpan  = 35 // days of sales before the first morning
)

// No false alarms: worlds without a fault, of many seeds and mornings, with contract, register and orders, on nights in
// a row and after days without a run, raise nothing at all of any severity but what harmless names. What came of
// each is published, a line a world. One world a morning is lived every time, all of them and more, of a longer past,
// with CONCILIA_LONG.
func TestNoFalseAlarms(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t) // the nights of night_test.go walk the same paths
	long := os.Getenv("CONCILIA_LONG") == "1"
	// An ordinary day, a day after a holiday, the days around the turn of a year, Carnival and Easter.
	mornings := []string{"2026-11-18", "2026-11-22", "2027-01-01", "2026-02-18", "2026-04-06"}
	table := &quietTable{lines: map[string]string{}}
	t.Run("worlds", func(t *testing.T) {
		for i, morning := range mornings {
			for seed := range quietSeeds {
				name := fmt.Sprintf("%s seed %d", morning, seed)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if !long && seed != i%quietSeeds && os.Getenv("UPDATE_GOLDEN") == "" {
						t.Skip("one world a morning")
					}
					table.add(name, quietWorld(t, morning, uint64(1000*i+seed), quietSpan))
				})
			}
			for seed := quietSeeds; long && seed < 5*quietSeeds; seed++ {
				t.Run(fmt.Sprintf("%s seed %d, a longer past", morning, seed), func(t *testing.T) {
					t.Parallel()
					quietWorld(t, morning, uint64(1000*i+seed), 80)
				})
			}
		}
	})
	table.hold(t, len(mornings)*quietSeeds)
}

// quietTable is the published table, as far as it was lived.
type quietTable struct {
	mu    sync.Mutex
	lines map[string]string // by world
}

const quietLayout = "%-18s %12v %6v %8v %6v %8v %4v\n"

func (q *quietTable) add(world string, of quiet) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lines[world] = fmt.Sprintf(quietLayout, world, of.installments, of.slips, of.critical, of.errors, of.warn, of.info)
}

// hold compares the table when all its worlds were lived, else each line there is with the one that is published.
func (q *quietTable) hold(t *testing.T, all int) {
	t.Helper()
	if len(q.lines) == all {
		lines := fmt.Sprintf(quietLayout, "four nights of", "installments", "slips", "critical", "errors", "warnings", "info")
		for _, world := range slices.Sorted(maps.Keys(q.lines)) {
			lines += q.lines[world]
		}
		jobstest.CompareGolden(t, "alarms.golden", lines)
		return
	}
	published, err := os.ReadFile(jobstest.GoldenPath(t, "alarms.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for world, line := range q.lines {
		if !strings.Contains(string(published), line) {
			t.Errorf("%s is published otherwise than\n%s", world, line)
		}
	}
}

// quietWorld lives four nights of a clean world, the last after two days without one.
func quietWorld(t *testing.T, morning string, seed uint64, span int) quiet {
	day, err := world.ParseDate(morning)
	if err != nil {
		t.Fatal(err)
	}
	account := world.Account{Number: 1001, Name: "Loja", Splits: seed%2 == 1}
	m := jobstest.NewMerchant(t, world.Options{
		Seed: seed, Days: span, From: day - world.Date(span), To: day + 4, AsOf: day, Installments: 17 * span, SlipsPerDay: 1, Accounts: []world.Account{account},
	})
	m.SkipReports()
	m.Plan.SlipsDueBack, m.Plan.SlipsDueForward = 20, 5
	if m.Inputs.Register, err = agreements.ParseRegister("register.csv", []byte("document,name,valid_from,valid_to\n12345678000195,A,,\n")); err != nil {
		t.Fatal(err)
	}
	orders := "account,order,ordered_on,pay_on,nsu,auth,installment\n1001,ALL,2020-01-01,,,,\n"
	if m.Inputs.Orders, err = agreements.ParseOrders("orders.csv", []byte(orders)); err != nil {
		t.Fatal(err)
	}
	var q quiet
	for night, days := range []int{0, 1, 1, 3} {
		m.World.SetNow(m.World.Now().AddDate(0, 0, days))
		s := m.RunNight(t)
		all := caselog.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened, ledger.Shadow}}
		if err := m.Ledger.Findings(t.Context(), all, func(f *ledger.Finding) error {
			q.count(f.Severity)
			if harmless[f.Code] == "" || f.Severity != ledger.Info {
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
	query := reports.Query{Account: 1001, Basis: "operation", Period: ledger.Period{From: 1, To: 1 << 20}}
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
