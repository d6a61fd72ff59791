/*
Package upkeep has the commands of people who look after a machine: config and calendar show what is configured, keygen makes a key, migrate and
ledger look after the database, version says which program this is.
*/
package upkeep
