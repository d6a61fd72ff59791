package proof_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// lab is a worker that asks a counter, morning after morning.
type lab struct {
	*jobs.Worker
	*counter
	t       *testing.T
	client  *api.Client
	tell    bool        // the account gets a notification of every change
	posted  []delivery  // what the service posts before this morning's run
	first   ledger.Date // morning
	morning int         // from 1
	jump    ledger.Date // days without a run after the first morning
	asOf    ledger.Date
	summary *jobs.Summary
	dsn     string
	on      jobstest.Database
	inbox   *receiver // nil before the first notification
	forged  bool      // the database was written to past the program
}

// write runs a statement in the ledger's database, past the program.
func (l *lab) write(statement string) error {
	l.forged = true
	return l.on.Execute(l.t.Context(), l.dsn, statement)
}

func newLab(t *testing.T, on jobstest.Database) *lab {
	t.Helper()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, counter: &counter{}, on: on, first: proofMorning, asOf: proofMorning}
	kept, dsn := on.Lend(t)
	l.dsn = dsn
	var ticks atomic.Int64
	clock := func() time.Time {
		return l.asOf.Time().Add(9*time.Hour + time.Duration(ticks.Add(1))*time.Millisecond)
	}
	l.clock = func() time.Time { return l.asOf.Time().Add(9*time.Hour + time.Duration(ticks.Load())*time.Millisecond) }
	client, err := api.New(api.Options{
		GatewayURL: "http://counter/gateway", IntegrationURL: "http://counter/integration", UserName: "demo", Password: "not-a-secret",
		Now: clock, Zone: zone, Transport: l.counter, MaxTries: 1, Backoff: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.client = client
	var tail atomic.Int64
	out := filepath.Join(t.TempDir(), "out")
	l.Worker = &jobs.Worker{
		Ledger: kept, Service: client, Target: jobstest.NewTarget(out), Archive: jobstest.NewArchive(t, out+"-archive"), Parallel: 1, Zone: zone, ProgramVersion: "test", Progress: jobs.Silent{},
		Accounts: []jobs.Account{{Number: 1001, Name: "Loja", Since: ledger.NewDate(2026, time.March, 4)}},
		Now:      func() time.Time { return l.asOf.Time().Add(9 * time.Hour) }, Wall: clock,
		Tail: func() string { return fmt.Sprintf("%06d", tail.Add(1)) },
		Plan: plan.Settings{SlipsDueBack: 6, SlipsDueForward: 3},
		// What is published is others' proof.
		Reports: jobs.ReportSettings{Formats: []report.Format{report.CSV}, Language: table.Portuguese, Out: out},
	}
	l.Inputs.Mapping, l.Inputs.Profile = agreements.DefaultMapping(), agreements.DefaultProfile()
	l.Inputs.Calendar = jobstest.BankDays(t)
	l.contract(proofContract)
	if l.Inputs.Register, err = agreements.ParseRegister("register.csv", []byte(proofRegister)); err != nil {
		t.Fatal(err)
	}
	l.orders(proofOrders)
	return l
}

func (l *lab) orders(text string) {
	var err error
	if l.Inputs.Orders, err = agreements.ParseOrders("orders.csv", []byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) contract(text string) {
	var err error
	if l.Inputs.Contracts, err = agreements.ParseContracts("contract.yaml", []byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

// nights lives so many mornings; edit spoils what the counter holds on each, nil spoils nothing.
func (l *lab) nights(n int, edit func(*lab)) {
	l.t.Helper()
	for range n {
		l.next(edit)
	}
}

// next lives the first morning, or one more.
func (l *lab) next(edit func(*lab)) {
	l.t.Helper()
	l.morning++
	if l.asOf = l.first + ledger.Date(l.morning-1); l.morning > 1 {
		l.asOf += l.jump
	}
	l.lay(l.asOf)
	if l.posted = nil; l.tell {
		l.posted = l.events()
	}
	if edit != nil {
		edit(l)
	}
	if l.tell {
		l.receive(l.posted)
	}
	var err error
	if l.summary, err = l.Night(l.t.Context(), l.asOf); err != nil {
		l.t.Fatal(err)
	}
}

// events are the notifications of what was paid the day before, each as it happened.
func (l *lab) events() []delivery {
	var all []delivery
	yesterday := l.asOf - 1
	for _, row := range l.cards {
		if row.text("receivedDateEffective") == yesterday.String() {
			all = append(all, notice(int64(yesterday-proofMorning+10)*100+int64(len(all)), row.text("nsu"), row["installmentNumber"].(int), yesterday, "Authorized", "Paid"))
		}
	}
	return all
}

// short names subjects of the clean world by what they are called there: A.2 is an installment of the sale A.
var short = strings.NewReplacer(shortNames()...)

func shortNames() []string {
	names := []string{"slip:1001:", "", ":1001:", ":"}
	for _, s := range proofSales {
		key := ":1001:" + s.day + ":" + s.nsu + ":X"
		names = append(names, "card"+key+":", s.nsu+".", "sale"+key, s.nsu)
		for k := range s.count {
			at := fmt.Sprintf("%s:%d:", key, k+1)
			names = append(names, "split"+at+"ae9351af:", fmt.Sprintf("%s.%d:", s.nsu, k+1), "split"+at+"7281dfb5:", fmt.Sprintf("%s.%d:other:", s.nsu, k+1))
		}
	}
	return names
}

// standing are the cases that stand, one a line: code, severity, impact, subject; the state unless it is open; the root
// where another case explains it.
func (l *lab) standing() []string {
	l.t.Helper()
	out := []string{}
	states := []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened, ledger.Shadow}
	err := l.Ledger.Findings(l.t.Context(), caselog.FindingFilter{States: states}, func(f *ledger.Finding) error {
		out = append(out, caseLine(f))
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	for _, err := range l.summary.Unpublished {
		l.t.Error(err)
	}
	slices.Sort(out)
	return out
}

func caseLine(f *ledger.Finding) string {
	impact := "-"
	if f.Impact.OK {
		impact = f.Impact.V.String()
	}
	subject := short.Replace(f.Subject)
	if strings.HasPrefix(subject, "row:") {
		subject = subject[:strings.LastIndexByte(subject, ':')] // its end is the hash of the row's bytes
	}
	line := fmt.Sprintf("%s %s %s %s", f.Code, f.Severity, impact, subject)
	if f.State != ledger.Opened {
		line += " " + string(f.State)
	}
	if f.ExplainedBy != "" {
		line += " by " + f.ExplainedBy
	}
	return line
}
