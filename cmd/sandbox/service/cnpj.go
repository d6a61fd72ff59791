package service

import (
	"fmt"
	"strings"
)

// parseCNPJ checks a company's tax registration number, with or without its punctuation, and returns its
// 14 characters. Choice: the twelve before the check digits may be letters, as numbers issued from July
// 2026 on have them; a letter counts as its character code less 48, like a digit does.
func parseCNPJ(text string) (string, error) {
	s := strings.ToUpper(strings.NewReplacer(".", "", "/", "", "-", "", " ", "").Replace(text))
	if len(s) != 14 {
		return "", fmt.Errorf("CNPJ %q: want 14 characters besides punctuation", text)
	}
	for i := range len(s) {
		digit, letter := s[i] >= '0' && s[i] <= '9', s[i] >= 'A' && s[i] <= 'Z'
		if !digit && (!letter || i >= 12) {
			return "", fmt.Errorf("CNPJ %q: character %d is neither digit nor letter, or a letter among the check digits", text, i+1)
		}
	}
	if strings.Count(s, s[:1]) == len(s) {
		return "", fmt.Errorf("CNPJ %q: all characters alike", text)
	}
	if s[12] != cnpjDigit(s[:12]) || s[13] != cnpjDigit(s[:13]) {
		return "", fmt.Errorf("CNPJ %q: its check digits don't fit", text)
	}
	return s, nil
}

// cnpjDigit is the check digit after s: weights 2 to 9, from the right, over and over.
func cnpjDigit(s string) byte {
	sum := 0
	for i := range len(s) {
		sum += int(s[len(s)-1-i]-'0') * (2 + i%8)
	}
	if rest := sum % 11; rest >= 2 {
		return byte('0' + 11 - rest)
	}
	return '0'
}
