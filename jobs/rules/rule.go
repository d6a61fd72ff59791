package rules

import (
	"fmt"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// The families of rules, by what they are about: a rule names its own.
const (
	FamilyRun           = "run"           // answers of the service, and a run itself
	FamilyRecords       = "records"       // a record of an installment by itself
	FamilySales         = "sales"         // the installments of a sale together
	FamilyFees          = "fees"          // what is charged of a sale
	FamilyAnticipation  = "anticipation"  // what is paid before its time, and its cost
	FamilyReceipts      = "receipts"      // what was received, and when
	FamilySplits        = "splits"        // the shares of others
	FamilySlips         = "slips"         // boletos
	FamilyNotifications = "notifications" // what the service tells by itself
	FamilyBank          = "bank"          // what came to bank accounts
	FamilyStores        = "stores"        // what the merchant's own stores say they sold
)

// Ownership is a line of a bridge and the rules that may own a bracket on it: the first of them that fired is the
// root, its impact the whole bracket; the others that fired are explained by it.
type Ownership struct {
	Line   ledger.BridgeLine
	Owners []string
}

// Waits reports whether a rule could not evaluate a subject because of what was not pulled, so that another night may,
// though neither the subject nor time has changed it. versions is the number of versions of the subject: one that never
// changed has no history to wait for.
func (r *Rule) Waits(s Status, versions int) bool {
	return s == NotPulled || s == NotEvaluable && versions > 1 && slices.Contains(r.Needs, History)
}

// OnRule is the subject of notes about a rule itself.
const OnRule Subject = "rule"

// Rule is one check, declared as data: what it evaluates, against what, and how strictly. The evaluation, the catalogue
// page and the tests all use this value. Its texts for people are in catalogue/rules.yaml, under its code.
type Rule struct {
	Code    string
	Version int // grows with the formula
	Family  string
	Subject Subject
	// Also are further kinds of subject it evaluates, each by its own kind of function.
	Also []Subject
	// Severity is the gravest the rule gives by itself; Grades are the milder ones of its own choice.
	Severity ledger.Severity
	Grades   []ledger.Severity
	Needs    []Need
	Tier     Tier
	// Default is how far a difference may go, or how long a wait, before the rule fires.
	Default Tolerance
	// Line is the line of the bridge whose bracket the rule owns; empty when it has no impact.
	Line ledger.BridgeLine
	// Exposure: the impact is money late or uncertain rather than lost.
	Exposure bool
	// ByClass: the eligible rows are named by class, so a row with an unmapped status is skipped.
	ByClass bool

	EvaluateRow   func(*Env, *Row, Tolerance) Outcome
	EvaluateSale  func(*Env, *Sale, Tolerance) Outcome
	EvaluateSplit func(*Env, *Row, int, Tolerance) Outcome
	EvaluateSlip  func(*Env, *Slip, Tolerance) Outcome

	EvaluateNotification func(*Env, *Notification, Tolerance) Outcome
}

// Subject is what a rule evaluates: the kind at the beginning of a subject string.
type Subject string

// The subjects.
const (
	OnInstallment Subject = "card"
	OnSale        Subject = "sale"
	OnSplit       Subject = "split"
	OnSlip        Subject = "slip"
	OnQuarantined Subject = "row"
	OnDay         Subject = "day"
	OnMonth       Subject = "month"
	OnValue       Subject = "value"

	OnNotification Subject = "webhook"
	OnSource       Subject = "source"
	OnAccount      Subject = "account"
	OnMember       Subject = "member"
	OnFile         Subject = "file"
	OnOrder        Subject = "order"  // an anticipation order
	OnGroup        Subject = "group"  // items expected as one credit at the bank
	OnBankLine     Subject = "bank"   // a line of a bank's statement
	OnOwnSale      Subject = "own"    // a payment of a sale as a store records it
	OnOption       Subject = "option" // a number of installments of a brand, as the settlement simulator prices it
)

// Need is an input a rule rests on.
type Need string

// The needs of the rules there are.
const (
	Installments Need = "I"
	History      Need = "H"
	Splits       Need = "X"
	SlipLists    Need = "B"
	SlipDetail   Need = "BD"
	Contract     Need = "K"
	Calendar     Need = "CAL"
	Mapping      Need = "MAP"
	Pulls        Need = "pulls"

	Notifications Need = "WH"
	Subscription  Need = "subscription"

	Register     Need = "REG"
	Orders       Need = "ORD"
	Closes       Need = "CLS"
	Tolerated    Need = "rounding ledger"
	Published    Need = "report"
	LoginAnswers Need = "auth result"
	RunLog       Need = "run log"
	Raw          Need = "raw" // the bytes of answers
	Simulator    Need = "SIM"
	Statements   Need = "BNK" // of the bank
	StoreSales   Need = "OWN" // what stores say they sold
	Everything   Need = "all"
)

// Tier is when a rule is on: always, with the service's data alone, or only if its additional input is configured.
type Tier string

// The tiers.
const (
	Always     Tier = "1"
	Configured Tier = "1x"
)

// Tolerance is what a rule tolerates. The rule decides which members apply: money, percentage points, or days.
type Tolerance struct {
	Abs    ledger.Amount // passes when |difference| is at most this
	Rel    ledger.Rate   // or at most this share of the base, in millionths
	Points ledger.Rate   // percentage points, for rates
	Grace  int           // days: business days where the rule counts those; hours or nights where it says so
}

// Allows says whether a difference of money on a base passes.
func (t Tolerance) Allows(diff, base ledger.Amount) bool {
	if diff.Abs() <= t.Abs {
		return true
	}
	if t.Rel == 0 {
		return false
	}
	// Compared, not divided: |diff| × 10^6 ≤ rel × |base| at full scale. Amounts are bounded, rel is below one.
	whole, part := base.Abs()/ledger.RateScale, base.Abs()%ledger.RateScale
	share := whole*ledger.Amount(t.Rel) + part*ledger.Amount(t.Rel)/ledger.RateScale
	return diff.Abs() <= share
}

// restsOn says whether the rule rests on an input.
func (r *Rule) restsOn(n Need) bool {
	for _, have := range r.Needs {
		if have == n {
			return true
		}
	}
	return false
}

// Subjects returns all kinds of subjects that the rule evaluates.
func (r *Rule) Subjects() []Subject { return append([]Subject{r.Subject}, r.Also...) }

// UsesContract reports whether findings of the rule refer to a contract line.
func (r *Rule) UsesContract() bool { return r.restsOn(Contract) }

// UsesCalendar reports whether findings of the rule refer to the calendar.
func (r *Rule) UsesCalendar() bool { return r.restsOn(Calendar) }

// HasImpact reports whether the rule owns a bracket of a bridge, or of the splits.
func (r *Rule) HasImpact() bool { return r.Line != "" }

// EvaluatesSales reports whether the rule evaluates whole sales, alone or in addition to installments.
func (r *Rule) EvaluatesSales() bool { return r.EvaluateSale != nil }

// String lists the members that are set.
func (t Tolerance) String() string {
	var parts []string
	if t.Abs != 0 {
		parts = append(parts, "R$ "+t.Abs.String())
	}
	if t.Rel != 0 {
		parts = append(parts, "or "+(t.Rel*100).Fixed(2)+" %")
	}
	if t.Points != 0 {
		parts = append(parts, t.Points.String()+" point")
	}
	if t.Grace != 0 {
		parts = append(parts, fmt.Sprintf("grace %d", t.Grace))
	}
	return strings.Join(parts, ", ")
}
