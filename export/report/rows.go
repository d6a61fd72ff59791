package report

import (
	"cmp"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/ledger/ownsales"
)

// The rows of a RowSource that are no noun of the ledger: it is asked for them with what else reports show.

// AgendaRow is one installment that is still to be received, with what the ledger has no column for.
type AgendaRow struct {
	ledger.AgendaItem
	Account     ledger.Account
	Adjusted    ledger.Date // the business day of the forecast; none: no date sent
	Anticipated bool        // its received type says so, or it has a cost of anticipation
}

// AgendaMovement is the change of the gross of open installments of one account, brand and product since the previous state
// set.
type AgendaMovement struct {
	Account ledger.Account
	Since   ledger.Date // as-of of that set; 0: there is none
	ledger.Continuity
}

// Case is a case of a state set as of the run, with members that are computed with the calendar and the rules.
type Case struct {
	ledger.Finding
	// Days and BusinessDays are its age at the as-of, since the day it opened; nothing while it has not opened.
	Days, BusinessDays ledger.Opt[int64]
	Explanation        string       // one sentence in the set's language, with the numbers in it
	AgingEntries       []AgingEntry // its entries in aging
	// OurNumber and ReferenceCode name the slip to people; empty for other cases.
	OurNumber, ReferenceCode string
	// FollowUp is when the claim is to be asked about again, and Claimed its amount; nothing of a case that was never disputed.
	FollowUp ledger.Date
	Claimed  ledger.Opt[ledger.Amount]
}

// AgingEntry is one case's part of aging. A case that is overdue and disputed has one of both kinds.
type AgingEntry struct {
	Kind   string
	Brand  string
	Days   int64         // business days at the as-of
	Amount ledger.Amount // that the case is about
}

// NotDue is what is owed and not late, by account, kind and brand: sums of printed amounts, and at four decimals.
type NotDue struct {
	Account ledger.Account
	Kind    string
	Brand   string
	Count   int64
	Printed ledger.Amount
	Exact   ledger.Amount
}

// AccountForecast is what an account is to be credited, as the reconcile of the run kept it, and the business days that it is shown
// for, in order.
type AccountForecast struct {
	Account ledger.Account
	Days    []ledger.Date
	Sums    []ledger.ForecastSum
}

// Claim is a case that was disputed, and what came of it as of the run. Claimed is Recovered, Open and GivenUp together.
type Claim struct {
	Account                    ledger.Account
	Case, Code, Subject        string
	Brand                      string
	Sentence, Owner, Reference string
	ClaimedOn, FollowUp        ledger.Date
	AnsweredOn, RecoveredOn    ledger.Date
	Answer                     ledger.Reply
	Claimed, Recovered, Open   ledger.Amount
	GivenUp                    ledger.Amount
	State                      string
}

// BankAccount is a bank account into which a side of an account is paid.
type BankAccount struct {
	ID string
	// Days are those that its statements are known to be whole for, without a hole; empty (From after To) where none is, or it has a
	// critical case.
	Days ledger.Period
}

// EFDMonth is what went through an institution in a month.
type EFDMonth struct {
	ownsales.MonthTotal
	// ServiceTotal is what the service says, rounded to cents: live sales by card by their day and slips by the day they were paid. Of other
	// institutions there is none.
	ServiceTotal ledger.Opt[ledger.Amount]
}

// Difference is what the store counts more than the service, if there is anything to compare.
func (m *EFDMonth) Difference() (d ledger.Opt[ledger.Amount]) {
	if m.ServiceTotal.OK {
		d = ledger.Some(m.OwnTotal - m.ServiceTotal.V)
	}
	return d
}

// EventTitle is what an event's title is called in files.
type EventTitle struct {
	DocumentNumber, CompanyUse string
	CreditDate                 ledger.Date
	Beneficiary                string // of a share
}

// BookAccount is the code and the path of the account that a line of an entry is on.
type BookAccount func(*bookkeeping.Entry, bookkeeping.Role) (code, path string)

// LineCases is how many cases of severity error and warning fire on the installments of one line of a summary.
type LineCases struct {
	Account          ledger.Account
	Day              ledger.Date // of the basis
	Brand            string
	Product          ledger.Product
	Band             string
	Errors, Warnings int64
}

// CompareUndatedLast orders dates; no date comes after every other.
func CompareUndatedLast(a, b ledger.Date) int {
	if (a == 0) != (b == 0) {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}
