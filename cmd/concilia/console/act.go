package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/view/caseview"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

func actRoutes() []route {
	return []route{
		{pattern: "POST /cases/act", page: "act", do: actOnCases, needs: people.Actor, keeps: true, under: "cases"},
	}
}

// mostActedOn is how many cases an act may be on.
const mostActedOn = 500

// CaseAct is what a person asks to do.
type CaseAct struct {
	casework.ActRequest
	Accounts []ledger.Account // that the person may see; none: all
}

// ActResult is what an act did, or would do, with the cases as they are now.
type ActResult struct {
	*caseview.CaseAct
	Rows     []caseview.CaseRow
	Versions map[string]string // by case, as it is now
}

// actPage is the preview of an act: what it would come to, and the form that does it.
type actPage struct {
	*ActResult
	formState
	Verb     ledger.Verb
	Verbs    []ledger.Verb
	Form     url.Values
	BackLink string // of the list that the cases were chosen from, or of the one case whose page has the act
	// BeginsOnCase is set where the act is one of a case's page.
	BeginsOnCase bool
	Obstacle     string // why it cannot be done; empty: it can
	Changes      []stateChange
}

// stateChange is how many cases an act would take from one state to another, a proposal once it is confirmed.
type stateChange struct {
	From, To ledger.State
	Cases    int
}

// listChanges are the changes of state that an act would make, in the order of the cases.
func (r *ActResult) listChanges() (out []stateChange) {
	for i := range r.Cases {
		of := &r.Cases[i]
		to := of.To
		if to == of.From {
			to = r.Verb.ResultState(of.From)
		}
		at := slices.IndexFunc(out, func(c stateChange) bool { return c.From == of.From && c.To == to })
		if at < 0 {
			at, out = len(out), append(out, stateChange{From: of.From, To: to})
		}
		out[at].Cases++
	}
	return out
}

// actOnCases shows what an act would come to, or does it.
func actOnCases(v *visit) error {
	if v.c.ReadOnly {
		return v.refuseAct("desk.read_only_text")
	}
	if err := v.r.ParseForm(); err != nil {
		return &badRequest{map[string]string{"form": err.Error()}}
	}
	act, err := readAct(v)
	var bad *badRequest
	switch {
	case errors.As(err, &bad) && act != nil && bad.fields["verb"] == "" && bad.fields["case"] == "":
		return showActAgain(v, act, formState{Wrong: bad.fields}, err)
	case errors.As(err, &bad) && act != nil && bad.fields["verb"] == "" && act.DryRun:
		return showListAgain(v, bad.fields)
	case err != nil:
		return err
	}
	v.c.Log.Info().Str("person", v.person.Name).Str("verb", string(act.Verb)).Int("cases", len(act.Cases)).Bool("preview", act.DryRun).Msg("an act on cases")
	ctx, cancel := context.WithTimeout(v.asked, v.c.ActTime)
	defer cancel()
	if act.DryRun {
		return previewAct(ctx, v, act)
	}
	if confirmsProposal(v) && !v.person.Role.Includes(people.Manager) {
		return v.refuseAct("desk.forbidden_text")
	}
	result, err := v.source.Act(ctx, act, v.lang)
	switch {
	case errors.Is(err, ErrDone):
		return v.redirect(doneAt(act.Cases, v.r.PostForm, "already"))
	case isBusy(ctx, err):
		return showActAgain(v, act, formState{Busy: true}, err)
	case errors.Is(err, ErrConflict):
		return showActAgain(v, act, formState{Refused: v.explainConflict(err)}, err)
	case err != nil:
		return err
	case result.Waiting > 0 && confirmsProposal(v):
		return v.refuseAct("desk.own_proposal")
	}
	what := "done"
	if result.Proposed+result.Waiting > 0 {
		what = "proposed"
	}
	return v.redirect(doneAt(act.Cases, v.r.PostForm, what))
}

// confirmsProposal says that a form comes from a proposal, which another person has to confirm.
func confirmsProposal(v *visit) bool { return v.r.PostForm.Get("confirms") != "" }

// isBusy says that an act could not be done in the time of its context: a run holds the account, or the ledger is away. A statement that
// the time interrupted may say so in words of its own.
func isBusy(ctx context.Context, err error) bool {
	return err != nil && (errors.Is(err, ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded))
}

// showActAgain shows the form of an act that was not done as it was filled, with the cases as they are now.
func showActAgain(v *visit, act *CaseAct, state formState, why error) error {
	ctx, cancel := context.WithTimeout(v.asked, v.c.QueryTime)
	defer cancel()
	again := *act
	again.DryRun, again.Versions = true, nil
	if state.Busy {
		v.w.Header().Set("Retry-After", "5")
	}
	if err := renderAct(ctx, v, &again, &actPage{formState: state}); err != nil {
		return fmt.Errorf("%w; %w", why, err)
	}
	return nil
}

// doneAt is where an act shows: on its case, or on the list that its cases were chosen from.
func doneAt(cases []string, form url.Values, what string) string {
	if len(cases) == 1 {
		return "/cases/" + url.PathEscape(cases[0]) + "?did=" + what
	}
	list := listOf(form)
	if strings.Contains(list, "?") {
		list += "&"
	} else {
		list += "?"
	}
	list += "did=" + what + "&did-n=" + strconv.Itoa(len(cases))
	if form.Get("verb") == string(ledger.Dispute) {
		list += "&did-claim=1" // the list may have them no longer, and leads to where they are
	}
	return list
}

// listOf is the list of cases with the filter that a form carries.
func listOf(form url.Values) string {
	if query, err := url.ParseQuery(form.Get("filter")); err == nil && len(filterOf(query)) > 0 {
		return "/cases?" + filterOf(query).Encode()
	}
	return "/cases"
}

// readAct reads the form of an act. A preview needs no more than the verb and the cases.
func readAct(v *visit) (*CaseAct, error) {
	f := newFields(v.r.PostForm, v.lang)
	act := &CaseAct{Accounts: v.accounts(), ActRequest: casework.ActRequest{
		Verb: ledger.Verb(f.text("verb")), Actor: v.person.Name, Reason: f.text("reason"), Assignee: f.text("to"), Reference: f.text("reference"),
		Until: f.day("until"), Cap: f.amount("cap"), FollowUp: f.day("follow_up"), Reply: ledger.Reply(f.text("reply")), Letter: f.text("letter"), DryRun: f.text("confirm") == "", Via: "console", ProposeOnly: !v.person.Role.Includes(people.Manager),
	}}
	if !slices.Contains(ledger.CaseVerbs(), act.Verb) {
		f.refuse("verb", "desk.unknown_word", "word", act.Verb)
	}
	act.Cases = f.list("case")
	if f.text("all") != "" {
		cases, err := casesOfFilter(v, f.text("filter"))
		if err != nil {
			return nil, err
		}
		act.Cases = cases
	}
	if n := len(act.Cases); n == 0 || n > mostActedOn {
		f.refuse("case", "desk.choose_cases", "most", mostActedOn)
	}
	if !act.DryRun {
		act.Versions = map[string]string{}
		for _, id := range act.Cases {
			if seen := f.text("version-" + id); seen != "" {
				act.Versions[id] = seen
			}
		}
		requireDetails(v, f, act)
	}
	return act, f.err()
}

// requireDetails refuses an act without what its verb needs.
func requireDetails(v *visit, f *fields, act *CaseAct) {
	needs := func(missing bool, name string) {
		if missing {
			f.refuse(name, "desk.needed")
		}
	}
	switch act.Verb {
	case ledger.Assign:
		needs(act.Assignee == "", "to")
	case ledger.Dispute:
		needs(act.Reference == "", "reference")
	case ledger.Answer:
		needs(act.Reply == "", "reply")
	case ledger.Waive:
		needs(act.Until == 0, "until")
	}
	switch act.Verb {
	case ledger.Answer, ledger.Waive, ledger.Close, ledger.Reopen:
		needs(act.Reason == "", "reason")
	}
}

// casesOfFilter are the cases of a list's filter.
func casesOfFilter(v *visit, query string) ([]string, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, &badRequest{map[string]string{"filter": err.Error()}}
	}
	filter, err := readCaseFilter(v, values)
	if err != nil {
		return nil, err
	}
	filter.After, filter.Limit = "", mostActedOn+1
	list, err := v.source.Cases(v.r.Context(), filter, v.lang)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range list.Rows {
		out = append(out, list.Rows[i].Case.Case)
	}
	return out, nil
}

// previewAct shows what the act would come to. What its verb needs and is not given yet is asked for on the page.
func previewAct(ctx context.Context, v *visit, act *CaseAct) error {
	return renderAct(ctx, v, act, &actPage{})
}

// renderAct shows the form of an act with what it would come to, on a page that says why it was not done, if it was to be.
func renderAct(ctx context.Context, v *visit, act *CaseAct, page *actPage) error {
	page.Verb, page.Form = act.Verb, v.r.PostForm
	page.BackLink = v.c.Prefix + listOf(v.r.PostForm)
	if page.BeginsOnCase = len(act.Cases) == 1 && !v.r.PostForm.Has("filter"); page.BeginsOnCase {
		page.BackLink = v.c.Prefix + "/cases/" + url.PathEscape(act.Cases[0])
	}
	filled := *act
	fill := func(to *string, with string) {
		if *to == "" {
			*to = with
		}
	}
	fill(&filled.Reason, "-")
	fill(&filled.Assignee, v.person.Name)
	fill(&filled.Reference, "-")
	if filled.Reply == "" {
		filled.Reply = ledger.Replies()[0]
	}
	if filled.Until == 0 {
		filled.Until = ledger.DateOf(v.c.Wall(), v.c.Zone) + 1
		filled.Until = max(filled.Until, v.head.AsOf+1)
	}
	if !filled.Cap.OK {
		filled.Cap = ledger.Some(ledger.Amount(1) << 60)
	}
	result, err := v.source.Act(ctx, &filled, v.lang)
	if errors.Is(err, ErrConflict) && result != nil {
		page.Obstacle = v.explainConflict(err)
	} else if err != nil && !errors.Is(err, ErrDone) {
		return err
	}
	if result == nil {
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	page.ActResult, page.Changes = result, result.listChanges()
	page.markMissingCap(act, v.text("desk.needed"))
	return v.renderAs(page.statusCode(), "act", v.text("desk.preview"), page)
}

// markMissingCap says at its field that the most that may be at stake is missing from a form that was sent. Only with the cases is it
// known to be needed: not all of them are about an amount.
func (p *actPage) markMissingCap(act *CaseAct, text string) {
	wasSent := len(p.Wrong) > 0 || p.Refused != ""
	if !wasSent || act.Verb != ledger.Waive || act.Cap.OK || p.Impact == 0 && p.Excess == 0 || p.Wrong["cap"] != "" {
		return
	}
	wrong := map[string]string{"cap": text}
	maps.Copy(wrong, p.Wrong)
	p.Wrong = wrong
}
