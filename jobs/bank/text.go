package bank

import (
	"fmt"
	"strings"

	"concilia/jobs/rules"
)

// DescribeAccounts writes bank accounts, and the versions and settings of their rules, as runs evaluate them: a document of each run that
// does. Folders are left out: they differ from machine to machine.
func DescribeAccounts(all []Account, settings rules.Settings) []byte {
	var b strings.Builder
	for i := range all {
		a := &all[i]
		fmt.Fprintf(&b, "%s: bank %q branch %q account %q of %v since %v shift %d amounts %q ignores balance %t\n",
			a.ID, a.Bank, a.Branch, a.Number, a.Accounts, a.Since, a.Shift, a.Amounts, a.IgnoreBalance)
		if a.Columns != nil {
			fmt.Fprintf(&b, "  columns %+v\n", *a.Columns)
		}
		for n := range a.Payers {
			p := &a.Payers[n]
			fmt.Fprintf(&b, "  payer %s: match %q debit_match %q document %q category %q cards %t slips %t grain %s per_account %t net_of_splits %t slip_tariff %s measured %v debits %v\n",
				p.Name, p.Match.text(), p.DebitMatch.text(), p.Document, p.Category, p.Cards, p.Slips, p.Grain, p.PerAccount, p.NetOfSplits, p.slipTariff(), p.Measured, p.Debits)
		}
	}
	for _, r := range Rules() {
		fmt.Fprintf(&b, "%s %d\n", r.Code, r.Version)
	}
	b.WriteString(settings.Text())
	return []byte(b.String())
}
