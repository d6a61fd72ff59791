package ledger

import (
	"cmp"
	"slices"
)

// Hash identifies the content of a row: the first 16 bytes of the SHA-256 of its members in canonical form. Spelling
// does not matter: 100 and 100.00, or null and "", have the same hash.
type Hash [16]byte

// Installment is one record of the conciliation search: one installment of a card sale. Texts are as sent.
type Installment struct {
	Account          Account
	SoldAt           LocalTime // transactionDate, local time in São Paulo
	Terminal         string
	Card             string // masked: the first six and last four digits at most
	CardClear        bool   // the service sent more digits, which were masked before anything was kept
	CardType         string
	CardName         string
	Auth             string // codAuth
	NSU              string
	Number           int // installmentNumber as sent; see Key
	Count            int // installmentsCount as sent
	Gross            Amount
	SaleTotal        Opt[Amount]
	Status           string // installmentStatus
	MDR              Opt[Amount]
	MDRRate          Opt[Rate]
	Fee              Opt[Amount] // discountTrnRateInstalmentValue
	SaleFee          Opt[Amount] // discountTrnRateTransactionValue
	Antifraud        Opt[Amount] // discountAntifraudRateInstalmentValue
	SaleAntifraud    Opt[Amount] // discountAntifraudRateTransactionValue
	Anticipation     Opt[Amount] // discountAntecipationValue
	AnticipationRate Opt[Rate]   // discountAntecipationTax
	Received         Opt[Amount]
	Forecast         Date // receivedDateForeast
	Effective        Date // receivedDateEffective
	ReceivedType     string
	ReceivedStatus   string // receivedStatus
	Reference        string // transactionReference: the merchant's own order reference
	WebPaymentID     string
	Splits           []Split

	// Occurrence distinguishes identical keys of one answer; 0 means not assigned yet (see package store).
	Occurrence int
	// SaleOccurrence is the occurrence of the sale if it differs, because a number is repeated within one sale; else 0.
	SaleOccurrence int
}

// Split is one beneficiary's share of an installment.
type Split struct {
	Beneficiary string
	Type        string
	Pct         Opt[Rate]
	Base        Opt[Amount]
	Value       Opt[Amount]
}

// Key names the installment. Number 0 of a sale of 0 or 1 installments is 1 of 1.
func (i *Installment) Key() InstallmentKey {
	n := i.Number
	if n == 0 && i.Count <= 1 {
		n = 1
	}
	k := InstallmentKey{SaleKey: i.SaleKey(), Number: n}
	k.Occurrence = max(1, i.Occurrence)
	return k
}

// SaleKey names the sale the installment belongs to.
func (i *Installment) SaleKey() SaleKey {
	return SaleKey{
		Account: i.Account, Day: i.SoldAt.Date(), NSU: i.NSU, Auth: i.Auth,
		Occurrence: max(1, cmp.Or(i.SaleOccurrence, i.Occurrence)),
	}
}

// InstallmentCount is the number of installments of the sale; 0 is read as 1.
func (i *Installment) InstallmentCount() int { return max(1, i.Count) }

// SplitTotal is the sum of the split values; absent values are zero.
func (i *Installment) SplitTotal() Amount {
	var s Amount
	for _, sp := range i.Splits {
		s += sp.Value.Or(0)
	}
	return s
}

// ContentHash is the hash of every member the service sent, excluding the occurrence.
func (i *Installment) ContentHash() Hash { return contentHash(installmentMembers, i) }

// InstallmentVersion is an installment as it was seen at one time. Facts are never edited: a change becomes the next
// version.
type InstallmentVersion struct {
	Installment
	Version     int    // from 1
	Content     Hash   // of the members
	FirstPull   string // id of the pull that brought it
	LastPull    string // id of the pull that showed it last
	FirstSeen   Date   // as-of of the run that brought the first version of this key
	LastChanged Date   // as-of of the run that brought this version
	PulledOn    Date   // date of the pull that brought this version
	Vanished    bool   // the last complete pull of its day does not show it

	// For a reconcile; empty elsewhere. NotEvaluated: no reconcile has evaluated the version yet. Reappeared: the previous
	// version had vanished when this one came. Stored, on the last version, is the stored expectation of the installment.
	// Ended is the pull that ended the version; empty: it is current.
	NotEvaluated bool
	Reappeared   bool
	Stored       *StoredExpectation
	Ended        string

	// For a report; zero elsewhere and if it does not apply. ClassSince is the day on which the installment was first
	// seen cancelled or charged back, whichever its class is now. TakenBackSince is the day on which a negative
	// amount was first seen received. Later changes move neither.
	ClassSince     Date
	TakenBackSince Date
}

// InstallmentHistory is all versions of an installment, oldest first; the last is the current one.
type InstallmentHistory []InstallmentVersion

// Current is the last version.
func (h InstallmentHistory) Current() *InstallmentVersion { return &h[len(h)-1] }

// Earlier are the versions before the last.
func (h InstallmentHistory) Earlier() []InstallmentVersion { return h[:len(h)-1] }

// Sale is the installments of one sale with their histories, in order of installment number. Vanished rows are not
// among them.
type Sale struct {
	Key      SaleKey
	Rows     []InstallmentHistory
	Complete bool // its day has a complete pull and no quarantined row

	// For a reconcile. Changed: one of its rows changed, or one of a sale it may duplicate. Vanished are the rows of its day,
	// NSU and authorization that vanished and still have a stored expectation; Rows may then be empty.
	Changed  bool
	Vanished []VanishedInstallment
}

// Sort puts the rows in order of installment number.
func (s *Sale) Sort() {
	slices.SortStableFunc(s.Rows, func(a, b InstallmentHistory) int {
		return a.Current().Key().Number - b.Current().Key().Number
	})
}
