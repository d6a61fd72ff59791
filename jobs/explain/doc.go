// Package explain gathers everything known about one case, or about one sale, slip or payment of a store, for the pages and commands that
// show it, and what letters to the service say of many cases.
//
//   - Explainer.ExplainCase: the case in words, its record with every version, the contract line in force, the calendar days it
//     depends on, the responses it rests on, related cases, history and acts. It may be shown to the service's operator: nothing about a
//     payer and no code that can be paid is in it, only the fact that one of them changed.
//   - Explainer.ExplainItem: what should be paid for the item, in steps (CostStep), and when; what came of it at the bank and at the
//     stores; its notifications, cases and the files it was published in.
//   - Explainer.WriteLetters: the cases claimed of the service, by account and cause, each with what identifies it there.
//
// It reads the ledger and the documents in force. It takes no lock, writes nothing and does not call the service. Cases are not judged
// anew: they are shown as the last run found them. What an item should pay is worked out by the functions that the rules use.
package explain
