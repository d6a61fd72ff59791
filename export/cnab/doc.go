// Package cnab writes, reads and explains CNAB 240 files: the fixed-width files in which Brazilian banks report
// to a company what became of its titles (cobrança, retorno: segments T, U and Y-50) and what moved on its account
// (extrato: segment E). Columns are those of the FEBRABAN standard of 240 positions, version 10.6.
//
// # One table
//
// A record's layout is data, written once: a Layout is a list of fields, each with its number in the standard, its
// id, its columns and its kind. Writer, reader, Inspect and every error message read that table, so no column is
// typed twice. A test proves that each table covers columns 1 to 240 without gap or overlap. A field's id never
// changes; blank fillers are called cnab_ and their first column.
//
// # Writing
//
// Writer takes Titles and streams a whole file: it opens lotes, numbers records, keeps counts and sums, and starts a new
// lote when one is full. A title whose amounts are not consistent, or not whole cents, is refused before any byte of it is
// written. A file without titles is written too, so that a missing file never has to be interpreted. Equal titles give
// equal bytes: the package reads no clock.
//
// StatementWriter does the same with Entries: it computes the balances of every lote from the opening balance, and refuses
// an entry whose category belongs to the other side (debit or credit). An account with more entries than a
// lote holds continues in another one, whose opening balance is the closing balance of the last; both are marked partial.
//
// # Reading
//
// Read checks every column of every record, every count and sum, and everything that follows from another record. It
// reports all faults at once, up to a cap. Deviations that can still be read (as in the files of other banks) are
// warnings with a code. Read corrects nothing: the records it returns have the bytes of the file, and a RecordWriter
// reproduces the file from them.
//
// # Invariants
//
//   - Every record, the last one included, is 240 bytes of plain ASCII followed by CR LF.
//   - Digits that do not fit are an error. Text that does not fit is cut, as the standard says; codes are never cut.
//   - In a payment, paid = face + additions - discount - rebate, and net = paid - fee - other expenses + other
//     credits, to the cent. In an entry, rejection, write-off or fee, paid and net are zero.
//   - Names and documents of payers and beneficiaries never appear in an error, a warning or an explanation.
//
// The package is independent of the ledger, the configuration and the file system. The caller numbers titles and files,
// and rounds amounts.
package cnab
