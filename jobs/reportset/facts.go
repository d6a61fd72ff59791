package reportset

import (
	"context"
	"path"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/reportsums"
)

// factCollector collects the facts of a set: what the run says of its accounts, besides their rows.
type factCollector struct{ *Builder }

// collectFacts returns what control shows of a set in addition to the figures of the files.
func (b *factCollector) collectFacts(ctx context.Context, job *export.Job) (export.Facts, error) {
	owed := slices.Clone(job.Kinds)
	for _, k := range job.Withheld {
		owed = append(owed, k.Kind)
	}
	return b.collectControlFacts(ctx, sidesOf(owed, &b.Set))
}

// CollectFactsInto returns a function that collects the facts of a set, for its description, too.
func (b *Builder) CollectFactsInto(job *export.Job) func(context.Context) (export.Facts, error) {
	return func(ctx context.Context) (export.Facts, error) {
		var err error
		job.Facts, err = (&factCollector{b}).collectFacts(ctx, job)
		return job.Facts, err
	}
}

// sidesOf returns the sides, cards and slips, that kinds of a set depend on, withheld or not. The page over all
// accounts counts slips in addition to its summary of cards.
func sidesOf(kinds []report.Kind, set *Request) []string {
	var sides []string
	for _, side := range []string{ledger.Cards.Side(), ledger.SlipsDue.Side()} {
		of := func(k report.Kind) bool {
			return k != report.ControlKind && (kindlist.SideOf(k) == side || kindlist.SideOf(k) == "")
		}
		if set.IsOfAllAccounts() || slices.ContainsFunc(kinds, of) {
			sides = append(sides, side)
		}
	}
	return sides
}

// collectControlFacts returns the facts of a set that depends on those sides.
func (b *factCollector) collectControlFacts(ctx context.Context, sides []string) (export.Facts, error) {
	run, set, verdicts := b.Run, &b.Set, b.Verdicts
	f := export.Facts{Run: run.ID, Engine: run.ProgramVersion, Accounts: set.Hidden}
	var err error
	if f.Acts, err = readActLogEnds(ctx, b.Ledger, set.Accounts); err != nil {
		return f, err
	}
	if f.Ledger, err = readChainEnds(ctx, b.Ledger, set.Accounts); err != nil {
		return f, err
	}
	if f.Retired, err = b.retiredBefore(ctx); err != nil {
		return f, err
	}
	for _, a := range f.Accounts { // accounts that are left out count with their verdict
		f.Verdict = f.Verdict.Worse(a.Verdict)
	}
	for _, a := range set.Accounts {
		r := verdicts.ByAccount[a.Number]
		f.Verdict = f.Verdict.Worse(r.Verdict)
		coverage, err := b.measureCoverage(ctx, a, set.Period)
		if err != nil {
			return f, err
		}
		incomplete := verdicts.isIncomplete(a.Number, sides, coverage)
		if err := b.addBankFacts(ctx, a.Number, &f); err != nil {
			return f, err
		}
		if set.IsOfAllAccounts() {
			shown := export.AccountFacts{Account: a.Number, Name: a.Name, Verdict: r.Verdict, Incomplete: incomplete}
			if codes := verdicts.criticalCodes(a.Number, "slips"); len(codes) > 0 && set.Basis != report.ByAsOf {
				shown.NoSlips = codes[0]
			}
			f.Accounts = append(f.Accounts, shown)
			continue
		}
		f.Coverage, f.Incomplete = coverage, incomplete
		if err := b.addAccountFacts(ctx, a, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (b *factCollector) addAccountFacts(ctx context.Context, a Account, f *export.Facts) error {
	if err := b.addBridgeFacts(ctx, a.Number, f); err != nil {
		return err
	}
	if err := b.addToleranceFacts(ctx, a.Number, f); err != nil {
		return err
	}
	var err error
	if f.Tallies, err = b.Ledger.RuleCountsOfRun(ctx, a.Number, b.Run.ID); err != nil {
		return err
	}
	rows, err := b.Ledger.QuarantinedRows(ctx, a.Number)
	if err != nil {
		return err
	}
	for _, q := range rows {
		if b.Set.containsDay(q.Day) {
			f.Quarantine = append(f.Quarantine, export.Quarantined{Source: q.Source, Gross: q.Gross})
		}
	}
	return nil
}

// addBridgeFacts adds the bridge of the set's account to control: the rows whose sale day or due date is in the period.
func (b *factCollector) addBridgeFacts(ctx context.Context, a ledger.Account, f *export.Facts) error {
	run, set := b.Run, &b.Set
	lines, err := b.Ledger.BridgeLines(ctx, a, run.ID)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if set.containsDay(l.Day) {
			f.Bridge = append(f.Bridge, l)
		}
	}
	differences, err := b.sumDifferences(ctx, a)
	if err != nil {
		return err
	}
	outside, err := b.sumSplitsOutside(ctx, a)
	if err != nil {
		return err
	}
	for _, side := range []string{"cards", "slips"} {
		total := export.BridgeSide{Side: side, Difference: differences[side]}
		if side == ledger.Cards.Side() {
			total.SplitOutside = outside
		}
		f.Sides = append(f.Sides, total)
	}
	return nil
}

// sumDifferences returns, by side, what the lines of the bridge have to add up to on the days of the set: of cards from the sums that its
// files are proven with; of a state over every day there is.
func (b *factCollector) sumDifferences(ctx context.Context, a ledger.Account) (map[string]ledger.Amount, error) {
	out := map[string]ledger.Amount{}
	isState := b.Set.Basis == report.ByAsOf
	rows, err := b.Sums.Differences(ctx, b.Ledger, a, !isState)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if isState || b.Set.Period.Contains(r.Day) {
			out[r.Side] += r.Amount
		}
	}
	if isState {
		return out, nil
	}
	q := reports.Query{Account: a, Basis: string(report.ByOperation), Period: b.Set.Period, AsOfRun: b.Run.ID}
	cards, err := b.Sums.Sum(ctx, b.Ledger, q, reportsums.CardDifference, b.Inputs.Profile.Unit)
	out[ledger.Cards.Side()] = ledger.Amount(cards.Columns["difference"])
	return out, err
}

// sumSplitsOutside returns what the cases of splits cost on the rows of the set if splits are paid out of what is
// received, which is outside the bridge; 0 if they are deducted before.
func (b *factCollector) sumSplitsOutside(ctx context.Context, a ledger.Account) (ledger.Amount, error) {
	if b.Inputs.Profile.NetOfSplits {
		return 0, nil
	}
	var codes []string
	for _, o := range catalogue.CardOwners() {
		if o.Line == ledger.LineSplit {
			codes = append(codes, o.Owners...)
		}
	}
	return b.Ledger.SplitsOutside(ctx, b.Set.queryFor(b.Run, a), codes)
}

// addToleranceFacts adds to control what the rules tolerated on the rows of the set, for each month of the sale or due
// date, with the budget of that month.
func (b *factCollector) addToleranceFacts(ctx context.Context, a ledger.Account, f *export.Facts) error {
	tolerated, err := b.Ledger.ToleratedOn(ctx, b.Set.queryFor(b.Run, a))
	if err != nil {
		return err
	}
	populations, err := b.Ledger.PopulationsOfRun(ctx, a, b.Run.ID)
	if err != nil {
		return err
	}
	for _, budget := range reconcile.MonthBudgets(populations, tolerated) {
		most, err := budget.Most(b.Inputs.Settings)
		if err != nil {
			return err
		}
		f.Tolerance = append(f.Tolerance, export.Tolerance{Code: budget.Code, Month: budget.Month, Used: budget.Tolerated, Budget: most})
	}
	return nil
}

// retiredBefore returns what was deleted of a set's account since its last state set; the control of a state set shows
// it.
func (b *factCollector) retiredBefore(ctx context.Context) (out export.RetiredFiles, err error) {
	set := &b.Set
	if !b.Retires || set.Basis != report.ByAsOf || set.Filter.Canonical() != "" || set.Extract {
		return out, nil
	}
	since, sets, err := b.Ledger.RetiredSince(ctx, set.Name, set.Period.To)
	if err != nil {
		return out, err
	}
	out.Since, out.Files = since, map[string]string{}
	for _, kept := range sets {
		for _, f := range kept.Files {
			out.Files[path.Base(f.Path)] = f.SHA256
		}
	}
	return out, nil
}

// readActLogEnds returns the current ends of the logs of acts: of the accounts, and of acts without an account.
func readActLogEnds(ctx context.Context, l *store.Ledger, accounts []Account) ([]ledger.ActLogEnd, error) {
	numbers := []ledger.Account{0}
	for _, a := range accounts {
		numbers = append(numbers, a.Number)
	}
	out := make([]ledger.ActLogEnd, len(numbers))
	for i, n := range numbers {
		var err error
		if out[i], err = l.ActLogEnd(ctx, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readChainEnds returns where the ledger's chains end now: of the records of runs, and of the accounts.
func readChainEnds(ctx context.Context, l *store.Ledger, accounts []Account) ([]ledger.ChainEnd, error) {
	numbers := make([]ledger.Account, len(accounts))
	for i, a := range accounts {
		numbers[i] = a.Number
	}
	return l.ChainEnds(ctx, numbers)
}
