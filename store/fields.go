package store

import (
	"context"
	"database/sql"

	"concilia/store/engine"
	"concilia/store/ledger"
)

// fields reads the values of a row one after the other, in the order of its columns. It is for the streams of many
// rows, past database/sql; NULL is zero or absent.
type fields struct {
	engine.Fields
	i   int
	err error
	h   ledger.Hash // on its way
}

func (f *fields) int() int64 {
	f.i++
	return f.Int(f.i - 1)
}

func (f *fields) text() string {
	f.i++
	return f.Text(f.i - 1)
}

func (f *fields) null() bool { return f.Null(f.i) }

func (f *fields) bool() bool        { return f.int() != 0 }
func (f *fields) date() ledger.Date { return ledger.Date(f.int()) }

func (f *fields) hash() ledger.Hash {
	f.i++
	if err := f.Bytes(f.i-1, f.h[:]); err != nil && f.err == nil {
		f.err = err
	}
	return f.h
}

func fieldOpt[T ~int64](f *fields) ledger.Opt[T] {
	if f.null() {
		f.i++
		return ledger.Opt[T]{}
	}
	return ledger.Some(T(f.int()))
}

// stream hands fn every row of a query on a connection of the readers.
func (l *Ledger) stream(ctx context.Context, fn func(*fields) error, query string, args ...any) error {
	return l.reading(ctx, fn, func(conn *sql.Conn, fn func(*fields) error) error {
		return l.scanFields(ctx, conn, fn, query, args...)
	})
}

// inOrder is stream for a query in the order of the indexes of what it joins.
func (l *Ledger) inOrder(ctx context.Context, fn func(*fields) error, query string, args ...any) error {
	return l.reading(ctx, fn, func(conn *sql.Conn, fn func(*fields) error) error {
		t, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = t.Rollback() }() // nothing was written
		if err := l.db.Dialect.Indexed(ctx, t); err != nil {
			return err
		}
		return l.scanFields(ctx, conn, fn, query, args...)
	})
}

// reading gives read a connection of the readers, and another one when the server was lost before fn had a row.
func (l *Ledger) reading(ctx context.Context, fn func(*fields) error, read func(*sql.Conn, func(*fields) error) error) error {
	told := false
	tell := func(f *fields) error {
		told = true
		return fn(f)
	}
	mends := func(err error) bool { return !told && l.db.Read.Mends(err) }
	return engine.Again(ctx, mends, func() error {
		conn, err := l.db.Read.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }() // it only goes back to its pool
		return read(conn, tell)
	})
}

func (l *Ledger) scanFields(ctx context.Context, conn *sql.Conn, fn func(*fields) error, query string, args ...any) error {
	f := &fields{}
	return l.db.Dialect.Scan(ctx, conn, func(row engine.Fields) error {
		f.Fields, f.i, f.err = row, 0, nil
		if err := fn(f); err != nil {
			return err
		}
		return f.err
	}, query, args...)
}

// read takes a row of installmentColumns, as targets does.
func (v *version) read(f *fields) {
	i := &v.Installment
	_ = f.date() // the sale day is that of SoldAt
	i.NSU, i.Auth, i.Occurrence = f.text(), f.text(), int(f.int())
	v.Version, v.sale, v.Content = int(f.int()), int(f.int()), f.hash()
	v.FirstPull, v.LastPull, v.ended, v.Vanished = f.text(), f.text(), f.text(), f.bool()
	v.FirstSeen, v.LastChanged, v.PulledOn = f.date(), f.date(), f.date()
	i.SoldAt, i.Terminal, i.Card, i.CardType, i.CardName = ledger.LocalTime(f.int()), f.text(), f.text(), f.text(), f.text()
	i.Number, i.Count, i.Gross, i.SaleTotal = int(f.int()), int(f.int()), ledger.Amount(f.int()), fieldOpt[ledger.Amount](f)
	i.Status, i.MDR, i.MDRRate = f.text(), fieldOpt[ledger.Amount](f), fieldOpt[ledger.Rate](f)
	i.Fee, i.SaleFee = fieldOpt[ledger.Amount](f), fieldOpt[ledger.Amount](f)
	i.Antifraud, i.SaleAntifrd = fieldOpt[ledger.Amount](f), fieldOpt[ledger.Amount](f)
	i.Anticipation, i.AnticipRate = fieldOpt[ledger.Amount](f), fieldOpt[ledger.Rate](f)
	i.Received, i.Forecast, i.Effective = fieldOpt[ledger.Amount](f), f.date(), f.date()
	i.ReceivedType, i.ReceivedStat, i.Reference, i.WebPaymentID = f.text(), f.text(), f.text(), f.text()
	v.splits, i.CardClear = f.text(), f.bool()
}

// beliefColumns are the columns that readBelief takes, of a table of expectations named e.
const beliefColumns = `
			e.content,
			e.version,
			e.class,
			e.brand,
			e.product,
			e.band,
			e.brackets,
			e.contribution`

// readBelief takes a row of beliefColumns; nil when an outer join found none.
func readBelief(f *fields) *ledger.Belief {
	const columns = 8
	if f.null() {
		f.i += columns
		return nil
	}
	return &ledger.Belief{
		Content: f.hash(), Version: int(f.int()), Class: ledger.Class(f.text()), Brand: f.text(), Product: ledger.Product(f.text()),
		Band: f.text(), Lines: f.text(), Contribution: f.text(),
	}
}

// shortBeliefColumns are those of a belief without what it added to sums.
const shortBeliefColumns = `
			e.content,
			e.version,
			e.class,
			e.brand,
			e.product`

// readShortBelief takes a row of shortBeliefColumns.
func readShortBelief(f *fields) *ledger.Belief {
	return &ledger.Belief{
		Content: f.hash(), Version: int(f.int()), Class: ledger.Class(f.text()), Brand: f.text(), Product: ledger.Product(f.text()),
	}
}
