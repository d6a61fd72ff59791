package deposits

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// The codes of the family.
const (
	FileMismatch       = "BANK_FILE_MISMATCH"
	StatementGap       = "BANK_STATEMENT_GAP"
	StatementLate      = "BANK_STATEMENT_LATE"
	LineVanished       = "BANK_LINE_VANISHED"
	CreditMissing      = "BANK_CREDIT_MISSING"
	CreditReturned     = "BANK_CREDIT_RETURNED"
	AmountMismatch     = "BANK_AMOUNT_MISMATCH"
	SlipAmountMismatch = "SLIP_BANK_AMOUNT_MISMATCH"
	SlipTariffMismatch = "SLIP_TARIFF_MISMATCH"
	CreditUnexpected   = "BANK_CREDIT_UNEXPECTED"
	DebitUnexplained   = "BANK_DEBIT_UNEXPLAINED"
	DateShift          = "BANK_DATE_SHIFT"
	MatchAmbiguous     = "BANK_MATCH_AMBIGUOUS"
	RentalMismatch     = "BANK_POS_RENTAL_MISMATCH"
)

// Rules returns the rules on bank accounts.
func Rules() []rules.Rule { return slices.Concat(statementRules(), groupRules(), lineRules()) }

// statementRules evaluate what is known of the days of a bank account.
func statementRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: FileMismatch, Version: 1, Family: rules.FamilyBank, Subject: rules.OnFile, Severity: ledger.Critical,
			Grades: []ledger.Severity{ledger.Error}, Needs: []rules.Need{rules.Statements}, Tier: rules.Configured,
		},
		{
			Code: StatementGap, Version: 1, Family: rules.FamilyBank, Subject: rules.OnDay, Severity: ledger.Critical,
			Needs: []rules.Need{rules.Statements}, Tier: rules.Configured,
		},
		{
			Code: StatementLate, Version: 1, Family: rules.FamilyBank, Subject: rules.OnSource, Severity: ledger.Critical,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []rules.Need{rules.Statements, rules.Calendar}, Tier: rules.Configured,
			Default: rules.Tolerance{Grace: 2},
		},
		{
			Code: LineVanished, Version: 1, Family: rules.FamilyBank, Subject: rules.OnBankLine, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Statements}, Tier: rules.Configured,
		},
	}
}

// groupRules evaluate what the service says it credited.
func groupRules() []rules.Rule {
	needs := []rules.Need{rules.Statements, rules.Installments, rules.SlipLists, rules.Calendar}
	slipNeeds := []rules.Need{rules.Statements, rules.SlipLists, rules.Contract, rules.Calendar}
	return []rules.Rule{
		{
			Code: CreditMissing, Version: 1, Family: rules.FamilyBank, Subject: rules.OnGroup, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Default: rules.Tolerance{Grace: 1}, Line: ledger.LineBankMissing, Exposure: true,
		},
		{
			Code: CreditReturned, Version: 1, Family: rules.FamilyBank, Subject: rules.OnGroup, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Line: ledger.LineBankReturned, Exposure: true,
		},
		{
			Code: AmountMismatch, Version: 1, Family: rules.FamilyBank, Subject: rules.OnGroup, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Line: ledger.LineBankDiffers,
		},
		{
			Code: SlipAmountMismatch, Version: 1, Family: rules.FamilyBank, Subject: rules.OnGroup, Severity: ledger.Error,
			Needs: slipNeeds, Tier: rules.Configured, Line: ledger.LineBankDiffers,
		},
		{
			Code: SlipTariffMismatch, Version: 1, Family: rules.FamilyBank, Subject: rules.OnMonth, Severity: ledger.Warning,
			Needs: slipNeeds, Tier: rules.Configured, Default: rules.Tolerance{Abs: ledger.Cent}, Line: ledger.LineBankDiffers,
		},
		{
			Code: DateShift, Version: 1, Family: rules.FamilyBank, Subject: rules.OnGroup, Severity: ledger.Warning,
			Grades: []ledger.Severity{ledger.Info}, Needs: needs, Tier: rules.Configured,
		},
	}
}

// lineRules evaluate the lines of the statements.
func lineRules() []rules.Rule {
	needs := []rules.Need{rules.Statements, rules.Installments, rules.SlipLists, rules.Calendar}
	return []rules.Rule{
		{
			Code: CreditUnexpected, Version: 1, Family: rules.FamilyBank, Subject: rules.OnBankLine, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: needs, Tier: rules.Configured, Default: rules.Tolerance{Grace: 1},
			Line: ledger.LineBankUnexpected,
		},
		{
			Code: DebitUnexplained, Version: 1, Family: rules.FamilyBank, Subject: rules.OnBankLine, Severity: ledger.Error,
			Needs: needs, Tier: rules.Configured, Default: rules.Tolerance{Grace: 1}, Line: ledger.LineBankUnexplained,
		},
		{
			Code: RentalMismatch, Version: 1, Family: rules.FamilyBank, Subject: rules.OnMonth, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Statements, rules.Installments, rules.Contract, rules.Calendar}, Tier: rules.Configured,
			Default: rules.Tolerance{Abs: ledger.Cent},
		},
		{
			Code: MatchAmbiguous, Version: 1, Family: rules.FamilyBank, Subject: rules.OnBankLine, Severity: ledger.Warning,
			Needs: needs, Tier: rules.Configured,
		},
	}
}

// Owners returns the lines of the bank bridge that have owners.
func Owners() []rules.Ownership {
	return []rules.Ownership{
		{Line: ledger.LineBankMissing, Owners: []string{CreditMissing}},
		{Line: ledger.LineBankReturned, Owners: []string{CreditReturned}},
		{Line: ledger.LineBankDiffers, Owners: []string{SlipTariffMismatch, SlipAmountMismatch, AmountMismatch}},
		{Line: ledger.LineBankUnexpected, Owners: []string{CreditUnexpected}},
		{Line: ledger.LineBankUnexplained, Owners: []string{DebitUnexplained}},
	}
}
