// Package console is the desk in the browser: pages over the values that commands print.
//
// A page is a route in routes.go, a function that asks the Source for a value of cmd/concilia/view, and a template. It has no
// query, no rule and no figure of its own. Whoever adds a page adds those three and its words (export/words, group desk).
//
// # Requests
//
// Console.Handler answers every request in the same order: the host must be a known one, a form must come from one of our own
// pages, at most 16 pages are rendered at once, and a page has QueryTime for all it asks. A page is rendered whole before a byte
// of it is sent, so that a failure never shows half of it. GET changes nothing.
//
// Everything is embedded and works without scripts: desk.js adds keys, the progress of a running night and copying.
package console
