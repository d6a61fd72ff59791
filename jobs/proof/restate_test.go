package proof_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"concilia/export/report"
	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// afterwards is a change of something of March, drawn anew each morning.
func afterwards(rnd *rand.Rand) func(*lab) {
	nsu := []string{"A", "C", "E"}[rnd.IntN(3)]
	amount := fmt.Sprintf("%d.%04d", 40+rnd.IntN(70), rnd.IntN(10_000))
	edit := editOf(rnd, nsu, amount)
	return func(l *lab) {
		if l.has(nsu, 1) { // an edit before may have lost it
			edit(l)
		}
	}
}

// editOf changes a sale in one of seven ways, or makes another one.
func editOf(rnd *rand.Rand, nsu, amount string) func(*lab) {
	switch rnd.IntN(8) {
	case 0:
		return on(nsu, 1, record{"installmentValue": num(amount)})
	case 1:
		return on(nsu, 1, record{"discountMdrValue": num(fmt.Sprintf("0.%04d", rnd.IntN(10_000)))})
	case 2:
		return across(nsu, record{"installmentStatus": "Canceled"})
	case 3:
		return func(l *lab) { l.lose(nsu, 1) }
	case 4:
		return on(nsu, 1, unpaid)
	case 5:
		return on(nsu, 1, record{"receivedDateEffective": "2026-03-30", "receivedValue": num(amount)})
	case 6:
		return on(nsu, 1, record{"discountAntecipationValue": num("1.2345")})
	}
	return sell(sold{nsu: "Z", day: "2026-03-06", product: "DEBIT", count: 1, gross: amount}, nil)
}

// Whatever changes after a close, morning after morning, back and forth: what is kept of it adds up to what the figures
// moved by, or the restatement would be refused; and by cause it is what the rows say.
func TestRestatementsAddUp(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for seed := range proofSeeds(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			l := april(t, jobstest.OnSQLite())
			l.nights(1, nil)
			l.closes(report.ByOperation)
			l.closes(report.ByCredit)
			rnd := rand.New(rand.NewPCG(uint64(seed), 11))
			for range 3 {
				l.next(func(l *lab) {
					afterwards(rnd)(l)
					pullAgain("2026-03-04", "2026-03-31")(l)
				})
			}
			seen := 0
			for _, basis := range []report.Basis{report.ByOperation, report.ByCredit} {
				rows := l.restated(basis) // refused when a sum leaves anything
				seen += len(rows)
				for _, row := range rows {
					if row[2] != string(basis) || row[13] == "" {
						t.Errorf("a row of another basis, or without a cause: %v", row)
					}
				}
			}
			if seen == 0 {
				t.Error("nothing was restated: the mornings change nothing")
			}
			report, err := l.Ledger.Check(t.Context())
			if err != nil || len(report.Faults) > 0 {
				t.Error(err, report.Faults)
			}
		})
	}
}

// After a close by operation another contract, mapping or profile changes what the rows should bring; each is a cause of its
// own, named by its hashes, and the changes add up to what the net_contract of the month moved by. Another calendar changes when
// the rows are due, and no amount. By credit nothing is restated, for the receipts are the same.
func TestChangedDocumentsRestateAClosedPeriod(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	two := strings.Replace(proofContract, "    settlement:",
		"      - {brand: hipercard, product: credit, installments: 1-12, mdr: 2.99, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}\n"+
			"      - {brand: hipercard, product: debit, installments: 1, mdr: 1.20}\n    settlement:", 1)
	dearer := func(l *lab) { l.contract(strings.Replace(two, "mdr: 2.49", "mdr: 2.69", 1)) }
	holidays := func(l *lab) {
		extra, err := calendar.New(calendar.Options{Extra: []ledger.Date{proofDay("2026-03-05"), proofDay("2026-03-13")}})
		if err != nil {
			l.t.Fatal(err)
		}
		l.Inputs.Calendar = func(ledger.Account) *calendar.Calendar { return extra }
	}
	issued := func(l *lab) {
		for _, p := range l.slips {
			p.record["issueDate"] = "2026-03-04" // the first day of what is closed
		}
	}
	// Of C.2, due on the 13th, and of the slip that was due on the 5th.
	dates := []string{
		"calendar_changed calendar", "calendar_changed due_date_adjusted 2026-03-05 2026-03-06", "calendar_changed forecast_adjusted 2026-03-13 2026-03-16",
	}
	for _, row := range []struct {
		says    string
		change  func(*lab)
		changes []string // causes and fields, of dates what they were and are
		on      func() jobstest.Database
	}{
		{"a contract with another rate", dearer, []string{"contract_changed contract"}, jobstest.OnSQLite},
		{"a contract with another rate, on the other database", dearer, []string{"contract_changed contract"}, jobstest.OnPostgres},
		{"a mapping that reads another brand, with rates of its own", func(l *lab) {
			m, err := agreements.ParseMapping("mapping.yaml", []byte("brand: {hipercard: [VISA]}\n"))
			if err != nil {
				l.t.Fatal(err)
			}
			l.Inputs.Mapping = m
		}, []string{"mapping_changed mapping"}, jobstest.OnSQLite},
		{"a profile that takes splits out of what is received", func(l *lab) {
			p, err := agreements.ParseProfile("profile.yaml", []byte("received_net_of_splits: true\n"))
			if err != nil {
				l.t.Fatal(err)
			}
			l.Inputs.Profile = p
		}, []string{"profile_changed profile"}, jobstest.OnSQLite},
		{"a calendar with two holidays more: what was due on them is due the day after", holidays, dates, jobstest.OnSQLite},
		{"a calendar with two holidays more, on the other database", holidays, dates, jobstest.OnPostgres},
		{"a contract and a calendar in one night: a row is one change, by the contract if its net moves", both(dearer, holidays), []string{
			"calendar_changed calendar", "calendar_changed due_date_adjusted 2026-03-05 2026-03-06", "contract_changed calendar",
			"contract_changed contract", "contract_changed forecast_adjusted 2026-03-13 2026-03-16",
		}, jobstest.OnSQLite},
	} {
		t.Run(row.says, func(t *testing.T) {
			t.Parallel()
			l := april(t, row.on())
			l.contract(two)
			l.nights(1, issued)
			closed := l.summary.Run
			l.closes(report.ByOperation)
			l.closes(report.ByCredit)
			l.nights(1, both(issued, row.change))

			var moved ledger.Amount
			changes := map[string]bool{}
			rows := l.restated(report.ByOperation)
			for _, r := range rows {
				change := r[13] + " " + r[7]
				if len(r[8]) != 64 {
					change += " " + r[8] + " " + r[9]
				}
				if changes[change] = true; r[8] == r[9] || r[10]+r[11]+r[12] != "0.000.000.00" {
					t.Errorf("a row without a change, or with another Δ: %v", r)
				}
				moved += proofAmount(r[16])
			}
			if got := slices.Sorted(maps.Keys(changes)); !slices.Equal(got, row.changes) {
				t.Errorf("%d rows of %q, want %q", len(rows), got, row.changes)
			}
			was, is := l.netContract(t, closed), l.netContract(t, l.summary.Run)
			if moved != is-was || (moved == 0) != strings.HasPrefix(row.changes[len(row.changes)-1], "calendar_changed") {
				t.Errorf("Σ Δ is %s, and net_contract moved from %s to %s", moved, was, is)
			}
			if rows := l.restated(report.ByCredit); len(rows) > 0 {
				t.Errorf("by credit: %v", rows)
			}

			// The next morning changes nothing more, and what is received then is the agenda's.
			l.nights(1, issued)
			if again := l.restated(report.ByOperation); len(again) != len(rows) {
				t.Errorf("%d rows the morning after, %d before", len(again), len(rows))
			}
		})
	}
}

// netContract is the net_contract of the summary of March, as of a run.
func (l *lab) netContract(t *testing.T, run string) ledger.Amount {
	t.Helper()
	sums, err := l.Ledger.Sums(t.Context(), reports.Query{
		Account: 1001, Basis: string(report.ByOperation), Period: march, AsOfRun: run,
	}, "summary", l.Inputs.Profile.Unit)
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Amount(sums.Columns["net_contract"])
}
