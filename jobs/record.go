package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"time"

	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
)

// leaseLife is how long a lease lives without being renewed.
const leaseLife = 15 * time.Second

// begin takes the lease of every account, keeps the documents and opens the run record. release gives the lease back.
// A run that was killed is taken up again under its own name, so that what it had pulled counts as pulled by this one.
func (w *Worker) begin(ctx context.Context, kind ledger.RunKind, asOf ledger.Date) (*ledger.Run, func(), error) {
	began := w.Wall().UTC()
	run := &ledger.Run{
		ID: ledger.RunID(began, w.Tail()), Kind: kind, Trigger: "person", AsOf: asOf, Clock: w.Clock, Began: began,
		Engine: w.Engine, Accounts: w.numbers(), Documents: map[string]string{"config": w.Config},
	}
	for _, doc := range w.documents() {
		run.Documents[doc.name] = doc.hash()
	}
	killed, err := w.killed(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	if killed != nil {
		run = killed
	}
	lease, err := w.Ledger.Hold(ctx, run.ID, run.Accounts, leaseLife)
	if err != nil {
		return nil, nil, err
	}
	release := func() {
		// A lease that cannot be given back expires by itself.
		_ = lease.Release(context.WithoutCancel(ctx))
	}
	if killed == nil {
		if err := w.open(ctx, run); err != nil {
			release()
			return nil, nil, err
		}
	}
	return run, release, nil
}

// killed is the night like run that was begun last and did not end, or nil.
func (w *Worker) killed(ctx context.Context, run *ledger.Run) (*ledger.Run, error) {
	if run.Kind != ledger.Nightly {
		return nil, nil
	}
	last, err := w.Ledger.UnfinishedRun(ctx, run.Kind, run.AsOf)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	same := last.Engine == run.Engine && last.Clock == run.Clock && slices.Equal(last.Accounts, run.Accounts) &&
		maps.Equal(last.Documents, run.Documents)
	if !same {
		return nil, nil
	}
	return last, nil
}

func (w *Worker) open(ctx context.Context, run *ledger.Run) error {
	for _, doc := range w.documents() {
		if err := w.Ledger.KeepDocument(ctx, doc.kind, doc.hash(), doc.text); err != nil {
			return err
		}
	}
	if last, err := w.Ledger.LastRun(ctx, run.Kind); err == nil {
		run.Previous = last.ID
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return w.Ledger.BeginRun(ctx, run)
}

// document is an input as it was used. Each account's calendar is one of its own.
type document struct {
	name, kind string
	text       []byte
}

func (d document) hash() string {
	sum := sha256.Sum256(d.text)
	return hex.EncodeToString(sum[:])
}

func (w *Worker) documents() []document {
	docs := []document{
		{"contract", "contract", w.Terms.Contracts.Text()},
		{"mapping", "mapping", w.Terms.Mapping.Text()},
		{"profile", "profile", w.Terms.Profile.Text()},
		{"rules", "rules", []byte(rules.Versions() + w.Terms.Settings.Text())},
	}
	for _, a := range w.Accounts {
		docs = append(docs, document{"calendar " + a.Number.String(), "calendar", w.Terms.Calendar(a.Number).Text()})
	}
	return docs
}

// documentsOf are the hashes a set rests on: those of the inputs, and of its own account's calendar.
func documentsOf(run *ledger.Run, accounts []Account) map[string]string {
	out := map[string]string{}
	for _, name := range []string{"contract", "mapping", "profile", "rules"} {
		out[name] = run.Documents[name]
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

// end writes the run record for the last time.
func (w *Worker) end(ctx context.Context, run *ledger.Run, s *Summary, j *judged) error {
	run.Ended, run.Verdict, run.ExitCode = w.Wall().UTC(), s.Verdict, s.ExitCode()
	if j != nil {
		run.Verdicts = map[ledger.Account]ledger.Verdict{}
		for _, a := range s.Accounts {
			run.Verdicts[a.Account] = a.Verdict
		}
	}
	return w.Ledger.EndRun(ctx, run)
}
