package catalogue

import (
	"strconv"
	"time"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// Formula shows how a finding's figures are computed, with the numbers in it, in "pt-BR" or else in English. further are
// figures of the record that the finding does not carry: gross, mdr, fee, antifraud, anticipation, net and received of
// an installment. Without a formula of its own a rule shows actual less expected; one without figures gives "".
func Formula(f ledger.Finding, further []ledger.Number, lang string) string {
	t := languageOf(lang)
	values := valuesOf(f, t)
	for name, v := range map[string]ledger.Value{"expected": f.Expected, "actual": f.Actual} {
		if v.Kind == ledger.AmountValue {
			values[name] = formatText(v.Amount.String(), t)
		}
	}
	if d := f.Difference(); d.OK {
		values["difference"] = formatText(d.V.String(), t)
	}
	for _, n := range further {
		if _, ok := values[n.Name]; !ok {
			values[n.Name] = formatText(n.Value, t)
		}
	}
	if s, ok := ruleFormulas()[f.Code]; ok {
		text := s.En
		if t == portuguese {
			text = s.Pt
		}
		// Parts that name a figure nobody has say nothing; with them gone the difference alone may be left.
		if text = fillPlaceholders(dropUnfilled(text, values), values); text != "" {
			return text
		}
	}
	return lessExpected(f, t)
}

// lessExpected is what was found less what was expected.
func lessExpected(f ledger.Finding, t language) string {
	words := [...]string{"found", "expected", "day", "days"}
	if t == portuguese {
		words = [...]string{"encontrado", "esperado", "dia", "dias"}
	}
	both := words[0] + " " + formatValue(f.Actual, t) + " − " + words[1] + " " + formatValue(f.Expected, t) + " = "
	switch {
	case f.Expected.Kind == ledger.AmountValue && f.Actual.Kind == ledger.AmountValue:
		return both + formatValue(ledger.Money(f.Actual.Amount-f.Expected.Amount), t)
	case f.Expected.Kind == ledger.DateValue && f.Actual.Kind == ledger.DateValue:
		days, unit := int(f.Actual.Date-f.Expected.Date), words[3]
		if days == 1 || days == -1 {
			unit = words[2]
		}
		return both + strconv.Itoa(days) + " " + unit
	case f.Expected.Kind == ledger.TextValue && f.Actual.Kind == ledger.TextValue:
		return words[1] + " " + formatValue(f.Expected, t) + ", " + words[0] + " " + formatValue(f.Actual, t)
	}
	return ""
}

// ruleFormulas are the rules' own, by code, in the braces and brackets of sentences.
func ruleFormulas() map[string]rules.Sentence {
	const (
		net   = "[value {gross} − MDR {mdr} − transaction fee {fee} − antifraud fee {antifraud} − anticipation {anticipation} = net {net}]"
		netPt = "[valor {gross} − MDR {mdr} − tarifa de transação {fee} − tarifa antifraude {antifraud} − antecipação {anticipation} = líquido {net}]"
	)
	fee := rules.Sentence{
		En: "agreed per {basis}: {expected}; charged: {actual}; difference {difference}",
		Pt: "acordado por {basis}: {expected}; cobrado: {actual}; diferença {difference}",
	}
	return map[string]rules.Sentence{
		"MDR_RATE_MISMATCH": {
			En: "agreed: {gross} × {contract} % = {agreed}; charged: {charged}[ ({rate} %)]",
			Pt: "acordado: {gross} × {contract} % = {agreed}; cobrado: {charged}[ ({rate} %)]",
		},
		"MDR_CHARGED_ZERO": {En: "agreed: {gross} × {contract} % = {expected}; charged: 0.00", Pt: "acordado: {gross} × {contract} % = {expected}; cobrado: 0,00"},
		"MDR_AMOUNT_MISMATCH": {
			En: "{gross} × {rate} % = {expected}; charged: {actual}; difference {difference}",
			Pt: "{gross} × {rate} % = {expected}; cobrado: {actual}; diferença {difference}",
		},
		"MDR_TXN_TOTAL_MISMATCH": {
			En: "{total} × {rate} % = {expected}; the installments' MDR: {actual}; difference {difference}",
			Pt: "{total} × {rate} % = {expected}; MDR das parcelas: {actual}; diferença {difference}",
		},
		"TRN_FEE_MISMATCH": fee, "ANTIFRAUD_FEE_MISMATCH": fee,
		"FEE_UNEXPECTED": {
			En: "transaction fee {transaction} + antifraud fee {antifraud} = {actual}; agreed: none",
			Pt: "tarifa de transação {transaction} + tarifa antifraude {antifraud} = {actual}; acordado: nada",
		},
		"ANTICIPATION_RATE_MISMATCH": {
			En: "[(value {gross} − MDR {mdr}) ]at {contract} % a month over {days:day:days}: {agreed}; at {rate} %: {charged}",
			Pt: "[(valor {gross} − MDR {mdr}) ]a {contract} % ao mês por {days:dia:dias}: {agreed}; a {rate} %: {charged}",
		},
		"ANTICIPATION_AMOUNT_MISMATCH": {
			En: "[(value {gross} − MDR {mdr}) ]at {rate} % a month over {days:day:days}: {expected}; charged: {actual}; difference {difference}",
			Pt: "[(valor {gross} − MDR {mdr}) ]a {rate} % ao mês por {days:dia:dias}: {expected}; cobrado: {actual}; diferença {difference}",
		},
		"RECEIVED_VALUE_MISMATCH": {En: net + "; received {actual}; difference {difference}", Pt: netPt + "; recebido {actual}; diferença {difference}"},
		"RECEIVED_PARTIAL":        {En: net + "; received {actual}; still to come {difference}", Pt: netPt + "; recebido {actual}; falta {difference}"},
		"RECEIVED_OVERDUE": {
			En: net + "; due {due}, last day of the grace {limit}; received 0.00", Pt: netPt + "; vencimento {due}, fim da tolerância {limit}; recebido 0,00",
		},
		"RECEIVED_DATE_WITHOUT_VALUE": {En: net + "; received 0.00 on {effective}", Pt: netPt + "; recebido 0,00 em {effective}"},
		"RECEIVED_LATE":               {En: "{expected} + {days:business day:business days} = {actual}", Pt: "{expected} + {days:dia útil:dias úteis} = {actual}"},
		"SPLIT_MISSING":               {En: "agreed: {pct} % of the base = {expected}; split: 0.00", Pt: "acordado: {pct} % da base = {expected}; repassado: 0,00"},
		"SPLIT_CONTRACT_PCT_MISMATCH": {
			En: "agreed: {contract} % = {agreed}; split: {pct} % = {charged}", Pt: "acordado: {contract} % = {agreed}; repassado: {pct} % = {charged}",
		},
		"SPLIT_AMOUNT_MISMATCH": {
			En: "{base} × {pct} % = {expected}; split: {actual}; difference {difference}",
			Pt: "{base} × {pct} % = {expected}; repassado: {actual}; diferença {difference}",
		},
		"SLIP_PAYMENT_COMPOSITION_MISMATCH": {
			En: "value {value} + penalty {penalty} + interest {interest} = {expected}; paid {actual}; difference {difference}",
			Pt: "valor {value} + multa {penalty} + juros {interest} = {expected}; pago {actual}; diferença {difference}",
		},
		"SLIP_CREDIT_OVERDUE": {
			En: "paid {paid}, to be credited {due}, last day of the grace {limit}; credited 0.00 of {expected}",
			Pt: "pago em {paid}, crédito previsto {due}, fim da tolerância {limit}; creditado 0,00 de {expected}",
		},
		"LEDGER_CONTINUITY_BROKEN": {
			En: "opening {opening} + movements {movements} = {expected}; open: {actual}", Pt: "abertura {opening} + movimentos {movements} = {expected}; em aberto: {actual}",
		},
		"FORECAST_DATE_MISMATCH": {
			En: "the contract's term leads to {expected}; forecast {forecast}; {days:business day:business days} apart",
			Pt: "o prazo do contrato leva a {expected}; previsto {forecast}; {days:dia útil:dias úteis} de diferença",
		},
	}
}

// Spell formats a printed number, date or local time for the language; other texts are returned unchanged.
func Spell(s, lang string) string {
	_, noDate := ledger.ParseDate(s)
	_, noTime := ledger.ParseLocalTime(s, time.UTC)
	if noDate != nil && noTime != nil && !decimalText(s) {
		return s
	}
	return formatText(s, languageOf(lang))
}

// InPercent reports whether the expected and actual values of the rule are rates, printed without a percent sign.
func InPercent(code string) bool {
	switch code {
	case "MDR_RATE_MISMATCH", "ANTICIPATION_RATE_MISMATCH", "SPLIT_CONTRACT_PCT_MISMATCH", runs.RateDrift, cards.SimulatorDrift:
		return true
	}
	return false
}

// SpellRate formats a printed rate with its percent sign for the language; other texts are as in Spell.
func SpellRate(s, lang string) string {
	if !decimalText(s) {
		return Spell(s, lang)
	}
	return shortRate(Spell(s, lang)) + " %"
}
