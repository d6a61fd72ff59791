package cnab

import (
	"errors"

	"concilia/store/ledger"
)

// Totals count and add up a file. The writer keeps them of what it was told, the reader of what it read, so that
// the two can be compared with each other and with the ledger.
type Totals struct {
	Records int // of every type, headers and trailers included
	Lotes   int

	Titles        int
	Face          ledger.Amount
	Fee           ledger.Amount
	Additions     ledger.Amount
	Discount      ledger.Amount
	Rebate        ledger.Amount
	Paid          ledger.Amount
	Net           ledger.Amount
	OtherExpenses ledger.Amount
	OtherCredits  ledger.Amount

	Splits      int
	SplitAmount ledger.Amount // of shares told as amounts

	Entries int
	Credits ledger.Amount
	Debits  ledger.Amount
}

func (s *Totals) addTitle(t *Title) error {
	s.Titles++
	s.Splits += len(t.Splits)
	err := errors.Join(
		add(&s.Face, t.Face), add(&s.Fee, t.Fee), add(&s.Additions, t.Additions), add(&s.Discount, t.Discount),
		add(&s.Rebate, t.Rebate), add(&s.Paid, t.Paid), add(&s.Net, t.Net),
		add(&s.OtherExpenses, t.OtherExpenses), add(&s.OtherCredits, t.OtherCredits))
	for i := range t.Splits {
		err = errors.Join(err, add(&s.SplitAmount, t.Splits[i].Amount))
	}
	return err
}

func (s *Totals) addEntry(e *Entry) error {
	s.Entries++
	if e.Debit {
		return add(&s.Debits, e.Amount)
	}
	return add(&s.Credits, e.Amount)
}

// add keeps the sum as it was when it would overflow.
func add(sum *ledger.Amount, a ledger.Amount) error {
	v, err := sum.Add(a)
	if err == nil {
		*sum = v
	}
	return err
}
