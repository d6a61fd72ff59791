package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/export/cnab"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/kindlist"
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
	// WithoutContract are the accounts that no contract covers on the as-of: a forecast says so of their slips.
	WithoutContract []ledger.Account
	// Months are the accounts that a month has rows of.
	Months    map[ledger.Account]report.MonthSides
	Documents map[string]string
	// BankColumns is set where accounts of the set are paid into a bank account: summary, slips-summary and agenda have more columns.
	BankColumns bool
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
	// ExpectsRevision says that its content most likely differs from that of Current: its files are read back while they are written,
	// which would be in vain otherwise.
	ExpectsRevision bool
	// SaleDays has the days that need not be read again, and asks for what they leave in Result.Days. nil: every row is read, and nothing
	// is kept of the days.
	SaleDays *SaleDays
	// Movement is the set of the movement that is asked for; nil: another set.
	Movement *Movement
	// Journal is the chart and the balances of a set that has the journal; nil: another set.
	Journal *Journal
	// Extract asks for private files in place of a revision: rendered again, proven in the same way, named by the digest of their
	// proof. An extract has no EDI file, since it must not use up a number.
	Extract bool

	// recordedParts are the parts of the content digest that a revision was made with, for Recompute; nil: those of the job.
	recordedParts map[string]string

	// Hooks are for tests.
	Hooks Hooks
}

// Hooks let tests reach between the steps of a rendering. They are zero otherwise.
type Hooks struct {
	AfterWrite func(dir string)               // with the files, once all are written and those read while they are written are read
	Repeat     func(id string, row int64) int // how often a row of a table is written, or a title of an EDI file
	EditTitle  func(*cnab.Title)              // changes a title that its row makes
	MaxRecords int                            // of an EDI file; 0: what its counters hold
}

// EDIProfile is the dialect of the EDI files; empty is the standard's.
type EDIProfile = cnab.Profile

// Withheld is a kind that is not published, and the critical code that withholds it.
type Withheld struct {
	Kind report.Kind
	Code string
}

// String returns kind and code, as the manifest has them.
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
	return DigestOf(map[string]string{
		"name": b.Name, "document": string(b.Document), "code": k.Code, "branch": k.Branch, "branch digit": k.BranchDigit,
		"account": k.Account, "account digit": k.AccountDigit, "digit": k.Digit, "agreement": k.Agreement, "bank": k.Name,
	})
}

// HasKind reports whether the set has a kind.
func (j *Job) HasKind(k report.Kind) bool { return slices.Contains(j.Kinds, k) }

// HasFormat reports whether files of a format are asked for.
func (j *Job) HasFormat(f report.Format) bool { return slices.Contains(j.Formats, f) }

// ShowsPersons reports whether a kind shows documents and names of persons.
func (j *Job) ShowsPersons(k report.Kind) bool { return slices.Contains(j.Identified, k) }

// FormatsOf are the formats in which a kind is asked for.
func (j *Job) FormatsOf(k report.Kind) []report.Format {
	if k == report.JournalKind && j.Journal != nil && j.Journal.Chained {
		return j.Journal.Formats
	}
	return j.Formats
}

// HasEDI reports whether the kind gets an EDI file.
func (j *Job) HasEDI(k report.Kind) bool {
	return j.HasFormat(report.EDI) && j.HasKind(k) && kindlist.HasFormat(k, report.EDI) && j.Account != manifest.AllAccounts
}

// HasAnyEDI reports whether the set has an EDI file.
func (j *Job) HasAnyEDI() bool {
	for _, k := range j.Kinds {
		if j.HasEDI(k) {
			return true
		}
	}
	return false
}

// ReadsSide reports whether the rows of a side are read: a kind of the set is computed from them. A state set reads neither
// side.
func (j *Job) ReadsSide(side string) bool {
	if j.Basis == report.ByAsOf || j.Basis == report.ByMovement || j.Basis == report.ByPosting {
		return false
	}
	for _, k := range j.Kinds {
		if k != report.ControlKind && kindlist.SideOf(k) == side {
			return true
		}
	}
	return false
}

// Validate refuses a job that cannot be rendered to the target.
func (j *Job) Validate(t Target) error {
	var faults []error
	if t.Staging == "" || t.Publisher == nil {
		faults = append(faults, errors.New("report: needs a staging directory and a publisher"))
	}
	if j.HasAnyEDI() && t.Numbers == nil {
		faults = append(faults, errors.New("report: EDI needs numbers to hand out"))
	}
	return errors.Join(append([]error{j.ValidateRequest()}, faults...)...)
}

// ValidateRequest refuses combinations that no target can have.
func (j *Job) ValidateRequest() error {
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
		if !kindlist.Takes(k, j.Basis) {
			say("report: kind %q does not go with basis %q", k, j.Basis)
		}
	}
	if j.HasAnyEDI() && j.Extract {
		say("report: an extract has no EDI file")
	}
	if j.HasAnyEDI() {
		if err := j.Block.CNAB().Validate(j.EDIProfile); err != nil {
			say("report: %w", err)
		}
	}
	return errors.Join(faults...)
}

// DigestParts returns what every file of the set depends on besides its rows.
func (j *Job) DigestParts() map[string]string {
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

// layoutsText lists the layouts that this program writes, whatever the job. A change of it makes a new revision. A table in its first
// layout is not listed: a new kind leaves the sets as they are that do not have it.
func layoutsText() string {
	layouts := []string{fmt.Sprint("settlement ", SettlementLayout)}
	for _, d := range kindlist.Definitions() {
		if slices.Equal(d.Bases, []report.Basis{report.ByMovement}) || d.Kind == report.JournalKind {
			continue // its sets are made once, and never again; those of the journal have no other kind
		}
		for _, t := range d.Tables {
			if t.Layout > 1 {
				layouts = append(layouts, fmt.Sprint(t.ID, " ", t.Layout))
			}
		}
	}
	slices.Sort(layouts)
	return strings.Join(layouts, ", ")
}

// SettlementLayout is the layout_version of workbooks and pages, as Table.Layout is that of a table's files.
const SettlementLayout = 1

// digestedDocuments are the documents that make new content by themselves; ShownDocuments are those that control and
// manifest name. Others, such as the configuration with its paths, differ from machine to machine.
var (
	digestedDocuments = []string{"contract", "mapping", "profile", "calendar"}
	ShownDocuments    = []string{"contract", "mapping", "profile", "calendar", "rules", "register", "orders"}
)

// ShownDocumentHashes returns the hashes of the documents that the manifest lists.
func (j *Job) ShownDocumentHashes() map[string]string {
	out := make(map[string]string)
	for _, name := range ShownDocuments {
		if h := j.Documents[name]; h != "" {
			out[name] = h
		}
	}
	return out
}

// DigestOf returns the SHA-256 of named parts, in order of their names.
func DigestOf(parts map[string]string) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(h, "%q %q\n", k, parts[k])
	}
	return hex.EncodeToString(h.Sum(nil))
}
