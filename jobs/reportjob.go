package jobs

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/agreements"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// jobBuilder collects what the rendering of one set needs, as of the run that reconciled its accounts.
type jobBuilder struct {
	ledger        *store.Ledger
	inputs        *reconcile.Inputs
	reports       *ReportSettings
	slipDaysAhead int  // days for which slips are pulled by future due dates
	retires       bool // published files are deleted some day
	run           *ledger.Run
	verdicts      *accountVerdicts
	set           setRequest
	sums          *source.RunSums // of the run; nil: not remembered
}

// newJobBuilder returns a builder for one set. Its inputs are the worker's, or those of a past run if the set has them.
func (w *Worker) newJobBuilder(run *ledger.Run, verdicts *accountVerdicts, set setRequest) *jobBuilder {
	b := &jobBuilder{
		ledger: w.Ledger, inputs: &w.Inputs, reports: &w.Reports, slipDaysAhead: w.Plan.SlipsDueForward, retires: len(w.Retention) > 0,
		run: run, verdicts: verdicts, set: set,
	}
	if set.inputs != nil {
		b.inputs = set.inputs
	}
	return b
}

// newJob describes the rendering of one set: what is requested, and the results of the run.
func (b *jobBuilder) newJob(ctx context.Context) (export.Job, error) {
	job, err := b.describeJob(ctx)
	if err == nil {
		job.Facts, err = b.collectFacts(ctx, &job)
	}
	return job, err
}

// describeJob is newJob without Facts, which take as long as a part of the rows to read.
func (b *jobBuilder) describeJob(ctx context.Context) (export.Job, error) {
	run, set := b.run, &b.set
	kinds, withheld, err := b.verdicts.choosePublishable(set)
	if err != nil {
		return export.Job{}, err
	}
	job := export.Job{
		Kinds: kinds, Withheld: withheld, Account: set.name, Basis: set.basis, Period: set.period, Filter: set.filter, Formats: set.formats,
		AsOf: run.AsOf, Language: b.reports.Language, Service: b.reports.Service, ConsoleURL: b.reports.ConsoleURL, Identified: b.reports.Identified, Unit: b.inputs.Profile.Unit,
		NetOfSplits: b.inputs.Profile.NetOfSplits, Documents: documentsOf(run, set.accounts),
		ForecastDays: b.reports.ForecastDays, SlipsKnownTo: run.AsOf + ledger.Date(b.slipDaysAhead),
		EDIProfile: b.reports.EDIProfile, Words: collectCauseWords(b.voice()), Extract: set.extract,
	}
	if !set.isOfAllAccounts() {
		job.Block = set.accounts[0].Block
	}
	if job.Agreed, err = b.readAgreedLines(ctx, job.Kinds); err != nil {
		return job, err
	}
	if job.Months, err = b.readMonthSides(ctx, job.Kinds); err != nil {
		return job, err
	}
	if job.Kinds, err = b.dropBankWithoutOne(ctx, job.Kinds); err != nil {
		return job, err
	}
	if job.Kinds, err = b.dropSalesWithoutStore(ctx, job.Kinds); err != nil {
		return job, err
	}
	job.Statement, err = b.newStatement(ctx, job.Kinds)
	return job, err
}

// collectFacts returns what control shows of a set in addition to the figures of the files.
func (b *jobBuilder) collectFacts(ctx context.Context, job *export.Job) (export.Facts, error) {
	owed := slices.Clone(job.Kinds)
	for _, k := range job.Withheld {
		owed = append(owed, k.Kind)
	}
	return b.collectControlFacts(ctx, sidesOf(owed, &b.set))
}

// collectFactsInto returns a function that collects the facts of a set, for its description, too.
func (b *jobBuilder) collectFactsInto(job *export.Job) func(context.Context) (export.Facts, error) {
	return func(ctx context.Context) (export.Facts, error) {
		var err error
		job.Facts, err = b.collectFacts(ctx, job)
		return job.Facts, err
	}
}

// choosePublishable returns the kinds of a set, and those of them that critical findings withhold. A set over all
// accounts withholds no kinds; it leaves out accounts instead.
func (v *accountVerdicts) choosePublishable(set *setRequest) (kinds []report.Kind, withheld []export.Withheld, err error) {
	chosen, err := report.Choose(set.kinds, set.formats, set.basis, set.period, set.filter, false)
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

// listWithheld returns the configured kinds that an account's critical findings withhold.
func (w *Worker) listWithheld(v *accountVerdicts, a ledger.Account) []string {
	names := []string{}
	for _, k := range w.Reports.Kinds {
		if len(v.withholdingCodes(a, k)) > 0 {
			names = append(names, string(k))
		}
	}
	return names
}

// sidesOf returns the sides, cards and slips, that kinds of a set depend on, withheld or not. The page over all
// accounts counts slips in addition to its summary of cards.
func sidesOf(kinds []report.Kind, set *setRequest) []string {
	var sides []string
	for _, side := range []string{ledger.Cards.Side(), ledger.SlipsDue.Side()} {
		of := func(k report.Kind) bool { return k != report.ControlKind && (k.Side() == side || k.Side() == "") }
		if set.isOfAllAccounts() || slices.ContainsFunc(kinds, of) {
			sides = append(sides, side)
		}
	}
	return sides
}

// collectControlFacts returns the facts of a set that depends on those sides.
func (b *jobBuilder) collectControlFacts(ctx context.Context, sides []string) (export.Facts, error) {
	run, set, verdicts := b.run, &b.set, b.verdicts
	f := export.Facts{Run: run.ID, Engine: run.ProgramVersion, Accounts: set.hidden}
	var err error
	if f.Acts, err = b.readActLogEnds(ctx, set.accounts); err != nil {
		return f, err
	}
	if f.Ledger, err = b.readChainEnds(ctx, set.accounts); err != nil {
		return f, err
	}
	if f.Retired, err = b.retiredBefore(ctx); err != nil {
		return f, err
	}
	for _, a := range f.Accounts { // accounts that are left out count with their verdict
		f.Verdict = f.Verdict.Worse(a.Verdict)
	}
	for _, a := range set.accounts {
		r := verdicts.byAccount[a.Number]
		f.Verdict = f.Verdict.Worse(r.Verdict)
		coverage, err := b.measureCoverage(ctx, a, set.period)
		if err != nil {
			return f, err
		}
		incomplete := verdicts.isIncomplete(a.Number, sides, coverage)
		if err := b.addBankFacts(ctx, a.Number, &f); err != nil {
			return f, err
		}
		if set.isOfAllAccounts() {
			shown := export.AccountFacts{Account: a.Number, Name: a.Name, Verdict: r.Verdict, Incomplete: incomplete}
			if codes := verdicts.criticalCodes(a.Number, "slips"); len(codes) > 0 && set.basis != report.ByAsOf {
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

// isIncomplete reports whether the figures of the account on these sides may lack something: a critical case is open on
// one of them, or a day of the set was not answered completely.
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

// measureCoverage returns how much of a period, or of all days of a state, was pulled for the account, by list.
func (b *jobBuilder) measureCoverage(ctx context.Context, a Account, p ledger.Period) ([]export.Coverage, error) {
	run, set := b.run, &b.set
	since, err := readFirstDay(ctx, b.ledger, a, run.AsOf)
	if err != nil {
		return nil, err
	}
	var out []export.Coverage
	asked := ledger.Period{From: max(since, p.From), To: min(p.To, run.AsOf-1)}
	if set.basis == report.ByAsOf {
		asked.From = since
	}
	for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		c, err := b.measureList(ctx, a.Number, source, asked)
		if err != nil {
			return nil, err
		}
		c.HistoryFrom = since
		if source != ledger.Cards {
			c.Horizon = run.AsOf + ledger.Date(b.slipDaysAhead)
		}
		out = append(out, c)
	}
	return out, nil
}

func (b *jobBuilder) addAccountFacts(ctx context.Context, a Account, f *export.Facts) error {
	if err := b.addBridgeFacts(ctx, a.Number, f); err != nil {
		return err
	}
	if err := b.addToleranceFacts(ctx, a.Number, f); err != nil {
		return err
	}
	var err error
	if f.Tallies, err = b.ledger.RuleCountsOfRun(ctx, a.Number, b.run.ID); err != nil {
		return err
	}
	rows, err := b.ledger.QuarantinedRows(ctx, a.Number)
	if err != nil {
		return err
	}
	for _, q := range rows {
		if b.set.containsDay(q.Day) {
			f.Quarantine = append(f.Quarantine, export.Quarantined{Source: q.Source, Gross: q.Gross})
		}
	}
	return nil
}

func (b *jobBuilder) measureList(
	ctx context.Context, a ledger.Account, s ledger.Source, p ledger.Period,
) (export.Coverage, error) {
	out := export.Coverage{Source: s}
	if p.Days() == 0 {
		return out, nil
	}
	covers, err := b.ledger.Coverage(ctx, a, s, p)
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

// voice is how the texts of the set are worded.
func (b *jobBuilder) voice() catalogue.Voice {
	if b.set.voice != nil {
		return *b.set.voice
	}
	return catalogue.Voice{Language: string(b.reports.Language), Service: b.reports.Service}
}

// collectCauseWords returns the texts of every code; for a possible cause, also who takes which step.
func collectCauseWords(v catalogue.Voice) map[string]export.CauseWords {
	out := make(map[string]export.CauseWords)
	for _, r := range catalogue.Whole() {
		w, _ := v.PlainWords(r.Code)
		out[r.Code] = export.CauseWords{Title: catalogue.Title(r.Code, v.Language), Owner: w.Owner, Next: w.Next}
	}
	return out
}

// readAgreedLines returns the lines of the contract that the run used, for the kinds that show them; nil if none does.
// The contract may have been edited since, so the one that the ledger stored is read.
func (b *jobBuilder) readAgreedLines(ctx context.Context, kinds []report.Kind) (map[string]report.AgreedLine, error) {
	if !slices.Contains(kinds, report.FeesKind) && !slices.Contains(kinds, report.ClaimsKind) {
		return nil, nil
	}
	contracts := b.inputs.Contracts
	if hash := b.run.Documents["contract"]; hash != contracts.Hash() {
		_, text, err := b.ledger.Document(ctx, hash)
		if err != nil {
			return nil, fmt.Errorf("contract of run %s: %w", b.run.ID, err)
		}
		if contracts, err = agreements.ParseContracts("contract of run "+b.run.ID, text); err != nil {
			return nil, err
		}
	}
	out := make(map[string]report.AgreedLine)
	all := contracts.All()
	for i := range all {
		k := &all[i]
		for j := range k.Lines {
			l := &k.Lines[j]
			out[l.ID] = report.AgreedLine{
				From: k.ValidFrom, To: k.ValidTo, MDR: l.MDR, Anticipation: l.Anticipation,
				TransactionFee: l.TransactionFee, AntifraudFee: l.AntifraudFee, PerSale: l.FeeBasis == agreements.PerSale,
			}
		}
	}
	return out, nil
}

// readActLogEnds returns the current ends of the logs of acts: of the accounts, and of acts without an account.
func (b *jobBuilder) readActLogEnds(ctx context.Context, accounts []Account) ([]ledger.ActLogEnd, error) {
	numbers := []ledger.Account{0}
	for _, a := range accounts {
		numbers = append(numbers, a.Number)
	}
	out := make([]ledger.ActLogEnd, len(numbers))
	for i, n := range numbers {
		var err error
		if out[i], err = b.ledger.ActLogEnd(ctx, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readChainEnds returns where the ledger's chains end now: of the records of runs, and of the accounts.
func (b *jobBuilder) readChainEnds(ctx context.Context, accounts []Account) ([]ledger.ChainEnd, error) {
	numbers := make([]ledger.Account, len(accounts))
	for i, a := range accounts {
		numbers[i] = a.Number
	}
	return b.ledger.ChainEnds(ctx, numbers)
}

// newStatement returns what a statement of the set needs; nothing if the set has none. It opens with the closing
// balance of the current statement that ended the day before; if there is none, with the balance that such statements
// would have.
func (b *jobBuilder) newStatement(ctx context.Context, kinds []report.Kind) (export.StatementTerms, error) {
	run, set := b.run, &b.set
	terms := export.StatementTerms{Net: b.reports.NetStatement}
	if !slices.Contains(kinds, report.StatementKind) || len(set.accounts) != 1 {
		return terms, nil
	}
	standing, err := b.ledger.StandingBefore(ctx, set.name, string(set.basis), set.filter.Canonical(), set.period.From, run.ID)
	if err != nil {
		return terms, err
	}
	standing = set.withMade(standing)
	made := "" // the run of the statement before; of two that end on that day, the later run
	for i := range standing {
		s := &standing[i]
		name := fmt.Sprintf("%s_%s_%s_%s_r%d", s.Account, s.Basis, s.Period.From.Compact(), s.Period.To.Compact(), s.Revision)
		e, ok := export.EarlierStatementOf(name, s.Period, s.Tables)
		if !ok {
			continue
		}
		terms.Earlier = append(terms.Earlier, e)
		if s.Period.To == set.period.From-1 && s.Run >= made {
			made, terms.Opening, terms.OpeningFrom = s.Run, e.Closing, "closing balance of "+name
		}
	}
	if terms.OpeningFrom != "" {
		return terms, nil
	}
	since, err := readFirstDay(ctx, b.ledger, set.accounts[0], run.AsOf)
	if err != nil {
		return terms, err
	}
	terms.OpeningFrom = "entries since " + since.String()
	if since >= set.period.From {
		return terms, nil
	}
	rows, err := b.newReportSource(ctx)
	if err != nil {
		return terms, err
	}
	query := rows.Query
	query.Account, query.Period = set.accounts[0].Number, ledger.Period{From: since, To: set.period.From - 1}
	sums, err := b.ledger.Sums(ctx, query, terms.Table(), b.inputs.Profile.Unit)
	if err != nil {
		return terms, err
	}
	terms.Opening = ledger.Amount(sums.Columns["credits"] - sums.Columns["debits"])
	return terms, nil
}

// withMade replaces revisions by those that were rendered and not recorded yet and that supersede them.
func (s *setRequest) withMade(standing []reports.Set) []reports.Set {
	for _, m := range s.madeEarlier {
		if m.Basis != string(s.basis) || m.Filter != s.filter.Canonical() || m.Period.To >= s.period.From {
			continue
		}
		standing = slices.DeleteFunc(standing, func(k reports.Set) bool { return k.Period == m.Period })
		standing = append(standing, *m)
	}
	slices.SortStableFunc(standing, func(a, b reports.Set) int {
		return cmp.Or(cmp.Compare(a.Period.To, b.Period.To), cmp.Compare(a.Period.From, b.Period.From))
	})
	return standing
}

// addBridgeFacts adds the bridge of the set's account to control: the rows whose sale day or due date is in the period.
func (b *jobBuilder) addBridgeFacts(ctx context.Context, a ledger.Account, f *export.Facts) error {
	run, set := b.run, &b.set
	lines, err := b.ledger.BridgeLines(ctx, a, run.ID)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if set.containsDay(l.Day) {
			f.Bridge = append(f.Bridge, l)
		}
	}
	var days ledger.Period // all
	if set.basis != report.ByAsOf {
		days = set.period
	}
	rows, err := b.sums.Differences(ctx, b.ledger, a, days)
	if err != nil {
		return err
	}
	outside, err := b.sumSplitsOutside(ctx, a)
	if err != nil {
		return err
	}
	for _, side := range []string{"cards", "slips"} {
		total := export.BridgeSide{Side: side}
		if side == ledger.Cards.Side() {
			total.SplitOutside = outside
		}
		for _, r := range rows {
			if r.Side == side {
				total.Difference += r.Amount
			}
		}
		f.Sides = append(f.Sides, total)
	}
	return nil
}

// sumSplitsOutside returns what the cases of splits cost on the rows of the set if splits are paid out of what is
// received, which is outside the bridge; 0 if they are deducted before.
func (b *jobBuilder) sumSplitsOutside(ctx context.Context, a ledger.Account) (ledger.Amount, error) {
	if b.inputs.Profile.NetOfSplits {
		return 0, nil
	}
	var codes []string
	for _, o := range catalogue.CardOwners() {
		if o.Line == ledger.LineSplit {
			codes = append(codes, o.Owners...)
		}
	}
	return b.ledger.SplitsOutside(ctx, b.set.queryFor(b.run, a), codes)
}

// addToleranceFacts adds to control what the rules tolerated on the rows of the set, for each month of the sale or due
// date, with the budget of that month.
func (b *jobBuilder) addToleranceFacts(ctx context.Context, a ledger.Account, f *export.Facts) error {
	tolerated, err := b.ledger.ToleratedOn(ctx, b.set.queryFor(b.run, a))
	if err != nil {
		return err
	}
	populations, err := b.ledger.PopulationsOfRun(ctx, a, b.run.ID)
	if err != nil {
		return err
	}
	for _, budget := range reconcile.MonthBudgets(populations, tolerated) {
		most, err := budget.Most(b.inputs.Settings)
		if err != nil {
			return err
		}
		f.Tolerance = append(f.Tolerance, export.Tolerance{Code: budget.Code, Month: budget.Month, Used: budget.Tolerated, Budget: most})
	}
	return nil
}

// newReportSource returns the source of a set's rows as of the run that reconciled them: what was pulled or decided
// since belongs to a later run.
func (b *jobBuilder) newReportSource(ctx context.Context) (*source.ReportSource, error) {
	run, set := b.run, &b.set
	f := &source.ReportSource{
		Ledger: b.ledger, Unit: b.inputs.Profile.Unit, AsOf: run.AsOf, Calendar: b.inputs.Calendar, Query: set.queryFor(run, 0),
	}
	for _, a := range set.accounts {
		f.Accounts = append(f.Accounts, a.Number)
	}
	if set.basis != report.ByAsOf {
		return f, nil
	}
	since, err := b.ledger.StateBefore(ctx, set.name, set.period.To, run.ID, string(report.ExceptionsKind))
	f.State = &source.StateSet{
		AsOf: set.period.To, Since: since, Voice: b.voice(), Mapping: b.inputs.Mapping,
		NetOfSplits: b.inputs.Profile.NetOfSplits, ForecastDays: b.reports.ForecastDays, Claims: b.readClaims,
	}
	return f, err
}

// retiredBefore returns what was deleted of a set's account since its last state set; the control of a state set shows
// it.
func (b *jobBuilder) retiredBefore(ctx context.Context) (out export.RetiredFiles, err error) {
	set := &b.set
	if !b.retires || set.basis != report.ByAsOf || set.filter.Canonical() != "" || set.extract {
		return out, nil
	}
	since, sets, err := b.ledger.RetiredSince(ctx, set.name, set.period.To)
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
