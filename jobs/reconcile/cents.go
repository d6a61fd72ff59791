package reconcile

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// grossCents parts the gross of a sale in whole cents, once, whatever later parts the sale: every row gets the cents
// it has, and what lacks to the total goes to the greatest remainders, ties to the lowest installment. What is too
// much goes from the least, ties to the highest. Rows come in order of installment number.
func grossCents(s *rules.Sale) []int64 {
	cents := make([]int64, len(s.Rows))
	rest := make([]ledger.Amount, len(s.Rows))
	order := make([]int, len(s.Rows))
	lacking := grossTotal(s)
	for i, r := range s.Rows {
		cents[i], rest[i] = int64(r.Gross/ledger.Cent), r.Gross%ledger.Cent
		if rest[i] < 0 { // a negative row: the cent below it and what is left above that
			cents[i]--
			rest[i] += ledger.Cent
		}
		lacking -= cents[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(rest[b] - rest[a]) })
	// A total a cent off its rows can ask for a cent more than there are rows, or for one less than none.
	for i := 0; lacking > 0; i, lacking = (i+1)%len(order), lacking-1 {
		cents[order[i]]++
	}
	for i := len(order) - 1; lacking < 0; i, lacking = (i+len(order)-1)%len(order), lacking+1 {
		cents[order[i]]--
	}
	return cents
}

// grossTotal is what the rows' cents add up to: the sale's own total where the sale is complete and its rows make that
// total but for a cent, else the sum of the rows. A total that is further off is in doubt itself.
func grossTotal(s *rules.Sale) int64 {
	var sum ledger.Amount
	for _, r := range s.Rows {
		sum += r.Gross
	}
	if s.Complete && s.Total.OK && !s.TotalConflict && (sum-s.Total.V).Abs() <= ledger.Cent {
		sum = s.Total.V
	}
	return sum.Cents(ledger.HalfAwayFromZero)
}
