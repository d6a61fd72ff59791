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
