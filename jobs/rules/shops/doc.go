// Package shops holds the rules on what a merchant's own stores say they sold: payments that the service does not know, sales that
// no store knows, pairs that differ, and days that no file has completely. A store sells in several accounts, so these rules
// are evaluated after all of them, on what the matching of payments and sales left.
package shops
