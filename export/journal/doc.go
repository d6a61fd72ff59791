// Package journal writes the entries of the journal as accountants' programs take them in: beancount, hledger (which ledger reads too)
// and Domínio Sistemas.
//
// A Chart says which account of the office a role is. A Writer writes a head, the entries in the order they come in, and at the end of a
// period the balances that the books must then have, so that the program that reads the file proves it. ReadTotals reads a file back:
// it counts the entries and adds up what they debit and credit, and refuses one that is not balanced.
package journal
