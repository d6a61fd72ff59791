package totals

import (
	"context"
	"errors"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// walkPageSize is how many expectations one query reads. A server that is asked for many days at once may sort them all before it gives the
// first; asked for no more than this, it takes them in the order of the key.
const walkPageSize = 20_000

// cardWalk reads the evaluated rows of some days without a join: expectations and versions are each read in the order of the key,
// and put together here as they come. The versions, which a reconcile does not write, are read ahead on a connection of the readers. Its sums of days are what cardSumsSQL sums.
type cardWalk struct {
	t       *sqldb.Tx
	account ledger.Account
	until   ledger.Date
	totals  *Cards
	after   facts.RowKey // of the last expectation that was read
	ahead   *sqldb.Ahead[walkedVersion]
	version walkedVersion // the first one that is not passed yet
	more    bool          // there is one
	current walkedVersion // the last current one that was passed
	before  ledger.Amount // the most that an earlier version of it had received, from 0
	paid    ledger.Amount // the most that a version of the installment at hand had received so far, from 0
	paidOf  facts.RowKey
}

// walkedExpectation is the current expectation of an installment, as far as it is summed.
type walkedExpectation struct {
	facts.RowKey
	version          int64
	brand, product   string
	class            ledger.Class
	rest             ledger.BridgeLine
	net, netContract ledger.Amount // N and N*
	grossCents       ledger.Amount // in whole cents
	received         ledger.Amount // R of the bridge
	nextOn           ledger.Date   // 0: never
	band             string
	contractMDRRate  int64 // millionths of a percent
	daysAnticipated  int64
	daysLate         int64
	impact           ledger.Amount
}

// walkedVersion is a version of an installment, as far as it is summed. What the service does not say is zero.
type walkedVersion struct {
	facts.RowKey
	version                                            int64
	stands                                             bool
	gross, received, mdr, fee, antifraud, anticipation ledger.Amount
	sale                                               int64 // occurrence of the sale
	forecast, effective                                ledger.Date
	splits                                             []ledger.Split
	count                                              int64 // of the sale's installments, as sent
	saleTotal, saleFee, saleAntifraud                  ledger.Amount
	mdrRate, anticipationRate                          int64 // millionths, as sent
}

// walkCards adds the days from first to last.
func (c *Cards) walkCards(ctx context.Context, t *sqldb.Tx, a ledger.Account, first, last ledger.Date) error {
	w := cardWalk{t: t, account: a, until: last, totals: c, after: facts.RowKey{Day: first}}
	w.ahead = w.readVersions(ctx, first)
	defer w.ahead.Stop()
	w.advance()
	if err := t.DB.Dialect.PlanPagesByIndex(ctx, t.Tx, true); err != nil {
		return err
	}
	for read := walkPageSize; read == walkPageSize; {
		var err error
		if read, err = w.sumPage(ctx); err != nil {
			return err
		}
	}
	return t.DB.Dialect.PlanPagesByIndex(ctx, t.Tx, false)
}

// scanRows reads without waiting for the background work of the transaction: the walk is part of it.
func (w *cardWalk) scanRows(ctx context.Context, fn func(*sqldb.RowReader) error, query string, args ...any) error {
	return w.t.DB.Dialect.ScanRows(ctx, w.t.Conn, sqldb.ReadEachRow(fn), query, args...)
}

// sumPage sums the next page of current expectations while they are read, and returns how many they are.
func (w *cardWalk) sumPage(ctx context.Context) (read int, err error) {
	var e walkedExpectation
	err = w.scanRows(ctx, func(f *sqldb.RowReader) error {
		e = walkedExpectation{
			RowKey: facts.ReadRowKey(f), version: f.NextInt(), brand: f.NextText(), product: f.NextText(), class: ledger.Class(f.NextText()),
			rest: ledger.BridgeLine(f.NextText()), net: ledger.Amount(f.NextInt()), netContract: ledger.Amount(f.NextInt()),
			grossCents: ledger.Amount(f.NextInt()) * ledger.Cent, received: ledger.Amount(f.NextInt()),
			nextOn: f.NextDate(), band: f.NextText(), contractMDRRate: f.NextInt(), daysAnticipated: f.NextInt(), daysLate: f.NextInt(),
			impact: ledger.Amount(f.NextInt()),
		}
		if err := f.Err(); err != nil {
			return err
		}
		read++
		return w.sumExpectation(&e)
	}, `
		SELECT
			sale_day,
			nsu,
			auth,
			number,
			occurrence,
			version,
			brand,
			product,
			class,
			rest,
			net,
			net_contract,
			gross_cents,
			received,
			next_on,
			band,
			contract_mdr_rate,
			days_anticipated,
			days_late,
			impact
		FROM expectation
		WHERE account = $1 AND ended_run IS NULL AND sale_day <= $2
			AND (sale_day, nsu, auth, number, occurrence) > ($3, $4, $5, $6, $7)
		ORDER BY sale_day, nsu, auth, number, occurrence
		LIMIT $8`, append(append([]any{int64(w.account), int64(w.until)}, w.after.ToArgs()...), int64(walkPageSize))...)
	w.after = e.RowKey
	return read, err
}

// readVersions reads the versions of the days from the first. All of an installment are read: what was paid before a claw-back is
// in one that is no longer current.
func (w *cardWalk) readVersions(ctx context.Context, first ledger.Date) *sqldb.Ahead[walkedVersion] {
	return sqldb.ReadAheadInIndexOrder(ctx, w.t.DB, func(f *sqldb.RowReader) (walkedVersion, error) {
		amount := func() ledger.Amount { return ledger.Amount(f.NextInt()) }
		v := walkedVersion{
			RowKey: facts.ReadRowKey(f), version: f.NextInt(), stands: f.NextBool(), received: amount(), gross: amount(), mdr: amount(), fee: amount(),
			antifraud: amount(), anticipation: amount(), sale: f.NextInt(), forecast: f.NextDate(), effective: f.NextDate(),
		}
		splits, err := facts.UnmarshalSplits(f.NextText())
		v.splits = splits
		v.count, v.saleTotal, v.saleFee, v.saleAntifraud, v.mdrRate = f.NextInt(), amount(), amount(), amount(), f.NextInt()
		v.anticipationRate = f.NextInt()
		return v, errors.Join(f.Err(), err)
	}, `
		SELECT
			sale_day,
			nsu,
			auth,
			number,
			occurrence,
			version,
			CAST(CASE WHEN ended_pull IS NULL THEN 1 ELSE 0 END AS BIGINT),
			received,
			gross,
			mdr,
			fee,
			antifraud,
			anticipation,
			sale,
			forecast,
			effective,
			splits,
			count_sent,
			sale_total,
			sale_fee,
			sale_antifraud,
			mdr_rate,
			anticipation_rate
		FROM installment
		WHERE account = $1 AND sale_day BETWEEN $2 AND $3
		ORDER BY sale_day, nsu, auth, number, occurrence, version`, int64(w.account), int64(first), int64(w.until))
}

func (w *cardWalk) advance() { w.version, w.more = w.ahead.Next() }

// sumExpectation sums an expectation with its version, if it is of the current one.
func (w *cardWalk) sumExpectation(e *walkedExpectation) error {
	for w.more && w.version.Compare(&e.RowKey) <= 0 {
		w.passVersion()
	}
	if err := w.ahead.Err(); err != nil {
		return err // else what could not be read would be taken for what is not there
	}
	v := &w.current
	if v.RowKey != e.RowKey || v.version != e.version {
		return nil
	}
	return w.totals.addCard(e, v, w.before)
}

// passVersion notes what the version at hand says, and goes on to the next.
func (w *cardWalk) passVersion() {
	v := &w.version
	if v.RowKey != w.paidOf {
		w.paid, w.paidOf = 0, v.RowKey
	}
	if v.stands {
		w.current, w.before = *v, w.paid
	}
	w.paid = max(w.paid, v.received)
	w.advance()
}
