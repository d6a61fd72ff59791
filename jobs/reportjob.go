package jobs

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// newJob is the rendering of one set: what is asked for, and what this run believes.
func (w *Worker) newJob(ctx context.Context, run *ledger.Run, verdicts *accountVerdicts, set setRequest) (export.Job, error) {
	kinds, withheld, err := verdicts.choosePublishable(&set)
	if err != nil {
		return export.Job{}, err
	}
	job := export.Job{
		Kinds: kinds, Withheld: withheld, Account: set.name, Basis: set.basis, Period: set.period, Filter: set.filter, Formats: set.formats,
		AsOf: run.AsOf, Language: w.Reports.Language, Identified: w.Reports.Identified, Unit: w.termsOf(&set).Profile.Unit,
		NetOfSplits: w.termsOf(&set).Profile.NetOfSplits, Documents: documentsOf(run, set.accounts),
		EDIProfile: w.Reports.EDIProfile, Words: collectCauseWords(w.Reports.Language), Extract: set.extract,
	}
	if !set.isOfAllAccounts() {
		job.Block = set.accounts[0].Block
	}
	if job.Agreed, err = w.readAgreedLines(ctx, run, job.Kinds); err != nil {
		return job, err
	}
	if job.Statement, err = w.newStatement(ctx, run, set, job.Kinds); err != nil {
		return job, err
	}
	owed := slices.Clone(kinds)
	for _, k := range withheld {
		owed = append(owed, k.Kind)
	}
	job.Facts, err = w.collectControlFacts(ctx, run, verdicts, set, sidesOf(owed, set))
	return job, err
}

// choosePublishable are the kinds of a set, and those of them that critical findings withhold: of a set over all accounts none,
// whose accounts are left out of it instead.
func (v *accountVerdicts) choosePublishable(set *setRequest) (kinds []report.Kind, withheld []export.Withheld, err error) {
	chosen, err := report.Choose(set.kinds, set.formats, set.basis, set.filter, false)
	if err != nil || set.isOfAllAccounts() {
		return chosen, nil, err
	}
	for _, k := range chosen {
		if codes := v.withholdingCodes(set.accounts[0].Number, k); len(codes) > 0 {
			withheld = append(withheld, export.Withheld{Kind: k, Code: codes[0]})
			continue
		}
		kinds = append(kinds, k)
	}
	return kinds, withheld, nil
}

// listWithheld are the configured kinds an account's critical findings hold back.
func (w *Worker) listWithheld(v *accountVerdicts, a ledger.Account) []string {
	names := []string{}
	for _, k := range w.Reports.Kinds {
		if len(v.withholdingCodes(a, k)) > 0 {
			names = append(names, string(k))
		}
	}
	return names
}

// sidesOf are the sides, cards and slips, that kinds of a set rest on, whether they are withheld or not. The page over all
// accounts counts slips beside its summary of cards.
func sidesOf(kinds []report.Kind, set setRequest) []string {
	var sides []string
	for _, side := range []string{ledger.Cards.Side(), ledger.SlipsDue.Side()} {
		of := func(k report.Kind) bool { return k != report.ControlKind && (k.Side() == side || k.Side() == "") }
		if set.isOfAllAccounts() || slices.ContainsFunc(kinds, of) {
			sides = append(sides, side)
		}
	}
	return sides
}

// collectControlFacts is what control says besides the figures of the files. sides are those that the set rests on.
func (w *Worker) collectControlFacts(ctx context.Context, run *ledger.Run, verdicts *accountVerdicts, set setRequest, sides []string) (export.Facts, error) {
	f := export.Facts{Run: run.ID, Engine: run.ProgramVersion, Accounts: set.hidden}
	var err error
	if f.Acts, err = w.readActLogEnds(ctx, set.accounts); err != nil {
		return f, err
	}
	if f.Retired, err = w.retiredBefore(ctx, set); err != nil {
		return f, err
	}
	for _, a := range f.Accounts { // what is withheld is the worst of what there is to say
		f.Verdict = f.Verdict.Worse(a.Verdict)
	}
	for _, a := range set.accounts {
		r := verdicts.byAccount[a.Number]
		f.Verdict = f.Verdict.Worse(r.Verdict)
		coverage, err := w.measureCoverage(ctx, run, a, set)
		if err != nil {
			return f, err
		}
		incomplete := verdicts.isIncomplete(a.Number, sides, coverage)
		if set.isOfAllAccounts() {
			shown := export.AccountFacts{Account: a.Number, Name: a.Name, Verdict: r.Verdict, Incomplete: incomplete}
			if codes := verdicts.criticalCodes(a.Number, "slips"); len(codes) > 0 && set.basis != report.ByAsOf {
				shown.NoSlips = codes[0]
			}
			f.Accounts = append(f.Accounts, shown)
			continue
		}
		f.Coverage, f.Incomplete = coverage, incomplete
		if err := w.addAccountFacts(ctx, run, a, set, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

// isIncomplete says whether the figures of the account on these sides may lack something: a critical case is open on one, or a day
// of the set was not answered whole.
func (v *accountVerdicts) isIncomplete(a ledger.Account, sides []string, coverage []export.Coverage) bool {
	for _, side := range sides {
		if len(v.criticalCodes(a, side)) > 0 {
			return true
		}
	}
	return slices.ContainsFunc(coverage, func(c export.Coverage) bool {
		return slices.Contains(sides, c.Source.Side()) && c.Partial+c.Missing > 0
	})
}

// measureCoverage are how much of the set's days was asked and answered for the account, by source.
func (w *Worker) measureCoverage(ctx context.Context, run *ledger.Run, a Account, set setRequest) ([]export.Coverage, error) {
	since, err := w.firstDay(ctx, a, run.AsOf)
	if err != nil {
		return nil, err
	}
	var out []export.Coverage
	asked := ledger.Period{From: max(since, set.period.From), To: min(set.period.To, run.AsOf-1)}
	if set.basis == report.ByAsOf {
		asked.From = since
	}
	for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		c, err := w.measureList(ctx, a.Number, source, asked)
		if err != nil {
			return nil, err
		}
		c.HistoryFrom = since
		if source != ledger.Cards {
			c.Horizon = run.AsOf + ledger.Date(w.Plan.SlipsDueForward)
		}
		out = append(out, c)
	}
	return out, nil
}

func (w *Worker) addAccountFacts(ctx context.Context, run *ledger.Run, a Account, set setRequest, f *export.Facts) error {
	if err := w.addBridgeFacts(ctx, run, a.Number, set, f); err != nil {
		return err
	}
	if err := w.addToleranceFacts(ctx, run, a.Number, set, f); err != nil {
		return err
	}
	var err error
	if f.Tallies, err = w.Ledger.RuleCountsOfRun(ctx, a.Number, run.ID); err != nil {
		return err
	}
	rows, err := w.Ledger.QuarantinedRows(ctx, a.Number)
	if err != nil {
		return err
	}
	for _, q := range rows {
		if set.containsDay(q.Day) {
			f.Quarantine = append(f.Quarantine, export.Quarantined{Source: q.Source, Gross: q.Gross})
		}
	}
	return nil
}

func (w *Worker) measureList(
	ctx context.Context, a ledger.Account, s ledger.Source, p ledger.Period,
) (export.Coverage, error) {
	out := export.Coverage{Source: s}
	if p.Days() == 0 {
		return out, nil
	}
	covers, err := w.Ledger.Coverage(ctx, a, s, p)
	if err != nil {
		return out, err
	}
	for d := p.From; d <= p.To; d++ {
		switch c := covers[d]; {
		case c.Complete:
			out.Complete++
		case c.Pull != "":
			out.Partial++
		default:
			out.Missing++
		}
	}
	return out, nil
}

// collectCauseWords are the words of every code in the language: of one that may be a cause, also who takes which step.
func collectCauseWords(l table.Language) map[string]export.CauseWords {
	out := make(map[string]export.CauseWords)
	for _, r := range catalogue.All() {
		w, _ := catalogue.PlainWords(r.Code, string(l))
		out[r.Code] = export.CauseWords{Title: catalogue.Title(r.Code, string(l)), Owner: w.Owner, Next: w.Next}
	}
	return out
}
