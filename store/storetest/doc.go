// Package storetest opens databases for tests: ledgers of their own on SQLite and PostgreSQL.
package storetest
