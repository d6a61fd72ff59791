package openrows

import (
	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Movements are what moved the gross of open installments from the last reconcile to this one, by sale day, brand and product. They are
// added up version by version; the ledger counts the result.
type Movements struct {
	isFirst bool
	mapping *agreements.Mapping
	byKey   map[Key]*[ledger.MovementCount]ledger.Amount
}

// NewMovements has none yet, of versions that mapping interprets. isFirst: there is no reconcile before to go on from.
func NewMovements(mapping *agreements.Mapping, isFirst bool) *Movements {
	return &Movements{isFirst: isFirst, mapping: mapping, byKey: map[Key]*[ledger.MovementCount]ledger.Amount{}}
}

// ByKey returns the movements that were added.
func (m *Movements) ByKey() map[Key]*[ledger.MovementCount]ledger.Amount { return m.byKey }

// Key groups the gross of open rows.
type Key struct {
	Day     ledger.Date
	Brand   string
	Product ledger.Product
}

// State is an installment as one of its versions shows it.
type State struct {
	Key
	class         ledger.Class
	gross         ledger.Amount
	receivedEarly bool // received before its time
}

// The classes of an installment that is not there.
const (
	unknownYet ledger.Class = ""
	notThere   ledger.Class = "vanished"
)

func (m *Movements) addMovement(k Key, of ledger.Movement, a ledger.Amount) error {
	if a == 0 {
		return nil
	}
	sums := m.byKey[k]
	if sums == nil {
		sums = &[ledger.MovementCount]ledger.Amount{}
		m.byKey[k] = sums
	}
	var err error
	sums[of], err = sums[of].Add(a)
	return err
}

// addTransition adds the movements of a change from one state to the next: leaving the old class, another gross or
// group, entering the new class.
func (m *Movements) addTransition(was, is State) error {
	if was.class == is.class && is.class != ledger.Open {
		return nil
	}
	if was.class == unknownYet {
		was.Key, was.gross = is.Key, is.gross
	}
	if left, leaves := movementFrom(was.class); leaves {
		if err := m.addMovement(was.Key, left, was.gross); err != nil {
			return err
		}
	}
	if was.Key == is.Key {
		if err := m.addMovement(is.Key, ledger.Restated, is.gross-was.gross); err != nil {
			return err
		}
	} else {
		if err := m.addMovement(was.Key, ledger.Restated, -was.gross); err != nil {
			return err
		}
		if err := m.addMovement(is.Key, ledger.Restated, is.gross); err != nil {
			return err
		}
	}
	if entered, enters := movementInto(is); enters {
		return m.addMovement(is.Key, entered, -is.gross)
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

func movementInto(is State) (ledger.Movement, bool) {
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
func (m *Movements) addReclassification(was, is State) error {
	if was.class == ledger.Open {
		if err := m.addMovement(was.Key, ledger.Reclassified, -was.gross); err != nil {
			return err
		}
	}
	if is.class == ledger.Open {
		return m.addMovement(is.Key, ledger.Reclassified, is.gross)
	}
	return nil
}

// ObserveVersion interprets a version as the rules do today.
func ObserveVersion(m *agreements.Mapping, v *ledger.InstallmentVersion) State {
	brand, known := m.Brand(v.CardName)
	if !known {
		brand = v.CardName
	}
	product, known := m.Product(v.CardType)
	if !known {
		product = ledger.Product(v.CardType)
	}
	kind, _ := m.ReceivedType(v.ReceivedType)
	return State{
		Key: Key{v.SoldAt.Date(), brand, product}, class: rules.ClassOf(m, v), gross: v.Gross,
		receivedEarly: kind == ledger.Anticipated,
	}
}

// AddInstallment adds the movements of an installment since the last reconcile, version by version. before is the
// expectation that the last reconcile stored; nil if it did not know the row or saw it vanish. gone reports that the
// row has vanished now.
func (m *Movements) AddInstallment(h ledger.InstallmentHistory, before *ledger.StoredExpectation, gone bool) error {
	now := ObserveVersion(m.mapping, h.Current())
	if m.isFirst {
		if now.class == ledger.Open && !gone {
			return m.addMovement(now.Key, ledger.Started, now.gross)
		}
		return nil
	}
	var was State
	from := 0 // the next version to look at
	switch {
	case before != nil && before.Version >= 1 && before.Version <= len(h):
		v := &h[before.Version-1]
		was = State{Key: Key{v.SoldAt.Date(), before.Brand, before.Product}, class: before.Class, gross: v.Gross}
		from = before.Version
		is := now
		if from < len(h) {
			is = ObserveVersion(m.mapping, v)
		}
		if is.class != was.class || is.Key != was.Key {
			if err := m.addReclassification(was, is); err != nil {
				return err
			}
		}
		was = is
	default:
		for from < len(h) && !h[from].NotEvaluated {
			from++
		}
		if from > 0 && from < len(h) {
			was = ObserveVersion(m.mapping, &h[from-1])
			was.class = notThere
		} else {
			from = 0
		}
	}
	for ; from < len(h); from++ {
		is := ObserveVersion(m.mapping, &h[from])
		if h[from].Reappeared && was.class != notThere {
			lost := was
			lost.class = notThere
			if err := m.addTransition(was, lost); err != nil {
				return err
			}
			was = lost
		}
		if err := m.addTransition(was, is); err != nil {
			return err
		}
		was = is
	}
	if !gone {
		return nil
	}
	now.class = notThere
	return m.addTransition(was, now)
}
