package jobs_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// story is a service whose rows change at random from night to night, and a worker that pulls some of its days.
type story struct {
	t     *testing.T
	rnd   *rand.Rand
	w     *jobs.Worker
	l     *store.Ledger
	rows  []*storied
	slips []*storiedSlip
	asOf  ledger.Date
	run   *ledger.Run
	pulls int
}

type storied struct {
	ledger.Installment
	hidden bool
}

type storiedSlip struct {
	ledger.SlipView
	hidden map[ledger.Source]bool
}

const storyContract = `contracts:
  - account: 1001
    valid_from: 2024-01-01
    fee_basis: installment
    rates:
      - {brand: visa, product: credit, installments: 1-6, mdr: 2.50, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}
    settlement: {credit: D+2}
    slip: {tariff: 2.50, credit: D+1 bd}
`

var storyBegins = ledger.NewDate(2026, 3, 2)

func newStory(t *testing.T, l *store.Ledger, seed uint64) *story {
	t.Helper()
	contracts, err := agreements.ParseContracts("contract.yaml", []byte(storyContract))
	if err != nil {
		t.Fatal(err)
	}
	w := &jobs.Worker{
		Ledger: l, Accounts: []jobs.Account{{Number: 1001, Since: storyBegins}}, Zone: time.UTC, Wall: time.Now, ProgramVersion: "test",
		Progress: jobs.Silent{}, Now: time.Now,
	}
	w.Inputs.Contracts, w.Inputs.Mapping, w.Inputs.Profile = contracts, agreements.DefaultMapping(), agreements.DefaultProfile()
	w.Inputs.Calendar = jobstest.BankDays(t)
	return &story{t: t, rnd: rand.New(rand.NewPCG(seed, 7)), w: w, l: l, asOf: storyBegins}
}

func (s *story) once(n int) bool { return s.rnd.IntN(n) == 0 }

func (s *story) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// sell adds sales of the day before, some of them doubles of one another, also over midnight.
func (s *story) sell() {
	day := s.asOf - 1
	for n := range 6 {
		count := 1 + s.rnd.IntN(3)
		at := day.Time().Add(time.Duration(s.rnd.IntN(4)*7*60+s.rnd.IntN(60)) * time.Second)
		if s.once(4) {
			at = day.Time().Add(24*time.Hour - time.Duration(1+s.rnd.IntN(240))*time.Second)
		}
		for k := 1; k <= count; k++ {
			gross := ledger.Amount(1+s.rnd.IntN(3)) * 100 * ledger.Real
			mdr := gross / 40
			if s.once(3) {
				mdr += ledger.Cent // within the tolerance
			}
			s.rows = append(s.rows, &storied{Installment: ledger.Installment{
				Account: 1001, SoldAt: ledger.LocalTimeOf(at, time.UTC), Terminal: fmt.Sprint("T", s.rnd.IntN(2)), Card: "411111******1111",
				CardType: "CREDIT", CardName: []string{"VISA", "VISA", "ELO", "???"}[s.rnd.IntN(4)], NSU: fmt.Sprint(n), Auth: "A" + day.String(),
				Number: k, Count: count, Gross: gross, SaleTotal: ledger.Some(gross * ledger.Amount(count)), Status: "Autorizada",
				MDR: ledger.Some(mdr), MDRRate: ledger.Some(ledger.Rate(2_500_000)), Fee: ledger.Some(10 * ledger.Cent),
				Antifraud: ledger.Some(30 * ledger.Cent), Forecast: day + ledger.Date(2*k),
			}})
		}
	}
	for range 2 {
		id := fmt.Sprintf("%08d-%04d", s.asOf, s.rnd.IntN(9999))
		s.slips = append(s.slips, &storiedSlip{hidden: map[ledger.Source]bool{}, SlipView: ledger.SlipView{
			Account: 1001, ID: id, Value: ledger.Amount(50+s.rnd.IntN(99)) * ledger.Real, Issued: day, Due: s.asOf + ledger.Date(s.rnd.IntN(6)),
			Status: ledger.Some[int64](2), Integration: ledger.Some[int64](2),
		}})
	}
}

// live lets things happen to what there is.
func (s *story) live() {
	for _, r := range s.rows {
		net := r.Gross - r.MDR.V - r.Fee.V - r.Antifraud.V
		switch {
		case r.Forecast != 0 && r.Forecast < s.asOf && r.Effective == 0 && s.once(2):
			r.Effective, r.Received, r.ReceivedStatus = r.Forecast, ledger.Some(net), "Pago"
			if s.once(8) {
				r.Received = ledger.Some(net - ledger.Real)
			}
		case s.once(60):
			r.Status = []string{"Cancelada", "Bloqueada", "Chargeback", "Autorizada", "??!"}[s.rnd.IntN(5)]
		case s.once(90):
			r.Gross += ledger.Real
		case s.once(90):
			r.CardName = []string{"VISA", "ELO"}[s.rnd.IntN(2)]
		case s.once(90):
			r.Effective, r.Received, r.ReceivedStatus, r.ReceivedType = s.asOf-1, ledger.Some(net), "Pago", "Antecipado"
		case s.once(70) || r.hidden && s.once(3):
			r.hidden = !r.hidden
		}
	}
	for _, v := range s.slips {
		switch {
		case v.PaidOn == 0 && s.once(6):
			v.PaidOn, v.PaidValue, v.Status = s.asOf-1, ledger.Some(v.Value), ledger.Some[int64](3)
			if s.once(5) {
				v.PaidValue = ledger.Some(v.Value - ledger.Real)
			}
		case v.PaidOn != 0 && v.CreditedOn == 0 && s.once(3):
			v.CreditedOn = s.asOf - 1
		case s.once(60):
			v.CancelledOn = s.asOf - 1
		case s.once(40):
			v.hidden[ledger.SlipLists()[s.rnd.IntN(3)]] = true
		case s.once(20):
			clear(v.hidden)
		}
	}
}

func (s *story) pull(source ledger.Source, p ledger.Period) *ledger.Pull {
	s.pulls++
	began := s.run.Began.Add(time.Duration(s.pulls) * time.Millisecond)
	return &ledger.Pull{
		ID: fmt.Sprintf("%s-%04d", s.run.ID, s.pulls), Run: s.run.ID, Complete: true, AsOf: s.asOf, On: s.asOf, Began: began, Ended: began,
		Window: ledger.Window{Account: 1001, Source: source, Period: p},
	}
}

// night lives a day, pulls some of the days there are and reconciles.
func (s *story) night() {
	ctx := s.t.Context()
	s.asOf++
	s.sell()
	s.live()
	s.begin(ledger.Nightly)
	lease, err := s.l.LeaseAccounts(ctx, s.run.ID, []ledger.Account{1001}, time.Hour)
	s.ok(err)
	for d := storyBegins; d < s.asOf; d++ {
		if d < s.asOf-1 && !s.once(2) {
			continue
		}
		var rows []ledger.Installment
		var bad []ledger.Quarantined
		for _, r := range s.rows {
			if r.SoldAt.Date() == d && !r.hidden {
				rows = append(rows, r.Installment)
			}
		}
		if s.once(15) {
			bad = append(bad, ledger.Quarantined{Account: 1001, Source: ledger.Cards, Day: d, Hash: fmt.Sprintf("%064d", s.rnd.IntN(9)), Body: []byte("{}"), Reason: "x"})
		}
		if s.once(12) && len(s.rows) > 0 { // a row of another day
			rows = append(rows, s.rows[s.rnd.IntN(len(s.rows))].Installment)
			last := rows[len(rows)-1]
			if last.SoldAt.Date() == d {
				rows = rows[:len(rows)-1]
			}
		}
		s.ok(s.l.MergeInstallments(ctx, s.pull(ledger.Cards, ledger.Period{From: d, To: d}), rows, bad))
	}
	for _, list := range ledger.SlipLists() {
		p := ledger.Period{From: max(storyBegins, s.asOf-5), To: s.asOf + 6}
		var views []ledger.SlipView
		for _, v := range s.slips {
			view := v.SlipView
			view.List = list
			if d := view.ListDay(); d != 0 && p.Contains(d) && !v.hidden[list] {
				views = append(views, view)
			}
		}
		s.ok(s.l.MergeSlips(ctx, s.pull(list, p), views, nil))
	}
	s.judge()
	s.ok(lease.Release(ctx))
}

func (s *story) begin(kind ledger.RunKind) {
	began := s.asOf.Time().Add(6 * time.Hour)
	s.run = &ledger.Run{ID: ledger.RunID(began, "aaaaaa"), Kind: kind, AsOf: s.asOf, Began: began, Accounts: []ledger.Account{1001}}
	s.ok(s.l.BeginRun(s.t.Context(), s.run))
}

func (s *story) judge() {
	s.t.Helper()
	if _, err := s.w.ReconcileIn(s.t.Context(), s.run); err != nil {
		s.t.Fatal(err)
	}
}

// kept is everything the nights left behind.
func (s *story) kept() map[string]string {
	s.t.Helper()
	return jobstest.DumpResults(s.t, s.l, 1001, s.run.ID)
}

// A chain of nights that evaluate what moved comes to what evaluating everything at the end comes to; and a run that reconciles
// again comes to what it came to.
func TestChangedRowsGiveTheFullResult(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		for seed := range jobstest.Seeds(4, 40) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				movedIsEverything(t, jobstest.FreshLedger(t), seed, jobstest.Long(18, 25))
			})
		}
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		on := jobstest.OnPostgres()
		for seed := range jobstest.Seeds(1, 4) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				l, _ := on.Open(t)
				movedIsEverything(t, l, seed, jobstest.Long(10, 25))
			})
		}
	})
}

func movedIsEverything(t *testing.T, l *store.Ledger, seed, nights uint64) {
	t.Helper()
	s := newStory(t, l, seed)
	for range nights {
		s.night()
	}
	first := s.kept()
	s.judge()
	if d := cmp.Diff(first, s.kept()); d != "" {
		t.Fatalf("the same run again (-first +again):\n%s", d)
	}
	s.w.Inputs.Full = true
	s.judge()
	if d := cmp.Diff(first, s.kept()); d != "" {
		t.Fatalf("everything (-moved +all):\n%s", d)
	}
	codes := map[string]int{}
	s.ok(s.l.Findings(t.Context(), caselog.FindingFilter{}, func(f *ledger.Finding) error {
		codes[f.Code]++
		return nil
	}))
	t.Log(slices.Sorted(maps.Keys(codes)))
	for _, never := range []string{"LEDGER_BRIDGE_RESIDUAL", "LEDGER_CONTINUITY_BROKEN"} {
		if codes[never] > 0 {
			t.Errorf("%s: %d cases", never, codes[never])
		}
	}
}

// A break of the continuity is reported by the night that finds it; the next one opens with what was counted, and resolves it.
func TestBreakIsReportedOnce(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	l, do := jobstest.OnSQLite().Open(t)
	s := newStory(t, l, 3)
	for range 5 {
		s.night()
	}
	s.ok(do(fmt.Sprintf("UPDATE continuity SET closing = closing + 100 WHERE ended_run IS NULL AND day = %d AND brand = 'visa'", s.asOf-2)))
	for _, want := range []ledger.State{ledger.Opened, ledger.Resolved, ledger.Resolved} {
		s.night()
		found := map[ledger.State]int{}
		s.ok(s.l.Findings(t.Context(), caselog.FindingFilter{Codes: []string{"LEDGER_CONTINUITY_BROKEN"}}, func(f *ledger.Finding) error {
			found[f.State]++
			return nil
		}))
		if len(found) != 1 || found[want] != 1 {
			t.Fatalf("as of %s: %v, not one that is %s", s.asOf, found, want)
		}
	}
}
