/*
Package command is what every command of concilia has: the invocation, which opens the ledger, prints results and knows the language;
arguments and flags; how a run concludes. The commands themselves are below it, a package for each subject and a file for each command:

	nights      the nightly run and its parts, when it runs, what it came to: run, backfill, plan, pull, coverage, reconcile, schedule, runs, status
	cases       the differences found, and what is known of anything: exceptions, claims, period, find, explain, evidence, rules, calibrate
	banks       statements of the bank: bank
	stores      what the stores say they sold: sales
	publishing  reports and published files: report, movement, verify, inspect
	serving     what runs until it is stopped, and what people read of it: serve, worker, console, mail
	service     the payment service, asked directly: webhook, simulate
	upkeep      what a machine needs: config, calendar, keygen, migrate, ledger, version

A command is a function that takes the invocation and returns a cobra.Command, such as nights.NewRun; root.go of cmd/concilia lists them
all. It parses its flags, opens what it needs from the invocation, has one of the rooms below do the work, and prints a page of package
view. It decides nothing about money.
*/
package command
