package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// caseAnswers answer about the first page, cases, and acts on them.
type caseAnswers struct{ *access }

// Cases are a part of the cases that a filter selects, with the figures of all of them.
func (s caseAnswers) Cases(ctx context.Context, f *console.CaseFilter, lang string) (list *caseview.CaseList, err error) {
	list = &caseview.CaseList{}
	return list, s.ask(ctx, func(w *jobs.Worker) error {
		claims, err := ClaimsByCase(ctx, w.Ledger, f.Accounts, wire.VoiceOf(w, lang))
		if err != nil {
			return err
		}
		sums, err := NewFigureSums(ctx, w.Ledger, s.numbers(w, f.Accounts))
		if err != nil {
			return err
		}
		var opened map[string]reports.CaseChange
		if f.New {
			if opened, _, err = NewCases(ctx, w.Ledger, s.numbers(w, f.Accounts)); err != nil {
				return err
			}
		}
		today := ledger.DateOf(w.Now(), w.Zone)
		err = w.Ledger.Findings(ctx, findingFilter(f, today), func(c *ledger.Finding) error {
			if _, isNew := opened[c.Case]; f.New && !isNew || !MatchesFilter(f, c, claims[c.Case]) {
				return nil
			}
			list.Count++
			if err := sums.Add(c); err != nil {
				return err
			}
			switch {
			case len(list.Rows) < f.Limit:
				list.Rows = append(list.Rows, caseview.CaseRowOf(c, wire.VoiceOf(w, lang), sums.days[c.Account]))
			case list.Next == "" && len(list.Rows) > 0:
				list.Next = list.Rows[len(list.Rows)-1].Case.Case
			}
			if c.Case == f.After { // else it has left the list since, and the list begins again
				list.Rows, list.Next = nil, ""
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := nameSlips(ctx, w, list.Rows); err != nil {
			return err
		}
		list.Figures = sums.Figures
		if list.Count > 0 {
			return nil
		}
		return w.Ledger.Findings(ctx, caselog.FindingFilter{Accounts: f.Accounts, States: ledger.UnresolvedStates()}, func(*ledger.Finding) error {
			list.Hidden++
			return nil
		})
	})
}

// findingFilter is what the ledger itself can choose by.
func findingFilter(f *console.CaseFilter, today ledger.Date) caselog.FindingFilter {
	out := caselog.FindingFilter{
		Accounts: f.Accounts, Codes: f.Codes, Severities: f.Severities, States: f.States, Brands: f.Brands, MinImpact: f.MinImpact,
		Order: caselog.FindingOrder(cmp.Or(f.Sort, string(caselog.ByImpact))),
	}
	for _, p := range f.Products {
		out.Products = append(out.Products, ledger.Product(p))
	}
	if len(out.States) == 0 {
		out.States = ledger.UnresolvedStates()
	}
	if f.Age > 0 {
		out.OpenedBy = today - ledger.Date(f.Age)
	}
	return out
}

// MatchesFilter is the rest of the filter; claim is nil of a case that was never claimed.
func MatchesFilter(f *console.CaseFilter, c *ledger.Finding, claim *casework.Claim) bool {
	row := caseview.CaseRowOf(c, catalogue.Voice{}, 0)
	same := func(want, have string) bool { return want == "" || strings.EqualFold(want, have) }
	assigned := same(f.Assignee, c.Assignee)
	if f.Assignee == "none" {
		assigned = c.Assignee == ""
	}
	if f.Owner != "" && catalogue.OwnerKey(c) != f.Owner || f.Claimed && claim == nil || f.MaxImpact.OK && c.Impact.V.Abs() > f.MaxImpact.V {
		return false
	}
	if f.Amount.OK && c.Impact.V.Abs().Rounded(ledger.HalfAwayFromZero) != f.Amount.V.Rounded(ledger.HalfAwayFromZero) {
		return false
	}
	if f.FollowUp != 0 && (claim == nil || c.State != ledger.Disputed || claim.FollowUp == 0 || claim.FollowUp > f.FollowUp) {
		return false
	}
	if kind, _, _ := strings.Cut(c.Subject, ":"); len(f.Kinds) > 0 && !slices.Contains(f.Kinds, kind) {
		return false
	}
	return assigned && same(f.Reference, c.Reference) && same(f.NSU, row.NSU) && same(f.Auth, row.Auth) &&
		(f.DueFrom == 0 || c.DueOn >= f.DueFrom) && (f.DueTo == 0 || c.DueOn != 0 && c.DueOn <= f.DueTo)
}

// NewCases are the cases of accounts that opened since the night before the last, by id, and those that data resolved since then.
func NewCases(ctx context.Context, l *store.Ledger, accounts []ledger.Account) (opened, resolved map[string]reports.CaseChange, err error) {
	opened, resolved = map[string]reports.CaseChange{}, map[string]reports.CaseChange{}
	night, err := l.LastRun(ctx, ledger.Nightly)
	if errors.Is(err, sqldb.ErrNotFound) {
		return opened, resolved, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, a := range accounts {
		err := l.CaseChanges(ctx, a, night.Previous, night.ID, func(c *reports.CaseChange) error {
			stood, stands := c.Before.IsUnresolved(), c.After.IsUnresolved()
			switch {
			case !stood && stands:
				opened[c.Case] = *c
			case stood && c.After == ledger.Resolved:
				resolved[c.Case] = *c
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return opened, resolved, nil
}

// Case is everything about a case.
func (s caseAnswers) Case(ctx context.Context, id, lang string) (out *caseview.Explanation, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		page, err := wire.NewExplainer(w).ExplainCase(ctx, id, lang)
		if err != nil {
			return err
		}
		out = &caseview.Explanation{CasePage: page, Zone: w.Zone}
		return nil
	})
}

// The most rows that the first page shows.
const (
	newCasesShown = 10
	causesShown   = 5
	monthsShown   = 6
)

// Today is the first page.
func (s caseAnswers) Today(ctx context.Context, accounts []ledger.Account, lang string) (out *caseview.Today, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		overview := s.overview(w, accounts)
		status, err := overview.ReadStatus(ctx)
		if err != nil {
			return err
		}
		out = &caseview.Today{Status: runview.StatusOf(status, nil, w.Zone), Figures: status.Figures}
		for _, set := range status.Outbox {
			out.FilesWait += len(set.Files)
		}
		night := status.LastNightly
		if night == nil {
			return nil
		}
		out.AsOf = night.AsOf
		for _, a := range overview.Accounts {
			row := caseview.TodayAccount{Account: a.Number, Name: a.Name, Verdict: night.Verdicts[a.Number]}
			if row.Figures, err = w.Ledger.Figures(ctx, []ledger.Account{a.Number}, ""); err != nil {
				return err
			}
			row.AddCoverage(status.Coverage)
			out.Accounts = append(out.Accounts, row)
		}
		if out.Verdict = night.Verdict; len(accounts) > 0 {
			out.Verdict = worstVerdict(out.Accounts)
		}
		if err := addCash(ctx, w, night, out); err != nil {
			return err
		}
		if err := addLeftOut(ctx, w, night, out); err != nil {
			return err
		}
		claims, err := casework.ListClaims(ctx, w.Ledger, casework.ClaimFilter{Accounts: s.numbers(w, accounts)}, wire.VoiceOf(w, lang))
		if err != nil {
			return err
		}
		out.FollowUps = caseview.ClaimsOf(claims, lang).DueBy(night.AsOf)
		if err := addChanges(ctx, w, s.numbers(w, accounts), night, out, lang); err != nil {
			return err
		}
		if out.ActsSince, err = countActsSince(ctx, w, s.numbers(w, accounts), status.LastNightly); err != nil {
			return err
		}
		months := moneyAnswers(s)
		if out.Months, err = months.Months(ctx, accounts, string(report.ByOperation)); err != nil {
			return err
		}
		out.Months = slices.DeleteFunc(out.Months, func(m view.MonthTotal) bool { return m.Verdict == "" })
		out.Months = out.Months[:min(len(out.Months), monthsShown)]
		return addCauses(ctx, w, accounts, out, lang)
	})
}

// countActsSince counts what people did to cases and months since a night judged the accounts.
func countActsSince(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, night *ledger.Run) (n int, err error) {
	verbs := append(ledger.CaseVerbs(), ledger.ClosePeriod, ledger.ReopenPeriod)
	acts, err := w.Ledger.Acts(ctx, caselog.ActFilter{Accounts: accounts, Verbs: verbs, Since: night.Began})
	for i := range acts {
		if acts[i].Stage == ledger.Done && acts[i].Run >= night.ID {
			n++
		}
	}
	return n, err
}

// worstVerdict is that of the accounts that a person may see.
func worstVerdict(all []caseview.TodayAccount) (worst ledger.Verdict) {
	for i := range all {
		worst = worst.Worse(all[i].Verdict)
	}
	return worst
}

// addChanges adds the cases that opened or were resolved since the night before.
func addChanges(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, night *ledger.Run, out *caseview.Today, lang string) error {
	if night.Previous != "" {
		run, err := w.Ledger.RunByID(ctx, night.Previous)
		if err != nil {
			return err
		}
		out.Since = run.AsOf
	}
	fresh, resolved, err := NewCases(ctx, w.Ledger, accounts)
	if err != nil {
		return err
	}
	for _, c := range resolved {
		out.Resolved.Cases++
		out.Resolved.Amount += c.ImpactBefore.V
	}
	opened := slices.SortedFunc(maps.Values(fresh), func(a, b reports.CaseChange) int {
		return cmp.Or(cmp.Compare(b.Impact.V, a.Impact.V), cmp.Compare(a.Case, b.Case))
	})
	for _, c := range opened {
		out.Opened.Cases++
		out.Opened.Amount += c.Impact.V
	}
	for _, c := range opened[:min(len(opened), newCasesShown)] {
		f, err := w.Ledger.FindingByCase(ctx, c.Case)
		if err != nil {
			return err
		}
		out.Opened.Rows = append(out.Opened.Rows, caseview.CaseRowOf(f, wire.VoiceOf(w, lang), night.AsOf))
	}
	return nameSlips(ctx, w, out.Opened.Rows)
}

// nameSlips gives the slips of rows the reference or nosso número by which people know them.
func nameSlips(ctx context.Context, w *jobs.Worker, rows []caseview.CaseRow) error {
	ids := map[ledger.Account][]string{}
	for i := range rows {
		if row := &rows[i]; row.Slip != "" {
			ids[row.Account] = append(ids[row.Account], row.Slip)
		}
	}
	names, err := readSlipNames(ctx, w, ids)
	for i := range rows {
		rows[i].SlipName = names[rows[i].Slip]
	}
	return err
}

// readSlipNames are the references or nossos números of slips, by their ids.
func readSlipNames(ctx context.Context, w *jobs.Worker, ids map[ledger.Account][]string) (map[string]string, error) {
	names := map[string]string{}
	for account, of := range ids {
		err := w.Ledger.SlipsInScope(ctx, account, &ledger.Scope{Slips: of}, func(s *ledger.Slip) error {
			names[s.ID] = cmp.Or(s.ReferenceCode, s.OurNumber)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// namesOfSlips are the names of those slips that are among subjects.
func namesOfSlips(ctx context.Context, w *jobs.Worker, subjects []string) (map[string]string, error) {
	ids := map[ledger.Account][]string{}
	for _, text := range subjects {
		if s, ok := ledger.ParseSubject(text); ok && s.Kind == "slip" && len(s.Parts) == 1 {
			ids[s.Account] = append(ids[s.Account], s.Parts[0])
		}
	}
	return readSlipNames(ctx, w, ids)
}

// addCauses adds the codes whose cases weigh most in the figures of what is missing, at risk or claimed, with what is to be done about
// them.
func addCauses(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, out *caseview.Today, lang string) error {
	causes := map[string]*caseview.TodayCause{}
	err := w.Ledger.Findings(ctx, caselog.UnresolvedCases("", accounts...), func(f *ledger.Finding) error {
		switch f.Figure(0) { // whether it is due yet does not matter here
		case "", ledger.FigureExcess, ledger.FigureWaived:
			return nil
		}
		of := causes[f.Code]
		if of == nil {
			of = &caseview.TodayCause{Code: f.Code, Title: catalogue.Title(f.Code, lang)}
			if plain, ok := wire.VoiceOf(w, lang).PlainWords(f.Code); ok {
				of.Owner, of.Next = plain.Owner, plain.Next
			}
			causes[f.Code] = of
		}
		if of.Cases++; of.Cases == 1 {
			of.Case = f.Case
		} else {
			of.Case = ""
		}
		of.Amount += f.Impact.V.Rounded(ledger.HalfAwayFromZero)
		return nil
	})
	for _, of := range causes {
		out.Causes = append(out.Causes, *of)
	}
	slices.SortFunc(out.Causes, func(a, b caseview.TodayCause) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Code, b.Code))
	})
	out.Causes = out.Causes[:min(len(out.Causes), causesShown)]
	return err
}

// Act carries an act out, or shows what it would come to. The cases come back as they are in any case but for an unknown one.
func (s caseAnswers) Act(ctx context.Context, act *console.CaseAct, lang string) (out *console.ActResult, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		out = &console.ActResult{Versions: map[string]string{}, CaseAct: &caseview.CaseAct{ActSummary: &casework.ActSummary{Verb: act.Verb}}}
		err := w.Ledger.Findings(ctx, caselog.FindingFilter{Cases: act.Cases, Order: caselog.ByImpact}, func(f *ledger.Finding) error {
			if len(act.Accounts) > 0 && !slices.Contains(act.Accounts, f.Account) {
				return console.ErrNotFound
			}
			out.Rows = append(out.Rows, caseview.CaseRowOf(f, wire.VoiceOf(w, lang), ledger.DateOf(w.Now(), w.Zone)))
			out.Versions[f.Case] = casework.VersionOf(f)
			return nil
		})
		if err != nil {
			return err
		}
		if len(out.Rows) != len(act.Cases) {
			return console.ErrNotFound
		}
		if err := nameSlips(ctx, w, out.Rows); err != nil {
			return err
		}
		days, err := wire.CalendarOf(s.config, nil)
		if err != nil {
			return err
		}
		handler := &casework.Handler{
			Ledger: w.Ledger, Service: s.config.Service.Name, Calendar: days, FourEyes: s.config.FourEyes,
			Today: ledger.DateOf(w.Now(), w.Zone), Wall: s.proc.Wall,
			// The person who signed in is recorded, not the user of the operating system, who only runs the console.
			Person: act.Actor,
		}
		handler.Host, _ = os.Hostname() // a machine without a name acts, too
		summary, err := handler.ActOnCases(ctx, act.ActRequest)
		var refused *casework.RequestError
		if errors.As(err, &refused) {
			return explainRefusal(ctx, w.Ledger, act, refused)
		}
		if err != nil {
			return err
		}
		out.CaseAct = caseview.CaseActOf(summary)
		return nil
	})
}

// explainRefusal returns console.ErrDone if the cases are as the act would leave them: the same form was sent before, or to another console
// at the same time, which is why they are read after the refusal.
func explainRefusal(ctx context.Context, l *store.Ledger, act *console.CaseAct, refused *casework.RequestError) error {
	isDone := act.Verb != ledger.Assign
	err := l.Findings(ctx, caselog.FindingFilter{Cases: act.Cases}, func(f *ledger.Finding) error {
		isDone = isDone && f.State == act.Verb.ResultState("")
		return nil
	})
	switch {
	case err != nil:
		return err
	case isDone:
		return console.ErrDone
	default:
		return fmt.Errorf("%w: %w", console.ErrConflict, refused)
	}
}

// Proposals are the acts that wait for a second person.
func (s caseAnswers) Proposals(ctx context.Context, accounts []ledger.Account) (out []casework.Proposal, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		out, err = (&casework.Handler{Ledger: w.Ledger, FourEyes: s.config.FourEyes, Wall: s.proc.Wall}).WaitingProposals(ctx, accounts)
		return err
	})
}
