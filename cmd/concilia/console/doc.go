// Package console is the desk in the browser: pages over the values that commands print.
//
// # A page
//
// A page is a file of routes, such as pages_slips.go, a template of the same name and its words (export/words, group desk): to
// add a page, add these three and name its routes in routes. Menu, metrics, roles, the wait for room and the time limit follow from
// the route. Its function reads the query, asks the Source for a value of cmd/concilia/view, which cmd/concilia/desk answers from the
// ledger as the commands do, and renders it: it has no query, no rule and no figure of its own.
//
// A test fails until the table of routes by role and account has rows for it, with what is of another account. Where there is a
// browser, tests look at the pages in it: at their width on a phone, contrast, names and keys, what is printed, and how many clicks the
// jobs take that people come for.
//
// # Requests
//
// Console.Handler answers every request in the same order: the host must be a known one, a form must come from one of our own
// pages, at most 16 pages are rendered at once, and a page has QueryTime for all it asks. A page is rendered whole before a byte
// of it is sent, so that a failure never shows half of it. GET changes nothing. Who may sign in is in package people, who is signed
// in, in package signin.
//
// Everything is embedded and works without scripts: desk.js adds keys, the progress of a running night and copying.
package console
