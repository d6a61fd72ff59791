package reconcile

import (
	"context"
	"errors"
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// evaluateSales judges the sales of the scope. Sales that share NSU and authorization on a day come one after the other
// and are put together first, since only together they show whether they are one.
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

// minRowsToSum is of how many judged rows the days are summed ahead at once.
const minRowsToSum = 1000

// sumAhead notes that a day is judged, and lets such days be summed when they hold enough rows to be worth a question.
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

// joinOccurrences decides which rows of one key are one sale: those of a further occurrence that time, terminal, card, total
// and count do not tell apart from an earlier one belong to it.
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

// endDay closes what is judged day by day.
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

// evaluateSale judges one sale: as a whole, then row by row, then the fees that were agreed for the whole.
func (ev *evaluation) evaluateSale(in *ledger.Sale) error {
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

// compareWithDay hands the sale to what compares the sales of a day. One it does not look at, any more, is done with here.
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

// saleImpacts are the brackets of rows whose root is a rule on the whole sale.
type saleImpacts []struct {
	rule   int
	amount ledger.Amount
}

// clearImpacts forgets impacts and roots of rules before a subject.
func (ev *evaluation) clearImpacts(idx []int) {
	for _, i := range idx {
		ev.rootRules[i] = -1
		ev.impacts[i] = ledger.Opt[ledger.Amount]{}
	}
}

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

// How far reading may be ahead of judging: enough that neither waits for the other's every step, little enough that the
// memory of it stays at some megabytes.
const (
	batchSize  = 64 // things handed over at once
	maxBatches = 8  // handed over and not taken yet
)

// readAhead lets read run on its own while judge takes what it hands over, one after the other and in its order, on the
// caller's goroutine. It returns once both have ended: with judge's error, which ends the reading, or else with read's.
func readAhead[T any](ctx context.Context, read func(context.Context, func(T) error) error, judge func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, ended := make(chan []T, maxBatches), make(chan error, 1)
	go func() {
		defer close(batches)
		ended <- sendBatches(ctx, read, batches)
	}()
	for batch := range batches {
		for _, x := range batch {
			if err := judge(x); err != nil {
				cancel()
				for range batches { // until reading has ended; what it says then is of this end
				}
				return err
			}
		}
	}
	return <-ended
}

// sendBatches puts what is read into batches. It gives up once nobody takes them any more.
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
