package caselog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// PeriodFilter chooses closes of periods. An empty member chooses all. AsOfRun asks for those in force when the run of
// that id had reconciled: closes and reopens after it are not there.
type PeriodFilter struct {
	Accounts []ledger.Account
	Basis    string
	InForce  bool // those that were not reopened
	AsOfRun  string
}

// PeriodCloses returns the selected closes in order of account, basis, period and act.
func (l *Store) PeriodCloses(ctx context.Context, f PeriodFilter) ([]ledger.PeriodClose, error) {
	out, err := readCloses(ctx, l.db.Read, f)
	return out, l.db.WrapError("read the closed periods", err)
}

// PeriodCloses returns the selected closes, including those of this transaction.
func (a *ActTx) PeriodCloses(f PeriodFilter) ([]ledger.PeriodClose, error) {
	return readCloses(a.ctx, a.t, f)
}

func readCloses(ctx context.Context, q sqldb.Querier, f PeriodFilter) (out []ledger.PeriodClose, err error) {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "account", f.Accounts, func(a ledger.Account) any { return int64(a) })
	if f.Basis != "" {
		w.Add("basis = " + w.AddArg(f.Basis))
	}
	if f.AsOfRun != "" {
		w.Add(CloseInForceAsOf("period_close", w.AddArg(f.AsOfRun)))
	} else if f.InForce {
		w.Add("reopened IS NULL")
	}
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var c ledger.PeriodClose
		err := rows.Scan(&c.Account, &c.Basis, &c.Period.From, &c.Period.To, &c.Act, &c.Acted, &c.Revision, &c.Run,
			sqldb.IntoDate(&c.AsOf), &c.Digest, sqldb.IntoNumber(&c.Reopened), &c.ReopenedIn)
		out = append(out, c)
		return err
	}, `
		SELECT
			account,
			basis,
			from_day,
			to_day,
			act,
			acted,
			revision,
			run,
			as_of,
			digest,
			reopened,
			reopened_in
		FROM period_close`+w.Where()+`
		ORDER BY account, basis, from_day, act`, w.Args...)
	return out, err
}

// CloseInForceAsOf is the condition that a close was in force when a run had reconciled. What people did after it has its id, too.
func CloseInForceAsOf(c, run string) string {
	return c + ".acted < " + run + " AND (" + c + ".reopened IS NULL OR " + c + ".reopened_in >= " + run + ")"
}

// EncodeCloseParameters encodes the parameters of an act that makes or ends a close.
func EncodeCloseParameters(c *ledger.PeriodClose) string {
	return EncodeActParameters(map[string]string{
		"from": c.Period.From.String(), "to": c.Period.To.String(), "revision": strconv.Itoa(c.Revision), "run": c.Run,
		"as_of": c.AsOf.String(), "digest": c.Digest,
	})
}

// ClosePeriod writes a close made by an act of this transaction and sets its Act. A period that is already closed on the
// basis is not closed again.
func (a *ActTx) ClosePeriod(c *ledger.PeriodClose, act *ledger.Act) error {
	if err := checkPeriodAct(c, act, ledger.ClosePeriod); err != nil {
		return err
	}
	var inForce int
	err := a.t.QueryRowContext(a.ctx, `
		SELECT COUNT(*)
		FROM period_close
		WHERE account = $1 AND basis = $2 AND to_day = $3 AND reopened IS NULL`,
		int64(c.Account), c.Basis, int64(c.Period.To)).Scan(&inForce)
	if err != nil {
		return err
	}
	if inForce > 0 {
		return fmt.Errorf("%s is closed already", c.Subject())
	}
	c.Act, c.Acted = act.Number, act.Run
	_, err = a.t.ExecContext(a.ctx, `
		INSERT INTO period_close (
			account,
			basis,
			from_day,
			to_day,
			act,
			acted,
			revision,
			run,
			as_of,
			digest,
			reopened_in)
		VALUES (`+sqldb.ListPlaceholders(1, 11)+`)`,
		int64(c.Account), c.Basis, int64(c.Period.From), int64(c.Period.To), c.Act, c.Acted, int64(c.Revision), c.Run,
		int64(c.AsOf), c.Digest, "")
	return err
}

// ReopenPeriod ends a close by an act of this transaction and sets the close's members about it.
func (a *ActTx) ReopenPeriod(c *ledger.PeriodClose, act *ledger.Act) error {
	if err := checkPeriodAct(c, act, ledger.ReopenPeriod); err != nil {
		return err
	}
	c.Reopened, c.ReopenedIn = act.Number, act.Run
	res, err := a.t.ExecContext(a.ctx, `
		UPDATE period_close
		SET
			reopened = $5,
			reopened_in = $6
		WHERE account = $1 AND basis = $2 AND from_day = $3 AND act = $4 AND reopened IS NULL`,
		int64(c.Account), c.Basis, int64(c.Period.From), c.Act, c.Reopened, c.ReopenedIn)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return fmt.Errorf("%s is not closed", c.Subject())
}

// checkPeriodAct refuses an act that is not the one that does this to the period.
func checkPeriodAct(c *ledger.PeriodClose, act *ledger.Act, verb ledger.Verb) error {
	if act.Number == 0 || act.Account != c.Account || act.Subject != c.Subject() || act.Verb != verb ||
		act.Stage != ledger.Done || act.Parameters != EncodeCloseParameters(c) {
		return errors.New(c.Subject() + ": the act is not of this period, or not in the log yet")
	}
	return nil
}

// checkActPeriods holds the closes of periods and the acts that made and ended them against each other.
func (c *actCheck) checkActPeriods(ctx context.Context) ([]ActFault, error) {
	there, err := c.db.Dialect.TableExists(ctx, c.db.Read, "period_close")
	if err != nil || !there {
		return nil, err
	}
	acts, err := readActs(ctx, c.db.Read, ActFilter{Verbs: []ledger.Verb{ledger.ClosePeriod, ledger.ReopenPeriod}})
	if err != nil {
		return nil, err
	}
	type entry struct {
		account ledger.Account
		number  int64
	}
	log := map[entry]*ledger.Act{}
	for i := range acts {
		if acts[i].Stage == ledger.Done {
			log[entry{acts[i].Account, acts[i].Number}] = &acts[i]
		}
	}
	closes, err := readCloses(ctx, c.db.Read, PeriodFilter{})
	if err != nil {
		return nil, err
	}
	var out []ActFault
	bear := func(c *ledger.PeriodClose, number int64, run string, verb ledger.Verb) {
		at := entry{c.Account, number}
		a := log[at]
		delete(log, at)
		if a == nil || checkPeriodAct(c, a, verb) != nil || a.Run != run {
			out = append(out, ActFault{c.Account, number, words.NewMessage("check_fault.close_without_act", "verb", verb, "period", c.Subject())})
		}
	}
	for i := range closes {
		c := &closes[i]
		bear(c, c.Act, c.Acted, ledger.ClosePeriod)
		if !c.IsInForce() {
			bear(c, c.Reopened, c.ReopenedIn, ledger.ReopenPeriod)
		}
	}
	for i := range acts {
		if a := log[entry{acts[i].Account, acts[i].Number}]; a != nil {
			out = append(out, ActFault{a.Account, a.Number, words.NewMessage("check_fault.act_without_close", "what", a.Subject)})
		}
	}
	return out, nil
}
