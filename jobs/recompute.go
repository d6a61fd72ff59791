package jobs

import (
	"context"
	"errors"
	"fmt"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/setplan"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
)

// ErrOtherLayout is the error of a published revision whose content digest cannot be computed, because its layout is another
// program's.
var ErrOtherLayout = errors.New("the report set is in a layout of another program")

// RecomputeDigest computes the content digest of a published revision from the ledger as of its run, with the documents of that
// run and the stored inputs of the rendering. It fails with ErrOtherLayout if that is not possible. Temporary files are below
// staging until it returns.
func (w *Worker) RecomputeDigest(ctx context.Context, kept *published.Set, staging string) (string, error) {
	in, err := export.ReadInputs(kept.Inputs)
	if err != nil || !in.HasCurrentLayout() {
		return "", errors.Join(ErrOtherLayout, err)
	}
	steps := w.newTask()
	if kept.Basis == string(report.ByMovement) {
		return recomputeMovement(ctx, steps.newBooks(), kept, in, staging)
	}
	if kept.Basis == string(report.ByPosting) {
		return recomputeJournal(ctx, steps.newBooks(), kept, in, staging)
	}
	run, err := w.Ledger.RunByID(ctx, kept.Run)
	if err != nil {
		return "", err
	}
	filter, err := export.ParseFilter(kept.Filter)
	if err != nil {
		return "", err
	}
	terms, err := setplan.ReadInputsOfRun(ctx, w.Ledger, &w.Inputs, run)
	if err != nil {
		return "", err
	}
	set := reportset.Request{
		Name: kept.Account, Basis: report.Basis(kept.Basis), Period: kept.Period, Kinds: in.Kinds, Formats: in.Formats, Filter: filter,
		Inputs: &terms, Voice: &catalogue.Voice{Language: string(in.Language), Service: in.Service},
	}
	for _, a := range in.AccountsOf(kept.Account) {
		set.Accounts = append(set.Accounts, Account{Number: a})
	}
	job := in.Job(kept.Account, set.Basis, kept.Period, filter, kept.AsOf)
	job.Words = reportset.CollectCauseWords(*set.Voice)
	builder := steps.newJobBuilder(run, nil, set)
	if job.Agreed, err = builder.ReadAgreedLines(ctx, in.Kinds); err != nil {
		return "", err
	}
	answers, err := builder.NewReportSource(ctx)
	if err != nil {
		return "", err
	}
	answers.Unit, answers.MonthSides = in.Unit, in.Months
	if answers.State != nil {
		answers.State.ForecastDays = in.ForecastDays
	}
	return render.Recompute(ctx, job, answers, staging)
}

// recomputeMovement computes the content digest of a published set of the movement from its events.
func recomputeMovement(ctx context.Context, b *reportset.BookReader, kept *published.Set, in *export.Inputs, staging string) (string, error) {
	cuts, err := b.CutsOf(ctx, kept)
	if err != nil {
		return "", err
	}
	job := in.Job(kept.Account, report.ByMovement, kept.Period, report.Filter{}, kept.AsOf)
	if job.Movement, err = b.NewMovement(ctx, cuts, nil); err != nil {
		return "", err
	}
	events := b.EventsOf(cuts)
	if in.Journal != nil {
		if err := b.AddSetJournal(ctx, &job, events, in.Journal, cuts, false); err != nil {
			return "", err
		}
	}
	return render.Recompute(ctx, job, events, staging)
}

// recomputeJournal computes the content digest of a published journal from the entries that were there.
func recomputeJournal(ctx context.Context, b *reportset.BookReader, kept *published.Set, in *export.Inputs, staging string) (string, error) {
	accounts := (&export.Inputs{}).AccountsOf(kept.Account)
	if len(accounts) != 1 || in.Journal == nil {
		return "", fmt.Errorf("account %s has no journal", kept.Account)
	}
	job := in.Job(kept.Account, report.ByPosting, kept.Period, report.Filter{}, kept.AsOf)
	var err error
	if job.Journal, err = b.NewJournal(ctx, accounts[0], in.Journal, kept.Period, in.JournalSet); err != nil {
		return "", err
	}
	return render.Recompute(ctx, job, b.EntriesOf(accounts[0], &job), staging)
}

// PayerForgottenSince reports whether a published set shows payers of whom one may have been forgotten since its run: the ledger's rows no
// longer give its content digest then.
func PayerForgottenSince(ctx context.Context, l *store.Ledger, kept *published.Set) (bool, error) {
	in, err := export.ReadInputs(kept.Inputs)
	if err != nil || !in.IdentifiesPayers() {
		return false, err
	}
	acts, err := l.Acts(ctx, caselog.ActFilter{Verbs: []ledger.Verb{casework.ForgetVerb}, Since: kept.Published})
	return len(acts) > 0, err
}
