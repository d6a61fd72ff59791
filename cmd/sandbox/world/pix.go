package world

import "fmt"

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
