package export

import (
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// The control in words for people, as sheet, page and csv-br have it. csv and jsonl keep the ids: programs read those.

// controlTerms are the pt-BR words for the items, measures and values of control, which are no table's and no column's.
var controlTerms = map[string]string{
	"run": "execução", "set": "conjunto", "engine": "programa", "id": "identificação", "as_of": "posição", "basis": "base",
	"from": "de", "to": "até", "filter": "filtro", "account": "conta", "content_digest": "conteúdo", "version": "versão",
	"layout_version": "versão do leiaute", "verdict": "veredito", "verdict_today": "veredito de hoje, de todos os períodos", "withheld": "não publicado", "code": "código",
	"contract": "contrato", "mapping": "mapeamento", "profile": "perfil", "calendar": "calendário", "rules": "regras",
	"register": "cadastro de beneficiários", "orders": "ordens de antecipação", "hash": "SHA-256",
	"cards": "cartões", "slips": "boletos", "slips.due": "boletos por vencimento", "slips.payment": "boletos por pagamento",
	"slips.credit": "boletos por crédito", "accounts": "soma das contas",
	"days_complete": "dias completos", "days_partial": "dias parciais", "days_missing": "dias faltando",
	"history_from": "histórico desde", "horizon": "horizonte",
	"statement": "extrato de movimento", "credits": "créditos", "debits": "débitos", "opening": "saldo inicial",
	"closing": "saldo final", "opening_from": "origem do saldo inicial",
	"count": "linhas", "face": "valor dos títulos", "fees": "tarifas", "net": "líquido", "additions": "acréscimos",
	"discounts": "descontos", "other_expenses": "outras despesas", "other_credits": "outros créditos", "shares": "rateios",
	"shares_value": "valor dos rateios", "printed": "impresso", "at four decimals": "com quatro decimais",
	"gross_to_net": "do bruto ao líquido", "net_by_standing": "líquido por situação", "net_kept": "recebido menos splits",
	"overcharge": "cobrado além do contrato", "difference": "diferença", "difference_by_standing": "diferença por situação",
	"splits_received": "splits dos recebidos", "paid_short_and_over": "pago a menor e a maior", "agenda_net": "líquido da agenda", "agenda_not_due": "agenda e resumo", "agenda_roll": "movimento da agenda",
	"aging_total": "total em atraso", "card_overdue": "cartões em atraso", "card_overdue_qty": "cartões em atraso, casos",
	"slip_not_credited": "boletos não creditados", "slip_not_credited_qty": "boletos não creditados, casos",
	"figures":      "falta, em risco, em contestação e dispensado",
	"dispute_open": "contestações abertas", "dispute_open_qty": "contestações abertas, casos",
	"detail": "parcelas e resumo", "issued": "boletos emitidos", "paid": "pago",
	"without_basis_date": "sem a data da base", "rows_not_written": "não gravados",
	"rows_not_written_value": "valor dos não gravados", "movements_28": "movimentos 28",
	"movements_28_value": "valor dos movimentos 28", "money_on_cancelled": "recebimentos de cancelados",
	"money_on_cancelled_value": "valor recebido de cancelados", "negative_shares": "rateios negativos",
	"negative_shares_value": "valor dos rateios negativos", "payer_documents_not_written": "documentos de pagadores não gravados",
	"mdr": "MDR", "transaction_fee": "tarifa de transação", "antifraud": "tarifa antifraude",
	"anticipation": "antecipação", "split": "split", "received_short_or_over": "recebido a menor ou a maior",
	"cancelled_but_received": "cancelado, mas recebido", "blocked": "bloqueado", "no_forecast": "sem previsão",
	"not_due": "a receber no prazo", "overdue": "em atraso", "penalty": "multa", "interest": "juros",
	"charge_not_due": "encargo indevido", "late_charges_not_shown": "encargos de atraso não informados",
	"paid_short_or_over": "pago a menor ou a maior", "cancelled_but_paid": "cancelado, mas pago",
	"credit_not_due": "crédito no prazo", "credit_overdue": "crédito em atraso", "not_registered": "não registrado",
	"unpaid_not_due": "a vencer", "unpaid_past_due": "vencido e não pago", "rounding": "arredondamento",
	"not_attributed": "não atribuído", "sum_of_lines": "soma das linhas",
	"expected_less_received": "esperado menos recebido", "split_outside": "splits fora da ponte",
	"eligible": "elegíveis", "evaluated": "avaliadas", "fired": "disparadas", "within_tolerance": "dentro da tolerância",
	"no_input": "sem dado", "unmapped": "sem mapeamento", "shadow": "em observação", "window": "fora da janela",
	"not_evaluable": "não avaliáveis", "rows": "linhas", "amount": "valor", "used": "usada", "budget": "limite",
	"missing": "falta", "excess_count": "casos recebidos a mais",
	"bytes": "bytes", "sha256": "SHA-256", "nsa": "NSA", "revision": "revisão", "supersedes": "substitui a revisão", "why": "motivo",
	"extract": "recorte", "last_act": "último ato", "last_act_hash": "hash do último ato",
	"warning": "aviso", "edi": "EDI", "gross": "valor bruto", "net_expected": "líquido esperado", "received": "recebido",
}

// runVerdictLabels are the words for what a night says of an account.
var runVerdictLabels = map[string]string{
	"reconciled": "conciliado", "reconciled_with_pending": "conciliado, com pendências",
	"reconciled_with_warnings": "conciliado, com avisos", "breaks": "divergências", "incomplete": "incompleto",
}

// controlInWords puts the words of the workbook's language for the ids of a row of control.
func controlInWords(row table.Row, l table.Language) table.Row {
	out := append(table.Row(nil), row...)
	section, item, measure := row[1].S, row[2].S, row[3].S
	if l == table.English {
		return out
	}
	out[2].S, out[3].S = itemWords(section, item), measureWords(item, measure)
	switch {
	case section == "bridge":
		out[3].S = bridgeWords(measure, l)
	case section == "run" && (measure == "verdict" || measure == "verdict_today"):
		out[5].S = labelOf(runVerdictLabels, row[5].S)
	case section == "run" && measure == "why":
		out[5].S = revisionWords(row[5].S)
	case section == "digit_columns":
		out[5].S = "importar como texto"
	case section == "run" && measure == "basis":
		out[5].S = labelOf(report.BasisLabels, row[5].S)
	}
	if row[10].OK {
		out[10].S = noteWords(section, row[10].S, l)
	}
	return out
}

// bridgeTerms are the words for what a line of the bridge lost and for its excess, in pt-BR and then in English. Lines that are
// not here have the same words for both.
var bridgeTerms = map[ledger.BridgeLine][4]string{
	ledger.LineMDR:           {"MDR cobrado a mais", "MDR cobrado a menos", "MDR charged above", "MDR charged below"},
	ledger.LineFee:           {"tarifa de transação cobrada a mais", "tarifa de transação cobrada a menos", "transaction fee charged above", "transaction fee charged below"},
	ledger.LineAntifraud:     {"tarifa antifraude cobrada a mais", "tarifa antifraude cobrada a menos", "antifraud fee charged above", "antifraud fee charged below"},
	ledger.LineAnticipation:  {"antecipação cobrada a mais", "antecipação cobrada a menos", "anticipation charged above", "anticipation charged below"},
	ledger.LineSplit:         {"split a mais", "split a menos", "split above", "split below"},
	ledger.LineReceived:      {"recebido a menor", "recebido a maior", "received short", "received over"},
	ledger.LineReversed:      {"cancelado, estornado a mais", "cancelado, mas recebido", "cancelled, taken back beyond", "cancelled but received"},
	ledger.LinePenalty:       {"multa recebida a menor", "multa recebida a maior", "penalty received short", "penalty received over"},
	ledger.LineInterest:      {"juros recebidos a menor", "juros recebidos a maior", "interest received short", "interest received over"},
	ledger.LineChargeNotDue:  {"encargo indevido, devolvido", "encargo indevido", "charge not due, given back", "charge not due"},
	ledger.LineLateNotShown:  {"pago em atraso a menor, encargos a confirmar", "encargos a confirmar", "paid late and short, charges to confirm", "charges to confirm"},
	ledger.LinePaid:          {"pago a menor", "pago a maior", "paid short", "paid over"},
	ledger.LineCancelledPaid: {"cancelado, pagamento devolvido", "cancelado, mas pago", "cancelled, payment given back", "cancelled but paid"},
}

// bridgeWords are the words for a measure of the bridge: a line with what is lost or still to come of it, or its excess.
func bridgeWords(measure string, l table.Language) string {
	whole, excess := strings.CutSuffix(measure, excessOf)
	line, reason, _ := strings.Cut(whole, " ")
	at := 0
	if excess {
		at = 1
	}
	if l == table.English {
		at += 2
	}
	words := bridgeTerms[ledger.BridgeLine(line)][at]
	switch {
	case words != "":
	case l == table.English:
		words = strings.ReplaceAll(line, "_", " ")
	default:
		words = labelOf(controlTerms, line)
	}
	if reason != "" {
		words += " (" + reasonWords(reason, l) + ")"
	}
	if excess && bridgeTerms[ledger.BridgeLine(line)] == [4]string{} {
		words += map[bool]string{false: ", a favor", true: ", in excess"}[l == table.English]
	}
	return words
}

// reasonWords say why an amount is not attributed.
func reasonWords(reason string, l table.Language) string {
	if l == table.English {
		return reason
	}
	return labelOf(controlTerms, reason)
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
	if name, ok := figureNames[ledger.Figure(measure)]; ok && id == causesID {
		return strings.ToLower(name.pt)
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

// noteWords are formulas in headers, and counts in words.
func noteWords(section, note string, l table.Language) string {
	switch section {
	case "identities":
		return formulaInWords(note, l)
	case "not_evaluated":
		parts := strings.Split(note, ", ")
		for i, p := range parts {
			word, n, _ := strings.Cut(p, " ")
			parts[i] = strings.TrimSpace(labelOf(controlTerms, word) + " " + n)
		}
		return strings.Join(parts, ", ")
	case "quarantine":
		return strings.NewReplacer("readable in ", "legível em ", " of ", " de ", " rows", " linhas").Replace(note)
	}
	return labelOf(noteLabels, note)
}

// formulaInWords puts headers for the columns of a formula: of the summary that has them all, or the table named.
func formulaInWords(formula string, l table.Language) string {
	words := strings.Fields(formula)
	home := homeOf(words)
	if home == nil {
		home = report.SummaryTable
	}
	for i, w := range words {
		if isPart(w) {
			words[i] = partInWords(w, l)
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
		case w == PaidFace && l == table.English:
			words[i] = "face value of the paid"
		case w == PaidFace:
			words[i] = "valor nominal dos pagos"
		case k >= 0 && t != home:
			words[i] = t.Columns[k].Heading(l) + " (" + t.SheetName(l) + ")"
		case k >= 0:
			words[i] = t.Columns[k].Heading(l)
		}
	}
	return strings.Join(words, " ")
}
