// Package caselog keeps the cases that rules found, their events, and the log of what people did about them: acts, closes of periods,
// erasures of payers.
//
// # Cases
//
// A finding is the latest state of a case; its events are numbered by case and never changed. A reconcile writes the cases of its
// account in its transaction, through a Writer.
//
// # Acts
//
// What people do is logged per account in acts numbered without gaps. Each act holds the hash of its predecessor and its own hash,
// whose input ledger.Act defines. An act on a case and the case's event are written in one transaction, which excludes a reconcile of
// the account: finding_event.act is the number of the act, 0 for events of a run. Every reconcile notes the last act, so that a truncated
// log is detected as far back as the last night. Acts after that which were removed together with their effects cannot be detected here.
package caselog
