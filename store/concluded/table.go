// Package concluded keeps tables of what runs conclude of something that is not the service's: a bank account, a store. Their rows are
// current from the run that concluded them until the first that concluded otherwise (ended_run), so that a past run can be read as it
// was. Which rows a run replaces, and which are equal, its callers decide.
package concluded

import (
	"context"
	"fmt"
	"slices"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Owner is what the rows of one conclusion are of, and the run that concludes.
type Owner struct {
	Column string // of its id: bank or store
	Home   ledger.Account
	ID     string
	Run    string
}

// Table is a table of conclusions. The account, the id of the owner and the run come in front of its own columns.
type Table[T any] struct {
	Name   string
	Key    sqldb.Columns[T] // behind account and owner
	Values sqldb.Columns[T]
}

// Columns are its own columns: those of the key and of the values.
func (t *Table[T]) Columns() sqldb.Columns[T] { return slices.Concat(t.Key, t.Values) }

// Replace ends the current rows that are over, and writes those that are new or other. What the run itself wrote before, until it was
// killed, is deleted instead of ended.
func (t *Table[T]) Replace(ctx context.Context, tx *sqldb.Tx, of Owner, over []T, added []*T) error {
	if err := t.endRows(ctx, tx, of, over); err != nil {
		return err
	}
	all := t.Columns()
	columns := append([]string{"account", of.Column, "run"}, all.Names()...)
	return tx.LoadRows(ctx, t.Name, columns, len(added), func(i int, r sqldb.Row) error {
		r.Int(int64(of.Home))
		r.Text(of.ID)
		r.Text(of.Run)
		all.Put(added[i], r)
		return nil
	})
}

func (t *Table[T]) endRows(ctx context.Context, tx *sqldb.Tx, of Owner, over []T) error {
	where := "WHERE account = $1 AND " + of.Column + " = $2 AND ended_run IS NULL"
	for i, name := range t.Key.Names() {
		where += fmt.Sprintf(" AND %s = $%d", name, i+4)
	}
	args := func(i int) []any {
		key := sqldb.Args{int64(of.Home), of.ID, of.Run}
		t.Key.Put(&over[i], &key)
		return key
	}
	if err := tx.ExecBatch(ctx, "DELETE FROM "+t.Name+" "+where+" AND run = $3", len(over), args); err != nil {
		return err
	}
	return tx.ExecBatch(ctx, "UPDATE "+t.Name+" SET ended_run = $3 "+where, len(over), args)
}
