package desk

import (
	"context"
	"errors"
	"slices"
	"strings"

	"concilia/cmd/concilia/view/caseview"
	"concilia/export"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// addLeftOut adds what the night withheld of each account, as its set of the day says, and the rules that evaluated none of the rows
// they are for, as the control of the day counts them.
func addLeftOut(ctx context.Context, w *jobs.Worker, night *ledger.Run, out *caseview.Today) error {
	day := ledger.Period{From: night.AsOf, To: night.AsOf}
	counts := map[string]ledger.RuleCounts{}
	for i := range out.Accounts {
		a := out.Accounts[i].Account
		set, err := w.Ledger.StandingSet(ctx, a.String(), string(report.ByAsOf), day, "")
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return err
		}
		if err == nil {
			in, err := export.ReadInputs(set.Inputs)
			if err != nil {
				return err
			}
			out.Withheld = append(out.Withheld, listWithheld(a, in.Parts["withheld"])...)
		}
		of, err := w.Ledger.RuleCountsOfRun(ctx, a, night.ID)
		if err != nil {
			return err
		}
		for k := range of {
			sum := counts[of[k].Code]
			sum.Add(of[k])
			counts[of[k].Code] = sum
		}
	}
	for code, sum := range counts {
		if sum.Eligible > 0 && sum.Evaluated == 0 {
			out.NotJudged = append(out.NotJudged, code)
		}
	}
	slices.Sort(out.NotJudged)
	return nil
}

// listWithheld reads the kinds that a set names as withheld: each with its code.
func listWithheld(a ledger.Account, named string) (out []caseview.TodayWithheld) {
	for one := range strings.SplitSeq(named, ", ") {
		if kind, code, found := strings.Cut(one, ": "); found {
			out = append(out, caseview.TodayWithheld{Account: a, Kind: kind, Code: code})
		}
	}
	return out
}
