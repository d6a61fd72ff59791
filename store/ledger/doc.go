// Package ledger holds the nouns of concilia: what the payment service says (Installment, Split, Slip), what
// should have been (Expectation), what differs (Finding) and the numbers they are made of (Amount, Rate, Date,
// LocalTime). It also holds the numbers that check themselves: Document (CPF, CNPJ), BarCode and
// DigitableLine.
//
// It imports nothing of the project, and it knows no SQL, no JSON and no HTTP: whoever carries a noun over such
// a border translates it there. What crosses from one room of the house to another is a noun of this package.
//
// # Numbers
//
// Amounts are integers of ten-thousandths of a real, because the service states four decimals; rates are
// integers of millionths of the number as the service spells it, so 2.34 is 2 340 000 whether it means a percent
// or a fraction. Parsing is exact or an error. There is one rounding, half away from zero to whole cents, and it
// is named wherever it happens. Nothing here is a float.
//
// # Dates
//
// A Date is a day on the calendar and has no zone. A LocalTime is what a clock on a wall in São Paulo showed.
// Instants are time.Time in UTC and come from the caller: nothing here reads a clock.
//
// # Absence
//
// What the service did not say is not zero. Optional members are Opt values; absent text is empty; an absent
// date or local time is the zero value.
package ledger
