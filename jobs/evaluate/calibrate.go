package evaluate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"concilia/export/words"
	"concilia/jobs/agreements"
	"concilia/jobs/bank"
	"concilia/jobs/pull"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// Progress is called with how far a calibration is.
type Progress interface {
	Step(name string, total int)
	Advance(n int)
	Done(results ...words.Message)
}

// CalibrationResult is what the rows of the ledger show about the interpretations in force.
type CalibrationResult struct {
	InForce agreements.Profile
	// Profile is InForce with the decided interpretations: the content of a profile file.
	Profile agreements.Profile
	// Answers are over all accounts, in the order of the profile file. An answer that two accounts decide differently is
	// refused.
	Answers []assumptions.Answer
	// Accounts are the answers of each account on its own, in the order of the configuration.
	Accounts     []AccountAnswers
	Sales, Slips int64
	// Banks are what statements say of the payers of which something is measured.
	Banks []bank.MeasuredKey
	// Ends are about the bounds of the lists' date ranges: whether they are inclusive, over all accounts. No profile key
	// depends on them.
	Ends []pull.ListEnds
}

// AccountAnswers are the answers of one account.
type AccountAnswers struct {
	Account ledger.Account
	Answers []assumptions.Answer
}

// Calibrate measures the candidate interpretations of what the service does not document on all rows of every account.
// It does not call the service and writes nothing, so it needs no lease. Memory does not grow with the rows.
func (e *Evaluator) Calibrate(ctx context.Context, accounts []ledger.Account, progress Progress) (*CalibrationResult, error) {
	progress.Step("calibrate", len(accounts))
	out := &CalibrationResult{InForce: e.Inputs.Profile}
	all := assumptions.NewCalibration()
	for _, a := range accounts {
		one, err := e.calibrateAccount(ctx, a, out)
		if err != nil {
			return nil, fmt.Errorf("calibrate account %s: %w", a, err)
		}
		pulls, err := e.Ledger.PullsSince(ctx, a, nil)
		if err != nil {
			return nil, fmt.Errorf("calibrate account %s: %w", a, err)
		}
		out.Ends = pull.MergeListEnds(out.Ends, pull.MeasureListEnds(pulls))
		all.Merge(one)
		out.Accounts = append(out.Accounts, AccountAnswers{a, one.Answers(out.InForce)})
		progress.Advance(1)
	}
	out.Answers = all.Answers(out.InForce)
	for i := range out.Answers {
		if why := out.describeDisagreement(i); why != "" {
			out.Answers[i].Withdraw(why)
		}
	}
	var err error
	if out.Profile, err = assumptions.ApplyAnswers(out.InForce, out.Answers); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	progress.Done(words.NewMessage("steps.read", "sales", words.NewMessage("steps.sale", "n", out.Sales), "slips", words.NewMessage("steps.slip", "n", out.Slips)))
	return out, nil
}

// calibrateAccount reads all rows of one account once.
func (e *Evaluator) calibrateAccount(ctx context.Context, a ledger.Account, out *CalibrationResult) (*assumptions.Calibration, error) {
	env, err := rules.NewEnv(catalogue.All(), rules.Options{
		Account: a, AsOf: e.Today(), Contracts: e.Inputs.Contracts, Mapping: e.Inputs.Mapping, Profile: e.Inputs.Profile,
		Calendar: e.Inputs.Calendar(a), Settings: e.Inputs.Settings,
	})
	if err != nil {
		return nil, err
	}
	cuts, err := e.readDayCuts(ctx, a)
	if err != nil {
		return nil, err
	}
	c := assumptions.NewCalibration()
	err = e.Ledger.Sales(ctx, a, func(s *ledger.Sale) error {
		out.Sales++
		cuts.addFirstSeen(c, s)
		c.AddSale(env, rules.NewSale(env, s.Key, s.Rows, s.Complete))
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	err = e.Ledger.Slips(ctx, a, func(s *ledger.Slip) error {
		out.Slips++
		c.AddSlip(env, rules.NewSlip(env, s))
		return ctx.Err()
	})
	return c, err
}

// dayCuts compares the windows in which installments first came with the time zones in which the service may cut its
// days.
type dayCuts struct {
	local   *time.Location
	zones   []*time.Location // by candidate
	windows map[string]ledger.Period
	days    []ledger.Date // of the current row, by candidate
}

// readDayCuts reads which windows brought the rows of an account.
func (e *Evaluator) readDayCuts(ctx context.Context, a ledger.Account) (*dayCuts, error) {
	windows, err := e.Ledger.PullsWithChanges(ctx, a)
	if err != nil {
		return nil, err
	}
	c := &dayCuts{local: e.Zone, windows: windows}
	for _, name := range assumptions.DayCuts() {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return nil, err
		}
		c.zones = append(c.zones, zone)
	}
	c.days = make([]ledger.Date, len(c.zones))
	return c, nil
}

// addFirstSeen adds the window in which the rows of a sale first came, and the day of the sale in each candidate zone.
func (c *dayCuts) addFirstSeen(to *assumptions.Calibration, s *ledger.Sale) {
	for _, h := range s.Rows {
		window, known := c.windows[h[0].FirstPull]
		if !known {
			continue
		}
		for i, zone := range c.zones {
			c.days[i] = ledger.DateOf(h[0].SoldAt.In(c.local), zone)
		}
		to.AddFirstSeen(c.days, window)
	}
}

// AccountsDisagree is the beginning of the reason why an answer was refused that two accounts decide differently.
const AccountsDisagree = "accounts disagree"

// describeDisagreement describes how accounts contradict each other on answer i; empty if they do not.
func (c *CalibrationResult) describeDisagreement(i int) string {
	for k := range c.Answers[i].Keys {
		first, differ := "", false
		var said []string
		for _, a := range c.Accounts {
			one := a.Answers[i]
			if !one.Verdicts[k].Decided() {
				continue
			}
			said = append(said, a.Account.String()+" "+one.Values[k])
			differ = differ || first != "" && first != one.Values[k]
			first = one.Values[k]
		}
		if differ {
			return AccountsDisagree + ": " + strings.Join(said, ", ")
		}
	}
	return ""
}

// Undecided reports whether an interpretation has rows that distinguish its candidates and is still not decided.
func (c *CalibrationResult) Undecided() bool {
	for _, a := range c.Answers {
		for _, v := range a.Verdicts {
			if v == assumptions.Undecided {
				return true
			}
		}
	}
	return slices.ContainsFunc(c.Banks, func(k bank.MeasuredKey) bool { return !k.Decided && k.Days > 0 })
}

// AddBanks adds what statements say of payers; what they decide is part of the profile.
func (c *CalibrationResult) AddBanks(all []bank.MeasuredKey) {
	c.Banks = all
	for i := range all {
		if k := &all[i]; k.Decided {
			c.Profile.Banks = c.Profile.Banks.With(k.Bank, k.Payer, k.Key, k.Value)
		}
	}
}
