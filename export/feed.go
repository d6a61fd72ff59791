package export

import (
	"context"

	"concilia/export/report"
	"concilia/store/ledger"
)

// ReportSource is what the ledger answers for one set: the rows of its kinds and, by other queries, their sums.
type ReportSource interface {
	report.RowSource
	CaseSource
	// Sums is what the ledger itself says the rows of a table count and add up to, as printed. A column that is a
	// Ratio may be left out; any other numeric column may not. Of a column that is Distinct there is, besides the sum of its
	// lines, one more: its id and "of the set", the number of distinct things; so there is of the causes of a restatement.
	// net_kept is received less splits_received, whatever the profile reads. Tables without rows of their own are statement and
	// statement-net, and the titles of EDI files: card-titles, card-titles-net-of-splits, slip-titles.
	Sums(ctx context.Context, table string) (report.Sums, error)
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
