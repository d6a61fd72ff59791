package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/rules/cards"
	"concilia/store/ledger"
)

// orderEvaluator evaluates the orders of prepayment: whether each installment that an order lists was paid in advance.
type orderEvaluator struct {
	*attempt
	cases *cases
}

// evaluateOrders evaluates every order of the account that lists installments, and resolves the cases of orders that
// are no longer in the file.
func (ev *orderEvaluator) evaluateOrders(ctx context.Context) error {
	if ev.in.Orders == nil {
		return nil
	}
	orders := listedOrders(ev.in.Orders, ev.account)
	if err := ev.readOrdered(ctx, orders); err != nil {
		return fmt.Errorf("installments that orders list: %w", err)
	}
	i, known := ev.env.Index(cards.OrderUnfilled), map[string]bool{}
	for _, o := range orders {
		first := slices.MinFunc(o.Lines, func(a, b cards.OrderLine) int { return cmp.Compare(a.PayOn, b.PayOn) })
		p := caseContext{subject: o.Subject(ev.account), day: first.OrderedOn, due: first.PayOn}
		known[p.subject] = true
		if err := ev.cases.evaluateAlone(i, cards.EvaluateOrder(ev.env, o), p); err != nil {
			return err
		}
	}
	var left []*storedCase
	for subject, all := range ev.cases.bySubject {
		for _, s := range all {
			if s.Code == cards.OrderUnfilled && !known[subject] {
				left = append(left, s)
			}
		}
	}
	return ev.cases.resolveCases(left)
}

// listedOrders are the orders of an account that list installments, in order of their names.
func listedOrders(all *agreements.Orders, a ledger.Account) []*cards.ListedOrder {
	var out []*cards.ListedOrder
	for _, line := range all.All() {
		if line.Account != a || line.Standing() {
			continue
		}
		if n := len(out); n == 0 || out[n-1].Order != line.Order {
			out = append(out, &cards.ListedOrder{Order: line.Order})
		}
		last := out[len(out)-1]
		last.Lines = append(last.Lines, cards.OrderLine{Order: line})
	}
	return out
}

// orderedKey is what an order calls an installment.
type orderedKey struct {
	nsu, auth string
	number    int
}

// readOrdered gives every line of the orders the installment it means.
func (ev *orderEvaluator) readOrdered(ctx context.Context, orders []*cards.ListedOrder) error {
	lines, nsus := map[orderedKey][]*cards.OrderLine{}, map[string]bool{}
	for _, o := range orders {
		for i := range o.Lines {
			l := &o.Lines[i]
			k := orderedKey{l.NSU, l.Auth, l.Installment}
			lines[k], nsus[l.NSU] = append(lines[k], l), true
		}
	}
	if len(nsus) == 0 {
		return nil
	}
	return ev.src.InstallmentsByNSU(ctx, ev.account, slices.Sorted(maps.Keys(nsus)), func(v *ledger.InstallmentVersion) error {
		k := v.Key()
		for _, l := range lines[orderedKey{k.NSU, k.Auth, k.Number}] {
			if matchesOrderLine(l, v) {
				kept := *v
				l.Now = &kept
			}
		}
		return nil
	})
}

// matchesOrderLine says whether a line means an installment rather than the one it has: the last sold by the day of the order, and
// of two of one day the one that is paid.
func matchesOrderLine(l *cards.OrderLine, v *ledger.InstallmentVersion) bool {
	day := v.SoldAt.Date()
	switch {
	case day > l.OrderedOn:
		return false
	case l.Now == nil:
		return true
	case day != l.Now.SoldAt.Date():
		return day > l.Now.SoldAt.Date()
	}
	return l.Now.Effective == 0 && v.Effective != 0
}
