package ledger

import "time"

// Alert is something that one receiver is to be told once. Its first five members are its key.
type Alert struct {
	Account  Account // 0: it is about no account in particular
	Happened string  // what happened: incomplete, first_break, budget, silence or no_run
	Cause    string  // what of it: the day of no_run, the source of silence; may be empty
	Run      string  // that it happened in; empty: in none
	Receiver string  // who is told: a hash of an address or a command
	Body     string  // what is told, JSON; of payers it knows nothing
	Raised   time.Time
	Told     time.Time // zero until the receiver took it
	Failure  string    // why the last try failed, without secrets; empty where none did
}
