package export

import (
	"context"

	"concilia/store/ledger"
)

// Feed is what the ledger answers for one set: rows in report order and, by other queries, their sums. It may be
// asked for the same rows more than once and must answer the same. What it yields is read before the next is
// asked for, so it may reuse it.
type Feed interface {
	CaseFeed
	RestatementFeed
	// Installments yields every installment of the set in order of account, sale_at, nsu, auth, installment,
	// occurrence, each with what the run believed of it, and since when it is cancelled, charged back or taken back.
	Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error
	// Slips yields every slip of the set in order of account, the basis' date, slip id.
	Slips(ctx context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error
	// Firing yields the cases of severity error and warning that fire on installments and sales of the set, pending
	// and shadow apart, whatever people did with them.
	Firing(ctx context.Context, yield func(subject string, severity ledger.Severity) error) error
	// Sums is what the ledger itself says the rows of a table count and add up to, as printed. A column that is a
	// Ratio may be left out; any other numeric column may not. Of a column that is Once there is, beside the sum of its
	// lines, one more: its id and "of the set", the number of distinct things; so there is of the causes of a restatement.
	// net_kept is received less splits_received, whatever the profile reads. Tables without rows of their own are statement and
	// statement-net, and the titles of EDI files: card-titles, card-titles-net-of-splits, slip-titles.
	Sums(ctx context.Context, table string) (Sums, error)
	// Cases yields every case of a state set, as of the run, in order of account, severity, impact (greatest first) and
	// case: those that are not resolved or closed, and those that became so since the state set before.
	Cases(ctx context.Context, yield func(*Case) error) error
	// NotDue yields what is owed and not late, by account, kind of aging and brand.
	NotDue(ctx context.Context, yield func(*NotDue) error) error
	// Agenda yields, in any order, every installment of a state set that is open and not overdue, or blocked.
	Agenda(ctx context.Context, yield func(*AgendaRow) error) error
	// AgendaRoll yields, in any order, what moved the gross of open installments since the state set before that has it,
	// by account, brand and product; where nothing was open and nothing moved there is no row.
	AgendaRoll(ctx context.Context, yield func(*AgendaMove) error) error
	// CreditedCards yields the installments of the account that a statement has, of a period of its own, in order of credit
	// date; the order within a date is open.
	CreditedCards(ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error
	// CreditedSlips yields the slips of it in order of credit date and slip id.
	CreditedSlips(ctx context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error
	// LeftOut counts the rows that have no date of the basis.
	LeftOut(ctx context.Context) (cards, slips int64, err error)
}

// Numbers hands out what an EDI file needs and nobody may use twice.
type Numbers interface {
	// ReserveEDI reserves, in one database transaction, the number of a file (NSA) and the title numbers of the
	// subjects, eleven digits at most, by subject. A file, by its published name, and a subject that have one keep it.
	// own holds the numbers that subjects bring along and may keep if they are free.
	ReserveEDI(ctx context.Context, file string, subjects []string, own map[string]string) (nsa int, numbers map[string]string, err error)
	// TitleNumbers returns the numbers that those of the subjects have which were emitted before.
	TitleNumbers(ctx context.Context, subjects []string) (map[string]string, error)
}

// Sums are the number of rows of a table and the sums of its numeric columns as printed, by column id: counts
// plain, money and numbers in ten-thousandths, rates in millionths of a percent.
type Sums struct {
	Rows    int64
	Columns map[string]int64
}
