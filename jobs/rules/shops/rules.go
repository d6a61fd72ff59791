package shops

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// The codes of the family. Each begins with ledger.OwnSaleCodes.
const (
	NotAtAcquirer        = "SALE_NOT_AT_ACQUIRER"
	AuthUnknown          = "SALE_AUTH_UNKNOWN"
	NotInERP             = "SALE_NOT_IN_ERP"
	AmountMismatch       = "SALE_AMOUNT_MISMATCH"
	InstallmentsMismatch = "SALE_INSTALLMENTS_MISMATCH"
	ProductMismatch      = "SALE_PRODUCT_MISMATCH"
	BrandMismatch        = "SALE_BRAND_MISMATCH"
	DateMismatch         = "SALE_DATE_MISMATCH"
	DuplicateInERP       = "SALE_DUPLICATE_IN_ERP"
	CancelledOneSide     = "SALE_CANCELLED_ONE_SIDE"
	WeakMatch            = "SALE_WEAK_MATCH"
	FileMissing          = "SALE_FILE_MISSING"
)

// Rules returns the rules on the sales of stores.
func Rules() []rules.Rule { return slices.Concat(oneSideRules(), pairRules(), coverageRules()) }

// oneSideRules evaluate what one side alone knows.
func oneSideRules() []rules.Rule {
	needs := []rules.Need{rules.StoreSales, rules.Installments}
	nextDay := rules.Tolerance{Grace: 1}
	return []rules.Rule{
		{
			Code: NotAtAcquirer, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Default: nextDay, Line: ledger.LineNotAtService, Exposure: true,
		},
		{
			Code: AuthUnknown, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Default: nextDay, Line: ledger.LineNotAtService, Exposure: true,
		},
		{
			Code: NotInERP, Version: 1, Family: rules.FamilyStores, Subject: rules.OnSale, Also: []rules.Subject{rules.OnSlip}, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Default: nextDay, Line: ledger.LineOnlyAtService,
		},
		{
			Code: DuplicateInERP, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Line: ledger.LineToldTwice, Exposure: true,
		},
	}
}

// pairRules evaluate what both sides know.
func pairRules() []rules.Rule {
	needs := []rules.Need{rules.StoreSales, rules.Installments}
	mapped := append(slices.Clone(needs), rules.Mapping)
	return []rules.Rule{
		{
			Code: AmountMismatch, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Line: ledger.LineSidesDiffer,
		},
		{
			Code: InstallmentsMismatch, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured,
		},
		{
			Code: ProductMismatch, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Error,
			Needs: mapped, Tier: rules.Configured,
		},
		{
			Code: BrandMismatch, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Warning,
			Needs: mapped, Tier: rules.Configured,
		},
		{
			Code: DateMismatch, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Warning,
			Grades: []ledger.Severity{ledger.Info}, Needs: needs, Tier: rules.Configured,
		},
		{
			Code: CancelledOneSide, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Error,
			Needs: append(slices.Clone(mapped), rules.Calendar), Tier: rules.Configured, Default: rules.Tolerance{Grace: 1}, Line: ledger.LineSidesDiffer,
		},
		{
			Code: WeakMatch, Version: 1, Family: rules.FamilyStores, Subject: rules.OnOwnSale, Severity: ledger.Info,
			Needs: needs, Tier: rules.Configured,
		},
	}
}

// coverageRules evaluate what is known of the days of a store, and the files of its inbox.
func coverageRules() []rules.Rule {
	return []rules.Rule{{
		Code: FileMissing, Version: 1, Family: rules.FamilyStores, Subject: rules.OnDay, Also: []rules.Subject{rules.OnFile},
		Severity: ledger.Error, Grades: []ledger.Severity{ledger.Warning},
		Needs: []rules.Need{rules.StoreSales, rules.Calendar}, Tier: rules.Configured,
		Default: rules.Tolerance{Grace: 2},
	}}
}

// Owners returns the lines that lead from what stores say they sold to what the service says, with the rules that own them.
func Owners() []rules.Ownership {
	return []rules.Ownership{
		{Line: ledger.LineNotAtService, Owners: []string{AuthUnknown, NotAtAcquirer}},
		{Line: ledger.LineOnlyAtService, Owners: []string{NotInERP}},
		{Line: ledger.LineToldTwice, Owners: []string{DuplicateInERP}},
		{Line: ledger.LineSidesDiffer, Owners: []string{CancelledOneSide, AmountMismatch}},
	}
}
