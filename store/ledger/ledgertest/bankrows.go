package ledgertest

import "concilia/store/ledger"

// ListRows are the rows of a statement.
func ListRows(rows ledger.BankRows) (all []ledger.BankRow) {
	err := rows.Each(func(r *ledger.BankRow) error {
		all = append(all, *r)
		return nil
	})
	if err != nil {
		panic(err)
	}
	return all
}
