package caselog

import (
	"context"
	"database/sql"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ActFault is a fault in a log of acts, or in what depends on it.
type ActFault struct {
	Account ledger.Account
	Number  int64 // of the act; the one that is missing, where that is known; else 0
	Text    words.Message
}

// Message is the fault on one line.
func (f ActFault) Message() words.Message {
	if f.Number == 0 {
		return words.NewMessage("check_fault.of_act_log", "account", f.Account, "fault", f.Text)
	}
	return words.NewMessage("check_fault.of_act", "number", f.Number, "account", f.Account, "fault", f.Text)
}

// maxActFaults bounds the faults reported of one kind: a log that was rewritten has as many as acts.
const maxActFaults = 100

// VerifyActs walks every log of acts. It finds an act that was changed, left out, put in or moved, and cases and acts
// that contradict each other. That acts at the end were removed is found where something else refers to them: a
// case that was changed by one, a body that a payer was forgotten in, or a reconcile that recorded a later end. A ledger
// that was rewritten as a whole, hashes included, is found only by an end (ActLogEnd) that was written down
// elsewhere: every control report has it.
//
// At most a hundred faults of a kind are given. An error means that the logs could not be read; a ledger that was never
// migrated so far has none, and no fault.
func (l *Store) VerifyActs(ctx context.Context) ([]ActFault, error) {
	there, err := l.db.Dialect.TableExists(ctx, l.db.Read, "act")
	if err != nil || !there {
		return nil, l.db.WrapError("look for the log of acts", err)
	}
	var out []ActFault
	c := &actCheck{l.db}
	for _, check := range []func(context.Context) ([]ActFault, error){
		c.checkActHashes, c.checkActEvents, c.checkActCases, c.checkActPeriods, c.checkActBodies, c.checkActLogEnds,
	} {
		faults, err := check(ctx)
		if err != nil {
			return nil, l.db.WrapError("verify the log of acts", err)
		}
		if n := len(faults); n > maxActFaults {
			first := faults[maxActFaults]
			first.Text = words.NewMessage("check_fault.and_more_like_it", "fault", first.Text, "n", n-maxActFaults-1)
			faults = append(faults[:maxActFaults], first)
		}
		out = append(out, faults...)
	}
	return out, nil
}

// HasRun reports whether the ledger has the record of a run. A ledger without tables has none.
func (l *Store) HasRun(ctx context.Context, id string) (bool, error) {
	return l.hasRow(ctx, "run", `
		SELECT COUNT(*)
		FROM run
		WHERE id = $1`, id)
}

// HasPublished reports whether the ledger has a revision of any set of an account, or of all accounts together. A ledger without
// tables has none.
func (l *Store) HasPublished(ctx context.Context, account string) (bool, error) {
	return l.hasRow(ctx, "report", `
		SELECT COUNT(*)
		FROM report
		WHERE account = $1`, account)
}

// HasAct reports whether an account's log has the act that was once its last. Every log has the end of an empty log.
func (l *Store) HasAct(ctx context.Context, end ledger.ActLogEnd) (bool, error) {
	if end.Number == 0 {
		return true, nil
	}
	return l.hasRow(ctx, "act", `
		SELECT COUNT(*)
		FROM act
		WHERE account = $1 AND number = $2 AND hash = $3`, int64(end.Account), end.Number, end.Hash)
}

// hasRow runs a count over a table that need not be there.
func (l *Store) hasRow(ctx context.Context, table, query string, args ...any) (bool, error) {
	there, err := l.db.Dialect.TableExists(ctx, l.db.Read, table)
	var n int
	if err == nil && there {
		err = l.db.Read.QueryRowContext(ctx, query, args...).Scan(&n)
	}
	return n > 0, l.db.WrapError("look for a "+table, err)
}

// actCheck finds faults in the logs of acts.
type actCheck struct{ db *sqldb.DB }

// checkActHashes recomputes every hash and holds every act against the one before.
func (c *actCheck) checkActHashes(ctx context.Context) ([]ActFault, error) {
	var out []ActFault
	var before ledger.Act
	err := sqldb.EachRow(ctx, c.db.Read, func(rows *sql.Rows) error {
		a, err := scanAct(rows)
		if err != nil {
			return err
		}
		if a.Account != before.Account {
			before = ledger.Act{Account: a.Account}
		}
		addFault := func(text words.Message) { out = append(out, ActFault{a.Account, a.Number, text}) }
		switch {
		case a.Number != before.Number+1:
			addFault(words.NewMessage("check_fault.acts_missing", "before", before.Number))
		case a.Previous != before.Hash:
			addFault(words.NewMessage("check_fault.act_does_not_follow"))
		}
		// The next act is compared with the stored hash, so that one changed act is one fault.
		if a.Hash != a.ComputeHash() {
			addFault(words.NewMessage("check_fault.act_changed"))
		}
		before = a
		return nil
	}, `
		SELECT `+actColumns+`
		FROM act
		ORDER BY account, number`)
	return out, err
}

// checkActEvents looks for the act behind every case that a person changed.
func (c *actCheck) checkActEvents(ctx context.Context) ([]ActFault, error) {
	return c.queryActFaults(ctx, "check_fault.act_missing", `
		SELECT
			e.account,
			e.act,
			e.case_id
		FROM finding_event AS e
		LEFT JOIN act AS a ON a.account = e.account AND a.number = e.act AND a.subject = e.case_id AND a.stage = 'done'
		WHERE e.act > 0 AND a.number IS NULL
		ORDER BY e.account, e.act`)
}

// checkActCases looks for what every act on a case did.
func (c *actCheck) checkActCases(ctx context.Context) ([]ActFault, error) {
	return c.queryActFaults(ctx, "check_fault.act_without_event", `
		SELECT
			a.account,
			a.number,
			a.subject
		FROM act AS a
		LEFT JOIN finding_event AS e ON e.account = a.account AND e.case_id = a.subject AND e.act = a.number
		WHERE a.stage = 'done' AND a.verb IN ('ack', 'assign', 'dispute', 'waive', 'close', 'reopen') AND e.act IS NULL
		ORDER BY a.account, a.number`)
}

// checkActBodies looks for the act behind every body that was changed. They have their instant in common.
func (c *actCheck) checkActBodies(ctx context.Context) ([]ActFault, error) {
	return c.queryActFaults(ctx, "check_fault.body_without_act", `
		SELECT
			0,
			0,
			b.sha256
		FROM body AS b
		WHERE b.forgotten IS NOT NULL AND NOT EXISTS (SELECT 1 FROM act AS a WHERE a.at = b.forgotten AND a.stage = 'done')
		ORDER BY b.sha256`)
}

// checkActLogEnds holds the logs against the ends that reconciles noted.
func (c *actCheck) checkActLogEnds(ctx context.Context) ([]ActFault, error) {
	return c.queryActFaults(ctx, "check_fault.log_end_missing", `
		SELECT
			r.account,
			r.acts,
			r.run
		FROM reconciled AS r
		LEFT JOIN act AS a ON a.account = r.account AND a.number = r.acts AND a.hash = r.act_hash
		WHERE r.acts > 0 AND a.number IS NULL
		ORDER BY r.account, r.run`)
}

// queryActFaults makes a fault of every row of account, number and what the text of the id names.
func (c *actCheck) queryActFaults(ctx context.Context, id, query string) ([]ActFault, error) {
	var out []ActFault
	err := sqldb.EachRow(ctx, c.db.Read, func(rows *sql.Rows) error {
		var f ActFault
		var what string
		err := rows.Scan(&f.Account, &f.Number, &what)
		f.Text = words.NewMessage(id, "what", what)
		out = append(out, f)
		return err
	}, query)
	return out, err
}
