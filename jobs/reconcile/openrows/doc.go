// Package openrows follows the gross of open installments from one reconcile to the next: every version since is a movement, by sale day,
// brand and product. Opening and movements must come to what the ledger counts; package reconcile compares them.
package openrows
