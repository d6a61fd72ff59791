/*
Package banks has the commands of bank: statements are taken in (import), listed and shown with the days they prove (list, coverage), held
against what the service says it paid (lines, show), and matched by hand (match, unmatch).

bank.go opens the ledger for the configured bank accounts; matching is in package jobs/bank.
*/
package banks
