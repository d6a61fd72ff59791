// Package storetest holds what every ledger must do, whatever database is under it: one suite, run on each.
//
// Run takes a function that opens an empty, migrated ledger. The tests speak only the store's own API, so they say
// nothing about tables.
package storetest
