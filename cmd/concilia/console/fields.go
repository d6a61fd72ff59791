package console

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/store/ledger"
)

// badRequest is what is wrong with the fields of a form or a query, by name.
type badRequest struct{ fields map[string]string }

// Error names the fields.
func (e *badRequest) Error() string {
	return strings.Join(e.lines(func(name string) string { return name }), "; ")
}

// lines are the problems, each after its field as spell names it.
func (e *badRequest) lines(spell func(name string) string) []string {
	var out []string
	for name, what := range e.fields {
		out = append(out, spell(name)+": "+what)
	}
	slices.Sort(out)
	return out
}

// fields reads a query or a form, and gathers what is wrong with it by name.
type fields struct {
	values url.Values
	lang   string
	wrong  map[string]string
}

func newFields(values url.Values, lang string) *fields {
	return &fields{values, lang, map[string]string{}}
}

// err is every problem, or nil.
func (f *fields) err() error {
	if len(f.wrong) == 0 {
		return nil
	}
	return &badRequest{f.wrong}
}

// refuse notes that a field does not take its value.
func (f *fields) refuse(name, id string, values ...any) {
	if f.wrong[name] == "" {
		f.wrong[name] = words.Text(f.lang, id, values...)
	}
}

func (f *fields) text(name string) string { return strings.TrimSpace(f.values.Get(name)) }

// list is the values of a field that may be given several times, or with commas, without empty ones.
func (f *fields) list(name string) []string {
	var out []string
	for _, v := range f.values[name] {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

// choice is a list of known words.
func (f *fields) choice(name string, known []string) []string {
	got := f.list(name)
	for _, v := range got {
		if !slices.Contains(known, v) {
			f.refuse(name, "desk.unknown_word", "word", v)
		}
	}
	return got
}

// day is a date as people or programs write it: dd/mm/aaaa or YYYY-MM-DD.
func (f *fields) day(name string) ledger.Date {
	text := f.text(name)
	if text == "" {
		return 0
	}
	iso := text
	if parts := strings.Split(text, "/"); len(parts) == 3 {
		iso = parts[2] + "-" + parts[1] + "-" + parts[0]
	}
	d, err := ledger.ParseDate(iso)
	if err != nil {
		f.refuse(name, "desk.no_date")
	}
	return d
}

// amount is an amount as people or programs write it: 1.829,35 or 1829.35.
func (f *fields) amount(name string) ledger.Opt[ledger.Amount] {
	text := strings.TrimSpace(strings.TrimPrefix(f.text(name), "R$"))
	if text == "" {
		return ledger.Opt[ledger.Amount]{}
	}
	if strings.Contains(text, ",") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), ",", ".")
	}
	a, err := ledger.ParseAmount(text)
	if err != nil || a < 0 {
		f.refuse(name, "desk.no_amount")
		return ledger.Opt[ledger.Amount]{}
	}
	return ledger.Some(a)
}

func (f *fields) number(name string, least, most int) int {
	text := f.text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		f.refuse(name, "desk.no_number", "least", least, "most", most)
		return 0
	}
	return n
}

// CaseFilter chooses cases as the flags of exceptions list do, which the fields are named like. Empty fields choose all.
type CaseFilter struct {
	Accounts   []ledger.Account
	Codes      []string
	Severities []ledger.Severity
	States     []ledger.State
	Brands     []string
	Products   []string
	Kinds      []string // of their subjects: card, sale, slip, …
	Owner      string   // who takes the next step, by the catalogue's word: service, finance or contract
	MinImpact  ledger.Amount
	MaxImpact  ledger.Opt[ledger.Amount]
	Amount     ledger.Opt[ledger.Amount] // of the impact, lost or gained, to the cent
	Age        int
	DueFrom    ledger.Date
	DueTo      ledger.Date
	Assignee   string
	Reference  string
	NSU        string
	Auth       string
	FollowUp   ledger.Date // only claims to be asked about again by this day
	Claimed    bool        // only cases that were ever claimed
	New        bool        // seen for the first time in the last night
	Sort       string
	After      string // the case before the part that is asked for
	Limit      int
}

// caseOrders are the orders of a list of cases; the first is the default.
func caseOrders() []string { return []string{"impact", "age", "due", "state", "code"} }

// readCaseFilter reads the query of a list of cases.
func readCaseFilter(v *visit, query url.Values) (*CaseFilter, error) {
	f := newFields(query, v.lang)
	out := &CaseFilter{
		Accounts: v.accounts(), Brands: f.list("brand"), Products: f.list("product"), Age: f.number("age", 0, 100_000),
		MinImpact: f.amount("min-impact").V, DueFrom: f.day("due-from"), DueTo: f.day("due-to"), MaxImpact: f.amount("max-impact"), Amount: f.amount("amount"), FollowUp: f.day("follow-up"), Claimed: f.text("claimed") != "",
		Kinds: f.choice("kind", caseKinds()), Assignee: f.text("assignee"),
		Reference: f.text("reference"), NSU: f.text("nsu"), Auth: f.text("auth"), New: f.text("new") != "", After: f.text("after"),
		Limit: v.c.PageRows,
	}
	if owner := f.choice("owner", catalogueOwners()); len(owner) > 0 {
		out.Owner = owner[0]
	}
	if out.MaxImpact.OK && out.MaxImpact.V < out.MinImpact {
		f.refuse("max-impact", "desk.less_than_least")
	}
	if out.DueTo != 0 && out.DueTo < out.DueFrom {
		f.refuse("due-to", "desk.before_from")
	}
	codes := make([]string, 0, len(view.AllRules()))
	for _, r := range view.AllRules() {
		codes = append(codes, r.Code)
	}
	out.Codes = f.choice("code", codes)
	for _, s := range f.choice("severity", []string{"C", "E", "W", "I"}) {
		out.Severities = append(out.Severities, ledger.Severity(s))
	}
	for _, s := range f.choice("state", caseStates()) {
		out.States = append(out.States, ledger.State(s))
	}
	if sort := f.choice("sort", caseOrders()); len(sort) > 0 {
		out.Sort = sort[0]
	}
	if chosen := f.list("account"); len(chosen) > 0 {
		out.Accounts = nil
		for _, text := range chosen {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || !v.maySee(text) {
				return nil, ErrNotFound
			}
			out.Accounts = append(out.Accounts, ledger.Account(n))
		}
	}
	return out, f.err()
}

// caseKinds are the subjects that most cases are about.
func caseKinds() []string {
	return []string{"card", "sale", "split", "slip", "webhook", "day", "month"}
}

// catalogueOwners are who takes a next step.
func catalogueOwners() []string { return []string{"service", "shop", "finance", "contract"} }

// caseStates are the states that people choose cases by.
func caseStates() []string {
	return []string{
		string(ledger.Pending), string(ledger.Opened), string(ledger.Reopened), string(ledger.Acknowledged), string(ledger.Disputed),
		string(ledger.Waived), string(ledger.Shadow), string(ledger.Resolved), string(ledger.Closed),
	}
}
