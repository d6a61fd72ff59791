package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
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
func (set *Set) forEachState(fn func(reports.StateQuery) error) error {
	if set.State == nil {
		return fmt.Errorf("basis %s has no state to report", set.Query.Basis)
	}
	return set.forEachAccount(func(q reports.Query) error {
		return fn(reports.StateQuery{
			Account: q.Account, AsOf: set.State.AsOf, AsOfRun: set.Query.AsOfRun, Since: set.State.Since, Brands: q.Brands,
		})
	})
}

// caseReader reads the cases of a state set, and what is owed and not late.
type caseReader struct{ *Set }

// Cases and NotDue are methods of report.StateSource.
func (r caseReader) Cases(ctx context.Context, yield func(*report.Case) error) error {
	return r.forEachState(func(q reports.StateQuery) error {
		slips, err := r.slipsOfCases(ctx, q)
		if err != nil {
			return err
		}
		claims, err := r.State.Claims(ctx, q.Account, q.AsOfRun)
		if err != nil {
			return err
		}
		return r.Ledger.StateCases(ctx, q, func(found *ledger.Finding) error {
			c, err := r.caseOf(ctx, found)
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

// Claims is the part of report.StateSource that only recoveries ask for.
func (r caseReader) Claims(ctx context.Context, yield func(*report.Claim) error) error {
	return r.forEachState(func(q reports.StateQuery) error {
		claims, err := r.State.Claims(ctx, q.Account, q.AsOfRun)
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
func (r caseReader) slipsOfCases(ctx context.Context, q reports.StateQuery) (map[string]reports.ReportedSlip, error) {
	var ids []string
	err := r.Ledger.StateCases(ctx, q, func(found *ledger.Finding) error {
		if id, ok := slipOfSubject(found.Subject); ok {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return r.Ledger.SlipsAsOf(ctx, q.Account, q.AsOfRun, slices.Compact(ids))
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

func (r caseReader) caseOf(ctx context.Context, found *ledger.Finding) (*report.Case, error) {
	c := &report.Case{Finding: *found, Explanation: r.State.Voice.Explain(*found)}
	if found.OpenedOn != 0 {
		c.Days = ledger.Some(int64(max(0, r.State.AsOf-found.OpenedOn)))
		c.BusinessDays = ledger.Some(r.businessDays(found.Account, found.OpenedOn))
	}
	if kind := agingKindOf(found); kind != "" {
		due, err := ledger.ParseDate(found.Number(dueNumberOf(found)))
		if err != nil {
			return nil, fmt.Errorf("case %s: the day it was due: %w", found.Case, err)
		}
		c.AgingEntries = append(c.AgingEntries, r.waitSince(found, kind, due))
	}
	if found.State == ledger.Disputed {
		since, err := r.Ledger.DisputedOn(ctx, found.Case, r.Query.AsOfRun)
		if err != nil {
			return nil, err
		}
		c.AgingEntries = append(c.AgingEntries, r.waitSince(found, asof.DisputeOpen, since))
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

func (r caseReader) waitSince(found *ledger.Finding, kind string, since ledger.Date) report.AgingEntry {
	w := report.AgingEntry{Kind: kind, Days: r.businessDays(found.Account, since), Amount: found.Impact.Or(0)}
	if _, ok := ledger.SaleOfSubject(found.Subject); ok {
		w.Brand = found.Brand
	}
	return w
}

// businessDays are those after the day, up to the as-of, in the account's calendar.
func (set *Set) businessDays(a ledger.Account, since ledger.Date) int64 {
	return int64(set.Calendar(a).CountBusinessDays(calendar.Settles, since, set.State.AsOf))
}

// NotDue adds up what is owed and not late.
func (r caseReader) NotDue(ctx context.Context, yield func(*report.NotDue) error) error {
	return r.forEachState(func(q reports.StateQuery) error {
		rows, err := r.Known.NotDue(ctx, r.Ledger, q)
		for i := 0; i < len(rows) && err == nil; i++ {
			n := &rows[i]
			err = yield(&report.NotDue{
				Account: q.Account, Kind: n.Kind, Brand: n.Brand, Count: n.Count, Printed: n.Printed, Exact: n.Exact,
			})
		}
		return err
	})
}
