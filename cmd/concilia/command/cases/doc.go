/*
Package cases has the commands about the differences found and about anything the ledger knows: exceptions lists, shows and acts on cases,
claims writes letters to the operator, period closes months, find and explain answer for any sale or slip, evidence prints what the service
sent, rules and calibrate show what cases are judged by.

What people may do and how it is recorded is in package jobs/casework, what is known of one case in jobs/explain; lists share their filter
with the pages of the desk.
*/
package cases
