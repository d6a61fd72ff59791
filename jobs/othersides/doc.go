// Package othersides holds what the service says it paid and sold against the other sides: the bank accounts it credits, and the
// stores that sold.
//
// A Keeper takes in the files of inboxes (statements of the bank, exports of shop systems), each whole or not at all, and once however
// often it is there. It then reads both sides from the ledger, lets jobs/bank and jobs/sales match them, applies their rules, and stores
// conclusions and cases. TakeInStatements and TakeInSales do the same with a file that a person names; ConciliateBank and
// ConciliateSales only read.
//
// It asks the service nothing, parses no file and matches nothing by itself, and never changes what the service said. A bank account or
// store is evaluated only if the run has reconciled every account that it is of: otherwise rows that are not evaluated would look like
// money that is missing.
package othersides
