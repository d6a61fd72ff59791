package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"concilia/export"
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

// tell fills what the summary says of accounts and money.
func (w *Worker) tell(ctx context.Context, run *ledger.Run, s *Summary, j *judged) error {
	s.Totals = &export.Totals{}
	for _, a := range w.Accounts {
		r := j.results[a.Number]
		verdict := r.Verdict
		if failedFor(s.FailedWindows, a.Number) {
			verdict = ledger.Incomplete
		}
		s.Verdict = s.Verdict.Worse(verdict)
		s.Accounts = append(s.Accounts, AccountSummary{Account: a.Number, Verdict: verdict, Withheld: w.withheldNames(j, a.Number)})
		since, err := w.since(ctx, a, run.AsOf)
		if err != nil {
			return err
		}
		for _, p := range nightPeriods(run.AsOf, since) {
			s.span(p)
			if err := w.addTotals(ctx, s.Totals, a.Number, p); err != nil {
				return err
			}
		}
	}
	return w.gravest(ctx, s)
}

// span widens the period that the totals are of.
func (s *Summary) span(p ledger.Period) {
	if s.Period.From == 0 || p.From < s.Period.From {
		s.Period.From = p.From
	}
	s.Period.To = max(s.Period.To, p.To)
}

func failedFor(pulls []ledger.Pull, a ledger.Account) bool {
	return slices.ContainsFunc(pulls, func(p ledger.Pull) bool { return p.Window.Account == a })
}

// addTotals adds an account's operation period, as the ledger sums it.
func (w *Worker) addTotals(ctx context.Context, t *export.Totals, a ledger.Account, p ledger.Period) error {
	q := store.Query{Account: a, Basis: string(export.ByOperation), Period: p}
	cards, err := w.Ledger.Sums(ctx, q, "summary", w.Terms.Profile.Unit)
	if err != nil {
		return fmt.Errorf("totals of cards: %w", err)
	}
	slips, err := w.Ledger.Sums(ctx, q, "slips-summary", w.Terms.Profile.Unit)
	if err != nil {
		return fmt.Errorf("totals of slips: %w", err)
	}
	card := func(column string) ledger.Amount { return ledger.Amount(cards.Columns[column]) }
	slip := func(column string) ledger.Amount { return ledger.Amount(slips.Columns[column]) }
	t.Add(export.Totals{
		Cards: &export.CardTotals{
			Gross: card("gross"), NetExpected: card("net_expected"), NetContract: card("net_contract"),
			Received: card("received"), NotDue: card("not_due"), Overdue: card("overdue"), Blocked: card("blocked"),
			Difference: card("difference"), CancelledGross: card("cancelled_gross"),
			CancelledReceived: card("cancelled_received"),
		},
		Slips: &export.SlipTotals{
			Issued: slip("issued"), Paid: slip("paid"), Credited: slip("credited"), Overdue: slip("overdue"),
			Difference: slip("difference"),
		},
	})
	return nil
}

// gravest notes the gravest severity among the open cases of the run's accounts.
func (w *Worker) gravest(ctx context.Context, s *Summary) error {
	filter := store.FindingFilter{
		Accounts: w.numbers(), States: []ledger.State{ledger.Opened, ledger.Reopened},
		Severities: []ledger.Severity{ledger.Critical, ledger.Error, ledger.Warning},
	}
	return w.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if s.Worst == "" || f.Severity.Rank() < s.Worst.Rank() {
			s.Worst = f.Severity
		}
		return nil
	})
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
