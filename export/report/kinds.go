package report

import (
	"context"
	"slices"
	"strings"

	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// Kind is the name of a kind of report. Names are English words in files, manifests and commands.
type Kind string

// The kinds that code names, in the order of their tables in a set; package kindlist has them all. Settlement is the workbook and the page:
// one of each per set.
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

// IsOfBooks reports whether the format is one of an accountant's program.
func (f Format) IsOfBooks() bool { return f == Beancount || f == HLedger || f == Dominio }

// IsPerTable reports whether the format has a file for every table; else it has one for the set or the kind.
func (f Format) IsPerTable() bool { return f == CSV || f == CSVBR || f == JSONL }

// Basis is the date that decides whether a row belongs to a period.
type Basis string

// The bases. Payment is for slips alone. AsOf is no date of rows: its sets are the state on one day, from = to = as-of. Neither is
// Movement: its sets are what became known up to a day. Posting is the journal's: the day on which an entry is booked.
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
// and its content, and a line in package kindlist; its name is also a constant here once other code refers to it.
type Definition struct {
	Kind   Kind
	Side   string         // CardSide, SlipSide, or empty: it rests on both
	Tables []*table.Table // each is a file per text format, a sheet and a part of the page; the first names the kind to people
	// BankTables are those of Tables that have more columns in sets of accounts that are paid into a bank account, with them.
	BankTables []*table.Table
	Bases      []Basis
	Formats    []Format
	// OnDemand is true for a kind that a night makes only if the configuration names it, or has the banks or stores that it is of.
	OnDemand bool
	// Unfiltered is true for a kind whose rows are kept sums over all brands and classes: it takes no filter.
	Unfiltered bool
	// FollowsFromRows is true for a kind whose rows follow from the ledger's rows, expectations and cases, or stores' sales, alone, and
	// not from closes, events of the movement or what came to a bank: a night in which none of those changed need not make its sets
	// anew. False is always right and costs time.
	FollowsFromRows bool
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
	// PageColumns are the ids of the columns on the page in its order, separated by spaces; empty: the first ones.
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
	allBases    = []Basis{ByOperation, ByForecast, ByPayment, ByCredit, ByAsOf}
	ExceptEDI   = []Format{CSV, CSVBR, JSONL, XLSX, HTML}
	ediAlone    = []Format{EDI}
	everyFormat = Formats()
)

// ParseFormat reads the name of a format; its error lists the known ones.
func ParseFormat(s string) (Format, error) { return ParseName("format", Format(s), Formats()) }

// ParseBasis reads the name of a basis, asof too; its error lists the known ones.
func ParseBasis(s string) (Basis, error) { return ParseName("basis", Basis(s), allBases) }

// ParseName reads one of the known names of kinds, formats or bases, which what calls it; its error lists them.
func ParseName[T ~string](what string, v T, known []T) (T, error) {
	if slices.Contains(known, v) {
		return v, nil
	}
	return "", words.NewFault("error.no_"+what, "", "name", string(v), "names", JoinNames(known))
}

// IsWholeMonth reports whether a period is one calendar month, from its first day to its last.
func IsWholeMonth(p ledger.Period) bool {
	return p.From == p.From.MonthStart() && p.To == p.From.MonthEnd()
}

// JoinNames lists names, separated by commas.
func JoinNames[T ~string](values []T) string {
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
