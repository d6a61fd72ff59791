// Package webhook receives the conciliation notifications that the service pushes (interface document, Events).
//
// A notification is authenticated, validated, kept and answered, in this order; nothing else is done with it here. What
// keeps it is handed in and returns after its commit, so that an answer of 200 is a promise: the service may forget the
// notification, we shall not. The receiver never looks at the ledger and never waits for it.
//
// # Answers
//
// Answers have a status and no body.
//
//	200  kept, or kept before: the same account, movement and body
//	400  not a notification, or of an account that is not ours; sending it again will not help
//	401  the Access-Key or the Basic pair is not the agreed one
//	404  no address of ours
//	405  not a POST
//	500  it could not be kept; sending it again will help
//
// The body names no account, so each account has an address of its own, /notifications/{account}. A proxy in front may
// or may not take the path of the public address away: both are understood.
//
// # What is believed
//
// Access-Key and Basic are compared by hash and in constant time, both always, before anything else of the request is
// judged: who has no key learns nothing about accounts. What is configured is demanded. A forwarded client address is
// believed of a trusted proxy alone, and is only logged.
//
// A body is one JSON object with the eight members of the document, each of its type and given once. Members beyond
// them are tolerated and reported, since the service may add some. The body is kept byte for byte.
//
// Spec gap: oldValue may be null, read as empty, because a first status has nothing before it; type, oldValue and
// newValue are kept as sent, whatever they say. A moment without an offset stands as it is; one with an offset is
// shown on a clock in São Paulo. codAuth may be empty, nsu may not: it is what a notification is linked by.
//
// # Slow and large
//
// Headers, body and answer each have their time, and a body its size. A sender that dawdles holds a connection until
// then, and nobody else.
package webhook
