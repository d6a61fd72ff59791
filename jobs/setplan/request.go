package setplan

import (
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
	"concilia/store/ledger/bookkeeping"
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
	Sources  []bookkeeping.EventSource // of the movement, which the journal is made of
	Journal  *JournalSettings
	HasBanks bool // statements of bank accounts are held against the ledger
}

// Parse returns one set per account for the request, and refuses contradictions.
func (p *Parser) Parse(req Request) ([]reportset.Request, error) {
	basis, err := report.ParseBasis(req.Basis)
	if err != nil {
		return nil, casework.NewRequestError("error.cause", "hint.bases", "cause", err)
	}
	kinds, formats := p.Reports.Kinds, p.Reports.MonthFormats()
	if len(formats) == 0 {
		formats = p.Reports.Formats
	}
	if len(req.Kinds) > 0 {
		if kinds, err = parseAll(req.Kinds, kindlist.Parse); err != nil {
			return nil, casework.NewRequestError("error.cause", "hint.help_of", "cause", err, "command", "concilia report")
		}
	}
	if len(req.Formats) > 0 {
		if formats, err = parseAll(req.Formats, report.ParseFormat); err != nil {
			return nil, casework.NewRequestError("error.cause", "hint.formats", "cause", err, "names", "csv, csv-br, jsonl, xlsx, html, edi")
		}
	}
	filter, err := p.parseFilter(req)
	if err != nil {
		return nil, err
	}
	if _, err := kindlist.Choose(kinds, formats, basis, req.Period, filter, len(req.Kinds) > 0); err != nil {
		return nil, casework.NewRequestError("error.cause", "hint.help_of", "cause", err, "command", "concilia report")
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
			return nil, casework.NewRequestError("error.strict_bank", "hint.strict_bank", "bank", a.Block.Bank.Code, "account", a.Number)
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
			return f, casework.NewRequestError("error.no_brand", "hint.brands", "name", b)
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
			return f, casework.NewRequestError("error.no_status", "hint.statuses", "name", s, "names", report.JoinNames(classes))
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
	switch {
	case len(req.Formats) > 0 && slices.Contains(formats, report.EDI), len(reportset.WithoutEDI(formats)) == 0:
		return false, casework.NewRequestError("error.extract_without_edi", "hint.edi_published")
	case named && slices.Contains(kinds, report.StatementKind):
		return false, casework.NewRequestError("error.extract_statement", "hint.edi_published")
	}
	return true, nil
}

// ParseJournal returns the formats of a request for the journal, and refuses contradictions.
func (p *Parser) ParseJournal(req *Request) ([]report.Format, error) {
	refuse := func(text, hint string, values ...any) ([]report.Format, error) {
		return nil, casework.NewRequestError(text, hint, values...)
	}
	if p.Journal.Chart == nil {
		return refuse("error.journal_no_chart", "hint.journal_chart")
	}
	switch basis := report.Basis(req.Basis); {
	case len(req.Kinds) != 1 || req.Kinds[0] != string(report.JournalKind):
		return refuse("error.journal_alone", "hint.journal_alone")
	case basis != report.ByOperation && basis != report.ByPosting:
		return refuse("error.journal_basis", "hint.leave_basis_out", "basis", basis)
	case len(req.Brands)+len(req.Statuses) > 0:
		return refuse("error.journal_filter", "hint.journal_filter")
	case req.Out == "" && req.AsOfRun != "":
		return refuse("error.journal_then", "hint.journal_then")
	}
	asked := req.Formats
	if len(asked) == 0 {
		asked = []string{string(report.CSV)}
	}
	var formats []report.Format
	for _, text := range asked {
		f := report.Format(text)
		if !slices.Contains(othersides.JournalFormats(), f) {
			return refuse("error.journal_format", "hint.formats", "name", text, "names", "csv, jsonl, beancount, hledger, dominio")
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
