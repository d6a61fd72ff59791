package main

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/othersides"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// bankDesk is a lived ledger with bank accounts, whose lines people match and take apart.
type bankDesk struct {
	*figuresDesk
	worker *jobs.Worker
}

func newBankDesk(t *testing.T) *bankDesk {
	t.Helper()
	dir := copyLeft(t, demoWith(t, fewDays...))
	d := &bankDesk{figuresDesk: &figuresDesk{&demoTree{t: t, dir: dir, dsn: "sqlite:" + filepath.Join(dir, "concilia.db")}, ledger.NewDate(2026, time.November, 18)}}
	page := openDeskOf(t, dir)
	w, done, err := page.invocation.WireWorker(t.Context(), wire.WantKept)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	d.worker = w
	return d
}

// inOrder are rows in order of name, without what only a run can say of their cases.
func inOrder(b *othersides.BankRows) []bank.StandingDeposit {
	rows := slices.Clone(b.Rows)
	for i := range rows {
		rows[i].Codes, rows[i].Impact = "", ledger.Opt[ledger.Amount]{}
		rows[i].Closed = 0
		rows[i].Parts = slices.SortedFunc(slices.Values(rows[i].Parts), func(a, b banking.DepositPart) int { return cmp.Compare(a.Part, b.Part) })
		for n := range rows[i].Parts {
			rows[i].Parts[n].Closed = 0
		}
	}
	slices.SortFunc(rows, func(a, b bank.StandingDeposit) int { return cmp.Compare(a.Name, b.Name) })
	return rows
}

// compare holds the rows that pages show against those of a conciliation of all days.
func (d *bankDesk) compare(when string) {
	d.t.Helper()
	for i := range d.worker.Banks {
		a := &d.worker.Banks[i]
		shown, err := d.worker.OtherSides().ReadBankRows(d.t.Context(), a, d.day)
		if err != nil {
			d.t.Fatal(err)
		}
		matched, err := othersides.ConciliateBank(d.t.Context(), d.worker.Ledger, a, d.worker.OtherSides().BankTerms(), d.day)
		if err != nil {
			d.t.Fatal(err)
		}
		all := othersides.BankRowsOf(matched)
		if diff := gocmp.Diff(inOrder(all), inOrder(shown)); diff != "" || len(all.Rows) < 5 {
			d.t.Errorf("%s, %s, %d rows: matched anew (-), shown (+):\n%s", when, a.ID, len(all.Rows), diff)
		}
		proven, received := all.Proven()
		if p, r := shown.Proven(); p != proven || r != received || shown.Frontier != all.Frontier {
			d.t.Errorf("%s, %s: %s of %s are proven up to %s, shown are %s of %s up to %s", when, a.ID, proven, received, all.Frontier, p, r, shown.Frontier)
		}
		if diff := gocmp.Diff(slices.Sorted(slices.Values(all.Voided)), slices.Sorted(slices.Values(shown.Voided))); diff != "" {
			d.t.Errorf("%s, %s: what no longer holds (-), as it is shown (+):\n%s", when, a.ID, diff)
		}
	}
}

// bankLine is a row of bank lines --json.
type bankLine struct {
	Bank, Status, Match string
	Subjects            []string
}

func (d *bankDesk) lines() (all []bankLine) {
	d.t.Helper()
	for line := range strings.Lines(d.said(exit.OK, "bank", "lines", "--as-of", d.day.String(), "--json")) {
		var r bankLine
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			d.t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestPagesOfBanksShowWhatTheNightKept: what pages show of bank accounts, which no request matches anew, is what matching all days comes
// to: after a night, after people took matches apart and joined their sides again, and after the next reconcile, which knows of it.
func TestPagesOfBanksShowWhatTheNightKept(t *testing.T) {
	t.Parallel()
	d := newBankDesk(t)
	d.compare("after the night")
	var apart []bankLine
	for _, r := range d.lines() {
		if r.Status == "credited" && len(r.Subjects) == 2 && len(apart) < 3 {
			d.said(exit.OK, "bank", "unmatch", r.Match, "--as", "ana", "--reason", "another")
			apart = append(apart, r)
			d.compare("taken apart")
		}
	}
	if len(apart) < 3 {
		t.Fatalf("%d plain matches in:\n%v", len(apart), d.lines())
	}
	for _, r := range apart[:2] {
		d.said(exit.OK, "bank", "match", "--bank", r.Bank, "--group", r.Subjects[0], "--line", r.Subjects[1], "--as", "ana", "--reason", "the same after all")
		d.compare("joined again")
	}
	d.said(anyVerdict, "reconcile", "--as-of", d.day.String(), "--quiet")
	d.compare("after the next reconcile")
	keeper := d.worker.OtherSides()
	keeper.Mapping, keeper.Contracts, keeper.BankCalendar = nil, nil, nil // without them nothing can be matched
	for i := range d.worker.Banks {
		a := &d.worker.Banks[i]
		rows, err := keeper.ReadBankRows(t.Context(), a, d.day)
		if err != nil || len(rows.Rows) == 0 {
			t.Errorf("%s is matched although nobody did anything since: %v", a.ID, err)
		}
	}
}
