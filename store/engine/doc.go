// Package engine opens the database under the ledger and hides what differs between the two that are spoken: how a
// database is opened and locked, which driver code means what, and how SQL looks into JSON. The SQL itself is one
// text for both and stands in package store, beside its scan.
//
// It knows no noun and no table of the ledger.
//
// # Two pools
//
// SQLite has one writer at a time, so its writing pool is one connection, whose transactions take the write lock
// when they begin: two processes wait for each other instead of failing half way. Readers have connections of their
// own that cannot write; under the write-ahead log they see the state before the writer's transaction and never
// wait for it. The log does not work on network folders.
//
// # Poolers
//
// A pooler before Postgres must keep a session whole: migrations hold a lock of their session, the job queue listens, and
// pgx prepares its statements. PgBouncer does with pool_mode=session; by transaction or statement it does not, and such
// an address is refused when it is opened. It also refuses the start of a session with settings that it does not know,
// search_path among them: a ledger behind it has a database of its own instead of a schema, or its user has the setting.
//
// # Past database/sql
//
// SQLite runs in pure Go (modernc.org's translation) behind a driver of this package over zombiezen.com/go/sqlite.
// Bulk reaches the connection behind database/sql, which boxes every value: rows by the ten thousand go in and out that
// way, inside the transaction that is open on the connection. On Postgres that is a binary COPY, on SQLite one prepared
// statement.
//
// # Placeholders
//
// Both databases take $1, $2, … in any order and more than once.
package engine
