package reportset

import (
	"fmt"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
)

// Settings is the configuration of reports.
type Settings struct {
	Kinds      []report.Kind
	Formats    []report.Format
	Bases      []report.Basis
	Language   table.Language
	ConsoleURL string // where the console is reached; empty: nowhere
	Service    string // what the reports call the payment service; empty: "a operadora"
	Identified []report.Kind
	EDIProfile export.EDIProfile
	// StrictBank refuses EDI files for banks whose readers deviate from the standard columns.
	StrictBank bool
	// NetStatement posts slips in a statement net of their tariff (reports.edi.statement: net).
	NetStatement bool
	// EDIAtClose leaves EDI files out of the month sets of nights: those get them when the month is closed, or a report asks for them.
	EDIAtClose   bool
	ForecastDays int    // calendar days that the cash forecast covers
	Out          string // place of the target, as it is configured
	// DaysFromRows is from how many rows on it is kept what the sale days of a set left, for the next revision to be made from. 0: some thousands,
	// since fewer are read as fast.
	DaysFromRows int
	// Names are those of all configured accounts by number, also of those that a run leaves out.
	Names map[string]string
}

// DigestText identifies the settings that decide what a set shows, without those of a single machine.
func (r *Settings) DigestText() []byte {
	return fmt.Appendf(nil, "kinds: %q\nformats: %q\nbasis: %q\nlanguage: %q\nservice: %q\nidentified: %q\nedi: %q strict %t net %t at close %t\nforecast days: %d\n",
		r.Kinds, r.Formats, r.Bases, r.Language, r.Service, r.Identified, r.EDIProfile, r.StrictBank, r.NetStatement, r.EDIAtClose, r.ForecastDays)
}

// MonthFormats are the formats of the month sets of a night.
func (r *Settings) MonthFormats() []report.Format {
	if r.EDIAtClose {
		return WithoutEDI(r.Formats)
	}
	return r.Formats
}

// WithoutEDI returns the formats except EDI.
func WithoutEDI(formats []report.Format) []report.Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f report.Format) bool { return f == report.EDI })
}
