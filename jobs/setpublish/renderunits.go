package setpublish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/jobs/queue"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// nightlyPublication is the publication of the sets of a nightly run, whose accounts have these verdicts.
type nightlyPublication struct {
	*publication
	verdicts *reportset.Verdicts
}

// publishSets publishes the sets: those of each account in one unit of work, here or by a worker on another machine, then those over all
// accounts.
func (n *nightlyPublication) publishSets(ctx context.Context, sets []reportset.Request) error {
	if len(sets) == 0 {
		return nil
	}
	n.Progress.Step("publish", len(sets))
	units, err := n.planUnits(ctx, sets)
	if err != nil {
		return err
	}
	did := n.Queue.Do(ctx, unfinishedUnits(units), func(ctx context.Context, u ledger.WorkUnit) error {
		return n.renderUnit(ctx, n.run, u, n.publication)
	})
	if did != nil && !publish.IsArchiveError(did) {
		return did
	}
	if err := errors.Join(did, n.gatherResults(ctx, units)); err != nil {
		if publish.IsArchiveError(err) {
			n.Progress.Done(words.NewMessage("steps.no_archive"))
		}
		return err
	}
	together := slices.DeleteFunc(slices.Clone(sets), func(s reportset.Request) bool { return !s.IsOfAllAccounts() })
	if err := n.publishEach(ctx, n.verdicts, together); err != nil {
		return err
	}
	left, err := ListLeftUnits(ctx, n.Ledger, n.run)
	if err == nil {
		also := make([]words.Message, len(left))
		for i, why := range left {
			also[i] = words.NewMessage("problem.text", "cause", why)
		}
		n.endStep(len(sets), also...)
	}
	return err
}

// unfinishedUnits returns the units that are not done.
func unfinishedUnits(units []ledger.WorkUnit) []ledger.WorkUnit {
	return slices.DeleteFunc(slices.Clone(units), func(u ledger.WorkUnit) bool { return u.State == ledger.UnitDone })
}

// planRenderUnits plans one unit per account with its sets in order, because files and titles are numbered and a
// statement opens with the balance of the one before. Its name has the number of the run's pulls, as that of
// reconciler.planUnits: a run that was killed and continued renders only what it had not rendered of them.
func (n *nightlyPublication) planUnits(ctx context.Context, sets []reportset.Request) ([]ledger.WorkUnit, error) {
	var units []ledger.WorkUnit
	for _, a := range n.Accounts {
		own := slices.DeleteFunc(slices.Clone(sets), func(s reportset.Request) bool {
			return s.IsOfAllAccounts() || s.Accounts[0].Number != a.Number
		})
		if len(own) == 0 {
			continue
		}
		pulls, err := n.Ledger.PullsOfRun(ctx, a.Number, n.run.ID)
		if err != nil {
			return nil, err
		}
		u := ledger.WorkUnit{
			Account: a.Number, Run: n.run.ID, Kind: ledger.RenderUnit, What: fmt.Sprintf("sets-%d", len(pulls)),
			State: ledger.UnitPlanned, Reason: "the account is reconciled", Rows: int64(len(own)),
		}
		if u.Result, err = json.Marshal(newRenderOrder(a, n.verdicts.ByAccount[a.Number], own)); err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	if err := n.Ledger.PlanUnits(ctx, units); err != nil {
		return nil, err
	}
	for i := range units {
		was, err := n.Ledger.Unit(ctx, units[i])
		if err != nil {
			return nil, err
		}
		if was.State == ledger.UnitDone || was.State == ledger.UnitLeased {
			units[i].State = was.State
			continue
		}
		if err := n.Ledger.FinishUnit(ctx, units[i]); err != nil {
			return nil, err
		}
	}
	return units, nil
}

// RenderUnit does a unit of a run that another process leads: it renders, proves and archives an account's sets and stores the results in the
// unit. The process that leads the run records and delivers the sets from the archive.
func (p *Publisher) RenderUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit) error {
	return p.renderUnit(ctx, run, u, nil)
}

// renderUnit renders, proves and archives an account's sets and stores the results in its unit. lead is the publication
// of the run if this process leads it; then the sets are published too. If it is nil, another process leads the run,
// and records and delivers the sets from the archive.
func (p *Publisher) renderUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit, lead *publication) error {
	// Another worker may have begun the unit since it was offered, and stored a reason with it.
	now, err := p.Ledger.Unit(ctx, u)
	if err != nil {
		return err
	}
	order, err := readRenderOrder(&now)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.Accounts, func(a reportset.Account) bool { return a.Number == u.Account })
	if i < 0 {
		return fmt.Errorf("%s: the account is not configured here", u.String())
	}
	publishing := lead
	if publishing == nil {
		session, err := p.Files.Open(ctx, false)
		if err != nil {
			return fmt.Errorf("this worker does not see the archive of run %s: %w", run.ID, err)
		}
		defer session.Close()
		publishing = &publication{Session: session, Publisher: p, run: run}
	}
	publishing.Allow(newLeaseCheck(p.Ledger, u))
	defer publishing.Allow(nil)
	u.State, u.Failure = ledger.UnitDone, ""
	if err := publishing.renderOrderedSets(ctx, &u, order, order.listSets(p.Accounts[i])); err != nil {
		return err
	}
	u.Rows = int64(len(order.Current) + len(order.Made))
	if u.Result, err = json.Marshal(order); err != nil {
		return err
	}
	return p.Ledger.FinishUnit(ctx, u)
}

// renderOrderedSets renders the sets of a unit in their order. It fails with errors that would stop every other set
// too; a set that cannot be published is noted.
func (p *publication) renderOrderedSets(ctx context.Context, u *ledger.WorkUnit, order *renderOrder, sets []reportset.Request) error {
	verdicts := order.asVerdicts(u.Account)
	err := p.updateSets(ctx, verdicts, sets, func(came *updatedSet) error {
		kept, err := came.kept, came.err
		var away *sqldb.UnavailableError
		var locked *runs.LockedError
		switch {
		case err == nil && kept != nil && (!came.isFresh || p.outcome != nil):
			order.Current = append(order.Current, ledger.RunReportSet{
				Account: kept.Account, Basis: kept.Basis, Period: kept.Period, Filter: kept.Filter, Revision: kept.Revision,
				New: came.isFresh || kept.Run == p.run.ID, // by a process of this run that was killed
			})
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, queue.ErrLeaseLost), errors.Is(err, runs.ErrNoLease), errors.As(err, &locked), errors.As(err, &away):
			return err
		case publish.IsArchiveError(err):
			return fmt.Errorf("%s: %w", u.String(), err)
		default:
			// Another process of this run may succeed: a failed unit is tried again.
			u.State, u.Failure = ledger.UnitFailed, err.Error()
			order.Unpublished = append(order.Unpublished, withTieCode(err).Error())
		}
		p.Progress.Advance(1)
		return nil
	})
	order.Made = p.madeRevisions
	return err
}

// newLeaseCheck returns a check before each step that cannot be undone: whether a leased unit still belongs to its
// worker. nil for a unit that is not leased.
func newLeaseCheck(l *store.Ledger, u ledger.WorkUnit) func(context.Context) error {
	if u.Worker == "" {
		return nil
	}
	return func(ctx context.Context) error {
		mine, err := l.ConfirmUnitLease(ctx, u, u.Worker, queue.UnitLife)
		if err == nil && !mine {
			err = fmt.Errorf("%s: %w", u.String(), queue.ErrLeaseLost)
		}
		return err
	}
}

// gatherResults notes the results of the units, and records and delivers what workers rendered.
func (n *nightlyPublication) gatherResults(ctx context.Context, units []ledger.WorkUnit) error {
	for i := range units {
		u, err := n.Ledger.Unit(ctx, units[i])
		if err != nil {
			return err
		}
		if u.State != ledger.UnitDone && u.State != ledger.UnitFailed {
			continue // the archive failed before
		}
		var order renderOrder
		if err := json.Unmarshal(u.Result, &order); err != nil {
			return fmt.Errorf("%s: its results: %w", u.String(), err)
		}
		for j := range order.Current {
			kept, err := n.Ledger.SetRevision(ctx, &order.Current[j])
			if err != nil {
				return err
			}
			n.noteRevision(ctx, kept, order.Current[j].New)
		}
		for _, made := range order.Made {
			if err := n.publishMade(ctx, &order, u, made); err != nil {
				return err
			}
		}
		for _, why := range order.Unpublished {
			n.outcome.Unpublished = append(n.outcome.Unpublished, errors.New(why))
			n.failedSets++
		}
	}
	return nil
}

// noteRevision lists a revision that is current now.
func (n *nightlyPublication) noteRevision(ctx context.Context, kept *published.Set, fresh bool) {
	n.outcome.noteFiles(n.Reports.Out, kept, fresh)
	n.noteLacking(ctx, kept, fresh)
	if fresh {
		n.newSets++
	}
}

// publishMade records and delivers a set that a worker rendered and archived. If a person's report has made a revision
// of the set since, the set is compared with that.
func (n *nightlyPublication) publishMade(ctx context.Context, order *renderOrder, u ledger.WorkUnit, made *published.Set) error {
	err := n.Ledger.RetryOnOutage(ctx, n.Wall, nil, func() error { return n.recordAndDeliver(ctx, made, nil, u.Worker) })
	kept, fresh := made, true
	if errors.Is(err, published.ErrKept) {
		kept, fresh, err = n.resolveConflict(ctx, order, u.Account, made)
	}
	switch {
	case err == nil:
		n.noteRevision(ctx, kept, fresh)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, new(*store.OutageError)), publish.IsArchiveError(err):
		return err
	default:
		n.outcome.Unpublished = append(n.outcome.Unpublished, withTieCode(err))
		n.failedSets++
	}
	return nil
}

// resolveConflict returns the revision that is recorded under the number of one that a worker made: the same one, if a
// process of this run recorded it before it was killed; otherwise the set is rendered again.
func (n *nightlyPublication) resolveConflict(
	ctx context.Context, order *renderOrder, a ledger.Account, made *published.Set,
) (kept *published.Set, fresh bool, err error) {
	kept, err = n.Ledger.SetRevision(ctx, &ledger.RunReportSet{
		Account: made.Account, Basis: made.Basis, Period: made.Period, Filter: made.Filter, Revision: made.Revision,
	})
	if err != nil || kept.Manifest.SHA256 == made.Manifest.SHA256 {
		if err == nil && kept.Waiting && !n.triedDeliveries[kept.Number] {
			err = n.Deliver(ctx, kept, nil)
		}
		return kept, true, err
	}
	i := slices.IndexFunc(n.Accounts, func(x reportset.Account) bool { return x.Number == a })
	for _, set := range order.listSets(n.Accounts[i]) {
		if string(set.Basis) == made.Basis && set.Period == made.Period {
			u, err := n.updateSet(ctx, n.verdicts, set)
			if err != nil {
				return nil, false, err
			}
			return u.kept, u.isFresh, nil
		}
	}
	return nil, false, fmt.Errorf("set %s was rendered and never asked for", reportset.RevisionName(made))
}

// ListLeftUnits returns the workers that did not do their sets of the run, each with the reason: its archive is another
// one, or cannot be written.
func ListLeftUnits(ctx context.Context, l *store.Ledger, run *ledger.Run) ([]string, error) {
	units, err := l.Units(ctx, run.ID, runs.UnitFilter{Accounts: run.Accounts, Kind: ledger.RenderUnit})
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range units {
		var order renderOrder
		if u := &units[i]; len(u.Result) > 0 {
			if err := json.Unmarshal(u.Result, &order); err != nil {
				return nil, fmt.Errorf("%s: its results: %w", u.String(), err)
			}
			if u.State == ledger.UnitPlanned && u.Failure != "" {
				order.ReturnedBy = append(order.ReturnedBy, u.Failure) // no worker has done it since
			}
		}
		for _, why := range order.ReturnedBy {
			if !slices.Contains(out, why) {
				out = append(out, why)
			}
		}
	}
	return out, nil
}

// renderOrder is the content of a unit that renders an account's sets: first what to render, with everything that is
// not in the ledger, so that any worker can do it; then the results.
type renderOrder struct {
	Name     string              `json:"name"`
	Block    export.AccountBlock `json:"block"`
	Verdict  ledger.Verdict      `json:"verdict"`
	Critical map[string][]string `json:"critical,omitempty"` // codes that withhold, by side
	Sets     []orderedSet        `json:"asked"`

	Current     []ledger.RunReportSet `json:"came,omitempty"`        // current revisions, made by the run or not
	Made        []*published.Set      `json:"made,omitempty"`        // rendered and archived; the process that leads the run records them
	Unpublished []string              `json:"unpublished,omitempty"` // why, per set that could not be
	ReturnedBy  []string              `json:"left,omitempty"`        // workers that gave the unit back, with the reason
}

// orderedSet is one set of a renderOrder.
type orderedSet struct {
	Basis   report.Basis    `json:"basis"`
	From    int64           `json:"from"` // as ledger.Date counts
	To      int64           `json:"to"`
	Kinds   []report.Kind   `json:"kinds"`
	Formats []report.Format `json:"formats"`
}

// newRenderOrder orders sets of one account.
func newRenderOrder(a reportset.Account, r reconcile.Result, sets []reportset.Request) *renderOrder {
	order := &renderOrder{Name: a.Name, Block: a.Block, Verdict: r.Verdict, Critical: r.Critical}
	for _, set := range sets {
		order.Sets = append(order.Sets, orderedSet{
			set.Basis, int64(set.Period.From), int64(set.Period.To), set.Kinds, set.Formats,
		})
	}
	return order
}

// readRenderOrder reads the order of a unit. The results of an earlier try are dropped, the reasons why a worker gave
// it back are kept.
func readRenderOrder(u *ledger.WorkUnit) (*renderOrder, error) {
	order := &renderOrder{}
	if err := json.Unmarshal(u.Result, order); err != nil {
		return nil, fmt.Errorf("%s: its order: %w", u.String(), err)
	}
	order.Current, order.Made, order.Unpublished = nil, nil, nil
	if u.Failure != "" {
		order.ReturnedBy = append(order.ReturnedBy, u.Failure)
	}
	return order, nil
}

// listSets returns the ordered sets, with the account as it is configured where the run is led.
func (s *renderOrder) listSets(a reportset.Account) []reportset.Request {
	a.Name, a.Block = s.Name, s.Block
	out := make([]reportset.Request, len(s.Sets))
	for i, asked := range s.Sets {
		out[i] = reportset.Request{
			Name: a.Number.String(), Accounts: []reportset.Account{a}, Basis: asked.Basis,
			Period: ledger.Period{From: ledger.Date(asked.From), To: ledger.Date(asked.To)}, Kinds: asked.Kinds,
			Formats: asked.Formats,
		}
	}
	return out
}

// asVerdicts returns the verdict on the account.
func (s *renderOrder) asVerdicts(a ledger.Account) *reportset.Verdicts {
	return &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{a: {Verdict: s.Verdict, Critical: s.Critical}}}
}
