package casework

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"concilia/store/caselog"
	"concilia/store/ledger"
)

// history is the life of one case: a word for each event, in order.
type history struct {
	events []caselog.FindingEvent
	acts   []ledger.Act
	now    ledger.Finding
}

var firstDay = ledger.NewDate(2026, time.November, 1)

// run adds what a run found.
func (h *history) run(state ledger.State, impact ledger.Amount) {
	h.now.State, h.now.Impact = state, ledger.Some(impact)
	h.events = append(h.events, caselog.FindingEvent{AsOf: firstDay + ledger.Date(len(h.events)), Finding: h.now})
}

// act adds what a person did.
func (h *history) act(v ledger.Verb, change func(*ActRequest)) {
	req := ActRequest{Verb: v, Reference: "REF", FollowUp: firstDay + 30}
	if change != nil {
		change(&req)
	}
	number := int64(len(h.events) + 1)
	if v == ledger.Dispute || v == ledger.Answer {
		h.acts = append(h.acts, ledger.Act{Number: number, Verb: v, Stage: ledger.Done, Parameters: req.encodeParameters(&h.now)})
	}
	h.now.State = v.ResultState(h.now.State)
	if h.now.ClosedAs = ""; v == ledger.Close {
		h.now.ClosedAs = ledger.ByPerson
	}
	h.events = append(h.events, caselog.FindingEvent{AsOf: firstDay + ledger.Date(len(h.events)), Act: number, Finding: h.now})
}

func TestClaimStates(t *testing.T) {
	t.Parallel()
	const real = ledger.Real
	reply := func(r ledger.Reply) func(*ActRequest) { return func(q *ActRequest) { q.Reply, q.Reference = r, "" } }
	for _, row := range []struct {
		because string
		live    func(*history)
		want    string
	}{
		{"claimed and nothing since", func(*history) {}, "claimed 10.00 = 0.00 + 10.00 + 0.00 recovered on  answer "},
		{"answered, and still open", func(h *history) { h.act(ledger.Answer, reply(ledger.ReplyRefused)) }, "answered 10.00 = 0.00 + 10.00 + 0.00 recovered on  answer refused"},
		{"the data resolve it", func(h *history) { h.run(ledger.Resolved, 0) }, "recovered 10.00 = 10.00 + 0.00 + 0.00 recovered on 2026-11-03 answer "},
		{"a part came", func(h *history) { h.run(ledger.Disputed, 4*real) }, "claimed 10.00 = 6.00 + 4.00 + 0.00 recovered on 2026-11-03 answer "},
		{"a part came, the rest is closed", func(h *history) { h.run(ledger.Disputed, 4*real); h.act(ledger.Close, nil) }, "given_up 10.00 = 6.00 + 0.00 + 4.00 recovered on 2026-11-03 answer "},
		{"waived at once", func(h *history) { h.act(ledger.Waive, nil) }, "given_up 10.00 = 0.00 + 0.00 + 10.00 recovered on  answer "},
		{"it grew: no more than was claimed is open", func(h *history) { h.run(ledger.Disputed, 14*real) }, "claimed 10.00 = 0.00 + 10.00 + 0.00 recovered on  answer "},
		{"what came went back", func(h *history) { h.run(ledger.Disputed, 4*real); h.run(ledger.Reopened, 10*real) }, "claimed 10.00 = 0.00 + 10.00 + 0.00 recovered on  answer "},
		{"claimed again, of what was left", func(h *history) {
			h.run(ledger.Disputed, 4*real)
			h.act(ledger.Answer, reply(ledger.ReplyPartial))
			h.act(ledger.Reopen, nil)
			h.act(ledger.Dispute, nil)
		}, "claimed 4.00 = 0.00 + 4.00 + 0.00 recovered on  answer "},
	} {
		h := &history{}
		h.run(ledger.Opened, 10*real)
		h.act(ledger.Dispute, nil)
		row.live(h)
		c, err := claimOf(h.events, h.acts)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %s = %s + %s + %s recovered on %s answer %s", c.State, c.Claimed, c.Recovered, c.Open, c.GivenUp, c.RecoveredOn, c.Answer)
		if got != row.want || c.Reference != "REF" || c.FollowUp != firstDay+30 || c.ClaimedOn == 0 {
			t.Errorf("%s: %s, want %s; %+v", row.because, got, row.want, c)
		}
	}
}

// Whatever happens to a claim, it is recovered, open and given up without a residual, and none of them is negative.
func TestClaimHasNoResidual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		h := &history{}
		h.run(ledger.Opened, ledger.Amount(rapid.Int64Range(-100_000, 1_000_000).Draw(r, "impact")))
		h.act(ledger.Dispute, nil)
		for range rapid.IntRange(0, 8).Draw(r, "events") {
			if rapid.Bool().Draw(r, "run") {
				state := rapid.SampledFrom([]ledger.State{h.now.State, ledger.Resolved, ledger.Reopened}).Draw(r, "state")
				h.run(state, ledger.Amount(rapid.Int64Range(-100_000, 1_000_000).Draw(r, "impact")))
				continue
			}
			if v := rapid.SampledFrom(ledger.CaseVerbs()).Draw(r, "verb"); v.AppliesTo(h.now.State) {
				h.act(v, func(q *ActRequest) { q.Reply = ledger.ReplyAsks })
			}
		}
		c, err := claimOf(h.events, h.acts)
		if err != nil {
			r.Fatal(err)
		}
		if c.Recovered+c.Open+c.GivenUp != c.Claimed || min(c.Claimed, c.Recovered, c.Open, c.GivenUp) < 0 {
			r.Errorf("%s is not %s recovered, %s open and %s given up", c.Claimed, c.Recovered, c.Open, c.GivenUp)
		}
		if (c.GivenUp > 0) != (c.State == ClaimGivenUp && c.GivenUp > 0) || c.State == ClaimRecovered && c.Open != 0 {
			r.Errorf("%s with %s open and %s given up", c.State, c.Open, c.GivenUp)
		}
	})
}
