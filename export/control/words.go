package control

import (
	"slices"
	"strings"

	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// Control in words for people, in the workbook, the page and csv-br; csv and jsonl keep the ids, which programs read.

// controlTerms are the Portuguese words for items, measures and values of control other than tables and columns.
var controlTerms = words.Labels("control")

// RowInWords is a row of control for people: in Portuguese with words for its ids, in English as it is.
func RowInWords(row *Row, l table.Language) table.Row {
	out := slices.Clone(row.Row)
	section, item, measure := out[1].S, out[2].S, out[3].S
	if l == table.English {
		return out
	}
	out[2].S, out[3].S = ItemWords(section, item), MeasureWords(item, measure)
	switch {
	case section == "bridge":
		out[3].S = BridgeWords(measure, l)
	case section == "run" && (measure == "verdict" || measure == "verdict_today"):
		out[5].S = words.Text(l, "verdicts."+out[5].S)
	case row.value != "":
		out[5].S = row.value
	case section == "digit_columns":
		out[5].S = words.Text(l, "control.import_as_text")
	case section == "run" && measure == "basis":
		out[5].S = words.Label(l, "basis", out[5].S)
	}
	if row.Row[noteColumn].OK {
		out[noteColumn].S = row.note.forPeople()
	}
	return out
}

// BridgeWords returns the words for a measure of the bridge: what is lost or still to come of a line, or its excess. A line
// without a text for each has one word for both.
func BridgeWords(measure string, l table.Language) string {
	whole, isExcess := strings.CutSuffix(measure, ExcessOf)
	line, reason, _ := strings.Cut(whole, " ")
	id := "bridge." + line
	hasOwn := words.Has(id)
	if isExcess {
		id += "_excess"
	}
	text := words.Name(l, "control", line)
	if hasOwn {
		text = words.Text(l, id)
	}
	if reason != "" {
		text += " (" + words.Label(l, "control", reason) + ")"
	}
	if isExcess && !hasOwn {
		text = words.Text(l, "bridge.in_excess", "line", text)
	}
	return text
}

// portugueseText returns a text in Portuguese. English files show the ids.
func portugueseText(id string, values ...any) string {
	return words.Text(table.Portuguese, id, values...)
}

// LabelOf returns the label of an id, or the id if it has none.
func LabelOf(find func(id string) (label string, ok bool), id string) string {
	if s, ok := find(id); ok {
		return s
	}
	return id
}

// termOf is the word for an item, a measure or a value of control; empty: it has none.
func termOf(id string) string {
	word, _ := controlTerms(id)
	return word
}

// ItemWords returns the words for an item of control: a table or file, an account, an identity. Others stay as they are.
func ItemWords(section, item string) string {
	sheet, isTable := tableWords(item)
	switch {
	case section == "identities" && item == "paid":
		return portugueseText("control_items.paid_slips")
	case isTable && (section == "run" || section == "rounding_of_sums" || section == "withheld" || section == "digit_columns"):
		return sheet
	case termOf(item) != "":
		return termOf(item)
	case isTable:
		return sheet
	}
	if n, ok := strings.CutPrefix(item, "account "); ok {
		return portugueseText("control_items.account", "account", n)
	}
	if n, ok := strings.CutPrefix(item, "acts "); ok {
		if n == "0" { // acts about no account are numbered by themselves
			return portugueseText("control_items.acts")
		}
		return portugueseText("control_items.acts_of_account", "account", n)
	}
	if rest, ok := strings.CutPrefix(item, "restated "); ok {
		return restatedWords(rest)
	}
	for prefix, format := range settlementItems {
		id, ok := strings.CutPrefix(item, prefix)
		name, isTable := tableWords(id)
		switch {
		case !ok:
			continue
		case id == CausesID:
			name = portugueseText("control_items.causes")
		case id == ByCauseID:
			name = portugueseText("control_items.restatement_causes")
		case !isTable:
			continue
		}
		return portugueseText("control_items."+format, "table", name)
	}
	if section == "files" {
		return item // a name
	}
	for _, of := range fileFormats {
		if id, ok := strings.CutSuffix(item, of.suffix); ok {
			kind := manifest.FileName{Stem: id, Ext: strings.TrimPrefix(of.suffix, ".")}.StemWithoutPart()
			if s, ok := tableWords(kind); ok {
				if part, ok := strings.CutPrefix(id[len(kind):], "-"); ok {
					s = portugueseText("control_items.part", "table", s, "part", part)
				}
				return s + of.words
			}
		}
	}
	return item
}

// fileFormats are the suffixes of the files in control. A suffix comes before those that it ends in.
var fileFormats = []struct{ suffix, words string }{
	{".br.csv", " (csv-br)"}, {".csv", " (csv)"}, {".jsonl", " (jsonl)"}, {".ret", " (EDI)"},
}

// restatedWords returns the words for an identity of a closed month: account, month, side and amount.
func restatedWords(rest string) string {
	parts := strings.Fields(rest)
	for i, part := range parts {
		parts[i] = LabelOf(controlTerms, part)
	}
	return portugueseText("control_items.restated", "what", strings.Join(parts, " "))
}

// settlementItems are the prefixes of items that are tables of the workbook and of the page, with their texts.
var settlementItems = map[string]string{string(report.Settlement) + ".xlsx ": "in_workbook", PageFile + " ": "on_page"}

func tableWords(id string) (string, bool) {
	if t := kindlist.TableByID(id); t != nil {
		return t.Sheet, true
	}
	return "", false
}

// measureSuffixes are the suffixes of measures of a column, with their texts.
var measureSuffixes = map[string]string{OfTheSet: "of_the_set", " at four decimals": "four_decimals", " printed": "printed"}

// MeasureWords returns the words for a measure: the header of the column if the item is a table or a file of one.
func MeasureWords(item, measure string) string {
	id := item
	for _, of := range fileFormats {
		if name, ok := strings.CutSuffix(id, of.suffix); ok && of.suffix != ".ret" {
			id = name
			break
		}
	}
	for prefix := range settlementItems {
		id = strings.TrimPrefix(id, prefix)
	}
	if id == CausesID && words.Has("figures."+measure) {
		return strings.ToLower(asof.FigureName(ledger.Figure(measure), table.Portuguese))
	}
	if id == CausesID && measure == "count" {
		return portugueseText("page.cases", "n", 0)
	}
	if t := kindlist.TableByID(id); t != nil {
		if i := t.ColumnIndex(measure); i >= 0 {
			return t.Columns[i].Header
		}
		for suffix, name := range measureSuffixes {
			column, ok := strings.CutSuffix(measure, suffix)
			if i := t.ColumnIndex(column); ok && i >= 0 {
				return portugueseText("control_items."+name, "column", t.Columns[i].Header)
			}
		}
	}
	first, rest, _ := strings.Cut(measure, " ")
	switch {
	case termOf(measure) != "":
		return termOf(measure)
	case termOf(first) != "":
		return termOf(first) + " " + rest // a line of the bridge and its reason
	case first == "bank":
		return portugueseText("claims.bank", "code", rest)
	}
	return measure
}
