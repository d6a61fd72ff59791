// Package kindlist lists every kind of report, in the order of their tables in a set, and finds a kind or a table in that list. It
// knows every package that holds kinds; the kinds know nothing of it.
package kindlist
