package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/export"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// recordProof keeps what a publication says of the files of a set: one that was refused because it does not say what the ledger
// says leaves a critical case on the file, with its figures; a set that is published, or stands as it was, resolves those
// of its files. It gives back what the publication failed with. Nothing published shows such cases: whether a file ties
// can't stand in it.
func (w *Worker) recordProof(ctx context.Context, run *ledger.Run, set setRequest, failed error) error {
	var tie *export.TieError
	refused := errors.As(failed, &tie)
	if failed != nil && !refused {
		return failed
	}
	name := export.SetName(set.name, set.basis, set.period, set.filter.Canonical())
	account := set.accounts[0].Number
	if refused {
		return errors.Join(failed, w.openProofCase(ctx, run, account, name, tie))
	}
	var over []ledger.Finding
	filter := results.FindingFilter{Accounts: []ledger.Account{account}, Codes: []string{runs.ProofFailed}}
	err := w.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if f.State.IsUnresolved() && strings.Contains(f.Subject, "_"+name+".") {
			over = append(over, *f)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range over {
		f := &over[i]
		f.State, f.LastRun, f.LastSeen = ledger.Resolved, run.ID, run.AsOf
		f.WaivedUntil, f.WaivedCap = 0, ledger.Opt[ledger.Amount]{}
		if err := w.Ledger.WriteCase(ctx, run, f, true); err != nil {
			return err
		}
	}
	return nil
}

// openProofCase opens the case of a file of the set, or tells what it says now; what a person did with it stays.
func (w *Worker) openProofCase(ctx context.Context, run *ledger.Run, a ledger.Account, set string, tie *export.TieError) error {
	f := newProofCase(run, a, set, tie)
	prior, err := w.Ledger.FindingByCase(ctx, f.Case)
	if errors.Is(err, sqldb.ErrNotFound) {
		return w.Ledger.WriteCase(ctx, run, &f, true)
	}
	if err != nil {
		return err
	}
	f.FirstSeen, f.FirstRun = prior.FirstSeen, prior.FirstRun
	f.Assignee, f.Reference, f.Comment = prior.Assignee, prior.Reference, prior.Comment
	if prior.State.IsUnresolved() {
		f.State, f.OpenedOn, f.WaivedUntil, f.WaivedCap = prior.State, prior.OpenedOn, prior.WaivedUntil, prior.WaivedCap
	} else {
		f.State = ledger.Reopened
	}
	return w.Ledger.WriteCase(ctx, run, &f, f.State != prior.State || !f.SameNumbers(prior))
}

// newProofCase is the sight of it. The file is named as it would have been, without a revision: it never got one.
func newProofCase(run *ledger.Run, a ledger.Account, set string, tie *export.TieError) ledger.Finding {
	what, ext, _ := strings.Cut(tie.File, ".")
	file := what + "_" + set + "." + ext
	f := ledger.Finding{
		Account: a, Code: runs.ProofFailed, RuleVersion: 1, Subject: ledger.Subject("file", a, file), Severity: ledger.Critical,
		State: ledger.Opened, FirstSeen: run.AsOf, OpenedOn: run.AsOf, LastSeen: run.AsOf, FirstRun: run.ID, LastRun: run.ID,
		Numbers: []ledger.Number{{Name: "file", Value: file}},
	}
	if r, ok := catalogue.Find(runs.ProofFailed); ok {
		f.RuleVersion = r.Version
	}
	f.Case = ledger.CaseID(a, f.Subject, f.Code)
	if tie.Problem != nil {
		f.Numbers = append(f.Numbers, ledger.Number{Name: "why", Value: tie.Problem.Error()})
		return f
	}
	figure := func(name string, v ledger.Opt[int64]) {
		if v.OK {
			f.Numbers = append(f.Numbers, ledger.Number{Name: name, Value: ledger.Amount(v.V).String()})
		}
	}
	f.Numbers = append(f.Numbers, ledger.Number{Name: "measure", Value: tie.Measure})
	figure("ledger", tie.Ledger)
	figure("writer", ledger.Some(tie.Writer))
	figure("read", tie.Read)
	if tie.Ledger.OK {
		f.Expected, f.Actual = ledger.Text(fmt.Sprint(ledger.Amount(tie.Ledger.V))), ledger.Text(fmt.Sprint(ledger.Amount(tie.Writer)))
		if tie.Read.OK && tie.Writer == tie.Ledger.V {
			f.Actual = ledger.Text(fmt.Sprint(ledger.Amount(tie.Read.V)))
		}
	}
	return f
}
