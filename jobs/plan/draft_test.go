package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/store/facts"
	"concilia/store/ledger"
)

// asOf is the morning that the drafts of these tests are of.
var asOf = ledger.NewDate(2026, time.November, 18)

// newDraft is a draft of an account that is answered for since so many days.
func newDraft(days ledger.Date) *accountDraft {
	return &accountDraft{
		account: 1001, since: asOf - days, asOf: asOf,
		asked: map[ledger.Source]map[ledger.Date]askedOn{}, reasons: map[ledger.Source]map[ledger.Date]string{},
	}
}

// tells are the days of cards, as days before as-of with their reasons.
func (p *accountDraft) tells() string {
	var all []string
	for d, reason := range p.reasons[ledger.Cards] {
		all = append(all, fmt.Sprintf("-%d %s", p.asOf-d, reason))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// A day is proven by an answer that was asked for after it had ended.
func TestMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says        string
		first, last ledger.Date // of the window that was answered, before as-of
		on          ledger.Date // when, before as-of
		want        string
	}{
		{"a window of all days, last night", 3, 1, 0, ""},
		{"asked on its last day: that one is not proven", 3, 1, 1, "-1 " + reasonMissing},
		{"a window that ended earlier", 3, 2, 0, "-1 " + reasonMissing},
		{"what lies before the account is answered for is nobody's", 30, 2, 0, "-1 " + reasonMissing},
	} {
		p := newDraft(3)
		p.recordAsked([]facts.RequestedWindow{{
			Source: ledger.Cards, Period: ledger.Period{From: asOf - c.first, To: asOf - c.last}, First: asOf - c.on, Last: asOf - c.on,
		}})
		p.addMissingDays()
		if got := p.tells(); got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
		if got := len(p.listWindows()); got != len(p.reasons[ledger.Cards])+3*len(ledger.SlipLists()) {
			t.Errorf("%s: %d windows; the lists of slips were never asked", c.says, got)
		}
	}
}

// A day has its turn among every seven nights by its date, and after a week without it at the latest.
func TestTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says      string
		day, last ledger.Date // before as-of
		want      bool
	}{
		{"its turn", 14, 1, true},
		{"not its turn", 15, 6, false},
		{"its turn fell on a night without a run", 15, 7, true},
	} {
		p := newDraft(30)
		p.asked[ledger.Cards] = map[ledger.Date]askedOn{asOf - c.day: {last: asOf - c.last}}
		if got := p.isTurn(asOf-c.day, weekly); got != c.want {
			t.Errorf("%s: %t", c.says, got)
		}
	}
}

// A finished day is asked for again some days after, once each, and none is left out where nights were.
func TestRecheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says               string
		first, last, moved ledger.Date // before as-of
		open               bool
		want               string
	}{
		{"moved yesterday", 20, 1, 1, false, "-30 finished on 2026-11-17: day 1 after"},
		{"asked since", 20, 0, 1, false, ""},
		{"a week ago, asked the day after", 20, 6, 7, false, "-30 finished on 2026-11-11: day 7 after"},
		{"between two rechecks", 20, 6, 8, false, "-30 finished on 2026-11-10: day 7 after"},
		{"between two rechecks, asked since", 20, 1, 8, false, ""},
		{"something is open: the waiting ask for it", 20, 1, 1, true, ""},
	} {
		p := newDraft(60)
		day := asOf - 30
		p.asked[ledger.Cards] = map[ledger.Date]askedOn{day: {first: asOf - c.first, last: asOf - c.last, changed: asOf - c.moved}}
		p.waiting = []facts.WaitingDay{{Day: day, Open: c.open}}
		p.addRechecks()
		if got := p.tells(); got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

// A day keeps the first reason given to it.
func TestFirstReason(t *testing.T) {
	t.Parallel()
	p := newDraft(30)
	p.addSpan(ledger.Cards, asOf-2, asOf-1, reasonRecent)
	p.addDay(ledger.Cards, asOf-1, reasonDue)
	p.addDay(ledger.Cards, asOf-9, reasonDue)
	if got, want := p.tells(), "-1 "+reasonRecent+", -2 "+reasonRecent+", -9 "+reasonDue; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	windows := p.listWindows()
	if len(windows) != 3 || windows[0].Period.From != asOf-1 || windows[2].Period.From != asOf-9 || windows[0].Account != 1001 {
		t.Errorf("newest first: %+v", windows)
	}
}
