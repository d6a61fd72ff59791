package bank

import (
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// statedBalance is one balance of a file, with the days that it may be the closing of, the likeliest first.
type statedBalance struct {
	file     ledger.FileHash
	made     ledger.LocalTime
	readings []banking.Balance
}

// anchor is a balance taken as the closing of a day.
type anchor struct {
	day    ledger.Date
	amount ledger.Amount
	file   ledger.FileHash
}

// shownDay is how files show a day.
type shownDay struct {
	whole bool
	file  ledger.FileHash // the last made that shows it, a whole one before others
	sums  banking.Day
}

// chainDays computes the state of every day from the first to the last that a file shows. shown has the sums of each day
// that is shown; isBusinessDay is the calendar by which money settles.
func chainDays(shown map[ledger.Date]*shownDay, balances []statedBalance, isBusinessDay func(ledger.Date) bool) []banking.Day {
	if len(shown) == 0 {
		return nil
	}
	period := shownPeriod(shown)
	c := &chain{shown: shown, anchors: map[ledger.Date][]anchor{}}
	c.chooseAnchors(balances)
	days := make([]banking.Day, 0, period.Days())
	for d := period.From; d <= period.To; d++ {
		day := banking.Day{Day: d, State: banking.DayMissing}
		if s := shown[d]; s != nil {
			day = s.sums
			day.Day, day.File, day.State = d, s.file, banking.DayPartial
			if s.whole {
				day.State = banking.DayCovered
			}
		}
		if at := c.anchors[d]; len(at) > 0 {
			day.Balance = ledger.Some(at[len(at)-1].amount)
		}
		days = append(days, day)
	}
	c.applyLinks(days)
	coverQuietDays(days, isBusinessDay)
	return days
}

func shownPeriod(shown map[ledger.Date]*shownDay) (p ledger.Period) {
	for d := range shown {
		if p.From == 0 || d < p.From {
			p.From = d
		}
		p.To = max(p.To, d)
	}
	return p
}

// chain is the search for the anchors.
type chain struct {
	shown   map[ledger.Date]*shownDay
	anchors map[ledger.Date][]anchor // of a day, in the order their files were made
}

// chooseAnchors decides for every stated balance which day it is the closing of: the first reading whose link with a
// neighbour closes, else the first. Files are asked in the order they were made, and once more when all have spoken.
func (c *chain) chooseAnchors(balances []statedBalance) {
	balances = slices.Clone(balances)
	slices.SortStableFunc(balances, func(a, b statedBalance) int {
		return compareFileDays(&fileDay{file: a.file, made: a.made}, &fileDay{file: b.file, made: b.made})
	})
	for range 2 {
		for i := range balances {
			c.choose(&balances[i])
		}
	}
}

// choose puts the anchor of one balance, in place of what it chose before.
func (c *chain) choose(b *statedBalance) {
	if len(b.readings) == 0 {
		return
	}
	mine := func(a anchor) bool { return a.file == b.file && hasReading(b.readings, a) }
	for d, all := range c.anchors {
		if all = slices.DeleteFunc(all, mine); len(all) == 0 {
			delete(c.anchors, d)
		} else {
			c.anchors[d] = all
		}
	}
	chosen := b.readings[0]
	for _, r := range b.readings {
		if c.closesLink(r) {
			chosen = r
			break
		}
	}
	c.anchors[chosen.Day] = append(c.anchors[chosen.Day], anchor{day: chosen.Day, amount: chosen.Amount, file: b.file})
}

func hasReading(readings []banking.Balance, a anchor) bool {
	return slices.ContainsFunc(readings, func(r banking.Balance) bool { return r.Day == a.day && r.Amount == a.amount })
}

// closesLink reports whether a balance agrees with the one stated of its day, or its link with the neighbour before or after
// closes.
func (c *chain) closesLink(r banking.Balance) bool {
	if at := c.anchors[r.Day]; len(at) > 0 {
		return at[len(at)-1].amount == r.Amount
	}
	before, after := ledger.Date(0), ledger.Date(0)
	for d := range c.anchors {
		if d < r.Day {
			before = max(before, d)
		}
		if d > r.Day && (after == 0 || d < after) {
			after = d
		}
	}
	if before != 0 {
		if at := c.anchors[before]; r.Amount-at[len(at)-1].amount == c.sumBetween(before, r.Day) {
			return true
		}
	}
	if after != 0 {
		if at := c.anchors[after]; at[len(at)-1].amount-r.Amount == c.sumBetween(r.Day, after) {
			return true
		}
	}
	return false
}

// sumBetween is what the lines of the days after one and up to another come to.
func (c *chain) sumBetween(after, to ledger.Date) (sum ledger.Amount) {
	for d := after + 1; d <= to; d++ {
		if s := c.shown[d]; s != nil {
			sum += s.sums.Net()
		}
	}
	return sum
}

// applyLinks marks the days of every link as proven or broken. Balances of one day that differ break that day.
func (c *chain) applyLinks(days []banking.Day) {
	anchored := make([]ledger.Date, 0, len(c.anchors))
	for d := range c.anchors {
		anchored = append(anchored, d)
	}
	slices.Sort(anchored)
	first := days[0].Day
	at := func(d ledger.Date) *banking.Day {
		if d < first || int(d-first) >= len(days) {
			return nil
		}
		return &days[d-first]
	}
	for i, d := range anchored {
		if i > 0 {
			c.applyLink(anchored[i-1], d, at)
		}
		all := c.anchors[d]
		if residual := all[len(all)-1].amount - all[0].amount; residual != 0 {
			if day := at(d); day != nil {
				day.State, day.Residual = banking.DayBroken, ledger.Some(residual)
			}
		}
	}
}

func (c *chain) applyLink(from, to ledger.Date, at func(ledger.Date) *banking.Day) {
	last := func(d ledger.Date) ledger.Amount { return c.anchors[d][len(c.anchors[d])-1].amount }
	residual := last(to) - last(from) - c.sumBetween(from, to)
	state := banking.DayProven
	if residual != 0 {
		state = banking.DayBroken
	}
	for d := from + 1; d <= to; d++ {
		if day := at(d); day != nil {
			day.State, day.Residual = state, ledger.Some(residual)
		}
	}
}

// coverQuietDays takes days on which banks are closed as covered when the days on both sides are settled.
func coverQuietDays(days []banking.Day, isBusinessDay func(ledger.Date) bool) {
	for i := 0; i < len(days); i++ {
		if days[i].Settled() {
			continue
		}
		end := i
		for end < len(days) && !days[end].Settled() && days[end].State != banking.DayBroken && !isBusinessDay(days[end].Day) {
			end++
		}
		if end > i && i > 0 && end < len(days) && days[i-1].Settled() && days[end].Settled() {
			for n := i; n < end; n++ {
				days[n].State = banking.DayCovered
			}
		}
		i = max(i, end-1)
	}
}
