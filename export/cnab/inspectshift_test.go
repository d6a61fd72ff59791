package cnab_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"concilia/export/cnab"
)

// TestInspectMasksARecordWhoseColumnsAreShifted cuts and inserts columns in every detail record of a bank's file, at four
// places, and keeps the record's length: whatever field a payer's name or document then falls into, none of it is printed.
func TestInspectMasksARecordWhoseColumnsAreShifted(t *testing.T) {
	t.Parallel()
	private := []string{"MARIA", "JOSE", "SILVA", "52998224725", "998224"}
	raw := sample(t, "bank-collection.ret")
	lines := bytes.Split(raw, []byte("\r\n"))
	for i, line := range lines {
		if len(line) != cnab.Width || !containsAny(string(line), private) {
			continue
		}
		for _, at := range []int{0, 20, 100, 150} {
			for n := -120; n <= 60; n++ {
				shifted := bytes.Clone(raw)
				copy(shifted[i*(cnab.Width+2):], shiftColumns(line, at, n))
				var out bytes.Buffer
				if _, err := cnab.Inspect(bytes.NewReader(shifted), &out, cnab.InspectOptions{Fillers: true}); err != nil {
					t.Fatal(err)
				}
				for _, word := range private {
					if strings.Contains(out.String(), word) {
						t.Errorf("line %d, %d columns at %d: %q is printed", i+1, n, at, word)
					}
				}
			}
		}
	}
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// shiftColumns inserts n blanks at a column, or cuts -n columns there, and keeps the length of the line.
func shiftColumns(line []byte, at, n int) []byte {
	text := string(line)
	if n < 0 {
		text = text[:at] + text[min(len(text), at-n):]
	} else {
		text = text[:at] + strings.Repeat(" ", n) + text[at:]
	}
	return []byte(fmt.Sprintf("%-*s", cnab.Width, text)[:cnab.Width])
}
