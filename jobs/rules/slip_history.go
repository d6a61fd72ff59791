package rules

import (
	"strconv"

	"concilia/store/ledger"
)

// slipHistoryRules compare what a list says of a slip with what it said.
func slipHistoryRules() []Rule {
	return []Rule{{
		Code: "SLIP_STATUS_REGRESSION", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
		Needs: []Need{History}, Tier: Always, Eligible: "slips of which a list was pulled completely at least twice for their day",
		Fires: "a list that said paid says another status, or one that said failed says in process or issued",
		Text: Sentence{
			En: "The list of {source} said status {expected} and says {actual} since {since}.",
			Pt: "A lista de {source} dizia status {expected} e diz {actual} desde {since}.",
		},
		EvaluateSlip: evaluateSlipRegression,
	}}
}

// evaluateSlipRegression goes list by list: they lag behind each other, but none behind itself.
func evaluateSlipRegression(e *Env, s *Slip, _ Tolerance) Outcome {
	if st := e.CheckSlipComparable(s); st != Passed {
		return st.Outcome()
	}
	for _, list := range append(ledger.SlipLists(), ledger.SlipDetail) {
		h := s.VersionsIn(list)
		if len(h) < 2 || !h[len(h)-1].Status.OK {
			continue
		}
		now := h[len(h)-1].Status.V
		since := h[len(h)-1].LastChanged
		for i := len(h) - 2; i >= 0; i-- {
			was := h[i].Status
			back := was.V == ledger.BillPaid && now != ledger.BillPaid ||
				was.V == ledger.BillFailed && (now == ledger.BillProcessing || now == ledger.BillIssued)
			if back {
				return Outcome{
					Status: Fires, Expected: ledger.Text(strconv.FormatInt(was.V, 10)), Actual: ledger.Text(strconv.FormatInt(now, 10)),
					Numbers: []ledger.Number{NamedText("source", string(list)), NamedDate("since", since)},
				}
			}
			if was.V == now {
				since = h[i].LastChanged
			}
		}
	}
	return Passed.Outcome()
}
