package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// continuity follows the gross of open installments from the last reconcile to this one, by sale day, brand and
// product. Movements are added up version by version; the ledger counts the result.
type continuity struct {
	isFirst   bool // there is no reconcile before to go on from
	mapping   *agreements.Mapping
	movements map[openKey]*[ledger.MovementCount]ledger.Amount
}

// openKey groups the gross of open rows.
type openKey struct {
	day     ledger.Date
	brand   string
	product ledger.Product
}

// observedState is an installment as one of its versions shows it.
type observedState struct {
	openKey
	class         ledger.Class
	gross         ledger.Amount
	receivedEarly bool // received before its time
}

// The classes of an installment that is not there.
const (
	unknownYet ledger.Class = ""
	notThere   ledger.Class = "vanished"
)

func (c *continuity) addMovement(k openKey, m ledger.Movement, a ledger.Amount) error {
	if a == 0 {
		return nil
	}
	of := c.movements[k]
	if of == nil {
		of = &[ledger.MovementCount]ledger.Amount{}
		c.movements[k] = of
	}
	var err error
	of[m], err = of[m].Add(a)
	return err
}

// addTransition adds the movements of a change from one state to the next: leaving the old class, another gross or
// group, entering the new class.
func (c *continuity) addTransition(was, is observedState) error {
	if was.class == is.class && is.class != ledger.Open {
		return nil
	}
	if was.class == unknownYet {
		was.openKey, was.gross = is.openKey, is.gross
	}
	if m, leaves := movementFrom(was.class); leaves {
		if err := c.addMovement(was.openKey, m, was.gross); err != nil {
			return err
		}
	}
	if was.openKey == is.openKey {
		if err := c.addMovement(is.openKey, ledger.Restated, is.gross-was.gross); err != nil {
			return err
		}
	} else {
		if err := c.addMovement(was.openKey, ledger.Restated, -was.gross); err != nil {
			return err
		}
		if err := c.addMovement(is.openKey, ledger.Restated, is.gross); err != nil {
			return err
		}
	}
	if m, enters := movementInto(is); enters {
		return c.addMovement(is.openKey, m, -is.gross)
	}
	return nil
}

func movementFrom(c ledger.Class) (ledger.Movement, bool) {
	switch c {
	case ledger.Open:
		return 0, false
	case unknownYet:
		return ledger.Added, true
	case ledger.Blocked:
		return ledger.Unblocked, true
	case notThere:
		return ledger.Reappeared, true
	}
	return ledger.Undone, true
}

func movementInto(is observedState) (ledger.Movement, bool) {
	switch is.class {
	case ledger.Received:
		if is.receivedEarly {
			return ledger.ReceivedEarly, true
		}
		return ledger.ReceivedNormally, true
	case ledger.Cancelled:
		return ledger.WasCancelled, true
	case ledger.Chargeback:
		return ledger.ChargedBack, true
	case ledger.Blocked:
		return ledger.WasBlocked, true
	case notThere:
		return ledger.HasVanished, true
	}
	return 0, false
}

// addReclassification adds the movement of a version that is interpreted differently than before.
func (c *continuity) addReclassification(was, is observedState) error {
	if was.class == ledger.Open {
		if err := c.addMovement(was.openKey, ledger.Reclassified, -was.gross); err != nil {
			return err
		}
	}
	if is.class == ledger.Open {
		return c.addMovement(is.openKey, ledger.Reclassified, is.gross)
	}
	return nil
}

// observeVersion interprets a version as the rules do today.
func observeVersion(m *agreements.Mapping, v *ledger.InstallmentVersion) observedState {
	brand, known := m.Brand(v.CardName)
	if !known {
		brand = v.CardName
	}
	product, known := m.Product(v.CardType)
	if !known {
		product = ledger.Product(v.CardType)
	}
	kind, _ := m.ReceivedType(v.ReceivedType)
	return observedState{
		openKey: openKey{v.SoldAt.Date(), brand, product}, class: rules.ClassOf(m, v), gross: v.Gross,
		receivedEarly: kind == ledger.Anticipated,
	}
}

// followInstallment adds the movements of an installment since the last reconcile, version by version. before is the
// expectation that the last reconcile stored; nil if it did not know the row or saw it vanish. gone reports that the
// row has vanished now.
func (c *continuity) followInstallment(h ledger.InstallmentHistory, before *ledger.StoredExpectation, gone bool) error {
	now := observeVersion(c.mapping, h.Current())
	if c.isFirst {
		if now.class == ledger.Open && !gone {
			return c.addMovement(now.openKey, ledger.Started, now.gross)
		}
		return nil
	}
	var was observedState
	from := 0 // the next version to look at
	switch {
	case before != nil && before.Version >= 1 && before.Version <= len(h):
		v := &h[before.Version-1]
		was = observedState{openKey: openKey{v.SoldAt.Date(), before.Brand, before.Product}, class: before.Class, gross: v.Gross}
		from = before.Version
		is := now
		if from < len(h) {
			is = observeVersion(c.mapping, v)
		}
		if is.class != was.class || is.openKey != was.openKey {
			if err := c.addReclassification(was, is); err != nil {
				return err
			}
		}
		was = is
	default:
		for from < len(h) && !h[from].NotEvaluated {
			from++
		}
		if from > 0 && from < len(h) {
			was = observeVersion(c.mapping, &h[from-1])
			was.class = notThere
		} else {
			from = 0
		}
	}
	for ; from < len(h); from++ {
		is := observeVersion(c.mapping, &h[from])
		if h[from].Reappeared && was.class != notThere {
			lost := was
			lost.class = notThere
			if err := c.addTransition(was, lost); err != nil {
				return err
			}
			was = lost
		}
		if err := c.addTransition(was, is); err != nil {
			return err
		}
		was = is
	}
	if !gone {
		return nil
	}
	now.class = notThere
	return c.addTransition(was, now)
}

// evaluateContinuity compares, day by day, the opening gross and the movements with the gross that the ledger counts,
// and evaluates each month.
func (ev *monthEvaluator) evaluateContinuity(sums []ledger.DaySum, days map[ledger.Date]bool) error {
	all := map[openKey]*ledger.Continuity{}
	at := func(k openKey) *ledger.Continuity {
		if all[k] == nil {
			all[k] = &ledger.Continuity{Day: k.day, Brand: k.brand, Product: k.product}
		}
		return all[k]
	}
	openings, err := ev.sink.CurrentClosings()
	if err != nil {
		return err
	}
	for _, o := range openings {
		if ev.everything || days[o.Day] {
			at(openKey{o.Day, o.Brand, o.Product}).Opening = o.Closing
		}
	}
	for k, moved := range ev.continuity.movements {
		at(k).Changes = *moved
	}
	for _, s := range sums {
		at(openKey{s.Day, s.Brand, s.Product}).Closing += s.Open
	}
	var kept []ledger.Continuity
	months := map[month]*runs.Continuity{}
	for k, c := range all {
		m := month{monthOf(k.day), k.brand, k.product}
		if months[m] == nil {
			months[m] = &runs.Continuity{Month: m.first, Brand: m.brand, Product: m.product}
		}
		of := months[m]
		moved := ledger.Amount(0)
		for _, a := range c.Changes {
			moved += a
		}
		of.Opening, of.Movements, of.Closing = of.Opening+c.Opening, of.Movements+moved, of.Closing+c.Closing
		if c.Changes != [ledger.MovementCount]ledger.Amount{} || c.Closing != c.Opening {
			kept = append(kept, *c)
		}
	}
	slices.SortFunc(kept, func(a, b ledger.Continuity) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), strings.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product))
	})
	if err := ev.sink.WriteContinuity(kept); err != nil {
		return err
	}
	i := ev.env.Index(runs.ContinuityBroken)
	for _, m := range sortedMonths(months) {
		c := *months[m]
		p := caseContext{subject: c.Subject(ev.account), day: m.first, brand: m.brand, product: m.product}
		if err := ev.cases.evaluateAlone(i, runs.EvaluateContinuity(ev.env, c), p); err != nil {
			return err
		}
	}
	return nil
}
