package console

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// showToday is the first page.
func showToday(v *visit) error {
	today, err := v.c.Source.Today(v.r.Context(), v.accounts(), v.lang)
	if err != nil {
		return err
	}
	proposals, err := v.proposals("")
	if err != nil {
		return err
	}
	return v.render("today", v.text("desk.today"), &todayPage{today, proposals})
}

// todayPage is the first page, with the proposals of others that this person may confirm.
type todayPage struct {
	*view.Today
	Proposals []proposal
}

// proposal is an act of another person that waits.
type proposal struct {
	casework.Proposal
	Ends view.Instant
	Mine bool // one's own, which another person has to confirm
}

// proposals are those that wait, of a case or of all; only who may confirm them is shown those of others.
func (v *visit) proposals(id string) ([]proposal, error) {
	if !v.mayAct() {
		return nil, nil
	}
	all, err := v.c.Source.Proposals(v.r.Context(), v.accounts())
	var out []proposal
	for _, p := range all {
		mine := strings.EqualFold(p.Actor, v.person.Name)
		if (id == "" && !mine || id == p.Subject) && (mine || v.person.Role.Includes(Manager)) {
			out = append(out, proposal{p, view.Instant{Time: p.Until}, mine})
		}
	}
	return out, err
}

// didNotice is what the page before says that was done.
func (v *visit) didNotice() string {
	n, _ := strconv.Atoi(v.r.URL.Query().Get("did-n"))
	switch v.r.URL.Query().Get("did") {
	case "done":
		return v.text("desk.act_done", "n", max(n, 1))
	case "proposed":
		return v.text("desk.act_proposed", "n", max(n, 1))
	case "already":
		return v.text("desk.act_already")
	}
	return ""
}

// casesPage is a list of cases with the filter that chose them.
type casesPage struct {
	*view.CaseList
	Filter   *CaseFilter
	Query    url.Values
	Codes    []string
	States   []string
	Orders   []string
	Wrong    map[string]string // problems of the filter by field; the list is empty then
	Filtered bool
	Chips    []chip
	NextLink string
	AllLink  string
	RawQuery string
	Verbs    []ledger.Verb
	Did      string
}

// chip is a filter of one click.
type chip struct {
	Label string
	Link  string
	On    bool
}

// showCases lists the cases that the query chooses.
func showCases(v *visit) error {
	query := v.r.URL.Query()
	filter, err := v.readCaseFilter()
	page := &casesPage{
		CaseList: &view.CaseList{}, Filter: filter, Query: query, States: caseStates(), Orders: caseOrders(), AllLink: v.c.Prefix + "/cases",
		RawQuery: query.Encode(), Verbs: ledger.CaseVerbs(), Did: v.didNotice(),
	}
	for name, values := range query {
		page.Filtered = page.Filtered || name != "sort" && name != "after" && name != "did" && name != "did-n" && len(values) > 0 && values[0] != ""
	}
	for _, r := range view.AllRules() {
		page.Codes = append(page.Codes, r.Code)
	}
	var bad *badRequest
	if errors.As(err, &bad) {
		page.Wrong = bad.fields
		return v.renderAs(400, "cases", v.text("desk.cases"), page)
	}
	if err != nil {
		return err
	}
	if page.CaseList, err = v.c.Source.Cases(v.r.Context(), filter, v.lang); err != nil {
		return err
	}
	page.Chips = []chip{
		v.chip("desk.chip_all", url.Values{}, !page.Filtered),
		v.chip("desk.chip_new", url.Values{"new": {"1"}}, filter.New),
		v.chip("desk.chip_error", url.Values{"severity": {"C,E"}, "state": {"open,reopened"}}, query.Get("severity") == "C,E"),
		v.chip("desk.chip_disputed", url.Values{"state": {"disputed"}}, query.Get("state") == "disputed"),
		v.chip("desk.chip_unassigned", url.Values{"assignee": {"none"}}, filter.Assignee == "none"),
	}
	if page.Next != "" {
		query.Set("after", page.Next)
		page.NextLink = v.c.Prefix + "/cases?" + query.Encode()
	}
	return v.render("cases", v.text("desk.cases"), page)
}

func (v *visit) chip(id string, query url.Values, on bool) chip {
	link := v.c.Prefix + "/cases"
	if len(query) > 0 {
		link += "?" + query.Encode()
	}
	return chip{v.text(id), link, on}
}

// casePage is everything about a case, in the words of the language.
type casePage struct {
	*casework.CasePage
	Say *view.Speller
	// Moments are what runs found and what people did, oldest first.
	Moments   []caseMoment
	Proposals []proposal
	Verbs     []ledger.Verb // that the case's state takes, where the person may act
	Did       string
}

// caseMoment is one line of a history.
type caseMoment struct {
	On    string
	State string // empty for an act
	Text  string
}

// showCase is everything about one case.
func showCase(v *visit) error {
	found, err := v.c.Source.Case(v.r.Context(), v.r.PathValue("case"), v.lang)
	if err != nil {
		return err
	}
	if !v.maySee(found.Account.String()) {
		return ErrNotFound
	}
	page := &casePage{CasePage: found.CasePage, Say: found.NewSpeller(), Did: v.didNotice()}
	if page.Proposals, err = v.proposals(found.Case); err != nil {
		return err
	}
	if v.mayAct() {
		page.Verbs = slices.DeleteFunc(ledger.CaseVerbs(), func(verb ledger.Verb) bool { return !verb.AppliesTo(ledger.State(found.State)) })
	}
	for _, h := range found.History {
		m := caseMoment{On: spellDay(h.AsOf, v.lang), State: h.State}
		if h.Impact != "" {
			amount, err := spellMoney(h.Impact, v.lang)
			if err != nil {
				return err
			}
			m.Text = "R$ " + amount
		}
		page.Moments = append(page.Moments, m)
	}
	for _, a := range found.Acts {
		page.Moments = append(page.Moments, caseMoment{On: page.Say.Instant(a.At), Text: page.Say.Act(a)})
	}
	return v.render("case", v.text("desk.case", "case", found.Case[:8]), page)
}
