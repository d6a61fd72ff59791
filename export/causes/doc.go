// Package causes adds up the unresolved cases of a report set: the figures and causes that a page begins with, and the verdict of
// a period.
//
// A state set counts every root case. A period counts those on rows that were read for it, and for its verdict also the cases whose
// own day lies in it. A cause is a code in one of the groups missing, at risk and excess.
//
// Its tests are those of package render, which renders whole sets.
package causes
