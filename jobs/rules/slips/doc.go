// Package slips holds the rules on bank slips (boletos): payment, charges, credit, registration, codes, and whether the lists
// that show a slip agree.
//
// A difference between two lists is reported only after the service was asked again: RechecksOf names the questions, and
// rules.Options.Answered says which of them this run put and got answered.
package slips
