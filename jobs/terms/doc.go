// Package terms reads what was agreed and how the service is understood: the contract (rates, fees, settlement,
// splits), the mapping (the service's spellings to our classes), the profile (which reading of an undocumented member
// is believed), the register of known beneficiaries and the orders to be paid early. Rules ask it; it decides nothing
// about a sale.
//
// # Whole or not at all
//
// Each file is read to its end and either gives a value that holds or every problem at once, each with its file,
// line, key, value and what would be right (Problem). An unknown key is a problem, with the key that was perhaps
// meant; so is a key written twice. YAML anchors are allowed, so that accounts can share a rate table; tags, merge
// keys and a second document are not.
//
// # Tables
//
// Register and orders are CSV: values between commas, UTF-8 with or without a byte order mark, line ends of either
// kind, the first line the names of the columns in their order. A file that people saved with semicolons is refused
// with that said, since a comma in a name could not be told from one between values. Documents and names are never
// shown, not even in a problem.
//
// # Numbers
//
// A number is the text as written and goes from there to ledger.Amount or ledger.Rate, exactly or not at all: 2.34,
// "2.34" and 2.3400 are the same rate, and 2,34 is a problem. No number passes through a float. Contract rates are
// percent and fees are reais.
//
// # First match
//
// The contract of an account on a sale date is the one whose validity holds that day; validities of one account
// never overlap. Within it the first rate line that names the brand, product and number of installments wins, and
// a line that an earlier one hides completely is a problem of the file.
//
// # Spellings
//
// Case, accents and blanks at the ends are ignored. A spelling in the file wins over the defaults. A value nobody
// listed is answered with false, never with a guess.
//
// # Text and Hash
//
// Text is the canonical form: every default written out, no comments, spelled one way. Reading it gives the same
// value again, and Hash is its SHA-256. So a run that had no file can keep what it believed, and a comment added to
// a file changes no report.
package terms
