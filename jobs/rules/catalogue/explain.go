package catalogue

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	messages "concilia/export/words"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// Explain is one sentence about a finding with its numbers in it. A rule that is not in the catalogue is described by its
// code alone.
func (v Voice) Explain(f ledger.Finding) string {
	t := v.language()
	if _, ok := Find(f.Code); !ok {
		return f.Code
	}
	return capitalizeSentence(textsOf(f.Code).Sentence.fillPlaceholders(t, v.addServiceWords(valuesOf(f, t))))
}

// capitalizeSentence begins a sentence that the words for a source begin.
func capitalizeSentence(sentence string) string {
	for _, w := range words().Sources {
		if strings.HasPrefix(sentence, w.English) || strings.HasPrefix(sentence, w.Portuguese) {
			return strings.ToUpper(sentence[:1]) + sentence[1:]
		}
	}
	return sentence
}

// fillPlaceholders is the text in the language with its placeholders filled.
func (s text) fillPlaceholders(t language, values map[string]string) string {
	return fillPlaceholders(dropUnfilled(s.inLanguage(t), values), values)
}

// valuesOf are the figures of a finding by name, as the language spells them.
func valuesOf(f ledger.Finding, t language) map[string]string {
	values := map[string]string{
		"expected": formatValue(f.Expected, t), "actual": formatValue(f.Actual, t),
		"break_on": formatValue(ledger.Day(f.BreakOn), t),
	}
	if f.BreakOn == 0 {
		values["over"] = "1" // nothing is waited for any more
	}
	if quotesService(f.Code) { // a spelling of the service is no word of ours, whatever it looks like
		for name, v := range map[string]ledger.Value{"expected": f.Expected, "actual": f.Actual} {
			if v.Kind == ledger.TextValue {
				values[name] = v.Text
			}
		}
	}
	if d := f.Difference(); d.OK {
		values["difference"] = formatValue(ledger.Money(d.V.Abs()), t)
	}
	if f.Impact.OK {
		values["impact"] = formatValue(ledger.Money(f.Impact.V), t)
	}
	for _, n := range f.Numbers {
		values[n.Name] = formatText(n.Value, t)
		if w, ok := words().Sources[n.Value]; ok && n.Name == "source" {
			values[n.Name] = w.inLanguage(t)
		}
	}
	addWordValues(f.Numbers, t, values)
	return values
}

// addWordValues adds the words that sentences have for what a finding's numbers hold: {Member} is a member of a record in words,
// {member} the same within a sentence, {sent_member} as the service spells it; {code} and {against} are the number on a slip
// and what it was checked with; {by_basis} is the basis of a close; {one} or {several} is set with how many installments are
// missing.
func addWordValues(numbers []ledger.Number, t language, values map[string]string) {
	for _, n := range numbers {
		switch n.Name {
		case "member":
			values["sent_member"], values["code"] = n.Value, n.Value
			values["Member"] = memberInWords(n.Value, t)
			values["member"] = lowerFirst(values["Member"])
			if w, ok := words().Codes[n.Value]; ok {
				values["code"] = w.inLanguage(t)
			}
		case "why":
			values["why"], values["against"] = faultsInWords(n.Value, t), n.Value
			if w, ok := words().Checks[n.Value]; ok {
				values["against"] = w.inLanguage(t)
			}
		case "told":
			values["why"] = messages.Unpack(n.Value).In(t.name())
		case "basis":
			if w, ok := words().Bases[n.Value]; ok {
				values["by_basis"] = w.inLanguage(t)
			}
		case "missing":
			if strings.Contains(n.Value, ",") {
				values["several"] = n.Value
			} else {
				values["one"] = n.Value
			}
		}
	}
}

// NameMember is the Portuguese name of a member of the service's records, as it begins a sentence; one without words is as the service spells
// it.
func NameMember(name string) string { return memberInWords(name, portuguese) }

// memberInWords is the name of a member as it begins a sentence; one without words is as the service spells it.
func memberInWords(name string, t language) string {
	if w, ok := words().Members[name]; ok {
		return w.inLanguage(t)
	}
	var number int
	var member string
	if n, _ := fmt.Sscanf(name, "splits[%d].%s", &number, &member); n == 2 {
		return words().Split.fillPlaceholders(t, map[string]string{"number": strconv.Itoa(number + 1), "member": lowerFirst(memberInWords(member, t))})
	}
	return name
}

// lowerFirst writes a name within a sentence: "Valor da parcela" in lower case, MDR as it is.
func lowerFirst(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	if second, _ := utf8.DecodeRuneInString(name[size:]); unicode.IsUpper(second) {
		return name
	}
	return string(unicode.ToLower(first)) + name[size:]
}

// faultsInWords spells why a row could not be read: members with what is wrong with each.
func faultsInWords(reason string, t language) string {
	parts := strings.Split(reason, "; ")
	for i, part := range parts {
		name, fault, _ := strings.Cut(part, ": ")
		switch w, ok := words().Faults[fault]; {
		case ok:
			parts[i] = lowerFirst(memberInWords(name, t)) + ": " + w.inLanguage(t)
		case strings.HasPrefix(part, "and "): // more members than a reason names
			parts[i] = fillPlaceholders(words().More.inLanguage(t), map[string]string{"n": strings.Fields(part)[1]})
		}
	}
	return strings.Join(parts, "; ")
}

// quotesService says whether a rule's expected and actual texts are what the service wrote.
func quotesService(code string) bool {
	return code == runs.EnumUnmapped || code == "WEBHOOK_STATE_CONFLICT" || code == "WEBHOOK_CHAIN_BROKEN"
}

// dropUnfilled drops each part in brackets that names an unknown value, and the brackets of the others.
func dropUnfilled(sentence string, values map[string]string) string {
	before, rest, found := strings.Cut(sentence, "[")
	if !found {
		return sentence
	}
	part, after, _ := strings.Cut(rest, "]")
	if filled := fillPlaceholders(part, values); strings.Contains(filled, "–") {
		part = ""
	}
	return before + part + dropUnfilled(after, values)
}

// fillPlaceholders puts values in the place of their names in braces; one that is not known shows as a dash. {days:day:days} prints
// the word of the thing after the number, in the form that it asks for; {days?} prints nothing where it is known. A rate
// before its sign loses zeros past the second decimal, and a whole one its decimals.
func fillPlaceholders(sentence string, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sentence, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		name, forms, counted := strings.Cut(name, ":")
		name, asked := strings.CutSuffix(name, "?")
		v := values[name]
		switch {
		case v == "":
			v = "–"
		case asked:
			v = ""
		}
		if strings.HasPrefix(strings.TrimPrefix(after, " "), "%") {
			v = shortRate(v)
		}
		b.WriteString(v)
		if one, many, _ := strings.Cut(forms, ":"); counted && (v == "1" || v == "-1") {
			b.WriteString(" " + one)
		} else if counted {
			b.WriteString(" " + many)
		}
		sentence = after
	}
}

// formatValue prints a value for people: reais with their sign, dates as the language writes them.
func formatValue(v ledger.Value, t language) string {
	switch v.Kind {
	case ledger.AmountValue:
		sign := ""
		if v.Amount < 0 {
			sign = "-"
		}
		return sign + "R$ " + t.formatNumber(v.Amount.Abs().String())
	case ledger.DateValue:
		if t == portuguese {
			return v.Date.Brazilian()
		}
		return v.Date.String()
	}
	return formatText(v.Text, t)
}

// formatText spells a printed number, date or word in the language.
func formatText(s string, t language) string {
	switch {
	case decimalText(s):
		return t.formatNumber(s)
	case words().Values[s] != text{}:
		return words().Values[s].inLanguage(t)
	case t != portuguese:
		return s
	}
	if d, err := ledger.ParseDate(s); err == nil {
		return d.Brazilian()
	}
	if t, err := ledger.ParseLocalTime(s, time.UTC); err == nil {
		return t.Brazilian()
	}
	if month, ok := strings.CutPrefix(s, "20"); ok && len(month) == len("26-11") {
		if d, err := ledger.ParseDate(s + "-01"); err == nil {
			return d.Brazilian()[len("01/"):]
		}
	}
	return s
}

// shortRate is a printed rate without the zeros that say nothing: 2.9000 is 2.90, 1.0950 is 1.095, 10.0000 is 10.
func shortRate(s string) string {
	s = columnRate(s)
	if at := strings.LastIndexAny(s, ".,"); at >= 0 && s[at+1:] == "00" {
		return s[:at]
	}
	return s
}

// columnRate is a printed rate with two decimals at least, so that the decimals of a column are aligned.
func columnRate(s string) string {
	const decimals, least = 4, 2
	at := strings.LastIndexAny(s, ".,")
	if at < 0 || len(s)-at-1 != decimals {
		return s
	}
	for len(s)-at-1 > least && strings.HasSuffix(s, "0") {
		s = s[:len(s)-1]
	}
	return s
}

// decimalText says whether s is digits, one point and digits, perhaps signed.
func decimalText(s string) bool {
	whole, part, found := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	digits := func(t string) bool {
		return t != "" && strings.Trim(t, "0123456789") == ""
	}
	return found && digits(whole) && digits(part)
}

// formatNumber spells 1234.50 as the language does.
func (t language) formatNumber(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, part, _ := strings.Cut(s, ".")
	group, point := [...]string{",", ".", ""}[t], "."
	if t == portuguese {
		point = ","
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	return sign + whole + point + part
}
