package runs

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// evaluateSlipRestated compares a list with itself only: what two lists disagree on is another rule's.
func evaluateSlipRestated(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	if st := e.CheckSlipComparable(s); st != rules.Passed {
		return st.Outcome()
	}
	var all []restatement
	for _, list := range ledger.SlipLists() {
		h := s.VersionsIn(list)
		if len(h) < 2 {
			continue
		}
		first, now := &h[0], &h[len(h)-1]
		if first.Value != now.Value {
			all = append(all, slipRestatement(h, "value", ledger.Money(first.Value), ledger.Money(now.Value),
				func(v *ledger.SlipVersion) ledger.Value { return ledger.Money(v.Value) }))
		}
		i := slices.IndexFunc(h, func(v ledger.SlipVersion) bool { return v.PaidOn != 0 })
		if i < 0 {
			continue
		}
		if paid := h[i].PaidOn; paid != now.PaidOn {
			all = append(all, slipRestatement(h[i:], "effectivePaymentDate", ledger.Day(paid), ledger.Day(now.PaidOn),
				func(v *ledger.SlipVersion) ledger.Value { return ledger.Day(v.PaidOn) }))
		}
		j := slices.IndexFunc(h[i:], func(v ledger.SlipVersion) bool { return v.PaidValue.Or(0) != 0 })
		if j >= 0 && h[i+j].PaidValue.Or(0) != now.PaidValue.Or(0) {
			all = append(all, slipRestatement(h[i+j:], "effectivePaymentValue", ledger.Money(h[i+j].PaidValue.V), ledger.Money(now.PaidValue.Or(0)),
				func(v *ledger.SlipVersion) ledger.Value { return ledger.Money(v.PaidValue.Or(0)) }))
		}
	}
	return restatementOf(mergeByMember(all))
}

// slipRestatement dates the last change of a member of a list, and says whether the slip was paid at any of them.
func slipRestatement(h []ledger.SlipVersion, member string, was, is ledger.Value, of func(*ledger.SlipVersion) ledger.Value) restatement {
	x := restatement{member: member, was: was, is: is}
	for i := 1; i < len(h); i++ {
		if of(&h[i]) != of(&h[i-1]) {
			x.since = h[i].LastChanged
			x.paid = x.paid || h[i-1].PaidOn != 0
		}
	}
	return x
}

// mergeByMember keeps a member once: several lists show the same change. Paid in one is paid.
func mergeByMember(all []restatement) []restatement {
	var out []restatement
	for _, x := range all {
		i := slices.IndexFunc(out, func(y restatement) bool { return y.member == x.member })
		if i < 0 {
			out = append(out, x)
			continue
		}
		out[i].paid = out[i].paid || x.paid
	}
	return out
}
