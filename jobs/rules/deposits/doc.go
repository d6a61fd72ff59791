// Package deposits holds the rules on what came to the bank: credits that are missing, differ or were not expected, debits
// that nothing explains, and statements that are not whole. A bank account settles several accounts, so these rules are
// evaluated after all of them, on what the matching of lines left.
package deposits
