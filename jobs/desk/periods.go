package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/export"
	"concilia/store/ledger"
	"concilia/store/results"
)

// PeriodRequest is a person's request to close or reopen a month on a basis.
type PeriodRequest struct {
	Verb     ledger.Verb   // ledger.ClosePeriod or ReopenPeriod
	Month    ledger.Period // whole
	Basis    string        // operation or credit
	Accounts []ledger.Account
	Actor    string
	Reason   string
	DryRun   bool // nothing is kept
}

// PeriodSummary is the outcome of a PeriodRequest, by account.
type PeriodSummary struct {
	Verb    ledger.Verb
	Basis   string
	Month   ledger.Period
	Actor   string
	DryRun  bool
	Periods []PeriodActed
}

// PeriodActed is the outcome of an act on the period of one account. Outcome is done, proposed, waiting, or standing if
// it was closed before.
type PeriodActed struct {
	Close   ledger.PeriodClose
	Outcome string
	Act     int64      // number in the account's log; 0 when nothing was logged
	Partner ledger.Act // the proposal that was confirmed, or is waiting; zero for none
}

// periodEyes is the word in four_eyes for closing and reopening periods.
const periodEyes = "period"

const periodStanding = "standing"

// Period closes or reopens a month of every requested account, or of none if it is not possible for one: then it returns
// a *RequestError that names all obstacles. Closing a closed month changes nothing.
func (d *Desk) Period(ctx context.Context, req PeriodRequest) (*PeriodSummary, error) {
	if err := req.check(d.Today); err != nil {
		return nil, err
	}
	s := &PeriodSummary{Verb: req.Verb, Basis: req.Basis, Month: req.Month, Actor: req.Actor, DryRun: req.DryRun}
	var err error
	if req.DryRun {
		closes := func(f results.PeriodFilter) ([]ledger.PeriodClose, error) { return d.Ledger.PeriodCloses(ctx, f) }
		acts := func(f results.ActFilter) ([]ledger.Act, error) { return d.Ledger.Acts(ctx, f) }
		s.Periods, err = d.weighPeriods(ctx, &req, closes, acts)
		return s, err
	}
	err = d.Ledger.Acting(ctx, req.Accounts, func(a *results.Acting) error {
		if s.Periods, err = d.weighPeriods(ctx, &req, a.PeriodCloses, a.Acts); err != nil {
			return err
		}
		return d.carryOutPeriods(a, &req, s.Periods)
	})
	var told *RequestError
	if errors.As(err, &told) {
		return nil, told
	}
	return s, err
}

func (r *PeriodRequest) check(today ledger.Date) error {
	var problems []string
	tell := func(wrong bool, format string, args ...any) {
		if wrong {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	tell(r.Basis != string(export.ByOperation) && r.Basis != string(export.ByCredit),
		"--basis %q: periods are closed by operation or by credit", r.Basis)
	tell(strings.TrimSpace(r.Reason) == "", "no reason: give one with --reason TEXT")
	tell(strings.TrimSpace(r.Actor) == "", "no actor: name one with --as")
	tell(len(r.Accounts) == 0, "no account")
	tell(r.Verb == ledger.ClosePeriod && r.Month.To >= today, "%s has not ended: it can be closed from %s on",
		ledger.MonthText(r.Month.To), r.Month.To+1)
	for _, text := range []struct {
		flag, value string
		most        int
	}{{"--as", r.Actor, ledger.MaxActor}, {"--reason", r.Reason, ledger.MaxReason}} {
		if err := ledger.CheckPlainText(text.value, text.most); err != nil {
			problems = append(problems, text.flag+": "+err.Error())
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &RequestError{strings.Join(problems, "; "), "concilia period --help"}
}
