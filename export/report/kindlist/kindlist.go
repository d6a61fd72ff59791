package kindlist

import (
	"slices"

	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/othersides"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// definitions lists every kind in the order of its tables in a set, control last. A new kind is registered here.
var definitions = []*report.Definition{
	report.SummaryDefinition,
	report.MonthDefinition,
	report.InstallmentsDefinition,
	report.SplitsDefinition,
	report.FeesDefinition,
	report.SlipsDefinition,
	asof.ExceptionsDefinition,
	asof.RecoveriesDefinition,
	asof.AgingDefinition,
	asof.AgendaDefinition,
	othersides.BankDefinition,
	othersides.SalesDefinition,
	othersides.EFDDefinition,
	asof.ForecastDefinition,
	report.ClaimsDefinition,
	report.RestatementDefinition,
	othersides.CardEventsDefinition,
	othersides.SlipEventsDefinition,
	othersides.JournalDefinition,
	report.StatementDefinition,
	report.ControlDefinition,
}

// Definitions are those of every kind, in report order, control last.
func Definitions() []*report.Definition { return slices.Clone(definitions) }

// DefinitionOf is that of a kind, nil for one that does not exist and for Settlement.
func DefinitionOf(k report.Kind) *report.Definition {
	i := slices.IndexFunc(definitions, func(d *report.Definition) bool { return d.Kind == k })
	if i < 0 {
		return nil
	}
	return definitions[i]
}

// Known are the kinds there are, in report order, control last.
func Known() []report.Kind {
	out := make([]report.Kind, 0, len(definitions))
	for _, d := range definitions {
		out = append(out, d.Kind)
	}
	return out
}

// Configurable are the names of the kinds that the configuration of reports may list, in report order; with defaultsAlone those that it
// lists unless it says otherwise. Those of the movement and of the journal have sections of their own.
func Configurable(defaultsAlone bool) []string {
	var names []string
	for _, d := range definitions {
		hasOwnSection := d.Bases[0] == report.ByMovement || d.Bases[0] == report.ByPosting
		if hasOwnSection || defaultsAlone && d.OnDemand {
			continue
		}
		names = append(names, string(d.Kind))
	}
	return names
}

// SideOf is what the kind rests on: CardSide, SlipSide, or both when empty. An unknown kind rests on both.
func SideOf(k report.Kind) string {
	if d := DefinitionOf(k); d != nil {
		return d.Side
	}
	return ""
}

// TablesOf are the kind's own; an unknown kind has none.
func TablesOf(k report.Kind) []*table.Table {
	if d := DefinitionOf(k); d != nil {
		return d.Tables
	}
	return nil
}

// TablesIn are the kind's own as they are in a set; withBanks is set where its accounts are paid into a bank account.
func TablesIn(k report.Kind, withBanks bool) []*table.Table {
	tables := TablesOf(k)
	if d := DefinitionOf(k); withBanks && d != nil && d.BankTables != nil {
		tables = slices.Clone(tables)
		for i := range tables {
			tables[i] = widestOf(d, tables[i])
		}
	}
	return tables
}

// widestOf is a table of a definition with the columns that only sets with banks have.
func widestOf(d *report.Definition, t *table.Table) *table.Table {
	for _, wide := range d.BankTables {
		if wide.ID == t.ID {
			return wide
		}
	}
	return t
}

// FollowsFromRows is what the kind's definition says; false of an unknown kind.
func FollowsFromRows(k report.Kind) bool {
	d := DefinitionOf(k)
	return d != nil && d.FollowsFromRows
}

// Takes reports whether the kind goes with the basis.
func Takes(k report.Kind, b report.Basis) bool {
	d := DefinitionOf(k)
	return d != nil && slices.Contains(d.Bases, b)
}

// HasFormat reports whether the kind has files of that format.
func HasFormat(k report.Kind, f report.Format) bool {
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
func DefinitionOfTable(t *table.Table) *report.Definition {
	for _, d := range definitions {
		if slices.ContainsFunc(d.Tables, func(own *table.Table) bool { return own.ID == t.ID }) {
			return d
		}
	}
	return nil
}

// ViewOf is what files for people show of a table.
func ViewOf(t *table.Table) report.View {
	var v report.View
	if d := DefinitionOfTable(t); d != nil {
		v = d.View[t.ID]
	}
	v.FrozenColumns = max(v.FrozenColumns, 1)
	return v
}

// TableByID is the table with that id and every column that it may have, nil without one.
func TableByID(id string) *table.Table { return TableInSet(id, true) }

// TableInSet is the table with that id as it is in a set; withBanks is set where its accounts are paid into a bank account.
func TableInSet(id string, withBanks bool) *table.Table {
	for _, d := range definitions {
		for _, t := range d.Tables {
			switch {
			case t.ID == id && withBanks:
				return widestOf(d, t)
			case t.ID == id:
				return t
			}
		}
	}
	return nil
}

// Parse reads the name of a kind as in commands and configuration; its error lists the known ones.
func Parse(s string) (report.Kind, error) { return report.ParseName("kind", report.Kind(s), Known()) }

// Choose returns the kinds of a set on that basis, in report order and control last. Of a configured list, kinds
// that do not go with the basis or the filter are left out; of a named one they are refused, and so is a format
// that none of the named kinds has. A period of no day is not known yet, and takes every kind.
func Choose(asked []report.Kind, formats []report.Format, basis report.Basis, period ledger.Period, f report.Filter, named bool) ([]report.Kind, error) {
	var out []report.Kind
	for _, d := range definitions {
		if !slices.Contains(asked, d.Kind) || d.Kind == report.ControlKind {
			continue
		}
		why := refusalReason(d, formats, basis, f, named)
		if why == "" && d.WholeMonth && period != (ledger.Period{}) && !report.IsWholeMonth(period) {
			why = "error.kind_whole_month"
		}
		switch {
		case why == "":
			out = append(out, d.Kind)
		case named:
			return nil, words.NewFault(why, "", "kind", d.Kind, "bases", report.JoinNames(d.Bases), "basis", basis, "period", period)
		}
	}
	return append(out, report.ControlKind), nil
}

// refusalReason is the id of the text that says why a kind does not go with what else is asked for; empty when it does.
func refusalReason(d *report.Definition, formats []report.Format, basis report.Basis, f report.Filter, named bool) string {
	switch {
	case !slices.Contains(d.Bases, basis):
		return "error.kind_basis"
	case d.Unfiltered && f.Canonical() != "":
		return "error.kind_unfiltered"
	case d.Side == report.SlipSide && len(f.Brands) > 0:
		return "error.kind_without_brands"
	case basis == report.ByAsOf && d.Side == "" && len(f.Classes) > 0:
		// A case is of a rule, and its subject may be a day or a month: it has no class of cards or slips.
		return "error.kind_without_classes"
	case named && len(formats) == 1 && formats[0] == report.EDI && !slices.Contains(d.Formats, report.EDI):
		return "error.kind_without_edi"
	case len(d.Tables) == 0 && len(formats) > 0 && !slices.Contains(formats, report.EDI):
		return "error.kind_edi_alone"
	}
	return ""
}

// Words returns the name of a kind, which is that of its first sheet.
func Words(k report.Kind, l table.Language) string {
	if t := TablesOf(k); len(t) > 0 && l != table.English {
		return t[0].Sheet
	}
	return string(k)
}
