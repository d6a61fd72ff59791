package journal

import (
	"slices"

	"concilia/store/ledger"
)

// Account is an account of an office's books: its reduced code, and its path in plain-text journals.
type Account struct{ Code, Path string }

// Grain is what an entry of the journal is of.
type Grain string

// The grains: all rows of a day that say the same, or each row.
const (
	ByDay Grain = "day"
	ByRow Grain = "row"
)

// Chart says which account is what, for the entries of a method.
type Chart struct {
	Method    ledger.Method
	Grain     Grain
	Company   string // CNPJ in files of Domínio; empty: the account's document
	Skip      []ledger.EntryType
	Roles     map[ledger.Role]Account
	Overrides []Override // the first that fits wins
	// Columns are those of the office's own CSV, in its order; nil: every value of the layout, under its id.
	Columns []Column
	Layout  Layout
}

// Override is an exception of the chart for an account of the service, a brand, or both.
type Override struct {
	Account ledger.Account // 0: any
	Brand   string         // empty: any
	Roles   map[ledger.Role]Account
}

// AccountOf is what a role is for an account of the service and a brand.
func (c *Chart) AccountOf(a ledger.Account, brand string, r ledger.Role) Account {
	for i := range c.Overrides {
		o := &c.Overrides[i]
		if (o.Account == 0 || o.Account == a) && (o.Brand == "" || o.Brand == brand) {
			if found, ok := o.Roles[r]; ok {
				return found
			}
		}
	}
	return c.Roles[r]
}

// Skips reports whether entries of a type are left out: the ERP books them itself.
func (c *Chart) Skips(t ledger.EntryType) bool { return slices.Contains(c.Skip, t) }

// listPaths are those of a role in any account and brand, the general one first.
func (c *Chart) listPaths(r ledger.Role) []string {
	out := []string{c.Roles[r].Path}
	for i := range c.Overrides {
		if a, ok := c.Overrides[i].Roles[r]; ok {
			out = append(out, a.Path)
		}
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == "" })
}

// RolesOf are the roles that an entry of a type has under a method; none: the method has no such entry.
func RolesOf(t ledger.EntryType, m ledger.Method) []ledger.Role {
	fees := []ledger.Role{ledger.RoleMDR, ledger.RoleTransactionFee, ledger.RoleAntifraudFee}
	reversal := func(r ledger.Role) []ledger.Role {
		roles := append([]ledger.Role{r, ledger.RoleClaims, ledger.RoleExcess, ledger.RoleAnticipation, ledger.RoleSplitCost}, fees...)
		if m == ledger.Accrual {
			roles = append(roles, ledger.RoleReceivable)
		}
		return roles
	}
	accrual := map[ledger.EntryType][]ledger.Role{
		ledger.EntrySale:          {ledger.RoleReceivable, ledger.RoleSales},
		ledger.EntryFees:          append([]ledger.Role{ledger.RoleReceivable}, fees...),
		ledger.EntrySlipIssued:    {ledger.RoleSlipReceivable, ledger.RoleSlipSales},
		ledger.EntrySlipCancelled: {ledger.RoleReturns, ledger.RoleSlipReceivable},
	}
	switch t {
	case ledger.EntrySettled:
		roles := []ledger.Role{ledger.RoleService, ledger.RoleClaims, ledger.RoleExcess, ledger.RoleAnticipation, ledger.RoleSplitCost}
		if m == ledger.Accrual {
			return append(roles, ledger.RoleReceivable)
		}
		return append(append(roles, fees...), ledger.RoleSales)
	case ledger.EntrySplit:
		return []ledger.Role{ledger.RoleSplitCost, ledger.RoleSplitPayable}
	case ledger.EntryCancelled:
		return reversal(ledger.RoleReturns)
	case ledger.EntryChargedBack:
		return reversal(ledger.RoleChargebacks)
	case ledger.EntryTakenBack:
		return []ledger.Role{ledger.RoleExcess, ledger.RoleClaims, ledger.RoleService}
	case ledger.EntryClaimWrittenOff:
		return []ledger.Role{ledger.RoleLoss, ledger.RoleClaims}
	case ledger.EntryBank:
		return []ledger.Role{ledger.RoleBank, ledger.RoleBankTariffs, ledger.RoleSplitPayable, ledger.RoleService}
	case ledger.EntrySlipPaid:
		if m == ledger.Accrual {
			return []ledger.Role{ledger.RoleSlipTransit, ledger.RoleSlipDiscount, ledger.RoleSlipReceivable, ledger.RoleSlipCharges, ledger.RoleExcess}
		}
		return []ledger.Role{ledger.RoleSlipTransit, ledger.RoleExcess}
	case ledger.EntrySlipCredited:
		roles := []ledger.Role{ledger.RoleService, ledger.RoleSlipTariff, ledger.RoleSlipTransit}
		if m == ledger.Cash {
			roles = append(roles, ledger.RoleSlipDiscount, ledger.RoleSlipSales, ledger.RoleSlipCharges)
		}
		return roles
	case ledger.EntryOpening:
		return []ledger.Role{ledger.RoleOpening}
	}
	if m == ledger.Accrual {
		return accrual[t]
	}
	return nil
}
