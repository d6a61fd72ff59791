package sales

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// PaymentsOfSale calls fn for the current payments of the sales that stores kept by an account have under an id of theirs.
func (s *SaleStore) PaymentsOfSale(ctx context.Context, a ledger.Account, sale string, fn func(store string, k *Kept) error) error {
	var stores []string
	var found []*Kept
	err := s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		stores = append(stores, f.NextText())
		return readKept(f, func(k *Kept) error {
			found = append(found, k)
			return nil
		})
	}, `
		SELECT
			store,`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND sale_id = $2 AND ended_file IS NULL AND store IN (
			SELECT store
			FROM own_file
			WHERE account = $1)
		ORDER BY store, payment_no`, int64(a), sale)
	for i, k := range found {
		var shown map[ledger.Date]ledger.FileHash
		if err == nil {
			shown, err = readShown(ctx, s.db.Read, Shop{Home: a, ID: stores[i]})
		}
		if err == nil {
			setLastShown(shown, k)
			err = fn(stores[i], k)
		}
	}
	return s.db.WrapError("find a sale of the stores of account "+a.String(), err)
}

// MatchesOfSale returns the matches of the payments that the last run took for a sale of the service, of the stores kept by an account.
func (s *ConclusionStore) MatchesOfSale(ctx context.Context, home ledger.Account, service string) ([]ownsales.Match, error) {
	return s.readStanding(ctx, home, s.db.Dialect.UseIndex("own_match_sale"), "c.service_sale <> '' AND c.service_sale = $2", service)
}

// MatchOfPayment returns the match of a payment of a store; none: the last run did not evaluate its day, or it need not be anywhere.
func (s *ConclusionStore) MatchOfPayment(ctx context.Context, at Shop, k *Kept) ([]ownsales.Match, error) {
	return s.readStanding(ctx, at.Home, "", "c.store = $2 AND c.day = $3 AND c.sale_id = $4 AND c.payment_no = $5", at.ID, int64(k.Day()), k.Sale, int64(k.Number))
}

// readStanding reads the current rows that meet a condition. index is how they are found; empty: by the key.
func (s *ConclusionStore) readStanding(ctx context.Context, home ledger.Account, index, condition string, args ...any) (all []ownsales.Match, err error) {
	columns := matchTable.Columns()
	err = s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		m := ownsales.Match{Account: home, Store: f.NextText()}
		columns.Read(&m, f)
		all = append(all, m)
		return f.Err()
	}, `
		SELECT
			c.store,`+columns.SelectList("c")+`
		FROM own_match AS c`+index+`
		WHERE c.account = $1 AND c.ended_run IS NULL AND `+condition+`
		ORDER BY c.store, c.day, c.sale_id, c.payment_no`, append([]any{int64(home)}, args...)...)
	return all, s.db.WrapError("read how the sales of account "+home.String()+" stand", err)
}
