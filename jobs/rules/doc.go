// Package rules holds the rules: what is wrong with a row, and what it costs. Each is declared as data (code, family,
// severity, needs, tolerance, sentence) with a pure function of what it is handed: a Row, Sale or Slip and an Env.
//
// # Facts
//
// NewSale and NewSlip read the ledger's nouns once: class, net N, the stars (what deductions should have been), limits
// and dates. Every rule and every bracket of a bridge use the same values, so a rule can't disagree with the bridge
// about what was due. A star that can't be worked out is the row's own value.
//
// # Outcomes
//
// A rule says of a subject: not eligible, not evaluated (no input, unmapped, window, not evaluable), passed, passed
// within the tolerance, pending, or fired with its figures. Not evaluated is never a pass.
//
// # Ownership
//
// CardOwners and SlipOwners name, line by line, the rules that may own a bracket. Rules without a line have no impact,
// explain nothing and are explained by nothing.
//
// # Readings
//
// Readings names the questions that the service's documents leave open, each with the rules that rest on its answer. A
// Guard counts, over all rows of an account, how often such a rule fires and how alike; Doubts are those it says not to
// believe. Calibration measures on the same rows which answer fits, and FitsBetter names it.
//
// # What was
//
// Rules that compare a row or slip with what it was go through its History: every version, oldest first. A change that came
// back is none. They judge nothing until a day was answered whole twice (Options.PullsOf): the first night is quiet about
// them, not green over them. Each change has one rule: what FORECAST_MOVED, RECEIVED_REVERSED, SPLIT_CHANGED_AFTER_RECEIPT
// or STATUS_REGRESSION names is no SRC_RESTATED.
//
// # Beside rows
//
// Answers, days, months and what is gone are judged by methods of Env that take plain values (Truncation, Leak, Gone,
// Volume, Drift, Budget, Continuity): the run puts them together, the rule says what they mean.
//
// # Notifications
//
// The rules on notifications judge one Notice, or one Row beside what was notified of it, by class: what a value means
// is the mapping's business. They look at nothing before the first notification or the recorded subscription.
//
// # Numbers
//
// Amounts are exact; rd2 of the formulas is Rounded, Of or MulDiv with HalfAwayFromZero, once, at the end. A power is
// taken with 28 significant digits before it is used.
//
// # What it must not do
//
// A rule does not query, call, read a clock or keep anything from one row to the next. Doubles, which compares sales of
// a day, is handed them one by one. No finding holds a payer's name, document or address.
package rules
