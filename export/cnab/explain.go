package cnab

import (
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
)

// displayContent is the content of a field as people may see it: persons masked, and what would upset a terminal as a dot.
func displayContent(rec *Record, f *Field) string {
	raw := rec.Raw(f.ID)
	switch f.meaning {
	case payerID:
		return maskTaxID(rec.Raw("tipo_inscricao_pagador"), raw)
	case person:
		return maskName(raw)
	}
	if isASCII(raw) {
		return raw
	}
	b := []byte(raw)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '.'
		}
	}
	return string(b)
}

// maskTaxID masks a payer's document as ledger.Document.Masked does, and all of it when its kind is unknown.
func maskTaxID(kind, raw string) string {
	if isZero(raw) || isBlank(raw) {
		return raw
	}
	d := parseTaxID(kind, raw)
	lead := raw[:len(raw)-len(d)]
	if d == "" || !isZero(lead) {
		return strings.Repeat("*", len(raw))
	}
	return lead + d.Masked()
}

// maskName replaces every byte by an asterisk, except the blanks on the right: they show which columns are unused.
func maskName(raw string) string {
	text := strings.TrimRight(raw, " ")
	return strings.Repeat("*", len(text)) + raw[len(text):]
}

// explainField returns the meaning of a field in words, or an empty text where the content needs no explanation.
func explainField(rec *Record, f *Field, language string) string {
	raw := rec.Raw(f.ID)
	switch f.meaning {
	case amount:
		if f.ID == "valor_ou_percentual" && rec.Raw("tipo_valor") == "1" {
			return formatPercent(raw, language)
		}
		a, err := parseCents(raw)
		return orError(formatReais(a), err, language)
	case day:
		d, err := parseDay(raw)
		if err == nil && d == 0 {
			return words.Text(language, "inspect.no_date")
		}
		return orError(d.String(), err, language)
	case timeOfDay:
		if isBlank(raw) {
			return words.Text(language, "inspect.no_time")
		}
		return orError(raw[0:2]+":"+raw[2:4]+":"+raw[4:6], checkTime(raw), language)
	case motives:
		return explainMotives(rec.Raw("movimento"), raw, language)
	case taxID, payerID:
		return explainTaxID(rec, f, language)
	case person:
		if isBlank(raw) {
			return ""
		}
		return words.Text(language, "inspect.masked")
	}
	if f.codes != nil && !isBlank(raw) {
		t, _ := f.codes.textOf(raw)
		return orUnknown(t, language)
	}
	return ""
}

func explainTaxID(rec *Record, f *Field, language string) string {
	kind := "tipo_inscricao"
	if f.meaning == payerID {
		kind = "tipo_inscricao_pagador"
	}
	switch d := parseTaxID(rec.Raw(kind), rec.Raw(f.ID)); d.Kind() {
	case ledger.CPF:
		return "CPF"
	case ledger.CNPJ:
		return "CNPJ"
	}
	return words.Text(language, "inspect.no_tax_id")
}

// explainMotives explains up to five motives of two characters each.
func explainMotives(movement, raw, language string) string {
	var out []string
	for i := 0; i+2 <= len(raw); i += 2 {
		if code := raw[i : i+2]; !isBlank(code) && code != "00" {
			out = append(out, code+" "+orUnknown(MotiveText(movement, code), language))
		}
	}
	return strings.Join(out, "; ")
}

// formatReais formats an amount as Brazilians write it: R$ 1.234,56.
func formatReais(a ledger.Amount) string {
	s := a.Rounded(ledger.HalfAwayFromZero).Fixed(2)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, cents := s[:len(s)-3], s[len(s)-2:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "." + whole[i:]
	}
	return "R$ " + sign + whole + "," + cents
}

// formatPercent formats a share given in percent: the columns of an amount with three implied decimals.
func formatPercent(raw, language string) string {
	v, err := parseNum(raw)
	if err != nil {
		return words.TextOf(err, language)
	}
	return ledger.Amount(v*10).Fixed(3) + " %"
}

func orError(s string, err error, language string) string {
	if err != nil {
		return words.TextOf(err, language)
	}
	return s
}

func orUnknown(s, language string) string {
	if s == "" {
		return words.Text(language, "inspect.not_in_table")
	}
	return s
}
