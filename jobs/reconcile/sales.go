package reconcile

import (
	"context"
	"errors"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/store/ledger"
)

// saleEvaluator evaluates sales in order of their day.
type saleEvaluator struct {
	*attempt
	outcomes        *subjectOutcomes
	cases           *cases
	installments    *installmentEvaluator
	notifications   *notificationEvaluator
	interpretations *interpretationEvaluator
	current         rules.Sale
	cents           centsDivision
	duplicates      cards.DuplicateSales // of the current day
	finishedDays    []ledger.Date        // not summed yet
	rowsSummed      int64                // evaluated installments when days were last summed
}

// evaluateSales evaluates the sales of the scope. Sales with the same NSU and authorization on a day arrive one after
// the other and are joined first, because only together they show whether they are one sale.
func (ev *saleEvaluator) evaluateSales(ctx context.Context) error {
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
			if err := ev.installments.evaluateVanished(s.Vanished[i]); err != nil {
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
			if err := ev.notifications.readDay(ctx, day); err != nil {
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
func (ev *saleEvaluator) sumAhead(day ledger.Date) error {
	if day != 0 {
		ev.finishedDays = append(ev.finishedDays, day)
	}
	if ev.installments.evaluated-ev.rowsSummed < minRowsToSum {
		return nil
	}
	days := ev.finishedDays
	ev.finishedDays, ev.rowsSummed = nil, ev.installments.evaluated
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
func (ev *saleEvaluator) endDay() error {
	var failed error
	i := ev.outcomes.sharedRules.doubleCharge
	ev.duplicates.Close(func(k ledger.SaleKey, o rules.Outcome) {
		if o.Status == rules.Fires {
			ev.outcomes.counts[i].Fired++
		}
		ev.outcomes.current[i] = o
		if !ev.cases.existForSale(k) && !anyFires([]int{i}, ev.outcomes.current) {
			return
		}
		if err := ev.cases.recordOutcomes(caseContext{subject: k.Subject(), day: k.Day}, []int{i}, ev.outcomes.current); err != nil && failed == nil {
			failed = err
		}
	})
	return errors.Join(failed, ev.cases.writeWaiting("sale:"))
}

// evaluateSale evaluates one sale: as a whole, then row by row, then the fees that were agreed for the whole sale.
func (ev *saleEvaluator) evaluateSale(in *ledger.Sale) error {
	ev.sink.SetSale(in)
	defer ev.sink.SetSale(nil)
	s := &ev.current
	s.Read(ev.env, in.Key, in.Rows, in.Complete)
	ev.interpretations.calibrateWith(s, nil)
	cents := ev.cents.divideGross(s)
	ev.outcomes.saleGuard.Reset()
	for _, i := range ev.outcomes.saleRules {
		ev.outcomes.ofSale[i].Take(ev.env.EvaluateSale(i, s))
		ev.outcomes.countOutcome(i, &ev.outcomes.ofSale[i], &ev.outcomes.saleGuard, nil)
		ev.outcomes.rootRules[i] = -1
		ev.outcomes.impacts[i] = ledger.Opt[ledger.Amount]{}
	}
	if in.Changed {
		if err := ev.compareWithDay(s); err != nil {
			return err
		}
	}
	var onSale saleImpacts
	for n, r := range s.Rows {
		ev.outcomes.delta.clear()
		if n == 0 {
			ev.outcomes.delta.guard, ev.outcomes.saleGuard = ev.outcomes.saleGuard, ev.outcomes.delta.guard
		}
		if err := ev.installments.evaluateRow(r, cents[n], &onSale); err != nil {
			return err
		}
	}
	ev.outcomes.clearImpacts(ev.outcomes.saleRules)
	for _, x := range onSale {
		ev.outcomes.impacts[x.rule] = ledger.Some(ev.outcomes.impacts[x.rule].Or(0) + x.amount)
	}
	if !ev.cases.existForSale(s.Key) && !anyFires(ev.outcomes.saleRules, ev.outcomes.ofSale) {
		return nil
	}
	first := s.Rows[0]
	return ev.cases.recordOutcomes(caseContext{
		subject: s.Subject(), day: s.Key.Day, due: first.Now.Forecast, brand: first.Brand, product: first.Product, line: first.Line.ID,
	}, ev.outcomes.saleRules, ev.outcomes.ofSale)
}

// compareWithDay adds the sale to the comparison of the sales of a day. A case on a sale that is no longer compared is
// resolved.
func (ev *saleEvaluator) compareWithDay(s *rules.Sale) error {
	i := ev.outcomes.sharedRules.doubleCharge
	status := ev.duplicates.Add(s)
	ev.outcomes.countStatus(i, status)
	if status != rules.NotEligible || !ev.cases.existForSale(s.Key) {
		return nil
	}
	ev.outcomes.current[i] = rules.Outcome{}
	return ev.cases.recordOutcomes(caseContext{subject: s.Subject(), day: s.Key.Day}, []int{i}, ev.outcomes.current)
}

// saleImpacts are the brackets of rows whose root cause is a rule on the whole sale.
type saleImpacts []struct {
	rule   int
	amount ledger.Amount
}

// centsDivision divides the gross of one sale after the other into whole cents, in the same memory.
type centsDivision struct {
	cents []int64         // of each row
	rest  []ledger.Amount // of each row: what its whole cents leave
	order []int           // rows, those with the largest remainders first
}

// divideGross divides the gross of a sale into whole cents for its rows. Each row gets its own whole cents; what is
// missing to the total goes to the largest remainders, of equal ones to the lowest installment. A surplus is taken from
// the smallest remainders, of equal ones from the highest installment. Rows are in order of installment number. The next
// sale overwrites the result.
func (d *centsDivision) divideGross(s *rules.Sale) []int64 {
	d.cents, d.rest, d.order = d.cents[:0], d.rest[:0], d.order[:0]
	lacking := grossTotal(s)
	for i, r := range s.Rows {
		cents, rest := int64(r.Gross/ledger.Cent), r.Gross%ledger.Cent
		if rest < 0 { // a negative row: the cent below it and what is left above that
			cents--
			rest += ledger.Cent
		}
		lacking -= cents
		d.cents, d.rest, d.order = append(d.cents, cents), append(d.rest, rest), append(d.order, i)
	}
	if lacking == 0 {
		return d.cents
	}
	slices.SortStableFunc(d.order, func(a, b int) int { return int(d.rest[b] - d.rest[a]) })
	// A total a cent off its rows can ask for a cent more than there are rows, or for one less than none.
	n := len(d.order)
	for i := 0; lacking > 0; i, lacking = (i+1)%n, lacking-1 {
		d.cents[d.order[i]]++
	}
	for i := n - 1; lacking < 0; i, lacking = (i+n-1)%n, lacking+1 {
		d.cents[d.order[i]]--
	}
	return d.cents
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
