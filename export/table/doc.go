// Package table is the row model of the exports: columns as data, cells, and the text formats of rows. It is independent
// of reports, report sets and file names: package report declares the tables and fills their rows.
//
// # Columns
//
// A Table lists its columns once: id, headers, type, decimals, when a cell is absent, labels. Every format reads that list,
// and so do the counters, the readers, and the code that makes sheets or pages of the rows. A Row is the cells in that
// order; a writer reuses one row, so it must not be kept.
//
// An absent cell is never 0, and a column says in words when it may be absent. A number absent from a column that says
// nothing of it is an error, as is a number with more decimals than its column prints: no digit is ever cut silently.
//
// # Cents
//
// Money is shown in whole cents, rounded once, half away from zero, by Cents or by Money when a row is built. Totals are sums
// of printed amounts; Cell and Money keep the amount before rounding with them, and a Counter adds up both.
//
// # Formats
//
// The csv is the canonical text of a row: from it come the row_hash, the digest of a table and the hashes in other formats. A
// CSVWriter writes it; a RowFormat formats the same row for people (BrazilianCSV) or for programs (JSONLines). Text that a
// spreadsheet would run as a formula is guarded by an apostrophe.
//
// Readers are strict: they accept what the writer would have written and nothing else, check the hash of every row where
// the format has one, and return the counts and sums of the rows. Reading back is one half of the proof in package render;
// the other half is the Counter that was kept while writing.
//
// # Appended columns
//
// A table grows at its end: a column that is Appended follows row_hash in a line of csv or jsonl, so that those before keep
// their place, and the hash covers it too.
//
// # Digests
//
// A Digester makes one hash of a table's id, layout, rows and sums. Columns that are assigned at emission are left out of it.
// Equal rows give equal bytes and equal digests: there is no clock, no locale and no map order here.
package table
