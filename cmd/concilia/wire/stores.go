package wire

import (
	"fmt"
	"os"
	"slices"
	"time"

	"concilia/config"
	"concilia/config/problem"
	"concilia/export/words"
	"concilia/jobs/agreements"
	"concilia/jobs/sales"
	"concilia/jobs/sales/table"
	"concilia/store/ledger"
)

// StoresOf are the stores of a configuration that was checked, with their maps; brands is the mapping that their payments are read
// with. An error may be a problem.List.
func StoresOf(c *config.Config, brands *agreements.Mapping) ([]sales.Store, error) {
	if len(c.Stores) == 0 {
		return nil, nil
	}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return nil, err
	}
	all := make([]sales.Store, len(c.Stores))
	counted := map[int64]bool{} // accounts whose sales count with a store
	for i := range c.Stores {
		s := &c.Stores[i]
		one := sales.Store{ID: s.ID, Format: s.Format, Documents: s.Documents, Brand: brands.Brand, BrandHash: brands.BrandHash(), Zone: zone}
		one.Inbox, one.BusinessDays = s.Inbox, s.Days == "business"
		if c.Sales.From != "" {
			if one.From, err = ledger.ParseDate(c.Sales.From); err != nil {
				return nil, err
			}
		}
		for _, n := range s.Accounts {
			one.Accounts = append(one.Accounts, ledger.Account(n))
			if !counted[n] {
				one.ServiceAccounts = append(one.ServiceAccounts, ledger.Account(n))
			}
			counted[n] = true
		}
		for _, x := range c.Institutions {
			one.Institutions = append(one.Institutions, sales.Institution(x))
		}
		if s.Format != sales.FormatNFe {
			if one.Map, err = mapOf(c, i); err != nil {
				return nil, err
			}
		}
		all[i] = one
	}
	return all, nil
}

// maxMap is how many bytes a map may have.
const maxMap = 1 << 20

// mapOf is the map of a store: a known one, or that of a file.
func mapOf(c *config.Config, store int) (*table.Map, error) {
	format := c.Stores[store].Format
	if slices.Contains(config.StoreFormats(), format) {
		if m, known := table.Preset(format); known {
			return m, nil
		}
	}
	text, err := os.ReadFile(format)
	if err == nil && len(text) > maxMap {
		err = fmt.Errorf("more than %d bytes", maxMap)
	}
	if err != nil {
		return nil, problem.List{c.Problem(fmt.Sprintf("stores[%d].format", store), format, words.NewMessage("problem.no_map", "cause", err))}
	}
	return table.ParseMap(format, text)
}
