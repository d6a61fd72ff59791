package export

import (
	"fmt"
	"slices"
	"strings"

	"concilia/export/table"
	"concilia/store/ledger"
)

// Kind is a kind of report. Its names are English words in files, manifests and commands.
type Kind string

// The kinds, in the order their tables stand in a set. Settlement is the workbook: one per set.
const (
	SummaryKind      Kind = "summary"
	InstallmentsKind Kind = "installments"
	SplitsKind       Kind = "splits"
	FeesKind         Kind = "fees"
	SlipsKind        Kind = "slips"
	ExceptionsKind   Kind = "exceptions"
	AgingKind        Kind = "aging"
	AgendaKind       Kind = "agenda"
	ClaimsKind       Kind = "claims"
	RestatementKind  Kind = "restatement"
	StatementKind    Kind = "statement"
	ControlKind      Kind = "control"
	Settlement       Kind = "settlement"
)

// Format is how a file spells its rows.
type Format string

// The formats. CSVBR is what Excel in Brazil opens as it is.
const (
	CSV   Format = "csv"
	CSVBR Format = "csv-br"
	JSONL Format = "jsonl"
	XLSX  Format = "xlsx"
	HTML  Format = "html"
	EDI   Format = "edi"
)

// Formats are the formats there are, those with one file a table first.
func Formats() []Format { return []Format{CSV, CSVBR, JSONL, XLSX, HTML, EDI} }

// Basis is the date that decides whether a row belongs to a period.
type Basis string

// The bases. Payment is for slips alone. AsOf is no date of rows: its sets are the state on one day, from = to = as-of.
const (
	ByOperation Basis = "operation"
	ByForecast  Basis = "forecast"
	ByPayment   Basis = "payment"
	ByCredit    Basis = "credit"
	ByAsOf      Basis = "asof"
)

// kindSpec is what a kind consists of and what it goes with.
type kindSpec struct {
	kind   Kind
	side   string // cards, slips, or empty: of both
	tables []*table.Table
	bases  []Basis
	edi    bool
}

var (
	cardBases = []Basis{ByOperation, ByForecast, ByCredit}
	slipBases = []Basis{ByOperation, ByForecast, ByPayment, ByCredit}
	asOfBasis = []Basis{ByAsOf}
	allBases  = []Basis{ByOperation, ByForecast, ByPayment, ByCredit, ByAsOf}
)

// kinds lists every kind in the order its tables stand in a set; a new kind is a line here and a file of its own.
var kinds = []kindSpec{
	{SummaryKind, "cards", []*table.Table{summaryTable}, cardBases, false},
	{InstallmentsKind, "cards", []*table.Table{installmentsTable}, cardBases, true},
	{SplitsKind, "cards", []*table.Table{splitsTable, payableTable}, cardBases, false},
	{FeesKind, "cards", []*table.Table{feesTable}, cardBases, false},
	{SlipsKind, "slips", []*table.Table{slipsTable, slipDaysTable}, slipBases, true},
	{ExceptionsKind, "", []*table.Table{exceptionsTable}, asOfBasis, false},
	{AgingKind, "", []*table.Table{agingTable}, asOfBasis, false},
	{AgendaKind, "cards", []*table.Table{agendaTable, agendaRollTable}, asOfBasis, false},
	{ClaimsKind, "cards", []*table.Table{claimsTable}, cardBases, false},
	{RestatementKind, "", []*table.Table{restatementTable}, []Basis{ByOperation, ByCredit}, false},
	{StatementKind, "", nil, []Basis{ByCredit}, true},
	{ControlKind, "", []*table.Table{controlTable}, allBases, false},
}

func specOf(k Kind) *kindSpec {
	i := slices.IndexFunc(kinds, func(s kindSpec) bool { return s.kind == k })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// Kinds are the kinds there are, in report order, control last.
func Kinds() []Kind {
	out := make([]Kind, 0, len(kinds))
	for _, s := range kinds {
		out = append(out, s.kind)
	}
	return out
}

// Side says what the kind rests on: cards, slips, or both when empty. An unknown kind rests on both.
func (k Kind) Side() string {
	if s := specOf(k); s != nil {
		return s.side
	}
	return ""
}

// Tables are the tables there are, in report order.
func Tables() []*table.Table {
	var out []*table.Table
	for _, s := range kinds {
		out = append(out, s.tables...)
	}
	return out
}

// kindOf is the kind that a table is of.
func kindOf(t *table.Table) Kind {
	for i := range kinds {
		if slices.Contains(kinds[i].tables, t) {
			return kinds[i].kind
		}
	}
	return ""
}

func tableByID(id string) *table.Table {
	for _, t := range Tables() {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// ParseKind, ParseFormat and ParseBasis read a name as commands and configuration spell it; their errors list what
// is known.
func ParseKind(s string) (Kind, error) {
	return parseName("kind", Kind(s), Kinds())
}

// ParseFormat reads the name of a format.
func ParseFormat(s string) (Format, error) {
	return parseName("format", Format(s), Formats())
}

// ParseBasis reads the name of a basis, asof too.
func ParseBasis(s string) (Basis, error) { return parseName("basis", Basis(s), allBases) }

func parseName[T ~string](what string, v T, known []T) (T, error) {
	if slices.Contains(known, v) {
		return v, nil
	}
	names := make([]string, 0, len(known))
	for _, k := range known {
		names = append(names, string(k))
	}
	return "", fmt.Errorf("no %s %q: there are %s", what, string(v), strings.Join(names, ", "))
}

// Choose returns the kinds of a set on that basis, in report order and control last. Of a configured list, kinds
// that do not go with the basis or the filter are left out; of a named one they are refused, and so is a format
// that none of the named kinds has.
func Choose(asked []Kind, formats []Format, basis Basis, f Filter, named bool) ([]Kind, error) {
	var out []Kind
	for _, s := range kinds {
		if !slices.Contains(asked, s.kind) || s.kind == ControlKind {
			continue
		}
		why := ""
		switch {
		case !slices.Contains(s.bases, basis):
			why = fmt.Sprintf("takes basis %s, not %s", joinNames(s.bases), basis)
		case s.side == "slips" && len(f.Brands) > 0:
			why = "has no brands to filter by"
		case basis == ByAsOf && s.side == "" && len(f.Classes) > 0:
			// A case is of a rule, and its subject may be a day or a month: it has no class of cards or slips.
			why = "has no classes to filter by"
		case named && len(formats) == 1 && formats[0] == EDI && !s.edi:
			why = "has no format edi"
		case len(s.tables) == 0 && len(formats) > 0 && !slices.Contains(formats, EDI):
			why = "takes format edi alone"
		}
		switch {
		case why == "":
			out = append(out, s.kind)
		case named:
			return nil, fmt.Errorf("kind %s %s", s.kind, why)
		}
	}
	return append(out, ControlKind), nil
}

func joinNames(b []Basis) string {
	names := make([]string, 0, len(b))
	for _, v := range b {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// cardDate is the date of a card row that the basis looks at, or none.
func (b Basis) cardDate(v *ledger.InstallmentVersion) ledger.Date {
	switch b {
	case ByForecast:
		return v.Forecast
	case ByCredit:
		return v.Effective
	}
	return v.SoldAt.Date()
}

// slipDate is the date of a slip that the basis looks at, or none.
func (b Basis) slipDate(s *ledger.Slip) ledger.Date {
	switch b {
	case ByForecast:
		return s.Due
	case ByPayment:
		return s.PaidOn
	case ByCredit:
		return s.CreditedOn
	}
	return s.Issued
}
