package export

import "concilia/store/ledger"

// StatementTerms is what a statement needs besides its rows.
type StatementTerms struct {
	// Net posts a slip less its tariff, one entry instead of two.
	Net bool
	// Opening is what the statements before this one showed, whole cents; negative is a debit balance.
	Opening ledger.Amount
	// OpeningFrom is the source of Opening, for control.
	OpeningFrom string
	// Earlier are the current statements of the account before this one, from their fingerprints.
	Earlier []EarlierStatement
}

// Table returns the table whose sums are those of a statement with these terms.
func (t StatementTerms) Table() string {
	if t.Net {
		return "statement-net"
	}
	return "statement"
}

// EarlierStatement is the closing balance and the digest of the entries of a current statement.
type EarlierStatement struct {
	Set     string
	Period  ledger.Period
	Closing ledger.Amount
	Digest  string
}

// The fingerprints of a statement, which EarlierStatementOf reads.
const (
	FingerprintEntries = "statement:entries"
	FingerprintClosing = "statement:closing"
)

// EarlierStatementOf reads the statement from the fingerprints of a set; false if the set has none.
func EarlierStatementOf(set string, p ledger.Period, fingerprints map[string]string) (EarlierStatement, bool) {
	closing, err := ledger.ParseAmount(fingerprints[FingerprintClosing])
	return EarlierStatement{Set: set, Period: p, Closing: closing, Digest: fingerprints[FingerprintEntries]}, err == nil && fingerprints[FingerprintEntries] != ""
}
