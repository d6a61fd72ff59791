package world

import "fmt"

// pixCode is the static Pix text of a slip: key, amount, name (up to 25), city (up to 15) and txid
// (letters and digits, up to 25). The client side reads it with code of its own, on purpose.
func pixCode(key string, value Money, name, city, txid string) string {
	body := object("00", "01") +
		object("26", object("00", "br.gov.bcb.pix")+object("01", key)) +
		object("52", "0000") +
		object("53", "986") +
		object("54", value.Cents()) +
		object("58", "BR") +
		object("59", name) +
		object("60", city) +
		object("62", object("05", txid)) +
		"6304"
	return body + fmt.Sprintf("%04X", crc16(body))
}

// object is one identifier, two digits of length, value.
func object(id, value string) string { return fmt.Sprintf("%s%02d%s", id, len(value), value) }

// crc16 is CRC-16/CCITT-FALSE: polynomial 0x1021, initial 0xFFFF, nothing reflected.
func crc16(s string) uint16 {
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
