package setpublish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/export/words"
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
	"concilia/store/ledger/bookkeeping"
	"concilia/store/published"
)

// MovementSettings say which events a nightly run publishes, and how.
type MovementSettings struct {
	Enabled bool
	From    ledger.Date // first event day; zero: the as-of of the account's first set
	Sources []bookkeeping.EventSource
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

// publishMovement cuts and publishes the next set of the movement of each account, after one that an earlier run left unpublished.
// An account whose set can't be published keeps its events for the next run.
func (p *publication) publishMovement(ctx context.Context, verdicts *reportset.Verdicts) error {
	if !p.Movement.Enabled {
		return nil
	}
	p.Progress.Step("movement", len(p.Accounts))
	var said []words.Message
	for _, a := range p.Accounts {
		if verdicts.HasOverflow(a.Number) {
			p.Progress.Advance(1)
			continue
		}
		m := &mover{publication: p, account: a, result: verdicts.ByAccount[a.Number]}
		err := p.Ledger.RetryOnOutage(ctx, p.Wall, nil, func() error { return m.bringUpToRun(ctx) })
		switch {
		case err == nil:
			said = append(said, m.said...)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*store.OutageError)), publish.IsArchiveError(err):
			return err
		default:
			p.outcome.Unpublished = append(p.outcome.Unpublished, words.NewFault("publish_fault.movement", "", "account", a.Number, "cause", withTieCode(err)))
			said = append(said, words.NewMessage("steps.account_not_published", "account", a.Number))
		}
		p.Progress.Advance(1)
	}
	p.Progress.Done(said...)
	return nil
}

// mover brings the movement of an account up to the run.
type mover struct {
	*publication
	account   reportset.Account
	result    reconcile.Result
	published map[string]*published.Set // by as-of and revision
	said      []words.Message
}

func setKey(asOf ledger.Date, revision int) string { return fmt.Sprint(asOf, " r", revision) }

// bringUpToRun publishes the sets that were cut and are not published yet, then cuts and publishes what the run learned since.
func (m *mover) bringUpToRun(ctx context.Context) error {
	m.said = nil
	order := m.newOrder()
	if err := m.Ledger.BookCuts(ctx, order); err != nil {
		return err
	}
	cuts, err := m.Ledger.Cuts(ctx, m.account.Number)
	if err != nil {
		return err
	}
	if err := m.readPublished(ctx); err != nil {
		return err
	}
	sets := reportset.GroupCuts(cuts)
	if lost := len(m.published) - len(sets); lost > 0 {
		return words.NewFault("publish_fault.lost_events", "", "sets", words.NewMessage("counts.set", "n", lost))
	}
	if n := len(cuts); n > 0 && cuts[n-1].SettleOnPayment != m.Movement.SettleOnPayment {
		return words.NewFault("publish_fault.settle_slips", "")
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
	order.Again = again
	return m.cutNext(ctx, sets, order)
}

func (m *mover) readPublished(ctx context.Context) error {
	all, err := m.Ledger.SetsOf(ctx, m.account.Number.String())
	m.published = map[string]*published.Set{}
	for _, s := range all {
		if s.Basis == string(report.ByMovement) {
			m.published[setKey(s.Period.To, s.Revision)] = s
		}
	}
	return err
}

// cutNext makes the next set and publishes it.
func (m *mover) cutNext(ctx context.Context, sets [][]books.Cut, order *books.Order) error {
	account := m.account.Number
	if n := len(sets); n > 0 && m.run.AsOf < sets[n-1][0].AsOf {
		m.said = append(m.said, words.NewMessage("steps.no_set_before", "account", account, "day", sets[n-1][0].AsOf))
		return nil
	}
	if len(order.Sources) == 0 {
		m.said = append(m.said, words.NewMessage("steps.no_set_withheld", "account", account))
		return nil
	}
	cuts, err := m.Ledger.CutMovement(ctx, order)
	if err != nil {
		return err
	}
	if len(cuts) == 0 {
		m.said = append(m.said, words.NewMessage("steps.no_news", "account", account))
		last := &sets[len(sets)-1][0]
		m.outcome.noteFiles(m.Reports.Out, m.published[setKey(last.AsOf, last.Revision)], false)
		return nil
	}
	if m.published[setKey(cuts[0].AsOf, cuts[0].Revision)] != nil {
		m.said = append(m.said, words.NewMessage("steps.set_was_published", "account", account, "number", cuts[0].Set))
		return nil // by this run, before it was killed
	}
	if order.Again {
		sets = sets[:len(sets)-1]
	}
	return m.publishCuts(ctx, append(sets, cuts))
}

func (m *mover) newOrder() *books.Order {
	a := &m.account
	o := m.newBookOrder(a.Number)
	o.Run, o.AsOf, o.From, o.SettleOnPayment = m.run.ID, m.run.AsOf, m.Movement.From, m.Movement.SettleOnPayment
	o.NetOfSplits, o.Agreement = m.Inputs.Profile.NetOfSplits, a.Block.Bank.Agreement
	o.EDI, o.MaxRecords = slices.Contains(m.Movement.Formats, report.EDI), m.Movement.MaxRecords
	if o.From == 0 {
		o.From = m.run.AsOf
	}
	for _, source := range m.Movement.Sources {
		if len(m.result.Critical[string(source)]) == 0 {
			o.Sources = append(o.Sources, source)
		}
	}
	o.Compare = func(s bookkeeping.EventSource, from ledger.Date, c *bookkeeping.TitleChange) ([]bookkeeping.Event, bookkeeping.Measures) {
		terms := movement.Terms{Account: a.Number, Source: s, AsOf: o.AsOf, From: from, SettleOnPayment: o.SettleOnPayment}
		return terms.Compare(c)
	}
	o.FileName = func(s bookkeeping.EventSource, revision, part int) string {
		return manifest.Name(manifest.PartName(othersides.EventsKind(s), part), a.Number.String(), report.ByMovement, ledger.Period{From: o.AsOf, To: o.AsOf}, "", revision, report.EDI.Extension())
	}
	return o
}

// BookCuts makes the entries of the journal that the sets of an account lack, as they were cut without it.
func (p *Publisher) BookCuts(ctx context.Context, a ledger.Account) error {
	return p.Ledger.BookCuts(ctx, p.newBookOrder(a))
}

// newBookOrder returns an order for the journal of cuts that are there.
func (p *Publisher) newBookOrder(a ledger.Account) *books.Order {
	o := &books.Order{Account: a, CardState: movement.CardState, SlipState: movement.SlipState, Replay: movement.Replay}
	if p.Journal.Chart != nil {
		o.Journal = p.Journal.Chart.Method
	}
	o.OpenBook = func(ctx context.Context, c *books.Cut) (books.Bookkeeper, error) {
		openDay, err := findOpenDays(ctx, p.Ledger, c)
		return &entries.Book{Terms: entries.Terms{
			Account: c.Account, Method: o.Journal, Source: c.Source, Set: c.Set, Cut: c.Number, AsOf: c.AsOf, From: c.From, OpenDay: openDay,
		}}, err
	}
	return o
}

// findOpenDays returns what finds the day to which an entry of a cut is posted: what belongs to a month that was closed when the cut's run had
// reconciled is posted to the next one that was open.
func findOpenDays(ctx context.Context, l *store.Ledger, c *books.Cut) (func(ofOperation bool, day ledger.Date) ledger.Date, error) {
	closes, err := l.PeriodCloses(ctx, caselog.PeriodFilter{Accounts: []ledger.Account{c.Account}, AsOfRun: c.ToRun})
	return func(ofOperation bool, day ledger.Date) ledger.Date {
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
	}, err
}

// publishCuts renders, records and delivers the last of the sets, which follows the others.
func (m *mover) publishCuts(ctx context.Context, sets [][]books.Cut) error {
	cuts := sets[len(sets)-1]
	run := m.run
	if cuts[0].ToRun != run.ID {
		var err error
		if run, err = m.Ledger.RunByID(ctx, cuts[0].ToRun); err != nil {
			return err
		}
	}
	var before *published.Set
	if len(sets) > 1 {
		c := &sets[len(sets)-2][0]
		before = m.published[setKey(c.AsOf, c.Revision)]
	}
	content, err := m.NewBooks().NewMovement(ctx, cuts, before)
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
		m.outcome.noteFiles(m.Reports.Out, made, true)
		return words.NewFault("publish_fault.waits_for", "", "set", content.Set, "day", waits.Period.To)
	}
	if err := m.Deliver(ctx, made, outgoing); err != nil {
		return err
	}
	m.outcome.noteFiles(m.Reports.Out, made, true)
	return nil
}

// firstWaiting is the earliest set of the account before this one that its target does not have; nil: there is none, or the target is
// gone and everything waits.
func (m *mover) firstWaiting(made *published.Set) *published.Set {
	if m.Gone() != nil {
		return nil
	}
	var first *published.Set
	for _, s := range m.published {
		if s == made || !s.Waiting {
			continue
		}
		if first == nil || s.Period.To < first.Period.To || s.Period.To == first.Period.To && s.Revision < first.Revision {
			first = s
		}
	}
	return first
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
	m.outcome.Movement = append(m.outcome.Movement, s)
	m.said = append(m.said, words.NewMessage("steps.set_cut", "account", a, "number", content.Set, "events", words.NewMessage("steps.event", "n", events)))
}

// renderCuts renders a set of the movement and archives its files.
func (m *mover) renderCuts(ctx context.Context, run *ledger.Run, cuts []books.Cut, content *export.Movement) (*published.Set, *publish.Outgoing, error) {
	set := reportset.Request{
		Name: m.account.Number.String(), Accounts: []reportset.Account{m.account}, Basis: report.ByMovement,
		Period: ledger.Period{From: cuts[0].AsOf, To: cuts[0].AsOf}, Formats: m.Movement.Formats,
	}
	for i := range cuts {
		set.Kinds = append(set.Kinds, othersides.EventsKind(cuts[i].Source))
	}
	hasJournal := m.Journal.Chart != nil && len(m.Movement.Journal) > 0
	if hasJournal {
		set.Kinds = append(set.Kinds, report.JournalKind)
	}
	set.Kinds = append(set.Kinds, report.ControlKind)
	ends, err := m.Ledger.ChainEnds(ctx, []ledger.Account{m.account.Number})
	if err != nil {
		return nil, nil, err
	}
	job := export.Job{
		Kinds: set.Kinds, Account: set.Name, Basis: set.Basis, Period: set.Period, Formats: set.Formats, AsOf: cuts[0].AsOf,
		Language: m.Reports.Language, Service: m.Reports.Service, Unit: m.Inputs.Profile.Unit, Documents: reportset.DocumentsOf(run, set.Accounts),
		Block: m.account.Block, EDIProfile: m.Reports.EDIProfile, Movement: content,
		Facts: export.Facts{Run: run.ID, Engine: run.ProgramVersion, Ledger: ends}, Hooks: export.Hooks{MaxRecords: m.Movement.MaxRecords},
	}
	events := m.NewBooks().EventsOf(cuts)
	if hasJournal {
		if err := m.NewBooks().AddSetJournal(ctx, &job, events, m.Journal.Chart, cuts, m.isFirstJournal()); err != nil {
			return nil, nil, err
		}
	}
	outgoing, err := m.NewOutgoing()
	if err != nil {
		return nil, nil, err
	}
	numbers := &source.EDINumbers{Ledger: m.Ledger, Account: m.account.Number, Agreement: cuts[0].Agreement}
	result, err := render.Set(ctx, job, events, export.Target{Staging: m.Staging, Publisher: outgoing, Numbers: numbers})
	if err != nil {
		return nil, outgoing, words.NewFault("publish_fault.set", "", "set", content.Set, "cause", m.StagingFailed(err))
	}
	made := NewStoredSet(run, set, result)
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

// CopyMovement copies published sets of the movement from the archive to the target, in their order.
func (p *Publisher) CopyMovement(ctx context.Context, out *Outcome, sets []*published.Set) error {
	p.Progress.Step("copy", len(sets))
	session, err := p.Files.Open(ctx, true)
	if err == nil {
		defer session.Close()
		err = p.copyMovementSets(ctx, out, session, sets)
	}
	if err != nil && !out.noteArchiveError(err) && !out.noteUnreachable(p.Files, err) {
		return err
	}
	p.Progress.Done(words.NewMessage("counts.set", "n", len(sets)))
	return nil
}

func (p *Publisher) copyMovementSets(ctx context.Context, out *Outcome, session *publish.Session, sets []*published.Set) error {
	for _, set := range sets {
		fresh := !session.Has(ctx, set)
		if err := session.Copy(ctx, set); err != nil {
			return err
		}
		for _, f := range set.Files {
			out.Files = append(out.Files, newFileSummary(p.Reports.Out, f, fresh))
		}
		p.Progress.Advance(1)
	}
	return nil
}
