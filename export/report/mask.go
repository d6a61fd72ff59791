package report

import (
	"strings"

	"concilia/store/ledger"
)

// What is shown of documents: a CPF hides its first three and last two characters, a payer's CNPJ its last six.

const cpfLength = 11

// maskPayerDocument is a payer's document as the kind may show it. One that is neither a CPF nor a CNPJ is hidden whole,
// since no part of it is known to be safe.
func maskPayerDocument(s string, clear bool) string {
	if clear || s == "" {
		return s
	}
	return ledger.MaskPayerDocument(s)
}

// maskBeneficiary is a beneficiary as sent: a company's number or a name is shown, a person's CPF is masked.
func maskBeneficiary(s string, clear bool) string {
	if clear {
		return s
	}
	if d := stripPunctuation(s); len(d) == cpfLength && strings.Trim(d, "0123456789") == "" {
		return maskCPF(d)
	}
	return s
}

func maskCPF(d string) string { return "***" + d[3:9] + "**" }

// stripPunctuation leaves the punctuation of documents out.
func stripPunctuation(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(". /-", r) {
			return -1
		}
		return r
	}, s)
}
