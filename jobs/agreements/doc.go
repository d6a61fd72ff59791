// Package agreements reads what was agreed and how the service's data is interpreted: the contract (rates, fees,
// settlement, splits), the mapping (the service's values to our classes), the profile (how undocumented members are
// interpreted), the register of known beneficiaries and the anticipation orders. Rules query it; it decides nothing about
// a sale.
//
// # Whole or not at all
//
// Each file is read to its end and gives either a valid value or every problem at once, each with its file, line, key,
// value and what would be right (Problem). An unknown key is a problem, with a suggestion where another key is spelled
// alike; so is a duplicate key. YAML anchors are allowed, so that accounts can share a rate table; tags, merge
// keys and a second document are not.
//
// # Tables
//
// Register and orders are CSV: comma-separated, UTF-8 with or without a byte order mark, line ends of either kind, the
// column names in order on the first line. A file saved with semicolons is refused with an error that says so, since a
// comma in a name could not be distinguished from a separator. Documents and names are never shown, not even in a problem.
//
// # Numbers
//
// A number is parsed from the text as written to a decimal.Decimal, and from there to ledger.Amount or ledger.Rate, exactly
// or not at all: 2.34, "2.34" and 2.3400 are the same rate, 2,34 and 2.34000001 are problems. No number passes through a
// float. Contract rates are in percent and fees in reais.
//
// # First match
//
// The contract of an account on a sale date is the one that is valid on that day; validities of one account never overlap.
// The first rate line that matches brand, product and number of installments applies, and a line that earlier ones shadow
// completely is a problem of the file.
//
// # Spellings
//
// Case, accents and surrounding blanks are ignored. A spelling in the file takes precedence over the defaults. Looking up
// an unlisted value returns false, never a guess.
//
// # Text and Hash
//
// Text is the canonical form: every default written out, no comments, one format. Parsing it gives the same value again,
// and Hash is its SHA-256. So the ledger keeps the defaults of a run without a file too, and adding a comment to a file
// changes no report.
package agreements
