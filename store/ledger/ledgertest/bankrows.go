package ledgertest

import "concilia/store/ledger/banking"

// ListRows are the rows of a statement.
func ListRows(rows banking.Rows) (all []banking.Row) {
	err := rows.Each(func(r *banking.Row) error {
		all = append(all, *r)
		return nil
	})
	if err != nil {
		panic(err)
	}
	return all
}
