// Package config is the configuration: its keys, the defaults, and all problems of a configuration, reported at once. It
// imports only config/problem and opens only the configuration file and the files that hold secrets.
//
// # Where a value comes from
//
// The default documented at each field is overridden by the YAML file, and that by the environment. Every key has a
// variable: CONCILIA and its path in upper case, joined by underscores: service.requests_per_second is
// CONCILIA_SERVICE_REQUESTS_PER_SECOND. Lists of words are separated by commas. Accounts, banks, schedules and alerts are
// counted from 0. The environment may add entries; each needs its first key: CONCILIA_ACCOUNTS_0_NUMBER,
// CONCILIA_SCHEDULE_0_JOB, CONCILIA_ALERTS_0_ON. A rule's keys have variables when the file names the rule:
// CONCILIA_RULES_RECEIVED_OVERDUE_GRACE. An empty variable sets nothing.
//
// # Paths
//
// In the configuration file, paths of files to be read (contract, mapping, profile, register, orders, certificate, secrets)
// are relative to the directory of that file; paths the program writes to (ledger.dsn, reports.out) are relative to the
// working directory. In the environment every path is relative to the working directory.
//
// # Problems
//
// An unknown key is a problem, with a suggestion where another key is spelled alike. One bad value hides no other. Each
// Problem names file, line, key, value and what would be right. Neither problems nor anything else this package prints
// holds a secret.
//
// # Secrets
//
// A password is in a file of its own or in the environment, never in the YAML file. Secret prints as *** whatever the verb
// or encoder; only Reveal returns its text. Hash and Text leave secrets out.
//
// # Commands that do not call the service
//
// Load requires the passwords. LoadOffline is for commands that need only the ledger or files, on a machine that may not
// have the passwords: it opens no password file and requires none. LoadPublishing is for those that also publish: it opens
// the files with the secrets of the target and no others. Everything else is validated as by Load, so that one
// configuration file serves all commands.
package config
