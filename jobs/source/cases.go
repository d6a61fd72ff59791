package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// StateSet is what the feed of a state set knows beyond a period's.
type StateSet struct {
	AsOf  ledger.Date // the day whose state it is
	Since string      // the run of the state set before; empty: none
	Voice catalogue.Voice
	// ForecastDays is how many calendar days the forecast covers.
	ForecastDays int
	// Claims reads the claims of an account as of a run, in order of their day and case.
	Claims func(ctx context.Context, a ledger.Account, run string) ([]report.Claim, error)
	// Mapping and NetOfSplits are how the rows of an agenda are read beyond what was kept of them.
	Mapping     *agreements.Mapping
	NetOfSplits bool
}

// isAnticipated says whether a received type, as sent, is one of the anticipated.
func (s *StateSet) isAnticipated(sent string) bool {
	kind, _ := s.Mapping.ReceivedType(sent)
	return kind == ledger.Anticipated
}

// forEachState runs fn once per account with that account's state query.
func (f *ReportSource) forEachState(fn func(reports.StateQuery) error) error {
	if f.State == nil {
		return fmt.Errorf("basis %s has no state to tell of", f.Query.Basis)
	}
	return f.forEachAccount(func(q reports.Query) error {
		return fn(reports.StateQuery{
			Account: q.Account, AsOf: f.State.AsOf, AsOfRun: f.Query.AsOfRun, Since: f.State.Since, Brands: q.Brands,
		})
	})
}

// Cases and NotDue are the parts of report.RowSource that only state sets ask for.
func (f *ReportSource) Cases(ctx context.Context, yield func(*report.Case) error) error {
	return f.forEachState(func(q reports.StateQuery) error {
		slips, err := f.slipsOfCases(ctx, q)
		if err != nil {
			return err
		}
		claims, err := f.State.Claims(ctx, q.Account, q.AsOfRun)
		if err != nil {
			return err
		}
		return f.Ledger.StateCases(ctx, q, func(found *ledger.Finding) error {
			c, err := f.caseOf(ctx, found)
			if err != nil {
				return err
			}
			if id, ok := slipOfSubject(found.Subject); ok && slips[id].Slip != nil {
				c.OurNumber, c.ReferenceCode = slips[id].OurNumber, slips[id].ReferenceCode
			}
			if i := slices.IndexFunc(claims, func(claim report.Claim) bool { return claim.Case == c.Case }); i >= 0 {
				c.FollowUp, c.Claimed = claims[i].FollowUp, ledger.Some(claims[i].Claimed)
			}
			return yield(c)
		})
	})
}

// Claims is the part of report.RowSource that only recoveries ask for.
func (f *ReportSource) Claims(ctx context.Context, yield func(*report.Claim) error) error {
	return f.forEachState(func(q reports.StateQuery) error {
		claims, err := f.State.Claims(ctx, q.Account, q.AsOfRun)
		for i := 0; i < len(claims) && err == nil; i++ {
			if len(q.Brands) == 0 || slices.Contains(q.Brands, claims[i].Brand) {
				err = yield(&claims[i])
			}
		}
		return err
	})
}

// slipsOfCases reads the slips that cases of a state set are about, all at once: one by one each would be read with what lists
// showed of the whole account.
func (f *ReportSource) slipsOfCases(ctx context.Context, q reports.StateQuery) (map[string]reports.ReportedSlip, error) {
	var ids []string
	err := f.Ledger.StateCases(ctx, q, func(found *ledger.Finding) error {
		if id, ok := slipOfSubject(found.Subject); ok {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return f.Ledger.SlipsAsOf(ctx, q.Account, q.AsOfRun, slices.Compact(ids))
}

// slipOfSubject returns the id of the slip that a subject is about.
func slipOfSubject(subject string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(subject, "slip:")
	if !ok {
		return "", false
	}
	_, id, ok = strings.Cut(rest, ":")
	return id, ok
}

func (f *ReportSource) caseOf(ctx context.Context, found *ledger.Finding) (*report.Case, error) {
	c := &report.Case{Finding: *found, Explanation: f.State.Voice.Explain(*found)}
	if found.OpenedOn != 0 {
		c.Days = ledger.Some(int64(max(0, f.State.AsOf-found.OpenedOn)))
		c.BusinessDays = ledger.Some(f.businessDays(found.Account, found.OpenedOn))
	}
	if kind := agingKindOf(found); kind != "" {
		due, err := ledger.ParseDate(found.Number(dueNumberOf(found)))
		if err != nil {
			return nil, fmt.Errorf("case %s: the day it was due: %w", found.Case, err)
		}
		c.AgingEntries = append(c.AgingEntries, f.waitSince(found, kind, due))
	}
	if found.State == ledger.Disputed {
		since, err := f.Ledger.DisputedOn(ctx, found.Case, f.Query.AsOfRun)
		if err != nil {
			return nil, err
		}
		c.AgingEntries = append(c.AgingEntries, f.waitSince(found, asof.DisputeOpen, since))
	}
	return c, nil
}

// agingKindOf is the kind of aging of money that is late and is still asked after; empty for any other case.
func agingKindOf(f *ledger.Finding) string {
	late := f.OpenedOn != 0 && f.State.IsUnresolved() && f.State != ledger.Pending && f.State != ledger.Shadow
	switch {
	case late && f.Code == "RECEIVED_OVERDUE":
		return asof.CardOverdue
	case late && f.Code == "SLIP_CREDIT_OVERDUE":
		return asof.SlipNotCredited
	case late && f.Code == "BANK_CREDIT_MISSING":
		return asof.BankMissing
	}
	return ""
}

// dueNumberOf is the number of a late case that says since when it is waited for.
func dueNumberOf(f *ledger.Finding) string {
	if f.Code == "BANK_CREDIT_MISSING" {
		return "day" // at the bank
	}
	return "due"
}

func (f *ReportSource) waitSince(found *ledger.Finding, kind string, since ledger.Date) report.AgingEntry {
	w := report.AgingEntry{Kind: kind, Days: f.businessDays(found.Account, since), Amount: found.Impact.Or(0)}
	if _, ok := ledger.SaleOfSubject(found.Subject); ok {
		w.Brand = found.Brand
	}
	return w
}

// businessDays are those after the day, up to the as-of, in the account's calendar.
func (f *ReportSource) businessDays(a ledger.Account, since ledger.Date) int64 {
	return int64(f.Calendar(a).CountBusinessDays(calendar.Settles, since, f.State.AsOf))
}

// NotDue adds up what is owed and not late.
func (f *ReportSource) NotDue(ctx context.Context, yield func(*report.NotDue) error) error {
	return f.forEachState(func(q reports.StateQuery) error {
		rows, err := f.Known.NotDue(ctx, f.Ledger, q)
		for i := 0; i < len(rows) && err == nil; i++ {
			r := &rows[i]
			err = yield(&report.NotDue{
				Account: q.Account, Kind: r.Kind, Brand: r.Brand, Count: r.Count, Printed: r.Printed, Exact: r.Exact,
			})
		}
		return err
	})
}

// rootQuery chooses the root cases of an account: of a state set by its brands, of a period by the rows of the set.
func (f *ReportSource) rootQuery(a ledger.Account) reports.RootQuery {
	q := reports.RootQuery{Account: a, AsOf: f.AsOf, AsOfRun: f.Query.AsOfRun}
	if f.Query.Basis == string(report.ByAsOf) {
		q.Brands = f.Query.Brands
		return q
	}
	rows := f.Query
	rows.Account = a
	q.Rows, q.Cards, q.Slips = &rows, true, true
	return q
}

// UnresolvedCases and RootSums implement export.CaseSource.
func (f *ReportSource) UnresolvedCases(ctx context.Context, yield func(*export.UnresolvedCase) error) error {
	for _, a := range f.Accounts {
		cal := f.Calendar(a)
		err := f.Ledger.UnresolvedCases(ctx, f.rootQuery(a), func(c *reports.UnresolvedCase) error {
			one := export.UnresolvedCase{
				Account: a, Case: c.Case, Code: c.Code, Subject: c.Subject, Day: c.Day, Side: reconcile.SideOf(c.Subject), Verdict: c.Verdict,
				Impact: c.Impact, Figure: c.Figure, OnRow: c.OnRow,
			}
			if c.OpenedOn != 0 {
				one.Age = ledger.Some(int64(cal.CountBusinessDays(calendar.Settles, c.OpenedOn, f.AsOf)))
			}
			return yield(&one)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *ReportSource) RootSums(ctx context.Context, of func(ledger.Account) (cards, slips bool)) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	for _, a := range f.Accounts {
		q := f.rootQuery(a)
		if of != nil {
			q.Cards, q.Slips = of(a)
		}
		s, err := f.Ledger.RootSums(ctx, q)
		if err != nil {
			return out, err
		}
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
	}
	return out, nil
}
