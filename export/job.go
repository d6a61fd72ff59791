package export

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export/cnab"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Job is one set to render: what was requested, and the interpretation and facts it is rendered with.
type Job struct {
	Account string // its digits, or AllAccounts
	Basis   report.Basis
	Period  ledger.Period
	Filter  report.Filter
	Kinds   []report.Kind // as Choose returns them, less the withheld ones
	Formats []report.Format

	AsOf        ledger.Date
	Language    table.Language // of the workbook; empty is Portuguese
	Service     string         // what people call the payment service; empty: no name
	Identified  []report.Kind  // kinds that show documents and names of persons
	Unit        ledger.Unit
	NetOfSplits bool // splits are deducted before the money is received
	// ForecastDays is how many calendar days a cash forecast covers, and SlipsKnownTo the last due date of slips that were asked for.
	ForecastDays int
	SlipsKnownTo ledger.Date
	// Months are the accounts that a month has rows of.
	Months    map[ledger.Account]report.MonthSides
	Documents map[string]string
	// Agreed are the contract lines that the run evaluated rows with, by their ids. Fees and claims need them.
	Agreed map[string]report.AgreedLine

	// CardRows are, by account, the results of the card rows in the set of that account alone. They replace the rows, which the
	// source then leaves out. Only a set whose one kind of cards is the summary may have them.
	CardRows map[ledger.Account]*CardRows

	// ConsoleURL is the address of the console, which pages lead to; empty: none. It enters no digest.
	ConsoleURL string

	// Words are the words for codes on pages, in the job's language; a code without words is shown as it is.
	Words map[string]CauseWords

	Withheld   []Withheld
	Block      AccountBlock
	EDIProfile cnab.Profile
	Statement  StatementTerms
	Facts      Facts
	// CollectFacts returns the Facts while the rows of the set are read. nil: Facts has them.
	CollectFacts func(context.Context) (Facts, error)
	Current      *CurrentRevision // nil: nothing of the set was published before
	// Movement is the set of the movement that is asked for; nil: another set.
	Movement *Movement
	// Journal is the chart and the balances of a set that has the journal; nil: another set.
	Journal *Journal
	// Extract asks for private files in place of a revision: rendered again, proven in the same way, named by the digest of their
	// proof. An extract has no EDI file, since it must not use up a number.
	Extract bool

	// recordedParts are the parts of the content digest that a revision was made with, for Recompute; nil: those of the job.
	recordedParts map[string]string

	// Tests reach between the steps of a rendering with these.
	afterWrite func(dir string)
	repeat     func(id string, row int64) int
	editTitle  func(*cnab.Title)
	maxRecords int // of an EDI file; 0: what its counters hold
}

// EDIProfile is the dialect of the EDI files; empty is the standard's.
type EDIProfile = cnab.Profile

// Withheld is a kind that is not published, and the critical code that withholds it.
type Withheld struct {
	Kind report.Kind
	Code string
}

func (w Withheld) String() string { return string(w.Kind) + ": " + w.Code }

// AccountBlock is what the configuration says of the account itself. It enters the content digest of every set; only EDI
// files show it.
type AccountBlock struct {
	Name     string
	Document ledger.Document
	Bank     Bank
}

// Bank is the bank part of the account block.
type Bank struct {
	Code, Branch, BranchDigit, Account, AccountDigit, Digit, Agreement, Name string
}

// CNAB returns the block in the form of an EDI file's headers.
func (b AccountBlock) CNAB() cnab.Account {
	return cnab.Account{
		BankCode: b.Bank.Code, Branch: b.Bank.Branch, BranchDigit: b.Bank.BranchDigit,
		Number: b.Bank.Account, NumberDigit: b.Bank.AccountDigit, Digit: b.Bank.Digit,
		Agreement: b.Bank.Agreement, BankName: b.Bank.Name, Document: b.Document, HolderName: b.Name,
	}
}

func (b AccountBlock) contentDigest() string {
	k := b.Bank
	return digestOf(map[string]string{
		"name": b.Name, "document": string(b.Document), "code": k.Code, "branch": k.Branch, "branch digit": k.BranchDigit,
		"account": k.Account, "account digit": k.AccountDigit, "digit": k.Digit, "agreement": k.Agreement, "bank": k.Name,
	})
}

// CurrentRevision is the highest published revision of a set, and the fingerprints that Render returned with it. They are
// digests of its parts, which the next rendering compares to find what changed; their names are internal.
type CurrentRevision struct {
	Revision     int
	Fingerprints map[string]string
	// Digest is that of the content. It decides for a revision without fingerprints, which was taken back from the archive.
	Digest string
}

// Target is where a set is published.
type Target struct {
	// Staging is a directory for files that are not proven yet, on the target's file system if possible.
	Staging string
	// Publisher makes them visible.
	Publisher Publisher
	// Numbers reserves and looks up numbers of EDI files and slips. It may be nil if the set has neither.
	Numbers Numbers
}

// Publisher makes files visible below a target. Names are slash paths.
type Publisher interface {
	// Put copies the local file to name, whole or not at all: a reader never sees a part of it. Putting the same bytes
	// again does nothing; it may refuse others.
	Put(ctx context.Context, name, local string) error
	// Read returns the whole of a small file below the target, or an error that is fs.ErrNotExist.
	Read(ctx context.Context, name string) ([]byte, error)
}

// Result is what Render did with a set.
type Result struct {
	Set          string
	Revision     int
	Unchanged    bool // nothing was written: the published revision has everything requested, or the extract exists
	Supersedes   *int
	Why          []string         // reasons of a new revision, in the words of the manifest
	reasons      []revisionReason // the same, for files for people
	Digest       string
	Fingerprints map[string]string // for the next rendering, as Standing
	Dir          string            // of the files, below the target
	Files        []manifest.File   // written now, in order of publication
	Manifest     string            // name of the manifest
	Totals       report.Totals
	Residuals    []report.Identity
	// CardRows are the results of the card rows of a set of one account with a summary; nil otherwise.
	CardRows *CardRows
}

func (j *Job) hasKind(k report.Kind) bool { return slices.Contains(j.Kinds, k) }

func (j *Job) hasFormat(f report.Format) bool { return slices.Contains(j.Formats, f) }

func (j *Job) showsPersons(k report.Kind) bool { return slices.Contains(j.Identified, k) }

// formatsOf are the formats in which a kind is asked for.
func (j *Job) formatsOf(k report.Kind) []report.Format {
	if k == report.JournalKind && j.Journal != nil && j.Journal.Chained {
		return j.Journal.Formats
	}
	return j.Formats
}

// hasEDI reports whether the kind gets an EDI file.
func (j *Job) hasEDI(k report.Kind) bool {
	return j.hasFormat(report.EDI) && j.hasKind(k) && k.HasFormat(report.EDI) && j.Account != manifest.AllAccounts
}

// validate refuses a job that cannot be rendered to the target.
func (j *Job) validate(t Target) error {
	var faults []error
	if t.Staging == "" || t.Publisher == nil {
		faults = append(faults, errors.New("report: needs a staging directory and a publisher"))
	}
	if j.hasAnyEDI() && t.Numbers == nil {
		faults = append(faults, errors.New("report: EDI needs numbers to hand out"))
	}
	return errors.Join(append([]error{j.validateRequest()}, faults...)...)
}

// validateRequest refuses combinations that no target can have.
func (j *Job) validateRequest() error {
	var faults []error
	say := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if err := j.Period.Valid(); err != nil {
		say("report: %w", err)
	}
	if j.Account == "" || j.AsOf == 0 {
		say("report: needs an account and an as-of")
	}
	if day := (ledger.Period{From: j.AsOf, To: j.AsOf}); (j.Basis == report.ByAsOf || j.Basis == report.ByMovement) && j.Period != day {
		say("report: basis %s is the state on %s alone, not of %s", j.Basis, j.AsOf, j.Period)
	}
	if ofPosting := j.Journal != nil && !j.Journal.Chained; (j.Basis == report.ByPosting) != ofPosting {
		say("report: basis %s without a chart, or a chart without it", j.Basis)
	}
	if (j.Basis == report.ByMovement) != (j.Movement != nil) {
		say("report: basis %s without its cuts, or cuts without it", j.Basis)
	}
	if j.Unit != ledger.Percent && j.Unit != ledger.Fraction {
		say("report: the unit of rates is not said")
	}
	for _, k := range j.Kinds {
		if !k.Takes(j.Basis) {
			say("report: kind %q does not go with basis %q", k, j.Basis)
		}
	}
	if j.hasAnyEDI() && j.Extract {
		say("report: an extract has no EDI file")
	}
	if j.hasAnyEDI() {
		if err := j.Block.CNAB().Validate(j.EDIProfile); err != nil {
			say("report: %w", err)
		}
	}
	return errors.Join(faults...)
}

// digestParts returns what every file of the set depends on besides its rows.
func (j *Job) digestParts() map[string]string {
	if j.recordedParts != nil {
		return j.recordedParts
	}
	withheld := make([]string, 0, len(j.Withheld))
	for _, w := range j.Withheld {
		withheld = append(withheld, w.String())
	}
	parts := map[string]string{
		"account block": j.Block.contentDigest(), "withheld": strings.Join(withheld, ", "), "language": string(j.Language),
		"layout": layoutsText(),
	}
	for _, name := range digestedDocuments {
		parts[name] = j.Documents[name]
	}
	if j.Journal != nil {
		parts["journal"] = j.Journal.contentDigest()
	}
	return parts
}

// layoutsText lists the layouts that this program writes, whatever the job. A change of it makes a new revision.
func layoutsText() string {
	layouts := []string{fmt.Sprint("settlement ", settlementLayout)}
	for _, d := range report.Definitions() {
		if slices.Equal(d.Bases, []report.Basis{report.ByMovement}) || d.Kind == report.JournalKind {
			continue // its sets are made once, and never again; those of the journal have no other kind
		}
		for _, t := range d.Tables {
			layouts = append(layouts, fmt.Sprint(t.ID, " ", t.Layout))
		}
	}
	slices.Sort(layouts)
	return strings.Join(layouts, ", ")
}

// digestedDocuments are the documents that make new content by themselves; shownDocuments are those that control and
// manifest name. Others, such as the configuration with its paths, differ from machine to machine.
var (
	digestedDocuments = []string{"contract", "mapping", "profile", "calendar"}
	shownDocuments    = []string{"contract", "mapping", "profile", "calendar", "rules", "register", "orders"}
)

// shownDocumentHashes returns the hashes of the documents that the manifest lists.
func (j *Job) shownDocumentHashes() map[string]string {
	out := make(map[string]string)
	for _, name := range shownDocuments {
		if h := j.Documents[name]; h != "" {
			out[name] = h
		}
	}
	return out
}

// Facts are what control lists besides the figures of the files, for the set's account and period.
type Facts struct {
	Run        string
	Engine     string         // version of the program
	Verdict    ledger.Verdict // of the day, over all periods
	Incomplete bool           // of a period set: a day is not complete, or a critical case withholds a side
	Coverage   []Coverage
	Bridge     []ledger.BridgeRow // control adds up the days, brands and products of a line
	Sides      []BridgeSide
	Banks      []BankFacts `json:",omitempty"` // whose homes are in the set
	Tallies    []ledger.RuleCounts
	Quarantine []Quarantined
	Tolerance  []Tolerance
	Accounts   []AccountFacts // of the set of all accounts
	// Acts are the last acts of the logs of the set's accounts and of the log without an account. They are in control's own file
	// only and enter no digest: an act by itself makes no revision.
	Acts []ledger.ActLogEnd
	// Ledger is where the ledger's chains end: the records of runs, and what was concluded of the set's accounts. They are in the
	// manifest only and enter no digest, like the acts.
	Ledger []ledger.ChainEnd
	// Retired are the files of the account's sets that were deleted since its previous state set; of state sets only. They are
	// in control's own file only, like the acts.
	Retired RetiredFiles `json:",omitzero"`
}

// Coverage is how many days of a source are complete, partial and missing.
type Coverage struct {
	Source                     ledger.Source
	Complete, Partial, Missing int64       // days
	HistoryFrom                ledger.Date // first day of the account's history
	Horizon                    ledger.Date // of slips: the last due date that was pulled
}

// Quarantined is a row that could not be read and is in no figure.
type Quarantined struct {
	Source ledger.Source
	Gross  ledger.Opt[ledger.Amount] // absent where it could not be read either
}

// BridgeSide is what the lines of a side have to add up to, from a separate query.
type BridgeSide struct {
	Side         string        // cards or slips
	Difference   ledger.Amount // of cards contract net less received, of slips due less credited
	SplitOutside ledger.Amount // of cards: impacts of the split rules on the set's rows, which are in no line of the bridge
}

// Tolerance is what a rule tolerated on the set's rows of a month.
type Tolerance struct {
	Code   string
	Month  ledger.Date               // its first day; none of rows without a date
	Used   ledger.Amount             // the sum of the differences, without their signs
	Budget ledger.Opt[ledger.Amount] // limit for the whole month; absent if the month has too few rows
}

// AccountFacts is one account's part of the set over all of them.
type AccountFacts struct {
	Account ledger.Account
	Name    string // as configured; empty when it has none
	Verdict ledger.Verdict
	// Incomplete is Facts.Incomplete of the account.
	Incomplete bool       `json:",omitempty"`
	Withheld   []Withheld // its rows are in no table of the set; none: they are
	// NoSlips is the critical code that withholds the slips of an account whose cards are here: a page that counts slips
	// leaves them out and says so.
	NoSlips string `json:",omitempty"`
}

// ReportSource is what a set is rendered from: the rows of its kinds and, by separate queries, their sums.
type ReportSource interface {
	report.RowSource
	CaseSource
	// Sums returns the number of rows of a table and the printed sums of its columns, by a query of the ledger. A column that is a
	// Ratio may be left out; any other numeric column may not. A column that is Distinct has a second sum, under its id and "of
	// the set": the number of distinct values in the set; so have the causes of a restatement. net_kept is received less
	// splits_received, whatever the profile. Tables without rows of their own are statement and
	// statement-net, and the titles of EDI files: card-titles, card-titles-net-of-splits, slip-titles.
	Sums(ctx context.Context, table string) (report.Sums, error)
	// CreditedCards yields the installments of the account that a statement has, of a period of its own, in order of credit
	// date; the order within a date is open.
	CreditedCards(ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error
	// CreditedSlips yields the slips that a statement of the period has, in order of credit date and slip id.
	CreditedSlips(ctx context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error
	// LeftOut counts the rows that have no date of the basis.
	LeftOut(ctx context.Context) (cards, slips int64, err error)
}

// Numbers reserves the numbers of EDI files and titles, which must not be used twice.
type Numbers interface {
	// ReserveEDI reserves, in one database transaction, the number of a file (NSA) and the title numbers of the
	// subjects, eleven digits at most, by subject. A file, by its published name, and a subject that have one keep it.
	// own are the numbers that subjects already have at the service, which are used if they are free.
	ReserveEDI(ctx context.Context, file string, subjects []string, own map[string]string) (nsa int, numbers map[string]string, err error)
	// TitleNumbers returns the numbers of the subjects that were emitted before.
	TitleNumbers(ctx context.Context, subjects []string) (map[string]string, error)
}

// CardRows are the results of the card rows of one account. A set of several accounts of the same run, basis, period and filter
// uses them, so that rows are read once for both.
type CardRows struct {
	Summary *report.CardSummary
	verdict ledger.Verdict
	hasRows bool
}

// keepCardRows sets Result.CardRows of a set of one account, after the last card row.
func (r *rendering) keepCardRows() {
	if r.job.Account == manifest.AllAccounts {
		return
	}
	r.result.CardRows = &CardRows{Summary: r.summary.CardSummary()}
	if c := r.causes; c != nil {
		r.result.CardRows.hasRows = len(c.rowsRead) > 0
		for _, v := range c.verdicts {
			r.result.CardRows.verdict = r.result.CardRows.verdict.Worse(v)
		}
	}
}

// addCardRows adds the results in Job.CardRows to the summary and the verdicts.
func (r *rendering) addCardRows() {
	for account, rows := range r.job.CardRows {
		r.summary.AddCardSummary(rows.Summary)
		if c := r.causes; c != nil && rows.hasRows {
			c.rowsRead[accountSide{account, ledger.Cards.Side()}] = true
			c.verdicts[account] = c.verdicts[account].Worse(rows.verdict)
		}
	}
}

// settlementLayout is the layout_version of workbooks and pages, as Table.Layout is that of a table's files.
const settlementLayout = 1

// editionPattern returns what pages show in place of the revision, or of the digest of an extract, neither of which they contain.
func (j *Job) editionPattern() string {
	if j.Extract {
		return manifest.ExtractPrefix + "*"
	}
	return "_r*"
}

// RetiredFiles are the files of an account's sets that were deleted since its previous state set, from the ledger's records.
// The control of a state set lists them, so that verify.CheckTree finds a forged tombstone without the ledger: the manifest has the hash
// of control, and the done marker has that of the manifest.
type RetiredFiles struct {
	// Since is the day of the previous state set. Files deleted on it or later, and before this set's day, are listed. 0: none
	// are listed, and no tombstone can be checked by this set.
	Since ledger.Date
	Files map[string]string // SHA-256 by name
}
