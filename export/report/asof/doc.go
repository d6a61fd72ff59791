// Package asof holds the kinds of basis asof: the state on one day. exceptions has a row per case, recoveries what came of those that
// were disputed, aging what is late by its age, agenda and forecast what is still to come. Their figures are held against each other:
// aging against exceptions and agenda, forecast against agenda.
//
// Figures are the sums of impacts that people read first, missing, at risk, in excess; pages, commands and messages name and print them as
// this package does.
package asof
