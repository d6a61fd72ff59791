// Package ledger holds the nouns of concilia: what the payment service says (Installment, Split, Slip), what should have
// been (Expectation), what differs (Finding), and the numbers they are made of (Amount, Rate, Date, LocalTime). It also
// holds numbers that check themselves: Document (CPF, CNPJ), BarCode and DigitableLine.
//
// It imports nothing of the project and knows no SQL, JSON or HTTP: the package that moves a noun across such a boundary
// translates it there. What packages exchange are nouns of this package.
//
// # Numbers
//
// Amounts are integers in ten-thousandths of a real, because the service states four decimals. Rates are integers in
// millionths of the number as the service spells it, so 2.34 is 2 340 000 whether it means a percentage or a fraction.
// Parsing is exact or an error. The only rounding is half away from zero to whole cents, and every call that rounds names
// it. Nothing here is a float.
//
// # Dates
//
// A Date is a calendar day and has no zone. A LocalTime is the local time in São Paulo. Instants are time.Time in UTC and
// come from the caller: nothing here reads a clock.
//
// # Absence
//
// What the service did not say is not zero. Optional members are Opt values; absent text is empty; an absent date or local
// time is the zero value.
package ledger
