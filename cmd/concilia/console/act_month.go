package console

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

func monthActRoutes() []route {
	return []route{
		{pattern: "POST /months/{month}/act", page: "monthact", do: actOnMonth, needs: people.Manager, under: "months"},
	}
}

// MonthAct is what a person asks to do with a month. Accounts of it are those the person sees and chose; none: all.
type MonthAct struct {
	casework.PeriodRequest
	// Wait is how long it waits for accounts that a run holds; 0: without limit.
	Wait time.Duration
	// Seen are the content digests of the revisions that the person was shown, by account: nothing is done if another one is current now.
	Seen map[ledger.Account]string
}

// monthActPage is the preview of closing or reopening a month, and the form that does it.
type monthActPage struct {
	*caseview.PeriodAct
	formState
	Act      string // close or reopen
	Month    ledger.Date
	Account  string
	Total    *view.MonthFigures
	Form     url.Values
	Obstacle string
	Nothing  bool // the month is closed already
	Waits    bool // for a second person
	Back     string
}

// monthVerbs are the words of the form for the acts on a month.
func monthVerbs() map[string]ledger.Verb {
	return map[string]ledger.Verb{"close": ledger.ClosePeriod, "reopen": ledger.ReopenPeriod}
}

// actOnMonth shows what closing or reopening a month would come to, or does it.
func actOnMonth(v *visit) error {
	if v.c.ReadOnly {
		return v.refuseAct("desk.read_only_text")
	}
	if err := v.r.ParseForm(); err != nil {
		return &badRequest{map[string]string{"form": err.Error()}}
	}
	page, act, err := readMonthAct(v)
	var bad *badRequest
	switch {
	case errors.As(err, &bad) && len(bad.fields) == 1 && bad.fields["reason"] != "":
		return showMonthActAgain(v, page, act, formState{Wrong: bad.fields}, err)
	case err != nil:
		return err
	}
	v.c.Log.Info().Str("person", v.person.Name).Str("verb", string(act.Verb)).Str("month", ledger.MonthText(page.Month)).Bool("preview", act.DryRun).Msg("an act on a month")
	if act.DryRun {
		return renderMonthAct(v.r.Context(), v, page, act)
	}
	done, err := doMonthAct(v, act)
	switch {
	case errors.Is(err, errGoesOn):
		return v.redirect(page.Back + "&did=goes_on")
	case errors.Is(err, ErrUnavailable):
		return showMonthActAgain(v, page, act, formState{Busy: true}, err)
	case errors.Is(err, ErrConflict):
		return showMonthActAgain(v, page, act, formState{Refused: v.explainConflict(err)}, err)
	case err != nil:
		return err
	}
	what := "done"
	if slices.ContainsFunc(done.Accounts, func(a caseview.AccountPeriod) bool { return a.Outcome == "proposed" || a.Outcome == "waiting" }) {
		what = "proposed"
	}
	return v.redirect(page.Back + "&did=" + what + "&did-n=" + strconv.Itoa(len(done.Accounts)))
}

// errGoesOn is an act that has not ended in the time that a page waits for it.
var errGoesOn = errors.New("it goes on")

// doMonthAct closes or reopens a month. To close it publishes its set first, which may take minutes: then it goes on without who asked.
// If the program ends meanwhile, nothing is closed.
func doMonthAct(v *visit, act *MonthAct) (*caseview.PeriodAct, error) {
	var done *caseview.PeriodAct
	var err error
	ended := make(chan struct{})
	v.c.acts.Go(func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
			if err != nil {
				v.c.Log.Warn().Str("person", act.Actor).Str("verb", string(act.Verb)).Str("month", ledger.MonthText(act.Month.To)).AnErr("why", err).Msg("nothing was done to a month")
			}
		}()
		done, err = v.source.ActOnMonth(v.c.open, act)
	})
	select {
	case <-ended:
		return done, err
	case <-time.After(v.c.MonthWait):
		return nil, errGoesOn
	}
}

// readMonthAct reads the form of an act on a month.
func readMonthAct(v *visit) (*monthActPage, *MonthAct, error) {
	month, err := ledger.ParseMonth(v.r.PathValue("month"))
	if err != nil {
		return nil, nil, ErrNotFound
	}
	f := newFields(v.r.PostForm, v.lang)
	page := &monthActPage{Act: f.text("verb"), Month: month.From, Account: f.text("account"), Form: v.r.PostForm}
	basis := readBasis(f)
	_, accounts, err := readChosen(v, f)
	if err != nil {
		return nil, nil, err
	}
	act := &MonthAct{Wait: v.c.ActTime, Seen: map[ledger.Account]string{}, PeriodRequest: casework.PeriodRequest{
		Verb: monthVerbs()[page.Act], Month: month, Basis: basis, Accounts: accounts, Actor: v.person.Name, Reason: f.text("reason"), DryRun: f.text("confirm") == "",
	}}
	if act.Verb == "" {
		f.refuse("verb", "desk.unknown_word", "word", page.Act)
	}
	if act.Reason == "" && !act.DryRun {
		f.refuse("reason", "desk.needed")
	}
	for _, a := range v.head.Accounts {
		if seen := f.text("digest-" + a.Number.String()); seen != "" {
			act.Seen[a.Number] = seen
		}
	}
	page.Back = "/months/" + ledger.MonthText(month.From) + "?basis=" + url.QueryEscape(basis)
	if page.Account != "" {
		page.Back += "&account=" + url.QueryEscape(page.Account)
	}
	return page, act, f.err()
}

// showMonthActAgain shows the form of an act that was not done as it was filled, with the month as it is now.
func showMonthActAgain(v *visit, page *monthActPage, act *MonthAct, state formState, why error) error {
	ctx, cancel := context.WithTimeout(v.asked, v.c.QueryTime)
	defer cancel()
	again := *act
	again.DryRun, page.formState = true, state
	if state.Busy {
		v.w.Header().Set("Retry-After", "5")
	}
	if err := renderMonthAct(ctx, v, page, &again); err != nil {
		return fmt.Errorf("%w; %w", why, err)
	}
	return nil
}

// renderMonthAct shows what the act would come to, and the form that does it.
func renderMonthAct(ctx context.Context, v *visit, page *monthActPage, act *MonthAct) error {
	if act.Reason == "" {
		act.Reason = "-" // asked for on the page
	}
	month, err := v.source.Month(ctx, act.Accounts, act.Basis, page.Month)
	if err != nil {
		return err
	}
	page.Total = &month.Total.Now
	page.PeriodAct, err = v.source.ActOnMonth(ctx, act)
	if errors.Is(err, ErrConflict) {
		page.Obstacle, page.PeriodAct, err = v.explainConflict(err), &caseview.PeriodAct{Basis: act.Basis}, nil
	}
	if err != nil {
		return err
	}
	page.Nothing = true
	for _, a := range page.Accounts {
		page.Nothing = page.Nothing && a.Outcome == "standing"
		page.Waits = page.Waits || a.Outcome == "proposed" || a.Outcome == "waiting"
	}
	return v.renderAs(page.statusCode(), "monthact", v.text("desk.preview"), page)
}
