package proof_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// morningsOf are the mornings as of which the sales of the year so far are reconciled: after each quarter, of large shops only after
// the last.
func morningsOf(size int) []world.Date {
	last := world.NewDate(2027, time.January, 1)
	if size >= 1000 {
		return []world.Date{last}
	}
	return []world.Date{world.NewDate(2026, time.April, 1), world.NewDate(2026, time.July, 1), world.NewDate(2026, time.October, 1), last}
}

func yearName(size int) string {
	mornings := ledger.CountText(int64(len(morningsOf(size))), "morning", "mornings")
	return fmt.Sprintf("year, %4d rows, %d seeds, %s", size, naturalSeeds, mornings)
}

// reconciledYear reconciles the years of shops of one size, each with all rules and as of each morning.
func reconciledYear(t *testing.T, size int) *naturalCount {
	all := make([]naturalCount, naturalSeeds)
	t.Run("seeds", func(t *testing.T) {
		for seed := range all {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				all[seed] = reconciledShop(t, size, uint64(seed))
			})
		}
	})
	sum := &naturalCount{notes: map[string]int{}}
	for i := range all {
		c := &all[i]
		sum.evaluated, sum.critical, sum.errors, sum.warnings = sum.evaluated+c.evaluated, sum.critical+c.critical, sum.errors+c.errors, sum.warnings+c.warnings
		for code, n := range c.notes {
			sum.notes[code] += n
		}
	}
	return sum
}

func reconciledShop(t *testing.T, size int, seed uint64) naturalCount {
	first, last := world.NewDate(2026, time.January, 1), world.NewDate(2026, time.December, 31)
	w, err := world.New(world.Options{
		Seed: 1000*uint64(size) + seed, Natural: true, From: first, To: last, AsOf: last + 1, Installments: size * naturalYear, SlipsPerDay: 1,
		Accounts: []world.Account{{Number: 1001, Name: "Loja", Splits: seed%2 == 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, in := naturalCount{notes: map[string]int{}}, naturalInputs(t, w)
	for _, morning := range morningsOf(size) {
		y := &naturalLedger{world: w, first: first, morning: morning, count: &c, sums: map[ledger.DaySum]ledger.DaySum{}}
		in.AsOf = dayOf(morning)
		if _, err := reconcile.Account(t.Context(), in, &ledger.Run{ID: "now", AsOf: in.AsOf}, 1001, y, y); err != nil {
			t.Fatal(err)
		}
		for _, f := range y.alarms {
			t.Errorf("as of %s: a false alarm: %s", in.AsOf, f)
		}
	}
	return c
}

// naturalInputs are the world's own contract with everything else that can be configured.
func naturalInputs(t *testing.T, w *world.World) reconcile.Inputs {
	contracts, err := agreements.ParseContracts("contract.yaml", jobstest.WriteContract(w))
	if err != nil {
		t.Fatal(err)
	}
	register, err := agreements.ParseRegister("register.csv", []byte(naturalRegister))
	if err != nil {
		t.Fatal(err)
	}
	orders, err := agreements.ParseOrders("orders.csv", []byte(naturalOrders))
	if err != nil {
		t.Fatal(err)
	}
	return reconcile.Inputs{
		Contracts: contracts, Mapping: agreements.DefaultMapping(), Profile: agreements.DefaultProfile(), Register: register, Orders: orders,
		Calendar: jobstest.BankDays(t), Since: ledger.NewDate(2026, time.January, 1),
	}
}

// naturalLedger is a ledger without a database: the sales of a world as of a morning, each row with the version of the morning after
// its sale and that of now. It keeps no row that a reconcile writes, only what is counted and summed.
type naturalLedger struct {
	world          *world.World
	first, morning world.Date
	count          *naturalCount
	alarms         []string // the cases that are graver than a note

	bridge      []ledger.BridgeRow
	rounding    []ledger.ToleratedAmount
	populations []ledger.Population
	sums        map[ledger.DaySum]ledger.DaySum // by what they are sums of
}

// rowsOn are the installments sold on a day as a morning shows them.
func (y *naturalLedger) rowsOn(day, morning world.Date) []world.Installment {
	y.world.SetNow(morning.At(6 * 60 * 60))
	var all []world.Installment
	for i := range y.world.Installments(1001, day, day) {
		all = append(all, i)
	}
	return all
}

func (y *naturalLedger) SalesInScope(_ context.Context, _ ledger.Account, _ *ledger.Scope, fn func(*ledger.Sale) error) error {
	for day := y.first; day < y.morning; day++ {
		fresh, now := y.rowsOn(day, day+1), y.rowsOn(day, y.morning)
		var sale *ledger.Sale
		for n := range now {
			history := y.historyOf(&fresh[n], &now[n], day)
			key := history.Current().SaleKey()
			if sale != nil && sale.Key != key {
				if err := fn(sale); err != nil {
					return err
				}
				sale = nil
			}
			if sale == nil {
				sale = &ledger.Sale{Key: key, Complete: true, Changed: true}
			}
			sale.Rows = append(sale.Rows, history)
		}
		if sale != nil {
			if err := fn(sale); err != nil {
				return err
			}
		}
	}
	return nil
}

// historyOf are the versions of a row.
func (y *naturalLedger) historyOf(fresh, now *world.Installment, day world.Date) ledger.InstallmentHistory {
	seen := dayOf(day + 1)
	first := ledger.InstallmentVersion{
		Installment: installmentOf(fresh), Version: 1, FirstPull: "p1", LastPull: "now", FirstSeen: seen, LastChanged: seen, PulledOn: seen, NotEvaluated: true,
	}
	first.Content = first.ContentHash()
	current := first
	current.Installment = installmentOf(now)
	if current.Content = current.ContentHash(); current.Content == first.Content {
		return ledger.InstallmentHistory{first}
	}
	// Of a row that was paid, this is the morning on which that was seen first; of others any morning since does.
	current.Version, current.FirstPull, current.LastChanged = 2, "p2", dayOf(y.morning)
	if now.Effective != 0 {
		current.LastChanged = dayOf(now.Effective + 1)
	}
	current.PulledOn = current.LastChanged
	first.LastPull, first.Ended, first.NotEvaluated = "p1", "p2", false
	return ledger.InstallmentHistory{first, current}
}

// dayOf is a day as the ledger counts it; none for none.
func dayOf(d world.Date) ledger.Date {
	if d == 0 {
		return 0
	}
	return ledger.Date(d) + ledger.NewDate(1970, time.January, 1)
}

// installmentOf is a record as the ledger has it.
func installmentOf(r *world.Installment) ledger.Installment {
	money := func(m world.Money) ledger.Opt[ledger.Amount] { return ledger.Some(ledger.Amount(m)) }
	rate := func(x world.Rate) ledger.Opt[ledger.Rate] {
		return ledger.Some(ledger.Rate(x) * (ledger.RateScale / 10_000))
	}
	i := ledger.Installment{
		Account: ledger.Account(r.Account), SoldAt: ledger.LocalTimeOf(r.Moment, r.Moment.Location()), Terminal: r.Terminal, Card: r.CardNumber,
		CardType: r.CardType, CardName: r.CardName, Auth: r.CodAuth, NSU: r.NSU, Number: r.Number, Count: r.Count, Gross: ledger.Amount(r.Gross),
		SaleTotal: money(r.Total), Status: r.Status, MDR: money(r.MDR), MDRRate: rate(r.MDRRate), Fee: money(r.Fee), SaleFee: money(r.FeeTotal),
		Antifraud: money(r.Antifraud), SaleAntifraud: money(r.AntifraudTotal), Anticipation: money(r.Anticipation), AnticipationRate: rate(r.AnticipationRate),
		Received: money(r.Received), Forecast: dayOf(r.Forecast), Effective: dayOf(r.Effective), ReceivedType: r.ReceivedType,
		ReceivedStatus: r.ReceivedStatus, Reference: r.Reference, WebPaymentID: r.PaymentID, Occurrence: 1,
	}
	for _, s := range r.Splits {
		i.Splits = append(i.Splits, ledger.Split{Beneficiary: s.Beneficiary, Type: s.Kind, Pct: rate(s.Pct), Base: money(s.Base), Value: money(s.Value)})
	}
	return i
}

// RecentPulls are one answer for each day, of tonight.
func (y *naturalLedger) RecentPulls(context.Context, ledger.Account) (reconcile.RecentPulls, error) {
	days, largest := map[ledger.Date]int64{}, int64(0)
	pulls := []ledger.Pull{}
	for day := y.first; day < y.morning; day++ {
		d, rows := dayOf(day), int64(len(y.rowsOn(day, y.morning)))
		days[d], largest = rows, max(largest, rows)
		pulls = append(pulls, ledger.Pull{
			ID: "now", Run: "now", Window: ledger.Window{Account: 1001, Source: ledger.Cards, Period: ledger.Period{From: d, To: d}},
			AsOf: dayOf(y.morning), On: dayOf(y.morning), Complete: true, Counts: ledger.Counts{Rows: rows, Same: rows},
		})
	}
	return reconcile.RecentPulls{
		Pulls: pulls, RowsByDay: map[ledger.Source]map[ledger.Date]int64{ledger.Cards: days}, LargestRows: map[ledger.Source]int64{ledger.Cards: largest},
	}, nil
}

// Coverage has every day answered twice, the last time the morning after.
func (y *naturalLedger) Coverage(context.Context, ledger.Account, ledger.Source, ledger.Period) (map[ledger.Date]reconcile.DayCoverage, error) {
	all := map[ledger.Date]reconcile.DayCoverage{}
	for day := y.first; day < y.morning; day++ {
		all[dayOf(day)] = reconcile.DayCoverage{
			Complete: true, CompleteOn: dayOf(y.morning), CompleteNow: true, RowsUnchanged: true, CompletePulls: 2,
		}
	}
	return all, nil
}

func (y *naturalLedger) WriteExpectation(e *ledger.Expectation, _ *ledger.StoredExpectation) (bool, error) {
	of := ledger.DaySum{Day: e.Key.Day, Brand: e.Brand, Product: e.Product}
	sum := y.sums[of]
	sum.Day, sum.Brand, sum.Product = of.Day, of.Brand, of.Product
	sum.Difference += e.NetContract - e.Received
	if e.Class == ledger.Open {
		sum.Open += ledger.FromCents(e.GrossCents)
	}
	y.sums[of] = sum
	return true, nil
}

func (y *naturalLedger) CardSums([]ledger.Date) ([]ledger.DaySum, error) {
	var all []ledger.DaySum
	for _, sum := range y.sums {
		all = append(all, sum)
	}
	return all, nil
}

func (y *naturalLedger) WriteCase(f ledger.Finding, _ bool) error {
	y.count.add(f.Code, f.Severity)
	if f.Severity != ledger.Info {
		y.alarms = append(y.alarms, caseLine(&f))
	}
	return nil
}

func (y *naturalLedger) RecordRuleCounts(all []ledger.RuleCounts) error {
	for _, of := range all {
		y.count.evaluated += int(of.Evaluated)
	}
	return nil
}

func (y *naturalLedger) UpdateBridge(_ bool, rows []ledger.BridgeRow) error {
	y.bridge = rows
	return nil
}

func (y *naturalLedger) UpdateRounding(_ bool, rows []ledger.ToleratedAmount) error {
	y.rounding = rows
	return nil
}

func (y *naturalLedger) UpdatePopulations(_ bool, rows []ledger.Population) error {
	y.populations = rows
	return nil
}

func (y *naturalLedger) CurrentBridge() ([]ledger.BridgeRow, error) { return y.bridge, nil }

func (y *naturalLedger) CurrentRounding() ([]ledger.ToleratedAmount, error) { return y.rounding, nil }

func (y *naturalLedger) CurrentPopulations() ([]ledger.Population, error) { return y.populations, nil }

func (y *naturalLedger) LastReconcile() ledger.LastReconcile { return ledger.LastReconcile{} }

func (y *naturalLedger) CurrentCases() ([]ledger.Finding, error) { return nil, nil }
func (y *naturalLedger) SumCardsAhead([]ledger.Date) error       { return nil }
func (y *naturalLedger) SlipSums() ([]ledger.DaySum, error)      { return nil, nil }

func (y *naturalLedger) CurrentClosings() ([]ledger.Continuity, error)                { return nil, nil }
func (y *naturalLedger) WriteContinuity([]ledger.Continuity) error                    { return nil }
func (y *naturalLedger) KeepTotals(bool, []ledger.Date, ledger.ForecastReading) error { return nil }
func (y *naturalLedger) RecordInputs(string, []string) error                          { return nil }
func (y *naturalLedger) EndExpectation(ledger.InstallmentKey) error                   { return nil }
func (y *naturalLedger) SetSale(*ledger.Sale)                                         {}
func (y *naturalLedger) EndSlipExpectation(string) error                              { return nil }
func (y *naturalLedger) WriteUnchangedCase(*ledger.Finding) error                     { return nil }
func (y *naturalLedger) WasAnswered(rules.Recheck) bool                               { return false }

func (y *naturalLedger) Restart() error { return errors.New("a rule was suppressed") }

func (y *naturalLedger) Scope([]ledger.Date, []ledger.SaleKey, []string) (*ledger.Scope, error) {
	return &ledger.Scope{Whole: true}, nil
}

func (y *naturalLedger) WriteSlipExpectation(*ledger.SlipExpectation, *ledger.StoredExpectation) (bool, error) {
	return true, nil
}

func (y *naturalLedger) SlipsInScope(context.Context, ledger.Account, *ledger.Scope, func(*ledger.Slip) error) error {
	return nil
}

func (y *naturalLedger) VanishedInstallments(context.Context, ledger.Account, func(*ledger.InstallmentVersion, ledger.Date) error) error {
	return nil
}

func (y *naturalLedger) InstallmentsByNSU(context.Context, ledger.Account, []string, func(*ledger.InstallmentVersion) error) error {
	return nil
}

func (y *naturalLedger) InstallmentsSoldIn(context.Context, ledger.Account, ledger.Period, func(*ledger.InstallmentVersion) error) error {
	return nil
}

func (y *naturalLedger) QuarantinedRows(context.Context, ledger.Account) ([]ledger.Quarantined, error) {
	return nil, nil
}

func (y *naturalLedger) NotificationStart(context.Context, ledger.Account) (ledger.NotificationStart, error) {
	return ledger.NotificationStart{}, nil
}

func (y *naturalLedger) Notifications(context.Context, ledger.Account, func(*ledger.LinkedNotification) error) error {
	return nil
}

func (y *naturalLedger) NotificationsOf(context.Context, ledger.Account, ledger.Date) ([]ledger.LinkedNotification, error) {
	return nil, nil
}

func (y *naturalLedger) CompletePullDates(context.Context, ledger.Account, ledger.Source) (map[ledger.Date][]ledger.Date, error) {
	return nil, nil
}
