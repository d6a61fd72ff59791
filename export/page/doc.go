// Package page makes the HTML page of a report set: verdict, what is missing and why, tables shortened for a phone, bridge, control.
//
// Write fills the values of package html, which has the templates and escapes them. Rows come from the csv of the tables in staging,
// so that the ledger is read once. Every count and total that the page shows is a figure of its proof. A page links to places in the
// indexes of its target and never to files, so that its bytes depend on no other revision.
//
// Its tests are those of package render, which renders whole sets.
package page
