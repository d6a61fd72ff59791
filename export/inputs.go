package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Inputs is what the content of a revision rests on besides the rows that the ledger answers as of its run and the documents
// that it keeps. With it the content digest can be computed once more, which is how the ledger says what was published.
type Inputs struct {
	Kinds       []report.Kind
	Formats     []report.Format
	Language    table.Language
	Identified  []report.Kind
	Unit        ledger.Unit
	NetOfSplits bool
	Statement   StatementTerms
	Accounts    []InputAccount // of a set over all accounts
	// Parts are the digests and texts that enter the content digest by name: account block, kinds withheld, language, documents.
	Parts map[string]string
}

// InputAccount is an account of a set over all of them.
type InputAccount struct {
	Account ledger.Account
	Hidden  bool   // its rows are in no table of the set
	NoSlips string // the critical code that withholds its slips; empty: none does
}

// InputsOf is the inputs of a set that was rendered, as JSON.
func InputsOf(job *Job) (string, error) {
	in := Inputs{
		Kinds: job.Kinds, Formats: job.Formats, Language: job.Language, Identified: job.Identified, Unit: job.Unit,
		NetOfSplits: job.NetOfSplits, Statement: job.Statement,
	}
	if in.Language == "" {
		in.Language = table.Portuguese
	}
	asked := *job
	asked.Language = in.Language
	in.Parts = asked.digestParts()
	for _, a := range job.Facts.Accounts {
		in.Accounts = append(in.Accounts, InputAccount{a.Account, len(a.Withheld) > 0, a.NoSlips})
	}
	text, err := json.Marshal(in)
	return string(text), err
}

// ReadInputs reads what InputsOf made. A member that this program does not know is refused: it would be left out.
func ReadInputs(text string) (*Inputs, error) {
	var in Inputs
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	return &in, nil
}

// Job is the rendering whose content has these inputs, of a set as of a day.
func (in *Inputs) Job(account string, basis report.Basis, period ledger.Period, filter report.Filter, asOf ledger.Date) Job {
	job := Job{
		Account: account, Basis: basis, Period: period, Filter: filter, AsOf: asOf, Kinds: in.Kinds, Formats: in.Formats,
		Language: in.Language, Identified: in.Identified, Unit: in.Unit, NetOfSplits: in.NetOfSplits, Statement: in.Statement,
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

// HasCurrentLayout reports whether the revision is in the layouts that this program writes. The content digest of another one
// can't be computed.
func (in *Inputs) HasCurrentLayout() bool { return in.Parts["layout"] == layoutsText() }

// AccountsOf are the accounts with rows in the set of an account, or of all accounts, in the order of the rows.
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

// Recompute computes the content digest of a set from its rows. What it needs on the way lies below staging until it returns.
func Recompute(ctx context.Context, job Job, feed ReportSource, staging string) (digest string, err error) {
	r, drop, err := newRendering(&job, feed, Target{Staging: staging})
	if err != nil {
		return "", err
	}
	if err = r.readRows(ctx); err == nil {
		r.decideRevision()
		digest = r.result.Digest
	}
	return digest, errors.Join(err, drop())
}

// ParseFilter reads the canonical spelling of a filter.
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
