package xlsx

import "hash/crc32"

// crcCombine is the CRC-32 of a||b, from those of a and b and the length of b: a's is carried over b's bytes as over zeros,
// by squaring the matrix that carries it over one bit.
func crcCombine(a, b uint32, lenB int64) uint32 {
	if lenB == 0 {
		return a
	}
	var m [32]uint32 // one zero bit
	m[0] = crc32.IEEE
	for i := 1; i < 32; i++ {
		m[i] = 1 << (i - 1)
	}
	for range 3 { // one zero byte
		m = gfSquare(m)
	}
	for n := lenB; n > 0; n >>= 1 {
		if n&1 == 1 {
			a = gfTimes(&m, a)
		}
		m = gfSquare(m)
	}
	return a ^ b
}

func gfTimes(m *[32]uint32, v uint32) (sum uint32) {
	for i := 0; v != 0; i, v = i+1, v>>1 {
		if v&1 == 1 {
			sum ^= m[i]
		}
	}
	return sum
}

func gfSquare(m [32]uint32) (sq [32]uint32) {
	for i := range m {
		sq[i] = gfTimes(&m, m[i])
	}
	return sq
}
