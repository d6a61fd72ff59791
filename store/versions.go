package store

import "concilia/store/ledger"

// installmentColumns are the columns that read and targets take, of a table named i.
const installmentColumns = `
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

// version is a row of installment, with what only the store needs of it.
type version struct {
	ledger.InstallmentVersion
	sale   int
	stands bool
	splits string
	ended  string
}

// targets are where a row of installmentColumns goes; finish completes the version after the scan.
func (v *version) targets() []any {
	i := &v.Installment
	return []any{
		new(ledger.Date), &i.NSU, &i.Auth, &i.Occurrence, &v.Version, &v.sale,
		scanHash{&v.Content},
		&v.FirstPull,
		scanText{&v.LastPull},
		scanText{&v.ended},
		scanBool{&v.Vanished},
		scanDate{&v.FirstSeen},
		scanDate{&v.LastChanged},
		scanDate{&v.PulledOn},
		&i.SoldAt, &i.Terminal, &i.Card, &i.CardType, &i.CardName,
		&i.Number, &i.Count, &i.Gross, opt(&i.SaleTotal), &i.Status, opt(&i.MDR), opt(&i.MDRRate), opt(&i.Fee),
		opt(&i.SaleFee), opt(&i.Antifraud), opt(&i.SaleAntifrd), opt(&i.Anticipation), opt(&i.AnticipRate),
		opt(&i.Received),
		scanDate{&i.Forecast},
		scanDate{&i.Effective},
		&i.ReceivedType, &i.ReceivedStat, &i.Reference,
		&i.WebPaymentID,
		scanText{&v.splits},
		scanBool{&i.CardClear},
	}
}

func (v *version) finish(a ledger.Account, seen sightings) error {
	v.Account = a
	v.stands = v.ended == ""
	if v.LastPull == "" {
		v.LastPull = v.FirstPull
		if s, ok := seen[v.SoldAt.Date()]; ok {
			v.LastPull = s.pull
		}
	}
	if v.sale != v.Occurrence {
		v.SaleOccurrence = v.sale
	}
	var err error
	v.Splits, err = unmarshalSplits(v.splits)
	return err
}
