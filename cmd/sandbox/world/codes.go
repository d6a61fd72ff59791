package world

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Bar code and digitable line of a bank slip, as the collection standard lays them out. The client side
// checks them with code of its own, on purpose.

// bank is the bank and currency the slips are issued at: Banco do Brasil, real.
const bank = "0019"

// barCode is the 44 digits: bank, currency, check digit, due factor, amount in cents, free field of 25.
func barCode(prefix string, due Date, value Money, free string) string {
	return checkedBarCode(fmt.Sprintf("%s%04d%010d%s", prefix, dueFactor(due), value/cent, free))
}

// checkedBarCode puts the general check digit into its fifth place, given the other 43.
func checkedBarCode(rest string) string {
	sum, weight := 0, 2
	for i := len(rest) - 1; i >= 0; i-- {
		sum += int(rest[i]-'0') * weight
		if weight++; weight > 9 {
			weight = 2
		}
	}
	check := 11 - sum%11
	if check >= 10 {
		check = 1 // never 0, 10 or 11
	}
	return fmt.Sprintf("%s%d%s", rest[:4], check, rest[4:])
}

// dueFactor counts days from 1997-10-07; after 9999 (2025-02-21) it starts again at 1000.
func dueFactor(due Date) int {
	n := int(due - NewDate(1997, 10, 7))
	if n > 9999 {
		n = (n-1000)%9000 + 1000
	}
	return n
}

// digitableLine is the 47 digits people type for a bar code.
func digitableLine(bar string) string {
	one, two, three := bar[:4]+bar[19:24], bar[24:34], bar[34:44]
	return one + mod10Digit(one) + two + mod10Digit(two) + three + mod10Digit(three) + bar[4:5] + bar[5:19]
}

// mod10Digit is the check digit of one field: weights 2,1,2,1 from the right, the digits of products added.
func mod10Digit(s string) string {
	sum, weight := 0, 2
	for i := len(s) - 1; i >= 0; i-- {
		p := int(s[i]-'0') * weight
		sum += p/10 + p%10
		weight = 3 - weight
	}
	return string(rune('0' + (10-sum%10)%10))
}

// pixCode is the static Pix text of a slip: key, amount, name (up to 25), city (up to 15) and txid
// (letters and digits, up to 25). The client side reads it with code of its own, on purpose.
func pixCode(key string, value Money, name, city, txid string) string {
	body := pixField("00", "01") +
		pixField("26", pixField("00", "br.gov.bcb.pix")+pixField("01", key)) +
		pixField("52", "0000") +
		pixField("53", "986") +
		pixField("54", value.Cents()) +
		pixField("58", "BR") +
		pixField("59", name) +
		pixField("60", city) +
		pixField("62", pixField("05", txid)) +
		"6304"
	return body + fmt.Sprintf("%04X", pixCRC(body))
}

// pixField is one identifier, two digits of length, value.
func pixField(id, value string) string { return fmt.Sprintf("%s%02d%s", id, len(value), value) }

// pixCRC is CRC-16/CCITT-FALSE: polynomial 0x1021, initial 0xFFFF, nothing reflected.
func pixCRC(s string) uint16 {
	crc := uint16(0xFFFF)
	for i := range len(s) {
		crc ^= uint16(s[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}

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
