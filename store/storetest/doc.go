// Package storetest is the conformance suite of the ledger: one set of tests, run on every database.
//
// Run takes a function that opens an empty, migrated ledger. The tests use only the exported API of package store and
// assume nothing about tables.
package storetest
