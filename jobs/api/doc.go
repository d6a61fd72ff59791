// Package api is the client of the payment service: the card search, the three lists of slips and the detail of one
// slip, the settlement simulator, the subscriptions to notifications and the credential that notifications carry, with the
// logins all of these need. It turns wire shapes into nouns of store/ledger once; no other package sees a member name.
//
// # What it promises
//
// An answer is returned only when it is complete: the list is closed, only blanks follow, and the transport saw the end of
// the body. A body that ends early, is not a list, or continues after the list fails as a whole and is requested again:
// request and body are one attempt.
//
// The body comes with the answer, to be kept as evidence. It is masked and compressed while it arrives, so that it is never
// in memory as a whole, and masking (jobs/api/mask) does not change its length. Of the digits in cardNumber members, however spelled, only
// the first six and the last four are left; nothing else is changed. Body.SHA256 is the hash of what arrived, Body.Kept of
// what is kept. ForgetPayer removes a payer from a kept body of slips.
//
// What is returned is exact. A record with one member that cannot be read exactly is quarantined: it comes back in
// Receipt.Bad with the names of the bad members and its bytes, and the rest of the answer goes on. Unknown members
// change nothing and are reported by name; unknown values of statuses and types survive as sent.
//
// All callers share one token per family, which is renewed before it expires by at most one login at a time. A call that
// is answered 401 renews the token once and is repeated once.
//
// A request that changes something at the service (subscriptions, the webhook credential) is retried after a lost answer
// only if it is idempotent; otherwise the error says that the change may have been made (ErrOutcomeUnknown).
//
// A circuit breaker guards each base address: after several failures in a row calls fail at once for a while, and then one
// request at a time tests whether the address works again.
//
// # What it must not do
//
// It writes nothing to disk, decides nothing about money, and logs nothing: Options.OnRequest is called for every request. No
// secret or payer leaves it in an error, a reason or a printed value, and a card number only with its middle masked. It
// follows no redirects.
//
// # Reading a record
//
// A shape is a table of fields in the order of the interface document. encoding/json splits a record into members and the
// table says what each member becomes. The installment array, the one large body, is read by a scanner of its own: it
// handles records spelled the way the service spells them and leaves all others to encoding/json. A fuzz test checks that
// both give the same result.
//
// # Spec gaps
//
// What the interface document leaves open, and how it is read here. Each is decided at a comment "Spec gap" in the code.
//
//   - 0001-01-01, the zero date of many back ends, is no date.
//   - a detail without the member success is taken as successful.
//   - the status of a detail with success false is not shown; it is read under 200 and under every status that
//     says the request is at fault, but those that speak of the token or of the address.
//   - a list is a bare array. null, an object or a page of HTML with status 200 is a failure of the whole
//     window.
//   - created and expiration without an offset are taken as UTC.
//   - effectivePaymentValue 0 without effectivePaymentDate is a placeholder for "not paid", and absent.
//   - money, rates and counts are read from JSON numbers alone; a number in quotes is not documented and bad.
//   - null, "" and an absent member are read alike as "not said"; where a member is required, all three are
//     bad.
//   - required members of an installment are not shown; transactionDate, installmentNumber, installmentsCount
//     and installmentValue are, all others may be absent, splits included.
//   - the answer of an account without a subscription is not shown; url null, empty or absent is none, and so
//     is the status 404.
//   - the brands of the simulator are not shown; any word is sent, and the service's refusal is repeated.
//   - the lifetime of a token is not shown; it is expiration less created, counted from the request for the
//     login, and 5 minutes when those two do not say.
//   - the lists by due and payment date print camelCase members and the list by credit date PascalCase ones;
//     each is read in either case.
//   - the lists by due date and by credit date do not say whether their bounds are included; both are taken to
//     be.
//   - the query's slip identifier is named id_bill in the path and id in the table; both are sent.
//   - the shape of error bodies is not shown; an array of {tag, description}, an object {error} and an object
//     {message} are read, anything else that is short text is repeated as it is, and HTML is not.
//   - the status of a failed login is not shown; authenticated false is a refusal whatever the status, and so
//     are 400, 401 and 403 whatever the body.
//   - the success statuses of the subscription and credential endpoints are not shown; 200 to 299 are.
//   - transactionDate without an offset is what a clock showed in the configured zone; with one, it is shown on
//     that clock.
//   - types and formats of the search's parameters are not shown; the account goes out as plain digits and the
//     days as YYYY-MM-DD, as for the lists of slips.
//   - the search by code is not in the interface document; it is asked as public documentation shows it, at the
//     address and with the token of the search by operation date.
//   - whether a second subscription replaces the first is not shown; it is taken to, and a refusal is reported.
//   - whether amount is the whole sale's or one installment's is not shown; it is taken as the whole sale's.
//   - whether the bounds of the days are included is not shown; both are taken to be.
//   - which members of a slip are always there is shown for the list by credit date alone; in every shape id,
//     value and dueDate are required and nothing else.
package api
