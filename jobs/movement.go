package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/jobs/casework"
	"concilia/jobs/entries"
	"concilia/jobs/movement"
	"concilia/jobs/publish"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/books"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
)

// MovementSettings say which events a nightly run publishes, and how.
type MovementSettings struct {
	Enabled bool
	From    ledger.Date // first event day; zero: the as-of of the account's first set
	Sources []ledger.EventSource
	// SettleOnPayment makes the payment of a slip its liquidação; else its credit is.
	SettleOnPayment bool
	Formats         []report.Format
	Journal         []report.Format // of the journal in each set
	// MaxRecords is the most records of an EDI file; 0, but in tests: what its counters hold.
	MaxRecords int
}

// MovementSummary is a set of the movement that a run published.
type MovementSummary struct {
	Account ledger.Account `json:"account"`
	Set     int            `json:"set"`
	NSA     []int          `json:"nsa"`
	Events  map[string]int `json:"events"`
	LeftOut map[string]int `json:"left_out"` // of the EDI files, by reason
}

// FixedMovement is what is wrong with the settings, by what the accounts' first sets fixed; empty: nothing is.
type FixedMovement struct {
	From, Settle string // with the first day, and with which event is the liquidação of a slip
	Sources      string // with a source that no set has yet
}

// CheckMovement compares the settings with what the accounts' first sets fixed.
func (w *Worker) CheckMovement(ctx context.Context) (wrong FixedMovement, err error) {
	if !w.Movement.Enabled {
		return wrong, nil
	}
	for _, a := range w.Accounts {
		cuts, err := w.Ledger.Cuts(ctx, a.Number)
		if err != nil {
			return wrong, err
		}
		first := w.Movement.From
		for i := range cuts {
			c := &cuts[i]
			if wrong.From == "" && first != 0 && first != c.From {
				wrong.From = fmt.Sprintf("%s, or nothing: the first set of account %s has fixed it", c.From, a.Number)
			}
			if wrong.Settle == "" && c.SettleOnPayment != w.Movement.SettleOnPayment {
				wrong.Settle = fmt.Sprintf("the other one: the first set of account %s has fixed it", a.Number)
			}
		}
		for _, source := range w.Movement.Sources {
			known := slices.ContainsFunc(cuts, func(c books.Cut) bool { return c.Source == source })
			if wrong.Sources == "" && len(cuts) > 0 && !known && w.Today() < first {
				wrong.Sources = fmt.Sprintf("without %s until %s: account %s has sets, and nothing of %s could be told before movement.from", source, first, a.Number, source)
			}
		}
	}
	return wrong, nil
}

// publishMovement cuts and publishes the next set of the movement of each account, after one that an earlier run left unpublished.
// An account whose set can't be published keeps its events for the next run.
func (p *publication) publishMovement(ctx context.Context, verdicts *reportset.Verdicts) error {
	if !p.movement.Enabled {
		return nil
	}
	p.progress.Step("movement", len(p.accounts))
	var said []string
	for _, a := range p.accounts {
		if verdicts.HasOverflow(a.Number) {
			p.progress.Advance(1)
			continue
		}
		m := &mover{publication: p, account: a, result: verdicts.ByAccount[a.Number]}
		err := p.ledger.RetryOnOutage(ctx, p.wall, nil, func() error { return m.move(ctx) })
		switch {
		case err == nil:
			said = append(said, m.said...)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*store.OutageError)), publish.IsArchiveError(err):
			return err
		default:
			p.summary.Unpublished = append(p.summary.Unpublished, fmt.Errorf("movement of account %s: %w", a.Number, withTieCode(err)))
			said = append(said, fmt.Sprintf("account %s: not published", a.Number))
		}
		p.progress.Advance(1)
	}
	p.progress.Done(strings.Join(said, "; "))
	return nil
}

// mover brings the movement of an account up to the run.
type mover struct {
	*publication
	account   Account
	result    reconcile.Result
	published map[string]*published.Set // by as-of and revision
	said      []string
}

func setKey(asOf ledger.Date, revision int) string { return fmt.Sprint(asOf, " r", revision) }

func (m *mover) move(ctx context.Context) error {
	m.said = nil
	cuts, err := m.ledger.Cuts(ctx, m.account.Number)
	if err != nil {
		return err
	}
	if err := m.readPublished(ctx); err != nil {
		return err
	}
	sets := reportset.GroupCuts(cuts)
	if lost := len(m.published) - len(sets); lost > 0 {
		return fmt.Errorf("the ledger lacks the events of %s that were published: cutting now would tell them again; "+
			"put back the ledger and the archive of one moment", ledger.CountText(lost, "set", "sets"))
	}
	if n := len(cuts); n > 0 && cuts[n-1].SettleOnPayment != m.movement.SettleOnPayment {
		return errors.New("movement.settle_slips is another one than when the first set was made, which fixed it")
	}
	again := false
	for i, set := range sets {
		last := &set[0]
		if m.published[setKey(last.AsOf, last.Revision)] != nil {
			continue
		}
		if again = last.ToRun == m.run.ID; again {
			break
		}
		if err := m.publishCuts(ctx, sets[:i+1]); err != nil {
			return err
		}
	}
	return m.cutNext(ctx, sets, again)
}

func (m *mover) readPublished(ctx context.Context) error {
	all, err := m.ledger.SetsOf(ctx, m.account.Number.String())
	m.published = map[string]*published.Set{}
	for _, s := range all {
		if s.Basis == string(report.ByMovement) {
			m.published[setKey(s.Period.To, s.Revision)] = s
		}
	}
	return err
}

// cutNext makes the next set and publishes it.
func (m *mover) cutNext(ctx context.Context, sets [][]books.Cut, again bool) error {
	name := "account " + m.account.Number.String()
	if n := len(sets); n > 0 && m.run.AsOf < sets[n-1][0].AsOf {
		m.said = append(m.said, fmt.Sprintf("%s: no set, its last one is of %s, which is later", name, sets[n-1][0].AsOf))
		return nil
	}
	order := m.newOrder()
	order.Again = again
	if err := m.openBooks(ctx, order); err != nil {
		return err
	}
	if len(order.Sources) == 0 {
		m.said = append(m.said, name+": no set, critical cases withhold its sources")
		return nil
	}
	cuts, err := m.ledger.CutMovement(ctx, order)
	if err != nil {
		return err
	}
	if len(cuts) == 0 {
		m.said = append(m.said, name+": nothing became known since its last set")
		last := &sets[len(sets)-1][0]
		m.summary.noteFiles(m.reports.Out, m.published[setKey(last.AsOf, last.Revision)], false)
		return nil
	}
	if m.published[setKey(cuts[0].AsOf, cuts[0].Revision)] != nil {
		m.said = append(m.said, fmt.Sprintf("%s: set %d was published", name, cuts[0].Set))
		return nil // by this run, before it was killed
	}
	if again {
		sets = sets[:len(sets)-1]
	}
	return m.publishCuts(ctx, append(sets, cuts))
}

func (m *mover) newOrder() *books.Order {
	a := &m.account
	o := &books.Order{
		Account: a.Number, Run: m.run.ID, AsOf: m.run.AsOf, From: m.movement.From, SettleOnPayment: m.movement.SettleOnPayment,
		NetOfSplits: m.inputs.Profile.NetOfSplits, Agreement: a.Block.Bank.Agreement,
		EDI: slices.Contains(m.movement.Formats, report.EDI), MaxRecords: m.movement.MaxRecords, SlipState: movement.SlipState,
	}
	if o.From == 0 {
		o.From = m.run.AsOf
	}
	for _, source := range m.movement.Sources {
		if len(m.result.Critical[string(source)]) == 0 {
			o.Sources = append(o.Sources, source)
		}
	}
	o.CardState = func(v *ledger.InstallmentVersion, e *ledger.Expectation) *ledger.TitleState {
		return movement.CardState(v, e, o.NetOfSplits)
	}
	o.Replay = movement.Replay
	o.Compare = func(s ledger.EventSource, from ledger.Date, c *ledger.TitleChange) ([]ledger.Event, ledger.Measures) {
		terms := movement.Terms{Account: a.Number, Source: s, AsOf: o.AsOf, From: from, SettleOnPayment: o.SettleOnPayment}
		return terms.Compare(c)
	}
	o.FileName = func(s ledger.EventSource, revision, part int) string {
		return manifest.Name(manifest.PartName(othersides.EventsKind(s), part), a.Number.String(), report.ByMovement, ledger.Period{From: o.AsOf, To: o.AsOf}, "", revision, report.EDI.Extension())
	}
	return o
}

// openBooks has the order's cuts make entries of the journal. What belongs to a month that is closed by now is posted to the next one
// that is open.
func (m *mover) openBooks(ctx context.Context, o *books.Order) error {
	closes, err := m.ledger.PeriodCloses(ctx, caselog.PeriodFilter{Accounts: []ledger.Account{o.Account}, InForce: true})
	openDay := func(ofOperation bool, day ledger.Date) ledger.Date {
		basis := report.ByCredit
		if ofOperation {
			basis = report.ByOperation
		}
		for again := true; again; {
			again = false
			for i := range closes {
				if c := &closes[i]; c.Basis == string(basis) && c.Period.Contains(day) {
					day, again = c.Period.To+1, true
				}
			}
		}
		return day
	}
	o.OpenBook = func(c *books.Cut) books.Bookkeeper {
		return &entries.Book{Terms: entries.Terms{
			Account: c.Account, Source: c.Source, Set: c.Set, Cut: c.Number, AsOf: c.AsOf, From: c.From, OpenDay: openDay,
		}}
	}
	return err
}

// publishCuts renders, records and delivers the last of the sets, which follows the others.
func (m *mover) publishCuts(ctx context.Context, sets [][]books.Cut) error {
	cuts := sets[len(sets)-1]
	run := m.run
	if cuts[0].ToRun != run.ID {
		var err error
		if run, err = m.ledger.RunByID(ctx, cuts[0].ToRun); err != nil {
			return err
		}
	}
	var before *published.Set
	if len(sets) > 1 {
		c := &sets[len(sets)-2][0]
		before = m.published[setKey(c.AsOf, c.Revision)]
	}
	content, err := m.newBooks().NewMovement(ctx, cuts, before)
	if err != nil {
		return err
	}
	made, outgoing, err := m.renderCuts(ctx, run, cuts, content)
	defer outgoing.Remove()
	if err != nil {
		return err
	}
	if err := m.Record(ctx, made, ""); err != nil {
		return err
	}
	m.published[setKey(made.AsOf, made.Revision)] = made
	m.noteMovement(cuts[0].Account, content)
	if waits := m.firstWaiting(made); waits != nil {
		m.summary.noteFiles(m.reports.Out, made, true)
		return fmt.Errorf("set %d is archived, and waits for that of %s, which is not delivered", content.Set, waits.Period.To)
	}
	if err := m.Deliver(ctx, made, outgoing); err != nil {
		return err
	}
	m.summary.noteFiles(m.reports.Out, made, true)
	return nil
}

// firstWaiting is a set of the account before this one that its target does not have; nil: there is none, or the target is gone and
// everything waits.
func (m *mover) firstWaiting(made *published.Set) *published.Set {
	if m.Gone() != nil {
		return nil
	}
	for _, s := range m.published {
		if s != made && s.Waiting {
			return s
		}
	}
	return nil
}

// noteMovement adds a set to the summary.
func (m *mover) noteMovement(a ledger.Account, content *export.Movement) {
	s := MovementSummary{Account: a, Set: content.Set, NSA: []int{}, Events: map[string]int{}, LeftOut: map[string]int{}}
	events := 0
	for i := range content.Cuts {
		c := &content.Cuts[i]
		s.NSA = append(s.NSA, c.NSA...)
		for t, n := range c.Events {
			s.Events[string(t)] += n
			events += n
		}
		for _, l := range c.LeftOut {
			s.LeftOut[l.Reason] += int(l.Count)
		}
	}
	m.summary.Movement = append(m.summary.Movement, s)
	m.said = append(m.said, fmt.Sprintf("account %s: set %d, %s", a, content.Set, ledger.CountText(events, "event", "events")))
}

// renderCuts renders a set of the movement and archives its files.
func (m *mover) renderCuts(ctx context.Context, run *ledger.Run, cuts []books.Cut, content *export.Movement) (*published.Set, *publish.Outgoing, error) {
	set := reportset.Request{
		Name: m.account.Number.String(), Accounts: []Account{m.account}, Basis: report.ByMovement,
		Period: ledger.Period{From: cuts[0].AsOf, To: cuts[0].AsOf}, Formats: m.movement.Formats,
	}
	for i := range cuts {
		set.Kinds = append(set.Kinds, othersides.EventsKind(cuts[i].Source))
	}
	hasJournal := m.journal.Chart != nil && len(m.movement.Journal) > 0
	if hasJournal {
		set.Kinds = append(set.Kinds, report.JournalKind)
	}
	set.Kinds = append(set.Kinds, report.ControlKind)
	ends, err := m.ledger.ChainEnds(ctx, []ledger.Account{m.account.Number})
	if err != nil {
		return nil, nil, err
	}
	job := export.Job{
		Kinds: set.Kinds, Account: set.Name, Basis: set.Basis, Period: set.Period, Formats: set.Formats, AsOf: cuts[0].AsOf,
		Language: m.reports.Language, Service: m.reports.Service, Unit: m.inputs.Profile.Unit, Documents: reportset.DocumentsOf(run, set.Accounts),
		Block: m.account.Block, EDIProfile: m.reports.EDIProfile, Movement: content,
		Facts: export.Facts{Run: run.ID, Engine: run.ProgramVersion, Ledger: ends}, Hooks: export.Hooks{MaxRecords: m.movement.MaxRecords},
	}
	events := m.newBooks().EventsOf(cuts)
	if hasJournal {
		if err := m.newBooks().AddSetJournal(ctx, &job, events, m.journal.Chart, cuts, m.isFirstJournal()); err != nil {
			return nil, nil, err
		}
	}
	outgoing, err := m.NewOutgoing()
	if err != nil {
		return nil, nil, err
	}
	numbers := &source.EDINumbers{Ledger: m.ledger, Account: m.account.Number, Agreement: cuts[0].Agreement}
	result, err := render.Set(ctx, job, events, export.Target{Staging: m.Staging, Publisher: outgoing, Numbers: numbers})
	if err != nil {
		return nil, outgoing, fmt.Errorf("set %d: %w", content.Set, m.StagingFailed(err))
	}
	made := newStoredSet(run, set, result)
	if made.Inputs, err = export.InputsOf(&job); err != nil {
		return nil, outgoing, err
	}
	return made, outgoing, m.Keep(ctx, made, outgoing)
}

// isFirstJournal reports whether no set of the account was published with a journal.
func (m *mover) isFirstJournal() bool {
	for _, s := range m.published {
		if slices.ContainsFunc(s.Files, func(f published.File) bool { return f.Kind == string(report.JournalKind) }) {
			return false
		}
	}
	return true
}

// copyMovement copies the sets of the movement of days from the archive to the place of the request, in their order.
func (t *task) copyMovement(ctx context.Context, req *ReportRequest) (*Summary, error) {
	w := t.worker
	switch {
	case req.Out == "" || req.AsOfRun != "":
		return nil, casework.NewRequestError("error.movement_told", "hint.movement_copy")
	case len(req.Kinds)+len(req.Formats)+len(req.Brands)+len(req.Statuses) > 0:
		return nil, casework.NewRequestError("error.movement_whole", "hint.movement_whole")
	}
	run, err := t.beginRun(ctx, ledger.ReportRun, w.Today())
	if err != nil {
		return nil, err
	}
	defer run.release()
	s := run.newSummary()
	s.Files = []FileSummary{}
	sets, err := listMovement(ctx, w.Ledger, t.accounts, req.Period)
	if err != nil {
		return nil, err
	}
	run.progress.Step("copy", len(sets))
	publisher := run.newSetPublisher()
	session, err := publisher.publisher.Open(ctx, true)
	if err == nil {
		defer session.Close()
		err = publisher.copyMovementSets(ctx, s, session, sets)
	}
	if err != nil && !s.noteArchiveError(err) && !s.noteUnreachable(publisher.publisher, err) {
		return nil, err
	}
	run.progress.Done(ledger.CountText(len(sets), "set", "sets"))
	if len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	return s, run.end(ctx, s, nil)
}

// listMovement returns the published sets of the movement of accounts whose as-of lies in a period, in order of
// publication.
func listMovement(ctx context.Context, l *store.Ledger, accounts []Account, p ledger.Period) (out []*published.Set, err error) {
	for _, a := range accounts {
		all, err := l.SetsOf(ctx, a.Number.String())
		if err != nil {
			return nil, err
		}
		for _, set := range all {
			if set.Basis == string(report.ByMovement) && p.Contains(set.Period.To) {
				out = append(out, set)
			}
		}
	}
	slices.SortFunc(out, func(a, b *published.Set) int { return cmp.Compare(a.Number, b.Number) })
	return out, nil
}

func (p *setPublisher) copyMovementSets(ctx context.Context, s *Summary, session *publish.Session, sets []*published.Set) error {
	for _, set := range sets {
		fresh := !session.Has(ctx, set)
		if err := session.Copy(ctx, set); err != nil {
			return err
		}
		for _, f := range set.Files {
			s.Files = append(s.Files, newFileSummary(p.reports.Out, f, fresh))
		}
		p.progress.Advance(1)
	}
	return nil
}
