package reportset

import (
	"context"
	"fmt"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/agreements"
	"concilia/jobs/casework"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/ledger"
)

// Builder collects what the rendering of one set needs, as of the run that reconciled its accounts.
type Builder struct {
	Ledger        *store.Ledger
	Inputs        *reconcile.Inputs
	Reports       *Settings
	SlipDaysAhead int  // days for which slips are pulled by future due dates
	Retires       bool // published files are deleted some day
	Run           *ledger.Run
	Verdicts      *Verdicts
	Set           Request
	Sums          *source.RunSums // of the run; nil: not remembered
}

// NewJob describes the rendering of one set: what is requested, and the results of the run.
func (b *Builder) NewJob(ctx context.Context) (export.Job, error) {
	job, err := b.DescribeJob(ctx)
	if err == nil {
		job.Facts, err = (&factCollector{b}).collectFacts(ctx, &job)
	}
	return job, err
}

// DescribeJob is NewJob without Facts, which take as long as a part of the rows to read.
func (b *Builder) DescribeJob(ctx context.Context) (export.Job, error) {
	run, set := b.Run, &b.Set
	kinds, withheld, err := b.Verdicts.ChoosePublishable(set)
	if err != nil {
		return export.Job{}, err
	}
	job := export.Job{
		Kinds: kinds, Withheld: withheld, Account: set.Name, Basis: set.Basis, Period: set.Period, Filter: set.Filter, Formats: set.Formats,
		AsOf: run.AsOf, Language: b.Reports.Language, Service: b.Reports.Service, ConsoleURL: b.Reports.ConsoleURL, Identified: b.Reports.Identified, Unit: b.Inputs.Profile.Unit,
		NetOfSplits: b.Inputs.Profile.NetOfSplits, Documents: DocumentsOf(run, set.Accounts),
		ForecastDays: b.Reports.ForecastDays, SlipsKnownTo: run.AsOf + ledger.Date(b.SlipDaysAhead),
		EDIProfile: b.Reports.EDIProfile, Words: CollectCauseWords(b.newVoice()), Extract: set.Extract,
	}
	if !set.IsOfAllAccounts() {
		job.Block = set.Accounts[0].Block
	}
	if job.Agreed, err = b.ReadAgreedLines(ctx, job.Kinds); err != nil {
		return job, err
	}
	if job.WithoutContract, err = b.listWithoutContract(ctx, job.Kinds); err != nil {
		return job, err
	}
	if job.Months, err = b.readMonthSides(ctx, job.Kinds); err != nil {
		return job, err
	}
	if job.Kinds, err = b.dropBankWithoutOne(ctx, job.Kinds); err != nil {
		return job, err
	}
	if job.BankColumns, err = b.isPaidIntoBank(ctx, job.Kinds); err != nil {
		return job, err
	}
	if job.Kinds, err = b.dropSalesWithoutStore(ctx, job.Kinds); err != nil {
		return job, err
	}
	job.Statement, err = b.newStatement(ctx, job.Kinds)
	return job, err
}

// newVoice is how the texts of the set are worded.
func (b *Builder) newVoice() catalogue.Voice {
	if b.Set.Voice != nil {
		return *b.Set.Voice
	}
	return catalogue.Voice{Language: string(b.Reports.Language), Service: b.Reports.Service}
}

// CollectCauseWords returns the texts of every code; for a possible cause, also who takes which step.
func CollectCauseWords(v catalogue.Voice) map[string]export.CauseWords {
	out := make(map[string]export.CauseWords)
	for _, r := range catalogue.Whole() {
		w, _ := v.PlainWords(r.Code)
		out[r.Code] = export.CauseWords{Title: catalogue.Title(r.Code, v.Language), Owner: w.Owner, Next: w.Next}
	}
	return out
}

// ReadContracts returns the contracts that a run used. They may have been edited since, so those that the ledger stored are read.
func ReadContracts(ctx context.Context, l *store.Ledger, in *reconcile.Inputs, run *ledger.Run) (*agreements.Contracts, error) {
	hash := run.Documents["contract"]
	if hash == "" || hash == in.Contracts.Hash() {
		return in.Contracts, nil
	}
	_, text, err := l.Document(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("contract of run %s: %w", run.ID, err)
	}
	return agreements.ParseContracts("contract of run "+run.ID, text)
}

// listWithoutContract returns the accounts of the set that no contract covered on the run's day, for a forecast; nil without one.
func (b *Builder) listWithoutContract(ctx context.Context, kinds []report.Kind) (out []ledger.Account, err error) {
	if !slices.Contains(kinds, report.ForecastKind) {
		return nil, nil
	}
	contracts, err := ReadContracts(ctx, b.Ledger, b.Inputs, b.Run)
	if err != nil {
		return nil, err
	}
	for _, a := range b.Set.Accounts {
		if _, ok := contracts.FindContract(a.Number, b.Run.AsOf); !ok {
			out = append(out, a.Number)
		}
	}
	return out, nil
}

// ReadAgreedLines returns the lines of the contract that the run used, for the kinds that show them; nil if none does.
func (b *Builder) ReadAgreedLines(ctx context.Context, kinds []report.Kind) (map[string]report.AgreedLine, error) {
	if !slices.Contains(kinds, report.FeesKind) && !slices.Contains(kinds, report.ClaimsKind) {
		return nil, nil
	}
	contracts, err := ReadContracts(ctx, b.Ledger, b.Inputs, b.Run)
	if err != nil {
		return nil, err
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

// NewReportSource returns the source of a set's rows as of the run that reconciled them: what was pulled or decided
// since belongs to a later run.
func (b *Builder) NewReportSource(ctx context.Context) (*source.ReportSource, error) {
	run, set := b.Run, &b.Set
	f := source.New(source.Set{
		Ledger: b.Ledger, Unit: b.Inputs.Profile.Unit, AsOf: run.AsOf, Calendar: b.Inputs.Calendar, Query: set.queryFor(run, 0),
	})
	for _, a := range set.Accounts {
		f.Accounts = append(f.Accounts, a.Number)
	}
	if set.Basis != report.ByAsOf {
		return f, nil
	}
	since, err := b.Ledger.StateBefore(ctx, set.Name, set.Period.To, run.ID, string(report.ExceptionsKind))
	f.State = &source.StateSet{
		AsOf: set.Period.To, Since: since, Voice: b.newVoice(), Mapping: b.Inputs.Mapping,
		NetOfSplits: b.Inputs.Profile.NetOfSplits, ForecastDays: b.Reports.ForecastDays, Claims: b.readClaims,
	}
	return f, err
}

// DocumentsOf returns the hashes of the documents that a set depends on: the inputs, and the calendars of its own
// accounts.
func DocumentsOf(run *ledger.Run, accounts []Account) map[string]string {
	out := map[string]string{}
	for _, name := range []string{"contract", "mapping", "profile", "rules", "register", "orders"} {
		if hash := run.Documents[name]; hash != "" {
			out[name] = hash
		}
	}
	for _, a := range accounts {
		name := "calendar"
		if len(accounts) > 1 {
			name += " " + a.Number.String()
		}
		out[name] = run.Documents["calendar "+a.Number.String()]
	}
	return out
}

// readClaims returns the claims of an account as of a run, in the words of the set.
func (b *Builder) readClaims(ctx context.Context, a ledger.Account, run string) ([]report.Claim, error) {
	voice := b.newVoice()
	claims, err := casework.ListClaims(ctx, b.Ledger, casework.ClaimFilter{Accounts: []ledger.Account{a}, AsOfRun: run}, voice)
	out := make([]report.Claim, 0, len(claims))
	for i := range claims {
		c := &claims[i]
		f := &c.Finding
		step, _ := voice.PlainWords(f.Code)
		out = append(out, report.Claim{
			Account: f.Account, Case: f.Case, Code: f.Code, Subject: f.Subject, Brand: f.Brand, Sentence: c.Sentence, Owner: step.Owner,
			Reference: c.Reference, ClaimedOn: c.ClaimedOn, FollowUp: c.FollowUp, AnsweredOn: c.AnsweredOn, RecoveredOn: c.RecoveredOn, Answer: c.Answer,
			Claimed: c.Claimed, Recovered: c.Recovered, Open: c.Open, GivenUp: c.GivenUp, State: string(c.State),
		})
	}
	return out, err
}
