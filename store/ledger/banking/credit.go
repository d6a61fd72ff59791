package banking

import "concilia/store/ledger"

// CreditedInstallment is an installment that the service says it credited: in its current version, or in an earlier one where that
// said more.
type CreditedInstallment struct {
	Account ledger.Account
	// Day is the one of the credit.
	Day    ledger.Date
	Amount ledger.Amount // received; negative where it was taken back
	// Splits are what beneficiaries get of it, where that was asked for, whole cents.
	Splits ledger.Amount
	// Fallen is set where the current version says less than Amount: Now, on NowDay (0: none).
	Fallen bool
	Now    ledger.Amount
	NowDay ledger.Date
	// Brand, Product, Status and ReceivedStatus are as sent.
	Brand, Product, Status, ReceivedStatus string
	// Seen is the day on which the current version was first seen; 0: unknown.
	Seen ledger.Date
	// Key is its subject.
	Key string
	// Evaluated is what the last reconcile made of the current version; its Class is empty where none did.
	Judged CreditJudged
}

// CreditJudged is what the last reconcile made of a row, by which summaries put it with others. Of slips it is the class alone.
type CreditJudged struct {
	Class   ledger.Class
	Brand   string
	Product ledger.Product
	Band    string
}

// CreditedSlip is a slip that the service says it credited.
type CreditedSlip struct {
	Account ledger.Account
	ID      string
	Day     ledger.Date // of the credit
	Due     ledger.Date // by which its terms are found
	Paid    ledger.Amount
	// Class is that of the last reconcile; empty where none has evaluated it.
	Class ledger.Class
}
