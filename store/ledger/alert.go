package ledger

import "time"

// Alert is a message that one receiver is to get once. Its first five members are its key.
type Alert struct {
	Account  Account // 0: about no account in particular
	Happened string  // what happened: incomplete, first_break, budget, silence or no_run
	Cause    string  // tells alerts of one kind apart: the day of no_run, the source of silence; may be empty
	Run      string  // in which it happened; empty: none
	Receiver string  // hash of the address or command that gets it
	Body     string  // the message, JSON; it names no payer
	Raised   time.Time
	Told     time.Time // when it was delivered; zero: not yet
	Failure  string    // why the last attempt failed, without secrets; empty if none did
}
