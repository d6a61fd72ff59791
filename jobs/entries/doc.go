// Package entries makes the entries of the journal from what became known of titles.
//
// The entries of a title are a function of what it is: each is in force while its condition holds. Post compares those in force with those
// that should, and makes what is missing and reverses what is wrong, each by the event that brought the change: an entry is never
// edited. What dates from before the first day of the movement is in no entry of its own: it adds to the opening balance.
package entries
