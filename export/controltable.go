package export

import (
	"fmt"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// The units of control.
const (
	unitCount = "count"
	unitBRL   = "brl"
	unitPct   = "pct"
	unitDays  = "days"
	unitDate  = "date"
	unitText  = "text"
	unitHash  = "sha256"
)

// controlWriter collects the rows of control. Each method appends one row.
type controlWriter struct {
	account string
	section string
	rows    []controlRow
}

// controlRow is a row of control with its note, which files for people show in their language.
type controlRow struct {
	table.Row
	note  note
	value string // the value in Portuguese; empty: the same in every language
}

// note explains a row of control: a text, a formula, or counts.
type note struct {
	text    string // the name of the text
	values  []any
	formula string
	counts  []measure
}

// noteText returns a note with a text of the group control_notes and its values.
func noteText(name string, values ...any) note { return note{text: name, values: values} }

// forPrograms returns the note for csv and jsonl: texts in English, formulas and counts with the ids of columns.
func (n *note) forPrograms() string {
	var counts []string
	for _, m := range n.counts {
		counts = append(counts, fmt.Sprintf("%s %d", m.name, m.n))
	}
	switch {
	case n.text != "":
		return words.Text(table.English, "control_notes."+n.text, n.values...)
	case n.formula != "":
		return n.formula
	}
	return strings.Join(counts, ", ")
}

// forPeople returns the note in Portuguese.
func (n *note) forPeople() string {
	var counts []string
	for _, m := range n.counts {
		counts = append(counts, fmt.Sprintf("%s %d", labelOf(controlTerms, m.name), m.n))
	}
	switch {
	case n.text != "":
		return words.Text(table.Portuguese, "control_notes."+n.text, n.values...)
	case n.formula != "":
		return describeFormula(n.formula, table.Portuguese)
	}
	return strings.Join(counts, ", ")
}

// addValue adds a row with a value.
func (c *controlWriter) addValue(item, measure, unit string, value table.Cell, of note) {
	c.rows = append(c.rows, controlRow{note: of, Row: table.Row{
		table.Text(c.account), table.Text(c.section), table.Text(item), table.Text(measure), table.Text(unit), value, {}, {}, {}, {}, table.Text(of.forPrograms()),
	}})
}

func (c *controlWriter) addText(item, measure, value string) {
	c.addValue(item, measure, unitText, table.Text(value), note{})
}

// addTextInWords is text for a value that files for people have in Portuguese.
func (c *controlWriter) addTextInWords(item, measure, value, portuguese string) {
	c.addText(item, measure, value)
	c.rows[len(c.rows)-1].value = portuguese
}

// addWarning adds a text of the group control_warnings.
func (c *controlWriter) addWarning(item, measure, name string) {
	id := "control_warnings." + name
	c.addTextInWords(item, measure, words.Text(table.English, id), words.Text(table.Portuguese, id))
}

func (c *controlWriter) addHash(item, measure, value string) {
	c.addValue(item, measure, unitHash, table.Text(value), note{})
}

func (c *controlWriter) addDate(item, measure string, d ledger.Date) {
	c.addValue(item, measure, unitDate, table.Day(d), note{})
}

func (c *controlWriter) addCount(item, measure string, n int64) {
	c.addValue(item, measure, unitCount, table.Int(n), note{})
}

func (c *controlWriter) addMoney(item, measure string, a ledger.Amount, of note) {
	c.addValue(item, measure, unitBRL, table.Cell{N: int64(a), Type: table.TypeMoney, OK: true}, of)
}

// addResidual adds a row with a value and its residual, which should be 0.
func (c *controlWriter) addResidual(item, measure string, a, rest ledger.Amount, of note) {
	c.addMoney(item, measure, a, of)
	c.rows[len(c.rows)-1].Row[residualColumn] = table.Number(int64(rest))
}

// addFigure adds the three figures of one sum. The file's stays empty in the control part of workbook and page, which are written
// before the files are read back.
func (c *controlWriter) addFigure(f Figure) {
	row := table.Row{
		table.Text(c.account), table.Text(c.section), table.Text(f.File), table.Text(f.Measure), table.Text(f.Unit),
		{},
		optNumber(f.Ledger), table.Number(f.Writer), optNumber(f.Read), table.Number(f.residual()),
		table.Text(f.note.forPrograms()),
	}
	c.rows = append(c.rows, controlRow{Row: row, note: f.note})
}

func optNumber(o ledger.Opt[int64]) table.Cell {
	if !o.OK {
		return table.Cell{}
	}
	return table.Number(o.V)
}

// Control in words for people, in the workbook, the page and csv-br; csv and jsonl keep the ids, which programs read.

// controlTerms are the Portuguese words for items, measures and values of control other than tables and columns.
var controlTerms = words.Labels("control")

// controlInWords is a row of control for people: in Portuguese with words for its ids, in English as it is.
func controlInWords(row *controlRow, l table.Language) table.Row {
	out := slices.Clone(row.Row)
	section, item, measure := out[1].S, out[2].S, out[3].S
	if l == table.English {
		return out
	}
	out[2].S, out[3].S = itemWords(section, item), measureWords(item, measure)
	switch {
	case section == "bridge":
		out[3].S = bridgeWords(measure, l)
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

// bridgeWords returns the words for a measure of the bridge: what is lost or still to come of a line, or its excess. A line
// without a text for each has one word for both.
func bridgeWords(measure string, l table.Language) string {
	whole, isExcess := strings.CutSuffix(measure, excessOf)
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

// labelOf returns the label of an id, or the id if it has none.
func labelOf(labels map[string]string, id string) string {
	if s, ok := labels[id]; ok {
		return s
	}
	return id
}

// itemWords returns the words for an item of control: a table or file, an account, an identity. Others stay as they are.
func itemWords(section, item string) string {
	sheet, isTable := tableWords(item)
	switch {
	case section == "identities" && item == "paid":
		return portugueseText("control_items.paid_slips")
	case isTable && (section == "run" || section == "rounding_of_sums" || section == "withheld" || section == "digit_columns"):
		return sheet
	case controlTerms[item] != "":
		return controlTerms[item]
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
		case id == causesID:
			name = portugueseText("control_items.causes")
		case id == byCauseID:
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
			kind := fileName{stem: id, ext: strings.TrimPrefix(of.suffix, ".")}.stemWithoutPart()
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
		parts[i] = labelOf(controlTerms, part)
	}
	return portugueseText("control_items.restated", "what", strings.Join(parts, " "))
}

// settlementItems are the prefixes of items that are tables of the workbook and of the page, with their texts.
var settlementItems = map[string]string{string(report.Settlement) + ".xlsx ": "in_workbook", pageFile + " ": "on_page"}

func tableWords(id string) (string, bool) {
	if t := report.TableByID(id); t != nil {
		return t.Sheet, true
	}
	return "", false
}

// measureSuffixes are the suffixes of measures of a column, with their texts.
var measureSuffixes = map[string]string{ofTheSet: "of_the_set", " at four decimals": "four_decimals", " printed": "printed"}

// measureWords returns the words for a measure: the header of the column if the item is a table or a file of one.
func measureWords(item, measure string) string {
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
	if id == causesID && words.Has("figures."+measure) {
		return strings.ToLower(FigureName(ledger.Figure(measure), table.Portuguese))
	}
	if id == causesID && measure == "count" {
		return portugueseText("page.cases", "n", 0)
	}
	if t := report.TableByID(id); t != nil {
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
	case controlTerms[measure] != "":
		return controlTerms[measure]
	case controlTerms[first] != "":
		return controlTerms[first] + " " + rest // a line of the bridge and its reason
	case first == "bank":
		return portugueseText("claims.bank", "code", rest)
	}
	return measure
}

// formulaInWords replaces the columns of a formula by their headers: of the table that has all of them, or of the table named.
func formulaInWords(formula string, l table.Language) string {
	terms := strings.Fields(formula)
	home := homeTableOf(terms)
	if home == nil {
		home = report.SummaryTable
	}
	for i, w := range terms {
		if isThreePartTerm(w) {
			terms[i] = termInWords(w, l)
			continue
		}
		t := home
		if id, column, ok := strings.Cut(w, "."); ok {
			if t = report.TableByID(id); t == nil {
				continue
			}
			w = column
		}
		k := t.ColumnIndex(w)
		switch {
		case w == PaidFace:
			terms[i] = words.Text(l, "control.paid_face")
		case k >= 0 && t != home:
			terms[i] = t.Columns[k].Heading(l) + " (" + t.SheetName(l) + ")"
		case k >= 0:
			terms[i] = t.Columns[k].Heading(l)
		}
	}
	return strings.Join(terms, " ")
}

// describeFormula is formulaInWords that also translates the identities of closed months.
func describeFormula(formula string, l table.Language) string {
	text := formulaInWords(formula, l)
	if l == table.English || !strings.HasPrefix(text, "Σ Δ ") {
		return text
	}
	terms := strings.Fields(text)
	for i, term := range terms {
		if terms[i] = labelOf(words.Labels("restated"), term); table.IsDecimal(term) {
			terms[i] = strings.Replace(term, ".", ",", 1)
		}
	}
	return strings.Join(terms, " ")
}
