package bank

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// concluded is a table of what runs concluded of bank accounts. Its rows are current from the run that concluded them until the
// first that concluded otherwise, so that a past run can be read as it was.
type concluded[T any] struct {
	name   string
	key    sqldb.Columns[T] // behind account and bank
	values sqldb.Columns[T]
}

var depositTable = concluded[ledger.Deposit]{
	name: "bank_deposit",
	key:  sqldb.Columns[ledger.Deposit]{{Name: "name", At: func(d *ledger.Deposit) any { return &d.Name }}},
	values: sqldb.Columns[ledger.Deposit]{
		{Name: "payer", At: func(d *ledger.Deposit) any { return &d.Payer }},
		{Name: "day", At: func(d *ledger.Deposit) any { return &d.Day }},
		{Name: "credit_day", At: func(d *ledger.Deposit) any { return &d.CreditDay }},
		{Name: "parts", At: func(d *ledger.Deposit) any { return &d.Parts }},
		{Name: "items", At: func(d *ledger.Deposit) any { return &d.Items }},
		{Name: "expected", At: func(d *ledger.Deposit) any { return &d.Expected }},
		{Name: "debits", At: func(d *ledger.Deposit) any { return &d.Debits }},
		{Name: "declared", At: func(d *ledger.Deposit) any { return &d.Declared }},
		{Name: "splits", At: func(d *ledger.Deposit) any { return &d.Splits }},
		{Name: "credited", At: func(d *ledger.Deposit) any { return &d.Credited }},
		{Name: "lines", At: func(d *ledger.Deposit) any { return &d.Lines }},
		{Name: "text", At: func(d *ledger.Deposit) any { return &d.Text }},
		{Name: "status", At: func(d *ledger.Deposit) any { return &d.Status }},
		{Name: "shift_days", At: func(d *ledger.Deposit) any { return &d.Shift }},
		{Name: "pass", At: func(d *ledger.Deposit) any { return &d.Pass }},
		{Name: "matched_as", At: func(d *ledger.Deposit) any { return &d.Match }},
		{Name: "subject", At: func(d *ledger.Deposit) any { return &d.Subject }},
		{Name: "reason", At: func(d *ledger.Deposit) any { return &d.Reason.ID }},
		{Name: "reason_names", At: func(d *ledger.Deposit) any { return &d.Reason.Names }},
		{Name: "reason_amount", At: func(d *ledger.Deposit) any { return &d.Reason.Amount }},
		{Name: "codes", At: func(d *ledger.Deposit) any { return &d.Codes }},
		{Name: "impact", At: func(d *ledger.Deposit) any { return &d.Impact }},
		{Name: "closed_day", At: func(d *ledger.Deposit) any { return &d.Closed }},
	},
}

var partTable = concluded[ledger.DepositPart]{
	name: "bank_deposit_part",
	key:  sqldb.Columns[ledger.DepositPart]{{Name: "part", At: func(p *ledger.DepositPart) any { return &p.Part }}},
	values: sqldb.Columns[ledger.DepositPart]{
		{Name: "deposit", At: func(p *ledger.DepositPart) any { return &p.Deposit }},
		{Name: "kind", At: func(p *ledger.DepositPart) any { return (*string)(&p.Kind) }},
		{Name: "bank_day", At: func(p *ledger.DepositPart) any { return &p.BankDay }},
		{Name: "amount", At: func(p *ledger.DepositPart) any { return &p.Amount }},
		{Name: "closed_day", At: func(p *ledger.DepositPart) any { return &p.Closed }},
	},
}

var takenBackTable = concluded[ledger.BankTakenBack]{
	name: "bank_taken_back",
	key: sqldb.Columns[ledger.BankTakenBack]{
		{Name: "payer", At: func(x *ledger.BankTakenBack) any { return &x.Payer }},
		{Name: "subject", At: func(x *ledger.BankTakenBack) any { return &x.Subject }},
	},
	values: sqldb.Columns[ledger.BankTakenBack]{
		{Name: "of_account", At: func(x *ledger.BankTakenBack) any { return &x.Account }},
		{Name: "amount", At: func(x *ledger.BankTakenBack) any { return &x.Amount }},
		{Name: "day", At: func(x *ledger.BankTakenBack) any { return &x.Day }},
		{Name: "from_day", At: func(x *ledger.BankTakenBack) any { return &x.From }},
		{Name: "to_day", At: func(x *ledger.BankTakenBack) any { return &x.To }},
	},
}

var creditTable = concluded[ledger.BankCredit]{
	name: "bank_credit",
	key: sqldb.Columns[ledger.BankCredit]{
		{Name: "of_account", At: func(c *ledger.BankCredit) any { return &c.Account }},
		{Name: "day", At: func(c *ledger.BankCredit) any { return &c.Day }},
		{Name: "side", At: func(c *ledger.BankCredit) any { return (*string)(&c.Side) }},
		{Name: "brand", At: func(c *ledger.BankCredit) any { return &c.Brand }},
		{Name: "product", At: func(c *ledger.BankCredit) any { return (*string)(&c.Product) }},
		{Name: "band", At: func(c *ledger.BankCredit) any { return &c.Band }},
		{Name: "class", At: func(c *ledger.BankCredit) any { return (*string)(&c.Class) }},
	},
	values: sqldb.Columns[ledger.BankCredit]{
		{Name: "items", At: func(c *ledger.BankCredit) any { return &c.Items }},
		{Name: "expected", At: func(c *ledger.BankCredit) any { return &c.Expected }},
		{Name: "credited", At: func(c *ledger.BankCredit) any { return &c.Credited }},
	},
}

var paidTable = concluded[ledger.BankPaid]{
	name: "bank_paid",
	key: sqldb.Columns[ledger.BankPaid]{
		{Name: "of_account", At: func(p *ledger.BankPaid) any { return &p.Account }},
		{Name: "side", At: func(p *ledger.BankPaid) any { return (*string)(&p.Side) }},
	},
	values: sqldb.Columns[ledger.BankPaid]{{Name: "since", At: func(p *ledger.BankPaid) any { return &p.Since }}},
}

var bridgeTable = concluded[ledger.BankBridgeAmount]{
	name: "bank_bridge",
	key: sqldb.Columns[ledger.BankBridgeAmount]{
		{Name: "month", At: func(b *ledger.BankBridgeAmount) any { return &b.Month }},
		{Name: "line", At: func(b *ledger.BankBridgeAmount) any { return &b.Line }},
	},
	values: sqldb.Columns[ledger.BankBridgeAmount]{{Name: "amount", At: func(b *ledger.BankBridgeAmount) any { return &b.Amount }}},
}

var seenDayTable = concluded[ledger.SeenBankDay]{
	name: "bank_seen_day",
	key:  sqldb.Columns[ledger.SeenBankDay]{{Name: "day", At: func(d *ledger.SeenBankDay) any { return &d.Day }}},
	values: sqldb.Columns[ledger.SeenBankDay]{
		{Name: "state", At: func(d *ledger.SeenBankDay) any { return (*string)(&d.State) }},
		{Name: "lines", At: func(d *ledger.SeenBankDay) any { return &d.Lines }},
		{Name: "other", At: func(d *ledger.SeenBankDay) any { return &d.Other }},
		{Name: "credits", At: func(d *ledger.SeenBankDay) any { return &d.Credits }},
		{Name: "debits", At: func(d *ledger.SeenBankDay) any { return &d.Debits }},
		{Name: "balance", At: func(d *ledger.SeenBankDay) any { return &d.Balance }},
		{Name: "residual", At: func(d *ledger.SeenBankDay) any { return &d.Residual }},
		{Name: "file", At: func(d *ledger.SeenBankDay) any { return &d.File }},
	},
}

var standingTable = concluded[ledger.BankStanding]{
	name: "bank_standing",
	values: sqldb.Columns[ledger.BankStanding]{
		{Name: "verdict", At: func(s *ledger.BankStanding) any { return (*string)(&s.Verdict) }},
		{Name: "frontier", At: func(s *ledger.BankStanding) any { return &s.Frontier }},
		{Name: "voided", At: func(s *ledger.BankStanding) any { return &s.Voided }},
		{Name: "early", At: func(s *ledger.BankStanding) any { return &s.Early }},
		{Name: "undated", At: func(s *ledger.BankStanding) any { return &s.Undated }},
		{Name: "scheduled", At: func(s *ledger.BankStanding) any { return &s.Scheduled }},
		{Name: "readings", At: func(s *ledger.BankStanding) any { return &s.Readings }},
	},
}

// KeepConclusion keeps what a run concluded of a bank account, and its cases, all or nothing. A run whose lease of the home was
// taken over keeps nothing, nor does one that keeps days of a conclusion which another has replaced since.
func (s *ConclusionStore) KeepConclusion(ctx context.Context, run *ledger.Run, a Account, kept *ledger.BankConclusion, cases []ledger.CaseChange) error {
	return s.db.Transact(ctx, "keep what is concluded of bank account "+a.ID, func(t *sqldb.Tx) error {
		if err := runs.CheckLease(ctx, t, run.ID, a.Home); err != nil && !errors.Is(err, runs.ErrNoLease) {
			return err
		}
		k := &keeping{Tx: t, at: a, run: run.ID}
		if !kept.Whole {
			if err := k.checkBasis(ctx, kept.After); err != nil {
				return err
			}
		}
		moved := k.listConditions(kept, "closed_day", true)
		err := keepRows(ctx, k, &partTable, kept.Parts, moved)
		if err == nil {
			err = keepRows(ctx, k, &depositTable, kept.Deposits, moved)
		}
		if err == nil {
			err = keepRows(ctx, k, &takenBackTable, kept.TakenBack, k.listConditions(kept, "day", false))
		}
		if err == nil {
			err = keepRows(ctx, k, &creditTable, kept.Credits, k.listConditions(kept, "day", false))
		}
		if err == nil {
			err = keepRows(ctx, k, &paidTable, kept.Paid, everyRow)
		}
		if err == nil {
			err = keepRows(ctx, k, &bridgeTable, kept.Bridge, everyRow)
		}
		if err == nil {
			err = keepRows(ctx, k, &seenDayTable, kept.Days, everyRow)
		}
		if err == nil {
			err = keepRows(ctx, k, &standingTable, []ledger.BankStanding{kept.BankStanding}, everyRow)
		}
		if err == nil {
			err = k.keepBasis(ctx, kept)
		}
		if err != nil {
			return err
		}
		return caselog.KeepCases(ctx, t, run, a.Home, cases)
	})
}

// keeping is where and by whom rows are kept.
type keeping struct {
	*sqldb.Tx
	at  Account
	run string
}

// rowCondition chooses rows c of a table: by a condition that has the first argument as $3 and the second as $4.
type rowCondition struct {
	sql  string
	args []any
}

// everyRow chooses all rows.
var everyRow = []rowCondition{{sql: "1 = 1"}}

// listConditions choose the rows that a conclusion replaces: those of its days by a column, and with open those without a day.
func (k *keeping) listConditions(kept *ledger.BankConclusion, column string, open bool) []rowCondition {
	if kept.Whole {
		return everyRow
	}
	var out []rowCondition
	if open {
		out = append(out, rowCondition{sql: "c." + column + " IS NULL"})
	}
	for _, p := range kept.Matched {
		out = append(out, rowCondition{"c." + column + " BETWEEN $3 AND $4", []any{int64(p.From), int64(p.To)}})
	}
	return out
}

// ownColumns are all but those that every row of a table has in front of its own.
func (c *concluded[T]) ownColumns() sqldb.Columns[T] {
	return append(append(sqldb.Columns[T]{}, c.key...), c.values...)
}

// keepRows ends the rows of those it replaces that a run no longer concludes, and writes those that are new or other. What the same run
// wrote before it was killed is replaced.
func keepRows[T any](ctx context.Context, k *keeping, table *concluded[T], rows []T, replaced []rowCondition) error {
	now := make(map[string]*T, len(rows))
	for i := range rows {
		now[table.keyOf(&rows[i])] = &rows[i]
	}
	var over []T
	all := table.ownColumns()
	compare := func(f *sqldb.RowReader) error {
		var was T
		all.Read(&was, f)
		if f.Err() != nil {
			return f.Err()
		}
		switch key := table.keyOf(&was); {
		case now[key] == nil || table.textOf(now[key]) != table.textOf(&was):
			over = append(over, was)
		default:
			delete(now, key)
		}
		return nil
	}
	for _, where := range replaced {
		err := sqldb.ReadRows(ctx, k.Tx, compare, `
			SELECT `+all.SelectList("c")+`
			FROM `+table.name+` AS c
			WHERE c.account = $1 AND c.bank = $2 AND c.ended_run IS NULL AND `+where.sql, append([]any{int64(k.at.Home), k.at.ID}, where.args...)...)
		if err != nil {
			return err
		}
	}
	err := endRows(ctx, k, table, over)
	if err != nil {
		return err
	}
	var fresh []*T
	for i := range rows {
		if now[table.keyOf(&rows[i])] == &rows[i] {
			fresh = append(fresh, &rows[i])
		}
	}
	columns := append([]string{"account", "bank", "run"}, all.Names()...)
	return k.LoadRows(ctx, table.name, columns, len(fresh), func(i int, r sqldb.Row) error {
		r.Int(int64(k.at.Home))
		r.Text(k.at.ID)
		r.Text(k.run)
		all.Put(fresh[i], r)
		return nil
	})
}

// endRows ends current rows, and deletes those of the run itself.
func endRows[T any](ctx context.Context, k *keeping, table *concluded[T], over []T) error {
	of := "WHERE account = $1 AND bank = $2 AND ended_run IS NULL"
	for i, name := range table.key.Names() {
		of += fmt.Sprintf(" AND %s = $%d", name, i+4)
	}
	args := func(i int) []any {
		key := keyArgs{int64(k.at.Home), k.at.ID, k.run}
		table.key.Put(&over[i], &key)
		return key
	}
	err := k.ExecBatch(ctx, "DELETE FROM "+table.name+" "+of+" AND run = $3", len(over), args)
	if err != nil {
		return err
	}
	return k.ExecBatch(ctx, "UPDATE "+table.name+" SET ended_run = $3 "+of, len(over), args)
}

// keyArgs takes the values of a key as arguments of a statement.
type keyArgs []any

func (a *keyArgs) Int(v int64)    { *a = append(*a, v) }
func (a *keyArgs) Text(v string)  { *a = append(*a, v) }
func (a *keyArgs) Bytes(v []byte) { *a = append(*a, v) }
func (a *keyArgs) Null()          { *a = append(*a, nil) }

func (c *concluded[T]) keyOf(row *T) string { return textOf(c.key, row) }

func (c *concluded[T]) textOf(row *T) string { return textOf(c.values, row) }

// textOf identifies a row by the values of some columns.
func textOf[T any](columns sqldb.Columns[T], row *T) string {
	var text valueText
	columns.Put(row, &text)
	return string(text)
}

// valueText is a text that is equal of equal values alone: each begins with its kind, and with its length where that differs.
type valueText []byte

func (t *valueText) Int(v int64) { *t = append(strconv.AppendInt(append(*t, 'i'), v, 10), ' ') }
func (t *valueText) Null()       { *t = append(*t, 'n') }

func (t *valueText) Text(v string) {
	*t = append(append(strconv.AppendInt(append(*t, 't'), int64(len(v)), 10), ' '), v...)
}

func (t *valueText) Bytes(v []byte) {
	*t = append(append(strconv.AppendInt(append(*t, 'b'), int64(len(v)), 10), ' '), v...)
}
