package catalogue

import (
	"strings"
	"time"

	"concilia/jobs/rules/runs"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

// Explain is one sentence about a finding with its numbers in it, in "pt-BR" or else in English. A rule that is not in the
// catalogue is described by its code alone.
func Explain(f ledger.Finding, lang string) string {
	t := languageOf(lang)
	r, ok := Find(f.Code)
	if !ok {
		return f.Code
	}
	values := valuesOf(f, t)
	return capitalize(fillPlaceholders(dropUnfilled(inLanguage(r.Text, t), values), values))
}

// language is a language with its way of writing numbers.
type language int

const (
	english    language = iota // 1,829.35
	portuguese                 // 1.829,35
)

// languageOf is Portuguese, or else English.
func languageOf(lang string) language {
	if lang == "pt-BR" {
		return portuguese
	}
	return english
}

// capitalize begins a sentence that a word of ours begins: a member of the service keeps its spelling.
func capitalize(sentence string) string {
	for _, w := range sourceWords {
		if strings.HasPrefix(sentence, w.en) || strings.HasPrefix(sentence, w.pt) {
			return strings.ToUpper(sentence[:1]) + sentence[1:]
		}
	}
	return sentence
}

// sourceWords are what people call what the service is asked for.
var sourceWords = map[string]struct{ en, pt string }{
	string(ledger.Cards):        {"card sales", "vendas com cartão"},
	string(ledger.SlipsDue):     {"slips by due date", "boletos por vencimento"},
	string(ledger.SlipsPayment): {"slips by payment date", "boletos por data de pagamento"},
	string(ledger.SlipsCredit):  {"slips by credit date", "boletos por data de crédito"},
	string(ledger.SlipDetail):   {"slips by id", "boletos por id"},
}

// valuesOf are the figures of a finding by name, as the language spells them.
func valuesOf(f ledger.Finding, t language) map[string]string {
	values := map[string]string{
		"expected": formatValue(f.Expected, t), "actual": formatValue(f.Actual, t),
		"break_on": formatValue(ledger.Day(f.BreakOn), t),
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
		if w, ok := sourceWords[n.Value]; ok && n.Name == "source" {
			values[n.Name] = w.en
			if t == portuguese {
				values[n.Name] = w.pt
			}
		}
	}
	addWordValues(f.Numbers, t, values)
	return values
}

// quotesService says whether a rule's expected and actual texts are what the service wrote.
func quotesService(code string) bool {
	return code == runs.EnumUnmapped || code == "WEBHOOK_STATE_CONFLICT" || code == "WEBHOOK_CHAIN_BROKEN"
}

// dropUnfilled drops each part in brackets that names a value nobody has, and the brackets of the others.
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
// the thing counted beside the number, in the form that it asks for; {days?} prints nothing where it is known. A rate
// before its sign loses zeros past the second decimal.
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
		if strings.HasPrefix(after, " %") {
			v = shortRate(v)
		}
		b.WriteString(v)
		if one, many, _ := strings.Cut(forms, ":"); counted && v == "1" {
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

// portugueseWord spells the few ids that stand in sentences.
func portugueseWord(s string) string {
	switch s {
	case "open":
		return "aberta"
	case "received":
		return "recebida"
	case "blocked":
		return "bloqueada"
	case "cancelled":
		return "cancelada"
	case "chargeback":
		return "contestada"
	case "installment":
		return "parcela"
	case "sale":
		return "venda"
	case "check digits":
		return "dígitos verificadores"
	case "false":
		return "não permitido"
	case "ahead":
		return "adiante"
	case "behind":
		return "atrás"
	case "rows":
		return "linhas"
	case runs.NotStated:
		return "nada"
	case runs.OutsidePeriod:
		return "fora do período"
	case slips.NotADocument:
		return "CPF ou CNPJ inválido"
	case slips.DocumentWithLetters:
		return "CNPJ com letras"
	case runs.BasisOperation:
		return "operação"
	case runs.BasisCredit:
		return "crédito"
	case "debit":
		return "débito"
	}
	return s
}

// formatText spells a printed number, date or word in the language.
func formatText(s string, t language) string {
	switch {
	case decimalText(s):
		return t.formatNumber(s)
	case t != portuguese && s == "false":
		return "not allowed"
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
	return portugueseWord(s)
}

// shortRate is a printed rate without the zeros that say nothing: 2.9000 is 2.90, 1.0950 is 1.095.
func shortRate(s string) string {
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
