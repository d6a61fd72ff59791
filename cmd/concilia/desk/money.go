package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/export"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/reportset"
	"concilia/jobs/source"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/reports"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// moneyAnswers answer about what is to come, what was claimed, and months.
type moneyAnswers struct{ *access }

// FindLastNight is the last night that ended; nil before the first.
func FindLastNight(ctx context.Context, w *jobs.Worker) (*ledger.Run, error) {
	night, err := w.Ledger.LastRun(ctx, ledger.Nightly)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil, nil
	}
	return night, err
}

// readForecasts are the forecasts that a night kept, by account.
func readForecasts(ctx context.Context, w *jobs.Worker, night *ledger.Run, accounts []ledger.Account) (out []*report.AccountForecast, err error) {
	for _, a := range accounts {
		f, err := source.AccountForecast(ctx, w.Ledger, a, night.ID, night.AsOf, w.Reports.ForecastDays, w.Inputs.Calendar(a))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// Forecast is the cash forecast of the last night, day by day for so many days; nil before the first night.
func (s moneyAnswers) Forecast(ctx context.Context, accounts []ledger.Account, days int) (out *view.CashForecast, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		night, err := FindLastNight(ctx, w)
		if err != nil || night == nil {
			return err
		}
		all, err := readForecasts(ctx, w, night, s.numbers(w, accounts))
		if err != nil {
			return err
		}
		out = view.CashForecastOf(night.AsOf, all, days, w.Reports.ForecastDays)
		out.SlipsKnownTo = night.AsOf + ledger.Date(w.Plan.SlipsDueForward)
		contracts, err := reportset.ReadContracts(ctx, w.Ledger, &w.Inputs, night)
		if err != nil {
			return err
		}
		for _, a := range all {
			if _, ok := contracts.FindContract(a.Account, night.AsOf); !ok && hasSlipsDue(a) {
				out.WithoutContract = append(out.WithoutContract, a.Account)
			}
		}
		return nil
	})
}

// hasSlipsDue says whether a forecast has slips that fall due.
func hasSlipsDue(f *report.AccountForecast) bool {
	return slices.ContainsFunc(f.Sums, func(s ledger.ForecastSum) bool { return s.Kind == ledger.ForecastSlipsDue && s.Printed != 0 })
}

// addCash adds what was received, falls due and is blocked, over all and by account.
func addCash(ctx context.Context, w *jobs.Worker, night *ledger.Run, out *caseview.Today) error {
	var all []*report.AccountForecast
	for i := range out.Accounts {
		row := &out.Accounts[i]
		one, err := readForecasts(ctx, w, night, []ledger.Account{row.Account})
		if err != nil {
			return err
		}
		all = append(all, one...)
		f := view.CashForecastOf(night.AsOf, one, w.Reports.ForecastDays, w.Reports.ForecastDays)
		row.Received, row.DueToday = f.Received, f.On(night.AsOf).Expected
	}
	out.Cash = view.CashForecastOf(night.AsOf, all, w.Reports.ForecastDays, w.Reports.ForecastDays)
	return nil
}

// Claims are the claims with what came of them.
func (s moneyAnswers) Claims(ctx context.Context, accounts []ledger.Account, states []casework.ClaimState, lang string) (out *caseview.Claims, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		claims, err := casework.ListClaims(ctx, w.Ledger, casework.ClaimFilter{Accounts: s.numbers(w, accounts), States: states}, wire.VoiceOf(w, lang))
		out = caseview.ClaimsOf(claims, lang)
		return err
	})
}

// readMonthLines are the months on a basis as the last night left them; none before the first.
func (s moneyAnswers) readMonthLines(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, basis string) (out []ledger.MonthLine, err error) {
	night, err := FindLastNight(ctx, w)
	if err != nil || night == nil {
		return nil, err
	}
	for _, a := range s.numbers(w, accounts) {
		lines, err := w.Ledger.MonthLines(ctx, a, night.ID, ledger.Period{})
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(lines, func(l ledger.MonthLine) bool { return l.Basis != basis })...)
	}
	return out, nil
}

// readMonthVerdicts are the worst verdicts of months by their first days, as the last revisions of their sets say.
func (s moneyAnswers) readMonthVerdicts(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, basis string) (map[ledger.Date]ledger.Verdict, error) {
	out := map[ledger.Date]ledger.Verdict{}
	for _, a := range s.numbers(w, accounts) {
		sets, err := w.Ledger.SetsOnBasis(ctx, a.String(), basis)
		if err != nil {
			return nil, err
		}
		// The last day and the last revision come first. The set of a month that is not covered from its first day is the longest one.
		months := map[ledger.Date]*published.Set{}
		for _, set := range sets {
			month := set.Period.To.MonthStart()
			if set.Period.To != month.MonthEnd() || set.Period.From < month {
				continue
			}
			if known := months[month]; known == nil || set.Period.From < known.Period.From {
				months[month] = set
			}
		}
		for month, set := range months {
			out[month] = out[month].Worse(ledger.Verdict(set.Tables[export.FingerprintVerdict]))
		}
	}
	return out, nil
}

// Months are the months on a basis, latest first.
func (s moneyAnswers) Months(ctx context.Context, accounts []ledger.Account, basis string) (out []view.MonthTotal, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		lines, err := s.readMonthLines(ctx, w, accounts, basis)
		if err != nil {
			return err
		}
		closes, err := w.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{Accounts: s.numbers(w, accounts), InForce: true})
		if err != nil {
			return err
		}
		out = view.MonthTotalsOf(lines, basis, closes)
		verdicts, err := s.readMonthVerdicts(ctx, w, accounts, basis)
		for i := range out {
			out[i].Verdict = verdicts[out[i].Month]
		}
		return err
	})
}

// Month is a month on a basis, by account and line, with the month before.
func (s moneyAnswers) Month(ctx context.Context, accounts []ledger.Account, basis string, month ledger.Date) (out *view.MonthPage, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		lines, err := s.readMonthLines(ctx, w, accounts, basis)
		if err != nil {
			return err
		}
		complete := map[bool]map[ledger.Account]map[string]bool{} // of the month before, or this one
		for _, before := range []bool{false, true} {
			first := month
			if before {
				first = (month - 1).MonthStart()
			}
			if complete[before], err = s.completeSides(ctx, w, accounts, first); err != nil {
				return err
			}
		}
		overview := s.overview(w, accounts)
		name := func(a ledger.Account) string {
			for i := range overview.Accounts {
				if overview.Accounts[i].Number == a {
					return overview.Accounts[i].Name
				}
			}
			return ""
		}
		out = view.MonthPageOf(month, lines, name, func(a ledger.Account, side string) bool { return complete[true][a][side] })
		if !slices.ContainsFunc(lines, func(l ledger.MonthLine) bool { return l.Month == month }) {
			return console.ErrNotFound
		}
		out.Basis = basis
		for i := range out.Rows {
			out.Incomplete = out.Incomplete || !complete[false][out.Rows[i].Account][out.Rows[i].Side]
		}
		if out.Closes, err = readMonthCloses(ctx, w, s.numbers(w, accounts), basis, month); err != nil {
			return err
		}
		if out.Changed, err = readMonthChanges(ctx, w, out.Closes, basis, month); err != nil {
			return err
		}
		verdicts, err := s.readMonthVerdicts(ctx, w, accounts, basis)
		out.Verdict = verdicts[month]
		return err
	})
}

// ActOnMonth closes or reopens a month, or shows what that would come to.
func (s moneyAnswers) ActOnMonth(ctx context.Context, act *console.MonthAct) (out *caseview.PeriodAct, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		req := act.PeriodRequest
		if len(req.Accounts) == 0 {
			req.Accounts = s.numbers(w, nil)
		}
		handler := &casework.Handler{
			Ledger: w.Ledger, FourEyes: s.config.FourEyes, Today: ledger.DateOf(w.Now(), w.Zone), Wall: s.proc.Wall, Person: req.Actor,
			PublishMonths: wire.MonthPublisher(s.proc, s.config), MonthWait: act.Wait,
		}
		handler.Host, _ = os.Hostname() // a machine without a name acts, too
		change := func(dry bool) error {
			req.DryRun = dry
			summary, err := handler.ChangePeriod(ctx, req)
			var refused *casework.RequestError
			if errors.As(err, &refused) {
				return fmt.Errorf("%w: %w", console.ErrConflict, refused)
			}
			var held *runs.LockedError
			if errors.Is(err, casework.ErrMonthHeld) || errors.As(err, &held) {
				return fmt.Errorf("%w: %w", console.ErrUnavailable, err)
			}
			if errors.Is(err, casework.ErrUnpublished) && !w.Ledger.IsTransient(err) && !exit.IsUnavailable(err) {
				return fmt.Errorf("%w: %w", console.ErrConflict, casework.NewObstacleError(words.Message{}, []casework.Obstacle{{Message: "unpublished", Values: []any{"why", err}}}, words.Message{}))
			}
			if err == nil {
				out = caseview.PeriodActOf(summary)
			}
			return err
		}
		if err := change(true); err != nil || act.DryRun {
			return err
		}
		for i := range out.Accounts {
			if a := &out.Accounts[i]; act.Seen[a.Account] != a.Digest {
				return fmt.Errorf("%w: %w", console.ErrConflict, casework.NewObstacleError(words.Message{}, []casework.Obstacle{{Message: "another_revision", Values: []any{"account", a.Account}}}, words.Message{}))
			}
		}
		return change(false)
	})
}

// completeSides says of which accounts every day of the month is complete, by the side: cards, slips.
func (s moneyAnswers) completeSides(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, month ledger.Date) (map[ledger.Account]map[string]bool, error) {
	period := ledger.Period{From: month, To: (month + 31).MonthStart() - 1}
	out := map[ledger.Account]map[string]bool{}
	for _, a := range s.numbers(w, accounts) {
		out[a] = map[string]bool{}
		for side, sources := range map[string][]ledger.Source{"cards": {ledger.Cards}, "slips": ledger.SlipLists()} {
			all, err := s.overview(w, []ledger.Account{a}).ReadCoverage(ctx, ledger.DateOf(w.Now(), w.Zone), period, sources)
			var none *casework.RequestError
			if err != nil && !errors.As(err, &none) {
				return nil, err
			}
			out[a][side] = len(all) > 0
			for i := range all {
				out[a][side] = out[a][side] && all[i].Complete == period.Days()
			}
		}
	}
	return out, nil
}

// readMonthChanges reads what changed in a month since it was closed.
func readMonthChanges(ctx context.Context, w *jobs.Worker, closes []view.MonthClose, basis string, month ledger.Date) (view.MonthChanges, error) {
	var all []ledger.Restatement
	for i := range closes {
		q := reports.Query{Account: closes[i].Account, Basis: basis, Period: ledger.Period{From: month, To: (month + 31).MonthStart() - 1}}
		err := w.Ledger.Restatements(ctx, q, func(r *ledger.Restatement) error {
			all = append(all, *r)
			return nil
		})
		if err != nil {
			return view.MonthChanges{}, err
		}
	}
	return view.MonthChangesOf(all), nil
}

// readMonthCloses reads who closed the month.
func readMonthCloses(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, basis string, month ledger.Date) (out []view.MonthClose, err error) {
	closes, err := w.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{Accounts: accounts, Basis: basis, InForce: true})
	if err != nil {
		return nil, err
	}
	acts, err := w.Ledger.Acts(ctx, caselog.ActFilter{Accounts: accounts, Verbs: []ledger.Verb{ledger.ClosePeriod}})
	for i := range closes {
		c := &closes[i]
		if c.Period.To.MonthStart() != month { // it may begin in the middle of it
			continue
		}
		for k := range acts {
			if a := &acts[k]; a.Account == c.Account && a.Number == c.Act {
				out = append(out, view.MonthClose{Account: c.Account, Actor: a.Actor, On: view.Instant{Time: a.At}, Revision: c.Revision})
			}
		}
	}
	return out, err
}
