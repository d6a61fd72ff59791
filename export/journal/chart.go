package journal

import (
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
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
	Method    bookkeeping.Method
	Grain     Grain
	Company   string // CNPJ in files of Domínio; empty: the account's document
	Skip      []bookkeeping.EntryType
	Roles     map[bookkeeping.Role]Account
	Overrides []Override // the first that fits wins
	// Columns are those of the office's own CSV, in its order; nil: every value of the layout, under its id.
	Columns []Column
	Layout  Layout
}

// Override is an exception of the chart for an account of the service, a brand, or both.
type Override struct {
	Account ledger.Account // 0: any
	Brand   string         // empty: any
	Roles   map[bookkeeping.Role]Account
}

// AccountOf is what a role is for an account of the service and a brand.
func (c *Chart) AccountOf(a ledger.Account, brand string, r bookkeeping.Role) Account {
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
func (c *Chart) Skips(t bookkeeping.EntryType) bool { return slices.Contains(c.Skip, t) }

// listPaths are those of a role in any account and brand, the general one first.
func (c *Chart) listPaths(r bookkeeping.Role) []string {
	out := []string{c.Roles[r].Path}
	for i := range c.Overrides {
		if a, ok := c.Overrides[i].Roles[r]; ok {
			out = append(out, a.Path)
		}
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == "" })
}

// RolesOf are the roles that an entry of a type has under a method; none: the method has no such entry.
func RolesOf(t bookkeeping.EntryType, m bookkeeping.Method) []bookkeeping.Role {
	fees := []bookkeeping.Role{bookkeeping.RoleMDR, bookkeeping.RoleTransactionFee, bookkeeping.RoleAntifraudFee}
	reversal := func(r bookkeeping.Role) []bookkeeping.Role {
		roles := append([]bookkeeping.Role{r, bookkeeping.RoleClaims, bookkeeping.RoleExcess, bookkeeping.RoleAnticipation, bookkeeping.RoleSplitCost}, fees...)
		if m == bookkeeping.Accrual {
			roles = append(roles, bookkeeping.RoleReceivable)
		}
		return roles
	}
	accrual := map[bookkeeping.EntryType][]bookkeeping.Role{
		bookkeeping.EntrySale:          {bookkeeping.RoleReceivable, bookkeeping.RoleSales},
		bookkeeping.EntryFees:          append([]bookkeeping.Role{bookkeeping.RoleReceivable}, fees...),
		bookkeeping.EntrySlipIssued:    {bookkeeping.RoleSlipReceivable, bookkeeping.RoleSlipSales},
		bookkeeping.EntrySlipCancelled: {bookkeeping.RoleReturns, bookkeeping.RoleSlipReceivable},
	}
	switch t {
	case bookkeeping.EntrySettled:
		roles := []bookkeeping.Role{bookkeeping.RoleService, bookkeeping.RoleClaims, bookkeeping.RoleExcess, bookkeeping.RoleAnticipation, bookkeeping.RoleSplitCost}
		if m == bookkeeping.Accrual {
			return append(roles, bookkeeping.RoleReceivable)
		}
		return append(append(roles, fees...), bookkeeping.RoleSales)
	case bookkeeping.EntrySplit:
		return []bookkeeping.Role{bookkeeping.RoleSplitCost, bookkeeping.RoleSplitPayable}
	case bookkeeping.EntryCancelled:
		return reversal(bookkeeping.RoleReturns)
	case bookkeeping.EntryChargedBack:
		return reversal(bookkeeping.RoleChargebacks)
	case bookkeeping.EntryTakenBack:
		return []bookkeeping.Role{bookkeeping.RoleExcess, bookkeeping.RoleClaims, bookkeeping.RoleService}
	case bookkeeping.EntryClaimWrittenOff:
		return []bookkeeping.Role{bookkeeping.RoleLoss, bookkeeping.RoleClaims}
	case bookkeeping.EntryBank:
		return []bookkeeping.Role{bookkeeping.RoleBank, bookkeeping.RoleBankTariffs, bookkeeping.RoleSplitPayable, bookkeeping.RoleService}
	case bookkeeping.EntrySlipPaid:
		if m == bookkeeping.Accrual {
			return []bookkeeping.Role{bookkeeping.RoleSlipTransit, bookkeeping.RoleSlipDiscount, bookkeeping.RoleSlipReceivable, bookkeeping.RoleSlipCharges, bookkeeping.RoleExcess}
		}
		return []bookkeeping.Role{bookkeeping.RoleSlipTransit, bookkeeping.RoleExcess}
	case bookkeeping.EntrySlipCredited:
		roles := []bookkeeping.Role{bookkeeping.RoleService, bookkeeping.RoleSlipTariff, bookkeeping.RoleSlipTransit}
		if m == bookkeeping.Cash {
			roles = append(roles, bookkeeping.RoleSlipDiscount, bookkeeping.RoleSlipSales, bookkeeping.RoleSlipCharges)
		}
		return roles
	case bookkeeping.EntryOpening:
		return []bookkeeping.Role{bookkeeping.RoleOpening}
	}
	if m == bookkeeping.Accrual {
		return accrual[t]
	}
	return nil
}
