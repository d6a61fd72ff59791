package world

import (
	"math/rand/v2"
	"strings"
)

// CPF and CNPJ check digits. The client side validates them with code of its own, on purpose.

// newCPF draws a valid CPF of 11 digits.
func newCPF(r *rand.Rand) string {
	base := drawDigits(r, 9)
	for strings.Count(base, base[:1]) == 9 { // eleven equal digits are refused everywhere
		base = drawDigits(r, 9)
	}
	return base + cpfCheck(base)
}

// newCNPJ draws a valid numeric CNPJ of 14 digits, establishment 0001.
// Choice: numeric only, since the interface document says digits only.
func newCNPJ(r *rand.Rand) string {
	base := drawDigits(r, 8) + "0001"
	return base + cnpjCheck(base)
}

// cpfCheck is the two check digits over the first nine.
func cpfCheck(base string) string {
	first := cpfDigit(base, 10)
	return first + cpfDigit(base+first, 11)
}

func cpfDigit(s string, weight int) string {
	sum := 0
	for i := range len(s) {
		sum += int(s[i]-'0') * (weight - i)
	}
	return string(rune('0' + sum*10%11%10)) // a remainder of 10 becomes 0
}

// cnpjCheck is the two check digits over the first twelve characters; letters count as their code − 48.
func cnpjCheck(base string) string {
	first := cnpjDigit(base)
	return first + cnpjDigit(base+first)
}

func cnpjDigit(s string) string {
	sum, weight := 0, 2
	for i := len(s) - 1; i >= 0; i-- {
		sum += int(s[i]-'0') * weight
		if weight++; weight > 9 {
			weight = 2
		}
	}
	if rest := sum % 11; rest >= 2 {
		return string(rune('0' + 11 - rest))
	}
	return "0"
}

// drawDigits draws n decimal digits, the first not zero.
func drawDigits(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + r.IntN(10))
	}
	b[0] = byte('1' + r.IntN(9))
	return string(b)
}
