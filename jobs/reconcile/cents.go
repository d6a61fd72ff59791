package reconcile

import (
	"slices"

	"concilia/store/ledger"
)

// grossCents parts the gross of a sale in whole cents: every row gets the cents it has, and the cents that the rows'
// remainders make together go to the greatest remainders, ties to the first row. The parts add up to the rows'
// sum rounded to cents. Rows come in order of installment number.
func grossCents(gross []ledger.Amount) []int64 {
	cents := make([]int64, len(gross))
	rest := make([]ledger.Amount, len(gross))
	order := make([]int, len(gross))
	var sum ledger.Amount
	var whole int64
	for i, g := range gross {
		sum += g
		cents[i], rest[i] = int64(g/ledger.Cent), g%ledger.Cent
		if rest[i] < 0 { // a negative row: the cent below it and what is left above that
			cents[i]--
			rest[i] += ledger.Cent
		}
		whole += cents[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(rest[b] - rest[a]) })
	for i := range sum.Cents(ledger.HalfAwayFromZero) - whole {
		cents[order[i]]++
	}
	return cents
}
