package ledger

// CRC16 is what a Pix code is sealed with.
var CRC16 = crc16
