// Package edi maps an installment or a slip to CNAB 240: to a title movement of a cobrança file, or to entries of a
// statement. It only maps ledger values to those that package cnab writes. Package export chooses the rows, numbers and
// parts of a file; package cnab has the columns of each field.
//
// # Titles
//
// TitleBuilder makes one title of an installment (CardTitle) or a slip (SlipTitle), in cents: each amount is rounded once,
// half away from zero. The movement is the first of these that applies:
//
//   - an installment taken back is a debit of fees (28), one cancelled or charged back is written off (09), one received is
//     paid (06), any other is entered (02);
//   - a slip paid is paid (06), or paid late (17) when it was cancelled before; one cancelled is written off (09); then
//     rejected (03) and issued (02).
//
// The date of a movement is the day on which it was first observed, so that a later change of the row does not change it.
// In a paid title, fees, costs and over- or underpayment are the difference between face and net. An amount that would be
// negative in an unsigned column is written to the opposite one, so that the identities of the payment hold.
//
// # What is left out
//
// Some rows are no title, since the columns have no sign or nothing was registered yet, and some amounts are written to
// other fields than those of a payment. OmittedRows counts both for the control report: titles and omitted rows together
// are the rows of the ledger.
//
// # Entries
//
// A statement has the movements of the account: CardEntry makes the entry of an installment, SlipEntries those of a slip's
// payment and its tariff, or one entry of their difference where the account is credited net.
package edi
