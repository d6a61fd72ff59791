// Package runs holds the rules on a run as a whole: its answers, the days and months they cover, rows that vanished, and
// facts that were restated.
//
// Answers, days, months and vanished rows are evaluated by functions of plain values (Truncation, Leak, Volume, RateChange,
// Budget, Continuity, VanishedRow): the caller collects the values, the rule decides what they mean.
package runs
