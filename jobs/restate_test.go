package jobs_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"concilia/export"
)

// afterwards is a change of something of March, drawn anew each morning.
func afterwards(rnd *rand.Rand) func(*lab) {
	nsu := []string{"A", "C", "E"}[rnd.IntN(3)]
	amount := fmt.Sprintf("%d.%04d", 40+rnd.IntN(70), rnd.IntN(10_000))
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
	spare(t)
	for seed := range proofSeeds(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			l := april(t, onSQLite())
			l.nights(1, nil)
			l.closes(export.ByOperation)
			l.closes(export.ByCredit)
			rnd := rand.New(rand.NewPCG(uint64(seed), 11))
			for range 3 {
				l.next(func(l *lab) {
					afterwards(rnd)(l)
					pullAgain("2026-03-04", "2026-03-31")(l)
				})
			}
			seen := 0
			for _, basis := range []export.Basis{export.ByOperation, export.ByCredit} {
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
