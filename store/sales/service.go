package sales

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ServiceSale is a card sale as the service shows it now, all installments as one. Texts are as sent.
type ServiceSale struct {
	Key                                                         ledger.SaleKey
	SoldAt                                                      ledger.LocalTime
	Terminal, Card, CardType, CardName, Reference, WebPaymentID string
	Count                                                       int
	Total                                                       ledger.Amount // as stated, else what the installments add up to
	Statuses                                                    []string      // of the installments, each once
	stated                                                      bool
}

// ServiceSales calls fn for the card sales of an account in a period, in order of day, NSU, authorization and occurrence.
func (s *ServiceReader) ServiceSales(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*ServiceSale) error) error {
	var now *ServiceSale
	flush := func() error {
		if now == nil {
			return nil
		}
		return fn(now)
	}
	err := s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		k := ledger.SaleKey{Account: a, Day: f.NextDate(), NSU: f.NextText(), Auth: f.NextText(), Occurrence: int(f.NextInt())}
		if now == nil || now.Key != k {
			if err := flush(); err != nil {
				return err
			}
			now = &ServiceSale{Key: k}
		}
		now.addRow(f)
		return nil
	}, `
		SELECT
			sale_day,
			nsu,
			auth,
			sale,
			sold_at,
			terminal,
			card,
			card_type,
			card_name,
			reference,
			web_payment_id,
			count_sent,
			sale_total,
			gross,
			status
		FROM installment
		WHERE account = $1 AND sale_day >= $2 AND sale_day <= $3 AND ended_pull IS NULL
		ORDER BY sale_day, nsu, auth, sale, number, occurrence`, int64(a), int64(p.From), int64(p.To))
	if err == nil {
		err = flush()
	}
	return s.db.WrapError("read the card sales of account "+a.String(), err)
}

// addRow adds an installment to its sale.
func (x *ServiceSale) addRow(f *sqldb.RowReader) {
	x.SoldAt = ledger.LocalTime(f.NextInt())
	for _, text := range []*string{&x.Terminal, &x.Card, &x.CardType, &x.CardName, &x.Reference, &x.WebPaymentID} {
		*text = f.NextText()
	}
	x.Count = max(x.Count, int(f.NextInt()), 1)
	total, gross := sqldb.NextOpt[ledger.Amount](f), ledger.Amount(f.NextInt())
	switch {
	case total.OK && !x.stated:
		x.Total, x.stated = total.V, true
	case !x.stated:
		x.Total += gross
	}
	status := f.NextText()
	for _, known := range x.Statuses {
		if known == status {
			return
		}
	}
	x.Statuses = append(x.Statuses, status)
}

// ServiceDays returns the days of card sales of an account that the service showed completely after they were over.
func (s *ServiceReader) ServiceDays(ctx context.Context, a ledger.Account) (map[ledger.Date]bool, error) {
	days := map[ledger.Date]bool{}
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var d ledger.Date
		err := rows.Scan(sqldb.IntoDate(&d))
		days[d] = true
		return err
	}, `
		SELECT day
		FROM cover
		WHERE account = $1 AND source = $2 AND proved_began > 0`, int64(a), string(ledger.Cards))
	if err == nil {
		err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
			var d ledger.Date
			err := rows.Scan(sqldb.IntoDate(&d))
			delete(days, d)
			return err
		}, `
		SELECT day
		FROM quarantine
		WHERE account = $1 AND source = $2 AND ended_pull IS NULL AND day IS NOT NULL`, int64(a), string(ledger.Cards))
	}
	return days, s.db.WrapError("read the days of account "+a.String(), err)
}
