// Package notifications holds the rules that compare what the service notified with what the pulls show.
//
// They evaluate one notification, or one installment with the notifications linked to it. They compare classes, not
// spellings: what a value means is decided by the mapping. Before the first notification, or the recorded subscription, they
// evaluate nothing.
package notifications
