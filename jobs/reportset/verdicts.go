package reportset

import (
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
)

// Verdicts are the results of a run's accounts.
type Verdicts struct {
	ByAccount map[ledger.Account]reconcile.Result
}

// criticalCodes returns the codes of critical findings on one side of an account.
func (v *Verdicts) criticalCodes(a ledger.Account, side string) []string {
	return v.ByAccount[a].Critical[side]
}

// HasOverflow reports whether nothing of the account was evaluated because a sum left the range of an amount. What the ledger keeps of it
// is that of an earlier run, and nothing of it is published.
func (v *Verdicts) HasOverflow(a ledger.Account) bool { return v.ByAccount[a].Overflow != "" }

// WithholdingCodes returns the codes of critical findings that withhold a kind of report of the account: those of its
// side, or of both sides if it has rows of both. Control is never withheld.
func (v *Verdicts) WithholdingCodes(a ledger.Account, k report.Kind) []string {
	switch {
	case k == report.ControlKind, k == report.BankKind: // a bank account has a verdict of its own
		return nil
	case kindlist.SideOf(k) == "":
		return slices.Concat(v.criticalCodes(a, "cards"), v.criticalCodes(a, "slips"))
	}
	return v.criticalCodes(a, kindlist.SideOf(k))
}

// ChoosePublishable returns the kinds of a set, and those of them that critical findings withhold. A set over all
// accounts withholds no kinds; it leaves out accounts instead.
func (v *Verdicts) ChoosePublishable(set *Request) (kinds []report.Kind, withheld []export.Withheld, err error) {
	chosen, err := kindlist.Choose(set.Kinds, set.Formats, set.Basis, set.Period, set.Filter, false)
	if err != nil || set.IsOfAllAccounts() {
		return chosen, nil, err
	}
	for _, k := range chosen {
		if codes := v.WithholdingCodes(set.Accounts[0].Number, k); len(codes) > 0 {
			withheld = append(withheld, export.Withheld{Kind: k, Code: codes[0]})
			continue
		}
		kinds = append(kinds, k)
	}
	return kinds, withheld, nil
}

// ListWithheld returns those of the kinds that an account's critical findings withhold.
func (v *Verdicts) ListWithheld(a ledger.Account, kinds []report.Kind) []string {
	names := []string{}
	for _, k := range kinds {
		if len(v.WithholdingCodes(a, k)) > 0 {
			names = append(names, string(k))
		}
	}
	return names
}

// isIncomplete reports whether the figures of the account on these sides may lack something: a critical case is open on
// one of them, or a day of the set was not answered completely.
func (v *Verdicts) isIncomplete(a ledger.Account, sides []string, coverage []export.Coverage) bool {
	for _, side := range sides {
		if len(v.criticalCodes(a, side)) > 0 {
			return true
		}
	}
	return slices.ContainsFunc(coverage, func(c export.Coverage) bool {
		return slices.Contains(sides, c.Source.Side()) && c.Partial+c.Missing > 0
	})
}
