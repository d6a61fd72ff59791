// Package workbook makes the workbook of a report set: the dashboard first, a sheet for each table, control last.
//
// Rows come from the csv of the tables in staging, so that the ledger is read once; package xlsx writes the file format. The
// dashboard is filled last, because it begins with what control found.
//
// Its tests are those of package render, which renders whole sets.
package workbook
