// Package reconcile applies the rules to the facts of an account and writes the results: expectations, brackets, the
// bridge, the cases and the verdict.
//
// # One pass
//
// Account reads sales, then slips, from a Source, each with the expectation that the last reconcile stored. At any time it
// has the facts of one key in memory, or those of one day where rows of a day are compared.
//
// An attempt at an account is an evaluation, whose steps account.go lists in order. Each step belongs to an evaluator of
// one kind of subject: pullEvaluator, saleEvaluator with its installmentEvaluator, slipEvaluator, notificationEvaluator,
// populationEvaluator, orderEvaluator, interpretationEvaluator, monthEvaluator. What they share has a type of its own:
// subjectOutcomes is what the rules found on the current subject, bridge attributes differences to lines and rules,
// expectationWriter stores expectations, cases opens, keeps and resolves cases, aggregates adds up over all rows.
//
// # What is evaluated
//
// A nightly run evaluates the sales and slips that a pull has changed since the last reconcile, those that time alone may
// change by now (every expectation has the date of its next evaluation), those with a new notification, those of days whose
// quarantined rows changed, those with an unresolved case, and the sales that one of these may duplicate. Everything is
// evaluated if the documents, the settings, the rules or the suppressed rules changed, if the as-of date went back, and if
// Inputs.Full asks for it. Both ways give the same result, except for run ids.
//
// Aggregates over many rows (the bridge, tolerated amounts, unmapped spellings, months without a contract line, rates, the
// counters of the guard) are stored and changed by the difference between what a row adds now and what it added before: its
// brackets and its delta, which are stored with its expectation. A row that vanished is subtracted in the same way.
//
// Continuity is checked separately: every version since the last reconcile is a movement of the gross of open rows (package
// openrows), and the movements must add up to what a query of the ledger counts. A break is reported once: the next reconcile opens with
// the counted figure, which resolves the case. A change that was missed on a day is found when that day is next counted.
//
// # Suppressed rules
//
// Rules that depend on an interpretation of undocumented members are counted over all rows, by their outcomes and whether or
// not they are suppressed. An account starts with the rules that its last reconcile suppressed. If the counts suppress other
// rules, what was written is undone and everything is evaluated once more; a third pass is not needed.
//
// # The bridge
//
// The difference of each row between what was agreed and what was received is cut into brackets, and every bracket is on
// exactly one line of the bridge. The rules that may own a line are ordered. The first owner that fired is the root cause:
// it gets the whole bracket as its impact, and the line names its case. Owners after it that fired are explained by it and
// have impact 0. If none fired the bracket is rounding or, if an owner could not be evaluated, not attributed, with the
// reason. No line is a remainder. Finally the lines are compared, month by month, with a query of the ledger; a residual is
// a critical finding.
//
// # Notifications
//
// The notifications about the sales of a day are read with the day, so that each row is compared with them; then all
// notifications are evaluated, installment by installment. An unnotified change is evaluated last, because its severity
// depends on all changes of its day. An account without a subscription has none of this.
//
// # Cases
//
// A case is one code on one subject. Data change it only if its rule could be evaluated on the subject: the case opens, is
// resolved when the rule no longer fires or no longer applies to the subject, and reopens. If a rule cannot be evaluated,
// because of an unmapped spelling or a day that was not pulled, its case stays as it is, and the report shows it with its
// row. How a case goes on from run to run is in package caselife. A case names the other cases on its subject,
// whichever step of the run found them, so cases of days, months, sales and the account are written after all steps. An
// event is written when the state, a number of the sentence, or the related cases change, and at no other time, so a second
// run over the same facts writes none.
//
// # What it must not do
//
// It does not query, call, read a clock or know what a rule means. The same facts and inputs, in whatever order they were
// pulled, give the same brackets, cases and verdict.
package reconcile
