package report

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export/table"
	"concilia/store/ledger"
)

// Kind is the name of a kind of report. Names are English words in files, manifests and commands.
type Kind string

// The kinds, in the order of their tables in a set. Settlement is the workbook and the page: one of each per set.
const (
	SummaryKind      Kind = "summary"
	MonthKind        Kind = "month"
	InstallmentsKind Kind = "installments"
	SplitsKind       Kind = "splits"
	FeesKind         Kind = "fees"
	SlipsKind        Kind = "slips"
	ExceptionsKind   Kind = "exceptions"
	RecoveriesKind   Kind = "recoveries"
	AgingKind        Kind = "aging"
	AgendaKind       Kind = "agenda"
	BankKind         Kind = "bank"
	SalesKind        Kind = "sales"
	EFDKind          Kind = "efd-1601"
	ForecastKind     Kind = "forecast"
	ClaimsKind       Kind = "claims"
	RestatementKind  Kind = "restatement"
	CardEventsKind   Kind = "card-events"
	SlipEventsKind   Kind = "slip-events"
	JournalKind      Kind = "journal"
	StatementKind    Kind = "statement"
	ControlKind      Kind = "control"
	Settlement       Kind = "settlement"
)

// Format is the format of a file.
type Format string

// The formats. CSVBR is what Excel in Brazil opens as it is.
const (
	CSV   Format = "csv"
	CSVBR Format = "csv-br"
	JSONL Format = "jsonl"
	XLSX  Format = "xlsx"
	HTML  Format = "html"
	EDI   Format = "edi"
	// Those of the journal alone.
	Beancount Format = "beancount"
	HLedger   Format = "hledger"
	Dominio   Format = "dominio"
)

// Formats are the formats there are, those with one file a table first.
func Formats() []Format { return []Format{CSV, CSVBR, JSONL, XLSX, HTML, EDI} }

// Extension is how the names of the format's files end.
func (f Format) Extension() string {
	switch f {
	case EDI:
		return "ret"
	case CSVBR:
		return "br.csv"
	case HLedger:
		return "journal"
	case Dominio:
		return "dominio.txt"
	}
	return string(f)
}

// IsPerTable reports whether the format has a file for every table; else it has one for the set or the kind.
func (f Format) IsPerTable() bool { return f == CSV || f == CSVBR || f == JSONL }

// Basis is the date that decides whether a row belongs to a period.
type Basis string

// The bases. Payment is for slips alone. AsOf is no date of rows: its sets are the state on one day, from = to = as-of. Neither is
// Movement: its sets are what became known up to a day. Posting is the journal's: the day under which an entry stands in the books.
const (
	ByOperation Basis = "operation"
	ByForecast  Basis = "forecast"
	ByPayment   Basis = "payment"
	ByCredit    Basis = "credit"
	ByAsOf      Basis = "asof"
	ByMovement  Basis = "movement"
	ByPosting   Basis = "posting"
)

// The sides that a kind may rest on.
const (
	CardSide = "cards"
	SlipSide = "slips"
)

// Definition says what a kind consists of, what it goes with and how it is made. A new kind is a file with its definition
// and its content, and a line in definitions.
type Definition struct {
	Kind    Kind
	Side    string         // CardSide, SlipSide, or empty: it rests on both
	Tables  []*table.Table // each is a file per text format, a sheet and a part of the page; the first names the kind to people
	Bases   []Basis
	Formats []Format
	// Unfiltered is true for a kind whose rows are kept sums over all brands and classes: it takes no filter.
	Unfiltered bool
	// WholeMonth is true for a kind of one calendar month, from its first day to its last.
	WholeMonth bool
	// Needs are the kinds whose content is made with this one, whether they are asked for or not: it takes figures from them
	// or is held against them.
	Needs []Kind
	// View says, by table id, what the workbook and the page show of a table; a table without one is shown by the defaults.
	View map[string]View
	// Begin starts the content of a set. It is nil for a kind that package render writes itself: control and statement.
	Begin func(ctx context.Context, set *Set) (Content, error)
	// NewReader starts what recomputes figures and checks rows when the kind's tables are read back; nil: nothing to check.
	NewReader func(asOf ledger.Date) RowReader
}

// View is what files for people show of a table.
type View struct {
	// PageColumns are the ids of the columns on the page, separated by spaces; empty: the first ones.
	PageColumns string
	// FrozenColumns is how many columns of the sheet stay in sight; 0 is 1.
	FrozenColumns int
	// Anchor names the row on the page, so that a link leads to it: the case, or the subject of the sale or slip. Of rows with the
	// same one the first has it. nil: rows have none.
	Anchor func(table.Row) string
}

var (
	cardBases   = []Basis{ByOperation, ByForecast, ByCredit}
	slipBases   = []Basis{ByOperation, ByForecast, ByPayment, ByCredit}
	asOfBasis   = []Basis{ByAsOf}
	allBases    = []Basis{ByOperation, ByForecast, ByPayment, ByCredit, ByAsOf}
	exceptEDI   = []Format{CSV, CSVBR, JSONL, XLSX, HTML}
	ediAlone    = []Format{EDI}
	everyFormat = Formats()
)

// definitions lists every kind in the order of its tables in a set, control last. A new kind is registered here.
var definitions = []*Definition{
	summaryDefinition,
	monthDefinition,
	installmentsDefinition,
	splitsDefinition,
	feesDefinition,
	slipsDefinition,
	exceptionsDefinition,
	recoveriesDefinition,
	agingDefinition,
	agendaDefinition,
	bankDefinition,
	salesDefinition,
	efdDefinition,
	forecastDefinition,
	claimsDefinition,
	restatementDefinition,
	cardEventsDefinition,
	slipEventsDefinition,
	journalDefinition,
	statementDefinition,
	controlDefinition,
}

// Definitions are those of every kind, in report order, control last.
func Definitions() []*Definition { return slices.Clone(definitions) }

// DefinitionOf is that of a kind, nil for one that does not exist and for Settlement.
func DefinitionOf(k Kind) *Definition {
	i := slices.IndexFunc(definitions, func(d *Definition) bool { return d.Kind == k })
	if i < 0 {
		return nil
	}
	return definitions[i]
}

// Kinds are the kinds there are, in report order, control last.
func Kinds() []Kind {
	out := make([]Kind, 0, len(definitions))
	for _, d := range definitions {
		out = append(out, d.Kind)
	}
	return out
}

// Side is what the kind rests on: CardSide, SlipSide, or both when empty. An unknown kind rests on both.
func (k Kind) Side() string {
	if d := DefinitionOf(k); d != nil {
		return d.Side
	}
	return ""
}

// Tables are the kind's own; an unknown kind has none.
func (k Kind) Tables() []*table.Table {
	if d := DefinitionOf(k); d != nil {
		return d.Tables
	}
	return nil
}

// Takes reports whether the kind goes with the basis.
func (k Kind) Takes(b Basis) bool {
	d := DefinitionOf(k)
	return d != nil && slices.Contains(d.Bases, b)
}

// HasFormat reports whether the kind has files of that format.
func (k Kind) HasFormat(f Format) bool {
	d := DefinitionOf(k)
	return d != nil && slices.Contains(d.Formats, f)
}

// Tables are the tables there are, in report order.
func Tables() []*table.Table {
	var out []*table.Table
	for _, d := range definitions {
		out = append(out, d.Tables...)
	}
	return out
}

// DefinitionOfTable is that of the kind a table is of; nil for a table of none.
func DefinitionOfTable(t *table.Table) *Definition {
	for _, d := range definitions {
		if slices.Contains(d.Tables, t) {
			return d
		}
	}
	return nil
}

// ViewOf is what files for people show of a table.
func ViewOf(t *table.Table) View {
	var v View
	if d := DefinitionOfTable(t); d != nil {
		v = d.View[t.ID]
	}
	v.FrozenColumns = max(v.FrozenColumns, 1)
	return v
}

// TableByID is the table with that id, nil without one.
func TableByID(id string) *table.Table {
	for _, d := range definitions {
		for _, t := range d.Tables {
			if t.ID == id {
				return t
			}
		}
	}
	return nil
}

// ParseKind reads the name of a kind as in commands and configuration; its error lists the known ones.
func ParseKind(s string) (Kind, error) { return parseName("kind", Kind(s), Kinds()) }

// ParseFormat reads the name of a format; its error lists the known ones.
func ParseFormat(s string) (Format, error) { return parseName("format", Format(s), Formats()) }

// ParseBasis reads the name of a basis, asof too; its error lists the known ones.
func ParseBasis(s string) (Basis, error) { return parseName("basis", Basis(s), allBases) }

func parseName[T ~string](what string, v T, known []T) (T, error) {
	if slices.Contains(known, v) {
		return v, nil
	}
	return "", fmt.Errorf("no %s %q: there are %s", what, string(v), joinNames(known))
}

// Choose returns the kinds of a set on that basis, in report order and control last. Of a configured list, kinds
// that do not go with the basis or the filter are left out; of a named one they are refused, and so is a format
// that none of the named kinds has. A period of no day is not known yet, and takes every kind.
func Choose(asked []Kind, formats []Format, basis Basis, period ledger.Period, f Filter, named bool) ([]Kind, error) {
	var out []Kind
	for _, d := range definitions {
		if !slices.Contains(asked, d.Kind) || d.Kind == ControlKind {
			continue
		}
		why := d.refusalReason(formats, basis, f, named)
		if why == "" && d.WholeMonth && period != (ledger.Period{}) && !IsWholeMonth(period) {
			why = fmt.Sprintf("is of one calendar month, not of %s", period)
		}
		switch {
		case why == "":
			out = append(out, d.Kind)
		case named:
			return nil, fmt.Errorf("kind %s %s", d.Kind, why)
		}
	}
	return append(out, ControlKind), nil
}

// IsWholeMonth reports whether a period is one calendar month, from its first day to its last.
func IsWholeMonth(p ledger.Period) bool {
	return p.From == p.From.MonthStart() && p.To == p.From.MonthEnd()
}

// refusalReason says why a kind does not go with what else is asked for; empty when it does.
func (d *Definition) refusalReason(formats []Format, basis Basis, f Filter, named bool) string {
	switch {
	case !slices.Contains(d.Bases, basis):
		return fmt.Sprintf("takes basis %s, not %s", joinNames(d.Bases), basis)
	case d.Unfiltered && f.Canonical() != "":
		return "takes no filter: it adds up all brands and classes"
	case d.Side == SlipSide && len(f.Brands) > 0:
		return "has no brands to filter by"
	case basis == ByAsOf && d.Side == "" && len(f.Classes) > 0:
		// A case is of a rule, and its subject may be a day or a month: it has no class of cards or slips.
		return "has no classes to filter by"
	case named && len(formats) == 1 && formats[0] == EDI && !slices.Contains(d.Formats, EDI):
		return "has no format edi"
	case len(d.Tables) == 0 && len(formats) > 0 && !slices.Contains(formats, EDI):
		return "takes format edi alone"
	}
	return ""
}

func joinNames[T ~string](values []T) string {
	names := make([]string, 0, len(values))
	for _, v := range values {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// CardDate is the date of a card row that the basis looks at, or none.
func (b Basis) CardDate(v *ledger.InstallmentVersion) ledger.Date {
	switch b {
	case ByForecast:
		return v.Forecast
	case ByCredit:
		return v.Effective
	}
	return v.SoldAt.Date()
}

// SlipDate is the date of a slip that the basis looks at, or none.
func (b Basis) SlipDate(s *ledger.Slip) ledger.Date {
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

// Filter narrows a set to brands and classes. The zero Filter takes everything.
type Filter struct {
	Brands  []string
	Classes []ledger.Class
}

// Canonical returns the filter's canonical text: brand=elo,visa;status=open, lower case, sorted, absent parts left out.
func (f Filter) Canonical() string {
	var parts []string
	add := func(name string, values []string) {
		if len(values) > 0 {
			slices.Sort(values)
			parts = append(parts, name+"="+strings.Join(slices.Compact(values), ","))
		}
	}
	var brands, classes []string
	for _, b := range f.Brands {
		brands = append(brands, strings.ToLower(b))
	}
	for _, c := range f.Classes {
		classes = append(classes, strings.ToLower(string(c)))
	}
	add("brand", brands)
	add("status", classes)
	return strings.Join(parts, ";")
}

// ShowsOpen reports whether the filter lets open installments through.
func (f Filter) ShowsOpen() bool {
	return len(f.Classes) == 0 || slices.Contains(f.Classes, ledger.Open)
}

// KindWords returns the name of a kind, which is that of its first sheet.
func KindWords(k Kind, l table.Language) string {
	if t := k.Tables(); len(t) > 0 && l != table.English {
		return t[0].Sheet
	}
	return string(k)
}
