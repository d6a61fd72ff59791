// Package banking holds the nouns of banks: a statement as a file states it (Statement, Row, Balance), the lines and days that are
// known of a bank account (Line, Day), and what the service says it paid held against what came (Deposit, Conclusion). They are
// made of the nouns and numbers of store/ledger, and the same holds of them: no SQL, no clock, nothing is a float.
package banking
