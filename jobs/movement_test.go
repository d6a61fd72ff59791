package jobs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/export/cnab/cnabtest"
	"concilia/export/journal"
	"concilia/export/journal/journaltest"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/export/verify"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/jobs/setpublish"
	"concilia/store/books"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// movementDay is the first morning of these tests: 18 November 2026.
var movementDay = world.NewDate(2026, 11, 18)

// moving is a merchant whose nights publish the movement and nothing else.
func moving(t *testing.T, o world.Options) *merchant {
	t.Helper()
	m := newMerchant(t, o)
	m.SkipReports()
	m.Movement = setpublish.MovementSettings{
		Enabled: true, Sources: []bookkeeping.EventSource{bookkeeping.CardEvents, bookkeeping.SlipEvents}, Formats: []report.Format{report.CSV, report.EDI},
	}
	m.Reports.EDIProfile = "febraban"
	m.Plan.SlipsDueBack, m.Plan.SlipsDueForward = 20, 30
	m.bank()
	return m
}

func (m *merchant) accountNumbers() (out []ledger.Account) {
	for _, a := range m.Accounts {
		out = append(out, a.Number)
	}
	return out
}

// nextDay moves the world on by a day.
func (m *merchant) nextDay() { m.World.SetNow(m.World.Now().AddDate(0, 0, 1)) }

// checkTold compares what the files tell with the ledger.
func (m *merchant) checkTold(t *testing.T) jobstest.Retornos {
	t.Helper()
	return jobstest.CheckTold(t, m.Worker, m.Out)
}

// TestMovementOfNights: over nights of a shop, with everything that can go wrong in them, each event is in exactly one file, and the
// events of all nights add up to what the ledger has.
func TestMovementOfNights(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	seed, nights := movementNights(t, 4)
	m := moving(t, world.Options{Seed: seed, Days: 14, Installments: 100, Plant: true, AsOf: movementDay, To: movementDay + world.Date(nights) + 12})
	var write func(string) error
	m.Ledger, write = jobstest.OnSQLite().Open(t)
	m.Journal = jobs.JournalSettings{Chart: journaltest.WholeChart(bookkeeping.Accrual, journal.ByDay, m.accountNumbers()...), File: "accounts.yaml"}
	m.Movement.Journal = othersides.JournalFormats()
	m.Movement.MaxRecords = 20
	if _, _, err := m.Ledger.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := m.RunNight(t)
	if len(first.Unpublished) > 0 {
		t.Fatal(first.Unpublished)
	}
	if len(first.Movement) != 2 {
		t.Fatalf("the night says of the movement: %+v", first.Movement)
	}
	if n := len(m.checkTold(t).Events); n != 0 {
		t.Errorf("a first installation tells %d events", n)
	}
	var second string // run
	for n := range nights {
		m.nextDay()
		if s := m.RunNight(t); n == 0 {
			second = s.Run
		}
	}
	all := m.checkTold(t)
	if len(all.Events) < 50 || all.Titles < 30 {
		t.Errorf("only %d events and %d titles were told", len(all.Events), all.Titles)
	}
	t.Run("foreign reader", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(m.Out, "*/movement/*/*/*.ret"))
		if err != nil {
			t.Fatal(err)
		}
		cnabtest.CheckRead(t, files...)
	})
	m.checkParts(t)
	m.checkDamage(t)
	again := m.RunNight(t)
	if len(again.Movement) != 0 {
		t.Errorf("the same morning again makes sets: %+v", again.Movement)
	}
	if got := m.checkTold(t); len(got.Events) != len(all.Events) {
		t.Errorf("%d events after the same morning again, %d before", len(got.Events), len(all.Events))
	}
	m.checkJournals(t)
	m.checkExtract(t, second)
	m.checkForged(t, write)
}

// checkParts has the EDI files go on in a second one and a third where one is full, each with a number of its own, and control say of
// each what it has.
func (m *merchant) checkParts(t *testing.T) {
	t.Helper()
	const of = "1001/movement/2026/11/card-events"
	numbers := map[string]bool{}
	for _, part := range []string{"", "-2", "-3"} {
		files, err := filepath.Glob(filepath.Join(m.Out, of+part+"_1001_movement_*.ret"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file is a part %q: %v", part, err)
		}
		for _, f := range files {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			header, rest, _ := strings.Cut(string(body), "\n")
			numbers[header[157:163]] = true
			if n := 1 + strings.Count(rest, "\n"); n > m.Movement.MaxRecords {
				t.Errorf("%s has %d records, at most %d are asked for", filepath.Base(f), n, m.Movement.MaxRecords)
			}
			day := filepath.Base(f)[strings.Index(filepath.Base(f), "_1001"):]
			control, err := os.ReadFile(filepath.Join(filepath.Dir(f), "control"+strings.TrimSuffix(day, ".ret")+".csv"))
			if line := "1001,sums,card-events" + part + ".ret,count,"; err != nil || !strings.Contains(string(control), line) {
				t.Errorf("control of %s lacks %s: %v", day, line, err)
			}
		}
	}
	if len(numbers) < 6 {
		t.Errorf("only %d files", len(numbers))
	}
}

// movementNights are how many nights a test lives, and the seed of its shop: CONCILIA_LONG=1 makes them sixty of another shop each time.
func movementNights(t *testing.T, otherwise int) (seed uint64, nights int) {
	t.Helper()
	if os.Getenv("CONCILIA_LONG") != "1" {
		return 7, otherwise
	}
	seed = uint64(os.Getpid())
	t.Logf("seed %d", seed)
	return seed, 60
}

// checkForged has the check of the ledger look at events that were changed behind its back.
func (m *merchant) checkForged(t *testing.T, write func(statement string) error) {
	t.Helper()
	check := func() string {
		found, err := m.Ledger.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(found.Faults)
	}
	if faults := check(); faults != "[]" {
		t.Fatalf("the check finds %s in what nobody changed", faults)
	}
	const one = `(SELECT MIN(event) FROM event WHERE account = 1001 AND received <> 0)`
	for _, damage := range []struct{ why, do, undo, says string }{
		{"money of an event", `UPDATE event SET received = received + 100 WHERE event = ` + one, `UPDATE event SET received = received - 100 WHERE event = ` + one, "adds up to"},
		{"an event's ordinal", `UPDATE event SET ordinal = ordinal + 1 WHERE event = ` + one, `UPDATE event SET ordinal = ordinal - 1 WHERE event = ` + one, "should be"},
		{"how many events a cut has", `UPDATE event_cut SET events = events + 1 WHERE account = 1001`, `UPDATE event_cut SET events = events - 1 WHERE account = 1001`, "should have"},
		{"a number of a file", `UPDATE event_cut SET nsa = nsa + 1, last_nsa = last_nsa + 1 WHERE account = 1001 AND set_number = 4`, `UPDATE event_cut SET nsa = nsa - 1, last_nsa = last_nsa - 1 WHERE account = 1001 AND set_number = 4`, "has NSA"},
	} {
		for _, statement := range []string{damage.do, damage.undo} {
			if err := write(statement); err != nil {
				t.Fatal(err)
			}
			if faults := check(); strings.Contains(faults, damage.says) != (statement == damage.do) {
				t.Errorf("%s: the check finds %s", damage.why, faults)
			}
		}
	}
}

// checkDamage has verify look at copies of the sets from which something is missing, or in which something is another file's.
func (m *merchant) checkDamage(t *testing.T) {
	t.Helper()
	remove := func(root, pattern string) {
		files, err := filepath.Glob(filepath.Join(root, "1001/movement/2026/11", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, damage := range []struct {
		why  string
		do   func(root string)
		says string
	}{
		{"a whole set is missing", func(root string) { remove(root, "*_1001_movement_20261121_*") }, "those between are missing"},
		{"the first set is missing", func(root string) { remove(root, "*_1001_movement_20261118_*") }, "before it are missing"},
		{"a file is missing", func(root string) { remove(root, "card-events_1001_movement_20261120_*.ret") }, "missing"},
		{"a file is edited", func(root string) {
			name := filepath.Join(root, "1001/movement/2026/11/slip-events_1001_movement_20261120_20261120_r0.csv")
			body, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(name, append(body, '\n'), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "slip-events_1001_movement_20261120_20261120_r0.csv"},
		{"two files are swapped", func(root string) {
			dir := filepath.Join(root, "1001/movement/2026/11")
			a, b := filepath.Join(dir, "card-events_1001_movement_20261120_20261120_r0.ret"), filepath.Join(dir, "card-events_1001_movement_20261121_20261121_r0.ret")
			for _, move := range [][2]string{{a, a + "x"}, {b, a}, {a + "x", b}} {
				if err := os.Rename(move[0], move[1]); err != nil {
					t.Fatal(err)
				}
			}
		}, "SHA-256"},
	} {
		root := t.TempDir()
		if err := os.CopyFS(root, os.DirFS(m.Out)); err != nil {
			t.Fatal(err)
		}
		damage.do(root)
		found, err := verify.CheckTree(t.Context(), root, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(fmt.Sprint(found.Faults), damage.says) {
			t.Errorf("%s: verify finds %v", damage.why, found.Faults)
		}
	}
}

// TestMovementIsFinishedByTheNextRun: a set that was cut and not published, because its staging folder was gone, is published by
// the next night, with the events of its own night alone and under its own numbers; what the same night makes again has the same bytes.
func TestMovementIsFinishedByTheNextRun(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	o := world.Options{Seed: 9, Days: 8, Installments: 40, Plant: true, AsOf: movementDay, To: movementDay + 9}
	whole, broken := moving(t, o), moving(t, o)
	for n := range 4 {
		whole.RunNight(t)
		if n == 2 {
			broken.failToMove(t)
		} else {
			broken.RunNight(t)
		}
		whole.nextDay()
		broken.nextDay()
	}
	broken.checkTold(t)
	want, got := jobstest.HashMovement(t, whole.Out), jobstest.HashMovement(t, broken.Out)
	if len(want) != 2*4*4 || len(got) != len(want) {
		t.Errorf("%d files, and %d with a night that failed", len(want), len(got))
	}
	for name, sum := range want {
		if got[name] != sum {
			t.Errorf("%s is another file after a night that failed", name)
		}
	}
	whole.checkFixed(t)
	whole.checkRetired(t, want)
	whole.checkRestated(t)
	broken.checkWithheld(t)
	broken.checkDelivered(t)
}

// checkDelivered has a foreign file stand where a set of the movement goes: neither that set nor one after it is finished on the share before it
// is taken away, however often a run tries.
func (m *merchant) checkDelivered(t *testing.T) {
	t.Helper()
	m.Target = newShare(m.Out)
	m.nextDay()
	first := m.Today()
	folder := filepath.Join(m.Out, "1001/movement/2026/11")
	obstacle := filepath.Join(folder, fmt.Sprintf("card-events_1001_movement_%s_%s_r0.csv", first.Compact(), first.Compact()))
	if err := os.WriteFile(obstacle, []byte("foreign"), 0o600); err != nil {
		t.Fatal(err)
	}
	finished := func() (days []ledger.Date) {
		for d := first; d <= m.Today(); d++ {
			if _, err := os.Stat(filepath.Join(folder, fmt.Sprintf("set_1001_movement_%s_%s_r0.done", d.Compact(), d.Compact()))); err == nil {
				days = append(days, d)
			}
		}
		return days
	}
	for _, c := range []struct {
		says string
		do   func()
		want []ledger.Date
	}{
		{"the night of the foreign file", func() {}, nil},
		{"the next night", m.nextDay, nil},
		{"the same night again", func() {}, nil},
		{"the night after it", m.nextDay, nil},
		{"once the file is gone", func() { _ = os.Remove(obstacle) }, []ledger.Date{first, first + 1, first + 2}},
	} {
		c.do()
		if s, err := m.Night(t.Context(), m.Today()); err != nil || (len(s.Unpublished) == 0) != (c.want != nil) {
			t.Errorf("%s: %v, %v", c.says, s, err)
		}
		if got := finished(); !slices.Equal(got, c.want) {
			t.Errorf("%s: the sets of %v are finished, want %v", c.says, got, c.want)
		}
	}
	m.checkTold(t)
}

// checkWithheld has questions go unanswered: of a source with a critical case nothing is cut, of both there is no set, and the next set has the
// events of all nights. A night as of a day before the last set's makes none.
func (m *merchant) checkWithheld(t *testing.T) {
	t.Helper()
	slips, cards := rewrite{"/list/by/due-date", "1001", m.Today() - 1, nil}, rewrite{cardsPath, "1001", m.Today(), nil}
	for _, c := range []struct {
		says string
		way  rewriting
		asOf ledger.Date
		nsa  string // of the account's set; empty: there is none
	}{
		{"slips are not answered for", rewriting{slips}, m.Today(), "[9]"},
		{"nothing is answered for", rewriting{slips, cards}, m.Today() + 1, ""},
		{"all is answered for", nil, m.Today() + 2, "[10 11]"},
		{"as of the day before", nil, m.Today() + 1, ""},
	} {
		if m.asking(t, c.way); m.Today() < c.asOf {
			m.nextDay()
		}
		s, err := m.Night(t.Context(), c.asOf)
		if err != nil {
			t.Fatal(c.says, err)
		}
		got := ""
		for _, set := range s.Movement {
			if set.Account == 1001 {
				got = fmt.Sprint(set.NSA)
			}
		}
		if got != c.nsa || len(s.Unpublished) > 0 {
			t.Errorf("%s: the set has NSA %q, want %q; %v", c.says, got, c.nsa, s.Unpublished)
		}
	}
	m.checkTold(t)
}

// checkRestated takes the contract away, without which slips have no tariff: control says how many events that made.
func (m *merchant) checkRestated(t *testing.T) {
	t.Helper()
	m.Inputs.Contracts = agreements.NoContracts()
	s := m.RunNight(t)
	if len(s.Movement) == 0 {
		t.Fatal("nothing is told of slips without a tariff")
	}
	for _, moved := range s.Movement {
		events := 0
		for _, n := range moved.Events {
			events += n
		}
		pattern := fmt.Sprintf("%s/movement/2026/11/control_%s_movement_%s_*_r1.csv", moved.Account, moved.Account, m.Today().Compact())
		files, err := filepath.Glob(filepath.Join(m.Out, pattern))
		if err != nil || len(files) != 1 {
			t.Fatal(pattern, files, err)
		}
		body, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%s,movement,slips,restated by contract,count,%d,", moved.Account, events); !strings.Contains(string(body), want) {
			t.Errorf("%s lacks %s", filepath.Base(files[0]), want)
		}
	}
}

// checkRetired gives the sets of the movement days: by those of a format none goes, by those of their tables they go whole, all but the last
// one. The chain goes on over what went, and the archive has it, byte for byte, however old it is.
func (m *merchant) checkRetired(t *testing.T, told map[string]string) {
	t.Helper()
	m.AllAccounts, m.ArchiveKeepDays, m.Wall = true, 1, func() time.Time { return time.Now().AddDate(0, 0, 9) }
	for _, c := range []struct {
		says string
		days map[string]int
		goes int // files
	}{
		{"days of a format", map[string]int{"csv": 1, "edi": 1}, 0},
		{"days of one of its tables", map[string]int{"card-events": 1}, 0},
		{"days of both", map[string]int{"card-events": 1, "slip-events": 2}, 2 * 2 * 5},
		{"the same night again", map[string]int{"card-events": 1, "slip-events": 2}, 0},
	} {
		m.Retention = c.days
		if s := m.RunNight(t); len(s.Retired) != c.goes || len(s.Unpublished) > 0 {
			t.Errorf("%s: %d files are taken away, want %d; %v", c.says, len(s.Retired), c.goes, s.Unpublished)
		}
	}
	there := jobstest.HashMovement(t, m.Out)
	for name, sum := range told {
		old := strings.Contains(name, "_20261118_") || strings.Contains(name, "_20261119_")
		if there[name] != map[bool]string{true: "", false: sum}[old] {
			t.Errorf("%s is there: %t", name, there[name] != "")
		}
	}
	found, err := verify.CheckTree(t.Context(), m.Out, nil)
	if err != nil || len(found.Faults) > 0 {
		t.Errorf("verify: %v, %v", found.Faults, err)
	}
	if check, err := m.Ledger.Check(t.Context()); err != nil || len(check.Faults) > 0 {
		t.Errorf("ledger check: %v, %v", check.Faults, err)
	}
	home, out := m.Target, m.Out
	defer func() { m.Target, m.Reports.Out = home, out }()
	copies := t.TempDir()
	m.Target, m.Reports.Out = jobstest.NewTarget(copies), copies
	if _, err := m.Report(t.Context(), jobs.ReportRequest{Period: ledger.Period{From: m.Today() - 9, To: m.Today()}, Basis: "movement", Out: copies}); err != nil {
		t.Fatal(err)
	}
	again := jobstest.HashMovement(t, copies)
	for name, sum := range told {
		if again[name] != sum {
			t.Errorf("%s is not what the archive gives back", name)
		}
	}
}

// checkFixed has settings compared with what the first sets fixed.
func (m *merchant) checkFixed(t *testing.T) {
	t.Helper()
	first := ledger.NewDate(2026, 11, 18)
	for _, c := range []struct {
		says   string
		change func(*setpublish.MovementSettings)
		want   jobs.FixedMovement
	}{
		{"the settings of the first set", func(*setpublish.MovementSettings) {}, jobs.FixedMovement{}},
		{"its first day, named", func(s *setpublish.MovementSettings) { s.From = first }, jobs.FixedMovement{}},
		{"another first day", func(s *setpublish.MovementSettings) { s.From = first + 1 }, jobs.FixedMovement{
			From: words.NewMessage("want.fixed_from", "day", first, "account", ledger.Account(1001)),
		}},
		{"another liquidação", func(s *setpublish.MovementSettings) { s.SettleOnPayment = true }, jobs.FixedMovement{
			Settle: words.NewMessage("want.fixed_settle", "account", ledger.Account(1001)),
		}},
		{"a source that is new, before the first day", func(s *setpublish.MovementSettings) {
			s.Sources, s.From = append(slices.Clone(s.Sources), "vouchers"), m.Today()+3
		}, jobs.FixedMovement{
			From:    words.NewMessage("want.fixed_from", "day", first, "account", ledger.Account(1001)),
			Sources: words.NewMessage("want.without_source", "source", "vouchers", "day", m.Today()+3, "account", ledger.Account(1001)),
		}},
		{"a source that is new, from the first day on", func(s *setpublish.MovementSettings) {
			s.Sources, s.From = append(slices.Clone(s.Sources), "vouchers"), first
		}, jobs.FixedMovement{}},
	} {
		kept := m.Movement
		c.change(&m.Movement)
		got, err := m.CheckMovement(t.Context())
		m.Movement = kept
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, %v, want %+v", c.says, got, err, c.want)
		}
	}
}

// failToMove runs a night whose sets of the movement are cut and can't be rendered.
func (m *merchant) failToMove(t *testing.T) {
	t.Helper()
	m.Progress = jobstest.Unstaged{Place: m.Archive.Place()}
	defer func() { m.Progress = jobs.Silent{} }()
	s, err := m.Night(t.Context(), m.Today())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Unpublished) != len(m.Accounts) || len(s.Movement) > 0 {
		t.Fatalf("the night published %+v, and not %v", s.Movement, s.Unpublished)
	}
}

// giveUp closes the cases of what installments were paid short, as a person does who won't get it.
func (m *merchant) giveUp(t *testing.T) {
	t.Helper()
	err := m.Ledger.TransactActs(t.Context(), m.accountNumbers(), func(a *caselog.ActTx) error {
		found, err := a.Findings(caselog.FindingFilter{
			Accounts: m.accountNumbers(), Codes: []string{"RECEIVED_VALUE_MISMATCH", "RECEIVED_PARTIAL"}, States: []ledger.State{ledger.Opened, ledger.Reopened},
		})
		for i := range found {
			f := &found[i]
			act := ledger.Act{
				Account: f.Account, Verb: ledger.Close, Stage: ledger.Done, Subject: f.Case, Actor: "ana", Reason: "won't come", Parameters: "{}",
				At: time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC),
			}
			f.State, f.ClosedAs = ledger.Closed, ledger.ByPerson
			err = errors.Join(err, a.AppendAct(&act), a.UpdateCase(f, &act, m.Today()))
		}
		if len(found) == 0 {
			return errors.New("nothing was paid short")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkGivenUp looks for the entries of claims that a person gave up on the first day, each once by each method.
func (m *merchant) checkGivenUp(t *testing.T) {
	t.Helper()
	lost := map[string]ledger.Amount{}
	m.bookBoth(t)
	for _, a := range m.accountNumbers() {
		for _, method := range bookkeeping.Methods() {
			err := m.Ledger.Entries(t.Context(), &books.JournalQuery{Account: a, Method: method}, func(e *bookkeeping.Entry) error {
				if e.Type != bookkeeping.EntryClaimWrittenOff {
					return nil
				}
				if lost[string(method)+e.Subject] != 0 || e.Lines[0].Role != bookkeeping.RoleLoss || e.Lines[0].Amount <= 0 || e.Posted != ledger.NewDate(2026, 11, 18) ||
					!strings.HasPrefix(e.Text, "PERDA ") {
					t.Errorf("the claim of %s is given up by %+v", e.Subject, e)
				}
				lost[string(method)+e.Subject] = e.Lines[0].Amount
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(lost) < 2 {
		t.Errorf("entries of claims that were given up: %v", lost)
	}
}

// TestMovementAfterARestore: a ledger that is put back from a backup takes the events that were published since from the archive. Nothing is published
// again, the numbers go on, and over all nights the files tell what those of a merchant tell who lost nothing.
func TestMovementAfterARestore(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	o := world.Options{Seed: 11, Days: 8, Installments: 40, Plant: true, AsOf: movementDay, To: movementDay + 8}
	live := func(m *merchant) {
		m.RunNight(t)
		m.nextDay()
	}
	whole, some, none := moving(t, o), moving(t, o), moving(t, o)
	none.Movement.Enabled = false // its backup knows no set
	none.RunNight(t)
	none.Movement.Enabled = true
	type restored struct {
		why string
		*merchant
		kept   int // nights that the backup knows
		backup string
	}
	broken := []restored{{"two nights are lost", some, 1, ""}, {"every set is lost", none, 0, ""}}
	for n := range 5 {
		for i := range broken {
			b := &broken[i]
			if n == b.kept {
				b.backup = filepath.Join(t.TempDir(), "backup.db")
				if _, err := b.Ledger.Backup(t.Context(), b.backup); err != nil {
					t.Fatal(err)
				}
			}
			if n == b.kept+2 {
				b.Ledger = jobstest.OpenLedger(t, "sqlite:"+b.backup)
			}
			live(b.merchant)
		}
		live(whole)
	}
	want := whole.checkTold(t)
	if len(want.Events) < 30 {
		t.Errorf("only %d events were told", len(want.Events))
	}
	for i := range broken {
		b := &broken[i]
		t.Run(b.why, func(t *testing.T) { b.checkRestored(t, want) })
	}
}

// checkRestored compares what a merchant published whose ledger was put back with what one published who lost nothing.
func (m *merchant) checkRestored(t *testing.T, want jobstest.Retornos) {
	t.Helper()
	got := m.checkTold(t)
	for id, file := range want.Events {
		if got.Events[id] == "" {
			t.Errorf("event %s of %s is not told", id, file)
		}
	}
	for id, file := range got.Events {
		if want.Events[id] == "" {
			t.Errorf("event %s of %s is told by the restored ledger alone", id, file)
		}
	}
	check, err := m.Ledger.Check(t.Context())
	if err != nil || len(check.Faults) > 0 {
		t.Errorf("ledger check: %v %v", check, err)
	}
}
