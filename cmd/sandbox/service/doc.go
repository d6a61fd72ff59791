// Package service is the HTTP face of the sandbox: the payment service of the interface document, served
// from a [world.World].
//
// Both API families are here under their own path prefixes, with tokens that are good for one family
// only. The package is written from the interface document and shares no type with any client, so a
// client's typo can't agree with itself. Where the document is silent a comment starting with "Choice:"
// says what was picked. It decides nothing about money: figures come from the world as integers and are
// printed digit by digit, four decimals on card records, two on slips.
//
// Two clocks: tokens live by the wall clock, records by the world's business clock, and moving the second
// never ages a token. The paths under /sandbox/ are the sandbox's own and need no token:
//
//	GET  /sandbox/health    {"status":"ok"}
//	GET  /sandbox/planted   the differences a worker must find as of the business clock
//	GET  /sandbox/clock     {"now":"…"}
//	POST /sandbox/clock     {"now":"2026-11-18T09:00:00Z"} or {"advance_days":1}
package service
