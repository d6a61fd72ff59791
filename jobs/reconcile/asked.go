package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// Asked is what the service was asked about an account since the last reconcile, including this run.
type Asked struct {
	// Pulls are the questions, complete or not, in order of their beginning, with what their answers told.
	Pulls []ledger.Pull
	// Counts are the rows of each day of a source, by its last window of that day alone in the last 30 days. Largest
	// are the most rows any window of a source ever showed.
	Counts  map[ledger.Source]map[ledger.Date]int64
	Largest map[ledger.Source]int64
	// Cap is the number of rows at which the operator cuts a list, 0 when it is not known.
	Cap int64
}

// answers is Asked as the rules want it.
type answers struct {
	Asked
	whole   map[string]*ledger.Pull         // the complete ones by id
	lists   map[ledger.Source]bool          // those that answered whole
	twice   map[string]ledger.Source        // by slip
	outside map[string]*ledger.Pull         // by slip
	refused map[string]bool                 // by slip: its detail
	alike   map[ledger.Source]map[int64]int // days of Counts by their rows
	members map[runs.UnknownField]struct{}  // that nobody described
	days    map[askedDay]runs.Truncation    // what is known of the rows of each day asked for
	leak    runs.Leak                       // of cards
	skew    ledger.Opt[int64]               // the largest, either way
	priced  map[string]*ledger.Simulation   // what the simulator said last, by brand
	// lacked are the known rows that an answer for the day alone lacked, until it is asked once more; regained those that
	// it then showed.
	lacked, regained map[askedDay]int64
}

type askedDay struct {
	source ledger.Source
	day    ledger.Date
}

func (w *work) readAsked(ctx context.Context) error {
	asked, err := w.src.Asked(ctx, w.account)
	if err != nil {
		return fmt.Errorf("what was asked: %w", err)
	}
	a := &answers{
		Asked: asked, whole: map[string]*ledger.Pull{}, lists: map[ledger.Source]bool{}, twice: map[string]ledger.Source{},
		outside: map[string]*ledger.Pull{}, refused: map[string]bool{}, alike: map[ledger.Source]map[int64]int{},
		members: map[runs.UnknownField]struct{}{}, days: map[askedDay]runs.Truncation{}, leak: runs.Leak{Source: ledger.Cards}, priced: map[string]*ledger.Simulation{},
		lacked: map[askedDay]int64{}, regained: map[askedDay]int64{},
	}
	for source, days := range asked.Counts {
		a.alike[source] = map[int64]int{}
		for _, n := range days {
			a.alike[source][n]++
		}
	}
	for i := range a.Pulls {
		a.read(&a.Pulls[i])
	}
	w.answers = a
	return nil
}

// read takes in one question. What a later answer says of a day goes before what an earlier one said.
func (a *answers) read(p *ledger.Pull) {
	source := p.Window.Source
	a.counted(p)
	if s := p.Note.Skew; s.OK && (!a.skew.OK || max(s.V, -s.V) > max(a.skew.V, -a.skew.V)) {
		a.skew = s
	}
	for _, m := range p.Note.Unknown {
		a.members[runs.UnknownField{Source: source, Member: m}] = struct{}{}
	}
	if p.Note.Refused != "" {
		a.refused[p.Note.Refused] = true
	}
	if s := p.Note.Simulated; s != nil {
		a.priced[s.Brand] = s
	}
	if !p.Complete {
		return
	}
	a.whole[p.ID], a.lists[source] = p, true
	for _, id := range p.Note.Twice {
		a.twice[id] = source
	}
	if p.Note.Wider {
		return
	}
	for _, id := range p.Note.SlipsOutside {
		a.outside[id] = p
	}
	if source == ledger.Cards {
		if a.leak.Windows++; a.leak.Rows == 0 {
			a.leak.Day, a.leak.Window = p.Note.Day, p.Window.Period
		}
		a.leak.Rows += p.Note.Outside
	}
}

// counted notes the rows of the days of a window. One that was asked again in halves is judged by them, until a window
// of the day alone shows what the day holds.
func (a *answers) counted(p *ledger.Pull) {
	source := p.Window.Source
	several, alone := p.Window.Period.Days() > 1, askedDay{source, p.Window.Period.From}
	if !several && p.Note.Missing > 0 {
		a.lacked[alone] = p.Note.Missing
	}
	if source == ledger.SlipDetail || source == ledger.Simulator || p.Note.Wider || !p.Complete && !p.Note.Halved {
		return
	}
	if n := a.lacked[alone]; n > 0 && !several {
		a.regained[alone] = n - p.Counts.Vanished
		delete(a.lacked, alone)
	}
	for d := p.Window.Period.From; d <= p.Window.Period.To; d++ {
		t := runs.Truncation{
			Source: source, Day: d, Rows: p.Counts.Rows, Cap: a.Cap, Largest: a.Largest[source],
			Days: a.alike[source][p.Counts.Rows], Several: several,
		}
		if p.Note.Halved {
			t.Halves, t.Differ = ledger.Some(p.Note.Halves), slices.Contains(p.Note.Cut, d)
		}
		if !several {
			t.Regained = a.regained[alone]
		}
		if known, ok := a.days[askedDay{source, d}]; ok && several && (!known.Several || known.Halves.OK && !t.Halves.OK) {
			continue
		}
		a.days[askedDay{source, d}] = t
	}
}

// slip is what the answers said of a slip beside its views.
func (a *answers) slip(s *ledger.Slip) rules.SlipNote {
	n := rules.SlipNote{Twice: a.twice[s.ID], Refused: a.refused[s.ID], Detail: a.refused[s.ID]}
	for i := range s.Views {
		v := &s.Views[i]
		switch {
		case a.whole[v.LastPull] == nil:
		case v.List == ledger.SlipDetail:
			n.Detail, n.Refused = true, false
		default:
			n.Asked = true
		}
	}
	p := a.outside[s.ID]
	if p == nil {
		return n
	}
	if v := s.View(p.Window.Source); v != nil && !p.Window.Period.Contains(v.ListDay()) {
		n.Outside, n.On, n.Window = v.List, v.ListDay(), p.Window.Period
	}
	return n
}

// asked judges the answers themselves, whatever their rows say.
func (w *work) asked(context.Context) error {
	if err := w.truncations(); err != nil {
		return err
	}
	leak := w.answers.leak
	if err := w.alone(w.env.Index(runs.WindowLeak), runs.EvaluateLeak(w.env, leak), place{subject: leak.Subject(w.account)}); err != nil {
		return err
	}
	skew := place{subject: ledger.Subject("account", w.account)}
	if err := w.alone(w.env.Index(runs.ClockSkew), runs.EvaluateClock(w.env, w.answers.skew), skew); err != nil {
		return err
	}
	return w.unnamed()
}

// simulations judges what the settlement simulator said, brand by brand. What was practised is read where the contract
// does not say what to expect.
func (w *work) simulations(ctx context.Context) error {
	var read *cards.Practised
	practised := func() (*cards.Practised, error) {
		if read != nil {
			return read, nil
		}
		read = &cards.Practised{}
		last := ledger.Period{From: w.in.AsOf - cards.PractisedDays, To: w.in.AsOf - 1}
		return read, w.src.InstallmentsSoldIn(ctx, w.account, last, func(v *ledger.InstallmentVersion) error {
			read.Add(w.env, v)
			return nil
		})
	}
	i := w.env.Index(cards.SimulatorDrift)
	for _, brand := range slices.Sorted(maps.Keys(w.answers.priced)) {
		options, err := cards.EvaluateSimulation(w.env, w.answers.priced[brand], practised)
		if err != nil {
			return fmt.Errorf("what was practised: %w", err)
		}
		for _, o := range options {
			p := place{subject: o.Subject, brand: brand, product: ledger.Credit, line: o.Line}
			if err := w.alone(i, o.Outcome, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *work) truncations() error {
	i := w.env.Index(runs.TruncationSuspected)
	keys := slices.SortedFunc(maps.Keys(w.answers.days), func(a, b askedDay) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.day, b.day))
	})
	for _, k := range keys {
		t := w.answers.days[k]
		if err := w.alone(i, runs.EvaluateTruncation(w.env, t), place{subject: t.Subject(w.account), day: k.day}); err != nil {
			return err
		}
	}
	return nil
}

// unnamed makes a case of every member nobody described, and resolves those that the lists asked show no more.
func (w *work) unnamed() error {
	i := w.env.Index(runs.FieldUnknown)
	members := slices.SortedFunc(maps.Keys(w.answers.members), func(a, b runs.UnknownField) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Member, b.Member))
	})
	for _, u := range members {
		if err := w.alone(i, u.Outcome(), place{subject: u.Subject(w.account)}); err != nil {
			return err
		}
	}
	var gone []string
	for subject, all := range w.cases.bySubject {
		for _, s := range all {
			if parts := strings.Split(subject, ":"); s.Code == runs.FieldUnknown && !s.touched && len(parts) > 2 && w.answers.lists[ledger.Source(parts[2])] {
				gone = append(gone, subject)
			}
		}
	}
	slices.Sort(gone)
	for _, subject := range gone {
		if err := w.alone(i, rules.Outcome{Status: rules.Passed}, place{subject: subject}); err != nil {
			return err
		}
	}
	return nil
}
