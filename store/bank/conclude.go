package bank

import (
	"context"
	"errors"
	"strconv"

	"concilia/store/caselog"
	"concilia/store/concluded"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

var depositTable = concluded.Table[banking.Deposit]{
	Name: "bank_deposit",
	Key:  sqldb.Columns[banking.Deposit]{{Name: "name", At: func(d *banking.Deposit) any { return &d.Name }}},
	Values: sqldb.Columns[banking.Deposit]{
		{Name: "payer", At: func(d *banking.Deposit) any { return &d.Payer }},
		{Name: "day", At: func(d *banking.Deposit) any { return &d.Day }},
		{Name: "credit_day", At: func(d *banking.Deposit) any { return &d.CreditDay }},
		{Name: "parts", At: func(d *banking.Deposit) any { return &d.Parts }},
		{Name: "items", At: func(d *banking.Deposit) any { return &d.Items }},
		{Name: "expected", At: func(d *banking.Deposit) any { return &d.Expected }},
		{Name: "debits", At: func(d *banking.Deposit) any { return &d.Debits }},
		{Name: "declared", At: func(d *banking.Deposit) any { return &d.Declared }},
		{Name: "splits", At: func(d *banking.Deposit) any { return &d.Splits }},
		{Name: "credited", At: func(d *banking.Deposit) any { return &d.Credited }},
		{Name: "lines", At: func(d *banking.Deposit) any { return &d.Lines }},
		{Name: "text", At: func(d *banking.Deposit) any { return &d.Text }},
		{Name: "status", At: func(d *banking.Deposit) any { return &d.Status }},
		{Name: "shift_days", At: func(d *banking.Deposit) any { return &d.Shift }},
		{Name: "pass", At: func(d *banking.Deposit) any { return &d.Pass }},
		{Name: "matched_as", At: func(d *banking.Deposit) any { return &d.Match }},
		{Name: "subject", At: func(d *banking.Deposit) any { return &d.Subject }},
		{Name: "reason", At: func(d *banking.Deposit) any { return &d.Reason.ID }},
		{Name: "reason_names", At: func(d *banking.Deposit) any { return &d.Reason.Names }},
		{Name: "reason_amount", At: func(d *banking.Deposit) any { return &d.Reason.Amount }},
		{Name: "codes", At: func(d *banking.Deposit) any { return &d.Codes }},
		{Name: "impact", At: func(d *banking.Deposit) any { return &d.Impact }},
		{Name: "closed_day", At: func(d *banking.Deposit) any { return &d.Closed }},
	},
}

var partTable = concluded.Table[banking.DepositPart]{
	Name: "bank_deposit_part",
	Key:  sqldb.Columns[banking.DepositPart]{{Name: "part", At: func(p *banking.DepositPart) any { return &p.Part }}},
	Values: sqldb.Columns[banking.DepositPart]{
		{Name: "deposit", At: func(p *banking.DepositPart) any { return &p.Deposit }},
		{Name: "kind", At: func(p *banking.DepositPart) any { return (*string)(&p.Kind) }},
		{Name: "bank_day", At: func(p *banking.DepositPart) any { return &p.BankDay }},
		{Name: "amount", At: func(p *banking.DepositPart) any { return &p.Amount }},
		{Name: "closed_day", At: func(p *banking.DepositPart) any { return &p.Closed }},
	},
}

var takenBackTable = concluded.Table[banking.TakenBack]{
	Name: "bank_taken_back",
	Key: sqldb.Columns[banking.TakenBack]{
		{Name: "payer", At: func(x *banking.TakenBack) any { return &x.Payer }},
		{Name: "subject", At: func(x *banking.TakenBack) any { return &x.Subject }},
	},
	Values: sqldb.Columns[banking.TakenBack]{
		{Name: "of_account", At: func(x *banking.TakenBack) any { return &x.Account }},
		{Name: "amount", At: func(x *banking.TakenBack) any { return &x.Amount }},
		{Name: "day", At: func(x *banking.TakenBack) any { return &x.Day }},
		{Name: "from_day", At: func(x *banking.TakenBack) any { return &x.From }},
		{Name: "to_day", At: func(x *banking.TakenBack) any { return &x.To }},
	},
}

var creditTable = concluded.Table[banking.Credit]{
	Name: "bank_credit",
	Key: sqldb.Columns[banking.Credit]{
		{Name: "of_account", At: func(c *banking.Credit) any { return &c.Account }},
		{Name: "day", At: func(c *banking.Credit) any { return &c.Day }},
		{Name: "side", At: func(c *banking.Credit) any { return (*string)(&c.Side) }},
		{Name: "brand", At: func(c *banking.Credit) any { return &c.Brand }},
		{Name: "product", At: func(c *banking.Credit) any { return (*string)(&c.Product) }},
		{Name: "band", At: func(c *banking.Credit) any { return &c.Band }},
		{Name: "class", At: func(c *banking.Credit) any { return (*string)(&c.Class) }},
	},
	Values: sqldb.Columns[banking.Credit]{
		{Name: "items", At: func(c *banking.Credit) any { return &c.Items }},
		{Name: "expected", At: func(c *banking.Credit) any { return &c.Expected }},
		{Name: "credited", At: func(c *banking.Credit) any { return &c.Credited }},
	},
}

var paidTable = concluded.Table[banking.PaidSide]{
	Name: "bank_paid",
	Key: sqldb.Columns[banking.PaidSide]{
		{Name: "of_account", At: func(p *banking.PaidSide) any { return &p.Account }},
		{Name: "side", At: func(p *banking.PaidSide) any { return (*string)(&p.Side) }},
	},
	Values: sqldb.Columns[banking.PaidSide]{{Name: "since", At: func(p *banking.PaidSide) any { return &p.Since }}},
}

var bridgeTable = concluded.Table[banking.BridgeAmount]{
	Name: "bank_bridge",
	Key: sqldb.Columns[banking.BridgeAmount]{
		{Name: "month", At: func(b *banking.BridgeAmount) any { return &b.Month }},
		{Name: "line", At: func(b *banking.BridgeAmount) any { return &b.Line }},
	},
	Values: sqldb.Columns[banking.BridgeAmount]{{Name: "amount", At: func(b *banking.BridgeAmount) any { return &b.Amount }}},
}

var seenDayTable = concluded.Table[banking.SeenDay]{
	Name: "bank_seen_day",
	Key:  sqldb.Columns[banking.SeenDay]{{Name: "day", At: func(d *banking.SeenDay) any { return &d.Day }}},
	Values: sqldb.Columns[banking.SeenDay]{
		{Name: "state", At: func(d *banking.SeenDay) any { return (*string)(&d.State) }},
		{Name: "lines", At: func(d *banking.SeenDay) any { return &d.Lines }},
		{Name: "other", At: func(d *banking.SeenDay) any { return &d.Other }},
		{Name: "credits", At: func(d *banking.SeenDay) any { return &d.Credits }},
		{Name: "debits", At: func(d *banking.SeenDay) any { return &d.Debits }},
		{Name: "balance", At: func(d *banking.SeenDay) any { return &d.Balance }},
		{Name: "residual", At: func(d *banking.SeenDay) any { return &d.Residual }},
		{Name: "file", At: func(d *banking.SeenDay) any { return &d.File }},
	},
}

var standingTable = concluded.Table[banking.Outcome]{
	Name: "bank_standing",
	Values: sqldb.Columns[banking.Outcome]{
		{Name: "verdict", At: func(s *banking.Outcome) any { return (*string)(&s.Verdict) }},
		{Name: "frontier", At: func(s *banking.Outcome) any { return &s.Frontier }},
		{Name: "voided", At: func(s *banking.Outcome) any { return &s.Voided }},
		{Name: "early", At: func(s *banking.Outcome) any { return &s.Early }},
		{Name: "undated", At: func(s *banking.Outcome) any { return &s.Undated }},
		{Name: "scheduled", At: func(s *banking.Outcome) any { return &s.Scheduled }},
		{Name: "readings", At: func(s *banking.Outcome) any { return &s.Readings }},
	},
}

// KeepConclusion keeps what a run concluded of a bank account, and its cases, all or nothing. A run whose lease of the home was
// taken over keeps nothing, nor does one that keeps days of a conclusion which another has replaced since.
func (s *ConclusionStore) KeepConclusion(ctx context.Context, run *ledger.Run, a Account, kept *banking.Conclusion, cases []ledger.CaseChange) error {
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
			err = keepRows(ctx, k, &standingTable, []banking.Outcome{kept.Outcome}, everyRow)
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
func (k *keeping) listConditions(kept *banking.Conclusion, column string, open bool) []rowCondition {
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

// keepRows ends the rows of those it replaces that a run no longer concludes, and writes those that are new or other. What the same run
// wrote before it was killed is replaced.
func keepRows[T any](ctx context.Context, k *keeping, table *concluded.Table[T], rows []T, replaced []rowCondition) error {
	now := make(map[string]*T, len(rows))
	for i := range rows {
		now[textOf(table.Key, &rows[i])] = &rows[i]
	}
	var over []T
	all := table.Columns()
	compare := func(f *sqldb.RowReader) error {
		var was T
		all.Read(&was, f)
		if f.Err() != nil {
			return f.Err()
		}
		switch key := textOf(table.Key, &was); {
		case now[key] == nil || textOf(table.Values, now[key]) != textOf(table.Values, &was):
			over = append(over, was)
		default:
			delete(now, key)
		}
		return nil
	}
	for _, where := range replaced {
		err := sqldb.ReadRows(ctx, k.Tx, compare, `
			SELECT `+all.SelectList("c")+`
			FROM `+table.Name+` AS c
			WHERE c.account = $1 AND c.bank = $2 AND c.ended_run IS NULL AND `+where.sql, append([]any{int64(k.at.Home), k.at.ID}, where.args...)...)
		if err != nil {
			return err
		}
	}
	var fresh []*T
	for i := range rows {
		if now[textOf(table.Key, &rows[i])] == &rows[i] {
			fresh = append(fresh, &rows[i])
		}
	}
	return table.Replace(ctx, k.Tx, concluded.Owner{Column: "bank", Home: k.at.Home, ID: k.at.ID, Run: k.run}, over, fresh)
}

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
