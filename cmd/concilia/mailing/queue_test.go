package mailing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/mailtest"
	"concilia/cmd/concilia/metrics"
	"concilia/config"
	"concilia/export/mail"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

func TestIsDue(t *testing.T) {
	t.Parallel()
	day := ledger.NewDate(2026, 11, 18)
	of := func(run string, asOf ledger.Date, v ledger.Verdict, lost, claimed ledger.Amount) night {
		return night{Run: run, AsOf: asOf, Verdict: v, Figures: ledger.Figures{Lost: lost, Claimed: claimed}}
	}
	before := of("r1", day-1, ledger.Breaks, 100, 0)
	for _, row := range []struct {
		says           string
		when           string
		now            night
		last           *night
		changes        bool
		send, isUpdate bool
	}{
		{"the first morning is sent", "always", of("r2", day, ledger.Reconciled, 0, 0), nil, false, true, false},
		{"always means every morning", "always", of("r2", day, ledger.Breaks, 100, 0), &before, false, true, false},
		{"no word for when means always", "", of("r2", day, ledger.Breaks, 100, 0), &before, false, true, false},
		{"a night is sent once", "always", of("r1", day-1, ledger.Breaks, 100, 0), &before, true, false, false},
		{"an older morning that is run again is not sent", "always", of("r3", day-2, ledger.Breaks, 100, 0), &before, true, false, false},
		{"a rerun of the morning that finds the same is not sent", "always", of("r3", day-1, ledger.Breaks, 100, 7), &before, true, false, false},
		{"one that finds more missing is an update", "breaks", of("r3", day-1, ledger.Breaks, 101, 0), &before, false, true, true},
		{"so is one of another verdict", "change", of("r3", day-1, ledger.Incomplete, 100, 0), &before, false, true, true},
		{"change: the same morning as before is not sent", "change", of("r2", day, ledger.Breaks, 100, 0), &before, false, false, false},
		{"change: another figure is sent", "change", of("r2", day, ledger.Breaks, 100, 7), &before, false, true, false},
		{"change: another verdict is sent", "change", of("r2", day, ledger.Incomplete, 100, 0), &before, false, true, false},
		{"change: a case that moved is sent", "change", of("r2", day, ledger.Breaks, 100, 0), &before, true, true, false},
		{"change: the first is sent", "change", of("r2", day, ledger.Reconciled, 0, 0), nil, false, true, false},
		{"breaks: a good morning is not sent", "breaks", of("r2", day, ledger.ReconciledWithWarnings, 0, 0), &before, true, false, false},
		{"breaks: a bad one is", "breaks", of("r2", day, ledger.Breaks, 1, 0), nil, false, true, false},
		{"breaks: an incomplete one is", "breaks", of("r2", day, ledger.Incomplete, 0, 0), &before, false, true, false},
	} {
		var last *keptDigest
		if row.last != nil {
			last = &keptDigest{night: *row.last}
		}
		send, isUpdate, err := isDue(row.when, &row.now, last, func() (bool, error) { return row.changes, nil })
		if err != nil || send != row.send || isUpdate != row.isUpdate {
			t.Errorf("%s: send %v, update %v, %v", row.says, send, isUpdate, err)
		}
	}
}

// mailLedger is a ledger with a message in its queue for each address, and the configuration that sends them.
func mailLedger(t *testing.T, port int, addresses ...string) (*store.Ledger, *config.Config) {
	t.Helper()
	l, err := store.Open(t.Context(), storetest.FreshSQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := config.Default()
	c.Mail = settingsOf(port, mailtest.Plain)
	c.Mail.Digest = []config.MailDigest{{To: addresses, Language: "en"}}
	for _, to := range digestRecipients(c, &c.Mail.Digest[0]) {
		body, err := json.Marshal(keptDigest{Number: 1, Message: &mail.Message{Subject: "concilia", Text: to.address, HTML: "<p>" + to.address + "</p>"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.RaiseAlert(t.Context(), ledger.Alert{Happened: digestKind, Cause: "2026-11-18 1", Receiver: to.receiver, Body: string(body), Raised: time.Now().UTC()}); err != nil {
			t.Fatal(err)
		}
	}
	return l, c
}

func newTestMailer(c *config.Config, log *bytes.Buffer) *Mailer {
	logger := zerolog.New(log)
	return NewMailer(c, func() *zerolog.Logger { return &logger }, metrics.NewMeters(), time.Now)
}

// TestMailWaitsForItsServer: a server that is away is said once, and what waits is sent once when it is there again, under the same id
// however often it was tried.
func TestMailWaitsForItsServer(t *testing.T) {
	t.Parallel()
	there := mailtest.NewServer(t, mailtest.Plain)
	var log bytes.Buffer
	l, c := mailLedger(t, 1, "a@loja.example", "b@loja.example", "c@loja.example")
	newTestMailer(c, &log).DeliverWaiting(t.Context(), l) // no server listens at port 1
	if n := strings.Count(log.String(), "mail waits"); n != 1 || !strings.Contains(log.String(), `"messages":3`) {
		t.Errorf("said %d times that mail waits:\n%s", n, &log)
	}
	c.Mail.Port = there.Port
	there.AnswerData(func() error { return mailtest.ErrDrop })
	newTestMailer(c, &log).DeliverWaiting(t.Context(), l)
	first := there.Take()
	there.AnswerData(nil)
	for range 2 {
		newTestMailer(c, &log).DeliverWaiting(t.Context(), l)
	}
	then := there.Take()
	if len(first) != 1 || len(then) != 3 {
		t.Fatalf("%d messages before the connection was dropped, %d after", len(first), len(then))
	}
	if id := first[0].Header.Get("Message-Id"); id == "" || id != then[0].Header.Get("Message-Id") || first[0].Raw != then[0].Raw {
		t.Errorf("a message that was tried twice is another one:\n%s\n%s", first[0].Raw, then[0].Raw)
	}
}

// A message that is refused ends, is said, and keeps no other from being sent.
func TestMailThatIsRefused(t *testing.T) {
	t.Parallel()
	there := mailtest.NewServer(t, mailtest.Plain)
	there.AnswerRecipients(func(to string) error {
		if strings.HasPrefix(to, "gone@") {
			return mailtest.Refuse(550, "no such person")
		}
		return nil
	})
	var log bytes.Buffer
	l, c := mailLedger(t, there.Port, "gone@loja.example", "ana@loja.example")
	newTestMailer(c, &log).DeliverWaiting(t.Context(), l)
	newTestMailer(c, &log).DeliverWaiting(t.Context(), l)
	if taken := there.Take(); len(taken) != 1 || taken[0].To != "ana@loja.example" || strings.Count(log.String(), "refused") == 0 || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("%d messages, and the log says:\n%s", len(taken), &log)
	}
}

// Any number of processes that look at the same time send each message once.
func TestMailIsSentOnceByMany(t *testing.T) {
	t.Parallel()
	there := mailtest.NewServer(t, mailtest.Plain)
	var addresses []string
	for i := range 8 {
		addresses = append(addresses, fmt.Sprintf("p%d@loja.example", i))
	}
	l, c := mailLedger(t, there.Port, addresses...)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var log bytes.Buffer
			newTestMailer(c, &log).DeliverWaiting(context.Background(), l)
		})
	}
	all.Wait()
	if n := len(there.Take()); n != len(addresses) {
		t.Errorf("%d messages to %d people", n, len(addresses))
	}
}

// An alert by mail says what happened in the language of the reports, and names cases by their rules.
func TestAlarmMail(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Console.PublicURL = "https://desk.example/concilia"
	row := &ledger.Alert{Happened: "first_break", Body: `{"on":"first_break","account":1001,"text":"x breaks","run":"r1","as_of":"2026-11-18","cases":[{"code":"RECEIVED_OVERDUE","cases":2,"impact":"331.3800"}]}`}
	m, err := writeAlarm(c, "pt-BR", row)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Conta 1001: primeira divergência deste tipo em 30 dias", "R$\u00a0331,38", "https://desk.example/concilia/runs/r1", "https://desk.example/concilia/cases?code=RECEIVED_OVERDUE"} {
		if !strings.Contains(m.Text, want) {
			t.Errorf("%q is not in:\n%s", want, m.Text)
		}
	}
	if m.Subject != "concilia 18/11/2026: Conta 1001: primeira divergência deste tipo em 30 dias" {
		t.Errorf("the subject is %q", m.Subject)
	}
	if m, err = writeAlarm(c, "en", row); err != nil || !strings.Contains(m.Text, "x breaks") {
		t.Errorf("in English: %v\n%s", err, m.Text)
	}
}

// What could not be sent for a day is not sent any more.
func TestMailIsTriedForADay(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		later time.Duration
		sent  int
	}{{25 * time.Hour, 0}, {23 * time.Hour, 1}} {
		there := mailtest.NewServer(t, mailtest.Plain)
		l, c := mailLedger(t, there.Port, "ana@loja.example")
		m := newTestMailer(c, &bytes.Buffer{})
		m.wall = func() time.Time { return time.Now().Add(row.later) }
		m.DeliverWaiting(t.Context(), l)
		if n := len(there.Take()); n != row.sent {
			t.Errorf("%s later %d messages are sent, want %d", row.later, n, row.sent)
		}
	}
}
