// Package movement says what became known of titles between two nights, as events. Each event is published once.
//
// CardState and SlipState are what a row is as of a run, in printed cents. Compare makes the events of one title from two
// states and the events it had before. They depend on the states before and after alone, not on what came and went between. Each
// measure of a title (face, closed, received, fees, anticipation, splits) differs by what its events add up to, so that the sum of
// all events is the sum of the states.
//
// An event goes into an EDI file with a movement, or is left out of it for a reason. A title has at most one entry (02), one
// rejection (03), one write-off (09) and one payment (06 or 17) for ever.
package movement
