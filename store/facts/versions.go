package facts

import (
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ReadColumns takes a row of installmentColumns, as targets does.
func (v *InstallmentRow) ReadColumns(f *sqldb.RowReader) {
	i := &v.Installment
	_ = f.NextDate() // the sale day is that of SoldAt
	i.NSU, i.Auth, i.Occurrence = f.NextText(), f.NextText(), int(f.NextInt())
	v.Version, v.SaleNumber, v.Content = int(f.NextInt()), int(f.NextInt()), f.NextHash()
	v.FirstPull, v.LastPull, v.EndedPull, v.Vanished = f.NextText(), f.NextText(), f.NextText(), f.NextBool()
	v.FirstSeen, v.LastChanged, v.PulledOn = f.NextDate(), f.NextDate(), f.NextDate()
	i.SoldAt, i.Terminal, i.Card, i.CardType, i.CardName = ledger.LocalTime(f.NextInt()), f.NextText(), f.NextText(), f.NextText(), f.NextText()
	i.Number, i.Count, i.Gross, i.SaleTotal = int(f.NextInt()), int(f.NextInt()), ledger.Amount(f.NextInt()), sqldb.NextOpt[ledger.Amount](f)
	i.Status, i.MDR, i.MDRRate = f.NextText(), sqldb.NextOpt[ledger.Amount](f), sqldb.NextOpt[ledger.Rate](f)
	i.Fee, i.SaleFee = sqldb.NextOpt[ledger.Amount](f), sqldb.NextOpt[ledger.Amount](f)
	i.Antifraud, i.SaleAntifrd = sqldb.NextOpt[ledger.Amount](f), sqldb.NextOpt[ledger.Amount](f)
	i.Anticipation, i.AnticipRate = sqldb.NextOpt[ledger.Amount](f), sqldb.NextOpt[ledger.Rate](f)
	i.Received, i.Forecast, i.Effective = sqldb.NextOpt[ledger.Amount](f), f.NextDate(), f.NextDate()
	i.ReceivedType, i.ReceivedStat, i.Reference, i.WebPaymentID = f.NextText(), f.NextText(), f.NextText(), f.NextText()
	v.splits, i.CardClear = f.NextText(), f.NextBool()
}

// InstallmentColumns are the columns that read and targets take, of a table named i.
const InstallmentColumns = `
			i.sale_day,
			i.nsu,
			i.auth,
			i.occurrence,
			i.version,
			i.sale,
			i.content,
			i.first_pull,
			i.last_pull,
			i.ended_pull,
			i.vanished,
			i.first_seen,
			i.last_changed,
			i.pulled_on,
			i.sold_at,
			i.terminal,
			i.card,
			i.card_type,
			i.card_name,
			i.number_sent,
			i.count_sent,
			i.gross,
			i.sale_total,
			i.status,
			i.mdr,
			i.mdr_rate,
			i.fee,
			i.sale_fee,
			i.antifraud,
			i.sale_antifraud,
			i.anticipation,
			i.anticipation_rate,
			i.received,
			i.forecast,
			i.effective,
			i.received_type,
			i.received_status,
			i.reference,
			i.web_payment_id,
			i.splits,
			i.card_clear`

// InstallmentRow is a row of installment, with what only the store needs of it.
type InstallmentRow struct {
	ledger.InstallmentVersion
	SaleNumber int
	Current    bool
	splits     string
	EndedPull  string
}

// ScanTargets are where a row of installmentColumns goes; finish completes the version after the scan.
func (v *InstallmentRow) ScanTargets() []any {
	i := &v.Installment
	return []any{
		new(ledger.Date), &i.NSU, &i.Auth, &i.Occurrence, &v.Version, &v.SaleNumber,
		sqldb.IntoHash(&v.Content),
		&v.FirstPull,
		sqldb.IntoText(&v.LastPull),
		sqldb.IntoText(&v.EndedPull),
		sqldb.IntoBool(&v.Vanished),
		sqldb.IntoDate(&v.FirstSeen),
		sqldb.IntoDate(&v.LastChanged),
		sqldb.IntoDate(&v.PulledOn),
		&i.SoldAt, &i.Terminal, &i.Card, &i.CardType, &i.CardName,
		&i.Number, &i.Count, &i.Gross, sqldb.IntoOpt(&i.SaleTotal), &i.Status, sqldb.IntoOpt(&i.MDR), sqldb.IntoOpt(&i.MDRRate), sqldb.IntoOpt(&i.Fee),
		sqldb.IntoOpt(&i.SaleFee), sqldb.IntoOpt(&i.Antifraud), sqldb.IntoOpt(&i.SaleAntifrd), sqldb.IntoOpt(&i.Anticipation), sqldb.IntoOpt(&i.AnticipRate),
		sqldb.IntoOpt(&i.Received),
		sqldb.IntoDate(&i.Forecast),
		sqldb.IntoDate(&i.Effective),
		&i.ReceivedType, &i.ReceivedStat, &i.Reference,
		&i.WebPaymentID,
		sqldb.IntoText(&v.splits),
		sqldb.IntoBool(&i.CardClear),
	}
}

func (v *InstallmentRow) Complete(a ledger.Account, seen LastSeen) error {
	v.Account = a
	v.Current = v.EndedPull == ""
	if v.LastPull == "" {
		v.LastPull = v.FirstPull
		if s, ok := seen[v.SoldAt.Date()]; ok {
			v.LastPull = s.ID
		}
	}
	if v.SaleNumber != v.Occurrence {
		v.SaleOccurrence = v.SaleNumber
	}
	var err error
	v.Splits, err = UnmarshalSplits(v.splits)
	return err
}
