package console

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/view/runview"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// RunSource answers about runs and what they cover.
type RunSource interface {
	Runs(ctx context.Context, limit int) (*runview.Runs, error)
	Run(ctx context.Context, id string) (*runview.RunPage, error)
	RunDiff(ctx context.Context, accounts []ledger.Account, from, to string) (*runview.RunDiff, error)
	Progress(ctx context.Context, accounts []ledger.Account, id string) (*Progress, error)
	Coverage(ctx context.Context, accounts []ledger.Account, source string, month ledger.Period) (runview.Coverage, error)
}

// RuleSource answers about rules and the calendar.
type RuleSource interface {
	Calendar(ctx context.Context, year int) (*view.CalendarYear, error)
	// StandingRules are the unresolved cases of each code, with their positive impacts.
	StandingRules(ctx context.Context, accounts []ledger.Account) (map[string]RuleStanding, error)
	// Rule is a rule of the catalogue in the words of a language.
	Rule(ctx context.Context, code, lang string) (*RulePage, error)
}

// Progress is how far a run is.
type Progress struct {
	Run         string         `json:"run"`
	Step        string         `json:"step"`
	Done        int            `json:"done"`
	Planned     int            `json:"planned"`
	Rows        int64          `json:"rows"`
	SecondsLeft int            `json:"seconds_left"` // by the units done so far; 0: not known
	Ended       bool           `json:"ended"`
	Verdict     ledger.Verdict `json:"verdict"`
	Leader      string         `json:"-"` // machine whose process leads the run; empty: none does
}

// Left is about how long the run still takes; nil: not known.
func (p *Progress) Left() *view.Seconds {
	if p.SecondsLeft <= 0 {
		return nil
	}
	left := view.Seconds(time.Duration(p.SecondsLeft) * time.Second)
	return &left
}

// RulePage is what people read of a rule.
type RulePage struct {
	Code     string
	Lines    []view.RuleLine
	Standing RuleStanding
}

// RuleStanding is the unresolved cases of a rule.
type RuleStanding struct {
	Cases  int
	Amount ledger.Amount
}

func runRoutes() []route {
	return []route{
		{pattern: "GET /runs", page: "runs", do: showRuns, menu: "desk.runs", rarer: true},
		{pattern: "GET /runs/{run}", page: "run", do: showRun, under: "runs"},
		{pattern: "GET /runs/{run}/progress", page: "progress", do: sendProgress},
		{pattern: "GET /runs/{from}/{to}", page: "diff", do: showDiff, under: "runs"},
		{pattern: "GET /coverage", page: "coverage", do: showCoverage, menu: "desk.coverage", rarer: true},
		{pattern: "GET /rules", page: "rules", do: showRules, menu: "desk.rules", rarer: true},
		{pattern: "GET /rules/{code}", page: "rule", do: showRule, under: "rules"},
		{pattern: "GET /calendar", page: "calendar", do: leadToCalendar, menu: "desk.calendar", rarer: true},
		{pattern: "GET /calendar/{year}", page: "calendar", do: showCalendar},
		{pattern: "GET /me", page: "me", do: showMe},
		{pattern: "POST /me", page: "me", do: changeMe},
	}
}

// runsShown is how many runs the list has.
const runsShown = 60

func showRuns(v *visit) error {
	runs, err := v.source.Runs(v.r.Context(), runsShown)
	if err != nil {
		return err
	}
	for i := range runs.All {
		scopeRun(v, &runs.All[i])
	}
	return v.render("runs", v.text("desk.runs"), runs)
}

// runPage is the record of a run; while it goes on, how far it is.
type runPage struct {
	*runview.RunPage
	Progress *Progress
}

func showRun(v *visit) error {
	run, err := v.source.Run(v.r.Context(), v.r.PathValue("run"))
	if err != nil {
		return err
	}
	scopeRun(v, &run.Run)
	files := run.Files[:0]
	for i := range run.Files {
		if v.maySee(firstFolder(run.Files[i].Path)) {
			files = append(files, run.Files[i])
		}
	}
	run.Files = files
	page := &runPage{RunPage: run}
	if run.Took == nil && v.head.Running == run.ID {
		if page.Progress, err = v.source.Progress(v.r.Context(), v.accounts(), run.ID); err != nil {
			return err
		}
		v.w.Header().Set("Refresh", "5")
	}
	return v.render("run", v.text("desk.run", "run", run.ID), page)
}

// scopeRun leaves in a record what the person may see: of a run over accounts of others neither sums nor the verdict.
func scopeRun(v *visit, r *runview.Run) {
	if len(v.person.Accounts) == 0 {
		return
	}
	r.Accounts = slices.DeleteFunc(slices.Clone(r.Accounts), func(a runview.RunAccount) bool { return !v.maySee(a.Account.String()) })
	r.Figures, r.Cases, r.Totals, r.Pulled, r.Verdict = nil, nil, nil, nil, ""
	for _, a := range r.Accounts {
		r.Verdict = r.Verdict.Worse(a.Verdict)
	}
	r.Documents = maps.Clone(r.Documents)
	maps.DeleteFunc(r.Documents, func(name, _ string) bool { return !maySeeDocument(v, name) })
}

// maySeeDocument says whether a document that a run used is for this person: one of an account has its number behind its name.
func maySeeDocument(v *visit, name string) bool {
	_, account, ofAccount := strings.Cut(name, " ")
	return !ofAccount || v.maySee(account)
}

// firstFolder is the account of a published path.
func firstFolder(path string) string {
	folder, _, _ := strings.Cut(path, "/")
	return folder
}

// sendProgress sends the script how far a run is.
func sendProgress(v *visit) error {
	p, err := v.source.Progress(v.r.Context(), v.accounts(), v.r.PathValue("run"))
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(v.w).Encode(p)
}

func showDiff(v *visit) error {
	diff, err := v.source.RunDiff(v.r.Context(), v.accounts(), v.r.PathValue("from"), v.r.PathValue("to"))
	if err != nil {
		return err
	}
	diff.Documents = slices.DeleteFunc(diff.Documents, func(d runview.DiffDocument) bool { return !maySeeDocument(v, d.Name) })
	return v.render("diff", v.text("desk.diff"), diff)
}

// coveragePage is the calendars of the lists in one month.
type coveragePage struct {
	chosen
	Source  string // the only list shown; empty: all
	Sources []string
	Lists   []coverageList
	Month   ledger.Date
	Before  ledger.Date
	After   ledger.Date // 0: it is the last month
	// BeforeLink and AfterLink lead to those months, of the same account and list.
	BeforeLink, AfterLink string
}

// coverageList is a list of an account.
type coverageList struct {
	casework.SourceCoverage
	Months []coverageMonth
}

// coverageMonth is the days of a month, in weeks from Monday; a day that is not answered for has no state.
type coverageMonth struct {
	First ledger.Date
	Weeks [][]casework.CoveredDay
}

// showCoverage is the calendar of what is complete.
func showCoverage(v *visit) error {
	f := newFields(v.r.URL.Query(), v.lang)
	month := v.asOf() - 1
	if text := f.text("month"); text != "" {
		parsed, err := ledger.ParseDate(text + "-01")
		if err != nil {
			f.refuse("month", "desk.no_month")
		}
		month = parsed
	}
	var sources []string
	for _, s := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		sources = append(sources, string(s))
	}
	source := f.choice("source", sources)
	picked, accounts, err := finishFields(v, f)
	if err != nil {
		return err
	}
	first := month.MonthStart()
	last := (first + 31).MonthStart() - 1
	one := ""
	if len(source) > 0 {
		one = source[0]
	}
	all, err := v.source.Coverage(v.r.Context(), accounts, one, ledger.Period{From: first, To: last})
	if err != nil {
		return err
	}
	page := &coveragePage{chosen: picked, Source: one, Sources: sources, Month: first, Before: (first - 1).MonthStart()}
	if last < v.asOf()-1 {
		page.After = last + 1
		page.AfterLink = linkMonth(v, page.After)
	}
	page.BeforeLink = linkMonth(v, page.Before)
	for i := range all {
		page.Lists = append(page.Lists, coverageList{all[i], monthsOf(all[i].Days)})
	}
	return v.render("coverage", v.text("desk.coverage"), page)
}

// linkMonth is the page that is shown, of another month.
func linkMonth(v *visit, month ledger.Date) string {
	query := filterOf(v.r.URL.Query())
	query.Set("month", ledger.MonthText(month))
	return v.c.Prefix + "/coverage?" + query.Encode()
}

// readAccounts is the accounts of a query that the person may see.
func readAccounts(v *visit, f *fields) ([]ledger.Account, error) {
	chosen := f.list("account")
	if len(chosen) == 0 {
		return v.accounts(), nil
	}
	var out []ledger.Account
	for _, text := range chosen {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !v.maySee(text) {
			return nil, ErrNotFound
		}
		out = append(out, ledger.Account(n))
	}
	return out, nil
}

// monthsOf lays days out as calendars.
func monthsOf(days []casework.CoveredDay) []coverageMonth {
	var out []coverageMonth
	for _, d := range days {
		if n := len(out); n == 0 || out[n-1].First != d.Day.MonthStart() {
			out = append(out, newMonth(d.Day.MonthStart()))
		}
		m := &out[len(out)-1]
		place := int(d.Day-m.First) + weekdayFromMonday(m.First)
		m.Weeks[place/7][place%7] = d
	}
	return out
}

// newMonth is an empty calendar: every day of the month without a state, none outside it.
func newMonth(first ledger.Date) coverageMonth {
	m := coverageMonth{First: first}
	last := (first + 31).MonthStart() - 1
	offset := weekdayFromMonday(first)
	for day := first; day <= last; day++ {
		place := int(day-first) + offset
		if place/7 >= len(m.Weeks) {
			m.Weeks = append(m.Weeks, make([]casework.CoveredDay, 7))
		}
		m.Weeks[place/7][place%7] = casework.CoveredDay{Day: day}
	}
	return m
}

func weekdayFromMonday(d ledger.Date) int { return (int(d.Weekday()) + 6) % 7 }

// rulesPage is the catalogue with the unresolved cases of each rule.
type rulesPage struct {
	Rules    view.Rules
	Standing map[string]RuleStanding
}

func showRules(v *visit) error {
	standing, err := v.source.StandingRules(v.r.Context(), v.accounts())
	if err != nil {
		return err
	}
	all := view.AllRules()
	slices.SortStableFunc(all, func(a, b view.Rule) int { // what costs most first; without a case in the order of the catalogue
		x, y := standing[a.Code], standing[b.Code]
		return cmp.Or(cmp.Compare(min(1, y.Cases), min(1, x.Cases)), cmp.Compare(y.Amount, x.Amount), cmp.Compare(y.Cases, x.Cases))
	})
	return v.render("rules", v.text("desk.rules"), &rulesPage{all, standing})
}

func showRule(v *visit) error {
	page, err := v.source.Rule(v.r.Context(), v.r.PathValue("code"), v.lang)
	if err != nil {
		return err
	}
	standing, err := v.source.StandingRules(v.r.Context(), v.accounts())
	if err != nil {
		return err
	}
	page.Standing = standing[page.Code]
	return v.render("rule", caseview.RuleTitle(page.Code, v.lang), page)
}

// leadToCalendar leads to this year's calendar.
func leadToCalendar(v *visit) error {
	return v.redirect("/calendar/" + strconv.Itoa(v.asOf().Year()))
}

func showCalendar(v *visit) error {
	year, err := strconv.Atoi(v.r.PathValue("year"))
	if err != nil {
		return ErrNotFound
	}
	page, err := v.source.Calendar(v.r.Context(), year)
	if err != nil {
		return err
	}
	return v.render("calendar", v.text("desk.calendar_of", "year", year), page)
}

// mePage is what a person may choose.
type mePage struct {
	Languages []string
	Sessions  int // of this person; 0: they are known without one
}

func showMe(v *visit) error {
	return v.render("me", v.text("desk.me"), &mePage{people.Languages(), v.c.sessions.Count(v.person.Name)})
}

// choiceLife is how long a browser keeps what a person chose.
const choiceLife = 400 * 24 * time.Hour

// changeMe keeps the language, with the person and in the browser, and there whether single keys are on.
func changeMe(v *visit) error {
	if err := v.r.ParseForm(); err != nil {
		return &badRequest{map[string]string{"form": err.Error()}}
	}
	f := newFields(v.r.PostForm, v.lang)
	language := f.choice("language", people.Languages())
	if err := f.err(); err != nil {
		return err
	}
	keys := "off"
	if f.text("keys") != "" {
		keys = "on"
	}
	chosen := map[string]string{keysCookie: keys}
	if len(language) > 0 {
		chosen[languageCookie] = language[0]
		if v.c.People != nil {
			if err := v.c.People.KeepLanguage(v.person.Name, language[0]); err != nil { // the browser keeps it all the same
				v.c.Log.Warn().Err(err).Str("person", v.person.Name).Msg("the language of a person is not in the file of people")
			}
		}
	}
	for name, value := range chosen {
		http.SetCookie(v.w, &http.Cookie{
			Name: name, Value: value, Path: v.c.Prefix + "/", MaxAge: int(choiceLife / time.Second), HttpOnly: true,
			Secure: v.r.TLS != nil, SameSite: http.SameSiteLaxMode,
		})
	}
	return v.redirect("/me")
}
