package facts

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// InstallmentRow is a row of installment, with what only the store needs of it.
type InstallmentRow struct {
	ledger.InstallmentVersion
	SaleNumber  int // number of the sale among those of its day, NSU and authorization
	Current     bool
	EndedPull   string         // empty: the version is current
	day         ledger.Date    // of the sale
	number      int            // of the key
	fingerprint int64          // see saleFingerprint
	proven      bool           // a complete pull of its own day showed it
	leads       bool           // the first row ever of its day, NSU and authorization: by it they are found without the day
	splits      sqldb.NullText // JSON of StoredSplit
}

// installmentTable is the table installment, column by column. The members that a row keeps as text of another form than
// they have in Go, and those of its key, have columns of their own.
var installmentTable = append(sqldb.Columns[InstallmentRow]{
	{Name: "account", At: func(v *InstallmentRow) any { return &v.Account }},
	{Name: "sale_day", At: func(v *InstallmentRow) any { return &v.day }},
	{Name: "number", At: func(v *InstallmentRow) any { return &v.number }},
	{Name: "occurrence", At: func(v *InstallmentRow) any { return &v.Occurrence }},
	{Name: "version", At: func(v *InstallmentRow) any { return &v.Version }},
	{Name: "sale", At: func(v *InstallmentRow) any { return &v.SaleNumber }},
	{Name: "sale_mark", At: func(v *InstallmentRow) any { return &v.fingerprint }},
	{Name: "content", At: func(v *InstallmentRow) any { return &v.Content }},
	{Name: "first_pull", At: func(v *InstallmentRow) any { return &v.FirstPull }},
	{Name: "last_pull", At: func(v *InstallmentRow) any { return &v.LastPull }},
	{Name: "ended_pull", At: func(v *InstallmentRow) any { return &v.EndedPull }},
	{Name: "vanished", At: func(v *InstallmentRow) any { return &v.Vanished }},
	{Name: "proven", At: func(v *InstallmentRow) any { return &v.proven }},
	{Name: "first_seen", At: func(v *InstallmentRow) any { return &v.FirstSeen }},
	{Name: "last_changed", At: func(v *InstallmentRow) any { return &v.LastChanged }},
	{Name: "pulled_on", At: func(v *InstallmentRow) any { return &v.PulledOn }},
	{Name: "splits", At: func(v *InstallmentRow) any { return &v.splits }},
	{Name: "leads", At: func(v *InstallmentRow) any { return &v.leads }},
}, sqldb.MemberColumns(ledger.InstallmentMembers(), func(v *InstallmentRow) *ledger.Installment {
	return &v.Installment
}).Without("account", "splits")...)

var (
	// A version is written when it begins; its end is written later.
	writtenInstallmentColumns = installmentTable.Without("last_pull", "ended_pull")
	// What SoldAt and the key say already, and what only a merge needs, is not read.
	readInstallmentColumns = installmentTable.Without("account", "sale_day", "number", "sale_mark", "proven", "leads")
	// A report as of a run does not show how the service's answers brought a version, nor what later answers made of it.
	reportedInstallmentColumns = readInstallmentColumns.Without(
		"content", "first_pull", "last_pull", "ended_pull", "vanished", "pulled_on", "card_type", "card_name")
)

// InstallmentColumns are the columns that ReadColumns reads, of a table named i.
var InstallmentColumns = readInstallmentColumns.SelectList("i")

// ReadColumns reads InstallmentColumns; Complete completes the version after it.
func (v *InstallmentRow) ReadColumns(f *sqldb.RowReader) { readInstallmentColumns.Read(v, f) }

// ReportedInstallmentColumns are the columns that ReadReportedColumns reads, of a table named i.
var ReportedInstallmentColumns = reportedInstallmentColumns.SelectList("i")

// ReadReportedColumns reads ReportedInstallmentColumns; Complete completes the version after it, which then has no pull.
func (v *InstallmentRow) ReadReportedColumns(f *sqldb.RowReader) {
	reportedInstallmentColumns.Read(v, f)
}

// PutReportedColumns gives the values that ReadReportedColumns reads.
func (v *InstallmentRow) PutReportedColumns(to sqldb.Row) { reportedInstallmentColumns.Put(v, to) }

// Complete completes a version of an account that was read. seen says which pull showed the rows of a day last; without it
// the version has no LastPull but its own.
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
	v.Splits, err = UnmarshalSplits(string(v.splits))
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

// UnmarshalSplits reads the splits of a column; an empty one has none.
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
func (l *HistoryReader) SaleVersions(ctx context.Context, key ledger.SaleKey, number int) ([]ledger.InstallmentVersion, error) {
	args := []any{int64(key.Account), int64(key.Day), key.NSU, key.Auth, int64(key.Occurrence)}
	one := " AND i.sale = $5"
	if number != 0 {
		one = " AND i.occurrence = $5 AND i.number = $6"
		args = append(args, int64(number))
	}
	var out []ledger.InstallmentVersion
	err := sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		v := &InstallmentRow{}
		v.ReadColumns(f)
		err := errors.Join(f.Err(), v.Complete(key.Account, nil))
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
func (l *HistoryReader) SlipVersions(ctx context.Context, a ledger.Account, id string) ([]ledger.SlipVersion, error) {
	lastSeen := &SlipsLastSeen{Account: a}
	var out []ledger.SlipVersion
	err := sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		v := &SlipRow{}
		v.ReadColumns(f)
		lastSeen.Complete(v)
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
func (l *HistoryReader) PullsByID(ctx context.Context, a ledger.Account, ids []string) (map[string]ledger.Pull, error) {
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
func (l *HistoryReader) PullsOfDay(ctx context.Context, a ledger.Account, source ledger.Source, d ledger.Date) ([]ledger.Pull, error) {
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
func (l *HistoryReader) HasBody(ctx context.Context, sha256 string) (bool, error) {
	var n int
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM body_bytes
		WHERE sha256 = $1`, sha256).Scan(&n)
	return n > 0, l.db.WrapError("look for body "+sha256, err)
}
