/*
Package progress shows how a run proceeds: bars on a terminal, one line per step otherwise, or the lines of the log.
*/
package progress
