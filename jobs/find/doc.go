// Package find turns what a person typed into what the ledger knows: sales, slips and cases.
//
// ParseQuery splits a text into words. The shape of a word, or a prefix before it, says what it is looked for as; what fits no
// shape is looked for as any text by which a sale or a slip is known. Finder.Find gives what has every word.
//
// The words of sales and slips are in a table of their own, which each reconcile adds to, so that a search costs no index on
// the facts. Nothing of a payer is in it.
package find
