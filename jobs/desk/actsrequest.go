package desk

import (
	"fmt"
	"strings"

	"concilia/store/ledger"
	"concilia/store/results"
)

// check refuses a request that no case could be acted on with, telling all that is wrong with it.
func (r *ActRequest) check(today ledger.Date) error {
	var problems []string
	tell := func(wrong bool, format string, args ...any) {
		if wrong {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	tell(len(r.Verb.AllowedStates()) == 0, "%q is no act on cases", r.Verb)
	tell(strings.TrimSpace(r.Actor) == "", "no actor: name one with --as")
	switch r.Verb {
	case ledger.Assign:
		tell(strings.TrimSpace(r.Assignee) == "", "assign needs --to NAME")
	case ledger.Dispute:
		tell(strings.TrimSpace(r.Reference) == "", "dispute needs --reference REF, the operator's number of the claim")
	case ledger.Waive:
		tell(r.Until == 0, "waive needs --until DATE")
		tell(r.Until != 0 && r.Until < today, "--until %s is past: today is %s", r.Until, today)
		tell(r.Cap.OK && r.Cap.V < 0, "--cap %s is below zero", r.Cap.V)
	}
	switch r.Verb {
	case ledger.Waive, ledger.Close, ledger.Reopen:
		tell(strings.TrimSpace(r.Reason) == "", "%s needs --reason TEXT", r.Verb)
	}
	for _, text := range []struct {
		flag, value string
		most        int
	}{
		{"--as", r.Actor, ledger.MaxActor},
		{"--reason", r.Reason, ledger.MaxReason},
		{"--to", r.Assignee, ledger.MaxActor},
		{"--reference", r.Reference, ledger.MaxActor},
	} {
		if err := ledger.CheckPlainText(text.value, text.most); err != nil {
			problems = append(problems, text.flag+": "+err.Error())
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &RequestError{strings.Join(problems, "; "), fmt.Sprintf("concilia exceptions %s --help", r.Verb)}
}

// parameters are what single verbs were given, as the log keeps them; a second person must give the same.
func (r *ActRequest) parameters() string {
	p := map[string]string{}
	switch r.Verb {
	case ledger.Assign:
		p["to"] = r.Assignee
	case ledger.Dispute:
		p["reference"] = r.Reference
	case ledger.Waive:
		p["until"] = r.Until.String()
		if r.Cap.OK {
			p["cap"] = r.Cap.V.String()
		}
	}
	return results.ActParameters(p)
}

// against says what keeps the act from a case, or nothing.
func (r *ActRequest) against(f *ledger.Finding) string {
	if !r.Verb.AppliesTo(f.State) {
		return fmt.Sprintf("is %s; %s takes %s", f.State, r.Verb, joined(r.Verb.AllowedStates()))
	}
	if r.Verb != ledger.Waive {
		return ""
	}
	switch stake := f.AtStake(); {
	case stake.OK && !r.Cap.OK:
		return fmt.Sprintf("R$ %s at stake: give the most that is accepted with --cap", stake.V)
	case stake.OK && stake.V > r.Cap.V:
		return fmt.Sprintf("R$ %s at stake, above --cap %s", stake.V, r.Cap.V)
	}
	return ""
}

func joined(states []ledger.State) string {
	var out []string
	for _, s := range states {
		out = append(out, string(s))
	}
	return strings.Join(out, ", ")
}

// applied is the case as the act leaves it.
func (r *ActRequest) applied(f *ledger.Finding, today ledger.Date) ledger.Finding {
	g := *f
	g.State = r.Verb.ResultState(f.State)
	if r.Reason != "" {
		g.Comment = r.Reason
	}
	if r.Verb == ledger.Assign {
		g.Assignee = r.Assignee
		return g
	}
	g.ReturnState, g.ClosedAs, g.WaivedUntil, g.WaivedCap = "", "", 0, ledger.Opt[ledger.Amount]{}
	switch r.Verb {
	case ledger.Dispute:
		g.Reference = r.Reference
	case ledger.Waive:
		g.WaivedUntil = r.Until
		if f.AtStake().OK {
			g.WaivedCap = r.Cap
		}
	case ledger.Close:
		g.ClosedAs = ledger.ByPerson
		if f.State == ledger.Shadow {
			// What it looked like while its rule was believed is not known: the next sight is compared without it.
			g.ReturnState = ledger.Shadow
		}
	case ledger.Reopen:
		if f.State == ledger.Closed || g.OpenedOn == 0 {
			g.OpenedOn = today
		}
		// One that nothing looks at any more would age out again the next night.
		g.LastSeen = max(g.LastSeen, today)
	}
	return g
}
