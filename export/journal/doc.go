// Package journal writes the entries of the journal as accountants' programs take them in: beancount, hledger (which ledger reads too),
// Domínio Sistemas, and the CSV of an office of its own.
//
// A Chart says which account of the office a role is, and which columns its own CSV has. A Writer writes a head, the entries in the order
// they come in, and at the end of a period the balances that the books must then have, so that the program that reads the file proves it.
// ReadTotals reads a file back, and ReadOwn an office's CSV: they count the entries, or the rows, add up what these debit and credit, and
// refuse what is not balanced.
package journal
