package reconcile

import (
	"context"
	"errors"
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// evaluateSales evaluates the sales of the scope. Sales with the same NSU and authorization on a day arrive one after
// the other and are joined first, because only together they show whether they are one sale.
func (ev *evaluation) evaluateSales(ctx context.Context) error {
	var group []*ledger.Sale
	day := ledger.Date(0)
	flush := func() error {
		for _, s := range joinOccurrences(group) {
			if err := ev.evaluateSale(s); err != nil {
				return err
			}
		}
		group = group[:0]
		return nil
	}
	read := func(ctx context.Context, fn func(*ledger.Sale) error) error {
		return ev.src.SalesInScope(ctx, ev.account, ev.scope, fn)
	}
	err := readAhead(ctx, read, func(s *ledger.Sale) error {
		for i := range s.Vanished {
			if err := ev.evaluateVanished(s.Vanished[i]); err != nil {
				return err
			}
		}
		if len(s.Rows) == 0 {
			return nil
		}
		if len(group) > 0 && !isSameExceptOccurrence(group[0].Key, s.Key) {
			if err := flush(); err != nil {
				return err
			}
		}
		if s.Key.Day != day {
			if err := ev.endDay(); err != nil {
				return err
			}
			if err := ev.sumAhead(day); err != nil {
				return err
			}
			day = s.Key.Day
			if err := ev.readNotificationsOfDay(ctx, day); err != nil {
				return err
			}
		}
		group = append(group, s)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return ev.endDay()
}

// minRowsToSum is after how many evaluated rows the finished days are summed.
const minRowsToSum = 1000

// sumAhead notes that a day is finished, and has the finished days summed when they have enough rows.
func (ev *evaluation) sumAhead(day ledger.Date) error {
	if day != 0 {
		ev.daysToSumAhead = append(ev.daysToSumAhead, day)
	}
	if ev.result.Installments-ev.rowsSummedAhead < minRowsToSum {
		return nil
	}
	days := ev.daysToSumAhead
	ev.daysToSumAhead, ev.rowsSummedAhead = nil, ev.result.Installments
	return ev.sink.SumCardsAhead(days)
}

func isSameExceptOccurrence(a, b ledger.SaleKey) bool {
	a.Occurrence, b.Occurrence = 0, 0
	return a == b
}

// joinOccurrences decides which rows of one key are one sale: a further occurrence belongs to an earlier one if time,
// terminal, card, total and count are equal.
func joinOccurrences(group []*ledger.Sale) []*ledger.Sale {
	if len(group) < 2 {
		return group
	}
	var out []*ledger.Sale
	firsts := map[any]*ledger.Sale{}
	for _, s := range group {
		mark := rules.Fingerprint(&s.Rows[0].Current().Installment)
		first, known := firsts[mark]
		if !known {
			one := *s
			firsts[mark] = &one
			out = append(out, &one)
			continue
		}
		first.Rows = append(first.Rows[:len(first.Rows):len(first.Rows)], s.Rows...)
		first.Complete = first.Complete && s.Complete
		first.Changed = first.Changed || s.Changed
	}
	return out
}

// endDay evaluates what compares the sales of a day, and writes their cases.
func (ev *evaluation) endDay() error {
	var failed error
	i := ev.sharedRules.doubleCharge
	ev.duplicates.Close(func(k ledger.SaleKey, o rules.Outcome) {
		if o.Status == rules.Fires {
			ev.ruleCounts[i].Fired++
		}
		ev.outcomes[i] = o
		if !ev.cases.existForSale(k) && !anyFires([]int{i}, ev.outcomes) {
			return
		}
		if err := ev.cases.recordOutcomes(caseContext{subject: k.Subject(), day: k.Day}, []int{i}, ev.outcomes); err != nil && failed == nil {
			failed = err
		}
	})
	return errors.Join(failed, ev.cases.writeWaiting("sale:"))
}

const doubleCharge = "TXN_POSSIBLE_DOUBLE_CHARGE"

// evaluateSale evaluates one sale: as a whole, then row by row, then the fees that were agreed for the whole sale.
func (ev *evaluation) evaluateSale(in *ledger.Sale) error {
	ev.sink.SetSale(in)
	defer ev.sink.SetSale(nil)
	s := &ev.currentSale
	s.Read(ev.env, in.Key, in.Rows, in.Complete)
	ev.calibrateWith(s, nil)
	cents := grossCents(s)
	ev.saleGuard.Reset()
	for _, i := range ev.saleRules {
		ev.saleOutcomes[i].Take(ev.env.EvaluateSale(i, s))
		ev.saleGuard.Count(ev.guardPlaces[i], &ev.saleOutcomes[i], nil)
		ev.suppressOutcome(i, &ev.saleOutcomes[i])
		ev.countStatus(i, ev.saleOutcomes[i].Status)
		ev.rootRules[i] = -1
		ev.impacts[i] = ledger.Opt[ledger.Amount]{}
	}
	if in.Changed {
		if err := ev.compareWithDay(s); err != nil {
			return err
		}
	}
	var onSale saleImpacts
	for n, r := range s.Rows {
		ev.delta.clear()
		if n == 0 {
			ev.delta.guard, ev.saleGuard = ev.saleGuard, ev.delta.guard
		}
		if err := ev.evaluateRow(r, cents[n], &onSale); err != nil {
			return err
		}
	}
	ev.clearImpacts(ev.saleRules)
	for _, x := range onSale {
		ev.impacts[x.rule] = ledger.Some(ev.impacts[x.rule].Or(0) + x.amount)
	}
	if !ev.cases.existForSale(s.Key) && !anyFires(ev.saleRules, ev.saleOutcomes) {
		return nil
	}
	first := s.Rows[0]
	return ev.cases.recordOutcomes(caseContext{
		subject: s.Subject(), day: s.Key.Day, due: first.Now.Forecast, brand: first.Brand, product: first.Product, line: first.Line.ID,
	}, ev.saleRules, ev.saleOutcomes)
}

// compareWithDay adds the sale to the comparison of the sales of a day. A case on a sale that is no longer compared is
// resolved.
func (ev *evaluation) compareWithDay(s *rules.Sale) error {
	i := ev.sharedRules.doubleCharge
	status := ev.duplicates.Add(s)
	ev.countStatus(i, status)
	if status != rules.NotEligible || !ev.cases.existForSale(s.Key) {
		return nil
	}
	ev.outcomes[i] = rules.Outcome{}
	return ev.cases.recordOutcomes(caseContext{subject: s.Subject(), day: s.Key.Day}, []int{i}, ev.outcomes)
}

// saleImpacts are the brackets of rows whose root cause is a rule on the whole sale.
type saleImpacts []struct {
	rule   int
	amount ledger.Amount
}

// clearImpacts resets impacts and root causes of rules before a subject is evaluated.
func (ev *evaluation) clearImpacts(idx []int) {
	for _, i := range idx {
		ev.rootRules[i] = -1
		ev.impacts[i] = ledger.Opt[ledger.Amount]{}
	}
}

// grossCents divides the gross of a sale into whole cents for its rows. Each row gets its own whole cents; what is
// missing to the total goes to the largest remainders, of equal ones to the lowest installment. A surplus is taken from
// the smallest remainders, of equal ones from the highest installment. Rows are in order of installment number.
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

// grossTotal is the total of the rows' cents: the sale's own total if the sale is complete and its rows add up to that
// total within one cent, else the sum of the rows.
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

// How far reading may be ahead of evaluating: enough that neither waits for each step of the other, and few enough that it
// takes only some megabytes of memory.
const (
	batchSize  = 64 // items sent at once
	maxBatches = 8  // sent and not taken yet
)

// readAhead reads in a goroutine of its own while evaluate takes what was read, one after the other and in order, on
// the caller's goroutine. It returns when both have ended: evaluate's error, which ends the reading, or else read's.
func readAhead[T any](ctx context.Context, read func(context.Context, func(T) error) error, evaluate func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, ended := make(chan []T, maxBatches), make(chan error, 1)
	go func() {
		defer close(batches)
		ended <- sendBatches(ctx, read, batches)
	}()
	for batch := range batches {
		for _, x := range batch {
			if err := evaluate(x); err != nil {
				cancel()
				for range batches { // wait for the reader; its error is only the cancellation
				}
				return err
			}
		}
	}
	return <-ended
}

// sendBatches sends what is read in batches, until ctx ends.
func sendBatches[T any](ctx context.Context, read func(context.Context, func(T) error) error, to chan<- []T) error {
	batch := make([]T, 0, batchSize)
	hand := func() error {
		select {
		case to <- batch:
			batch = make([]T, 0, batchSize)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := read(ctx, func(x T) error {
		if batch = append(batch, x); len(batch) < batchSize {
			return nil
		}
		return hand()
	})
	if err != nil || len(batch) == 0 {
		return err
	}
	return hand()
}
