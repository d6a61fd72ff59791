// Package cnab writes, reads and explains CNAB 240 files: the fixed-width files in which Brazilian banks tell a
// company what became of its titles (cobrança, retorno: segments T, U and Y-50) and what moved on its account
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
// Writer takes Titles and writes a whole file, streaming: it opens lotes, numbers records, counts and adds up, and
// starts a new lote when one is full. It refuses a title whose money does not hold together, whole cents, before a
// byte of it is written. A file without titles is a file all the same, so that silence is never the message.
// Equal titles give equal bytes: the package reads no clock.
//
// Statement does the same with Entries: it carries the balance from the opening one through every lote to the closing
// one, and refuses an entry whose category is of the other side. An account past the records of a lote goes on in
// another one, whose opening balance is what the last one closed with, both marked partial.
//
// # Reading
//
// Read checks every column of every record and everything that counts, adds up or follows from another record, and
// reports all faults at once, up to a cap. What is unusual but legible (the quirks of other banks' files) is a
// named warning. Nothing that was read is corrected: the records it hands out have the bytes of the file, and a
// RecordWriter gives the same file back.
//
// # Invariants
//
//   - A record is 240 bytes of plain ASCII and CR LF, also the last one.
//   - Digits that do not fit are an error; text that does not fit is cut, as the standard says, except codes.
//   - In a payment, paid = face + additions - discount - rebate, and net = paid - fee - other expenses + other
//     credits, to the cent. In an entry, rejection, write-off or fee, paid and net are zero.
//   - Names and documents of payers and beneficiaries never appear in an error, a warning or an explanation.
//
// The package knows no ledger, no account configuration and no file system. Which number a title or a file gets,
// and what an amount is rounded to, is its caller's.
package cnab
