package ownsales

import "concilia/store/ledger"

// Bucket is how a payment of a store, or a sale of the service, of a complete day was matched.
type Bucket string

// The buckets. What a store sent is in the first four of them or waiting.
const (
	Matched       Bucket = "matched"         // both sides say the same
	Divergent     Bucket = "divergent"       // both sides know it, and differ
	NotAtService  Bucket = "not_at_service"  // the service has no such sale
	Duplicated    Bucket = "duplicated"      // the store has it twice
	OnlyAtService Bucket = "only_at_service" // no store has such a payment
	Waiting       Bucket = "waiting"         // the other side's day, or the one after it, is not complete
)

// Buckets are all of them.
func Buckets() []Bucket {
	return []Bucket{Matched, Divergent, NotAtService, Duplicated, OnlyAtService, Waiting}
}

// Match is what a run concluded of a payment of a store, of a card sale or slip of the service, or of both. It is whole in itself:
// what either side says later changes no earlier conclusion.
type Match struct {
	Account ledger.Account // under which the store is kept
	Store   string
	Day     ledger.Date
	// Sale and Number name the payment; empty: the store has none.
	Sale   string
	Number int
	// Service is the subject of the service's sale; empty: it has none.
	Service         string
	Terminal        string
	OwnAt           ledger.LocalTime
	OwnAmount       ledger.Opt[ledger.Amount]
	OwnInstallments int
	OwnBrand        string
	OwnMethod       string
	OwnStatus       string
	Level           int // of the pair, 0: none
	NSU, Auth       string
	SaleAt          ledger.LocalTime
	SaleTotal       ledger.Opt[ledger.Amount]
	Installments    int
	Brand, Product  string
	Live            bool // the service's sale
	Bucket          Bucket
	// Difference is what the store counts less what the service counts; what was taken back counts 0.
	Difference ledger.Amount
	Codes      string // of the rules that fire, sorted, joined by |
}

// Method is the payment's, else the product of the service's sale.
func (m *Match) Method() string {
	if m.OwnMethod != "" {
		return m.OwnMethod
	}
	return m.Product
}

// Total is what the payment counts in sums.
func (m *Match) OwnTotal() ledger.Amount {
	if m.OwnStatus == string(StatusCancelled) || m.OwnStatus == string(StatusRefunded) {
		return 0
	}
	return m.OwnAmount.V
}

// ServiceTotal is what the service's sale counts in sums.
func (m *Match) ServiceTotal() ledger.Amount {
	if !m.Live {
		return 0
	}
	return m.SaleTotal.V
}

// SeenDay is an evaluated day of a store as a run found it.
type SeenDay struct {
	Account ledger.Account
	Store   string
	Day     ledger.Date
	State   DayState
	// Versions is how often payments of the day had come or changed: what is concluded of the day follows from no others.
	Versions int64
	// Matched is how many of its rows match, and MatchedRest what they differ by within the tolerance: KeepSales counts them.
	Matched     int64
	MatchedRest ledger.Amount
}

// Total is what the payments of a day come to that were made in one way through one institution and stand.
type Total struct {
	Day         ledger.Date
	Institution string
	Method      Method
	Amount      ledger.Amount
}

// UnknownInstitution is one that is not named and is not the service.
const UnknownInstitution = "-"

// MonthTotal is what the payments of a store come to in a month that went through an institution.
type MonthTotal struct {
	Account ledger.Account
	Store   string
	Month   ledger.Date // its first day
	// Institution is the CNPJ, of the service empty where none is declared; Participant its code in the EFD, empty: none is declared.
	Institution, Participant string
	// ServiceAccounts are the accounts whose sales count against these payments, joined by |: of the service alone, and each with one
	// store.
	ServiceAccounts string
	OfService       bool
	OwnTotal        ledger.Amount
	DaysMissing     int // evaluated days of the month that are not complete
}

// Conclusion is what a run concluded of a store in a period: it takes the place of what was concluded of these days before.
type Conclusion struct {
	Home    ledger.Account
	Store   string
	Period  ledger.Period
	Matches []Match
	Days    []SeenDay
	Months  []MonthTotal // those that have days of the period
}
