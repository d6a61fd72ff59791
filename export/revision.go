package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"concilia/export/control"
	"concilia/export/journal"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// FingerprintVerdict is the one fingerprint of a revision that is compared with nothing: its verdict.
const FingerprintVerdict = "verdict"

// decideRevision compares the rendered content with the current revision and sets revision, reasons and fingerprints. It
// returns true if the current revision has everything that was requested. An extract has no revision.
func (r *rendering) decideRevision() (unchanged bool) {
	parts := r.job.digestParts()
	content, fingerprints := r.digestContent(parts)
	requested := r.digestFiles(parts, content)
	maps.Copy(fingerprints, requested)

	res := &r.result
	res.Set = manifest.SetName(r.job.Account, r.job.Basis, r.job.Period, r.job.Filter.Canonical())
	res.Dir = manifest.SetDir(r.job.Account, r.job.Basis, r.job.Period)
	res.Digest = digestOf(content)
	res.Fingerprints = fingerprints
	switch m := r.job.Movement; {
	case r.job.Extract:
		return false
	case m != nil:
		res.Revision = m.Revision // none supersedes another
		res.setReasons(revisionReason{change: reasonFirst})
		return false
	case r.job.Current == nil:
		res.setReasons(revisionReason{change: reasonFirst})
		return false
	}
	return r.compareWithCurrent(requested)
}

// digestContent returns the digests that the content of the set consists of, and their fingerprints.
func (r *rendering) digestContent(parts map[string]string) (content, fingerprints map[string]string) {
	content, fingerprints = maps.Clone(parts), make(map[string]string)
	for name, v := range parts {
		fingerprints["part:"+name] = v
	}
	fingerprints[FingerprintVerdict] = string(r.verdict)
	for _, k := range r.job.Kinds {
		for _, t := range k.Tables() {
			if f := r.tables[t.ID]; f != nil {
				fingerprints["table:"+t.ID] = f.contentDigest()
				content["table "+t.ID] = f.contentDigest()
			}
		}
	}
	if s := r.statement; s != nil {
		fingerprints[fingerprintEntries], fingerprints[fingerprintClosing] = s.digest, s.closing.String()
		content["statement"] = s.digest + " " + r.job.Statement.Opening.String()
	}
	if r.pageSlips != nil {
		content["beside slips"] = r.pageSlips.rows.Sum()
		fingerprints["table:"+report.SlipsTable.ID] = r.pageSlips.rows.Sum()
	}
	return content, fingerprints
}

// digestFiles returns a fingerprint for each file that the job requests, of what the file is made from.
func (r *rendering) digestFiles(parts, content map[string]string) map[string]string {
	out := make(map[string]string)
	for name, tables := range r.askedFiles() {
		of := maps.Clone(parts)
		for _, t := range tables {
			of["table "+t] = r.tables[t].contentDigest()
		}
		if name == string(report.StatementKind)+".ret" {
			of["statement"] = content["statement"]
		}
		if name == control.PageFile && r.pageSlips != nil {
			of["beside slips"] = content["beside slips"]
		}
		out["file:"+name] = digestOf(of)
	}
	return out
}

// compareWithCurrent compares the requested files with those of the current revision. One that differs makes the next revision.
func (r *rendering) compareWithCurrent(requested map[string]string) (unchanged bool) {
	res, current := &r.result, r.job.Current
	if len(current.Fingerprints) == 0 && current.Digest == res.Digest {
		res.Revision, res.Unchanged, res.Fingerprints = current.Revision, true, nil
		return true
	}
	fingerprints := res.Fingerprints
	// A file that is not requested by this job keeps its fingerprint.
	res.Fingerprints = maps.Clone(current.Fingerprints)
	if res.Fingerprints == nil {
		res.Fingerprints = make(map[string]string)
	}
	maps.Copy(res.Fingerprints, fingerprints)
	for name, digest := range requested {
		if current.Fingerprints[name] != digest {
			res.Revision = current.Revision + 1
			res.Supersedes = &current.Revision
			res.setReasons(reasonsOf(current.Fingerprints, fingerprints)...)
			return false
		}
	}
	res.Revision, res.Unchanged, res.Fingerprints = current.Revision, true, current.Fingerprints
	return true
}

// askedFiles returns the requested files, control included, and the tables that each depends on.
func (r *rendering) askedFiles() map[string][]string {
	files := make(map[string][]string)
	var all []string
	for _, k := range r.job.Kinds {
		if k == report.ControlKind {
			continue
		}
		for _, t := range k.Tables() {
			all = append(all, t.ID)
			for _, f := range r.job.formatsOf(k) {
				if f.IsPerTable() || f.IsOfBooks() {
					files[t.ID+"."+f.Extension()] = []string{t.ID}
				}
			}
		}
		if r.job.hasEDI(k) {
			var of []string // a statement has no table
			if t := k.Tables(); len(t) > 0 {
				of = append(of, t[0].ID)
			}
			if k == report.InstallmentsKind {
				of = append(of, report.SplitsTable.ID) // its Y-50 records
			}
			files[string(k)+".ret"] = of
		}
	}
	if r.job.hasFormat(report.XLSX) {
		files[string(report.Settlement)+".xlsx"] = all
	}
	if r.job.hasFormat(report.HTML) {
		files[control.PageFile] = all
	}
	// Control is made with every set, and alone when everything else is withheld.
	files["control.csv"] = nil
	for _, f := range r.job.Formats {
		if f.IsPerTable() {
			files["control."+f.Extension()] = nil
		}
	}
	return files
}

// revisionReason is one reason of a new revision. what is a table, a file or a document of the set; empty of the first.
type revisionReason struct{ change, what string }

// The changes that make a revision.
const (
	reasonFirst   = "first"
	reasonAdded   = "added"
	reasonChanged = "changed"
)

// String returns the reason in the words of manifests and control.
func (r revisionReason) String() string { return strings.TrimSpace(r.what + " " + r.change) }

// inWords returns the reason in Portuguese.
func (r revisionReason) inWords() string {
	return words.Text(table.Portuguese, "revision."+r.change, "what", control.ItemWords("run", r.what))
}

func (r *Result) setReasons(reasons ...revisionReason) {
	r.reasons, r.Why = reasons, nil
	for _, one := range reasons {
		r.Why = append(r.Why, one.String())
	}
}

// reasonsOf lists, in order, the differences from the current revision.
func reasonsOf(old, now map[string]string) []revisionReason {
	var why []revisionReason
	for _, kind := range []string{"table:", "part:", "file:"} {
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if len(name) < len(kind) || name[:len(kind)] != kind || now[name] == old[name] {
				continue
			}
			what := name[len(kind):]
			switch {
			case old[name] == "" && kind != "part:":
				why = append(why, revisionReason{reasonAdded, what})
			case kind == "file:" && len(why) > 0: // follows from the reasons above
			default:
				why = append(why, revisionReason{reasonChanged, what})
			}
		}
	}
	return why
}

// digestOf returns the SHA-256 of named parts, in order of their names.
func digestOf(parts map[string]string) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(h, "%q %q\n", k, parts[k])
	}
	return hex.EncodeToString(h.Sum(nil))
}

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
		NetOfSplits: job.NetOfSplits, ForecastDays: job.ForecastDays, Months: job.Months, Statement: job.Statement,
	}
	if in.Language == "" {
		in.Language = table.Portuguese
	}
	if j := job.Journal; j != nil {
		in.Journal, in.JournalSet, in.JournalFormats = j.Chart, j.Set, j.Formats
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
		Language: in.Language, Service: in.Service, Identified: in.Identified, Unit: in.Unit, NetOfSplits: in.NetOfSplits, ForecastDays: in.ForecastDays, Months: in.Months,
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

// Recompute computes the content digest of a set from its rows. It keeps temporary files below staging until it returns.
func Recompute(ctx context.Context, job Job, source ReportSource, staging string) (digest string, err error) {
	r, drop, err := newRendering(&job, source, Target{Staging: staging})
	if err != nil {
		return "", err
	}
	if err = r.readRows(ctx); err == nil {
		r.decideRevision()
		digest = r.result.Digest
	}
	return digest, errors.Join(err, drop())
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
