package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"concilia/store/bank"
	"concilia/store/books"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/published"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/runs"
	"concilia/store/sales"
	"concilia/store/sqldb"
)

//go:embed migrations
var migrations embed.FS

// ErrNewer means that a newer program migrated the ledger or its inbox, so that this one would misread it.
var ErrNewer = errors.New("use the newer program")

// ErrOtherSchema means that the ledger was made by another version of the program, from before ledgers are kept
// compatible, so that this one cannot use it.
var ErrOtherSchema = errors.New("the ledger was made by an earlier concilia, whose tables this one cannot use: name a new " +
	"ledger in ledger.dsn and fill it with `concilia backfill`")

// Ledger is an open ledger: the stores of runs, facts, cases, results, reports, statements of banks, the movement and the sales of shops over one database. It is safe for use by
// many goroutines.
type Ledger struct {
	db *sqldb.DB
	*runStore
	*factStore
	*caseStore
	*resultStore
	*setStore
	*reportStore
	*bankStore
	*bookStore
	*saleStore
}

// The names under which Ledger embeds the stores, whose types are all called Store.
type (
	runStore    = runs.Store
	factStore   = facts.Store
	caseStore   = caselog.Store
	resultStore = results.Store
	setStore    = published.Store
	reportStore = reports.Store
	bankStore   = bank.Store
	bookStore   = books.Store
	saleStore   = sales.Store
)

// newLedger is a ledger over an open database.
func newLedger(db *sqldb.DB) *Ledger {
	r := runs.New(db)
	f := facts.New(db, &r.LeaseStore)
	k := caselog.New(db)
	c := results.New(db, &r.LeaseStore, f)
	p := reports.New(db, f, k, c)
	b := bank.New(db)
	return &Ledger{db: db, runStore: r, factStore: f, caseStore: k, resultStore: c, setStore: published.New(db), reportStore: p, bankStore: b, bookStore: books.New(db, p, b), saleStore: sales.New(db)}
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
	if err := l.checkSchema(ctx); err != nil {
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
	if from, to, err = l.migrateTables(ctx); err == nil {
		err = l.db.WrapError("migrate the job queue", l.db.MigrateQueue(ctx))
	}
	return from, to, err
}

func (l *Ledger) migrateTables(ctx context.Context) (from, to int64, err error) {
	applied, err := l.appliedVersions(ctx)
	if err != nil {
		return 0, 0, err
	}
	from = highestVersion(applied)
	for {
		p, err := l.newMigrator(ctx)
		if err != nil {
			return from, from, l.db.WrapError("migrate the ledger", err)
		}
		sources := p.ListSources()
		to = sources[len(sources)-1].Version
		// A ledger that lacks nothing is not locked: this is how every command begins.
		if !slices.ContainsFunc(sources, func(s *goose.Source) bool { return !applied[s.Version] }) {
			return from, to, nil
		}
		if _, err = p.Up(ctx); err == nil {
			return from, to, nil
		}
		// Where another process came first this one fails, at a table that is there already or at the version: that is
		// no fault as long as somebody gets on.
		before := len(applied)
		now, readErr := l.appliedVersions(ctx)
		if readErr != nil || len(now) <= before {
			return from, from, l.db.WrapError("migrate the ledger", errors.Join(err, readErr))
		}
		applied = now
	}
}

// HasTables reports whether the database has the tables of a ledger, of any version.
func (l *Ledger) HasTables(ctx context.Context) (bool, error) {
	applied, err := l.appliedVersions(ctx)
	return highestVersion(applied) > 0, err
}

func (l *Ledger) newMigrator(ctx context.Context) (*goose.Provider, error) {
	sub, err := fs.Sub(migrations, "migrations/"+l.db.Dialect.Name())
	if err != nil {
		return nil, err
	}
	digest, err := schemaDigest(l.db.Dialect.Name())
	if err != nil {
		return nil, err
	}
	return l.db.Migrator(ctx, sub, digest)
}

// appliedVersions gives the versions the tables have. It writes nothing, so a database without tables has none.
func (l *Ledger) appliedVersions(ctx context.Context) (map[int64]bool, error) {
	const doing = "read the version of the ledger"
	there, err := l.db.Dialect.TableExists(ctx, l.db.Write, goose.DefaultTablename)
	if err != nil || !there {
		return nil, l.db.WrapError(doing, err)
	}
	versions := make(map[int64]bool)
	err = sqldb.EachRow(ctx, l.db.Write, func(rows *sql.Rows) error {
		var version int64
		err := rows.Scan(&version)
		versions[version] = true
		return err
	}, `
		SELECT version_id
		FROM goose_db_version`)
	return versions, l.db.WrapError(doing, err)
}

// highestVersion is the highest of the versions, 0 when there are none.
func highestVersion(versions map[int64]bool) (highest int64) {
	for v := range versions {
		highest = max(highest, v)
	}
	return highest
}

// checkSchema refuses a ledger that this program would misread. A database without tables is none.
func (l *Ledger) checkSchema(ctx context.Context) error {
	const doing = "read the version of the ledger"
	applied, err := l.appliedVersions(ctx)
	has := highestVersion(applied)
	if err != nil || has == 0 {
		return err
	}
	there, err := l.db.Dialect.TableExists(ctx, l.db.Write, "schema_digest")
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	if !there {
		return ErrOtherSchema
	}
	if known := Schema(); has > known {
		return fmt.Errorf("the ledger has version %d and this program knows %d: %w", has, known, ErrNewer)
	}
	want, err := schemaDigest(l.db.Dialect.Name())
	if err != nil {
		return err
	}
	var digest string
	if err := l.db.Write.QueryRowContext(ctx, `
		SELECT sha256
		FROM schema_digest`).Scan(&digest); err != nil {
		return l.db.WrapError(doing, err)
	}
	if digest != want {
		return ErrOtherSchema
	}
	return nil
}

// firstSchema is the last version of the schema that a new ledger begins with. As long as there was no release, the
// schema changes by editing its files, and a ledger made by other files is refused; after the first release it changes
// by adding a file with a higher version.
const firstSchema = 6

// Schema is the schema version that this program migrates a ledger to, the same for both databases.
func Schema() int64 {
	var highest int64
	for _, name := range schemaFiles("sqlite") {
		highest = max(highest, schemaVersion(name))
	}
	return highest
}

// schemaFiles are the files of a dialect's schema in the order of their names, which is that of their versions.
func schemaFiles(dialect string) []string {
	names, _ := fs.Glob(migrations, "migrations/"+dialect+"/*.sql") // the pattern is well formed
	return names
}

// schemaVersion is the version of a file of the schema, 0 for a name without one, which no migration has: goose refuses it.
func schemaVersion(name string) int64 {
	v, err := goose.NumericComponent(name)
	if err != nil {
		return 0
	}
	return v
}

// sqlComment is a comment to the end of its line.
var sqlComment = regexp.MustCompile(`--[^\n]*`)

// schemaDigest is the SHA-256, in hex, of the statements of the first schema of a dialect, without comments and layout.
func schemaDigest(dialect string) (string, error) {
	sum := sha256.New()
	for _, name := range schemaFiles(dialect) {
		if schemaVersion(name) > firstSchema {
			continue
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return "", err
		}
		statements := strings.Fields(sqlComment.ReplaceAllString(string(text), ""))
		sum.Write([]byte(strings.Join(statements, " ") + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
