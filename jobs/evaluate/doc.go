// Package evaluate applies the rules to what the ledger has of one account, and measures how the service's answers are to be read.
//
// An Evaluator gives package reconcile what it asks for: the facts of the ledger, which rechecks of the run were answered, which slips
// were issued again, which closes are in force. ReconcileAccount commits the results of one account in one transaction, if the lease of
// its unit is still held, and records what changed in closed periods. Calibrate measures on all rows which interpretations of what the
// service does not document they support, and writes nothing.
//
// It asks the service nothing and evaluates nothing by itself: the rules are in jobs/rules, their evaluation in jobs/reconcile. Accounts
// are evaluated one by one; which ones, and in which process, package jobs decides.
package evaluate
