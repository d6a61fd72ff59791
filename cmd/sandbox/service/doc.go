// Package service is the HTTP face of the sandbox: the payment service of the interface document, served
// from a [world.World].
//
// Both API families are here under their own path prefixes, with tokens that are good for one family
// only. The package is written from the interface document and shares no type with any client, so a
// client's typo can't agree with itself. Where the document is silent a comment starting with "Choice:"
// says what was chosen. It decides nothing about money: figures come from the world as integers and are
// printed digit by digit, four decimals on card records, two on slips.
//
// Access is for clients that the operator onboarded (State.Onboard) and for users given at start. A client
// may call only from its registered addresses and for its own accounts. Passwords are issued once and kept as
// Argon2id hashes; a process caches verified passwords under a salted hash, so that only the first login of a
// client is slow. The State holds the clients, their webhook credentials and their subscriptions, in memory or
// in a file that several processes may share.
//
// Everything served is described in openapi.json, served at /openapi.json; a test checks every route and every
// documented answer against it. A new route is described there first.
//
// Two clocks: tokens live by the wall clock, records by the world's business clock, and moving the second
// never ages a token. The paths under /sandbox/ are the sandbox's own and need no token:
//
//	GET    /openapi.json        the description of everything served
//	GET    /sandbox/health      {"status":"ok"}
//	GET    /sandbox/planted     the differences a worker must find as of the business clock
//	GET    /sandbox/banks       the bank accounts that are paid, and what is planted in their statements
//	GET    /sandbox/banks/{bank}/statement   a download: ?format=ofx, cnab or csv, from= to=
//	GET    /sandbox/clock       {"now":"…"}
//	POST   /sandbox/clock       {"now":"2026-11-18T09:00:00Z"} or {"advance_days":1}
//	POST   /sandbox/pay         {"subject":"card:…"}: what was planted to stay unpaid is paid today
//	GET    /sandbox/deliveries  notifications sent and to be sent
//	GET    /sandbox/faults      faults armed and fired; POST arms one, DELETE disarms all
package service
