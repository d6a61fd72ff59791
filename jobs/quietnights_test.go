package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// quietService is a service on which nothing happens any more: five sales a day until the last morning with sales, each paid, and slips of every
// class. Two lists of it show no slip that is not settled.
type quietService struct {
	since ledger.Date // the first morning
	slips []ledger.SlipView
}

const quietAccount ledger.Account = 7

const quietSlips = 320

// newQuietService has slips that were paid and credited, that are past due for a long time, and that fall due after the last night.
func newQuietService(since ledger.Date) *quietService {
	s := &quietService{since: since}
	for i := range quietSlips {
		v := ledger.SlipView{
			Account: quietAccount, ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Value: ledger.Amount(i+100) * ledger.Real,
			Issued: since - 60, PayerName: "Fulana de Tal", PayerDocument: "52998224725", Status: ledger.Some[int64](1),
			Integration: ledger.Some[int64](ledger.IntegrationIssued),
		}
		switch i % 3 {
		case 0:
			v.Due = since - 40 + ledger.Date(i%20)
		case 1:
			v.Due = since + 40 + ledger.Date(i%20)
		default:
			v.Due = since - 30
			v.PaidOn, v.CreditedOn, v.PaidValue = since-31, since-30, ledger.Some(v.Value)
			v.Status = ledger.Some[int64](2)
		}
		s.slips = append(s.slips, v)
	}
	return s
}

func (s *quietService) SearchInstallments(
	_ context.Context, _ ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
) (api.Answer, error) {
	a := api.Answer{Receipt: api.Receipt{Requests: 1}}
	for day := from; day <= min(to, s.since-1); day++ {
		for k := range 5 {
			i := ledger.Installment{
				Account: quietAccount, SoldAt: ledger.LocalTimeOf(day.Time().Add(12*time.Hour), time.UTC), Terminal: "T1",
				Card: "411111******1111", CardType: "CREDIT", CardName: "visa", Auth: "A", NSU: fmt.Sprint(int(day), k), Number: 1, Count: 1,
				Gross: 10 * ledger.Real, SaleTotal: ledger.Some(10 * ledger.Real), Status: "Paid", ReceivedStatus: "Paid", ReceivedType: "Normal",
				Forecast: day + 1, Effective: day + 1, Received: ledger.Some(10 * ledger.Real),
			}
			if sink == nil {
				a.Rows = append(a.Rows, i)
			} else if err := sink(&i); err != nil {
				return a, err
			}
		}
	}
	return a, nil
}

func (s *quietService) ListSlips(
	_ context.Context, list ledger.Source, _ ledger.Account, from, to ledger.Date, _ ledger.Opt[int64],
) (api.SlipAnswer, error) {
	a := api.SlipAnswer{Receipt: api.Receipt{Requests: 1}}
	for _, v := range s.slips {
		v.List = list
		if d := v.ListDay(); d != 0 && from <= d && d <= to {
			a.Rows = append(a.Rows, v)
		}
	}
	return a, nil
}

func (s *quietService) ReadSlip(context.Context, ledger.Account, string) (api.SlipAnswer, error) {
	return api.SlipAnswer{}, api.ErrUnsuccessful
}

func (s *quietService) SearchInstallmentsByCode(context.Context, ledger.Account, string, string) (api.Answer, error) {
	return api.Answer{}, api.ErrUnsuccessful
}

func (s *quietService) SimulateSettlement(context.Context, string, ledger.Amount) (api.SimulationAnswer, error) {
	return api.SimulationAnswer{}, errors.New("it has no simulator")
}

// newQuietMerchant asks a quiet service, a morning a night. file is its ledger's.
func newQuietMerchant(t *testing.T) (m *merchant, morning *atomic.Int64, file string) {
	m = newMerchant(t, world.Options{Seed: 1, Days: 1, Installments: 1})
	since := ledger.NewDate(2027, time.June, 1)
	morning = &atomic.Int64{}
	morning.Store(int64(since))
	m.Now = func() time.Time { return ledger.Date(morning.Load()).Time().Add(9 * time.Hour) } // 06:00 in São Paulo
	var ticks atomic.Int64
	m.Wall = func() time.Time { return m.Now().Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	m.Service, m.Plan = newQuietService(since), plan.Settings{SlipsDueBack: 45, SlipsDueForward: 60}
	m.Accounts = []jobs.Account{{Number: quietAccount, Name: "quiet", Since: since - 60}}
	contracts, err := agreements.ParseContracts("none", []byte("contracts: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	m.Inputs.Contracts = contracts
	return m, morning, strings.TrimSuffix(m.Out, "reports") + "ledger.db"
}

// TestQuietNight: passing time costs no rows. A night on which nothing happened adds no expectation of a slip, whether it waits to be
// paid, is past due, or is paid and credited.
func TestQuietNight(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m, morning, file := newQuietMerchant(t)
	m.SkipReports()
	live := func(nights int) {
		for range nights {
			m.RunNight(t)
			morning.Add(1)
		}
	}
	live(9) // by then the wider windows of the first nights are asked, and every rule has seen its days twice
	before := countRows(t, file)
	const nights = 5
	live(nights)
	after := countRows(t, file)
	for _, table := range slices.Sorted(maps.Keys(after)) {
		if added := after[table] - before[table]; added > 0 {
			t.Logf("%-20s %6.1f rows a night", table, float64(added)/nights)
		}
	}
	for _, table := range []string{"expectation", "slip_expectation", "installment", "slip", "slip_sighting", "finding_event", "bridge", "document"} {
		if added := after[table] - before[table]; added != 0 || before["slip_expectation"] < quietSlips {
			t.Errorf("%d quiet nights added %d rows to %s", nights, added, table)
		}
	}
}

// TestQuietNightsTakeNoRoom: a night on which nothing happened adds at most 20 kB an account to the file once there are weeks of them, of
// which the questions that brought nothing are forgotten, and two years of them stay below 25 MB. The ledger stays whole, and tells what
// runs pulled that lie before.
func TestQuietNightsTakeNoRoom(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m, morning, file := newQuietMerchant(t)
	m.SkipReports()
	live := func(nights int) {
		for range nights {
			m.RunNight(t)
			morning.Add(1)
		}
	}
	service, ok := m.Service.(*quietService)
	if !ok {
		t.Fatal("the service is another one")
	}
	for i := range service.slips { // none falls due meanwhile
		if v := &service.slips[i]; v.Due > service.since {
			v.Due += 3 * 365
		}
	}
	const weeks, measured = 35 + 2*7, 2 * 7
	live(1)
	first, empty := m.lastRun(t), readUsedBytes(t, file)
	live(9)
	second := m.lastRun(t)
	pulled, err := m.Ledger.PulledBetween(t.Context(), quietAccount, first, second)
	must(t, err)
	live(4)
	early := readUsedBytes(t, file)
	live(7)
	t.Logf("a quiet night of the first weeks adds %d bytes", (readUsedBytes(t, file)-early)/7)
	nights := weeks - 21
	if os.Getenv("CONCILIA_LONG") == "1" {
		nights = 2*365 - 21 - measured
	}
	live(nights)
	before := readUsedBytes(t, file)
	live(measured)
	used := readUsedBytes(t, file)
	t.Logf("after %d nights one adds %d bytes; all have added %d", nights+21, (used-before)/measured, used-empty)
	if (used-before)/measured > 20_000 || used-empty > 25_000_000 {
		t.Errorf("a quiet night adds %d bytes, all nights %d", (used-before)/measured, used-empty)
	}
	if again, err := m.Ledger.PulledBetween(t.Context(), quietAccount, first, second); err != nil || again != pulled || again.Same == 0 {
		t.Errorf("runs of the first week pulled %+v, and later it is told that they pulled %+v, %v", pulled, again, err)
	}
	r, err := m.Ledger.Check(t.Context())
	must(t, err)
	for _, f := range r.Faults {
		t.Error(f)
	}
}

// lastRun is the id of the last nightly run.
func (m *merchant) lastRun(t *testing.T) string {
	t.Helper()
	run, err := m.Ledger.LastRun(t.Context(), ledger.Nightly)
	must(t, err)
	return run.ID
}

// readUsedBytes is how much of a ledger on SQLite is in use: free pages are used before the file grows.
func readUsedBytes(t *testing.T, file string) (n int64) {
	t.Helper()
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	must(t, err)
	defer conn.Close()
	must(t, sqlitex.ExecuteTransient(conn, `
		SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			n = s.ColumnInt64(0)
			return nil
		}}))
	return n
}

// countRows counts the rows of each table of a ledger on SQLite.
func countRows(t *testing.T, file string) map[string]int64 {
	t.Helper()
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	each := func(query string, fn func(*sqlite.Stmt)) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			fn(s)
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
	}
	var tables []string
	each("SELECT name FROM sqlite_schema WHERE type = 'table'", func(s *sqlite.Stmt) { tables = append(tables, s.ColumnText(0)) })
	rows := map[string]int64{}
	for _, table := range tables {
		each("SELECT COUNT(*) FROM "+table, func(s *sqlite.Stmt) { rows[table] = s.ColumnInt64(0) })
	}
	return rows
}
