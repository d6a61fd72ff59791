// Package rules holds the rules: what is wrong with a row, and what it costs. Each rule is declared as data (code, family,
// severity, needs, tolerance, sentence) with a pure function of a Row, Sale or Slip and an Env.
//
// # Facts
//
// NewSale and NewSlip derive everything that rules need from the ledger's nouns once: class, net N, the starred values
// (what each deduction should have been), limits and dates. Rules and bridge use the same values, so a rule cannot
// disagree with the bridge about what was due. A starred value that cannot be computed is the row's own value.
//
// # Outcomes
//
// The outcome of a rule on a subject is: not eligible, not evaluated (no input, unmapped, window, not evaluable), passed,
// passed within the tolerance, pending, or fired with its figures. Not evaluated is never a pass.
//
// # Ownership
//
// CardOwners and SlipOwners list, line by line, the rules that may own a bracket of the bridge. A rule without a line has no
// impact, explains nothing and is explained by nothing.
//
// # Readings
//
// Readings lists the questions that the service's documents leave open, each with the rules that rest on its answer. A
// Guard counts, over all rows of an account, how often such a rule fires and how alike its findings are; Doubts are the
// rules it advises not to believe. Calibration measures on the same rows which answer fits, and FitsBetter names it.
//
// # History
//
// Rules that compare a row or slip with its past use its History: every version, oldest first. A change that was undone is
// no change. These rules judge nothing until a day was completely answered twice (Options.PullsOf), so in the first night
// they report nothing, which is not the same as a pass. Each change belongs to one rule: what FORECAST_MOVED,
// RECEIVED_REVERSED, SPLIT_CHANGED_AFTER_RECEIPT or STATUS_REGRESSION reports is not reported as SRC_RESTATED.
//
// # Beyond rows
//
// Answers, days, months, missing rows, anticipation orders and prices of the simulator are judged by methods of Env that
// take plain values (Truncation, Leak, Gone, Volume, RateChange, Budget, Continuity, ListedOrder, ledger.Simulation): the
// caller collects the values, the rule decides what they mean.
//
// # Notifications
//
// The rules on notifications judge one Notice, or one Row beside the notifications about it. They compare classes, not
// spellings: what a value means is the mapping's business. They judge nothing before the first notification or the
// recorded subscription.
//
// # Numbers
//
// Amounts are exact. rd2 of the formulas is Rounded, Of or MulDiv with HalfAwayFromZero, applied once, at the end. A power
// is computed to 28 significant digits first.
//
// # What it must not do
//
// A rule does not query, call, read a clock or keep anything from one row to the next. Doubles, which compares the sales of
// a day, receives them one by one. No finding holds a payer's name, document or address.
package rules
