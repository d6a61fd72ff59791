package sales

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// storedPayment is the current version of a payment, as far as a merge compares it.
type storedPayment struct {
	version  int
	hash     ledger.Hash
	last     ledger.FileHash
	vanished bool
	day      ledger.Date
}

// storedReader looks up what a shop has of the payments that a file brings, which come in order of key.
type storedReader struct {
	*sqldb.Tx
	at    Shop
	shown *shownDays
	next  *storedSale // nil: not asked yet
}

// storedSale is the first sale of the shop that is not before those that the file has come to.
type storedSale struct {
	sale string
	none bool
}

// readStored reads the current versions of payments.
func (s *storedReader) readStored(ctx context.Context, payments []ownsales.Payment) (map[paymentKey]*storedPayment, error) {
	some, err := s.hasStored(ctx, payments)
	if err != nil || !some {
		return nil, err
	}
	return s.lookUp(ctx, payments)
}

// hasStored reports whether the shop may have some of the payments. It asks which sale the shop has next, and then not before
// the file comes to it: most files bring sales whose ids lie behind all that are there.
func (s *storedReader) hasStored(ctx context.Context, payments []ownsales.Payment) (bool, error) {
	first, last := payments[0].Sale, payments[len(payments)-1].Sale
	if s.next == nil || s.next.sale < first && !s.next.none {
		s.next = &storedSale{none: true}
		err := s.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
			s.next = &storedSale{sale: f.NextText()}
			return nil
		}), `
		SELECT sale_id
		FROM own_sale
		WHERE account = $1 AND store = $2 AND sale_id >= $3
		ORDER BY account, store, sale_id
		LIMIT 1`, int64(s.at.Home), s.at.ID, first)
		if err != nil {
			return false, err
		}
	}
	return !s.next.none && s.next.sale <= last, nil
}

// lookUp reads the current versions of payments by the ids of their sales.
func (s *storedReader) lookUp(ctx context.Context, payments []ownsales.Payment) (map[paymentKey]*storedPayment, error) {
	list, err := listPaid(payments)
	if err != nil {
		return nil, err
	}
	known := make(map[paymentKey]*storedPayment)
	d := s.DB.Dialect
	err = s.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		key := paymentKey{f.NextText(), int(f.NextInt())}
		was := &storedPayment{version: int(f.NextInt()), hash: f.NextHash()}
		f.NextBytes(was.last[:])
		was.vanished, was.day = f.NextBool(), f.NextDate()
		was.last = lastShown(s.shown.by, was.day, was.vanished, was.last)
		known[key] = was
		return nil
	}), `
		SELECT
			own_sale.sale_id,
			own_sale.payment_no,
			own_sale.version,
			own_sale.hash,
			own_sale.last_file,
			own_sale.vanished,
			own_sale.day
		FROM `+d.UnnestJSON("$3", "x")+`
		`+d.JoinOneByOne("own_sale", "own_sale", "", "own_sale.account = $1 AND own_sale.store = $2 AND own_sale.sale_id = "+d.TextMember("x", "s"))+`
		WHERE own_sale.ended_file IS NULL`, int64(s.at.Home), s.at.ID, list)
	return known, err
}

// listSales are the ids of sales that come in order, each once, as JSON.
func listSales(n int, sale func(int) string) (string, error) {
	type id struct {
		Sale string `json:"s"`
	}
	list := make([]id, 0, n)
	for i := range n {
		if at := len(list); at == 0 || list[at-1].Sale != sale(i) {
			list = append(list, id{sale(i)})
		}
	}
	return sqldb.MarshalText(list)
}

// listPaid are the sales of payments.
func listPaid(payments []ownsales.Payment) (string, error) {
	return listSales(len(payments), func(i int) string { return payments[i].Sale })
}
