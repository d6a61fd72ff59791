package rules

import "concilia/store/ledger"

// SlipNote is what the answers of this run said of a slip beside its views. The zero SlipNote is that of a slip no
// answer of the run told of.
type SlipNote struct {
	// Asked: an answer of a list that arrived whole in this run showed the slip.
	Asked bool
	// Twice is the list, if any, that showed the id more than once and not alike.
	Twice ledger.Source
	// Outside is the list, if any, that showed the slip though its own date there, On, lies outside the Window asked
	// for. Windows deliberately wider are not meant.
	Outside ledger.Source
	On      ledger.Date
	Window  ledger.Period
	// Detail: the detail was asked for and answered. Refused: the answer said that it did not succeed.
	Detail, Refused bool
}

// slipAskedRules judge what lists and details answered, whatever their members say.
func slipAskedRules() []Rule {
	return []Rule{
		{
			Code: "SLIP_DUPLICATE_ID", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists}, Tier: Always, Eligible: "slips that a list showed in this run", Fires: "one answer holds the id twice with different content",
			Text: Sentence{
				En: "One answer of {source} shows the slip twice, and not alike.",
				Pt: "Uma resposta de {source} mostra o boleto duas vezes, com conteúdos diferentes.",
			},
			EvaluateSlip: func(e *Env, s *Slip, _ Tolerance) Outcome {
				return evaluateNote(e, s, func(n *SlipNote) bool { return n.Twice != "" }, func(n *SlipNote) []ledger.Number {
					return []ledger.Number{NamedText("source", string(n.Twice))}
				})
			},
		},
		{
			Code: "SLIP_OUT_OF_WINDOW", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Warning,
			Needs: []Need{SlipLists}, Tier: Always, Eligible: "slips that a list showed in this run", Fires: "its own date lies outside the range the list was asked for",
			Text: Sentence{
				En: "The list of {source} was asked for {from} to {to} and shows the slip of {day}.",
				Pt: "A lista de {source} foi pedida de {from} a {to} e mostra o boleto de {day}.",
			},
			EvaluateSlip: func(e *Env, s *Slip, _ Tolerance) Outcome {
				return evaluateNote(e, s, func(n *SlipNote) bool { return n.Outside != "" }, func(n *SlipNote) []ledger.Number {
					return []ledger.Number{
						NamedText("source", string(n.Outside)), NamedDate("from", n.Window.From), NamedDate("to", n.Window.To), NamedDate("day", n.On),
					}
				})
			},
		},
		{
			Code: "SLIP_DETAIL_UNAVAILABLE", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Warning,
			Needs: []Need{SlipDetail}, Tier: Always, Eligible: "slips whose detail was asked for in this run", Fires: "the service answered without success, though a list shows the slip",
			Text: Sentence{
				En: "A list shows the slip; asked for its detail, the service answers that it did not succeed.",
				Pt: "Uma lista mostra o boleto; ao pedir o detalhe, o serviço responde que não teve sucesso.",
			},
			EvaluateSlip: func(e *Env, s *Slip, _ Tolerance) Outcome {
				n := e.SlipNote(s.Slip)
				if !n.Detail {
					return NotEvaluable.Outcome()
				}
				return FireIf(n.Refused, Outcome{})
			},
		},
	}
}

// evaluateNote judges a slip by what the answers of the run said; without one the case stays as it is.
func evaluateNote(e *Env, s *Slip, fires func(*SlipNote) bool, numbers func(*SlipNote) []ledger.Number) Outcome {
	n := e.SlipNote(s.Slip)
	if !n.Asked {
		return NotEvaluable.Outcome()
	}
	return FireIf(fires(&n), Outcome{}).WithNumbers(func() []ledger.Number { return numbers(&n) })
}
