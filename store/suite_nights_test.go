package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// storyDays are the days of November on which a story's rows lie.
const storyDays = 5

// story tells a ledger one night after another, the same for the same seed: rows and slips that are new, change,
// vanish and come back, windows that are cut anywhere, answers that fail, beliefs and cases that change without them.
type story struct {
	n     *night
	r     *rand.Rand
	cards []ledger.Installment
	views map[ledger.Source][]ledger.SlipView
	cases map[string]ledger.Finding
}

// newStory begins a story on an empty ledger.
func newStory(t testing.TB, l *store.Ledger, seed uint64) *story {
	s := &story{
		n: begin(t, l), r: rand.New(rand.NewPCG(seed, 1)), views: map[ledger.Source][]ledger.SlipView{},
		cases: map[string]ledger.Finding{},
	}
	s.n.asOf = day(6)
	return s
}

// Account is the account of every story.
func (s *story) Account() ledger.Account { return s.n.account }

// chance holds once in k times.
func (s *story) chance(k int) bool { return s.r.IntN(k) == 0 }

// Night tells one more night and gives the id of its run.
func (s *story) Night() string {
	s.n.t.Helper()
	ctx := context.Background()
	s.n.asOf++
	run := s.pull(5)
	s.n.reconcile(run, s.judge)
	r, err := s.n.l.RunByID(ctx, run)
	ok(s.n.t, err)
	r.Ended, r.Verdict = r.Began.Add(time.Minute), ledger.Breaks
	r.Cases, r.Figures = ledger.CaseCounts{New: 1}, ledger.Figures{Lost: 3 * ledger.Real, Excess: ledger.Cent}
	r.Sums = map[string]ledger.Amount{"cards.gross": 7 * ledger.Real, "cards.difference": -ledger.Cent}
	r.Steps = []ledger.RunStep{{Name: "pull", Took: 1500 * time.Microsecond}, {Name: "publish", Took: time.Minute}}
	ok(s.n.t, s.n.l.EndRun(ctx, r))
	return run
}

// Pull pulls once more after the night, and evaluates nothing.
func (s *story) Pull() {
	s.n.t.Helper()
	s.pull(20)
}

// pull pulls what is there at an hour of the day, in a run of its own.
func (s *story) pull(hour int) (run string) {
	run = ledger.RunID(s.n.asOf.Time().Add(time.Duration(hour)*time.Hour), "story")
	ok(s.n.t, s.n.lease.Release(context.Background()))
	s.n.run = run
	s.n.hold()
	s.moveCards()
	s.moveSlips()
	s.pullCards()
	for _, list := range append(ledger.SlipLists(), ledger.SlipDetail) {
		s.pullSlips(list)
	}
	return run
}

func (s *story) amount() ledger.Amount { return ledger.Amount(s.r.IntN(400_000) - 100_000) }

func (s *story) moveCards() {
	s.cards = slices.DeleteFunc(s.cards, func(ledger.Installment) bool { return s.chance(8) })
	for i := range s.cards {
		switch c := &s.cards[i]; s.r.IntN(8) {
		case 0:
			*c = received(*c, s.amount())
		case 1:
			c.MDR, c.Status = ledger.Some(s.amount()), fmt.Sprint("Status ", s.r.IntN(3))
		case 2:
			c.Splits = append(c.Splits, ledger.Split{Beneficiary: "b", Value: ledger.Some(s.amount())})
		}
	}
	for range 1 + s.r.IntN(4) {
		// Few numbers: what comes back, and twins, are among what is new.
		c := row(day(1+s.r.IntN(storyDays)), fmt.Sprint(s.r.IntN(4)), 1+s.r.IntN(2), 2)
		c.SoldAt += ledger.LocalTime(s.r.IntN(10_000_000))
		c.Terminal, c.Gross = fmt.Sprint("T", s.r.IntN(2)), ledger.Amount(s.r.IntN(1_000_000))
		s.cards = append(s.cards, c)
	}
}

func (s *story) moveSlips() {
	for _, list := range append(ledger.SlipLists(), ledger.SlipDetail) {
		s.views[list] = slices.DeleteFunc(s.views[list], func(ledger.SlipView) bool { return s.chance(8) })
		for i := range s.views[list] {
			if s.chance(4) {
				s.views[list][i] = s.view(list, s.views[list][i].ID)
			}
		}
		id := string(rune('a' + s.r.IntN(4)))
		if !slices.ContainsFunc(s.views[list], func(v ledger.SlipView) bool { return v.ID == id }) {
			s.views[list] = append(s.views[list], s.view(list, id))
		}
	}
}

func (s *story) view(list ledger.Source, id string) ledger.SlipView {
	v := slip(list, id, day(1+s.r.IntN(storyDays)))
	v.Value += ledger.Amount(s.r.IntN(100))
	v.Status = ledger.Opt[int64]{V: int64(1 + s.r.IntN(3)), OK: !s.chance(4)}
	v.PaidOn = day(1 + s.r.IntN(storyDays))
	if s.chance(2) {
		v = paid(v, v.PaidOn)
	}
	switch list {
	case ledger.SlipsCredit:
		v.CreditedOn, v.LateAllowed = day(1+s.r.IntN(storyDays)), ledger.Some(s.chance(2))
		v.Penalty, v.InterestReceived = ledger.Some(s.amount()), ledger.Some(s.amount())
	case ledger.SlipsDue, ledger.SlipsPayment:
		v.Integration = ledger.Opt[int64]{V: int64(1 + s.r.IntN(2)), OK: !s.chance(4)}
	}
	return v
}

// windows cuts the story's days anywhere; some are left out.
func (s *story) windows() (out []ledger.Period) {
	for from := 1; from <= storyDays; {
		to := min(storyDays, from+s.r.IntN(3))
		if !s.chance(5) {
			out = append(out, ledger.Period{From: day(from), To: day(to)})
		}
		from = to + 1
	}
	s.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// failed keeps a window that brought nothing, now and then.
func (s *story) failed(source ledger.Source, w ledger.Period) bool {
	if !s.chance(6) {
		return false
	}
	p := s.n.pull(source, w.From, w.To)
	p.Complete, p.Failure = false, "the service was away"
	ok(s.n.t, s.n.l.StorePull(context.Background(), p))
	return true
}

func (s *story) pullCards() {
	for _, w := range s.windows() {
		if s.failed(ledger.Cards, w) {
			continue
		}
		var rows []ledger.Installment
		for _, c := range s.cards {
			// A window may show a row of the day after it.
			if d := c.SoldAt.Date(); w.Contains(d) || d == w.To+1 && s.chance(3) {
				rows = append(rows, c)
			}
		}
		s.n.merge(w.From, w.To, rows...)
	}
}

func (s *story) pullSlips(list ledger.Source) {
	if list == ledger.SlipDetail {
		for _, v := range s.views[list] {
			if s.chance(2) {
				s.n.slips(list, day(1), day(1), v)
			}
		}
		return
	}
	for _, w := range s.windows() {
		if s.failed(list, w) {
			continue
		}
		var views []ledger.SlipView
		for _, v := range s.views[list] {
			d := map[ledger.Source]ledger.Date{
				ledger.SlipsDue: v.Due, ledger.SlipsPayment: v.PaidOn, ledger.SlipsCredit: v.CreditedOn,
			}[list]
			// A slip may be missing on its own day, and be shown on another's.
			if w.Contains(d) && !s.chance(8) || s.chance(6) {
				views = append(views, v)
			}
		}
		s.n.slips(list, w.From, w.To, views...)
	}
}

// judge stores an expectation for every current row, and now and then another one than before.
func (s *story) judge(r *results.ReconcileTx) {
	t := s.n.t
	for _, sale := range s.n.sales() {
		for _, h := range sale.Rows {
			e := believe(h.Current(), ledger.Open, ledger.LineNotDue)
			e.DaysLate, e.Impact = ledger.Some(int64(s.r.IntN(2))), ledger.Some(s.amount()/100_000)
			e.Class = []ledger.Class{ledger.Open, ledger.Received, ledger.Cancelled}[s.r.IntN(3)]
			ok(t, r.ReplaceExpectation(&e))
		}
	}
	for _, v := range s.n.allSlips() {
		ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{
			Account: s.n.account, ID: v.ID, Version: v.Version, Class: []ledger.Class{ledger.Open, ledger.Paid}[s.r.IntN(2)],
			Day: v.Due, DueAdjusted: v.Due + 1, Face: v.Value + ledger.Amount(s.r.IntN(2)), Tariff: ledger.Some(s.amount()),
			Verdict: ledger.RowOK, Rest: ledger.LinePaid,
		}))
	}
	for i := range 3 {
		s.judgeCase(r, fmt.Sprintf("card:%s:%d", s.n.account, i))
	}
	s.judgeSums(r)
}

// judgeSums keeps one sum of each kind, and another every night.
func (s *story) judgeSums(r *results.ReconcileTx) {
	t, sum := s.n.t, ledger.Amount(s.n.pulls)
	ok(t, r.UpdateBridge(true, []ledger.BridgeRow{{
		Account: s.n.account, Side: "cards", Day: day(1), Brand: "visa", Product: ledger.Credit, Line: ledger.LineMDR, Amount: sum,
	}}))
	ok(t, r.UpdateRounding(true, []ledger.ToleratedAmount{{Code: "CODE", Month: day(1), Amount: sum}}))
	ok(t, r.UpdatePopulations(true, []ledger.Population{{Kind: "kind", Item: "item", Members: int64(sum), Amount: sum}}))
	ok(t, r.WriteContinuity([]ledger.Continuity{{Day: day(1), Brand: "visa", Product: ledger.Credit, Closing: sum}}))
}

func (s *story) judgeCase(r *results.ReconcileTx, subject string) {
	f, known := s.cases[subject]
	changed := !known || s.chance(2)
	if changed {
		f = finding(subject, "CODE", ledger.Warning, ledger.Some(s.amount()))
		f.State = []ledger.State{ledger.Opened, ledger.Resolved, ledger.Reopened}[s.r.IntN(3)]
		f.Expected, f.Actual = ledger.Money(s.amount()), ledger.Text("x")
	}
	f.LastRun = s.n.run
	ok(s.n.t, r.WriteCase(f, changed))
	s.cases[subject] = f
}
