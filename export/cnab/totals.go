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
		addAmount(&s.Face, t.Face), addAmount(&s.Fee, t.Fee), addAmount(&s.Additions, t.Additions), addAmount(&s.Discount, t.Discount),
		addAmount(&s.Rebate, t.Rebate), addAmount(&s.Paid, t.Paid), addAmount(&s.Net, t.Net),
		addAmount(&s.OtherExpenses, t.OtherExpenses), addAmount(&s.OtherCredits, t.OtherCredits))
	for i := range t.Splits {
		err = errors.Join(err, addAmount(&s.SplitAmount, t.Splits[i].Amount))
	}
	return err
}

func (s *Totals) addEntry(e *Entry) error {
	s.Entries++
	if e.Debit {
		return addAmount(&s.Debits, e.Amount)
	}
	return addAmount(&s.Credits, e.Amount)
}

// addAmount keeps the sum as it was when it would overflow.
func addAmount(sum *ledger.Amount, a ledger.Amount) error {
	v, err := sum.Add(a)
	if err == nil {
		*sum = v
	}
	return err
}
