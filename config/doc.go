// Package config is the one configuration: what a person may set, what holds when they do not, and everything that
// is wrong with what they set, told at once. It imports nothing of the project and opens nothing but the
// configuration file and the files that hold secrets.
//
// # Where a value comes from
//
// The default written at each field, then the YAML file, then the environment. Every key has a variable: its path in
// upper case, joined by underscores, after CONCILIA: service.requests_per_second is
// CONCILIA_SERVICE_REQUESTS_PER_SECOND. Lists of words are separated by commas. Accounts, schedules and alerts are
// counted from 0, and the environment may add to them, each beginning with its first key: CONCILIA_ACCOUNTS_0_NUMBER,
// CONCILIA_SCHEDULE_0_JOB, CONCILIA_ALERTS_0_ON. A rule's keys have variables when the file names the rule:
// CONCILIA_RULES_RECEIVED_OVERDUE_GRACE. An empty variable sets nothing.
//
// # Paths
//
// What the file names to be read (contract, mapping, profile, register, orders, certificate, secrets) is relative to the directory of the
// file; what the program keeps (ledger.dsn, reports.out) is relative to the working directory. In the environment
// every path is relative to the working directory.
//
// # Problems
//
// A key exists only when it works: an unknown one is a problem, with the key that was perhaps meant. One bad value
// hides no other. Each Problem names file, line, key, value and what would be right; none of them, and nothing else
// printed from here, holds a secret.
//
// # Secrets
//
// A password stands in a file of its own or in the environment, never in the YAML file. Secret prints as *** whatever
// the verb or encoder; Reveal is the only way to its text. Hash and Text leave secrets out.
//
// # Commands that ask the service nothing
//
// Load wants the passwords; LoadOffline serves commands that work from the ledger or from files alone, on a machine
// that may not have them. It opens no password file and misses no password. LoadPublishing serves those that publish as
// well: it opens the files with the secrets of the target, and no other. Everything else is judged as by Load, so that one
// file serves all.
package config
