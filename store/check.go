package store

import (
	"context"
	"database/sql"
	"errors"

	"concilia/export/words"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// maxFaults bounds the faults that a check names.
const maxFaults = 100

// CheckReport is the result of a check.
type CheckReport struct {
	Versions int64           // of installments and of views of slips, each hashed again
	Cases    int64           // held against their events
	Pulls    int64           // that versions may name
	Bodies   int64           // of answers whose bytes are there, each unpacked and hashed again
	Lines    int64           // of statements of banks, computed again
	Faults   []words.Message // at most a hundred; none: the ledger is as it was kept
	More     int             // faults not named
}

func (r *CheckReport) addFault(fault words.Message) {
	if len(r.Faults) == maxFaults {
		r.More++
		return
	}
	r.Faults = append(r.Faults, fault)
}

// Check reads the whole ledger again: the database's own structures; that the versions of every key are without a hole,
// that only the last one is current or vanished, that the pulls they name are there and come to the coverage of every day and the windows asked for; that every hash fits its row; that no
// expectation ends before it begins, no two sums of one key are current at once, each was ended by a later reconcile, and every
// case is as of its last event; that records of runs are as they ended, and expectations, bridges and other sums as their reconcile
// concluded them; documents, unreadable rows and the kept bodies of answers by their hashes, and
// that no body went before its time; the lines and days of bank accounts, computed from their statements again; that events of titles add up to the titles; the payments and days of shops; and the log of acts. It changes nothing and its memory grows with the pulls, and the reconciles of one account.
// All is read as of one instant, so that a run may write meanwhile.
// An error means that the ledger could not be read; what is wrong with it is in the report.
func (l *Ledger) Check(ctx context.Context) (report *CheckReport, err error) {
	err = l.db.Snapshot(ctx, func(db *sqldb.DB) error {
		report, err = newLedger(db).checkRows(ctx)
		return err
	})
	return report, l.db.WrapError("check the ledger", err)
}

func (l *Ledger) checkRows(ctx context.Context) (*CheckReport, error) {
	c := &ledgerCheck{l: l, pulls: make(map[pullKey]bool)}
	structures, err := l.db.Check(ctx)
	if err != nil {
		return nil, l.db.WrapError("check the database", err)
	}
	for _, s := range structures {
		c.addFault(words.NewMessage("check_fault.of_database", "fault", s))
	}
	if len(structures) > 0 {
		return &c.CheckReport, nil // what a broken database says of its rows means nothing
	}
	for _, part := range []struct {
		doing string
		check func(context.Context) error
	}{
		{"check the records of runs", c.checkRuns},
		{"check the pulls", c.readPulls},
		{"check the coverage", c.checkCoverage},
		{"check the windows asked for", c.checkWindows},
		{"check the installments", c.checkInstallments},
		{"check the slips", c.checkSlips},
		{"check what is believed", c.checkExpectations},
		{"check the sums", c.checkAggregates},
		{"check what was concluded", c.checkConclusions},
		{"check the cases", c.checkCases},
		{"check the documents", c.checkDocuments},
		{"check the unreadable rows", c.checkQuarantine},
		{"check the kept bodies", c.checkBodies},
		{"check the statements of banks", c.checkStatements},
		{"check the movement", c.checkMovement},
		{"check the sales of shops", c.checkSales},
	} {
		if err := part.check(ctx); err != nil {
			return nil, l.db.WrapError(part.doing, err)
		}
	}
	acts, err := l.VerifyActs(ctx)
	for _, f := range acts {
		c.addFault(f.Message())
	}
	return &c.CheckReport, err
}

func (c *ledgerCheck) checkStatements(ctx context.Context) (err error) {
	c.Lines, err = c.l.CheckStatements(ctx, c.addFault)
	return err
}

func (c *ledgerCheck) checkMovement(ctx context.Context) error {
	accounts, err := c.accountsOf(ctx, "event_cut")
	for _, a := range accounts {
		err = errors.Join(err, c.l.CheckMovement(ctx, a, c.addFault))
	}
	return err
}

func (c *ledgerCheck) checkSales(ctx context.Context) error {
	accounts, err := c.accountsOf(ctx, "own_file")
	for _, a := range accounts {
		err = errors.Join(err, c.l.CheckSales(ctx, a, c.addFault))
	}
	return err
}

func (c *ledgerCheck) checkRuns(ctx context.Context) error { return c.l.CheckRuns(ctx, c.addFault) }

func (c *ledgerCheck) checkConclusions(ctx context.Context) error {
	accounts, err := c.accountsOf(ctx, "reconciled")
	for _, a := range accounts {
		err = errors.Join(err, c.l.CheckConclusions(ctx, a, c.addFault))
	}
	return err
}

type pullKey struct {
	account ledger.Account
	id      string
}

// ledgerCheck is one check of a ledger.
type ledgerCheck struct {
	CheckReport
	l     *Ledger
	pulls map[pullKey]bool
}

func (c *ledgerCheck) readPulls(ctx context.Context) error {
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var k pullKey
		err := rows.Scan(&k.account, &k.id)
		c.pulls[k] = true
		c.Pulls++
		return err
	}, `
		SELECT
			account,
			id
		FROM pull`)
}

// accountsOf are those that have rows in the table.
func (c *ledgerCheck) accountsOf(ctx context.Context, table string) (out []ledger.Account, err error) {
	err = sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var a ledger.Account
		err := rows.Scan(&a)
		out = append(out, a)
		return err
	}, "SELECT DISTINCT account FROM "+table+" ORDER BY account")
	return out, err
}

// chainLink is what the versions of cards and of slips have in common.
type chainLink struct {
	subject  string
	list     ledger.Source // of a slip; empty: an installment
	version  int
	first    string // pull
	last     string // pull, or empty
	ended    string // pull, or empty
	vanished bool
	sound    bool // the hash fits
}

// isOf reports whether both are versions of the same thing.
func (l *chainLink) isOf(other *chainLink) bool {
	return l.subject == other.subject && l.list == other.list
}

// nameSubject returns what a fault calls the thing: its subject, of a slip with the list that shows it.
func (l *chainLink) nameSubject() any {
	if l.list == "" {
		return l.subject
	}
	return words.NewMessage("check_fault.slip_in_list", "subject", l.subject, "list", l.list)
}

// checkLink checks one version, and the one before it now that there is another, or none, behind it. next is nil at the end.
func (c *ledgerCheck) checkLink(a ledger.Account, before, next *chainLink) {
	if before != nil && (next == nil || !next.isOf(before)) {
		if (before.ended != "") != before.vanished {
			c.addFault(words.NewMessage("check_fault.last_version_open", "what", before.nameSubject(), "version", before.version))
		}
		before = nil
	}
	if next == nil {
		return
	}
	c.Versions++
	switch {
	case before == nil && next.version != 1:
		c.addFault(words.NewMessage("check_fault.first_version", "what", next.nameSubject(), "version", next.version))
	case before != nil && next.version != before.version+1:
		c.addFault(words.NewMessage("check_fault.version_gap", "what", next.nameSubject(), "version", next.version, "before", before.version))
	case before != nil && (before.ended == "" || before.vanished):
		c.addFault(words.NewMessage("check_fault.version_not_ended", "what", next.nameSubject(), "version", before.version))
	}
	for _, pull := range []string{next.first, next.last, next.ended} {
		if pull != "" && !c.pulls[pullKey{a, pull}] {
			c.addFault(words.NewMessage("check_fault.version_without_pull", "what", next.nameSubject(), "version", next.version, "pull", pull))
		}
	}
	if !next.sound {
		c.addFault(words.NewMessage("check_fault.version_changed", "what", next.nameSubject(), "version", next.version))
	}
}

func (c *ledgerCheck) checkInstallments(ctx context.Context) error {
	return c.eachChain(ctx, "installment", `
		SELECT `+facts.InstallmentColumns+`
		FROM installment AS i
		WHERE i.account = $1
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence, i.version`,
		func(f *sqldb.RowReader, a ledger.Account) (*chainLink, error) {
			v := &facts.InstallmentRow{}
			v.ReadColumns(f)
			if err := f.Err(); err != nil {
				return nil, err
			}
			last := v.LastPull
			if err := v.Complete(a, nil); err != nil {
				return nil, err
			}
			return &chainLink{
				v.Key().Subject(), "", v.Version, v.FirstPull, last, v.EndedPull, v.Vanished, v.ContentHash() == v.Content,
			}, nil
		})
}

func (c *ledgerCheck) checkSlips(ctx context.Context) error {
	return c.eachChain(ctx, "slip", `
		SELECT `+facts.SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1
		ORDER BY v.id, v.list, v.version`,
		func(f *sqldb.RowReader, a ledger.Account) (*chainLink, error) {
			v := &facts.SlipRow{}
			v.ReadColumns(f)
			if err := f.Err(); err != nil {
				return nil, err
			}
			last := v.LastPull
			(&facts.SlipsLastSeen{Account: a}).Complete(v)
			return &chainLink{
				ledger.SlipSubject(a, v.ID), v.List, v.Version, v.FirstPull, last, v.Ended, v.Vanished,
				v.Seal.Proves(&v.SlipView, v.Content),
			}, nil
		})
}

// eachChain walks the versions of a table, account by account.
func (c *ledgerCheck) eachChain(ctx context.Context, table, query string,
	read func(*sqldb.RowReader, ledger.Account) (*chainLink, error),
) error {
	accounts, err := c.accountsOf(ctx, table)
	for _, a := range accounts {
		var before *chainLink
		err = errors.Join(err, sqldb.ReadRows(ctx, c.l.db.Read, func(f *sqldb.RowReader) error {
			next, err := read(f, a)
			if err != nil {
				return err
			}
			c.checkLink(a, before, next)
			before = next
			return nil
		}, query, int64(a)))
		c.checkLink(a, before, nil)
	}
	return err
}
