package report

import (
	"cmp"
	"context"

	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// noBankDay is when a line does not say what came to the bank.
const noBankDay = "base_date past the last day of which the bank's statement is known to be whole, or before what is answered for; no bank account; a critical case of it"

// bankColumns say how much of the rows of a line came to the bank. Together they are what should have come.
var bankColumns = []table.Column{
	{ID: "bank_credited", Header: "Creditado no banco", HeaderEN: "Credited at the bank", Type: table.TypeMoney, Decimals: 2, Null: noBankDay},
	{ID: "bank_difference", Header: "Diferença no banco", HeaderEN: "Difference at the bank", Type: table.TypeMoney, Decimals: 2, Null: noBankDay, HighlightNonZero: true, Signed: true},
}

// SummaryBankTable and SlipDaysBankTable are the tables of sets whose accounts are paid into a bank account.
var (
	SummaryBankTable  = SummaryTable.With(bankColumns...)
	SlipDaysBankTable = SlipDaysTable.With(bankColumns...)
)

// bankFigures are what came to the bank of the rows of a line.
type bankFigures struct{ credited, difference table.Money }

func (f *bankFigures) add(c *banking.Credit) {
	f.credited.Add(c.Credited)
	f.difference.Add(c.Expected - c.Credited)
}

func (f *bankFigures) merge(o *bankFigures) {
	f.credited.Merge(&o.credited)
	f.difference.Merge(&o.difference)
}

func (f *bankFigures) err() error { return cmp.Or(f.credited.Err(), f.difference.Err()) }

func (f *bankFigures) cells() table.Row { return table.Row{f.credited.Cell(), f.difference.Cell()} }

// bankLines are what came to the bank, by the lines of a table with a row per account, day and K.
type bankLines[K comparable] struct {
	accounts map[ledger.Account]BankAccount
	lines    map[K]*bankFigures
}

// readBankLines reads what came to the bank of a side; nil where the set says nothing about it.
func readBankLines[K comparable](ctx context.Context, set *Set, side banking.CreditSide, keyOf func(*banking.Credit) K) (*bankLines[K], error) {
	if !set.BankColumns {
		return nil, nil
	}
	accounts, err := set.Source.BankAccounts(ctx, side)
	if err != nil {
		return nil, err
	}
	b := &bankLines[K]{accounts: accounts, lines: map[K]*bankFigures{}}
	err = set.Source.BankCredits(ctx, side, func(c *banking.Credit) error {
		k := keyOf(c)
		if b.lines[k] == nil {
			b.lines[k] = &bankFigures{}
		}
		b.lines[k].add(c)
		return nil
	})
	return b, err
}

// fill sets the last cells of a line of an account and day, adds them to the total, and takes the line off those that are left.
func (b *bankLines[K]) fill(row table.Row, k K, account ledger.Account, day ledger.Date, total *bankFigures) error {
	if b == nil {
		return nil
	}
	bank, known := b.accounts[account]
	cells := row[len(row)-len(bankColumns):]
	clear(cells)
	if !known || !bank.Days.Contains(day) {
		return nil
	}
	f := b.lines[k]
	if f == nil {
		f = &bankFigures{}
	}
	delete(b.lines, k)
	total.merge(f)
	copy(cells, f.cells())
	return f.err()
}

// lessUnplaced takes off sums of the ledger what is of no line: a bank account that was not matched since its rows changed still has
// lines that are gone.
func (b *bankLines[K]) lessUnplaced(sums Sums) Sums {
	if b == nil {
		return sums
	}
	for _, f := range b.lines {
		sums.Columns["bank_credited"] -= int64(f.credited.Printed)
		sums.Columns["bank_difference"] -= int64(f.difference.Printed)
	}
	return sums
}
