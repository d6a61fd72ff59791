package ledger

// OwnBucket is how a payment of a store, or a sale of the service, of a complete day was matched.
type OwnBucket string

// The buckets. What a store sent is in the first four of them or waiting.
const (
	OwnMatched    OwnBucket = "matched"         // both sides say the same
	OwnDivergent  OwnBucket = "divergent"       // both sides know it, and differ
	NotAtService  OwnBucket = "not_at_service"  // the service has no such sale
	OwnDuplicated OwnBucket = "duplicated"      // the store has it twice
	OnlyAtService OwnBucket = "only_at_service" // no store has such a payment
	OwnWaiting    OwnBucket = "waiting"         // the other side's day, or the one after it, is not complete
)

// OwnBuckets are all of them.
func OwnBuckets() []OwnBucket {
	return []OwnBucket{OwnMatched, OwnDivergent, NotAtService, OwnDuplicated, OnlyAtService, OwnWaiting}
}

// OwnMatch is what a run concluded of a payment of a store, of a card sale or slip of the service, or of both. It is whole in itself:
// what either side says later changes no earlier conclusion.
type OwnMatch struct {
	Account Account // under which the store is kept
	Store   string
	Day     Date
	// Sale and Number name the payment; empty: the store has none.
	Sale   string
	Number int
	// Service is the subject of the service's sale; empty: it has none.
	Service         string
	Terminal        string
	OwnAt           LocalTime
	OwnAmount       Opt[Amount]
	OwnInstallments int
	OwnBrand        string
	OwnMethod       string
	OwnStatus       string
	Level           int // of the pair, 0: none
	NSU, Auth       string
	SaleAt          LocalTime
	SaleTotal       Opt[Amount]
	Installments    int
	Brand, Product  string
	Live            bool // the service's sale
	Bucket          OwnBucket
	// Difference is what the store counts less what the service counts; what was taken back counts 0.
	Difference Amount
	Codes      string // of the rules that fire, sorted, joined by |
}

// Method is the payment's, else the product of the service's sale.
func (m *OwnMatch) Method() string {
	if m.OwnMethod != "" {
		return m.OwnMethod
	}
	return m.Product
}

// OwnTotal is what the payment counts in sums.
func (m *OwnMatch) OwnTotal() Amount {
	if m.OwnStatus == string(OwnCancelled) || m.OwnStatus == string(OwnRefunded) {
		return 0
	}
	return m.OwnAmount.V
}

// ServiceTotal is what the service's sale counts in sums.
func (m *OwnMatch) ServiceTotal() Amount {
	if !m.Live {
		return 0
	}
	return m.SaleTotal.V
}

// SeenOwnDay is an evaluated day of a store as a run found it.
type SeenOwnDay struct {
	Account Account
	Store   string
	Day     Date
	State   OwnDayState
	// Versions is how often payments of the day had come or changed: what is concluded of the day follows from no others.
	Versions int64
	// Matched is how many of its rows match, and MatchedRest what they differ by within the tolerance: KeepSales counts them.
	Matched     int64
	MatchedRest Amount
}

// OwnTotal is what the payments of a day come to that were made in one way through one institution and stand.
type OwnTotal struct {
	Day         Date
	Institution string
	Method      OwnMethod
	Amount      Amount
}

// UnknownInstitution is one that is not named and is not the service.
const UnknownInstitution = "-"

// OwnMonth is what the payments of a store come to in a month that went through an institution.
type OwnMonth struct {
	Account Account
	Store   string
	Month   Date // its first day
	// Institution is the CNPJ, of the service empty where none is declared; Participant its code in the EFD, empty: none is declared.
	Institution, Participant string
	// ServiceAccounts are the accounts whose sales count against these payments, joined by |: of the service alone, and each with one
	// store.
	ServiceAccounts string
	OfService       bool
	OwnTotal        Amount
	DaysMissing     int // evaluated days of the month that are not complete
}

// OwnConclusion is what a run concluded of a store in a period: it takes the place of what was concluded of these days before.
type OwnConclusion struct {
	Home    Account
	Store   string
	Period  Period
	Matches []OwnMatch
	Days    []SeenOwnDay
	Months  []OwnMonth // those that have days of the period
}
