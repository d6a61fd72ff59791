package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// Handler carries out what people do about cases and periods. Every field except Accounts, Service, FourEyes, Calendar, Person and Host is required.
type Handler struct {
	Ledger   *store.Ledger
	Accounts []ledger.Account   // that the configuration names: an act on cases that a filter chooses reaches no others; nil: all
	Service  string             // what sentences call the payment service; empty: "a operadora"
	FourEyes []string           // verbs that take effect only after a second person repeats them
	Today    ledger.Date        // on the business clock
	Calendar *calendar.Calendar // counts the days until a claim is followed up; nil: it names its day itself
	Wall     func() time.Time   // dates the acts
	Person   string             // whom the operating system says acts; a second person has to be another one
	Host     string             // where it is done
	// PublishMonths publishes the sets of months that are about to be closed, with the files that nights leave out; nil: what nights
	// published is closed as it is.
	PublishMonths func(context.Context, []ledger.PeriodClose) error
	// MonthWait is how long closing or reopening a month waits for accounts that a run holds, once what it needs is published;
	// 0: as long as its context lets it.
	MonthWait time.Duration
}

// proposalLife is how long a proposal waits for a second person, by the wall clock.
const proposalLife = 7 * 24 * time.Hour

// The outcomes of an act for one case.
const (
	outcomeDone     = "done"
	outcomeProposed = "proposed"
	outcomeWaiting  = "waiting"
)

// listOpenProposals are, by subject, those of a verb that still wait for a second person and have the subject's parameters.
func (d *Handler) listOpenProposals(
	verb ledger.Verb, subjects []string, parameters func(subject string) string, acts func(caselog.ActFilter) ([]ledger.Act, error),
) (map[string][]ledger.Act, error) {
	all, err := acts(caselog.ActFilter{Subjects: subjects, Verbs: []ledger.Verb{verb}, Since: d.Wall().Add(-proposalLife)})
	if err != nil {
		return nil, err
	}
	open := map[string][]ledger.Act{}
	for _, a := range listUnconfirmed(all) {
		if withoutWay(a.Parameters) == parameters(a.Subject) {
			open[a.Subject] = append(open[a.Subject], a)
		}
	}
	return open, nil
}

// listUnconfirmed are the proposals among acts that no other of them confirms.
func listUnconfirmed(all []ledger.Act) (open []ledger.Act) {
	type entry struct {
		account ledger.Account
		number  int64
	}
	confirmed := map[entry]bool{}
	for _, a := range all {
		confirmed[entry{a.Account, a.Confirms}] = true
	}
	for _, a := range all {
		if a.Stage == ledger.Proposed && !confirmed[entry{a.Account, a.Number}] {
			open = append(open, a)
		}
	}
	return open
}

// viaParameter names the way by which a person asked; a second person may take another.
const viaParameter = "via"

// withoutWay are the parameters of an act without the way by which the person asked.
func withoutWay(parameters string) string {
	var p map[string]string
	if err := json.Unmarshal([]byte(parameters), &p); err != nil {
		return parameters
	}
	if _, ok := p[viaParameter]; !ok {
		return parameters
	}
	delete(p, viaParameter)
	return caselog.EncodeActParameters(p)
}

// WaitingProposals are the acts on cases of the accounts, none means all, that still wait for a second person, oldest first, each
// with the instant until which it waits.
func (d *Handler) WaitingProposals(ctx context.Context, accounts []ledger.Account) ([]Proposal, error) {
	if len(d.FourEyes) == 0 {
		return nil, nil
	}
	all, err := d.Ledger.Acts(ctx, caselog.ActFilter{Accounts: accounts, Verbs: ledger.CaseVerbs(), Since: d.Wall().Add(-proposalLife)})
	if err != nil {
		return nil, err
	}
	var out []Proposal
	for _, a := range listUnconfirmed(all) {
		p := Proposal{Act: a, Until: a.At.Add(proposalLife)}
		if err := json.Unmarshal([]byte(withoutWay(a.Parameters)), &p.Parameters); err != nil {
			return nil, fmt.Errorf("act %d of account %s: its parameters: %w", a.Number, a.Account, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// Proposal is an act that waits for a second person.
type Proposal struct {
	ledger.Act
	Parameters map[string]string // to, reference, until, cap
	Until      time.Time
}

// decideOutcome is what an act of an actor comes to that needs a second person, by the proposals that wait for one. Two names
// given by one person of the operating system are one person.
func (d *Handler) decideOutcome(actor string, open []ledger.Act) (outcome string, partner ledger.Act) {
	outcome = outcomeProposed
	for _, p := range open {
		// A second person outweighs the same one who proposed before.
		mine := strings.EqualFold(p.Actor, actor) || p.Person != "" && strings.EqualFold(p.Person, d.Person)
		if !mine {
			outcome, partner = outcomeDone, p
		} else if outcome != outcomeDone {
			outcome, partner = outcomeWaiting, p
		}
	}
	return outcome, partner
}

// FixedByClose reports whether closing a month fixes what a kind of report shows of it. The other kinds show what became of it,
// or continue each other by themselves.
func FixedByClose(k report.Kind) bool {
	return k != report.RestatementKind && k != report.StatementKind && k != report.ControlKind
}

// RequestError is a request that cannot be fulfilled as it is: what is wrong, and what would help.
type RequestError struct {
	words.Fault
	Obstacles []Obstacle // what keeps it from being done, below the text; nil: the text is all there is
}

// NewRequestError is the refusal of a request: the ids of its text and of its hint, and the values that both name.
func NewRequestError(text, hint string, values ...any) *RequestError {
	return &RequestError{Fault: *words.NewFault(text, hint, values...)}
}

// refuseAction returns what prevents an act on some of the cases.
func refuseAction(verb ledger.Verb, obstacles []Obstacle, of int) error {
	return NewObstacleError(words.NewMessage("error.act_not_done", "verb", verb, "n", len(obstacles), "of", of), obstacles,
		words.NewMessage("hint.act_not_done"))
}

var casePrefix = regexp.MustCompile(`^[0-9a-f]{6,16}$`)

// caseIDLength is the length of a case's id.
const caseIDLength = 16

// ResolveCases returns the ids of the named cases, sorted and without duplicates. A name is an id or six or more leading
// digits of it. Unknown and ambiguous names are returned together as a *RequestError.
func (d *Handler) ResolveCases(ctx context.Context, names []string) ([]string, error) {
	var ids []string
	var problems []words.Message
	for _, name := range names {
		prefix := strings.ToLower(name)
		if !casePrefix.MatchString(prefix) {
			problems = append(problems, words.NewMessage("error.no_case_name", "name", name))
			continue
		}
		found, err := d.Ledger.CaseIDs(ctx, prefix, 2)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0:
			problems = append(problems, words.NewMessage("error.no_case", "name", name))
		case len(found) > 1 && len(prefix) < caseIDLength:
			problems = append(problems, words.NewMessage("error.several_cases", "name", name, "first", found[0], "second", found[1]))
		default:
			ids = append(ids, found[0])
		}
	}
	if n := len(problems); n > 0 {
		if n > maxObstacles {
			problems = append(problems[:maxObstacles:maxObstacles], words.NewMessage("obstacle.more", "n", n-maxObstacles))
		}
		return nil, NewRequestError("error.problems", "hint.cases_listed", "problems", problems)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
