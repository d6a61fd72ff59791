package casework_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// office is a desk over a ledger of its own, whose wall clock stops until it is moved.
type office struct {
	*casework.Handler
	t   *testing.T
	now time.Time
}

const actAccount ledger.Account = 1001

func newDesk(t *testing.T, fourEyes ...string) *office {
	t.Helper()
	l, err := store.Open(t.Context(), storetest.FreshSQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	d := &office{t: t, now: time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)}
	d.Handler = &casework.Handler{
		Ledger: l, FourEyes: fourEyes, Today: ledger.NewDate(2026, time.November, 18), Wall: func() time.Time { return d.now },
	}
	return d
}

// put makes a case of ten reais in a state and gives its id.
func (d *office) put(subject string, state ledger.State) string {
	d.t.Helper()
	f := ledger.Finding{
		Case: ledger.CaseID(actAccount, subject, "CODE"), Account: actAccount, Code: "CODE", Subject: subject,
		Severity: ledger.Error, State: state, Impact: ledger.Some(10 * ledger.Real), FirstSeen: d.Today - 9, OpenedOn: d.Today - 9,
		LastSeen: d.Today - 1,
	}
	r, err := d.Ledger.BeginReconcile(d.t.Context(), &ledger.Run{ID: "run-1", AsOf: d.Today}, actAccount)
	if err == nil {
		err = errors.Join(r.WriteCase(f, true), r.Commit())
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return f.Case
}

func (d *office) state(id string) ledger.Finding {
	d.t.Helper()
	f, err := d.Ledger.FindingByCase(d.t.Context(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return *f
}

// do acts with everything that any verb needs.
func (d *office) do(verb ledger.Verb, actor string, change func(*casework.ActRequest), cases ...string) (*casework.ActSummary, error) {
	req := casework.ActRequest{
		Verb: verb, Cases: cases, Actor: actor, Reason: "why", Assignee: "rui", Reference: "REF", Until: d.Today,
		Cap: ledger.Some(10 * ledger.Real), Reply: ledger.ReplyRefused,
	}
	if change != nil {
		change(&req)
	}
	return d.ActOnCases(d.t.Context(), req)
}

func (d *office) log() []ledger.Act {
	d.t.Helper()
	acts, err := d.Ledger.Acts(d.t.Context(), caselog.ActFilter{})
	if err != nil {
		d.t.Fatal(err)
	}
	return acts
}

// TestVerbs: every verb on a case of every state; what it may not be said of stays as it is.
func TestVerbs(t *testing.T) {
	t.Parallel()
	states := []ledger.State{
		ledger.Pending, ledger.Opened, ledger.Acknowledged, ledger.Disputed, ledger.Waived, ledger.Shadow, ledger.Resolved,
		ledger.Closed, ledger.Reopened,
	}
	d := newDesk(t)
	for _, c := range []struct {
		verb ledger.Verb
		to   string // the state after, by states; - is refused
	}{
		{ledger.Ack, "acknowledged acknowledged - - - - - - acknowledged"},
		{ledger.Assign, "pending open acknowledged disputed waived shadow - - reopened"},
		{ledger.Dispute, "disputed disputed disputed - - - - - disputed"},
		{ledger.Answer, "- - - disputed - - - - -"},
		{ledger.Waive, "waived waived waived waived - - - - waived"},
		{ledger.Close, "closed closed closed closed closed closed - - closed"},
		{ledger.Reopen, "- - reopened reopened reopened - - reopened -"},
	} {
		for i, want := range strings.Fields(c.to) {
			says := fmt.Sprintf("%s of a case that is %s", c.verb, states[i])
			id := d.put(says, states[i])
			_, err := d.do(c.verb, "ana", nil, id)
			f := d.state(id)
			var told *casework.RequestError
			if refused := errors.As(err, &told); refused != (want == "-") || !refused && err != nil {
				t.Errorf("%s: %v", says, err)
			}
			if want == "-" {
				want = string(states[i])
			}
			if string(f.State) != want {
				t.Errorf("%s: is %s, want %s", says, f.State, want)
			}
			// Closed in shadow it is compared without what the shadow blanks; reopened it does not age out at once.
			if inShadow := states[i] == ledger.Shadow && c.verb == ledger.Close; inShadow != (f.ReturnState == ledger.Shadow) {
				t.Errorf("%s: held %q", says, f.ReturnState)
			}
			if fresh := f.State == ledger.Reopened && states[i] != ledger.Reopened; fresh != (f.LastSeen == d.Today) {
				t.Errorf("%s: last seen %s", says, f.LastSeen)
			}
		}
	}
	faults, err := d.Ledger.VerifyActs(t.Context())
	if err != nil || len(faults) > 0 {
		t.Errorf("%v, %v", faults, err)
	}
}

// TestWhatActsLeave: the particulars of each verb stay with the case as long as they mean something.
func TestWhatActsLeave(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.put("s", ledger.Opened)
	for _, step := range []struct {
		verb ledger.Verb
		want string
	}{
		{ledger.Assign, "open to rui ref  closed  until  cap false opened 2026-11-09"},
		{ledger.Dispute, "disputed to rui ref REF closed  until  cap false opened 2026-11-09"},
		{ledger.Answer, "disputed to rui ref REF closed  until  cap false opened 2026-11-09"},
		{ledger.Waive, "waived to rui ref REF closed  until 2026-11-18 cap true opened 2026-11-09"},
		{ledger.Close, "closed to rui ref REF closed person until  cap false opened 2026-11-09"},
		{ledger.Reopen, "reopened to rui ref REF closed  until  cap false opened 2026-11-18"},
		{ledger.Ack, "acknowledged to rui ref REF closed  until  cap false opened 2026-11-18"},
	} {
		if _, err := d.do(step.verb, "ana", nil, id); err != nil {
			t.Fatal(err)
		}
		f := d.state(id)
		got := fmt.Sprintf("%s to %s ref %s closed %s until %s cap %v opened %s", f.State, f.Assignee, f.Reference, f.ClosedAs,
			f.WaivedUntil, f.WaivedCap.OK, f.OpenedOn)
		if got != step.want || f.Comment != "why" {
			t.Errorf("%s: %s\nwant %s", step.verb, got, step.want)
		}
	}
}

// TestRequests: what an act needs is asked for at once, before any case is looked at.
func TestRequests(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.put("s", ledger.Opened)
	for _, c := range []struct {
		says   string
		verb   ledger.Verb
		change func(*casework.ActRequest)
		want   string // in the error; empty: done
	}{
		{"nobody", ledger.Ack, func(r *casework.ActRequest) { r.Actor = " " }, "no actor"},
		{"two lines of reason", ledger.Ack, func(r *casework.ActRequest) { r.Reason = "a\nb" }, "--reason: plain text"},
		{"a reason too long", ledger.Ack, func(r *casework.ActRequest) { r.Reason = strings.Repeat("x", 1001) }, "at most 1000"},
		{"assigned to nobody", ledger.Assign, func(r *casework.ActRequest) { r.Assignee = "" }, "needs --to"},
		{"a claim without a reference", ledger.Dispute, func(r *casework.ActRequest) { r.Reference = "" }, "needs --reference"},
		{"a claim to be followed up yesterday", ledger.Dispute, func(r *casework.ActRequest) { r.FollowUp = d.Today - 1 }, "is past"},
		{"an answer that says nothing", ledger.Answer, func(r *casework.ActRequest) { r.Reply = "maybe" }, "needs --reply accepted"},
		{"an answer to what was not claimed", ledger.Answer, nil, "is open; answer takes disputed"},
		{"closed without a reason", ledger.Close, func(r *casework.ActRequest) { r.Reason = "" }, "needs --reason"},
		{"reopened without a reason", ledger.Reopen, func(r *casework.ActRequest) { r.Reason = "" }, "needs --reason"},
		{"waived without anything", ledger.Waive, func(r *casework.ActRequest) { r.Reason, r.Until = "", 0 }, "needs --until DATE; waive needs --reason"},
		{"waived until yesterday", ledger.Waive, func(r *casework.ActRequest) { r.Until-- }, "is past"},
		{"waived up to nothing said, about an amount", ledger.Waive, func(r *casework.ActRequest) { r.Cap.OK = false }, "R$ 10.00 at stake: give"},
		{"waived below what is at stake", ledger.Waive, func(r *casework.ActRequest) { r.Cap.V-- }, "above --cap 9.9999"},
		{"a case nobody knows", ledger.Ack, func(r *casework.ActRequest) { r.Cases = []string{"000000"} }, `no case "000000"`},
		{"the beginning of a case, too short", ledger.Ack, func(r *casework.ActRequest) { r.Cases = []string{id[:5]} }, "six to sixteen"},
		{"a dry run", ledger.Ack, func(r *casework.ActRequest) { r.DryRun = true }, ""},
	} {
		_, err := d.do(c.verb, "ana", c.change, id)
		var told *casework.RequestError
		if c.want != "" && (!errors.As(err, &told) || !strings.Contains(err.Error(), c.want)) || c.want == "" && err != nil {
			t.Errorf("%s: %v", c.says, err)
		}
	}
	if f := d.state(id); f.State != ledger.Opened || len(d.log()) > 0 {
		t.Errorf("%s, %d acts", f.State, len(d.log()))
	}
	s, err := d.do(ledger.Ack, "ana", nil, strings.ToUpper(id[:6]), id)
	if err != nil || s.Done != 1 || s.Impact != 10*ledger.Real {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestAllOrNothing: what hinders an act is reported of all cases, the first ten by name, and no case is changed.
func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	open := d.put("open", ledger.Opened)
	cases := []string{open}
	for i := range 12 {
		cases = append(cases, d.put(fmt.Sprint("resolved ", i), ledger.Resolved))
	}
	_, err := d.do(ledger.Ack, "ana", nil, cases...)
	if err == nil || strings.Count(err.Error(), "is resolved; ack takes pending, open, reopened") != 10 ||
		!strings.Contains(err.Error(), "ack does not fit 12 of 13 cases") || !strings.Contains(err.Error(), "and 2 more") {
		t.Error(err)
	}
	if d.state(open).State != ledger.Opened || len(d.log()) > 0 {
		t.Error("one of them was done")
	}
	s, err := d.do(ledger.Ack, "ana", func(r *casework.ActRequest) { r.Filter.Codes = []string{"CODE"} })
	if err != nil || s.Count != 1 {
		t.Errorf("a filter chooses what the act is for: %+v, %v", s, err)
	}
	s, err = d.do(ledger.Ack, "ana", func(r *casework.ActRequest) { r.Filter.Codes = []string{"CODE"} })
	if err != nil || s.Count != 0 || len(d.log()) != 1 {
		t.Errorf("once more: %+v, %v", s, err)
	}
}

// TestFourEyes: an act that needs two is done by a second person's same act, within seven days.
func TestFourEyes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "close", "waive")
	first, other := d.put("first", ledger.Opened), d.put("other", ledger.Opened)
	for _, step := range []struct {
		says  string
		after time.Duration // since the step before
		verb  ledger.Verb
		actor string
		cap   ledger.Amount
		cases []string
		want  string // done/proposed/waiting, states of first and other, acts in the log
	}{
		{"an act that needs one", 0, ledger.Ack, "ana", 10, []string{first}, "1/0/0 acknowledged open 1"},
		{"proposed", 0, ledger.Close, "ana", 10, []string{first}, "0/1/0 acknowledged open 2"},
		{"by the same person again", time.Hour, ledger.Close, "Ana", 10, []string{first}, "0/0/1 acknowledged open 2"},
		{"one to confirm, one to propose", time.Hour, ledger.Close, "rui", 10, []string{first, other}, "1/1/0 closed open 4"},
		{"a second of too late is a new proposal", 7*24*time.Hour + time.Second, ledger.Close, "ana", 10, []string{other}, "0/1/0 closed open 5"},
		{"on the last instant", 7 * 24 * time.Hour, ledger.Close, "rui", 10, []string{other}, "1/0/0 closed closed 6"},
		{"reopened: no act that needs two", 0, ledger.Reopen, "rui", 10, []string{other}, "1/0/0 closed reopened 7"},
		{"a confirmed proposal is used up", 0, ledger.Close, "eva", 10, []string{other}, "0/1/0 closed reopened 8"},
		{"a waiver is another act", 0, ledger.Waive, "ana", 10, []string{other}, "0/1/0 closed reopened 9"},
		{"with another cap it is another waiver", 0, ledger.Waive, "rui", 20, []string{other}, "0/1/0 closed reopened 10"},
		{"with the same it is done", 0, ledger.Waive, "eva", 20, []string{other}, "1/0/0 closed waived 11"},
	} {
		d.now = d.now.Add(step.after)
		s, err := d.do(step.verb, step.actor, func(r *casework.ActRequest) { r.Cap.V = step.cap * ledger.Real }, step.cases...)
		if err != nil {
			t.Fatalf("%s: %v", step.says, err)
		}
		got := fmt.Sprintf("%d/%d/%d %s %s %d", s.Done, s.Proposed, s.Waiting, d.state(first).State, d.state(other).State, len(d.log()))
		if got != step.want {
			t.Errorf("%s: %s, want %s", step.says, got, step.want)
		}
	}
	log := d.log()
	if log[2].Confirms != 2 && log[3].Confirms != 2 || log[5].Confirms != 5 || log[10].Confirms != 10 {
		t.Errorf("confirmations do not name their proposals: %+v", log)
	}
	faults, err := d.Ledger.VerifyActs(t.Context())
	if err != nil || len(faults) > 0 {
		t.Errorf("%v, %v", faults, err)
	}
	events, err := d.Ledger.FindingEvents(t.Context(), first)
	if err != nil || len(events) != 3 {
		t.Errorf("a proposal is no event: %d, %v", len(events), err)
	}
}

// TestFourEyesAreTwoPersonsOfTheSystem: one user of the operating system who gives two names stays one person; another user
// confirms. Both are in the log, and no one can change that unseen.
func TestFourEyesAreTwoPersonsOfTheSystem(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "close")
	id := d.put("first", ledger.Opened)
	for _, step := range []struct{ says, person, actor, want string }{
		{"proposed", "root", "ana", "0/1/0 open"},
		{"the same user under another name", "root", "rui", "0/0/1 open"},
		{"another user under the same name", "eva", "ana", "0/0/1 open"},
		{"another user under another name", "eva", "rui", "1/0/0 closed"},
	} {
		d.Person, d.Host = step.person, "desk-"+step.person
		s, err := d.do(ledger.Close, step.actor, nil, id)
		if err != nil {
			t.Fatalf("%s: %v", step.says, err)
		}
		if got := fmt.Sprintf("%d/%d/%d %s", s.Done, s.Proposed, s.Waiting, d.state(id).State); got != step.want {
			t.Errorf("%s: %s, want %s", step.says, got, step.want)
		}
	}
	log := d.log()
	if len(log) != 2 || log[0].Person != "root" || log[1].Person != "eva" || log[1].Host != "desk-eva" {
		t.Errorf("the log names %+v", log)
	}
	forged := log[1]
	forged.Person = "rui"
	if forged.ComputeHash() == log[1].Hash {
		t.Error("the person is not in the chain of hashes")
	}
}
