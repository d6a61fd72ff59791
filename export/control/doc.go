// Package control has the rows of the control table and the figures that prove a file.
//
// A Figure is one count or sum from three sources: the ledger's query, the writer's counters, the file read back. A figure whose
// sources differ is a MismatchError, and nothing of the set is published. A Writer collects the rows of control, which keep ids
// for programs; RowInWords and its parts make the rows that people read in the workbook, on the page and in csv-br.
package control
