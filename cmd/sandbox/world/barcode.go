package world

import "fmt"

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
