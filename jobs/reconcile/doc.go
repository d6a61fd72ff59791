// Package reconcile applies the rules to the facts of an account and writes the results: expectations, brackets, the
// bridge, the cases and the verdict.
//
// # One pass
//
// Account reads sales, then slips, as they stream out of a Source together with what is believed of them. At any time it
// holds the facts of one key, or of one day where rows of a day are compared.
//
// # What moved
//
// A night judges the sales and slips that a pull changed since the last reconcile, that the passage of time may change by
// now (every expectation says when), that a notification is about, whose day became readable or unreadable, or that have a
// case that is not over; and the sales that one of these may duplicate. Everything is judged when the documents, the
// settings, the rules or the set of believed rules changed, when the as-of date went back, and when Inputs.Full asks for
// it. Both ways give the same result, except for run ids.
//
// Sums over many rows (the bridge, tolerated cents, unknown spellings, months without a contract line, rates, the counts
// of the guard) are kept and updated by the difference between what a row adds now and what it added before: its brackets
// and its Contribution, which are kept with its expectation. A row that vanished is subtracted in the same way.
//
// Continuity is followed separately: every version since the last reconcile is a movement of the gross of open rows, and
// the movements must add up to what a query of the ledger counts. A break is reported once: the next reconcile opens with
// the counted figure, which resolves the case. A change that was missed on a day nobody looks at shows up when that day is
// next looked at.
//
// # Rules not believed
//
// The rules that rest on a reading are counted over the whole population, by their outcomes and whether or not they are
// believed. An account starts with the set of rules its last reconcile did not believe. When the counts contradict that
// set, what was written is undone and everything is judged once more; no third pass is needed.
//
// # The bridge
//
// The difference of each row between what was agreed and what was received is cut into brackets, and every bracket is on
// exactly one line of the bridge. The rules that may own a line are ordered. The first owner that fired is the root: it
// gets the whole bracket as its impact, and the line names its case. Owners after it that fired are explained by it and
// have impact 0. If none fired the bracket is rounding, or, when an owner could not judge, not attributed, with the reason.
// No line is a remainder. Finally the lines are compared, month by month, with a query of the ledger; a residual is a
// critical finding.
//
// # Notifications
//
// The notifications about the sales of a day are read with the day, so that each row is compared with them; then all
// notifications are judged, installment by installment. A change without a notification is judged last, because its
// severity depends on all changes of its day. An account without a subscription has none of this.
//
// # Cases
//
// A case is one code on one subject. Data change it only when its rule could judge the subject: the case opens, is resolved
// when the rule no longer fires or no longer applies to the subject, and reopens. A rule that cannot judge, because of an
// unmapped spelling or a day nobody pulled, leaves the case as it is, and the report shows it with its row. What a person
// decided about a case stays in force while it is true. A case names the other cases on its subject, whichever step of the
// run found them, so cases of days, months, sales and the account are written after all steps. An event is written when
// the state, a number of the sentence, or the cases beside it change, and at no other time, so a second run over the same
// facts writes none.
//
// # What it must not do
//
// It does not query, call, read a clock or know what a rule means. The same facts and inputs, in whatever order they were
// pulled, give the same brackets, cases and verdict.
package reconcile
