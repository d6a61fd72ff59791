package proof_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// naturalSizes are the shops measured, in installments a day.
var naturalSizes = []int{5, 50, 200, 500, 1000, 5000}

const (
	naturalSeeds = 20
	naturalOften = 5 // the largest shop whose years are reconciled on every run
	naturalYear  = 365
	// naturalPast are the days before the year that its first days are compared with.
	naturalPast = 8 * 7

	naturalRegister = "document,name,valid_from,valid_to\n12345678000195,A,,\n"
	naturalOrders   = "account,order,ordered_on,pay_on,nsu,auth,installment\n1001,ALL,2020-01-01,,,,\n"
)

const naturalHead = `Honest shops, and what the rules say of them. Nothing is wrong in any of them.

A shop's days scatter by a fifth around what weekday and season bring, with customers one by one on top of that; Sundays
have a third of a weekday, Saturdays a fifth more; December rises to half as much again before Christmas, January is slow.
Sales have 1 to 12 installments of R$ 20.00 and more; an installment is a row. (Of a few rows below R$ 20.00 in a month cents
alone may move the average rate by the 0.02 point of RATE_TABLE_DRIFT.)

Each: a shop of so many rows a day over a year, 20 seeds; RUN_TRUNCATION_SUSPECTED, RUN_VOLUME_ANOMALY and RATE_TABLE_DRIFT
evaluated directly on the rows, values and fees of its days: truncation every night, with all days shown so far asked in
the last 30 nights; volume on every day, with the answer of the morning after; drift on every month. No service, no
ledger, no other rule.

Year: a shop of so many rows a day from 1 January to 31 December 2026, 20 seeds, its installments with fees, splits,
anticipations, cancellations and receipts, each as it was sold and as it is now; everything sold so far reconciled at once,
with all rules, contract, register and orders, as of the morning after each quarter (of 1,000 rows and more, after the last).
No slips, no service, no database; no morning follows another one.

Lived: such a shop behind the sandbox, with a slip a day, pulled through the client into a ledger, all rules, so many nights
in a row up to 23 December, with contract, register and orders, over the sales of so many days before them.

Every run measures each size directly, the year of 5 rows a day and the lives of 5 rows over 4 nights and of 50; the rest is
measured with CONCILIA_LONG=1.

`

// naturalCount counts what was found, by severity; notes by code.
type naturalCount struct {
	evaluated, critical, errors, warnings int
	notes                                 map[string]int // by what they are
}

func (c *naturalCount) add(code string, s ledger.Severity) {
	switch s {
	case ledger.Critical:
		c.critical++
	case ledger.Error:
		c.errors++
	case ledger.Warning:
		c.warnings++
	default:
		c.notes[code]++
	}
}

func (c *naturalCount) line(name string) string {
	notes := ""
	for _, code := range slices.Sorted(maps.Keys(c.notes)) {
		notes += fmt.Sprintf(" %d %s", c.notes[code], code)
	}
	return strings.TrimRight(fmt.Sprintf(naturalLayout, name, c.evaluated, c.critical, c.errors, c.warnings, notes), " ") + "\n"
}

// naturalTable is the published table, as far as it was measured.
type naturalTable struct {
	mu    sync.Mutex
	names []string          // of all lines, in order
	lines map[string]string // by name, of those measured
}

func newNaturalTable() *naturalTable {
	n := &naturalTable{lines: map[string]string{}}
	for _, size := range naturalSizes {
		for _, code := range directCodes {
			n.names = append(n.names, directName(size, code))
		}
	}
	for _, size := range naturalSizes {
		n.names = append(n.names, yearName(size))
	}
	for _, l := range naturalLives {
		n.names = append(n.names, l.name())
	}
	return n
}

func directName(size int, code string) string {
	return fmt.Sprintf("each, %4d rows, %s", size, code)
}

func (n *naturalTable) add(t *testing.T, name string, c *naturalCount) {
	t.Helper()
	if c.critical+c.errors+c.warnings > 0 {
		t.Errorf("%s: a false alarm: %d C, %d E, %d W", name, c.critical, c.errors, c.warnings)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines[name] = c.line(name)
}

// hold compares the table with the one that is published. Of what was not measured this time the published lines stand.
func (n *naturalTable) hold(t *testing.T) {
	t.Helper()
	published, err := os.ReadFile(jobstest.GoldenPath(t, "natural.golden"))
	if err != nil && os.Getenv("UPDATE_GOLDEN") == "" {
		t.Fatal(err)
	}
	text := naturalHead + fmt.Sprintf(naturalLayout, "", "evaluated", "critical", "errors", "warnings", " notes") + "\n"
	for _, name := range n.names {
		line := n.lines[name]
		for old := range strings.Lines(string(published)) {
			if line == "" && strings.HasPrefix(old, name+" ") {
				line = old
			}
		}
		text += line
	}
	jobstest.CompareGolden(t, "natural.golden", text)
}

const naturalLayout = "%-42s %9v %8v %6v %8v %s"

// No false alarms in shops as they are: no rule says anything graver than a note of any of them. What was measured is
// published.
func TestNaturalShopsRaiseNoAlarms(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	table := newNaturalTable()
	t.Run("shops", func(t *testing.T) {
		for _, size := range naturalSizes {
			t.Run(fmt.Sprintf("each of %d", size), func(t *testing.T) {
				t.Parallel()
				for code, c := range directly(t, size) {
					table.add(t, directName(size, code), c)
				}
			})
		}
		for _, size := range naturalSizes {
			t.Run(yearName(size), func(t *testing.T) {
				t.Parallel()
				if size > naturalOften && os.Getenv("CONCILIA_LONG") != "1" {
					t.Skip("reconciled with CONCILIA_LONG=1")
				}
				table.add(t, yearName(size), reconciledYear(t, size))
			})
		}
		for _, l := range naturalLives {
			t.Run(l.name(), func(t *testing.T) {
				t.Parallel()
				if l.long && os.Getenv("CONCILIA_LONG") != "1" {
					t.Skip("lived with CONCILIA_LONG=1")
				}
				table.add(t, l.name(), livedNaturally(t, l))
			})
		}
	})
	table.hold(t)
}

var directCodes = []string{runs.TruncationSuspected, runs.VolumeAnomaly, runs.RateDrift}

// directly evaluates the rules on days and months of one size.
func directly(t *testing.T, size int) map[string]*naturalCount {
	counts := map[string]*naturalCount{}
	for _, code := range directCodes {
		counts[code] = &naturalCount{notes: map[string]int{}}
	}
	first := ledger.NewDate(2026, time.January, 1)
	e := naturalRules(t, first+naturalYear)
	keep := func(code string, o rules.Outcome) {
		if o.Status.Evaluated() {
			counts[code].evaluated++
		}
		if o.Status < rules.Pends {
			return
		}
		note := code
		if slices.ContainsFunc(o.Numbers, func(n ledger.Number) bool { return n.Name == "total" }) {
			note += " of rows and value"
		}
		counts[code].add(note, e.Severity(e.Index(code), &o))
	}
	for seed := range uint64(naturalSeeds) {
		s := drawShop(t, seed, first-naturalPast, naturalPast+naturalYear, size)
		s.truncations(e, keep)
		s.volumes(e, keep)
		s.drifts(e, keep)
	}
	return counts
}

// naturalRules are the rules as of a date by which every day was answered twice, the last time the morning after.
func naturalRules(t *testing.T, asOf ledger.Date) *rules.Env {
	e, err := rules.NewEnv(catalogue.All(), rules.Options{
		Account: 1001, Run: "now", AsOf: asOf, Contracts: agreements.NoContracts(), Mapping: agreements.DefaultMapping(), Profile: agreements.DefaultProfile(),
		Calendar: jobstest.BankDays(t)(1001), SeenOn: func(_ ledger.Source, d ledger.Date) ledger.Date { return d + 1 },
		PullsOf: func(ledger.Source, ledger.Date) int { return 2 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// naturalShop is what the days and months of a shop come to.
type naturalShop struct {
	from   ledger.Date
	days   []runs.DayVolume
	months map[rules.MonthGroup]rules.RateSums
}

// naturalRate is the rate of MDR of a product and band of installments, in millionths of a percent.
type naturalRate struct {
	product ledger.Product
	band    string
	rate    ledger.Rate
}

var naturalRates = []naturalRate{
	{ledger.Debit, "1", 1_100_000}, {ledger.Credit, "1", 2_340_000}, {ledger.Credit, "2-6", 2_900_000}, {ledger.Credit, "7-12", 3_500_000},
}

// rateOf finds the place of a sale's rate among naturalRates.
func rateOf(installments int) int {
	switch {
	case installments <= 1:
		return installments
	case installments <= 6:
		return 2
	}
	return 3
}

func drawShop(t *testing.T, seed uint64, from ledger.Date, days, size int) *naturalShop {
	s := &naturalShop{from: from, days: make([]runs.DayVolume, days), months: map[rules.MonthGroup]rules.RateSums{}}
	r := rand.New(rand.NewPCG(seed, uint64(size)))
	for i := range days {
		d := from + ledger.Date(i)
		y, m, day := d.Time().Date()
		sums := make([]rules.RateSums, len(naturalRates)) // of the day: there are too many sales to look up the month of each
		for _, sale := range world.NaturalDay(r, world.NewDate(y, m, day), size) {
			n := max(sale.Installments, 1)
			of := rateOf(sale.Installments)
			// Equal parts in cents, the rest on the first.
			gross, cents := ledger.Amount(sale.Gross), int64(sale.Gross)/int64(ledger.Cent)
			part := ledger.FromCents(cents / int64(n))
			rate := naturalRates[of].rate
			sums[of].Rows += n
			sums[of].Gross += gross
			sums[of].MDR += shareOf(t, gross-part*ledger.Amount(n-1), rate)
			if n > 1 {
				sums[of].MDR += shareOf(t, part, rate) * ledger.Amount(n-1)
			}
			s.days[i].Rows += int64(n)
			s.days[i].Gross += gross
		}
		for of, day := range sums {
			s.addDay(d, naturalRates[of], day)
		}
	}
	return s
}

// addDay adds the sums of a day's sales of one rate to their month.
func (s *naturalShop) addDay(d ledger.Date, of naturalRate, day rules.RateSums) {
	if day.Rows == 0 {
		return
	}
	group := rules.MonthGroup{Month: d.MonthStart(), Brand: "visa", Product: of.product, Band: of.band}
	month := s.months[group]
	month.Rows += day.Rows
	month.Gross += day.Gross
	month.MDR += day.MDR
	s.months[group] = month
}

// shareOf is a rate in percent of an amount, in cents.
func shareOf(t *testing.T, of ledger.Amount, rate ledger.Rate) ledger.Amount {
	a, err := rate.ShareOf(of, ledger.Percent, ledger.HalfAwayFromZero)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// truncations evaluates, night by night, what the newest day changes: the days that show as many rows as it does, and
// those that show the most. Of the others nothing moved, but that more is shown than before, which only speaks for them.
func (s *naturalShop) truncations(e *rules.Env, keep func(string, rules.Outcome)) {
	alike, largest := map[int64]int{}, int64(0)
	judge := func(d ledger.Date, rows int64) {
		keep(runs.TruncationSuspected, runs.EvaluateTruncation(e, runs.Truncation{Source: ledger.Cards, Day: d, Rows: rows, Largest: largest, Days: alike[rows]}))
	}
	for i, v := range s.days {
		alike[v.Rows]++
		largest = max(largest, v.Rows)
		judge(s.from+ledger.Date(i), v.Rows)
		if v.Rows != largest {
			judge(s.from+ledger.Date(i), largest)
		}
	}
}

func (s *naturalShop) volumes(e *rules.Env, keep func(string, rules.Outcome)) {
	for i := naturalPast; i < len(s.days); i++ {
		v := runs.Volume{Source: ledger.Cards, Day: s.from + ledger.Date(i), DayVolume: s.days[i], ShownAgain: true}
		for k := i - 7; k >= 0; k -= 7 {
			if !runs.Holiday(e, s.from+ledger.Date(k)) {
				v.Earlier = append(v.Earlier, s.days[k])
			}
		}
		keep(runs.VolumeAnomaly, runs.EvaluateVolume(e, v))
	}
}

func (s *naturalShop) drifts(e *rules.Env, keep func(string, rules.Outcome)) {
	for group, now := range s.months {
		earlier := group
		earlier.Month = (group.Month - 1).MonthStart()
		if before, known := s.months[earlier]; known {
			keep(runs.RateDrift, runs.EvaluateRateDrift(e, runs.RateChange{MonthGroup: group, Now: now, Before: before, Pulls: 2}))
		}
	}
}

// naturalLife is a natural shop that is lived with.
type naturalLife struct {
	size, past, nights int
	long               bool
}

func (l naturalLife) name() string {
	return fmt.Sprintf("lived, %4d rows, %d days, %d nights", l.size, l.past, l.nights)
}

var naturalLives = []naturalLife{
	{size: 5, past: 75, nights: 4},
	{size: 50, past: 75, nights: 3},
	{size: 200, past: 75, nights: 3, long: true},
}

// livedNaturally lives nights in a row, the last of a short life on 23 December, and counts the cases they raise.
func livedNaturally(t *testing.T, l naturalLife) *naturalCount {
	last := world.NewDate(2026, time.December, 23)
	morning := last - world.Date(l.nights) + 1
	m := jobstest.NewMerchant(t, world.Options{
		Seed: uint64(l.size), Natural: true, From: morning - world.Date(l.past), To: last, AsOf: morning, Days: l.past,
		Installments: l.size * (l.past + l.nights), SlipsPerDay: 1, Accounts: []world.Account{{Number: 1001, Name: "Loja", Splits: true}},
	})
	m.SkipReports()
	m.Plan.SlipsDueBack, m.Plan.SlipsDueForward = 20, 5
	var err error
	if m.Inputs.Register, err = agreements.ParseRegister("register.csv", []byte(naturalRegister)); err != nil {
		t.Fatal(err)
	}
	if m.Inputs.Orders, err = agreements.ParseOrders("orders.csv", []byte(naturalOrders)); err != nil {
		t.Fatal(err)
	}
	c, seen := &naturalCount{notes: map[string]int{}}, map[string]bool{}
	for night := range l.nights {
		if night > 0 {
			m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
		}
		summary := m.RunNight(t)
		tallies, err := m.Ledger.RuleCountsOfRun(t.Context(), 1001, summary.Run)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range tallies {
			c.evaluated += int(of.Evaluated)
		}
		all := caselog.FindingFilter{States: []ledger.State{ledger.Opened, ledger.Reopened, ledger.Shadow}}
		if err := m.Ledger.Findings(t.Context(), all, func(f *ledger.Finding) error {
			if key := f.Case + string(f.Severity); !seen[key] {
				seen[key] = true
				c.add(f.Code, f.Severity)
				if f.Severity != ledger.Info {
					t.Errorf("as of %s: a false alarm: %s", m.Today(), caseLine(f))
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}
