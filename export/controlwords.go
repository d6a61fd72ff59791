package export

import (
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// The control in words for people, as sheet, page and csv-br have it. csv and jsonl keep the ids: programs read those.

// controlTerms are the pt-BR words for the items, measures and values of control, which are no table's and no column's.
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
	case section == "run" && measure == "why":
		out[5].S = revisionWords(out[5].S)
	case section == "digit_columns":
		out[5].S = words.Text(l, "control.import_as_text")
	case section == "run" && measure == "basis":
		out[5].S = words.Label(l, "basis", out[5].S)
	}
	if row.Row[controlNote].OK {
		out[controlNote].S = row.note.forPeople()
	}
	return out
}

// bridgeWords are the words for a measure of the bridge: a line with what is lost or still to come of it, or its excess. Lines
// without texts of their own have the same word for both.
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

// revisionWords is why a revision was made, of what is new or differs.
func revisionWords(why string) string {
	if why == "first" {
		return "primeira publicação"
	}
	if what, ok := strings.CutSuffix(why, " added"); ok {
		return itemWords("run", what) + ": incluído"
	}
	if what, ok := strings.CutSuffix(why, " changed"); ok {
		return itemWords("run", what) + ": alterado"
	}
	if rest, ok := strings.CutPrefix(why, "revision "); ok {
		n, _, _ := strings.Cut(rest, " ")
		return "a revisão " + n + " está no destino e não no banco de dados"
	}
	return why
}

func labelOf(labels map[string]string, id string) string {
	if s, ok := labels[id]; ok {
		return s
	}
	return id
}

// itemWords names a file by its table and format, an account by its number, and what has no word by itself.
func itemWords(section, item string) string {
	sheet, isTable := tableWords(item)
	switch {
	case section == "identities" && item == "paid":
		return "boletos pagos"
	case isTable && (section == "run" || section == "rounding_of_sums" || section == "withheld" || section == "digit_columns"):
		return sheet
	case controlTerms[item] != "":
		return controlTerms[item]
	case isTable:
		return sheet
	}
	if n, ok := strings.CutPrefix(item, "account "); ok {
		return "conta " + n
	}
	if n, ok := strings.CutPrefix(item, "acts "); ok {
		return strings.TrimSuffix("atos da conta "+n, " da conta 0") // those of no account are numbered by themselves
	}
	if rest, ok := strings.CutPrefix(item, "restated "); ok {
		return restatedWords(rest)
	}
	for prefix, format := range settlementItems {
		id, ok := strings.CutPrefix(item, prefix)
		if s, is := tableWords(id); ok && is {
			return s + format
		}
		if ok && id == causesID {
			return "Causas" + format
		}
		if ok && id == byCauseID {
			return "Causas da reapresentação" + format
		}
	}
	if section == "files" {
		return item // a name
	}
	for _, of := range fileFormats {
		if id, ok := strings.CutSuffix(item, of.suffix); ok {
			kind := fileName{what: id, ext: strings.TrimPrefix(of.suffix, ".")}.whole()
			if s, ok := tableWords(kind); ok {
				return s + strings.Replace(id[len(kind):], "-", ", parte ", 1) + of.words
			}
		}
	}
	return item
}

// fileFormats are the ends of the files that control names, a longer one before one that it ends in.
var fileFormats = []struct{ suffix, words string }{
	{".br.csv", " (csv-br)"}, {".csv", " (csv)"}, {".jsonl", " (jsonl)"}, {".ret", " (EDI)"},
}

// restatedWords are those of an identity of a closed month: account, month, side and what of it.
func restatedWords(rest string) string {
	words := strings.Fields(rest)
	for i, w := range words {
		words[i] = labelOf(controlTerms, w)
	}
	return "reapresentado, conta " + strings.Join(words, " ")
}

// settlementItems are how control names the tables of the workbook and of the page, and the words that tell them apart.
var settlementItems = map[string]string{string(report.Settlement) + ".xlsx ": " (planilha)", pageFile + " ": " (página)"}

func tableWords(id string) (string, bool) {
	if t := report.TableByID(id); t != nil {
		return t.Sheet, true
	}
	return "", false
}

// measureWords is the header of the column when the item is a table or a file of one.
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
		return "casos"
	}
	if t := report.TableByID(id); t != nil {
		for suffix, words := range map[string]string{
			"": "", " of the set": " do conjunto", " at four decimals": ", 4 decimais", " printed": ", impresso",
		} {
			if i := t.ColumnIndex(strings.TrimSuffix(measure, suffix)); i >= 0 && strings.HasSuffix(measure, suffix) {
				return t.Columns[i].Header + words
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
		return "banco " + rest
	}
	return measure
}

// formulaInWords puts headers for the columns of a formula: of the summary that has them all, or the table named.
func formulaInWords(formula string, l table.Language) string {
	terms := strings.Fields(formula)
	home := homeOf(terms)
	if home == nil {
		home = report.SummaryTable
	}
	for i, w := range terms {
		if isPart(w) {
			terms[i] = partInWords(w, l)
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

// describeFormula is formulaInWords for a file of a set, with the words of identities of a closed month.
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
