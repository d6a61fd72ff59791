package othersides

import (
	"context"
	"fmt"

	jobsbank "concilia/jobs/bank"
	"concilia/store/bank"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// MeasureBanks holds the last settled days of the statements against what the service says it paid, under every way in which payers may
// pay whose configuration says that it is measured.
func (k *Keeper) MeasureBanks(ctx context.Context) (all []jobsbank.MeasuredKey, err error) {
	for i := range k.Banks {
		one, err := k.measureBank(ctx, &k.Banks[i])
		if err != nil {
			return nil, fmt.Errorf("bank account %s: %w", k.Banks[i].ID, err)
		}
		all = append(all, one...)
	}
	return all, nil
}

func (k *Keeper) measureBank(ctx context.Context, a *jobsbank.Account) (all []jobsbank.MeasuredKey, err error) {
	home, _, err := k.Ledger.HomeOf(ctx, a.ID, a.Accounts[0])
	if err != nil {
		return nil, err
	}
	at := bank.Account{Home: home, ID: a.ID}
	days, err := k.Ledger.BankDays(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, m := range jobsbank.NewMeasurements(a, home, days, k.BankTerms()) {
		if err := k.addSides(ctx, at, a, m); err != nil {
			return nil, err
		}
		all = append(all, m.Measure()...)
	}
	return all, nil
}

// addSides gives a measurement both sides of its days.
func (k *Keeper) addSides(ctx context.Context, at bank.Account, a *jobsbank.Account, m *jobsbank.Measurement) error {
	err := k.Ledger.BankLines(ctx, at, m.Period(), func(l *banking.Line) error {
		m.AddLine(l)
		return nil
	})
	for i := 0; i < len(a.Accounts) && err == nil; i++ {
		asked := facts.Credited{Account: a.Accounts[i], Periods: []ledger.Period{m.Period()}, Splits: m.ReadsSplits()}
		err = k.Ledger.CreditedInstallments(ctx, asked, func(x *banking.CreditedInstallment) error {
			m.AddInstallment(x)
			return nil
		})
		if err == nil {
			err = k.Ledger.CreditedSlips(ctx, a.Accounts[i], m.Period(), func(x *banking.CreditedSlip) error {
				m.AddSlip(x)
				return nil
			})
		}
	}
	return err
}
