// Package edi maps an installment or a slip to CNAB 240: to a title movement of a cobrança file, or to entries of a
// statement. It only maps ledger values to those that package cnab writes. Package export chooses the rows, numbers and
// parts of a file; package cnab has the columns of each field.
//
// # Titles
//
// Titles makes one title of an installment (Card) or a slip (Slip), in cents: each amount is rounded once, half away from
// zero. The movement follows from what happened, the first that holds:
//
//   - an installment taken back is a debit of fees (28), one cancelled or charged back is written off (09), one received is
//     paid (06), any other is entered (02);
//   - a slip paid is paid (06), or paid late (17) when it was cancelled before; then cancelled (09), rejected (03), issued (02).
//
// A movement is of the day on which that was first seen, so that a later change of the row does not move it. In a paid title
// fees and costs and what came over or short make up the difference between face and net; what would be negative in an
// unsigned column moves to the opposite one, so that the identities of the payment hold.
//
// # What is left out
//
// Some rows are no title, since the columns have no sign or nothing was registered yet, and some amounts are written to
// other fields than those of a payment. OmittedRows counts both for the control report: titles and omitted rows together
// are the rows of the ledger.
//
// # Entries
//
// A statement has what moved the account: CardEntry what an installment brought or took, SlipEntries a payment and its tariff,
// or one entry of both where the account is credited net.
package edi
