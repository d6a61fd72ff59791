package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/pressly/goose/v3"

	"concilia/export/words"
	"concilia/store/sqldb"
)

//go:embed migrations
var migrations embed.FS

// schema is the tables of a ledger: which version they have, and how they get to that of the program.
type schema struct{ db *sqldb.DB }

// migrate is Ledger.Migrate for the tables of the ledger.
func (s *schema) migrate(ctx context.Context) (from, to int64, err error) {
	applied, err := s.appliedVersions(ctx)
	if err != nil {
		return 0, 0, err
	}
	from = highestVersion(applied)
	for {
		p, err := s.newMigrator(ctx)
		if err != nil {
			return from, from, s.db.WrapError("migrate the ledger", err)
		}
		sources := p.ListSources()
		to = sources[len(sources)-1].Version
		// A ledger that lacks nothing is not locked: this is how every command begins.
		if !slices.ContainsFunc(sources, func(source *goose.Source) bool { return !applied[source.Version] }) {
			return from, to, nil
		}
		if _, err = p.Up(ctx); err == nil {
			return from, to, nil
		}
		// Where another process came first this one fails, at a table that is there already or at the version: that is
		// no fault as long as one of them makes progress.
		before := len(applied)
		now, readErr := s.appliedVersions(ctx)
		if readErr != nil || len(now) <= before {
			return from, from, s.db.WrapError("migrate the ledger", errors.Join(err, readErr))
		}
		applied = now
	}
}

func (s *schema) newMigrator(ctx context.Context) (*goose.Provider, error) {
	sub, err := fs.Sub(migrations, "migrations/"+s.db.Dialect.Name())
	if err != nil {
		return nil, err
	}
	digest, err := schemaDigest(s.db.Dialect.Name())
	if err != nil {
		return nil, err
	}
	return s.db.Migrator(ctx, sub, digest)
}

// appliedVersions gives the versions the tables have. It writes nothing, so a database without tables has none.
func (s *schema) appliedVersions(ctx context.Context) (map[int64]bool, error) {
	const doing = "read the version of the ledger"
	there, err := s.db.Dialect.TableExists(ctx, s.db.Write, goose.DefaultTablename)
	if err != nil || !there {
		return nil, s.db.WrapError(doing, err)
	}
	versions := make(map[int64]bool)
	err = sqldb.EachRow(ctx, s.db.Write, func(rows *sql.Rows) error {
		var version int64
		err := rows.Scan(&version)
		versions[version] = true
		return err
	}, `
		SELECT version_id
		FROM goose_db_version`)
	return versions, s.db.WrapError(doing, err)
}

// highestVersion is the highest of the versions, 0 when there are none.
func highestVersion(versions map[int64]bool) (highest int64) {
	for v := range versions {
		highest = max(highest, v)
	}
	return highest
}

// check refuses a ledger that this program would misread. A database without tables is none.
func (s *schema) check(ctx context.Context) error {
	const doing = "read the version of the ledger"
	applied, err := s.appliedVersions(ctx)
	has := highestVersion(applied)
	if err != nil || has == 0 {
		return err
	}
	there, err := s.db.Dialect.TableExists(ctx, s.db.Write, "schema_digest")
	if err != nil {
		return s.db.WrapError(doing, err)
	}
	if !there {
		return ErrOtherSchema
	}
	if known := Schema(); has > known {
		return words.NewFault("ledger_fault.version", "", "has", has, "known", known, "cause", ErrNewer)
	}
	want, err := schemaDigest(s.db.Dialect.Name())
	if err != nil {
		return err
	}
	var digest string
	if err := s.db.Write.QueryRowContext(ctx, `
		SELECT sha256
		FROM schema_digest`).Scan(&digest); err != nil {
		return s.db.WrapError(doing, err)
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

// schemaDigests are the digests of the dialects that were asked for: each command that opens a ledger asks twice.
var schemaDigests sync.Map

// schemaDigest is the SHA-256, in hex, of the statements of the first schema of a dialect, without comments and layout.
func schemaDigest(dialect string) (string, error) {
	if digest, ok := schemaDigests.Load(dialect); ok {
		return digest.(string), nil
	}
	sum := sha256.New()
	for _, name := range schemaFiles(dialect) {
		if schemaVersion(name) > firstSchema {
			continue
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return "", err
		}
		var parts []string
		for line := range strings.Lines(string(text)) {
			statement, _, _ := strings.Cut(line, "--")
			parts = append(parts, strings.Fields(statement)...)
		}
		sum.Write([]byte(strings.Join(parts, " ") + "\n"))
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	schemaDigests.Store(dialect, digest)
	return digest, nil
}
