package bank_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/jobs/agreements"
	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// movingWorld is a bank account whose two sides change from night to night.
type movingWorld struct {
	lines     map[ledger.Date][]banking.Line
	paid      map[string]banking.CreditedInstallment // by key
	terminals int
	files     map[ledger.Date]bool // days of statements that no night knows
	touched   map[ledger.Date]bool // days on which something else is credited
	settled   ledger.Date
}

// standing is what nights keep, as a ledger does.
type standing struct {
	basis     banking.Basis
	deposits  map[string]banking.Deposit
	parts     map[string]banking.DepositPart
	takenBack map[string]banking.TakenBack
	credits   []banking.Credit
	bridge    []banking.BridgeAmount
	days      []banking.SeenDay
}

// keep does what KeepConclusion does.
func (s *standing) keep(kept *banking.Conclusion) {
	replaced := func(d ledger.Date) bool {
		return kept.Whole || slices.ContainsFunc(kept.Matched, func(p ledger.Period) bool { return p.Contains(d) })
	}
	for name, d := range s.deposits {
		if d.Closed == 0 || replaced(d.Closed) {
			delete(s.deposits, name)
		}
	}
	for name, p := range s.parts {
		if p.Closed == 0 || replaced(p.Closed) {
			delete(s.parts, name)
		}
	}
	for name, x := range s.takenBack {
		if replaced(x.Day) {
			delete(s.takenBack, name)
		}
	}
	s.credits = append(slices.DeleteFunc(s.credits, func(c banking.Credit) bool { return replaced(c.Day) }), kept.Credits...)
	for _, d := range kept.Deposits {
		s.deposits[d.Name] = d
	}
	for _, p := range kept.Parts {
		s.parts[p.Part] = p
	}
	for _, x := range kept.TakenBack {
		s.takenBack[x.Payer+x.Subject] = x
	}
	s.basis, s.bridge, s.days = kept.Basis, kept.Bridge, kept.Days
}

// night matches the world as of a day: from the stored matches, or everything.
func (w *movingWorld) night(t *rapid.T, account *bank.Account, terms bank.Terms, asOf ledger.Date, s *standing, whole bool) (kept *banking.Conclusion, cases []string, matched int) {
	var days []banking.Day
	for d := november(1) - 40; d <= asOf; d++ {
		state := banking.DayCovered
		if d > w.settled {
			state = banking.DayPartial
		}
		days = append(days, banking.Day{Day: d, State: state})
	}
	c := bank.NewConciliation(account, 1001, days, terms)
	p := c.Period()
	now := banking.Basis{Run: fmt.Sprint("run", asOf), AsOf: asOf, From: p.From, To: max(p.To, asOf), Terms: c.DescribeTerms()}
	var scope *bank.Scope
	if !whole {
		scope = c.NewScope(s.basis, now, w.moved(s))
	}
	read := func(has func(ledger.Date) bool) {
		for d, lines := range w.lines {
			for i := range lines {
				if has(d) && p.Contains(d) {
					c.AddLine(&lines[i])
				}
			}
		}
	}
	read(scope.Contains)
	if scope != nil {
		w.widen(c, scope, now, read)
	}
	for _, x := range w.paid {
		if scope.Contains(x.Day) && x.Day >= now.From && x.Day <= now.To {
			c.AddInstallment(&x)
		}
	}
	for _, month := range c.RentedMonths(1001) {
		sold := map[string][]string{}
		for n := range w.terminals {
			sold[fmt.Sprint(n)] = []string{"Aprovado"}
		}
		c.AddTerminals(1001, month, sold)
	}
	if scope != nil {
		w.addStanding(c, scope, s)
	}
	results := c.Match(asOf)
	titles := results.NewTitles()
	for _, p := range titles.Days() {
		for _, x := range w.paid {
			if p.Contains(x.Day) {
				titles.AddInstallment(&x)
			}
		}
	}
	evaluated, err := results.Evaluate(&ledger.Run{ID: now.Run, AsOf: asOf}, bank.Known{Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range evaluated.Findings {
		cases = append(cases, fmt.Sprintf("%s %s %s %s %v", f.Code, f.Severity, f.Subject, f.Impact.V, f.Numbers))
	}
	kept = results.Conclude(titles, evaluated, ledger.Breaks)
	kept.Basis, kept.Whole = now, scope == nil
	if scope != nil {
		kept.Matched = scope.Periods()
		for _, p := range kept.Matched {
			matched += p.Days()
		}
	}
	return kept, cases, matched
}

// moved is what a ledger finds as moved since the last night.
func (w *movingWorld) moved(s *standing) (m bank.Moved) {
	for _, days := range []map[ledger.Date]bool{w.files, w.touched} {
		for d := range days {
			m.Days = append(m.Days, d)
		}
	}
	for _, p := range s.parts {
		if p.Closed == 0 && p.Kind != banking.DebitPart {
			m.Open = append(m.Open, p.Part)
		}
	}
	for d, lines := range w.lines {
		if slices.ContainsFunc(lines, func(l banking.Line) bool { return l.Vanished }) {
			m.Vanished = append(m.Vanished, d)
		}
	}
	return m
}

// widen looks for the credits that debit lines may take back.
func (w *movingWorld) widen(c *bank.Conciliation, scope *bank.Scope, now banking.Basis, read func(func(ledger.Date) bool)) {
	var more []ledger.Date
	for _, search := range c.ReturnSearches() {
		for d, lines := range w.lines {
			if search.Period.Contains(d) && slices.ContainsFunc(lines, func(l banking.Line) bool { return l.Amount == search.Amount }) {
				more = append(more, d)
			}
		}
	}
	fresh := c.Widen(scope, more, now)
	read(func(d ledger.Date) bool {
		return slices.ContainsFunc(fresh, func(p ledger.Period) bool { return p.Contains(d) })
	})
}

func (w *movingWorld) addStanding(c *bank.Conciliation, scope *bank.Scope, s *standing) {
	var takenBack []banking.TakenBack
	for _, x := range s.takenBack {
		takenBack = append(takenBack, x)
	}
	sums := map[ledger.Date]*banking.ClosedDay{}
	for _, p := range s.parts {
		if p.Closed == 0 {
			continue
		}
		if sums[p.Closed] == nil {
			sums[p.Closed] = &banking.ClosedDay{Day: p.Closed}
		}
		switch p.Kind {
		case banking.GroupPart:
			sums[p.Closed].Expected += p.Amount
		case banking.LinePart:
			sums[p.Closed].Booked += p.Amount
		}
	}
	var closed []banking.ClosedDay
	for _, d := range sums {
		closed = append(closed, *d)
	}
	others := map[ledger.Date]int64{}
	for _, d := range s.days {
		others[d.Day] = d.Other
	}
	c.AddStanding(scope, takenBack, closed, others)
}

// tellKept writes what is stored, in an order of its own.
func (s *standing) tellKept() (out []string) {
	for _, d := range s.deposits {
		out = append(out, fmt.Sprintf("%+v", d))
	}
	for _, p := range s.parts {
		out = append(out, fmt.Sprintf("%+v", p))
	}
	for _, x := range s.takenBack {
		out = append(out, fmt.Sprintf("%+v", x))
	}
	for _, c := range s.credits {
		out = append(out, fmt.Sprintf("%+v", c))
	}
	for _, b := range s.bridge {
		out = append(out, fmt.Sprintf("%+v", b))
	}
	for _, d := range s.days {
		out = append(out, fmt.Sprintf("%+v", d))
	}
	slices.Sort(out)
	return out
}

// differences are what summaries tell that did not come, and what deposits tell.
func (s *standing) differences() (ofSummaries, ofDeposits ledger.Amount) {
	for _, c := range s.credits {
		ofSummaries += c.Expected - c.Credited
	}
	for _, d := range s.deposits {
		switch {
		case !d.Expected.OK:
		case d.Match == "":
			ofDeposits += d.Expected.V
		default:
			ofDeposits += d.Difference()
		}
	}
	return ofSummaries, ofDeposits
}

// move lets something happen between two nights.
func (w *movingWorld) move(t *rapid.T, asOf ledger.Date, n int) {
	day := asOf - ledger.Date(rapid.IntRange(0, 30).Draw(t, "back"))
	amount := ledger.FromCents(rapid.SampledFrom([]int64{5000, 10000, 15000, 20000, 5990}).Draw(t, "cents"))
	credit := banking.CreditedInstallment{
		Account: 1001, Day: day, Amount: amount, Brand: rapid.SampledFrom([]string{"VISA", "ELO"}).Draw(t, "brand"), Product: "CREDIT",
		Key: fmt.Sprintf("card:1001:%d", n), Seen: asOf, Judged: banking.CreditJudged{Class: ledger.Received, Band: fmt.Sprint(1 + n%3)},
	}
	line := banking.Line{Row: banking.Row{Day: day, Amount: amount, Text: rapid.SampledFrom([]string{"SERVICO", "SERVICO", "SERVICO VISA", "PIX"}).Draw(t, "text")}}
	pay := func() { w.paid[credit.Key], w.touched[credit.Day] = credit, true }
	book := func() {
		w.lines[line.Day] = append(w.lines[line.Day], line)
		w.files[line.Day] = true
	}
	switch rapid.IntRange(0, 9).Draw(t, "what") {
	case 0: // a credit without a line
		pay()
	case 1, 2, 3, 4: // as it should be
		pay()
		book()
	case 5: // late
		pay()
		line.Day = min(asOf, line.Day+ledger.Date(rapid.IntRange(1, 6).Draw(t, "days late")))
		book()
	case 6: // a debit, or a credit that is not expected
		if rapid.Bool().Draw(t, "debit") {
			line.Amount = -line.Amount
		}
		book()
	case 7: // an installment falls or is cancelled
		if keys := slices.Sorted(maps.Keys(w.paid)); len(keys) > 0 {
			x := w.paid[rapid.SampledFrom(keys).Draw(t, "installment")]
			w.touched[x.Day] = true
			if rapid.Bool().Draw(t, "cancelled") {
				x.Status = "Cancelado"
			} else {
				x.Fallen, x.Now, x.NowDay = true, x.Amount/2, x.Day
			}
			x.Seen = asOf
			w.paid[x.Key] = x
		}
	case 8: // a line vanishes
		if days := slices.Sorted(maps.Keys(w.lines)); len(days) > 0 {
			d := rapid.SampledFrom(days).Draw(t, "day of a line")
			w.files[d] = true
			w.lines[d][0].Vanished = true
		}
	case 9:
		w.terminals = rapid.IntRange(0, 3).Draw(t, "terminals")
	}
}

// TestNightMatchesWhatMoved: from night to night, in random worlds in which lines and credits come late, fall, vanish and are taken back,
// a night that looks at the days that moved keeps what a night keeps that looks at all of them, and tells the same cases. Most days are
// left alone. Summaries tell of as much that did not come as deposits.
func TestNightMatchesWhatMoved(t *testing.T) {
	t.Parallel()
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	contracts, err := agreements.ParseContracts("c", []byte("contracts:\n  - {account: 1001, valid_from: 2024-01-01, rental: 59.90}\n"))
	if err != nil {
		t.Fatal(err)
	}
	terms := bank.Terms{Mapping: agreements.DefaultMapping(), Contracts: contracts, Calendar: days}
	looked, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		account := &bank.Account{ID: "itau", Accounts: []ledger.Account{1001}, Shift: rapid.IntRange(0, 5).Draw(t, "shift"), Payers: []bank.Payer{{
			Name: "service", Match: bank.Pattern{Piece: "SERVICO"}, Cards: true,
			Grain: rapid.SampledFrom([]match.Grain{match.Day, match.Brand, match.BrandProduct}).Draw(t, "grain"),
		}}}
		w := &movingWorld{
			lines: map[ledger.Date][]banking.Line{}, paid: map[string]banking.CreditedInstallment{}, files: map[ledger.Date]bool{}, touched: map[ledger.Date]bool{},
		}
		s := &standing{deposits: map[string]banking.Deposit{}, parts: map[string]banking.DepositPart{}, takenBack: map[string]banking.TakenBack{}}
		asOf := november(1)
		n := 0
		for range rapid.IntRange(2, 5).Draw(t, "nights") {
			asOf += ledger.Date(rapid.IntRange(0, 4).Draw(t, "days later"))
			for range rapid.IntRange(0, 8).Draw(t, "moves") {
				n++
				w.move(t, asOf, n)
			}
			w.settled = asOf - ledger.Date(rapid.IntRange(1, 4).Draw(t, "not yet settled"))
			kept, cases, matched := w.night(t, account, terms, asOf, s, false)
			if !kept.Whole {
				looked, all = looked+matched, all+int(asOf-kept.Basis.From)+1
			}
			s.keep(kept)
			w.files, w.touched = map[ledger.Date]bool{}, map[ledger.Date]bool{}
			anew := &standing{deposits: map[string]banking.Deposit{}, parts: map[string]banking.DepositPart{}, takenBack: map[string]banking.TakenBack{}}
			whole, told, _ := w.night(t, account, terms, asOf, s, true)
			anew.keep(whole)
			if want, got := anew.tellKept(), s.tellKept(); !slices.Equal(want, got) {
				t.Fatalf("as of %s, everything matched (-), what moved (+):\n%s", asOf, cmp.Diff(want, got))
			}
			if summaries, deposits := s.differences(); summaries != deposits {
				t.Fatalf("as of %s, summaries tell that %s did not come, deposits %s", asOf, summaries, deposits)
			}
			if !slices.Equal(told, cases) {
				t.Fatalf("as of %s, cases of everything (-), of what moved (+):\n%s", asOf, cmp.Diff(told, cases))
			}
		}
	})
	if looked == 0 || looked*10 > all*9 {
		t.Errorf("of %d days %d were matched", all, looked)
	}
}
