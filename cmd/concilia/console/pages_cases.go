package console

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/view/caseview"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

func caseRoutes() []route {
	return []route{
		{pattern: "GET /{$}", page: "today", do: showToday, menu: "desk.today"},
		{pattern: "GET /cases", page: "cases", do: showCases, menu: "desk.cases"},
		{pattern: "GET /cases/{case}", page: "case", do: showCase, under: "cases"},
	}
}

// showToday is the first page.
func showToday(v *visit) error {
	today, err := v.source.Today(v.r.Context(), v.accounts(), v.lang)
	if err != nil {
		return err
	}
	proposals, err := v.proposals("")
	if err != nil {
		return err
	}
	page := &todayPage{Today: today, Proposals: proposals}
	if v.c.HasBanks {
		if page.Banks, err = v.source.ProvenAtBanks(v.r.Context(), v.accounts()); err != nil {
			return err
		}
	}
	return v.render("today", v.text("desk.today"), page)
}

// todayPage is the first page, with the proposals of others that this person may confirm.
type todayPage struct {
	*caseview.Today
	Proposals []proposal
	Banks     bankview.BankConciliations // how much of what came is proven by the bank's statements
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
	all, err := v.source.Proposals(v.r.Context(), v.accounts())
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
	*caseview.CaseList
	Filter   *CaseFilter
	Query    url.Values
	Codes    []string
	States   []string
	Orders   []string
	Wrong    map[string]string // problems of the filter by field; the list is empty then
	Filtered bool
	Kinds    []string
	Owners   []string
	Chips    []chip
	Taken    []chip // what the filter chooses by; each link leads to the list without it
	CSVLink  string
	NextLink string
	AllLink  string
	RawQuery string
	Verbs    []ledger.Verb
	Did      string
	Verb     ledger.Verb // of the act; empty: none was sent
	Chosen   string      // what is wrong with what was chosen of the list for an act; empty: nothing
}

// chip is a filter of one click.
type chip struct {
	Label string
	Link  string
	On    bool
}

// showCases lists the cases that the query chooses.
func showCases(v *visit) error { return v.showCases(v.r.URL.Query(), "") }

// showListOfForm lists the cases that a form for an act was sent from, with what is wrong with what was chosen.
func (v *visit) showListOfForm(wrong map[string]string) error {
	query, err := url.ParseQuery(v.r.PostForm.Get("filter"))
	if err != nil || wrong["case"] == "" {
		return &badRequest{wrong}
	}
	query.Del("as")
	return v.showCases(query, wrong["case"])
}

// showCases lists the cases that a query chooses. chosen is what is wrong with what was chosen of them for an act; empty: nothing.
func (v *visit) showCases(query url.Values, chosen string) error {
	filter, err := v.readCaseFilter(query)
	page := &casesPage{
		CaseList: &caseview.CaseList{}, Filter: filter, Query: query, States: caseStates(), Orders: caseOrders(), AllLink: v.c.Prefix + "/cases",
		RawQuery: query.Encode(), Verbs: ledger.CaseVerbs(), Did: v.didNotice(), Verb: ledger.Verb(v.r.PostForm.Get("verb")), Chosen: chosen,
	}
	page.Kinds, page.Owners, page.Taken = caseKinds(), catalogueOwners(), v.takenChips(query)
	page.Filtered = len(page.Taken) > 0
	for _, r := range view.AllRules() {
		page.Codes = append(page.Codes, r.Code)
	}
	var bad *badRequest
	if errors.As(err, &bad) {
		page.Wrong = bad.fields
		return v.renderAs(http.StatusBadRequest, "cases", v.text("desk.cases"), page)
	}
	if err != nil {
		return err
	}
	if query.Get("as") == "csv-br" {
		return v.sendCases(filter)
	}
	if page.CaseList, err = v.source.Cases(v.r.Context(), filter, v.lang); err != nil {
		return err
	}
	page.Chips = []chip{
		v.chip("desk.chip_all", url.Values{}, !page.Filtered),
		v.chip("desk.chip_new", url.Values{"new": {"1"}}, filter.New),
		v.chip("desk.chip_error", url.Values{"severity": {"C,E"}, "state": {"open,reopened"}}, query.Get("severity") == "C,E"),
		v.chip("desk.chip_disputed", url.Values{"state": {"disputed"}}, query.Get("state") == "disputed"),
		v.chip("desk.chip_service", url.Values{"owner": {"service"}}, filter.Owner == "service"),
		v.chip("desk.chip_follow_up", url.Values{"follow-up": {v.head.AsOf.String()}}, filter.FollowUp != 0),
		v.chip("desk.chip_unassigned", url.Values{"assignee": {"none"}}, filter.Assignee == "none"),
	}
	if v.mayAct() && v.person.Name != "" {
		page.Chips = append(page.Chips, v.chip("desk.chip_mine", url.Values{"assignee": {v.person.Name}}, filter.Assignee == v.person.Name))
	}
	download := filterOf(query)
	download.Set("as", "csv-br")
	page.CSVLink = v.c.Prefix + "/cases?" + download.Encode()
	if page.Next != "" {
		query = filterOf(query)
		query.Set("after", page.Next)
		page.NextLink = v.c.Prefix + "/cases?" + query.Encode()
	}
	code := http.StatusOK
	if chosen != "" {
		code = http.StatusBadRequest
	}
	return v.renderAs(code, "cases", v.text("desk.cases"), page)
}

func (v *visit) chip(id string, query url.Values, on bool) chip {
	link := v.c.Prefix + "/cases"
	if len(query) > 0 {
		link += "?" + query.Encode()
	}
	return chip{v.text(id), link, on}
}

// filterOf is a query without what is not part of the filter but its order: the place in the list, and what was done before.
func filterOf(query url.Values) url.Values {
	out := url.Values{}
	for name, values := range query {
		switch name {
		case "after", "did", "did-n", "as":
			continue
		}
		for _, value := range values {
			if strings.TrimSpace(value) != "" {
				out.Add(name, value)
			}
		}
	}
	return out
}

// takenChips are what the query chooses by, in words, in the order of their names.
func (v *visit) takenChips(query url.Values) []chip {
	filter := filterOf(query)
	var out []chip
	for _, name := range slices.Sorted(maps.Keys(filter)) {
		what, known := caseFields()[name]
		if !known {
			continue
		}
		rest := maps.Clone(filter)
		delete(rest, name)
		link := v.c.Prefix + "/cases"
		if len(rest) > 0 {
			link += "?" + rest.Encode()
		}
		label := v.text(what)
		if name != "new" && name != "claimed" {
			var values []string
			for _, value := range newFields(filter, v.lang).list(name) {
				values = append(values, v.nameValue(name, value))
			}
			label += ": " + strings.Join(values, ", ")
		}
		out = append(out, chip{Label: label, Link: link})
	}
	return out
}

// caseFields are the fields of the filter by which a list is chosen, with their words.
func caseFields() map[string]string {
	return map[string]string{
		"account": "desk.account", "code": "desk.code", "state": "desk.state", "severity": "desk.severity", "kind": "desk.kind", "owner": "desk.owner",
		"min-impact": "desk.min_impact", "max-impact": "desk.max_impact", "amount": "desk.amount_exactly", "age": "desk.min_age", "due-from": "desk.due_from", "due-to": "desk.due_to",
		"nsu": "desk.nsu", "auth": "desk.authorization", "reference": "desk.protocol", "assignee": "desk.assignee", "brand": "desk.brand",
		"product": "desk.product", "follow-up": "desk.follow_up_by", "claimed": "desk.ever_claimed", "new": "desk.chip_new",
	}
}

// nameValue is a value of the filter in words.
func (v *visit) nameValue(field, value string) string {
	switch field {
	case "state":
		return words.Name(v.lang, "case_state", value)
	case "kind":
		return words.Name(v.lang, "subject", value)
	case "owner":
		return nameOf(v.lang, "desk", "owner_"+value)
	case "severity":
		return nameOf(v.lang, "severities", value)
	case "due-from", "due-to", "follow-up":
		return spellDay(value, v.lang)
	case "assignee":
		if value == "none" {
			return v.text("desk.nobody")
		}
	}
	return value
}

// mostDownloaded is how many cases a file may have.
const mostDownloaded = 50_000

// sendCases sends all that the filter chooses as a file for a spreadsheet.
func (v *visit) sendCases(filter *CaseFilter) error {
	filter.After, filter.Limit = "", mostDownloaded
	list, err := v.source.Cases(v.r.Context(), filter, v.lang)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="cases_`+v.head.AsOf.String()+`.csv"`)
	return caseview.WriteBrazilianCSV(v.w, list.Rows, v.lang)
}

// casePage is everything about a case, in the words of the language.
type casePage struct {
	*casework.CasePage
	Say *caseview.Speller
	// Moments are what runs found and what people did, oldest first.
	Moments   []caseMoment
	Proposals []proposal
	ItemLink  string        // of the sale, slip or row of a bank account it is about; empty: it is about something else
	ItemText  string        // of that link
	ListLink  string        // of the list that led here, with its filter
	Verbs     []ledger.Verb // that the case's state takes, where the person may act
	Did       string
}

// ShowsImpact reports whether there is an amount to lead with: none is left of a case that was resolved.
func (p *casePage) ShowsImpact() bool {
	impact, err := ledger.ParseAmount(p.Impact)
	return err == nil && (impact != 0 || ledger.State(p.State).IsUnresolved())
}

// caseMoment is one line of a history.
type caseMoment struct {
	day   ledger.Date
	On    string
	State string // empty for an act
	Text  string
}

// listBehind is the list of cases that a link of this page was followed from, with its filter; else the whole list.
func (v *visit) listBehind() string {
	list := v.c.Prefix + "/cases"
	from, err := url.Parse(v.r.Referer())
	if err != nil || from.Host != v.r.Host || from.Path != list {
		return list
	}
	if filter := filterOf(from.Query()); len(filter) > 0 {
		list += "?" + filter.Encode()
	}
	return list
}

// showCase is everything about one case.
func showCase(v *visit) error {
	found, err := v.source.Case(v.r.Context(), v.r.PathValue("case"), v.lang)
	if err != nil {
		return err
	}
	if !v.maySee(found.Account.String()) {
		return ErrNotFound
	}
	page := &casePage{
		CasePage: found.CasePage, Say: found.NewSpeller(), Did: v.didNotice(), ListLink: v.listBehind(), ItemLink: v.c.itemLink(found.Subject),
		ItemText: v.itemText(found.Subject),
	}
	page.Deposits = v.seenDeposits(page.Deposits)
	if page.Proposals, err = v.proposals(found.Case); err != nil {
		return err
	}
	if v.mayAct() {
		page.Verbs = slices.DeleteFunc(ledger.CaseVerbs(), func(verb ledger.Verb) bool { return !verb.AppliesTo(ledger.State(found.State)) })
	}
	for _, h := range found.History {
		m := caseMoment{day: h.AsOf, On: spellDay(h.AsOf, v.lang), State: h.State}
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
		page.Moments = append(page.Moments, caseMoment{day: ledger.DateOf(a.At, v.c.Zone), On: page.Say.Instant(a.At), Text: page.Say.Act(a)})
	}
	slices.SortStableFunc(page.Moments, func(a, b caseMoment) int { return cmp.Compare(a.day, b.day) })
	return v.render("case", v.text("desk.case", "case", found.Case[:8]), page)
}
