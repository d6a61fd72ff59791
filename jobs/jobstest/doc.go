// Package jobstest has what the tests of jobs, of jobs/proof and of the rooms below share: a merchant that asks the sandbox over HTTP,
// empty ledgers on both databases, folders as targets, and goldens.
//
// Only tests import it.
package jobstest
