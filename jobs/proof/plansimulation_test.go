package proof_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// TestPlanSeesEverySettlement lives morning after morning and holds every settlement to the delay the plan promises:
// money on its date, late, overdue for long, of blocked sales and paid early, with and without notifications. CONCILIA_LONG
// lives two years of all kinds of shops instead of twelve mornings of two, after a history of 400 days, and publishes what
// the nights cost.
func TestPlanSeesEverySettlement(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	nights, long := 12, os.Getenv("CONCILIA_LONG") != ""
	if long {
		nights = 731
	}
	shops := []struct {
		name  string
		long  bool // it takes more than twelve nights to tell anything
		shop  *shop
		delay map[fate]int
	}{
		{
			"everything paid on its date", true, &shop{sale: func(ledger.Date) fate { return onTime }},
			map[fate]int{onTime: 1},
		},
		{
			"rare early payments, no notifications", false, &shop{sale: mixed(61)},
			map[fate]int{onTime: 1, late: 1, blocked: 1, longOverdue: 3, early: 7},
		},
		{
			"frequent early payments, no notifications", true, &shop{sale: mixed(20)},
			map[fate]int{onTime: 1, late: 1, blocked: 1, longOverdue: 3, early: 1},
		},
		{
			"frequent early payments, notifications subscribed", false, &shop{sale: mixed(20), told: true},
			map[fate]int{onTime: 1, late: 1, blocked: 1, longOverdue: 1, early: 1},
		},
	}
	lines := make([]string, len(shops))
	t.Run("shops", func(t *testing.T) {
		for i, c := range shops {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				if c.long && !long {
					t.Skip("only in two years of nights")
				}
				s := newSimulation(t, c.shop)
				s.live(nights)
				lines[i] = fmt.Sprintf(simulatedLayout, append([]any{c.name}, s.judge(c.delay)...)...)
			})
		}
	})
	if long && !t.Failed() {
		head := fmt.Sprintf(simulatedLayout, "two years of nights of a shop", "settlements", "cards", "most", "calls", "most", "of")
		jobstest.CompareGolden(t, "plan.golden", head+strings.Join(lines, ""))
	}
}

// simulatedLayout is a line of the published table: settlements that were seen in time, windows of cards and questions of any
// kind a night, each on average and at most, and the questions of a look-back over 400 days of every list.
const simulatedLayout = "%-60s %12v %7v %5v %7v %5v %5v\n"

// mixed gives fates in turn; one sale in every so many is paid early as a whole.
func mixed(every ledger.Date) func(ledger.Date) fate {
	return func(sold ledger.Date) fate {
		if sold%every == 13 {
			return early
		}
		return map[ledger.Date]fate{3: late, 7: longOverdue, 11: blocked}[sold%20]
	}
}

// simulation is a worker on a real ledger whose service is a shop, and what it was asked.
type simulation struct {
	*jobstest.Merchant
	t     *testing.T
	shop  *shop
	box   *jobstest.Mailbox
	begun ledger.Date
	spent []int // windows of cards, by night
	calls []int // questions of any kind, by night
}

const simulated ledger.Account = 7

func newSimulation(t *testing.T, shop *shop) *simulation {
	t.Helper()
	s := &simulation{Merchant: jobstest.NewMerchant(t, world.Options{Seed: 1, Days: 1, Installments: 1}), t: t, shop: shop, box: &jobstest.Mailbox{}}
	s.SkipReports()
	s.begun = ledger.NewDate(2027, time.June, 1)
	shop.opened, shop.calendar = s.begun-simulatedHistory, s.Inputs.Calendar(simulated)
	shop.today.Store(int64(s.begun))
	var ticks atomic.Int64
	s.Now = func() time.Time { return ledger.Date(shop.today.Load()).Time().Add(9 * time.Hour) } // 06:00 in São Paulo
	s.Wall = func() time.Time { return s.Now().Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	s.Service, s.Inbox = shop, s.box
	s.Plan = plan.Settings{}
	s.Accounts = []jobs.Account{{Number: simulated, Name: "one 12x a day", Since: shop.opened}}
	contracts, err := agreements.ParseContracts("none", []byte("contracts: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	s.Inputs.Contracts = contracts
	if shop.told {
		if err := s.Ledger.RecordSubscription(t.Context(), simulated, "https://us", true, s.begun); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// live pulls the history in wide windows and then lives so many nights.
func (s *simulation) live(nights int) {
	s.t.Helper()
	history := ledger.Period{From: s.shop.opened, To: s.begun - 1}
	sources := append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...)
	if _, err := s.PullRange(s.t.Context(), history, sources); err != nil {
		s.t.Fatal(err)
	}
	for range nights {
		if s.shop.told {
			s.box.Waiting = append(s.box.Waiting, s.shop.changes()...)
		}
		cards, calls := s.shop.cards.Load(), s.shop.calls.Load()
		if s.RunNight(s.t).Verdict == ledger.Incomplete {
			s.t.Fatalf("as of %s the night is incomplete", s.Today())
		}
		s.spent, s.calls = append(s.spent, int(s.shop.cards.Load()-cards)), append(s.calls, int(s.shop.calls.Load()-calls))
		s.shop.today.Add(1)
		if n := len(s.spent); n%100 == 0 {
			s.t.Logf("%d nights, as of %s", n, s.Today())
		}
	}
}

// judge holds every settlement that the nights could see against its delay, and returns how many there were and what the
// nights cost, in the order of simulatedLayout.
func (s *simulation) judge(delay map[fate]int) []any {
	s.t.Helper()
	ended, seen, worst := s.Today(), map[fate]int{}, map[fate]int{}
	err := s.Ledger.Sales(s.t.Context(), simulated, func(sale *ledger.Sale) error {
		for _, h := range sale.Rows {
			now := h.Current()
			f, shown := s.shop.fate(now.SoldAt.Date()), s.shop.paid(now.SoldAt.Date(), now.Number)+1
			promised := delay[f]
			// What the history shows already was there before the first night; the last nights need their time.
			if shown <= s.begun || shown+ledger.Date(promised)-1 >= ended {
				continue
			}
			nights := int(ended - shown + 1)
			for i := range h {
				if h[i].Effective != 0 {
					nights = int(h[i].LastChanged-shown) + 1
					break
				}
			}
			seen[f]++
			if worst[f] = max(worst[f], nights); nights > promised {
				s.t.Errorf("%s, installment %d (%s) is shown as of %s and seen after %d nights; promised are %d",
					now.SoldAt.Date(), now.Number, f, shown, nights, promised)
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for f, n := range delay {
		if seen[f] == 0 {
			s.t.Errorf("no settlement of kind %q was there to be seen within %d nights", f, n)
		}
	}
	settlements := 0
	for _, n := range seen {
		settlements += n
	}
	// The first week still measures the ends of lists.
	cards, calls := s.spent[7:], s.calls[7:]
	s.t.Logf("%d nights: settlements seen %v, at worst after nights %v", len(s.spent), seen, worst)
	return []any{settlements, average(cards), slices.Max(cards), average(calls), slices.Max(calls), int(simulatedHistory) * (1 + len(ledger.SlipLists()))}
}

func average(all []int) string {
	sum := 0
	for _, n := range all {
		sum += n
	}
	tenths := sum * 10 / len(all)
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}
