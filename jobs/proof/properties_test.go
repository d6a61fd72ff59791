package proof_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// proofSeeds is how many worlds of faults a property is held on.
func proofSeeds(short int) int {
	if jobstest.Raced {
		return 1
	}
	if os.Getenv("CONCILIA_LONG") == "1" {
		return 40 * short
	}
	return short
}

// fault is something wrong with one row from one morning to another.
type fault struct {
	from, to int
	spoil    func(*lab)
}

// faults draws so many: any member of any row, on any mornings; apart says that lists of slips may differ.
func faults(rnd *rand.Rand, n int, apart bool) func(*lab) {
	var all []fault
	for range n {
		f := fault{from: 1 + rnd.IntN(4), spoil: oneFault(rnd, apart)}
		f.to = f.from + rnd.IntN(4)
		all = append(all, f)
	}
	return func(l *lab) {
		for _, f := range all {
			if f.from <= l.morning && l.morning <= f.to {
				f.spoil(l)
			}
		}
	}
}

func oneFault(rnd *rand.Rand, apart bool) func(*lab) {
	kinds := 10
	if apart {
		kinds = 12
	}
	row, what, pick := rnd.IntN(1<<20), rnd.IntN(kinds), rnd.IntN(1<<20)
	return func(l *lab) {
		if len(l.cards) == 0 {
			return
		}
		at := row % len(l.cards)
		p := l.slips[row%len(l.slips)]
		switch what {
		case 0:
			l.cards = slices.Delete(l.cards, at, at+1)
		case 1:
			l.cards = append(l.cards, maps.Clone(l.cards[at]))
		case 2:
			twin := maps.Clone(l.cards[at])
			wrong(twin, pick)
			l.cards = append(l.cards, twin)
		case 6: // what is open, and how much of it
			l.cards[at]["installmentValue"] = num((l.cards[at].amount("installmentValue") + ledger.Amount(1+pick%3)*ledger.Real).String())
		case 7:
			l.cards[at]["installmentStatus"] = []string{"Canceled", "Blocked", "Authorized", "Chargeback", "Paid"}[pick%5]
		case 10:
			p.hidden[ledger.SlipLists()[pick%3]] = true
		case 3, 4, 5:
			wrong(p.record, pick)
		case 11:
			view := p.view(ledger.SlipLists()[pick%3])
			wrong(view, pick)
			p.says[ledger.SlipLists()[pick%3]] = view
		default:
			wrong(l.cards[at], pick)
		}
	}
}

// wrong gives one member of a record another value of its kind, or one that cannot be.
func wrong(r record, pick int) {
	members := slices.Sorted(maps.Keys(r))
	member := members[pick%len(members)]
	pick /= len(members)
	choose := func(of ...any) { r[member] = of[pick%len(of)] }
	switch v := r[member].(type) {
	case json.Number:
		a := r.amount(member)
		if strings.HasPrefix(member, "status") {
			choose(num("1"), num("2"), num("3"), num("9"), num("99"), nil, "ten")
			return
		}
		choose(num("0"), num((-a).String()), num((a + ledger.Cent).String()), num((a + 5*ledger.Real).String()), num((2 * a).String()), nil, "ten")
	case int:
		choose(0, v+1, v-1, 99, nil)
	case bool:
		choose(!v, nil)
	case []record:
		if len(v) > 0 && pick%3 > 0 {
			one := maps.Clone(v[0])
			wrong(one, pick/3)
			r[member] = []record{one}
			return
		}
		choose(nil, []record{}, append(slices.Clone(v), v...))
	case string:
		if d, err := ledger.ParseDate(v); err == nil {
			choose((d - 3).String(), (d + 1).String(), (d + 40).String(), nil, "2026-02-30")
			return
		}
		choose("", "???", "Paid", "Canceled", "Blocked", "Chargeback", "Authorized", "VISA", "DEBIT", nil, 7)
	default:
		choose("2026-03-09", num("1"))
	}
}

// readable takes away the records that cannot be read exactly. One of them is put under the first day of its window, and
// keeps what else the window lacks from being gone: how windows are cut then matters, and should.
func (c *counter) readable() {
	number := func(r record, members ...string) bool {
		for _, m := range members {
			if _, ok := r[m].(json.Number); !ok {
				return false
			}
		}
		return true
	}
	c.cards = slices.DeleteFunc(c.cards, func(r record) bool {
		_, err := ledger.ParseLocalTime(r.text("transactionDate"), time.UTC)
		_, k := r["installmentNumber"].(int)
		_, n := r["installmentsCount"].(int)
		for member, v := range r {
			// The other members may be absent, and are of the kind they were, unless they were made another.
			switch v {
			case "ten", "2026-02-30", 7:
				return true
			case num("1"):
				if member == "receivedDateEffective" {
					return true
				}
			}
		}
		splits, _ := r["splits"].([]record)
		for _, s := range splits {
			for _, v := range s {
				if v == "ten" || v == 7 {
					return true
				}
			}
		}
		return err != nil || !k || !n || !number(r, "installmentValue")
	})
}

var runNames = regexp.MustCompile(`\d{8}T\d{6}\.\d{3}Z-\w+`)

// left is everything the nights left behind, run names aside.
func (l *lab) left() map[string]string {
	out := jobstest.DumpResults(l.t, l.Ledger, 1001, l.summary.Run)
	for k, v := range out {
		out[k] = runNames.ReplaceAllString(v, "RUN")
	}
	return out
}

// neverBroken are the cases that no row can give rise to, whatever it says.
func (l *lab) neverBroken() {
	l.t.Helper()
	for _, line := range l.standing() {
		if strings.HasPrefix(line, "LEDGER_") {
			l.t.Errorf("as of %s: %s", l.asOf, line)
		}
	}
}

// Whatever rows say, on whatever morning: no night fails, the bridge and the movements close on every one of them, and
// what the nights come to, each evaluating what moved, is what evaluating everything comes to.
func TestFaultsLeaveNoResidual(t *testing.T) {
	t.Parallel()
	for seed := range proofSeeds(5) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			l := newLab(t, jobstest.OnSQLite())
			l.tell = seed%3 == 0
			apart := seed%2 == 1
			edit := faults(rand.New(rand.NewPCG(uint64(seed), 5)), 12, apart)
			for range 5 {
				l.next(edit)
				l.neverBroken()
			}
			if apart {
				return // what lists were asked a second time cannot be evaluated again without asking
			}
			before := l.left()
			l.Inputs.Full = true
			var err error
			if l.summary, err = l.Reconcile(t.Context(), l.asOf); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(before, l.left()); d != "" {
				t.Errorf("everything judged at once (-nights +all):\n%s", d)
			}
			l.neverBroken()
		})
	}
}

// The same answers cut into other windows, asked for in another order and with their rows shuffled: the same cases, the
// same brackets, the same verdict.
func TestOrderAndCutOfAnswersDoNotMatter(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for seed := range proofSeeds(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			live := func(turned bool) (map[string]string, ledger.Verdict) {
				l := newLab(t, jobstest.OnSQLite())
				rnd := rand.New(rand.NewPCG(uint64(seed), 6))
				edit := faults(rand.New(rand.NewPCG(uint64(seed), 7)), 8, true)
				for range 3 {
					l.next(func(l *lab) {
						edit(l)
						l.readable()
						if turned {
							l.answers = func(_ ledger.Source, _, _ string, rows []record) []record {
								rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
								return rows
							}
						}
						l.ask(turned)
					})
				}
				return l.left(), l.summary.Verdict
			}
			straight, verdict := live(false)
			turned, other := live(true)
			if d := cmp.Diff(straight, turned); d != "" || verdict != other {
				t.Errorf("verdicts %s and %s; straight (-) and turned (+):\n%s", verdict, other, d)
			}
		})
	}
}

// ask pulls all days of cards once before the night does: in one go, or day by day from the last to the first.
func (l *lab) ask(dayByDay bool) {
	first, last := l.Accounts[0].Since, l.asOf-1
	periods := []ledger.Period{{From: first, To: last}}
	if dayByDay {
		periods = nil
		for d := last; d >= first; d-- {
			periods = append(periods, ledger.Period{From: d, To: d})
		}
	}
	for _, p := range periods {
		if _, err := l.PullRange(l.t.Context(), p, []ledger.Source{ledger.Cards}); err != nil {
			l.t.Fatal(err)
		}
	}
}
