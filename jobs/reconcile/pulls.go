package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// pullEvaluator evaluates what the service answered, regardless of the rows: which days it covers, and how it answered.
type pullEvaluator struct {
	*attempt
	cases      *cases
	coverage   coverage
	facts      *pullFacts
	quarantine *quarantine
}

// evaluateCoverage evaluates the coverage of every day since the first covered one, for each list.
func (ev *pullEvaluator) evaluateCoverage(context.Context) error {
	i := ev.env.Index(runs.CoverageGap)
	for _, s := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		for d := ev.in.Since; d < ev.in.AsOf; d++ {
			o := rules.Outcome{Status: rules.Passed}
			if !ev.coverage[s][d].Complete {
				o = runs.GapOutcome(s, d)
			}
			subject := ledger.Subject("day", ev.account, string(s), d.String())
			if err := ev.cases.evaluateAlone(i, o, caseContext{subject: subject, day: d}); err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluatePulls evaluates the answers themselves, regardless of their rows.
func (ev *pullEvaluator) evaluatePulls(context.Context) error {
	if err := ev.evaluateTruncations(); err != nil {
		return err
	}
	leak := ev.facts.windowLeak
	if err := ev.cases.evaluateAlone(ev.env.Index(runs.WindowLeak), runs.EvaluateLeak(ev.env, leak), caseContext{subject: leak.Subject(ev.account)}); err != nil {
		return err
	}
	skew := caseContext{subject: ledger.Subject("account", ev.account)}
	if err := ev.cases.evaluateAlone(ev.env.Index(runs.ClockSkew), runs.EvaluateClock(ev.env, ev.facts.largestSkew), skew); err != nil {
		return err
	}
	return ev.evaluateUnknownFields()
}

func (ev *pullEvaluator) evaluateTruncations() error {
	i := ev.env.Index(runs.TruncationSuspected)
	keys := slices.SortedFunc(maps.Keys(ev.facts.truncationByDay), func(a, b sourceDay) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.day, b.day))
	})
	for _, k := range keys {
		t := ev.facts.truncationByDay[k]
		if err := ev.cases.evaluateAlone(i, runs.EvaluateTruncation(ev.env, t), caseContext{subject: t.Subject(ev.account), day: k.day}); err != nil {
			return err
		}
	}
	return nil
}

// evaluateUnknownFields evaluates every undocumented member, and resolves the cases of members that the lists of this
// run no longer show.
func (ev *pullEvaluator) evaluateUnknownFields() error {
	i := ev.env.Index(runs.FieldUnknown)
	members := slices.SortedFunc(maps.Keys(ev.facts.unknownFields), func(a, b runs.UnknownField) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Member, b.Member))
	})
	for _, u := range members {
		if err := ev.cases.evaluateAlone(i, u.Outcome(), caseContext{subject: u.Subject(ev.account)}); err != nil {
			return err
		}
	}
	var gone []string
	for subject, all := range ev.cases.bySubject {
		for _, s := range all {
			if parts := strings.Split(subject, ":"); s.Code == runs.FieldUnknown && !s.touched && len(parts) > 2 && ev.facts.answeredLists[ledger.Source(parts[2])] {
				gone = append(gone, subject)
			}
		}
	}
	slices.Sort(gone)
	for _, subject := range gone {
		if err := ev.cases.evaluateAlone(i, rules.Outcome{Status: rules.Passed}, caseContext{subject: subject}); err != nil {
			return err
		}
	}
	return nil
}

// evaluateQuarantine evaluates every row that could not be read.
func (ev *pullEvaluator) evaluateQuarantine(context.Context) error {
	i := ev.env.Index(runs.SchemaInvalid)
	for n := range ev.quarantine.rows {
		q := &ev.quarantine.rows[n]
		if err := ev.cases.evaluateAlone(i, runs.UnreadableOutcome(q), caseContext{subject: q.Subject(), day: q.Day}); err != nil {
			return err
		}
	}
	return ev.cases.resolveUntouched(runs.SchemaInvalid)
}

// evaluateSimulations evaluates the answers of the settlement simulator, brand by brand. Where the contract has no
// rate, the rates of recent installments are compared.
func (ev *pullEvaluator) evaluateSimulations(ctx context.Context) error {
	var read *cards.Practised
	practised := func() (*cards.Practised, error) {
		if read != nil {
			return read, nil
		}
		read = &cards.Practised{}
		last := ledger.Period{From: ev.in.AsOf - cards.PractisedDays, To: ev.in.AsOf - 1}
		return read, ev.src.InstallmentsSoldIn(ctx, ev.account, last, func(v *ledger.InstallmentVersion) error {
			read.Add(ev.env, v)
			return nil
		})
	}
	i := ev.env.Index(cards.SimulatorDrift)
	for _, brand := range slices.Sorted(maps.Keys(ev.facts.simulations)) {
		options, err := cards.EvaluateSimulation(ev.env, ev.facts.simulations[brand], practised)
		if err != nil {
			return fmt.Errorf("what was practised: %w", err)
		}
		for _, o := range options {
			p := caseContext{subject: o.Subject, brand: brand, product: ledger.Credit, line: o.Line}
			if err := ev.cases.evaluateAlone(i, o.Outcome, p); err != nil {
				return err
			}
		}
	}
	return nil
}
