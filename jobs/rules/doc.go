// Package rules is the model of the rules: what is wrong with a row, and what it costs. The rules themselves are in the
// families below it (runs, cards, slips, notifications, assumptions); catalogue puts them together.
//
// # A rule
//
// A Rule is declared as data (code, family, severity, needs, tolerance) with a pure function of an Env and a Row, Sale, Slip or
// Notification. To add one, write one declaration in the list of its family, such as cards.ReceiptRules, and its texts in
// catalogue/rules.yaml; the catalogue picks it up from there.
//
// # What a rule is given
//
// NewSale and NewSlip derive everything that rules need from the nouns of the ledger once: class, net, expected amounts
// (what each deduction should have been), limits and dates. Rules and bridge use the same values, so a rule cannot disagree
// with the bridge about what was due. An expected amount that cannot be computed is the row's own value. Env holds the
// documents, the dates and what was pulled; NewEnv takes the rules to evaluate.
//
// # Outcomes
//
// The outcome of a rule on a subject is: not eligible, not evaluated (no input, unmapped, not pulled, not evaluable),
// suppressed, passed, passed within the tolerance, pending, or fired with its figures. Not evaluated is never a pass.
//
// # History
//
// Rules that compare a row or slip with its past use its History: every version, oldest first. A change that was undone is
// no change. These rules evaluate nothing until a day was completely answered twice (Options.PullsOf), so in the first run
// they report nothing, which is not the same as a pass. Each change belongs to one rule: what FORECAST_MOVED,
// RECEIVED_REVERSED, SPLIT_CHANGED_AFTER_RECEIPT or STATUS_REGRESSION reports is not reported as SRC_RESTATED.
//
// # Numbers
//
// Amounts are exact. rd2 of the formulas is Rounded, Of or MulDiv with HalfAwayFromZero, applied once, at the end. A power
// is computed to 28 significant digits first.
//
// # What it must not do
//
// A rule does not query, call, read a clock or keep anything from one row to the next. No finding holds a payer's name,
// document or address.
package rules
