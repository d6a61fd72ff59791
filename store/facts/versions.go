package facts

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"

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

// StoredSplit is a split as the ledger keeps it within its installment's row. Its members are named in SQL, too.
type StoredSplit struct {
	Beneficiary string         `json:"beneficiary"`
	Type        string         `json:"type"`
	Pct         *ledger.Rate   `json:"pct"`
	Base        *ledger.Amount `json:"base"`
	Value       *ledger.Amount `json:"value"`
}

// AppendSplits appends the JSON text of splits, by hand because every other row of a first load has some.
func AppendSplits(b []byte, splits []ledger.Split) ([]byte, error) {
	var err error
	for i := range splits {
		s := &splits[i]
		b = append(b, "[,"[min(i, 1)])
		b = append(b, `{"beneficiary":`...)
		if b, err = appendJSON(b, s.Beneficiary); err != nil {
			return nil, err
		}
		b = append(b, `,"type":`...)
		if b, err = appendJSON(b, s.Type); err != nil {
			return nil, err
		}
		b = appendNumber(append(b, `,"pct":`...), s.Pct)
		b = appendNumber(append(b, `,"base":`...), s.Base)
		b = appendNumber(append(b, `,"value":`...), s.Value)
		b = append(b, '}')
	}
	return append(b, ']'), nil
}

func appendNumber[T ~int64](b []byte, o ledger.Opt[T]) []byte {
	if !o.OK {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(o.V), 10)
}

// appendJSON appends a text; what needs escaping is left to encoding/json.
func appendJSON(b []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			text, err := sqldb.MarshalText(s)
			return append(b, text...), err
		}
	}
	return append(append(append(b, '"'), s...), '"'), nil
}

func UnmarshalSplits(text string) ([]ledger.Split, error) {
	if text == "" {
		return nil, nil
	}
	var in []StoredSplit
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, err
	}
	out := make([]ledger.Split, len(in))
	for i := range in {
		s := &in[i]
		out[i] = ledger.Split{
			Beneficiary: s.Beneficiary, Type: s.Type, Pct: sqldb.OptFromPointer(s.Pct), Base: sqldb.OptFromPointer(s.Base), Value: sqldb.OptFromPointer(s.Value),
		}
	}
	return out, nil
}

// SaleVersions returns every version of the installments of a sale, oldest first, by installment number. A number other
// than 0 selects that installment alone, and key.Occurrence is then its own. The versions lack LastPull.
func (l *Store) SaleVersions(ctx context.Context, key ledger.SaleKey, number int) ([]ledger.InstallmentVersion, error) {
	args := []any{int64(key.Account), int64(key.Day), key.NSU, key.Auth, int64(key.Occurrence)}
	one := " AND i.sale = $5"
	if number != 0 {
		one = " AND i.occurrence = $5 AND i.number = $6"
		args = append(args, int64(number))
	}
	var out []ledger.InstallmentVersion
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		v := &InstallmentRow{}
		if err := rows.Scan(v.ScanTargets()...); err != nil {
			return err
		}
		err := v.Complete(key.Account, nil)
		out = append(out, v.InstallmentVersion)
		return err
	}, `
		SELECT `+InstallmentColumns+`
		FROM installment AS i
		WHERE i.account = $1 AND i.sale_day = $2 AND i.nsu = $3 AND i.auth = $4`+one+`
		ORDER BY i.number, i.occurrence, i.version`, args...)
	return out, l.db.WrapError("read the versions of "+key.Subject(), err)
}

// SlipVersions returns every version of a slip, by list, oldest first. The versions lack LastPull.
func (l *Store) SlipVersions(ctx context.Context, a ledger.Account, id string) ([]ledger.SlipVersion, error) {
	sights := &SlipsLastSeen{Account: a}
	var out []ledger.SlipVersion
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		v := &SlipRow{}
		if err := rows.Scan(v.ScanTargets()...); err != nil {
			return err
		}
		sights.Complete(v)
		out = append(out, v.SlipVersion)
		return nil
	}, `
		SELECT `+SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1 AND v.id = $2
		ORDER BY v.list, v.version`, int64(a), id)
	return out, l.db.WrapError("read the versions of "+ledger.SlipSubject(a, id), err)
}

// PullsByID returns the account's pulls with those ids; unknown ids are left out.
func (l *Store) PullsByID(ctx context.Context, a ledger.Account, ids []string) (map[string]ledger.Pull, error) {
	out := make(map[string]ledger.Pull, len(ids))
	for _, id := range ids {
		err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
			p, err := ScanPull(rows)
			out[id] = p
			return err
		}, SelectPull+`
		WHERE account = $1 AND id = $2`, int64(a), id)
		if err != nil {
			return nil, l.db.WrapError("read pull "+id, err)
		}
	}
	return out, nil
}

// PullsOfDay gives the pulls of the source whose window holds the day, in order of their beginning.
func (l *Store) PullsOfDay(ctx context.Context, a ledger.Account, source ledger.Source, d ledger.Date) ([]ledger.Pull, error) {
	var out []ledger.Pull
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		p, err := ScanPull(rows)
		out = append(out, p)
		return err
	}, SelectPull+`
		WHERE account = $1 AND source = $2 AND from_day <= $3 AND to_day >= $3
		ORDER BY began, id`, int64(a), string(source), int64(d))
	return out, l.db.WrapError("read the pulls of "+d.String(), err)
}

// HasBody reports whether the bytes of a body are kept.
func (l *Store) HasBody(ctx context.Context, sha256 string) (bool, error) {
	var n int
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM body_bytes
		WHERE sha256 = $1`, sha256).Scan(&n)
	return n > 0, l.db.WrapError("look for body "+sha256, err)
}
