// Package webhook receives the conciliation notifications that the service pushes (interface document, Events).
//
// A notification is authenticated, validated, stored and answered, in this order; nothing else is done with it here. The
// function that stores it is passed in and returns after its commit, so that an answer of 200 means that the notification is
// durable and the service need not send it again. The receiver never reads the ledger and never waits for it.
//
// # Answers
//
// Answers have a status and no body.
//
//	200  stored now, or before: the same account, movement and body
//	400  not a notification, or for an account that is not configured; sending it again will not help
//	401  wrong Access-Key or Basic credentials
//	404  unknown path
//	405  not a POST
//	500  it could not be stored; sending it again may help
//
// The body names no account, so each account has a path of its own, /notifications/{account}. A proxy in front may keep or
// strip the path prefix of the public address: both are understood.
//
// # Trust
//
// Access-Key and Basic credentials are compared by hash and in constant time, always both, before the rest of the request
// is examined: a sender without the key learns nothing about accounts. Every configured credential is required. A forwarded
// client address is used only if it comes from a trusted proxy, and only for logs.
//
// A body is one JSON object with the eight members of the document, each of its type and given once. Additional members
// are tolerated and reported, since the service may add some. The body is kept byte for byte.
//
// Spec gap: oldValue may be null, read as empty, because a first status has nothing before it; type, oldValue and
// newValue are kept as sent, even unknown values. A timestamp without an offset is taken as it is; one with an offset is
// converted to local time in São Paulo. codAuth may be empty; nsu may not, because notifications are linked by it.
//
// # Slow and large
//
// Headers, body and answer have timeouts, and a body has a maximum size. A slow sender occupies its own connection until
// the timeout and does not delay other senders.
package webhook
