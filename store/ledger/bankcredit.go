package ledger

// CreditedInstallment is an installment that the service says it credited, in its current version.
type CreditedInstallment struct {
	Account Account
	// Day is the one of the credit.
	Day    Date
	Amount Amount // received; negative where it was taken back
	// Brand, Product, Status and ReceivedStatus are as sent.
	Brand, Product, Status, ReceivedStatus string
	// Seen is the day on which this version was first seen; 0: unknown.
	Seen Date
	// Key is its subject.
	Key string
}

// CreditedSlip is a slip that the service says it credited.
type CreditedSlip struct {
	Account Account
	ID      string
	Day     Date // of the credit
	Due     Date // by which its terms are found
	Paid    Amount
}
