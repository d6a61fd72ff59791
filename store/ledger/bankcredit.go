package ledger

// CreditedInstallment is an installment that the service says it credited: in its current version, or in an earlier one where that
// said more.
type CreditedInstallment struct {
	Account Account
	// Day is the one of the credit.
	Day    Date
	Amount Amount // received; negative where it was taken back
	// Splits are what beneficiaries get of it, where that was asked for, whole cents.
	Splits Amount
	// Fallen is set where the current version says less than Amount: Now, on NowDay (0: none).
	Fallen bool
	Now    Amount
	NowDay Date
	// Brand, Product, Status and ReceivedStatus are as sent.
	Brand, Product, Status, ReceivedStatus string
	// Seen is the day on which the current version was first seen; 0: unknown.
	Seen Date
	// Key is its subject.
	Key string
	// Evaluated is what the last reconcile made of the current version; its Class is empty where none did.
	Judged CreditJudged
}

// CreditJudged is what the last reconcile made of a row, by which summaries put it with others. Of slips it is the class alone.
type CreditJudged struct {
	Class   Class
	Brand   string
	Product Product
	Band    string
}

// CreditedSlip is a slip that the service says it credited.
type CreditedSlip struct {
	Account Account
	ID      string
	Day     Date // of the credit
	Due     Date // by which its terms are found
	Paid    Amount
	// Class is that of the last reconcile; empty where none has evaluated it.
	Class Class
}
