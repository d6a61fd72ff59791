package runs

import (
	"strconv"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// ChangedAfterClose is the code of a change in a closed period.
const ChangedAfterClose = "SRC_CHANGED_AFTER_CLOSE"

// The bases a closed period is restated on.
const (
	BasisOperation = "operation"
	BasisCredit    = "credit"
)

// closeRules evaluate what changed in periods that people closed.
func closeRules() []rules.Rule {
	return []rules.Rule{{
		Code: ChangedAfterClose, Version: 1, Family: rules.FamilyRun, Subject: rules.OnInstallment, Also: []rules.Subject{rules.OnSlip}, Severity: ledger.Warning,
		Needs: []rules.Need{rules.History, rules.Closes}, Tier: rules.Always,
		EvaluateRow: func(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
			was := func(c rules.Close) []reported { return reportedAtClose(e, r, c) }
			return compareWithClosed(e, was, func(c rules.Close) []reported { return reportedRow(e, r.Now, c) })
		},
		EvaluateSlip: func(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
			was := func(c rules.Close) []reported { return reportedSlip(slipAtClose(s.Slip, c), c) }
			return compareWithClosed(e, was, func(c rules.Close) []reported { return reportedSlip(s.Slip, c) })
		},
	}}
}

// OutsidePeriod is written in place of the value of an item that the period did not, or does not, report.
const OutsidePeriod = "outside the period"

// reported is what a closed basis reports of an item, member by member. Nothing is reported of one outside the period.
type reported = memberValue

// compareWithClosed compares what each closed period reported of an item with what it would report now. For an item that came into
// the period or left it the finding names the member that decides its period.
func compareWithClosed(e *rules.Env, then, now func(rules.Close) []reported) rules.Outcome {
	if e.Closes == nil {
		return rules.NoInput.Outcome()
	}
	o := rules.NotEligible.Outcome()
	for _, c := range e.Closes {
		was, is := then(c), now(c)
		if len(was) == 0 && len(is) == 0 {
			continue
		}
		o = rules.Passed.Outcome()
		for i := range max(len(was), len(is)) {
			var a, b memberValue
			if i < len(was) {
				a = was[i]
			}
			if i < len(is) {
				b = is[i]
			}
			if a.value == b.value {
				continue
			}
			member := a.member
			if member == "" {
				member = b.member
			}
			if len(was) == 0 {
				a.value = ledger.Text(OutsidePeriod)
			}
			if len(is) == 0 {
				b.value = ledger.Text(OutsidePeriod)
			}
			return rules.Outcome{Status: rules.Fires, Expected: valueOrNothing(a.value), Actual: valueOrNothing(b.value), Numbers: []ledger.Number{
				rules.NamedDate("from", c.Period.From), rules.NamedDate("to", c.Period.To), rules.NamedText("basis", c.Basis), rules.NamedDate("closed", c.AsOf), rules.NamedText("member", member),
			}}
		}
	}
	return o
}

// reportedAtClose is what the period reported of a row when it was closed.
func reportedAtClose(e *rules.Env, r *rules.Row, c rules.Close) []reported {
	var was *ledger.InstallmentVersion
	for i := range r.History {
		if c.KnewVersion(r.History[i].FirstPull, r.History[i].LastChanged) {
			was = &r.History[i]
		}
	}
	if was != nil && was.Ended != "" && c.Later != nil && !c.Later[was.Ended] {
		was = nil // it had vanished by then
	}
	return reportedRow(e, was, c)
}

// EvaluateVanishedAfterClose evaluates an installment that vanished from a closed period, by its last version.
func EvaluateVanishedAfterClose(e *rules.Env, v *ledger.InstallmentVersion) rules.Outcome {
	return compareWithClosed(e, func(c rules.Close) []reported {
		// One that came and went after the close was never reported.
		if c.Later != nil && !c.Later[v.Ended] || v.Version == 1 && !c.KnewVersion(v.FirstPull, v.LastChanged) {
			return nil
		}
		return reportedRow(e, v, c)
	}, func(rules.Close) []reported { return nil })
}

// EvaluateSlipVanishedAfterClose is EvaluateVanishedAfterClose of a slip that no list shows any more.
func EvaluateSlipVanishedAfterClose(e *rules.Env, s *ledger.Slip) rules.Outcome {
	return compareWithClosed(e, func(c rules.Close) []reported { return reportedSlip(slipAtClose(s, c), c) }, func(rules.Close) []reported { return nil })
}

// reportedRow is what a basis reports of a version; the first member places it in the period.
func reportedRow(e *rules.Env, v *ledger.InstallmentVersion, c rules.Close) []reported {
	switch {
	case v == nil:
		return nil
	case c.Basis == BasisCredit && c.Period.Contains(v.Effective):
		return []reported{{memberEffective, ledger.Day(v.Effective)}, {"receivedValue", ledger.Money(v.Received.Or(0))}}
	case c.Basis == BasisOperation && c.Period.Contains(v.SoldAt.Date()):
		return []reported{
			{"installmentValue", ledger.Money(v.Gross)},
			{"installmentsCount", ledger.Text(strconv.Itoa(v.InstallmentCount()))},
			{"discountMdrValue", ledger.Money(v.MDR.Or(0))},
			{"discountTrnRateInstalmentValue", ledger.Money(v.Fee.Or(0))},
			{"discountAntifraudRateInstalmentValue", ledger.Money(v.Antifraud.Or(0))},
			{"installmentStatus", statusValue(rules.ClassOf(e.Mapping, v).IsReversal())},
		}
	}
	return nil
}

// reportedSlip is the same of a slip, by issue or by credit.
func reportedSlip(s *ledger.Slip, c rules.Close) []reported {
	switch {
	case s == nil:
		return nil
	case c.Basis == BasisCredit && c.Period.Contains(s.CreditedOn):
		return []reported{{"effectiveCreditDate", ledger.Day(s.CreditedOn)}, {"effectivePaymentValue", ledger.Money(s.PaidValue.Or(0))}}
	case c.Basis == BasisOperation && c.Period.Contains(s.Issued):
		return []reported{{"value", ledger.Money(s.Value)}, {"statusBill", statusValue(rules.SlipClass(s) == ledger.Cancelled)}}
	}
	return nil
}

// statusValue is the status that an item is reported with: cancelled if it was taken back, else open.
func statusValue(reversed bool) ledger.Value {
	if reversed {
		return ledger.Text(string(ledger.Cancelled))
	}
	return ledger.Text(string(ledger.Open))
}

// slipAtClose is the slip as the runs up to the closed one knew it, or nil.
func slipAtClose(s *ledger.Slip, c rules.Close) *ledger.Slip {
	last := map[ledger.Source]ledger.SlipVersion{}
	for _, all := range [][]ledger.SlipVersion{s.Earlier, s.Views} {
		for _, v := range all {
			if was, known := last[v.List]; c.KnewVersion(v.FirstPull, v.LastChanged) && (!known || v.Version > was.Version) {
				last[v.List] = v
			}
		}
	}
	var views []ledger.SlipVersion
	for _, list := range append(ledger.SlipLists(), ledger.SlipDetail) {
		if v, known := last[list]; known {
			views = append(views, v)
		}
	}
	if len(views) == 0 {
		return nil
	}
	was := ledger.SlipOf(views, nil)
	return &was
}
