package console

import (
	"context"
	"errors"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/view/salesview"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// Source answers with the values that commands print. Accounts are those that the person may see; none means all of them. An
// error that is none of the package's own is an internal one.
type Source interface {
	// Snapshot calls show with a Source whose answers are all of one instant, for as long as it goes on, and returns its error. It
	// changes nothing: an act is for the Source itself.
	Snapshot(ctx context.Context, show func(Source) error) error
	// Heading is what every page says of the ledger.
	Heading(ctx context.Context) (Heading, error)
	Today(ctx context.Context, accounts []ledger.Account, lang string) (*caseview.Today, error)
	Cases(ctx context.Context, f *CaseFilter, lang string) (*caseview.CaseList, error)
	Case(ctx context.Context, id, lang string) (*caseview.Explanation, error)
	// Find finds what was typed; wrong says why the words cannot be read, in the language. A document is a payer's, too, to who sees
	// payers.
	Find(ctx context.Context, accounts []ledger.Account, seesPayers bool, text, lang string) (found *view.Found, wrong string, err error)
	// Item is everything about a sale or slip by its subject, with the payer in the clear to who sees payers, as far as slips are configured
	// to show them.
	Item(ctx context.Context, subject string, seesPayers bool, lang string) (*caseview.Item, error)
	// Act carries an act out on every case or on none, or shows what it would come to.
	Act(ctx context.Context, act *CaseAct, lang string) (*ActResult, error)
	// Forecast is the cash forecast of the last night, day by day for so many calendar days; nil before the first night.
	Forecast(ctx context.Context, accounts []ledger.Account, days int) (*view.CashForecast, error)
	// Slips are a part of the slips that are not paid, or paid and not credited, with the sums of all that the filter chooses.
	Slips(ctx context.Context, f *SlipFilter) (*view.SlipList, error)
	// Claims are what was claimed and what came of it; states narrow them, none is all.
	Claims(ctx context.Context, accounts []ledger.Account, states []casework.ClaimState, lang string) (*caseview.Claims, error)
	// Letters are the letters, one an account, about the cases that are named, or else those of the filter that can be claimed.
	Letters(ctx context.Context, cases []string, f *CaseFilter, lang string) ([]caseview.Letter, error)
	// Banks are the bank accounts with what the service says it credited held against their statements, as of the last night, or the one
	// with that id; none before it. BankItem is one of their rows by the name that BankRow.Name gives.
	Banks(ctx context.Context, accounts []ledger.Account, id string) (bankview.BankConciliations, error)
	BankItem(ctx context.Context, accounts []ledger.Account, id, name string) (*BankItem, error)
	// ProvenAtBanks are the bank accounts with how much of what came was proven when the last night ended, without rows.
	ProvenAtBanks(ctx context.Context, accounts []ledger.Account) (bankview.BankConciliations, error)
	// BankDays are the days of that bank account within a period, as its statements show them.
	BankDays(ctx context.Context, accounts []ledger.Account, id string, days ledger.Period) ([]bankview.BankDay, error)
	// BankCases are the cases about their rows that are not over, by subject.
	BankCases(ctx context.Context, accounts []ledger.Account, lang string) (map[string]caseview.CaseRow, error)
	// ActOnDeposit joins both sides of a match or takes them apart, or shows what that would come to.
	ActOnDeposit(ctx context.Context, accounts []ledger.Account, act *DepositAct) (*bankview.BankAct, error)
	// StoreIDs are the stores that a person may see and that sell in one of some accounts (none: in any), Stores how the last run left
	// those of a filter against the service, and StoreSale is one of their rows, or a payment that is in none, by its subject.
	StoreIDs(ctx context.Context, accounts []ledger.Account, of []ledger.Account) ([]string, error)
	Stores(ctx context.Context, f *StoreFilter) (*salesview.StoresPage, error)
	StoreSale(ctx context.Context, accounts []ledger.Account, name string) (*salesview.StoreSale, error)
	// Months are the months on a basis as the last night left them, and Month is one of them by account and line.
	Months(ctx context.Context, accounts []ledger.Account, basis string) ([]view.MonthTotal, error)
	Month(ctx context.Context, accounts []ledger.Account, basis string, month ledger.Date) (*view.MonthPage, error)
	// ActOnMonth closes or reopens a month of every account or of none, or shows what that would come to.
	ActOnMonth(ctx context.Context, act *MonthAct) (*caseview.PeriodAct, error)
	// Proposals are the acts of others and of one's own that wait for a second person.
	Proposals(ctx context.Context, accounts []ledger.Account) ([]casework.Proposal, error)
	Runs(ctx context.Context, limit int) (*runview.Runs, error)
	Run(ctx context.Context, id string) (*runview.RunPage, error)
	RunDiff(ctx context.Context, accounts []ledger.Account, from, to string) (*runview.RunDiff, error)
	Progress(ctx context.Context, accounts []ledger.Account, id string) (*Progress, error)
	Coverage(ctx context.Context, accounts []ledger.Account, source string, month ledger.Period) (runview.Coverage, error)
	Calendar(ctx context.Context, year int) (*view.CalendarYear, error)
	// StandingRules are the unresolved cases of each code, with their positive impacts.
	StandingRules(ctx context.Context, accounts []ledger.Account) (map[string]RuleStanding, error)
	// Rule is a rule of the catalogue in the words of a language.
	Rule(ctx context.Context, code, lang string) (*RulePage, error)
	// Sets are the published sets of an account, digits or all, latest first; only the standing revision of each unless old.
	Sets(ctx context.Context, account string, old bool) ([]caseview.PublishedSet, error)
	// CopyFile writes the proven bytes of a published file to a new local file.
	CopyFile(ctx context.Context, sum, local string) error
	Handbook(topic, lang string) (string, error)
	HandbookTopics() []string
}

// Heading is what every page says of the ledger: how old what it shows is, and whether a run is under way.
type Heading struct {
	Accounts []AccountName // configured, in their order
	AsOf     ledger.Date   // of the last night that ended; 0: none has
	Ended    view.Instant
	Running  string // run that holds an account now; empty: none
}

// AccountName is a configured account.
type AccountName struct {
	Number ledger.Account
	Name   string
}

// Progress is how far a run is.
type Progress struct {
	Run         string         `json:"run"`
	Step        string         `json:"step"`
	Done        int            `json:"done"`
	Planned     int            `json:"planned"`
	Rows        int64          `json:"rows"`
	SecondsLeft int            `json:"seconds_left"` // by the units done so far; 0: not known
	Ended       bool           `json:"ended"`
	Verdict     ledger.Verdict `json:"verdict"`
	Leader      string         `json:"-"` // machine whose process leads the run; empty: none does
}

// Left is about how long the run still takes; nil: not known.
func (p *Progress) Left() *view.Seconds {
	if p.SecondsLeft <= 0 {
		return nil
	}
	left := view.Seconds(time.Duration(p.SecondsLeft) * time.Second)
	return &left
}

// RulePage is what people read of a rule.
type RulePage struct {
	Code     string
	Lines    []view.RuleLine
	Standing RuleStanding
}

// RuleStanding is the unresolved cases of a rule.
type RuleStanding struct {
	Cases  int
	Amount ledger.Amount
}

// CaseAct is what a person asks to do.
type CaseAct struct {
	casework.ActRequest
	Accounts []ledger.Account // that the person may see; none: all
}

// ActResult is what an act did, or would do, with the cases as they are now.
type ActResult struct {
	*caseview.CaseAct
	Rows     []caseview.CaseRow
	Versions map[string]string // by case, as it is now
}

// The errors of a Source that have a page of their own.
var (
	// ErrNotFound: there is no such thing, or it is not for this person, which looks the same.
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the ledger or the archive cannot be read now. An UnavailableError says why.
	ErrUnavailable = errors.New("not available now")
	// ErrConflict: a case is in another state than was shown; nothing was done.
	ErrConflict = errors.New("nothing was done")
	// ErrDone: every case is already as the act would leave it.
	ErrDone = errors.New("it is done already")
	// ErrGone: what was published is no longer kept, or its bytes are other ones.
	ErrGone = errors.New("no longer kept")
)

// UnavailableError is ErrUnavailable for a reason that people can do something about.
type UnavailableError struct {
	Text    string // id of the text that says why and what to do
	Command string // that helps; may be empty
	Err     error  // for the log; nil: the text says it all
}

// Error is the text's id and the error.
func (e *UnavailableError) Error() string {
	if e.Err == nil {
		return e.Text
	}
	return e.Text + ": " + e.Err.Error()
}

// Unwrap is ErrUnavailable and the error.
func (e *UnavailableError) Unwrap() []error { return []error{ErrUnavailable, e.Err} }
