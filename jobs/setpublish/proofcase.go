package setpublish

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RecordProof records the proof of a set's files. If a file was refused because it differs from the ledger, a critical
// case on the file is opened; if the set is published or unchanged, the cases on its files are resolved. It returns the
// error of the publication. No published file shows these cases.
func RecordProof(ctx context.Context, l *store.Ledger, run *ledger.Run, set reportset.Request, failed error) error {
	var tie *control.MismatchError
	refused := errors.As(failed, &tie)
	if failed != nil && !refused {
		return failed
	}
	name := manifest.SetName(set.Name, set.Basis, set.Period, set.Filter.Canonical())
	account := set.Accounts[0].Number
	if refused {
		return errors.Join(failed, openProofCase(ctx, l, run, account, name, tie))
	}
	var over []ledger.Finding
	filter := caselog.FindingFilter{Accounts: []ledger.Account{account}, Codes: []string{runs.ProofFailed}}
	err := l.Findings(ctx, filter, func(f *ledger.Finding) error {
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
		if err := l.WriteCase(ctx, run, f, true); err != nil {
			return err
		}
	}
	return nil
}

// openProofCase opens the case of a file of the set, or updates it; what a person decided about it stays.
func openProofCase(ctx context.Context, l *store.Ledger, run *ledger.Run, a ledger.Account, set string, tie *control.MismatchError) error {
	f := newProofCase(run, a, set, tie)
	prior, err := l.FindingByCase(ctx, f.Case)
	if errors.Is(err, sqldb.ErrNotFound) {
		return l.WriteCase(ctx, run, &f, true)
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
	return l.WriteCase(ctx, run, &f, f.State != prior.State || !f.SameNumbers(prior))
}

// newProofCase returns the case of a refused file. The file is named without a revision, because it never got one.
func newProofCase(run *ledger.Run, a ledger.Account, set string, tie *control.MismatchError) ledger.Finding {
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
