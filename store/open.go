package store

import (
	"context"
	"errors"
	"time"

	"concilia/export/words"
	"concilia/store/bank"
	"concilia/store/books"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/lookup"
	"concilia/store/published"
	"concilia/store/reports"
	"concilia/store/reportsums"
	"concilia/store/restatements"
	"concilia/store/results"
	"concilia/store/runs"
	"concilia/store/sales"
	"concilia/store/sqldb"
	"concilia/store/totals"
)

// ErrNewer means that a newer program migrated the ledger or its inbox, so that this one would misread it.
var ErrNewer error = words.NewFault("ledger_fault.newer", "")

// ErrOtherSchema means that the ledger was made by another version of the program, from before ledgers are kept
// compatible, so that this one cannot use it.
var ErrOtherSchema error = words.NewFault("ledger_fault.other_schema", "")

// Ledger is an open ledger: the stores of runs, facts, cases, results, reports and their sums, statements of banks, the movement and the sales of shops
// over one database. It is safe for use by many goroutines.
type Ledger struct {
	db *sqldb.DB
	*runStore
	*factStore
	*lookupStore
	*caseStore
	*totalStore
	*resultStore
	*setStore
	*reportStore
	*sumReader
	*restatementStore
	*bankStore
	*bookStore
	*saleStore
}

// The names under which Ledger embeds the stores, whose types are all called Store.
type (
	runStore         = runs.Store
	factStore        = facts.Store
	lookupStore      = lookup.Store
	caseStore        = caselog.Store
	totalStore       = totals.Store
	resultStore      = results.Store
	setStore         = published.Store
	reportStore      = reports.Store
	sumReader        = reportsums.Reader
	restatementStore = restatements.Store
	bankStore        = bank.Store
	bookStore        = books.Store
	saleStore        = sales.Store
)

// newLedger is a ledger over an open database.
func newLedger(db *sqldb.DB) *Ledger {
	r := runs.New(db)
	f := facts.New(db, &r.LeaseStore)
	k := caselog.New(db)
	c := results.New(db, &r.LeaseStore, f)
	p := reports.New(db, f, k, c)
	sums := reportsums.New(db, c)
	b := bank.New(db)
	return &Ledger{
		db: db, runStore: r, factStore: f, lookupStore: lookup.New(db), caseStore: k, totalStore: totals.New(db), resultStore: c, setStore: published.New(db), reportStore: p, sumReader: sums,
		restatementStore: restatements.New(db), bankStore: b, bookStore: books.New(db, p, sums, b), saleStore: sales.New(db),
	}
}

// Open opens the ledger at dsn, "sqlite:PATH" or "postgres://…". It does not migrate, so a new database has no tables
// yet; it refuses a ledger whose tables are newer than the program (ErrNewer) or were made by another schema
// (ErrOtherSchema).
func Open(ctx context.Context, dsn string) (*Ledger, error) { return OpenWithReaders(ctx, dsn, 0) }

// OpenWithReaders is Open with at most so many connections that read a ledger of SQLite; 0 is as many as a night needs.
func OpenWithReaders(ctx context.Context, dsn string, readers int) (*Ledger, error) {
	db, err := sqldb.OpenWithReaders(ctx, dsn, readers)
	if err != nil {
		if errors.Is(err, sqldb.ErrDSN) || ctx.Err() != nil {
			return nil, err
		}
		return nil, &sqldb.UnavailableError{Err: err}
	}
	useWallClock(db)
	l := newLedger(db)
	if err := (&schema{db}).check(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

// useWallClock gives a database the clock of this machine, by which leases and waiting are counted.
func useWallClock(db *sqldb.DB) { db.Now = time.Now }

// Snapshot calls fn with a ledger that only reads, all of it as it was at one instant, whatever is written meanwhile. Its streams are
// read to their end before anything else is asked of it: a callback of a stream asks nothing. It is used by one goroutine, until fn
// returns.
func (l *Ledger) Snapshot(ctx context.Context, fn func(*Ledger) error) error {
	return l.db.Snapshot(ctx, func(db *sqldb.DB) error { return fn(newLedger(db)) })
}

// IsTransient reports whether the operation that failed with err may succeed when it is started again: the connection was
// lost, the server restarts or fails over, the file is locked. A full or damaged disk or a refusal is not passing.
func (l *Ledger) IsTransient(err error) bool { return l.db.IsTransient(err) }

// Size returns how many bytes the tables and indexes take.
func (l *Ledger) Size(ctx context.Context) (int64, error) {
	n, err := l.db.Dialect.DatabaseSize(ctx, l.db.Read)
	return n, l.db.WrapError("measure the ledger", err)
}

// Kind returns the kind of the database: sqlite or postgres.
func (l *Ledger) Kind() string { return l.db.Dialect.Name() }

// Close closes every connection. Operations in progress fail.
func (l *Ledger) Close() error { return l.db.Close() }

// Migrate brings the tables to the version of the program, each step in a transaction of its own, and says from which
// version to which. Doing it again does nothing. Any number of processes may do it at once: each step is applied by one
// of them, and all return when the last is. The versions are the ledger's; those of the job queue are
// brought along.
func (l *Ledger) Migrate(ctx context.Context) (from, to int64, err error) {
	if from, to, err = (&schema{l.db}).migrate(ctx); err == nil {
		err = l.db.WrapError("migrate the job queue", l.db.MigrateQueue(ctx))
	}
	return from, to, err
}

// HasTables reports whether the database has the tables of a ledger, of any version.
func (l *Ledger) HasTables(ctx context.Context) (bool, error) {
	applied, err := (&schema{l.db}).appliedVersions(ctx)
	return highestVersion(applied) > 0, err
}
