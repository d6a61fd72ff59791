package console

import (
	"context"
	"slices"
	"strconv"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// MoneySource answers about what is to come, what was claimed, and months.
type MoneySource interface {
	// Forecast is the cash forecast of the last night, day by day for so many calendar days; nil before the first night.
	Forecast(ctx context.Context, accounts []ledger.Account, days int) (*view.CashForecast, error)
	// Claims are what was claimed and what came of it; states narrow them, none is all.
	Claims(ctx context.Context, accounts []ledger.Account, states []casework.ClaimState, lang string) (*caseview.Claims, error)
	// Months are the months on a basis as the last night left them, and Month is one of them by account and line.
	Months(ctx context.Context, accounts []ledger.Account, basis string) ([]view.MonthTotal, error)
	Month(ctx context.Context, accounts []ledger.Account, basis string, month ledger.Date) (*view.MonthPage, error)
	// ActOnMonth closes or reopens a month of every account or of none, or shows what that would come to.
	ActOnMonth(ctx context.Context, act *MonthAct) (*caseview.PeriodAct, error)
}

func moneyRoutes() []route {
	return []route{
		{pattern: "GET /forecast", page: "forecast", do: showForecast, menu: "desk.forecast_menu"},
		{pattern: "GET /months", page: "months", do: showMonths, menu: "desk.months"},
		{pattern: "GET /months/{month}", page: "month", do: showMonth, under: "months"},
		{pattern: "GET /claims", page: "claims", do: showClaims, menu: "desk.claims"},
	}
}

// chosen is what the forms over these pages choose.
type chosen struct {
	Accounts []AccountName // that the person sees
	Account  string        // empty: all of them
}

// readChosen reads the account of a query, and gives those that the page is about.
func readChosen(v *visit, f *fields) (chosen, []ledger.Account, error) {
	accounts, err := readAccounts(v, f)
	out := chosen{Account: f.text("account")}
	for _, a := range v.head.Accounts {
		if v.maySee(a.Number.String()) {
			out.Accounts = append(out.Accounts, a)
		}
	}
	return out, accounts, err
}

// finishFields is readChosen for a page that has read its other fields: all mistakes of the query come back at once.
func finishFields(v *visit, f *fields) (chosen, []ledger.Account, error) {
	out, accounts, err := readChosen(v, f)
	if err == nil {
		err = f.err()
	}
	return out, accounts, err
}

// forecastPage is the cash forecast.
type forecastPage struct {
	chosen
	*view.CashForecast
	Span  int
	Spans []int
}

// forecastSpans are the calendar days that the page can show.
var forecastSpans = []int{30, 60, 90}

func showForecast(v *visit) error {
	f := newFields(v.r.URL.Query(), v.lang)
	page := &forecastPage{Span: forecastSpans[0], Spans: forecastSpans}
	if days := f.choice("days", []string{"30", "60", "90"}); len(days) > 0 {
		page.Span, _ = strconv.Atoi(days[0]) // a word that is none of these was refused
	}
	var accounts []ledger.Account
	var err error
	if page.chosen, accounts, err = finishFields(v, f); err != nil {
		return err
	}
	if page.CashForecast, err = v.source.Forecast(v.r.Context(), accounts, page.Span); err != nil {
		return err
	}
	return v.render("forecast", v.text("desk.forecast"), page)
}

// claimsPage is what was claimed and what came of it.
type claimsPage struct {
	chosen
	*caseview.Claims
	State  string
	States []casework.ClaimState
}

func showClaims(v *visit) error {
	f := newFields(v.r.URL.Query(), v.lang)
	page := &claimsPage{State: f.text("state"), States: casework.ClaimStates()}
	var states []casework.ClaimState
	if state := casework.ClaimState(page.State); slices.Contains(page.States, state) {
		states = append(states, state)
	} else if page.State != "" {
		f.refuse("state", "desk.unknown_word", "word", page.State)
	}
	var accounts []ledger.Account
	var err error
	if page.chosen, accounts, err = finishFields(v, f); err != nil {
		return err
	}
	if page.Claims, err = v.source.Claims(v.r.Context(), accounts, states, v.lang); err != nil {
		return err
	}
	return v.render("claims", v.text("desk.claims"), page)
}

// monthBases are the bases that months are kept by; the first is the default.
func monthBases() []string { return []string{"operation", "credit"} }

// monthsPage is the list of months.
type monthsPage struct {
	chosen
	Months []view.MonthTotal
	Basis  string
	Bases  []string
}

// AnyClosed reports whether a month of the list is closed on some basis.
func (p *monthsPage) AnyClosed() bool {
	return slices.ContainsFunc(p.Months, func(m view.MonthTotal) bool { return m.Closed > 0 || len(m.ClosedOtherwise) > 0 })
}

// readBasis is the basis of a query.
func readBasis(f *fields) string {
	if basis := f.choice("basis", monthBases()); len(basis) > 0 {
		return basis[0]
	}
	return monthBases()[0]
}

func showMonths(v *visit) error {
	f := newFields(v.r.URL.Query(), v.lang)
	page := &monthsPage{Basis: readBasis(f), Bases: monthBases()}
	var accounts []ledger.Account
	var err error
	if page.chosen, accounts, err = finishFields(v, f); err != nil {
		return err
	}
	if page.Months, err = v.source.Months(v.r.Context(), accounts, page.Basis); err != nil {
		return err
	}
	return v.render("months", v.text("desk.months"), page)
}

// monthPage is one month.
type monthPage struct {
	chosen
	*view.MonthPage
	Bases      []string
	Closable   bool // an account's month is open, and has ended
	Reopenable bool
	Did        string
}

// LastDay is the last day of the month.
func (p *monthPage) LastDay() ledger.Date { return (p.Month + 31).MonthStart() - 1 }

// changesShown is how many changes of a closed month the page lists.
const changesShown = 100

// ChangesShown are the changes that the page lists.
func (p *monthPage) ChangesShown() []view.MonthChange {
	return p.Changed.Items[:min(len(p.Changed.Items), changesShown)]
}

func showMonth(v *visit) error {
	month, err := ledger.ParseDate(v.r.PathValue("month") + "-01")
	if err != nil {
		return ErrNotFound
	}
	f := newFields(v.r.URL.Query(), v.lang)
	page := &monthPage{Bases: monthBases()}
	basis := readBasis(f)
	var accounts []ledger.Account
	if page.chosen, accounts, err = finishFields(v, f); err != nil {
		return err
	}
	if page.MonthPage, err = v.source.Month(v.r.Context(), accounts, basis, month); err != nil {
		return err
	}
	shown := map[ledger.Account]bool{}
	for i := range page.Rows {
		shown[page.Rows[i].Account] = true
	}
	if v.mayAct() && v.person.Role.Includes(people.Manager) {
		page.Closable, page.Reopenable = len(page.Closes) < len(shown) && (month+31).MonthStart() <= v.head.AsOf, len(page.Closes) > 0
	}
	page.Did = spellMonthDone(v)
	return v.render("month", v.text("desk.month_of", "month", spellMonth(month, v.lang)), page)
}

// spellMonthDone is what the page before says that was done to the month.
func spellMonthDone(v *visit) string {
	n, _ := strconv.Atoi(v.r.URL.Query().Get("did-n"))
	switch what := v.r.URL.Query().Get("did"); what {
	case "goes_on":
		return v.text("desk.month_act_goes_on")
	case "done", "proposed":
		return v.text("desk.month_act_"+what, "n", max(n, 1))
	}
	return ""
}
