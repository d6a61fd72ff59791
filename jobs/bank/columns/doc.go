// Package columns reads statements of banks that are tables: CSV, and JSON or JSON Lines. Which column is what is declared by
// a Map, never guessed; what a table has no column for it does not state.
//
// A preset reads what a standard names: OpenFinance.
//
// Such a file names no account and no period. The command that takes it in says both; without a period its window is the one from
// its first to its last row.
package columns
