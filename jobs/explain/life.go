package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
	"concilia/store/results"
)

// evidence tells of the answers that brought the record, and of those that showed it last.
func (e *explaining) evidence(ctx context.Context) error {
	ids := append(slices.Clone(e.pulls), e.shown...)
	pulls, err := e.Ledger.PullsByID(ctx, e.f.Account, ids)
	if err != nil {
		return err
	}
	all := make([]ledger.Pull, 0, len(pulls))
	for _, p := range pulls {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b ledger.Pull) int { return a.Began.Compare(b.Began) })
	for _, p := range all {
		kept, err := e.Ledger.BodyKept(ctx, p.SHA256)
		if err != nil {
			return err
		}
		e.out.Evidence = append(e.out.Evidence, Pull{
			Pull: p.ID, Source: string(p.Window.Source), From: p.Window.Period.From.String(), To: p.Window.Period.To.String(),
			Began: p.Began.UTC(), Complete: p.Complete, Rows: p.Counts.Rows, SHA256: p.SHA256, Kept: kept,
		})
	}
	for i := range e.out.Versions {
		e.out.Versions[i].Began = pulls[e.out.Versions[i].Pull].Began.UTC()
	}
	return nil
}

// life tells of related cases, of what became of this one, and of what people did.
func (e *explaining) life(ctx context.Context) error {
	if len(e.f.Related) > 0 {
		err := e.Ledger.Findings(ctx, results.FindingFilter{Cases: e.f.Related}, func(f *ledger.Finding) error {
			e.out.Related = append(e.out.Related, Related{f.Case, f.Code, string(f.State), rules.Explain(*f, e.lang)})
			return nil
		})
		if err != nil {
			return err
		}
	}
	events, err := e.Ledger.FindingEvents(ctx, e.f.Case)
	if err != nil {
		return err
	}
	for _, v := range events {
		g := &v.Finding
		e.out.History = append(e.out.History, Event{v.AsOf, v.Run, string(g.State), g.Expected.String(), g.Actual.String(), amountText(g.Impact)})
	}
	acts, err := e.Ledger.Acts(ctx, results.ActFilter{Accounts: []ledger.Account{e.f.Account}, Subjects: []string{e.f.Case}})
	if err != nil {
		return err
	}
	for _, a := range acts {
		act := Act{At: a.At.UTC(), Verb: string(a.Verb), Stage: string(a.Stage), Actor: a.Actor, Reason: a.Reason}
		if err := json.Unmarshal([]byte(a.Parameters), &act.Parameters); err != nil {
			return fmt.Errorf("act %d of account %s: its parameters: %w", a.Number, a.Account, err)
		}
		e.out.Acts = append(e.out.Acts, act)
	}
	return nil
}
