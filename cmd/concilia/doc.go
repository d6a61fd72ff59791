/*
Concilia tells a merchant's finance team, every morning, whether the payment service paid what it owed.

It pulls card installments and bank slips (boletos) into a local ledger, works out what should have been received,
names every difference in reais with a stable code, and publishes settlement reports to shared storage, with totals that
tie file, ledger and service.

	concilia [--config FILE] [--json] [--quiet] COMMAND

root.go lists the commands. Each has a file of its own below package command, in the package of its subject; those that need the whole
list (help, man, completion) and demo are here. What a command shows is a value of package view, which is its JSON and its text. Below
this package:

	command     what every command has; below it the commands, by subject: nights, cases, banks, stores, publishing, serving, service, upkeep
	wire        builds ledger, client, target and worker from the configuration
	exit        turns every error into an exit code and a hint, in one switch each
	progress    bars, lines and the log of a run
	alerts      pings and alerts around a run
	daemon      what serve and worker do until they are stopped
	metrics     what a process counts, and what is read from the ledger for Prometheus
	listen      the limits and certificates of the HTTP servers
	console     the desk in the browser; desk reads what it shows
	view        what a command or page shows, as data
	audit       compares published reports with the ledger, for verify
	handbook    pages for people
	manual      manual pages of commands and of the handbook
	demo        the mornings of concilia demo, against the sandbox

Progress goes to standard error: a bar on a terminal, one line per step otherwise. Results go to standard output; with
--json they are JSON.

# Exit codes

The first that holds:

	2    usage
	40   configuration, refused credentials, or address not allowed
	60   another run holds the lock
	50   nothing could be pulled, or the ledger or the target is unreachable
	30   incomplete: a critical finding, a failed window, a failed publication
	20   breaks: an open case of severity error
	10   warnings: an open case of severity warning, or money not attributed
	0    reconciled, or pending only
	1    internal error
	130  interrupted
*/
package main
