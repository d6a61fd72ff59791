/*
Package stores has the commands of sales: what the stores' own systems say was sold is taken in (import, files), listed and shown (list, show),
with the days that are known whole (coverage).

sales.go opens the ledger for the configured stores; matching is in package jobs/sales.
*/
package stores
