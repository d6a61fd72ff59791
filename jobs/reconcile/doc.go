// Package reconcile puts the facts of an account before the rules and writes down what follows: expectations, brackets,
// the bridge, the cases and the verdict.
//
// # One pass
//
// Account reads sales, then slips, as they stream out of a Source with what is believed of them, and holds no more of
// them than one key, or one day of what is compared within a day.
//
// # What moved
//
// A night looks at the sales and slips that a pull changed since the last reconcile, that time may turn by now (every
// expectation says when that is), that were notified of, whose day became unreadable or readable, and that have a case
// which is not over; and at the sales that one of those may double. Everything is judged when the documents, the
// settings, the rules or the rules believed are others, when time went back, and when Inputs.Full asks for it. Both come
// to the same, run ids apart.
//
// What many rows come to together (the bridge, tolerated cents, spellings nobody listed, months without a contract
// line, rates, what the guard counts) is kept, and moved by what a row adds now less what it added before: its brackets
// and its Contribution, which stand with its expectation. A row that vanished is taken away in the same way.
//
// The gross of open rows is followed besides: every version since the last reconcile is a movement, and what they come
// to must be what a query of the ledger's own counts. A break is told once: the next reconcile opens with what was
// counted, so that its case is resolved then; what moved unseen on a day that nobody looks at shows when one does.
//
// # Rules not believed
//
// The rules that rest on a reading are counted over the whole population, by what they say and not by whether they are
// believed. An account starts with those its last reconcile did not believe; when the counts say otherwise everything is
// judged once more, after what was written is taken back, and that settles it.
//
// # The bridge
//
// Every row's difference between what was agreed and what was received is cut into brackets, and every bracket stands
// on exactly one line. A line with owners gets the whole bracket as the impact of the first owner that fired, its
// root, and names its case; the owners after it are explained by it and have impact 0. Nothing fired: the bracket is rounding, or, when an
// owner could not judge, not attributed, with the reason. No line is what is left over. In the end the lines are
// compared, month by month, with what a query of the ledger's own says; a residual is critical.
//
// # Notifications
//
// What the service notified of the sales of a day is read with the day, so that a row is compared with what was said of
// it; then every notification passes by, installment by installment. A change nobody told of is judged last: how grave it
// is depends on all changes of its day. An account that is not told of changes has none of this.
//
// # Cases
//
// A case is one code on one subject. It changes by data only when its rule could judge its subject: it opens, is
// resolved when the rule no longer fires or no longer looks at such a subject, and reopens. A rule kept from judging,
// by an unmapped spelling, say, or a day nobody pulled, leaves it as it is, and the report shows it with its row. What a
// person did with it stays while it is true. A case names the others that stand on its subject, whichever step of the run
// judged them, so those of days, months, sales and the account are written once all steps have. An event is written when
// the state, a number of the sentence or the cases beside it changed, and at no other time, so a second run over the same
// facts writes none.
//
// # What it must not do
//
// It does not query, call, read a clock or know what a rule means. Same facts and inputs, in whatever order they were
// pulled: same brackets, cases and verdict.
package reconcile
