// Package ownsales holds the nouns of the shop's own sales: a payment as its system records it (Payment, Void), the days of a store
// that are known (Day), and what a run concludes of both books (Match, Conclusion). They are made of the nouns and numbers of
// store/ledger, and the same holds of them: no SQL, no clock, nothing is a float.
package ownsales
