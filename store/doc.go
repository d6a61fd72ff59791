// Package store is the ledger: what the payment service said, version by version, and what the runs believed of it.
//
// It speaks nouns of store/ledger outward and SQL inward. It knows no rule, no report format and no HTTP. One text of
// every statement serves both databases; what differs between them is in store/engine.
//
// # Facts
//
// A fact (an installment, a list's view of a slip) has versions. A version stands from the pull that brought it
// (first_pull) until the pull that showed something else, or nothing, in its place (ended_pull). The version that
// stands is the current one; a key whose last version ended without a successor is vanished. Nothing of a version
// changes but the marks of its end. When a row was seen last follows from the complete pulls of its day, so a night
// that changes nothing writes its pulls and nothing else.
//
// A window is merged in one transaction with its pull row, inside which the run's lease is checked. A merge that ends
// early, whatever ended it, leaves nothing behind; merging the same answer again changes nothing.
//
// A notification is what the service said of a change, kept as it arrived; its link to an installment is found later and
// never changes once there. What came twice is one notification with a repeat: an arrival handed over again is told
// from another arrival by when it arrived.
//
// # Keys
//
// The account leads every key. An installment's key is account, sale day, NSU, authorization, installment number and
// occurrence; the column sale tells the sales of one day, NSU and authorization apart. It equals the occurrence, but
// for a number repeated within one sale: those rows have occurrences of their own and share the sale's number.
//
// # Beliefs
//
// An expectation stands from the run that wrote it until a run believes something else (ended_run): believing the same
// again writes nothing. A finding is the last sight of a case; its events are never changed. Bridge, tally and
// rounding are of one account and run. All of a reconcile of an account is one transaction.
//
// # Columns
//
//	money           integer ten-thousandths of a real
//	rates           integer millionths of the number as sent; percent in contract_mdr_rate
//	days            integer Rata Die (1 is 0001-01-01); NULL is none
//	sold_at         integer ticks of 100 ns since 0001-01-01 on a clock in São Paulo
//	instants        integer microseconds since 1970, UTC; NULL is none
//	content         16 bytes: the hash of what stands in the row
//	texts           as sent; absent is ''
//	lists, splits   JSON text: of brackets, codes, splits, files
//
// Absent numbers are NULL, never 0.
//
// # Inbox
//
// Notifications wait in the inbox until a run takes them over. Its writer commits many at a time and each is kept before
// Keep returns. It is beside the ledger, not in it: on SQLite a file of its own, so that keeping never waits for a run.
//
// # Two pools
//
// Writing is done by one transaction at a time on SQLite; reading goes on beside it and sees the state before. A
// function handed to a stream may therefore write, but inside a Reconciling no other method that writes may be called:
// it would wait for the transaction that waits for it.
package store
