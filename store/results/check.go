package results

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/totals"
)

// conclusionsCheck holds what the reconciles of one account left in the tables against what they recorded of it.
type conclusionsCheck struct {
	l        *Store
	account  ledger.Account
	addFault sqldb.AddFault
	found    map[string]digests           // by run, of the rows that are there
	recorded map[string]map[string]string // by run, of each table
}

// CheckConclusions looks for expectations, lines of bridges and other sums of an account that were changed, added or removed after the
// reconcile that concluded them. Its memory grows with the reconciles of the account.
func (l *Store) CheckConclusions(ctx context.Context, a ledger.Account, addFault sqldb.AddFault) error {
	c := &conclusionsCheck{l, a, addFault, make(map[string]digests), make(map[string]map[string]string)}
	err := c.readRecorded(ctx)
	if err == nil {
		err = c.checkInstallments(ctx)
	}
	if err == nil {
		err = c.checkSlips(ctx)
	}
	for _, t := range []totals.Table{
		BridgeTable, RoundingTable, PopulationTable, totals.ForecastTable, totals.ForecastPartTable, totals.MonthTable, totals.WaitingTable,
		totals.DaySumTable, continuityTable,
	} {
		if err == nil {
			err = c.addSums(ctx, t)
		}
	}
	if err != nil {
		return l.db.WrapError("check what was concluded of account "+a.String(), err)
	}
	c.compare()
	return nil
}

func (c *conclusionsCheck) readRecorded(ctx context.Context) error {
	return sqldb.ReadRows(ctx, c.l.db.Read, func(f *sqldb.RowReader) error {
		run, text, known := f.NextText(), f.NextText(), f.NextInt()
		if err := f.Err(); err != nil {
			return err
		}
		if known == 0 {
			c.addFault(words.NewMessage("check_fault.run_missing", "account", c.account, "run", run))
		}
		tables := make(map[string]string)
		if json.Unmarshal([]byte(text), &tables) != nil {
			c.addFault(words.NewMessage("check_fault.digests_unreadable", "account", c.account, "run", run))
		}
		c.recorded[run] = tables
		return nil
	}, `
		SELECT
			c.run,
			c.digests,
			CASE WHEN r.id IS NULL THEN 0 ELSE 1 END
		FROM reconciled AS c
		LEFT JOIN run AS r ON r.id = c.run
		WHERE c.account = $1`, int64(c.account))
}

// addRow adds a row to the digest of the run that made it, and of the one that ended it.
func (c *conclusionsCheck) addRow(table, run, ended string, key, row encodedRow) {
	c.foundOf(run).of(table).add(rowMade, row)
	if ended != "" {
		c.foundOf(ended).of(table).add(rowEnded, key)
	}
}

func (c *conclusionsCheck) foundOf(run string) digests {
	if c.found[run] == nil {
		c.found[run] = make(digests)
	}
	return c.found[run]
}

func (c *conclusionsCheck) checkInstallments(ctx context.Context) error {
	table := InstallmentExpectations.Name
	return sqldb.ReadRows(ctx, c.l.db.Read, func(f *sqldb.RowReader) error {
		var key encodedRow
		key.Int(int64(c.account))
		day := f.NextInt()
		key.Int(day)
		key.Text(f.NextText())
		key.Text(f.NextText())
		key.Int(f.NextInt())
		key.Int(f.NextInt())
		ended, content := f.NextText(), f.NextHash()
		var b ExpectationRow
		b.ReadColumns(f)
		if err := f.Err(); err != nil {
			return err
		}
		var values encodedRow
		hashedExpectationColumns.Put(&b, &values)
		if values.contentHash() != content {
			c.addFault(words.NewMessage("check_fault.expectation_changed", "account", c.account, "day", ledger.Date(day), "run", b.e.Run))
		}
		c.addRow(table, b.e.Run, ended, key, appendContent(key, content))
		return nil
	}, `
		SELECT
			e.sale_day,
			e.nsu,
			e.auth,
			e.number,
			e.occurrence,
			COALESCE(e.ended_run, ''),
			e.content,`+ExpectationColumns+`
		FROM `+table+` AS e
		WHERE e.account = $1`, int64(c.account))
}

func (c *conclusionsCheck) checkSlips(ctx context.Context) error {
	table := SlipExpectations.Name
	return sqldb.ReadRows(ctx, c.l.db.Read, func(f *sqldb.RowReader) error {
		id, ended, content := f.NextText(), f.NextText(), f.NextHash()
		var b SlipExpectationRow
		b.ReadColumns(f)
		if err := f.Err(); err != nil {
			return err
		}
		var key, values encodedRow
		key.Int(int64(c.account))
		key.Text(id)
		hashedSlipExpectationColumns.Put(&b, &values)
		if values.contentHash() != content {
			c.addFault(words.NewMessage("check_fault.slip_expectation_changed", "what", ledger.SlipSubject(c.account, id), "run", b.e.Run))
		}
		c.addRow(table, b.e.Run, ended, key, appendContent(key, content))
		return nil
	}, `
		SELECT
			e.id,
			COALESCE(e.ended_run, ''),
			e.content,`+SlipExpectationColumns+`
		FROM `+table+` AS e
		WHERE e.account = $1`, int64(c.account))
}

func (c *conclusionsCheck) addSums(ctx context.Context, t totals.Table) error {
	return sqldb.ReadRows(ctx, c.l.db.Read, func(f *sqldb.RowReader) error {
		run, ended := f.NextText(), f.NextText()
		row := totals.Row{Values: make([]int64, len(t.Values))}
		for _, k := range t.Keys {
			if t.IsNumber[k] {
				row.Key = append(row.Key, f.NextInt())
			} else {
				row.Key = append(row.Key, f.NextText())
			}
		}
		for i := range row.Values {
			row.Values[i] = f.NextInt()
		}
		if t.Name == continuityTable.Name {
			ended = "" // WriteContinuity does not know which rows it ended
		}
		c.addRow(t.Name, run, ended, encodedKey(row.Key), encodedAggregate(&row))
		return f.Err()
	}, "SELECT run, COALESCE(ended_run, ''), "+t.Columns()+" FROM "+t.Name+
		" WHERE account = $1", int64(c.account))
}

// compare names each run and table whose rows are not those of its record.
func (c *conclusionsCheck) compare() {
	runs := maps.Clone(c.recorded)
	for run := range c.found {
		runs[run] = c.recorded[run]
	}
	for _, run := range slices.Sorted(maps.Keys(runs)) {
		tables, recorded := c.found[run], c.recorded[run]
		names := make(map[string]bool)
		for name := range tables {
			names[name] = true
		}
		for name := range recorded {
			names[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			var is digest
			if d := tables[name]; d != nil {
				is = *d
			}
			if is.text() != recorded[name] {
				c.addFault(words.NewMessage("check_fault.conclusion_changed", "table", name, "account", c.account, "run", run))
			}
		}
	}
}
