package console

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/view/caseview"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/jobs/explain"
	"concilia/store/ledger"
)

// CaseSource answers about the first page, cases, and acts on them.
type CaseSource interface {
	Today(ctx context.Context, accounts []ledger.Account, lang string) (*caseview.Today, error)
	Cases(ctx context.Context, f *CaseFilter, lang string) (*caseview.CaseList, error)
	Case(ctx context.Context, id, lang string) (*caseview.Explanation, error)
	// Act carries an act out on every case or on none, or shows what it would come to.
	Act(ctx context.Context, act *CaseAct, lang string) (*ActResult, error)
	// Proposals are the acts of others and of one's own that wait for a second person.
	Proposals(ctx context.Context, accounts []ledger.Account) ([]casework.Proposal, error)
}

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
	proposals, err := readProposals(v, "")
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

// readProposals are those that wait, of a case or of all; only who may confirm them is shown those of others.
func readProposals(v *visit, id string) ([]proposal, error) {
	if !v.mayAct() {
		return nil, nil
	}
	all, err := v.source.Proposals(v.r.Context(), v.accounts())
	var out []proposal
	for _, p := range all {
		mine := strings.EqualFold(p.Actor, v.person.Name)
		if (id == "" && !mine || id == p.Subject) && (mine || v.person.Role.Includes(people.Manager)) {
			out = append(out, proposal{p, view.Instant{Time: p.Until}, mine})
		}
	}
	return out, err
}

// spellDone is what the page before says that was done.
func spellDone(v *visit) string {
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
	DidClaim bool        // what was done is a claim
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
func showCases(v *visit) error { return renderCases(v, v.r.URL.Query(), "") }

// showListAgain lists the cases that a form for an act was sent from, with what is wrong with what was chosen.
func showListAgain(v *visit, wrong map[string]string) error {
	query, err := url.ParseQuery(v.r.PostForm.Get("filter"))
	if err != nil || wrong["case"] == "" {
		return &badRequest{wrong}
	}
	query.Del("as")
	return renderCases(v, query, wrong["case"])
}

// renderCases lists the cases that a query chooses. chosen is what is wrong with what was chosen of them for an act; empty: nothing.
func renderCases(v *visit, query url.Values, chosen string) error {
	filter, err := readCaseFilter(v, query)
	page := &casesPage{
		CaseList: &caseview.CaseList{}, Filter: filter, Query: query, States: caseStates(), Orders: caseOrders(), AllLink: v.c.Prefix + "/cases",
		RawQuery: query.Encode(), Verbs: ledger.CaseVerbs(), Did: spellDone(v), DidClaim: v.r.URL.Query().Get("did-claim") != "", Verb: ledger.Verb(v.r.PostForm.Get("verb")), Chosen: chosen,
	}
	page.Kinds, page.Owners, page.Taken = caseKinds(), catalogueOwners(), listTakenChips(v, query)
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
		return sendCases(v, filter)
	}
	if page.CaseList, err = v.source.Cases(v.r.Context(), filter, v.lang); err != nil {
		return err
	}
	page.Chips = []chip{
		newChip(v, "desk.chip_all", url.Values{}, !page.Filtered),
		newChip(v, "desk.chip_new", url.Values{"new": {"1"}}, filter.New),
		newChip(v, "desk.chip_error", url.Values{"severity": {"C,E"}, "state": {"open,reopened"}}, query.Get("severity") == "C,E"),
		newChip(v, "desk.chip_disputed", url.Values{"state": {"disputed"}}, query.Get("state") == "disputed"),
		newChip(v, "desk.chip_service", url.Values{"owner": {"service"}}, filter.Owner == "service"),
		newChip(v, "desk.chip_follow_up", url.Values{"follow-up": {v.asOf().String()}}, filter.FollowUp != 0),
		newChip(v, "desk.chip_unassigned", url.Values{"assignee": {"none"}}, filter.Assignee == "none"),
	}
	if v.mayAct() && v.person.Name != "" {
		page.Chips = append(page.Chips, newChip(v, "desk.chip_mine", url.Values{"assignee": {v.person.Name}}, filter.Assignee == v.person.Name))
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

func newChip(v *visit, id string, query url.Values, on bool) chip {
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
		case "after", "did", "did-n", "did-claim", "as":
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

// listTakenChips are what the query chooses by, in words, in the order of their names.
func listTakenChips(v *visit, query url.Values) []chip {
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
				values = append(values, nameFilterValue(v, name, value))
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

// nameFilterValue is a value of the filter in words.
func nameFilterValue(v *visit, field, value string) string {
	switch field {
	case "state":
		return words.Name(v.lang, "case_state", value)
	case "kind":
		return words.Name(v.lang, "subject", value)
	case "product":
		return words.Name(v.lang, "product", value)
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
func sendCases(v *visit, filter *CaseFilter) error {
	filter.After, filter.Limit = "", mostDownloaded
	list, err := v.source.Cases(v.r.Context(), filter, v.lang)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="cases_`+v.asOf().String()+`.csv"`)
	return caseview.WriteBrazilianCSV(v.w, list.Rows, v.lang)
}

// casePage is everything about a case, in the words of the language.
type casePage struct {
	*explain.CasePage
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

// findListBehind is the list of cases that a link of this page was followed from, with its filter; else the whole list.
func findListBehind(v *visit) string {
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
		CasePage: found.CasePage, Say: found.NewSpeller(), Did: spellDone(v), ListLink: findListBehind(v), ItemLink: v.c.itemLink(found.Subject),
		ItemText: nameItemLink(v, found.Subject),
	}
	page.Deposits = seenDeposits(v, page.Deposits)
	if page.Proposals, err = readProposals(v, found.Case); err != nil {
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
