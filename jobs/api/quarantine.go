package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"concilia/store/ledger"
)

const (
	// maxReasons caps the members a reason names; a row that is wrong throughout is wrong in one way.
	maxReasons = 12
	// maxUnknown caps the unknown member names of an answer, and maxName the length of one.
	maxUnknown, maxName = 64, 64
)

// quarantined keeps a row that could not be read exactly: its reason, and its bytes with card numbers masked.
func quarantined(raw []byte, bad []problem) ledger.Quarantined {
	body := maskCards(maskMembers(raw))
	sum := sha256.Sum256(body)
	return ledger.Quarantined{Body: body, Hash: hex.EncodeToString(sum[:]), Reason: reason(bad)}
}

func reason(bad []problem) string {
	parts := make([]string, 0, len(bad))
	for i, p := range bad {
		if i == maxReasons {
			parts = append(parts, fmt.Sprintf("and %d more", len(bad)-i))
			break
		}
		parts = append(parts, p.member+": "+p.why)
	}
	return strings.Join(parts, "; ")
}

// maskMembers hides the middle of every cardNumber member, whether or not it passes Luhn, and gives a copy of raw.
func maskMembers(raw []byte) []byte {
	var b bytes.Buffer
	m := newMasker(&b)
	// A buffer takes everything.
	_, _ = m.Write(raw)
	_ = m.Close()
	return b.Bytes()
}

// names is a set of unknown member names.
type names map[string]bool

func (n names) add(list ...string) {
	for _, s := range list {
		if len(n) >= maxUnknown {
			return
		}
		// A name can be anything, even a number that should not be shown.
		s = string(maskCards([]byte(strings.ToValidUTF8(s, "?"))))
		if r := []rune(s); len(r) > maxName {
			s = string(r[:maxName]) + "…"
		}
		n[s] = true
	}
}

func (n names) sorted() []string {
	if len(n) == 0 {
		return nil
	}
	out := make([]string, 0, len(n))
	for s := range n {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
