package setplan

import (
	"fmt"
	"slices"
	"strings"

	"concilia/export/journal"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/report/othersides"
	"concilia/jobs/casework"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/store/ledger"
)

// Request is a person's request for reports. Empty lists mean the configured ones.
type Request struct {
	Period   ledger.Period
	Basis    string
	Kinds    []string
	Formats  []string
	Brands   []string
	Statuses []string
	// Out is the place to publish to if it is not reports.out: what is written there is a private extract.
	Out string
	// AccountsNamed: accounts were named, so there is no set over all of them.
	AccountsNamed bool
	// AsOfRun requests the files that were current as of the run with that id; empty: as of now.
	AsOfRun string
}

// IsJournal reports whether the journal is asked for.
func (req *Request) IsJournal() bool {
	return slices.Contains(req.Kinds, string(report.JournalKind)) || req.Basis == string(report.ByPosting)
}

// Parser reads requests for reports, and refuses contradictions.
type Parser struct {
	Accounts []reportset.Account
	Reports  *reportset.Settings
	Inputs   *reconcile.Inputs
	Sources  []ledger.EventSource // of the movement, which the journal is made of
	Journal  *JournalSettings
	HasBanks bool // statements of bank accounts are held against the ledger
}

// Parse returns one set per account for the request, and refuses contradictions.
func (p *Parser) Parse(req Request) ([]reportset.Request, error) {
	basis, err := report.ParseBasis(req.Basis)
	if err != nil {
		return nil, &casework.RequestError{Text: err.Error(), Hint: "bases are operation, forecast, payment, credit and asof"}
	}
	kinds, formats := p.Reports.Kinds, p.Reports.MonthFormats()
	if len(formats) == 0 {
		formats = p.Reports.Formats
	}
	if len(req.Kinds) > 0 {
		if kinds, err = parseAll(req.Kinds, kindlist.Parse); err != nil {
			return nil, &casework.RequestError{Text: err.Error(), Hint: "see concilia report --help"}
		}
	}
	if len(req.Formats) > 0 {
		if formats, err = parseAll(req.Formats, report.ParseFormat); err != nil {
			return nil, &casework.RequestError{Text: err.Error(), Hint: "formats are csv, csv-br, jsonl, xlsx, html and edi"}
		}
	}
	filter, err := p.parseFilter(req)
	if err != nil {
		return nil, err
	}
	if _, err := kindlist.Choose(kinds, formats, basis, req.Period, filter, len(req.Kinds) > 0); err != nil {
		return nil, &casework.RequestError{Text: err.Error(), Hint: "see concilia report --help"}
	}
	extract, err := p.isExtract(&req, kinds, formats)
	if err != nil {
		return nil, err
	}
	if extract {
		formats = reportset.WithoutEDI(formats)
	}
	if len(kinds) == 1 && kinds[0] == report.StatementKind {
		// A statement exists only as EDI: an empty workbook would supersede the set's own.
		formats = []report.Format{report.EDI}
	}
	var sets []reportset.Request
	for _, a := range p.Accounts {
		if p.Reports.StrictBank && slices.Contains(formats, report.EDI) && a.Block.CNAB().HasNonStandardReaders() {
			return nil, &casework.RequestError{
				Text: fmt.Sprintf("format edi: readers of bank %s, account %s, cut some columns differently from the standard", a.Block.Bank.Code, a.Number),
				Hint: "reports.edi.strict_bank refuses that: leave edi out, or take the key out",
			}
		}
		sets = append(sets, reportset.Request{
			Name: a.Number.String(), Accounts: []reportset.Account{a}, Basis: basis, Period: req.Period, Kinds: kinds,
			Formats: formats, Filter: filter, Requested: true, Extract: extract,
		})
	}
	return sets, nil
}

// parseFilter returns the requested brands and classes; unknown ones are refused with a list of the known ones.
func (p *Parser) parseFilter(req Request) (report.Filter, error) {
	var f report.Filter
	for _, b := range req.Brands {
		brand, ok := p.Inputs.Mapping.Brand(b)
		if !ok {
			return f, &casework.RequestError{Text: fmt.Sprintf("no brand %q", b), Hint: "brands are visa, mastercard, elo, amex, hipercard and those of the mapping"}
		}
		f.Brands = append(f.Brands, brand)
	}
	classes := []ledger.Class{
		ledger.Open, ledger.Received, ledger.Blocked, ledger.Cancelled, ledger.Chargeback, ledger.Paid, ledger.Failed,
	}
	for _, s := range req.Statuses {
		known := false
		for _, c := range classes {
			known = known || strings.EqualFold(string(c), s)
			if strings.EqualFold(string(c), s) {
				f.Classes = append(f.Classes, c)
			}
		}
		if !known {
			return f, &casework.RequestError{Text: fmt.Sprintf("no status %q", s), Hint: fmt.Sprintf("statuses are %v", classes)}
		}
	}
	return f, nil
}

func parseAll[T any](texts []string, parse func(string) (T, error)) ([]T, error) {
	out := make([]T, 0, len(texts))
	for _, text := range texts {
		v, err := parse(text)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// isExtract reports whether a request is for private files, and refuses what cannot be private. A report to another
// place than reports.out is private. So are claims unless they are configured: what is sent to the operator replaces
// nothing that was published. An EDI file has a number that only a revision gets, so it cannot be private.
func (p *Parser) isExtract(req *Request, kinds []report.Kind, formats []report.Format) (bool, error) {
	named := len(req.Kinds) > 0
	claims := named && slices.Contains(kinds, report.ClaimsKind) && !slices.Contains(p.Reports.Kinds, report.ClaimsKind)
	if req.AsOfRun != "" || req.Out == "" && !claims {
		return false, nil
	}
	refused := &casework.RequestError{
		Text: "format edi: an extract has no EDI file, since nothing numbers it",
		Hint: "without --out, and without --kind claims, EDI files are published in reports.out",
	}
	switch {
	case len(req.Formats) > 0 && slices.Contains(formats, report.EDI), len(reportset.WithoutEDI(formats)) == 0:
		return false, refused
	case named && slices.Contains(kinds, report.StatementKind):
		refused.Text = "kind statement: it is an EDI file, and an extract has none, since nothing numbers it"
		return false, refused
	}
	return true, nil
}

// ParseJournal returns the formats of a request for the journal, and refuses contradictions.
func (p *Parser) ParseJournal(req *Request) ([]report.Format, error) {
	refuse := func(text, hint string) ([]report.Format, error) {
		return nil, &casework.RequestError{Text: text, Hint: hint}
	}
	if p.Journal.Chart == nil {
		return refuse("kind journal: the configuration has no chart of accounts", "journal: accounts.yaml in the configuration names it")
	}
	switch basis := report.Basis(req.Basis); {
	case len(req.Kinds) != 1 || req.Kinds[0] != string(report.JournalKind):
		return refuse("kind journal is a set of its own", "--kind journal, and no other kind")
	case basis != report.ByOperation && basis != report.ByPosting:
		return refuse(fmt.Sprintf("kind journal takes basis posting, not %s", basis), "leave --basis out")
	case len(req.Brands)+len(req.Statuses) > 0:
		return refuse("kind journal takes no filter: its entries are those of all rows", "leave --brand and --status out")
	case req.Out == "" && req.AsOfRun != "":
		return refuse("kind journal is published as of the last set of the movement; that of an earlier run is a private extract", "--out PLACE beside --as-of-run")
	}
	asked := req.Formats
	if len(asked) == 0 {
		asked = []string{string(report.CSV)}
	}
	var formats []report.Format
	for _, text := range asked {
		f := report.Format(text)
		if !slices.Contains(othersides.JournalFormats(), f) {
			return refuse(fmt.Sprintf("kind journal has no format %.40q", text), "formats of the journal are csv, jsonl, beancount, hledger and dominio")
		}
		formats = append(formats, f)
	}
	return formats, p.Journal.Chart.CheckRoles(p.Journal.File, asked, p.Sources, p.HasBanks)
}

// JournalSettings are the office's chart of accounts.
type JournalSettings struct {
	Chart *journal.Chart // nil: there is no journal
	File  string         // it was read from
}
