/*
Package nights has the commands of the nightly run: run itself, its parts by hand (plan, pull, backfill, reconcile), which days are complete
(coverage), when jobs start (schedule), and what runs came to (runs, status).

What a run does is in package jobs; what one came to is printed and turned into an exit code by the invocation.
*/
package nights
