package bank

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Scope are the days that a night matches. On a day that is in none of its scopes everything came by the passes that look at one day
// alone, and nothing changed since: it would come to the same.
type Scope struct{ days map[ledger.Date]bool }

// Contains reports whether a day is matched. A nil scope has all days.
func (s *Scope) Contains(d ledger.Date) bool { return s == nil || s.days[d] }

// Periods are the days, in order and apart.
func (s *Scope) Periods() (all []ledger.Period) {
	for _, d := range slices.Sorted(maps.Keys(s.days)) {
		if last := len(all) - 1; last >= 0 && all[last].To == d-1 {
			all[last].To = d
		} else {
			all = append(all, ledger.Period{From: d, To: d})
		}
	}
	return all
}

// Moved is what a nightly run finds as changed since the current conclusion.
type Moved struct {
	// Days have another line, or something else credited.
	Days []ledger.Date
	// Open are the current groups and lines that are of no closed day, by their subjects; Vanished the days of lines that vanished.
	Open     []string
	Vanished []ledger.Date
}

// NewScope are the days to be matched after a conclusion of a basis: those that changed, those that are open, those that people
// decided about and those since its last day. It is nil, all days, where the conclusion is of other terms, other first days or a later
// morning. It comes after what people decided and before any line.
func (c *Conciliation) NewScope(last, now banking.Basis, m Moved) *Scope {
	if last.Run == "" || last.Terms != now.Terms || last.From != now.From || now.AsOf < last.AsOf || now.To < last.To {
		return nil
	}
	s := &Scope{days: map[ledger.Date]bool{}}
	for _, days := range [][]ledger.Date{m.Days, m.Vanished} {
		for _, d := range days {
			c.includeDay(s, d, now)
		}
	}
	for _, subject := range m.Open {
		if d, ok := dayOfSubject(subject); ok {
			c.includeDay(s, d, now)
		}
	}
	for i := range c.decisions {
		for _, subject := range slices.Concat(c.decisions[i].pairing.Lines, c.decisions[i].pairing.Groups) {
			if d, ok := dayOfSubject(subject); ok {
				c.includeDay(s, d, now)
			}
		}
	}
	for d := min(last.AsOf, last.To) + 1; d <= now.To; d++ {
		c.includeDay(s, d, now)
	}
	return s
}

// dayOfSubject is the day of a group's or line's subject.
func dayOfSubject(subject string) (ledger.Date, bool) {
	s, ok := ledger.ParseSubject(subject)
	if !ok || len(s.Parts) < 2 {
		return 0, false
	}
	d, err := ledger.ParseDate(s.Parts[1])
	return d, err == nil
}

// includeDay adds a day and all that are of the same bank day.
func (c *Conciliation) includeDay(s *Scope, d ledger.Date, now banking.Basis) {
	bankDay := match.BankDay(c.Calendar, d)
	for day := bankDay; day >= d || match.BankDay(c.Calendar, day) == bankDay; day-- {
		if day >= now.From && day <= now.To {
			s.days[day] = true
		}
	}
}

// AmountSearch asks for the days of a period that have a line of an amount.
type AmountSearch struct {
	Amount ledger.Amount
	Period ledger.Period
}

// ReturnSearches ask for the credits that the debit lines taken so far may take back, wherever they are matched.
func (c *Conciliation) ReturnSearches() (all []AmountSearch) {
	for i := range c.payers {
		for _, l := range c.payers[i].in.Lines {
			if l.Amount >= 0 {
				continue
			}
			day := match.BankDay(c.Calendar, l.Day)
			from := c.Calendar.AddBusinessDays(calendar.Settles, day, -match.ReturnDays-1) // of which the days before may be the bank day
			all = append(all, AmountSearch{-l.Amount, ledger.Period{From: from, To: day}})
		}
	}
	return all
}

// Widen adds days to a scope and returns those that are new, in order and apart.
func (c *Conciliation) Widen(s *Scope, days []ledger.Date, now banking.Basis) []ledger.Period {
	before := maps.Clone(s.days)
	for _, d := range days {
		c.includeDay(s, d, now)
	}
	fresh := &Scope{days: map[ledger.Date]bool{}}
	for d := range s.days {
		if !before[d] {
			fresh.days[d] = true
		}
	}
	return fresh.Periods()
}

// AddStanding takes what was concluded of the days that are not in a scope: what was taken back of their installments, what they come to, and how
// many lines of no payer they have.
func (c *Conciliation) AddStanding(s *Scope, takenBack []banking.TakenBack, closed []banking.ClosedDay, others map[ledger.Date]int64) {
	for i := range takenBack {
		x := &takenBack[i]
		at := slices.IndexFunc(c.Account.Payers, func(p Payer) bool { return p.Name == x.Payer })
		if at < 0 || s.Contains(x.Day) {
			continue
		}
		c.payers[at].in.Debits = append(c.payers[at].in.Debits, match.Debit{
			Key: x.Subject, Account: x.Account, Known: true, Amount: x.Amount, Usable: ledger.Period{From: x.From, To: x.To},
		})
	}
	for _, d := range closed {
		if !s.Contains(d.Day) {
			c.closed = append(c.closed, d)
		}
	}
	for d, n := range others {
		if !s.Contains(d) {
			c.others[d] = n
		}
	}
}

// DescribeTerms is a digest of all that decides how a day of given lines and items is matched by itself.
func (g *Grouping) DescribeTerms() string {
	h := sha256.New()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(h, format+"\n", args...) } // a hash refuses no write
	a := g.Account
	say("%d %s %d %v %s %d", termsForm, a.ID, g.Home, a.Accounts, a.Since, a.Shift)
	for i := range a.Payers {
		p := &a.Payers[i]
		say("%q %q %q %q %q", p.Name, p.Match.text(), p.DebitMatch.text(), p.Document, p.Category)
		say("%v %v %s %v %v %v %v", p.Cards, p.Slips, p.Grain, p.PerAccount, p.NetOfSplits, p.NetOfTariff, p.TariffDebited)
	}
	if g.Contracts != nil {
		say("contracts %s", g.Contracts.Hash())
	}
	say("mapping %s calendar %s", g.Mapping.Hash(), g.Calendar.Hash())
	return hex.EncodeToString(h.Sum(nil))
}

// termsForm goes up when the passes that look at one day alone match otherwise: then everything is matched anew.
const termsForm = 1

// text identifies a pattern.
func (p *Pattern) text() string {
	if p.Expression != nil {
		return "/" + p.Expression.String()
	}
	return p.Piece
}

// closedDays are the days of which everything came that day: every group and line of it is in a match of passes 1 to 3 within it, to the
// cent and without doubt, and no line of it vanished.
func (m *Matched) closedDays() map[ledger.Date]bool {
	open, seen := map[ledger.Date]bool{}, map[ledger.Date]bool{}
	for i := range m.vanished {
		open[m.vanished[i].Day] = true
	}
	for i := range m.Results {
		r := &m.Results[i]
		for n := range r.Rows {
			row := &r.Rows[n]
			_, plain := r.dayOf(row)
			for _, g := range row.Groups {
				seen[r.Groups[g].Day] = true
				open[r.Groups[g].Day] = open[r.Groups[g].Day] || !plain
			}
			for _, l := range row.Lines {
				seen[r.Lines[l].Day] = true
				open[r.Lines[l].Day] = open[r.Lines[l].Day] || !plain
			}
		}
	}
	closed := map[ledger.Date]bool{}
	for d := range seen {
		if !open[d] {
			closed[d] = true
		}
	}
	return closed
}

// dayOf is the day of a row whose both sides are of one day, and whether nothing more is to be said of it.
func (r *PayerResult) dayOf(row *match.Row) (day ledger.Date, plain bool) {
	if !row.Matched || row.Pass < 1 || row.Pass > 3 || row.Status != match.Credited || len(row.DebitsOf) > 0 || len(row.Groups) == 0 {
		return 0, false
	}
	day = r.Groups[row.Groups[0]].Day
	for _, g := range row.Groups {
		if r.Groups[g].Day != day {
			return 0, false
		}
	}
	for _, l := range row.Lines {
		if r.Lines[l].Day != day || r.Lines[l].Amount < 0 || len(r.Ambiguous[l]) > 0 {
			return 0, false
		}
	}
	return day, true
}
