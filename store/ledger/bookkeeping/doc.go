// Package bookkeeping holds the nouns of the movement and of the journal: what became known of a title (Event, TitleState), which is
// published once, and the entries of the books that follow from it (Entry, Role, Booking). They are made of the nouns and numbers of
// store/ledger, and the same holds of them: no SQL, no clock, nothing is a float.
package bookkeeping
