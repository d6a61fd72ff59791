// Package ledger holds the nouns of concilia: the records of the payment service (Installment, Split, Slip), what was
// expected (Expectation), what differs (Finding), and the numbers they are made of (Amount, Rate, Date, LocalTime). It also
// holds numbers with check digits: Document (CPF, CNPJ), BarCode and DigitableLine.
//
// What is held against the service has nouns of its own, below: banking (statements, deposits), ownsales (the shop's own
// sales) and bookkeeping (the movement and the journal).
//
// It imports nothing of the project and contains no SQL, JSON or HTTP: the package that moves a noun across such a boundary
// translates it there. Packages exchange nouns of this package.
//
// # Numbers
//
// Amounts are integers in ten-thousandths of a real, because the service states four decimals. Rates are integers in
// millionths of the number that the service sends, so 2.34 is 2 340 000 whether it means a percentage or a fraction.
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
// An absent value is not zero. Optional members are Opt values; absent text is empty; an absent date or local
// time is the zero value.
package ledger
