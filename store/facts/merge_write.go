package facts

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// putTexts sets the next values of a row.
func putTexts(r sqldb.Row, all ...string) {
	for _, s := range all {
		r.Text(s)
	}
}

// writeChanges sends what the merge decided: what is over first, then what is new.
func (c *cardMerge) writeChanges(ctx context.Context) error {
	// One that had vanished keeps the pull that missed it first.
	err := c.ExecBatch(ctx, `
		UPDATE installment
		SET
			last_pull = COALESCE(last_pull, $8, first_pull),
			ended_pull = COALESCE(ended_pull, $9),
			vanished = $10
		WHERE`+installmentKeySQL, len(c.ended), func(i int) []any {
		e := &c.ended[i]
		return append(e.keyArgs(), c.lastPullArg(e.key.Day), c.pull.ID, sqldb.BoolArg(e.vanished))
	})
	if err != nil {
		return err
	}
	// The row's own day showed it: a row brought by another day's window could not vanish before.
	err = c.ExecBatch(ctx, `
		UPDATE installment
		SET proven = 1
		WHERE`+installmentKeySQL, len(c.proved), func(i int) []any { return c.proved[i].keyArgs() })
	if err != nil {
		return err
	}
	err = c.LoadRows(ctx, "installment", newInstallmentColumns(), len(c.inserted), func(i int, r sqldb.Row) error {
		return c.fillRow(&c.inserted[i], r)
	})
	if err != nil {
		return err
	}
	return c.writeForecastDays(ctx)
}

// writeForecastDays keeps which sale days the forecast dates of the new versions are found on.
func (c *cardMerge) writeForecastDays(ctx context.Context) error {
	type pair struct{ forecast, day ledger.Date }
	var all []pair
	seen := make(map[pair]bool)
	for i := range c.inserted {
		p := pair{c.inserted[i].row.Forecast, c.inserted[i].key.Day}
		if !seen[p] {
			seen[p] = true
			all = append(all, p)
		}
	}
	return c.ExecBatch(ctx, `
		INSERT INTO forecast_day (account, forecast, sale_day)
		VALUES ($1, $2, $3)
		ON CONFLICT DO NOTHING`, len(all), func(i int) []any {
		return []any{int64(c.pull.Window.Account), int64(all[i].forecast), int64(all[i].day)}
	})
}

const installmentKeySQL = ` account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5
			AND occurrence = $6 AND version = $7`

// keyArgs is the key of a known version in SQL.
func (k *storedVersion) keyArgs() []any {
	return []any{
		int64(k.key.Account), int64(k.key.Day), k.key.NSU, k.key.Auth, int64(k.key.Number), int64(k.key.Occurrence),
		int64(k.version),
	}
}

// lastPullArg is the pull before this one that showed all that stood on the day, or NULL.
func (m *pullMerge) lastPullArg(day ledger.Date) any {
	if s, ok := m.lastSeen[day]; ok {
		return s.ID
	}
	return nil
}

// newInstallmentColumns are the columns of a new version, in the order of fill.
func newInstallmentColumns() []string {
	return []string{
		"account", "sale_day", "nsu", "auth", "number", "occurrence", "version", "sale", "sale_mark", "content",
		"first_pull", "vanished", "proven", "first_seen", "last_changed", "pulled_on", "sold_at", "terminal", "card",
		"card_type", "card_name", "number_sent", "count_sent", "gross", "sale_total", "status", "mdr", "mdr_rate", "fee",
		"sale_fee", "antifraud", "sale_antifraud", "anticipation", "anticipation_rate", "received", "forecast",
		"effective", "received_type", "received_status", "reference", "web_payment_id", "splits", "card_clear", "leads",
	}
}

func (c *cardMerge) fillRow(f *newVersion, v sqldb.Row) error {
	r := f.row
	v.Int(int64(r.Account))
	v.Int(int64(f.key.Day))
	putTexts(v, r.NSU, r.Auth)
	v.Int(int64(f.key.Number))
	v.Int(int64(f.key.Occurrence))
	v.Int(int64(f.version))
	v.Int(int64(f.sale))
	v.Int(f.fingerprint)
	v.Bytes(f.content[:])
	v.Text(c.pull.ID)
	v.Int(0)
	v.Int(sqldb.BoolArg(f.proven))
	sqldb.PutDate(v, f.firstSeen)
	sqldb.PutDate(v, c.pull.AsOf)
	sqldb.PutDate(v, c.pull.On)
	v.Int(int64(r.SoldAt))
	putTexts(v, r.Terminal, r.Card, r.CardType, r.CardName)
	v.Int(int64(r.Number))
	v.Int(int64(r.Count))
	v.Int(int64(r.Gross))
	sqldb.PutOpt(v, r.SaleTotal)
	v.Text(r.Status)
	sqldb.PutOpt(v, r.MDR)
	sqldb.PutOpt(v, r.MDRRate)
	for _, a := range [...]ledger.Opt[ledger.Amount]{r.Fee, r.SaleFee, r.Antifraud, r.SaleAntifrd, r.Anticipation} {
		sqldb.PutOpt(v, a)
	}
	sqldb.PutOpt(v, r.AnticipRate)
	sqldb.PutOpt(v, r.Received)
	sqldb.PutDate(v, r.Forecast)
	sqldb.PutDate(v, r.Effective)
	putTexts(v, r.ReceivedType, r.ReceivedStat, r.Reference, r.WebPaymentID)
	if len(r.Splits) == 0 {
		v.Null()
	} else {
		var err error
		if c.text, err = AppendSplits(c.text[:0], r.Splits); err != nil {
			return err
		}
		v.Text(string(c.text))
	}
	v.Int(sqldb.BoolArg(r.CardClear))
	v.Int(sqldb.BoolArg(f.leads))
	return nil
}

// newSlipColumns are the columns of a new version, in the order of fill.
func newSlipColumns() []string {
	return []string{
		"account", "id", "list", "version", "list_day", "content", "first_pull", "vanished", "proven", "first_seen",
		"last_changed", "value", "issued", "due", "payer_document", "payer_name", "payer_street", "payer_zip",
		"payer_city", "payer_state", "payer_district", "payer_phone", "paid_on", "credited_on", "paid_value", "bar_code",
		"digitable_line", "pix_code", "status", "integration", "our_number", "reference_code", "late_allowed",
		"late_limit", "penalty", "penalty_received", "interest", "interest_received", "cancelled_on", "cancel_reason",
	}
}

func (s *slipMerge) fillRow(f *newSlipVersion, r sqldb.Row) {
	v, k := f.SlipView, f.storedSlip
	r.Int(int64(v.Account))
	putTexts(r, v.ID, string(v.List))
	r.Int(int64(k.version))
	sqldb.PutDate(r, k.day)
	r.Bytes(k.content[:])
	r.Text(s.pull.ID)
	r.Int(0)
	r.Int(sqldb.BoolArg(k.proven))
	sqldb.PutDate(r, k.firstSeen)
	sqldb.PutDate(r, s.pull.AsOf)
	r.Int(int64(v.Value))
	sqldb.PutDate(r, v.Issued)
	sqldb.PutDate(r, v.Due)
	putTexts(r, v.PayerDocument, v.PayerName, v.PayerStreet, v.PayerZip, v.PayerCity, v.PayerState, v.PayerDistrict,
		v.PayerPhone)
	sqldb.PutDate(r, v.PaidOn)
	sqldb.PutDate(r, v.CreditedOn)
	sqldb.PutOpt(r, v.PaidValue)
	putTexts(r, v.BarCode, v.DigitableLine, v.PixCode)
	sqldb.PutOpt(r, v.Status)
	sqldb.PutOpt(r, v.Integration)
	putTexts(r, v.OurNumber, v.ReferenceCode)
	if v.LateAllowed.OK {
		r.Int(sqldb.BoolArg(v.LateAllowed.V))
	} else {
		r.Null()
	}
	sqldb.PutDate(r, v.LateLimit)
	for _, a := range [...]ledger.Opt[ledger.Amount]{v.Penalty, v.PenaltyReceived, v.Interest, v.InterestReceived} {
		sqldb.PutOpt(r, a)
	}
	sqldb.PutDate(r, v.CancelledOn)
	r.Text(v.CancelReason)
}
