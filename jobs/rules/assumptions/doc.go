// Package assumptions deals with what the service's documents leave open. Interpretations lists the open questions, each with
// the rules that rest on how it is answered.
//
// # Suppression
//
// A Guard counts, over all rows of an account, how often such a rule fires and how alike its findings are; Suppressions are
// the rules it advises to suppress. What a row adds is a GuardDelta, so that a run that evaluates only what changed keeps the
// counts of everything.
//
// # Calibration
//
// A Calibration measures on the same rows which answer fits, Answers compares the result with the profile in force, and
// FitsBetter names the answer that fits better.
package assumptions
