// Package world is the data of the sandbox's payment service: seeded card sales and bank slips with whole
// life histories, a business clock, and differences planted on purpose.
//
// A history is drawn once, from the seed. What a record looks like is a pure function of (history,
// business instant): moving the clock forward pays what falls due, moving it back unpays it, and the same
// options give the same bytes anywhere. Each account and day has a random stream of its own, so a longer
// range never changes the days it shares with a shorter one.
//
// Days are cut at UTC−3. What happens on day D (a receipt, a payment, a credit, a cancellation) is visible from
// the morning of D+1 on; a sale is visible from its own instant on. Each change of
// a status is an [Event], at the first instant at which records show it: at any instant the status of a
// record is that of its last event.
//
// # The contract the clean world follows
//
// Without planted differences every record obeys [World.Contract] to the cent:
//
//   - MDR on each installment, half away from zero: credit 2.34 % for 1x, 2.90 % for 2x to 6x, 3.50 % for
//     7x to 12x; debit 1.10 %. Credit pays 0.10 transaction fee and 0.30 antifraud fee an installment,
//     debit pays neither.
//   - Anticipation 1.09 % a month, simple, on gross less MDR, days/30 from effective to forecast date.
//   - Credit installment k is forecast for sale date + 30k days, moved to the next bank day; debit for one
//     bank day after the sale.
//   - Received = gross − MDR − fees − anticipation. On every second account each live row gives 10 % of
//     that net to one beneficiary; splits are paid out of what is received, not deducted from it.
//   - Slips: tariff 2.50, credited one bank day after payment; paid late they carry 2 % penalty once and
//     1 % a month interest by days/30 from the due date, each half away from zero.
//
// With planted differences a slip is now and then paid after it was cancelled; without, none is cancelled.
//
// # Stores
//
// Each account has a store whose own system exports what it sold, by card, slip, Pix and in cash: [World.StoreFiles]. A store that
// makes no mistake says what the service says; [World.PlantedInStores] lists the mistakes.
//
// # Interpretation
//
// The interface document leaves units, formulas and identities open. The list above is the default; an
// [Interpretation] changes them one by one, and the records, the events and the planted differences follow. A worker with
// the same interpretation finds nothing in a clean world, and what [World.Planted] lists in a planted one, to the cent.
//
// # Rules of this package
//
// Money is int64 ten-thousandths; nothing here is a float. It shares no code with the client side: its
// calendar, bar codes, Pix codes and tax ids are a second opinion on purpose, proven by published vectors.
package world
