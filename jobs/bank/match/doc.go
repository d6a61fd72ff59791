// Package match holds what the service says it paid against what the bank says came. It knows neither ledger nor clock: the
// same input gives the same result, in whatever order it is given.
//
// A line or a group is used once at most. A pass takes only what is unique both ways among what is left: where two lines
// could be a group's, or two groups a line's, none of them is taken and the lines are reported as ambiguous. Sets are always
// everything that is left under a key, such as all groups of a day, never a chosen subset: with a few dozen amounts some
// subset comes to nearly any sum.
package match
