package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"concilia/export/journal"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Inputs is what the content of a revision depends on besides the rows as of its run and the documents in the ledger. With it
// the content digest of a published revision can be computed again from the ledger.
type Inputs struct {
	Kinds       []report.Kind
	Formats     []report.Format
	Language    table.Language
	Service     string
	Identified  []report.Kind
	Unit        ledger.Unit
	NetOfSplits bool
	// ForecastDays is how many days the cash forecast of the set covers.
	ForecastDays int
	// BankColumns is that of Job.
	BankColumns bool `json:",omitempty"`
	// Months are the accounts that a month has rows of, with what was known of its days.
	Months    map[ledger.Account]report.MonthSides `json:",omitempty"`
	Statement StatementTerms
	Accounts  []InputAccount // of a set over all accounts
	// Journal is the chart of a set that has the journal, JournalSet the last set of the movement that it has entries of, and
	// JournalFormats those in a set of the movement.
	Journal        *journal.Chart  `json:",omitempty"`
	JournalSet     int             `json:",omitempty"`
	JournalFormats []report.Format `json:",omitempty"`
	// Parts are the digests and texts that enter the content digest by name: account block, kinds withheld, language, documents.
	Parts map[string]string
}

// InputAccount is an account of a set over all of them.
type InputAccount struct {
	Account ledger.Account
	Hidden  bool   // its rows are in no table of the set
	NoSlips string // the critical code that withholds its slips; empty: none does
}

// InputsOf returns the inputs of a rendered set as JSON.
func InputsOf(job *Job) (string, error) {
	in := Inputs{
		Kinds: job.Kinds, Formats: job.Formats, Language: job.Language, Service: job.Service, Identified: job.Identified, Unit: job.Unit,
		NetOfSplits: job.NetOfSplits, ForecastDays: job.ForecastDays, BankColumns: job.BankColumns, Months: job.Months, Statement: job.Statement,
	}
	if in.Language == "" {
		in.Language = table.Portuguese
	}
	if j := job.Journal; j != nil {
		in.Journal, in.JournalSet, in.JournalFormats = j.Chart, j.Set, j.Formats
	}
	asked := *job
	asked.Language = in.Language
	in.Parts = asked.DigestParts()
	for _, a := range job.Facts.Accounts {
		in.Accounts = append(in.Accounts, InputAccount{a.Account, len(a.Withheld) > 0, a.NoSlips})
	}
	text, err := json.Marshal(in)
	return string(text), err
}

// ReadInputs reads the JSON of InputsOf. It refuses unknown members, since the digest would lack them.
func ReadInputs(text string) (*Inputs, error) {
	var in Inputs
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	return &in, nil
}

// IdentifiesPayers reports whether the set shows the payers of slips.
func (in *Inputs) IdentifiesPayers() bool {
	return slices.Contains(in.Identified, report.SlipsKind) && slices.Contains(in.Kinds, report.SlipsKind)
}

// MayShowPayers reports whether a file of a set that identifies payers may show one: the slips, and workbook and page, which hold every kind.
func MayShowPayers(k report.Kind) bool { return k == report.SlipsKind || k == report.Settlement }

// Job returns the job that renders the set as of a day with these inputs.
func (in *Inputs) Job(account string, basis report.Basis, period ledger.Period, filter report.Filter, asOf ledger.Date) Job {
	job := Job{
		Account: account, Basis: basis, Period: period, Filter: filter, AsOf: asOf, Kinds: in.Kinds, Formats: in.Formats,
		Language: in.Language, Service: in.Service, Identified: in.Identified, Unit: in.Unit, NetOfSplits: in.NetOfSplits, ForecastDays: in.ForecastDays, BankColumns: in.BankColumns, Months: in.Months,
		Statement:     in.Statement,
		recordedParts: in.Parts,
	}
	for _, a := range in.Accounts {
		facts := AccountFacts{Account: a.Account, NoSlips: a.NoSlips}
		if a.Hidden {
			facts.Withheld = []Withheld{{Kind: report.ControlKind}}
		}
		job.Facts.Accounts = append(job.Facts.Accounts, facts)
	}
	return job
}

// HasCurrentLayout reports whether the revision is in the layouts that this program writes. The content digest of other
// layouts can't be computed.
func (in *Inputs) HasCurrentLayout() bool { return in.Parts["layout"] == layoutsText() }

// AccountsOf returns the accounts with rows in the set of an account, or of all accounts, in the order of the rows.
func (in *Inputs) AccountsOf(account string) (out []ledger.Account) {
	if n, err := strconv.ParseInt(account, 10, 64); err == nil {
		return []ledger.Account{ledger.Account(n)}
	}
	for _, a := range in.Accounts {
		if !a.Hidden {
			out = append(out, a.Account)
		}
	}
	return out
}

// ParseFilter reads the canonical text of a filter.
func ParseFilter(canonical string) (f report.Filter, err error) {
	if canonical == "" {
		return f, nil
	}
	for part := range strings.SplitSeq(canonical, ";") {
		name, values, _ := strings.Cut(part, "=")
		for v := range strings.SplitSeq(values, ",") {
			switch name {
			case "brand":
				f.Brands = append(f.Brands, v)
			case "status":
				f.Classes = append(f.Classes, ledger.Class(v))
			default:
				return f, fmt.Errorf("filter: %q is neither brand nor status", name)
			}
		}
	}
	return f, nil
}
