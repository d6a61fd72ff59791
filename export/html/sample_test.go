package html_test

import (
	"concilia/export/html"
	"concilia/store/ledger"
	"concilia/store/ledger/ledgertest"
)

// The short names of values in these tests.
var (
	brl = ledgertest.Reais
)

// figureLines are the lines of the figures: what is claimed only where there is any.
func figureLines(f ledger.Figures, w func(pt, en string) string) []html.FigureLine {
	lines := []html.FigureLine{
		{Key: "lost", Label: w("Perda confirmada", "Lost"), Amount: f.Lost},
		{Key: "late", Label: w("Em risco, já vencido", "Late"), Amount: f.Late},
		{Key: "at_risk", Label: w("Em risco, a vencer", "At risk"), Amount: f.AtRisk},
	}
	if f.Claimed != 0 {
		lines = append(lines, html.FigureLine{Key: "claimed", Label: w("Em contestação", "Claimed"), Amount: f.Claimed})
	}
	return append(lines, html.FigureLine{Key: "excess", Label: w("Recebido a mais (não abatido)", "In excess"), Amount: f.Excess})
}

// sample is a small page with a part of everything.
func sample(language string) html.Page {
	pt := language != "en"
	w := func(a, b string) string {
		if pt {
			return a
		}
		return b
	}
	cause := func(code, pt, en, amount string, cases int64, late bool) html.Cause {
		c := html.Cause{
			Code: code, Title: w(pt, en), Amount: brl(amount), Cases: cases, Late: late, Owner: w("Adquirente", "Service"),
			Next: w("Abrir contestação com as parcelas da tabela.", "Dispute it with the installments of the table."),
		}
		c.Ages[1], c.Ages[4] = brl(amount)-brl("1.00"), brl("1.00")
		return c
	}
	figures := ledger.Figures{Lost: brl("1204.57"), Late: brl("12000.00"), AtRisk: brl("90.00"), Claimed: brl("7.10"), Excess: brl("15.30")}
	p := html.Page{
		Language: language, Name: "1001_operation_20261101_20261130", Digest: "0c5f" + "00112233445566778899aabbccddeeff00112233445566778899aabbccdd",
		Heading:  w("Conta 1001 · LOJA <EXEMPLO> & CIA", "Account 1001 · LOJA <EXEMPLO> & CIA"),
		Subtitle: w("base operação · 01/11/2026 a 30/11/2026 · posição 18/11/2026", "basis operation · 2026-11-01 to 2026-11-30 · as of 2026-11-18"),
		Level:    html.Bad, Verdict: w("divergências", "breaks"),
		Blind: []string{w("FORECAST_DATE_MISMATCH: 9 elegíveis, sem dado 9", "FORECAST_DATE_MISMATCH: 9 eligible, no input 9")},
		Missing: html.Missing{
			Figures: figures, Lines: figureLines(figures, w), Cases: 62, ExcessCases: 2,
			AtRisk: []html.Cause{cause("SLIP_INTEGRATION_STUCK", "Registro do boleto pendente", "Slip not registered yet", "90.00", 1, false)},
			Causes: []html.Cause{
				cause("RECEIVED_OVERDUE", "Parcela vencida e não paga", "Installment due and not paid", "11000.00", 31, true),
				cause("SLIP_CREDIT_OVERDUE", "Boleto pago e não creditado", "Slip paid and not credited", "1000.00", 4, true),
				cause("MDR_RATE_MISMATCH", "MDR acima do contrato", "MDR above contract", "700.00", 20, false),
				cause("RECEIVED_VALUE_MISMATCH", "Recebido a menor que o líquido", "Received less than the net", "300.00", 3, false),
				cause("FEE_UNEXPECTED", "Tarifa que o contrato não prevê", "Fee that the contract does not have", "104.57", 2, false),
				cause("SPLIT_MISSING", "Split não registrado", "Split not registered", "80.00", 1, false),
				cause("RECEIVED_PARTIAL", "Recebida só uma parte", "Only a part received", "20.00", 1, false),
			},
			Gained: []html.Cause{cause("SLIP_OVERPAID", "Boleto pago a maior", "Slip paid in excess", "15.30", 2, false)},
		},
		Bridge: []html.Bridge{{
			Key: "cards", Heading: w("Cartões", "Cards"), Note: w("pela data da venda", "by sale date"),
			Lines: []html.Step{{Label: "MDR", Amount: brl("700.0025")}, {Label: w("em atraso", "overdue"), Amount: brl("11000.00")}},
			Sum:   brl("11700.0025"), Difference: brl("11700.0025"),
		}},
		Steps: []html.Step{
			{Label: w("Valor bruto", "Gross"), Amount: brl("184230.10"), Total: true},
			{Label: "MDR", Amount: brl("4811.02")},
			{Label: w("Tarifa de transação", "Transaction fee"), Amount: brl("210.40")},
			{Label: w("Custo de antecipação", "Anticipation cost"), Amount: brl("1022.18")},
			{Label: w("Líquido esperado", "Expected net"), Amount: brl("178186.50"), Total: true},
		},
		Days: []html.Days{{Heading: w("Esperado e recebido por dia", "Expected and received by day"), First: w("Esperado", "Expected"), Second: w("Recebido", "Received")}},
		Agenda: &html.Agenda{
			Note: w("líquido por semana", "net by week"), Total: brl("50100.00"),
			Lines: []html.Step{{Label: w("semana de 16/11", "week of 11-16"), Amount: brl("30000.00")}, {Label: w("semana de 23/11", "week of 11-23"), Amount: brl("20100.00")}},
		},
		Tables: []html.Table{{
			ID: "summary", Heading: w("Resumo", "Summary"), Count: 214, Files: "summary_1001_operation_20261101_20261130_r*.csv",
			Columns: []html.Column{
				{Header: w("Data base", "Base date")},
				{Header: w("Bandeira", "Brand")},
				{Header: w("Qtd parcelas", "Installments"), Number: true, Measure: "installments", Total: 1432, Count: true},
				{Header: w("Valor bruto", "Gross"), Number: true, Measure: "gross", Total: int64(brl("184230.10"))},
				{Header: w("Diferença", "Difference"), Number: true, Measure: "difference", Total: int64(brl("-1204.57"))},
			},
			Rows: [][]string{{"01/11/2026", "visa", "12", "1.234,00", "−10,00"}, {"01/11/2026", "<script>alert(1)</script>", "3", "90,00", "0,00"}},
		}},
		Control: html.Control{
			File: "control_1001_operation_20261101_20261130_r*.csv",
			Lines: []html.Proof{
				{Label: w("Somas", "Sums"), Result: w("214 de 214 conferem", "214 of 214 tie"), OK: true, Detail: w("razão = gravador", "ledger = writer")},
				{Label: w("Cobertura", "Coverage"), Result: w("1 dia faltando", "1 day missing")},
				{Label: w("Ponte dos cartões", "Bridge of cards"), Result: w("fecha", "closes"), OK: true},
			},
			Figures: []html.Figure{{File: "summary.csv", Measure: w("Valor bruto", "Gross"), Ledger: "184.230,1000", Writer: "184.230,1000", Residual: "0,0000"}},
		},
	}
	for d := range 18 {
		p.Days[0].Days = append(p.Days[0].Days, html.Day{
			Label: string(rune('0'+(d+1)/10)) + string(rune('0'+(d+1)%10)) + "/11", First: brl("1000.00") * ledger.Amount(d%7+1), Second: brl("900.00") * ledger.Amount(d%6),
		})
	}
	return p
}
