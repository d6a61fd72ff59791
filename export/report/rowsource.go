package report

import (
	"context"

	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/ledger/ownsales"
)

// RowSource yields the rows of one set in report order, each subject by an interface of its own. The same rows may be read more than
// once and must be the same. A yielded row is not used after yield returns, so it may be reused.
type RowSource interface {
	CardSource
	SlipSource
	StateSource
	MonthSource
	RestatementSource
	BankSource
	ShopSource
	BookSource
}

// CardSource yields card rows.
type CardSource interface {
	// Installments yields every installment of the set in order of account, sale_at, nsu, auth, installment,
	// occurrence, each with what the run expected of it, and since when it is cancelled, charged back or taken back.
	Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error
	// Firing yields, for each line of a summary that has any, how many cases of severity error and warning fire on its installments,
	// their splits and their sales, pending and suppressed apart, whatever people did with them. A case on a sale is on the line of
	// the sale's first installment in the set.
	Firing(ctx context.Context, yield func(*LineCases) error) error
}

// SlipSource yields slip rows.
type SlipSource interface {
	// Slips yields every slip of the set in order of account, the basis' date, slip id.
	Slips(ctx context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error
}

// StateSource yields the rows of a state set: how things were on a day.
type StateSource interface {
	// Cases yields every case of a state set, as of the run, in order of account, severity, impact (greatest first) and
	// case: those that are not resolved or closed, and those that became so since the state set before.
	Cases(ctx context.Context, yield func(*Case) error) error
	// Claims yields every claim of a state set, as of the run, in order of account, day of the claim and case.
	Claims(ctx context.Context, yield func(*Claim) error) error
	// NotDue yields what is owed and not late, by account, kind of aging and brand.
	NotDue(ctx context.Context, yield func(*NotDue) error) error
	// Agenda yields, in any order, every installment of a state set that is open and not overdue, or blocked.
	Agenda(ctx context.Context, yield func(*AgendaRow) error) error
	// AgendaRoll yields, in any order, what moved the gross of open installments since the state set before that has it,
	// by account, brand and product; where nothing was open and nothing moved there is no row.
	AgendaRoll(ctx context.Context, yield func(*AgendaMovement) error) error
	// Forecast yields, by account, what a state set's accounts are to be credited, as the run kept it.
	Forecast(ctx context.Context, yield func(*AccountForecast) error) error
}

// MonthSource yields months.
type MonthSource interface {
	// Months yields, by account, the month that is the set's period as the run kept it, of the accounts that a month has rows of.
	Months(ctx context.Context, yield func(*AccountMonth) error) error
}

// RestatementSource yields the changes of closed periods.
type RestatementSource interface {
	// Adjustments yields, by account in order of day, what the changes of cards of closed periods come to that were first
	// seen in the set's period, as printed and exactly. A set with a filter, or that shows the closed period itself, has none.
	Adjustments(ctx context.Context, yield func(account ledger.Account, day ledger.Date, printed, exact ledger.RestatedSums) error) error
	// Restatements yields the changes of the closed periods that lie in the set's, by account in order of period, subject
	// and run.
	Restatements(ctx context.Context, yield func(*ledger.Restatement) error) error
	// ClosedPeriods are those periods, each with what its figures were and are now, read from the rows themselves.
	ClosedPeriods(ctx context.Context) ([]ClosedPeriod, error)
}

// BankSource yields what came to bank accounts.
type BankSource interface {
	// Deposits yields what became of both sides of the bank accounts whose homes are in the set, by home in order of bank account,
	// day, payer, day of credit, match and subject; BankDays yields the days of their statements.
	Deposits(ctx context.Context, yield func(*banking.Deposit) error) error
	BankDays(ctx context.Context, yield func(*banking.SeenDay) error) error
	// BankCredits yields what came to bank accounts of what the service says it credited on days of the set: of a side of each account
	// on the days of its BankAccount.
	BankCredits(ctx context.Context, side banking.CreditSide, yield func(*banking.Credit) error) error
	// BankAccounts are the bank accounts into which a side of accounts of the set is paid, by the account.
	BankAccounts(ctx context.Context, side banking.CreditSide) (map[ledger.Account]BankAccount, error)
}

// ShopSource yields what stores say they sold.
type ShopSource interface {
	// OwnDays yields the evaluated days of the stores whose homes are in the set, by home in order of store and day; OwnMatches yields their
	// payments with how they were matched, in order of store, day, sale, payment and sale of the service; OwnMonths yields their months, in order of
	// store, month and institution.
	OwnDays(ctx context.Context, yield func(*ownsales.SeenDay) error) error
	OwnMatches(ctx context.Context, yield func(*ownsales.Match) error) error
	OwnMonths(ctx context.Context, yield func(*EFDMonth) error) error
}

// BookSource yields the movement and the journal.
type BookSource interface {
	// Events yields the events of a set of the movement in their order, those of cards first.
	Events(ctx context.Context, yield func(*bookkeeping.Event) error) error
	// Entries yields the entries of a set of the journal in order of day and title.
	Entries(ctx context.Context, yield func(*bookkeeping.Entry) error) error
}

// Sums are the number of rows of a table and the sums of its numeric columns as printed, by column id: counts
// plain, money and numbers in ten-thousandths, rates in millionths of a percent.
type Sums struct {
	Rows    int64
	Columns map[string]int64
}

// InTenThousandths turns a sum of the column into the ten-thousandths that control shows.
func InTenThousandths(c *table.Column, sum int64) int64 {
	switch c.Type {
	case table.TypeInt:
		return sum * 10_000
	case table.TypeRate:
		return sum / 100
	}
	return sum
}
