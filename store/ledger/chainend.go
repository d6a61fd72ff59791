package ledger

// ChainEnd is where a chain of records ended at some time: the records of runs in the order in which they ended, or what the
// reconciles of an account concluded. Its digest is over all of the chain up to there, so that a ledger without that end was changed,
// or cut off, before it.
type ChainEnd struct {
	Account Account // 0: the records of runs
	Number  int64   // of the last record, from 1; 0 before the first
	Digest  string  // empty before the first
}
