package bookkeeping

import (
	"strconv"

	"concilia/store/ledger"
)

// Method is how the journal recognizes money: when it is earned, or when it comes.
type Method string

// The methods.
const (
	Accrual Method = "accrual"
	Cash    Method = "cash"
)

// Methods are the methods there are.
func Methods() []Method { return []Method{Accrual, Cash} }

// Role is what an account of the books is for. Which account that is, the accounting office says.
type Role string

// The roles, in the order in which journals open their accounts.
const (
	RoleReceivable     Role = "receivable"
	RoleService        Role = "service" // what the service says it paid, and the bank has not shown
	RoleClaims         Role = "claims"
	RoleExcess         Role = "excess"
	RoleLoss           Role = "loss" // claims that were given up
	RoleSales          Role = "sales"
	RoleReturns        Role = "returns"
	RoleChargebacks    Role = "chargebacks"
	RoleMDR            Role = "mdr"
	RoleTransactionFee Role = "transaction_fee"
	RoleAntifraudFee   Role = "antifraud_fee"
	RoleAnticipation   Role = "anticipation"
	RoleSplitCost      Role = "split_cost"
	RoleSplitPayable   Role = "split_payable"
	RoleSlipReceivable Role = "slip_receivable"
	RoleSlipTransit    Role = "slip_transit"
	RoleSlipSales      Role = "slip_sales"
	RoleSlipDiscount   Role = "slip_discount"
	RoleSlipCharges    Role = "slip_charges"
	RoleSlipTariff     Role = "slip_tariff"
	RoleBank           Role = "bank"
	RoleBankTariffs    Role = "bank_tariffs"
	RoleOpening        Role = "opening"
)

// Roles are the roles in their order.
func Roles() []Role {
	return []Role{
		RoleReceivable, RoleService, RoleClaims, RoleExcess, RoleLoss, RoleSales, RoleReturns, RoleChargebacks, RoleMDR, RoleTransactionFee,
		RoleAntifraudFee, RoleAnticipation, RoleSplitCost, RoleSplitPayable, RoleSlipReceivable, RoleSlipTransit, RoleSlipSales, RoleSlipDiscount,
		RoleSlipCharges, RoleSlipTariff, RoleBank, RoleBankTariffs, RoleOpening,
	}
}

// HasBalance reports whether the balance of a role goes over from one period to the next: it is an asset or a liability.
func (r Role) HasBalance() bool {
	switch r {
	case RoleReceivable, RoleService, RoleClaims, RoleExcess, RoleSplitPayable, RoleSlipReceivable, RoleSlipTransit, RoleBank:
		return true
	}
	return false
}

// IsWhole reports whether the journal has all that there is to the balance of a role: a bank account has other lines than what the
// service paid into it.
func (r Role) IsWhole() bool { return r.HasBalance() && r != RoleBank }

// EntryType names what an entry of the journal says.
type EntryType string

// The types of entries, in the order in which a title has them.
const (
	EntrySale            EntryType = "sale"
	EntryFees            EntryType = "fees"
	EntrySettled         EntryType = "settled"
	EntrySplit           EntryType = "split"
	EntryCancelled       EntryType = "cancelled"
	EntryChargedBack     EntryType = "charged_back"
	EntryTakenBack       EntryType = "taken_back"
	EntryClaimWrittenOff EntryType = "claim_written_off"
	EntrySlipIssued      EntryType = "slip_issued"
	EntrySlipPaid        EntryType = "slip_paid"
	EntrySlipCredited    EntryType = "slip_credited"
	EntrySlipCancelled   EntryType = "slip_cancelled"
	EntryBank            EntryType = "bank"
	EntryOpening         EntryType = "opening"
)

// EntryTypes are the types in their order.
func EntryTypes() []EntryType {
	return []EntryType{
		EntrySale, EntryFees, EntrySettled, EntrySplit, EntryCancelled, EntryChargedBack, EntryTakenBack, EntryClaimWrittenOff,
		EntrySlipIssued, EntrySlipPaid, EntrySlipCredited, EntrySlipCancelled, EntryBank, EntryOpening,
	}
}

// IsOfOperation reports whether the month of an entry is the one of the operation; else it is that of the credit.
func (t EntryType) IsOfOperation() bool {
	return t == EntrySale || t == EntryFees || t == EntrySlipIssued
}

// EntryLine is a debit of a role, or a credit if the amount is negative.
type EntryLine struct {
	Role   Role
	Amount ledger.Amount
}

// Entry is an entry of the journal. It is never changed: what becomes wrong is reversed.
type Entry struct {
	Account  ledger.Account
	Method   Method
	Source   EventSource
	Set, Cut int
	Position int    // of its event in the cut; 0: it has none
	Event    string // id
	Number   int    // within the event, from 1; 0: the entry is of a day
	Type     EntryType
	Reverses string // id of the entry that it takes back; empty: none
	Posted   ledger.Date
	Occurred ledger.Date
	Subject  string // of a share its own
	Title    string
	Version  int
	Brand    string
	Product  ledger.Product
	Text     string
	Lines    []EntryLine // they add up to zero
}

// ID is the key of the entry: that of its event, and its number, or that of a day with all entries that say the same.
func (e *Entry) ID() string {
	if e.Number == 0 {
		return e.Event
	}
	return e.Event + "." + strconv.Itoa(e.Number)
}

// Balance adds up the lines: zero.
func (e *Entry) Balance() (sum ledger.Amount) {
	for _, l := range e.Lines {
		sum += l.Amount
	}
	return sum
}

// Booked is what the journal remembers of a title that was taken back: what it last was while it was live, and when that ended.
type Booked struct {
	Settled      bool
	Face         ledger.Amount
	MDR          ledger.Amount
	Fee          ledger.Amount
	Antifraud    ledger.Amount
	Received     ledger.Amount
	Anticipation ledger.Amount
	SplitCost    ledger.Amount
	Effective    ledger.Date
	ReversedOn   ledger.Date
	TakenOn      ledger.Date // when money was last taken back
	Issued       bool        // a slip: it was a title
}

// Booking is what the journal has an entry of besides what became of titles: a claim that a person gave up, or a match at a bank.
// Every method has the same entry of it.
type Booking struct {
	Type    EntryType
	Subject string // the row of the claim, or the match
	Title   string // the entry is listed with those of this title
	On      ledger.Date
	Version int // of the row; 0: it is of none
	Brand   string
	Product ledger.Product
	Named   string // in the text of the entry
	Lines   []EntryLine
}

// The types of events that bring such entries. They are in no table of the movement.
const (
	EventClaimClosed EventType = "claim_closed"
	EventBank        EventType = "bank"
)

// BookingEvent is the type of the event that brings an entry of a type.
func BookingEvent(t EntryType) EventType {
	if t == EntryBank {
		return EventBank
	}
	return EventClaimClosed
}
