// Package explain gathers everything known about one case, for a page that a person may show to the service's operator.
//
// # What a Page holds
//
//   - the case in words, with its formula and the numbers in it;
//   - the record that it is about, every version of it, and what each answer changed;
//   - the contract line in force, from the document that the case's last run kept;
//   - the days that its dates rest on, by the calendar of that run. The calendar may have changed since: then the page says
//     so and names no day, since they would be those of another calendar;
//   - the answers that brought the versions and the ones that showed the record last, as evidence;
//   - related cases, what became of this one, and what people did about it.
//
// A Page is data in exact amounts; the command line lays it out and knows the words of both languages.
//
// # What it must not do
//
// It writes nothing, does not call the service and applies no rule: a page tells what the last run found, even where a
// rule would find otherwise today. It shows nothing of a payer and no code that can be paid: that one of these changed is
// told, without what it was and is.
package explain
