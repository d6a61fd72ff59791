package casework

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// ClaimState is how far a claim has come.
type ClaimState string

// The states of a claim.
const (
	ClaimClaimed   ClaimState = "claimed"
	ClaimAnswered  ClaimState = "answered"
	ClaimRecovered ClaimState = "recovered"
	ClaimGivenUp   ClaimState = "given_up"
)

// ClaimStates returns the states of claims, in the order of their life.
func ClaimStates() []ClaimState {
	return []ClaimState{ClaimClaimed, ClaimAnswered, ClaimRecovered, ClaimGivenUp}
}

// Claim is a case that was disputed, and what came of it. Claimed is Recovered, Open and GivenUp together.
type Claim struct {
	Finding     ledger.Finding
	Sentence    string
	ClaimedOn   ledger.Date // business day of the last dispute
	Reference   string
	Claimed     ledger.Amount // the impact then; 0 of a case without one, or in excess
	FollowUp    ledger.Date
	Letter      string       // SHA-256 of the letter
	Answer      ledger.Reply // the last after the dispute
	AnsweredOn  ledger.Date
	Recovered   ledger.Amount // what no later run finds any more
	RecoveredOn ledger.Date   // as-of of the run that found the last of it gone
	GivenUp     ledger.Amount // what remained when a person closed or waived it
	Open        ledger.Amount
	State       ClaimState
}

// ClaimFilter chooses claims. No accounts are all, no states are all, and no run means as they are now.
type ClaimFilter struct {
	Accounts []ledger.Account
	States   []ClaimState
	AsOfRun  string
}

// ListClaims are the claims that a filter chooses, by account, day of the claim and case: for the command, the console and the report
// alike.
func ListClaims(ctx context.Context, l *store.Ledger, filter ClaimFilter, voice catalogue.Voice) ([]Claim, error) {
	acts, err := l.Acts(ctx, caselog.ActFilter{Accounts: filter.Accounts, Verbs: []ledger.Verb{ledger.Dispute, ledger.Answer}})
	if err != nil {
		return nil, err
	}
	byCase := map[string][]ledger.Act{}
	for i := range acts {
		if acts[i].Stage == ledger.Done {
			byCase[acts[i].Subject] = append(byCase[acts[i].Subject], acts[i])
		}
	}
	var out []Claim
	for id, acts := range byCase {
		events, err := l.FindingEventsAsOf(ctx, id, filter.AsOfRun)
		if err != nil {
			return nil, err
		}
		acts = slices.DeleteFunc(acts, func(a ledger.Act) bool { return !isDoneBy(events, a.Number) })
		if !slices.ContainsFunc(acts, func(a ledger.Act) bool { return a.Verb == ledger.Dispute }) {
			continue // not claimed yet as of the run
		}
		c, err := claimOf(events, acts)
		if err != nil {
			return nil, err
		}
		if len(filter.States) == 0 || slices.Contains(filter.States, c.State) {
			c.Sentence = voice.Explain(c.Finding)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Finding.Account, b.Finding.Account), cmp.Compare(a.ClaimedOn, b.ClaimedOn), strings.Compare(a.Finding.Case, b.Finding.Case))
	})
	return out, nil
}

// claimOf is the claim of a case with at least one event, by what was done about it and what runs made of it, both oldest first:
// acts are the disputes and answers. It counts from the last dispute on.
func claimOf(events []caselog.FindingEvent, acts []ledger.Act) (Claim, error) {
	last := slices.IndexFunc(acts, func(a ledger.Act) bool { return a.Verb == ledger.Dispute })
	for i := range acts {
		if acts[i].Verb == ledger.Dispute {
			last = i
		}
	}
	c := Claim{Finding: events[len(events)-1].Finding, State: ClaimClaimed}
	for i := range acts[max(0, last):] {
		if err := c.addAct(&acts[max(0, last)+i], events); err != nil {
			return c, err
		}
	}
	remains := c.Claimed
	for i := range events {
		e := &events[i]
		if last < 0 || e.Act != 0 || !isAfter(events, i, acts[last].Number) {
			continue
		}
		still := min(c.Claimed, max(0, e.Finding.Impact.V))
		if e.Finding.State == ledger.Resolved {
			still = 0
		}
		if still != remains {
			remains, c.RecoveredOn = still, e.AsOf
		}
	}
	if c.Recovered = c.Claimed - remains; c.Recovered == 0 {
		c.RecoveredOn = 0
	}
	f := &c.Finding
	switch {
	case f.State == ledger.Resolved || c.Claimed > 0 && remains == 0:
		c.State = ClaimRecovered
	case f.State == ledger.Waived || f.State == ledger.Closed && f.ClosedAs == ledger.ByPerson:
		c.State, c.GivenUp = ClaimGivenUp, remains
	case c.Answer != "":
		c.State = ClaimAnswered
	}
	c.Open = c.Claimed - c.Recovered - c.GivenUp
	return c, nil
}

// isAfter reports whether an event comes after that of an act.
func isAfter(events []caselog.FindingEvent, i int, act int64) bool { return isDoneBy(events[:i], act) }

// isDoneBy reports whether an act is among the events.
func isDoneBy(events []caselog.FindingEvent, act int64) bool {
	return slices.ContainsFunc(events, func(e caselog.FindingEvent) bool { return e.Act == act })
}

// addAct adds what a dispute or an answer said.
func (c *Claim) addAct(a *ledger.Act, events []caselog.FindingEvent) error {
	var given map[string]string
	if err := json.Unmarshal([]byte(a.Parameters), &given); err != nil {
		return fmt.Errorf("act %d of account %s: its parameters: %w", a.Number, a.Account, err)
	}
	day := ledger.Date(0)
	for i := range events {
		if events[i].Act == a.Number {
			day = events[i].AsOf
		}
	}
	c.Reference = cmp.Or(given[paramReference], c.Reference)
	if followUp, err := ledger.ParseDate(given[paramFollowUp]); err == nil {
		c.FollowUp = followUp
	}
	if a.Verb == ledger.Answer {
		c.Answer, c.AnsweredOn = ledger.Reply(given[paramReply]), day
		return nil
	}
	c.ClaimedOn, c.Letter = day, given[paramLetter]
	if claimed, err := ledger.ParseAmount(given[paramClaimed]); err == nil {
		c.Claimed = max(0, claimed)
	}
	return nil
}
