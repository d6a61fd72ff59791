package api

import (
	"bytes"
	"encoding/hex"
	"hash"

	"concilia/store/ledger"
)

// arrivedHash is the SHA-256 of a body as it arrived, if it is kept. Maskers pass most bodies on as they are: until they change a byte, the
// packer's hash of what is kept is that of what arrived, too, and the bytes are only compared.
type arrivedHash struct {
	packer  *ledger.BodyPacker
	arrived []byte // what the maskers have not passed on yet begins at passed
	passed  int
	sum     hash.Hash // nil: what is kept so far is what arrived
}

// addArrived adds bytes that arrived, before the maskers pass them on.
func (h *arrivedHash) addArrived(b []byte) {
	if h.sum != nil {
		h.sum.Write(b)
		return
	}
	h.arrived = append(h.arrived[:copy(h.arrived, h.arrived[h.passed:])], b...)
	h.passed = 0
}

// Write takes what the maskers pass on to the packer.
func (h *arrivedHash) Write(kept []byte) (int, error) {
	switch waiting := h.arrived[h.passed:]; {
	case h.sum != nil:
	case bytes.HasPrefix(waiting, kept):
		h.passed += len(kept)
	default:
		h.sum = h.packer.CloneSum()
		h.sum.Write(waiting)
		h.arrived, h.passed = nil, 0
	}
	return h.packer.Write(kept)
}

// hexSum is the hash in hex.
func (h *arrivedHash) hexSum() string {
	sum := h.sum
	if sum == nil {
		sum = h.packer.CloneSum()
		sum.Write(h.arrived[h.passed:])
	}
	return hex.EncodeToString(sum.Sum(nil))
}
