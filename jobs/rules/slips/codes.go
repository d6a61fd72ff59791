package slips

import (
	"strings"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// CodeRules evaluate the numbers on a slip that check themselves.
func CodeRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SLIP_CODE_INVALID", Version: 3, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always,
			EvaluateSlip: evaluateCode,
		},
		{
			Code: "SLIP_CODE_AMOUNT_MISMATCH", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Info}, Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always,
			EvaluateSlip: evaluateCodeAmount,
		},
		{
			Code: "SLIP_CODE_DUE_MISMATCH", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Warning,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always,
			EvaluateSlip: evaluateCodeDue,
		},
		{
			Code: "SLIP_DOCUMENT_INVALID", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Warning,
			Grades: []ledger.Severity{ledger.Info}, Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always,
			EvaluateSlip: evaluateDocument,
		},
	}
}

// evaluateCode checks the bar code and the digitable line. A slip that is paid or cancelled passes: it is paid by neither.
func evaluateCode(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	if s.BarCode == "" && s.DigitableLine == "" {
		return rules.NotEligible.Outcome()
	}
	if s.Class == ledger.Cancelled || s.Class == ledger.Paid {
		return rules.Passed.Outcome()
	}
	o := findCodeFault(s)
	if o.Status == rules.Fires && isSuperseded(e, s) {
		return rules.Passed.Outcome()
	}
	return o
}

// findCodeFault says what is wrong with the codes of a slip.
func findCodeFault(s *rules.Slip) rules.Outcome {
	bad := func(member string) rules.Outcome {
		// The check that failed is not named: its message repeats digits of a code that can be paid.
		return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("member", member), rules.NamedText("why", "check digits")}}
	}
	var bar ledger.BarCode
	if s.BarCode != "" {
		var err error
		if bar, err = ledger.ParseBarCode(s.BarCode); err != nil {
			return bad("barCode")
		}
	}
	if s.DigitableLine == "" {
		return rules.Passed.Outcome()
	}
	line, err := ledger.ParseDigitableLine(s.DigitableLine)
	if err != nil {
		return bad("digitableLine")
	}
	if bar != "" && line.BarCode() != bar {
		return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("member", "digitableLine"), rules.NamedText("why", "barCode")}}
	}
	return rules.Passed.Outcome()
}

// hasRegisteredCode says whether the code rules look: a valid code, on a slip neither in process nor failed.
func hasRegisteredCode(s *rules.Slip) bool {
	status := s.Status.Or(0)
	return s.Bar != "" && status != ledger.BillProcessing && status != ledger.BillFailed
}

// evaluateCodeAmount reads zero as an amount the payer types in.
func evaluateCodeAmount(_ *rules.Env, s *rules.Slip, t rules.Tolerance) rules.Outcome {
	if !hasRegisteredCode(s) {
		return rules.NotEligible.Outcome()
	}
	o := rules.CompareAmounts(s.FaceValue, s.Bar.Amount(), s.FaceValue, t, rules.Under)
	if o.Status == rules.Fires && s.Bar.Amount() == 0 {
		o.Severity = ledger.Info
	}
	return o
}

// The due-date factor counts days from 1997-10-07 and began again at 1000 on 2025-02-22, after 9999.
const factorCycle = 9000

// evaluateCodeDue accepts every due date the slip ever had: codes are not printed again when a date is moved.
func evaluateCodeDue(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	if !hasRegisteredCode(s) || s.Bar.Factor() == 0 {
		return rules.NotEligible.Outcome()
	}
	if s.Due == 0 {
		return rules.NotEvaluable.Outcome()
	}
	first := ledger.NewDate(1997, 10, 7) + ledger.Date(s.Bar.Factor())
	fits := func(d ledger.Date) bool { return d == first || d == first+factorCycle }
	if fits(s.Due) {
		return rules.Passed.Outcome()
	}
	for i := range s.Earlier {
		if fits(s.Earlier[i].Due) {
			return rules.Passed.Outcome()
		}
	}
	for i := range s.Views {
		if fits(s.Views[i].Due) {
			return rules.Passed.Outcome()
		}
	}
	nearest := first
	if absDays(s.Due-first-factorCycle) < absDays(s.Due-first) {
		nearest += factorCycle
	}
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(s.Due), Actual: ledger.Day(nearest)}
}

// What a payer's document is found to be.
const (
	NotADocument        = "no CPF or CNPJ"
	DocumentWithLetters = "CNPJ with letters"
)

// evaluateDocument shows the document masked, as reports do.
func evaluateDocument(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	if s.PayerDocument == "" || s.IsForgotten() {
		return rules.NotEligible.Outcome()
	}
	doc, err := ledger.ParseDocument(s.PayerDocument)
	masked := rules.NamedText("document", ledger.MaskPayerDocument(s.PayerDocument))
	if err != nil {
		return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{masked, rules.NamedText("what", NotADocument)}}
	}
	letters := strings.ContainsFunc(string(doc), func(r rune) bool { return 'A' <= r && r <= 'Z' })
	if !letters {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Severity: ledger.Info, Numbers: []ledger.Number{masked, rules.NamedText("what", DocumentWithLetters)}}
}

func absDays(d ledger.Date) ledger.Date { return max(d, -d) }
