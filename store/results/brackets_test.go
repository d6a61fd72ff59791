package results

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"concilia/store/ledger"
)

// FuzzBrackets reads brackets as the ledger keeps them, and whatever else, in both ways: they agree, and what encodeBrackets writes
// needs no general decoder.
func FuzzBrackets(f *testing.F) {
	written := encodeBrackets([]ledger.Bracket{
		{Line: ledger.LineMDR, Amount: -12345, Code: "MDR_OVER", Case: "a1b2"},
		{Line: ledger.LineRounding, Amount: 1, Code: "NET_SUM"},
		{Line: ledger.LineNotAttributed, Reason: "window", Origin: ledger.LineFee},
		{Line: ledger.LineNotDue, Amount: 1 << 62},
	})
	for _, text := range []string{
		"null", "[]", "", written, written + " ", strings.Replace(written, "mdr", `m\u0064r`, 1), strings.Replace(written, "mdr", "m\xffr", 1),
		strings.Replace(written, "-12345", "-0", 1), strings.Replace(written, "-12345", "1e2", 1), strings.Replace(written, ":1,", ":99999999999999999999,", 1),
		strings.Replace(written, "},{", "}{", 1), `[,{"Line":"","Reason":"","Amount":1}]`, `[{"Line":"","Reason":"","Amount":1},]`, written[:40],
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want []ledger.Bracket
		fault := json.Unmarshal([]byte(text), &want)
		got, ok := scanBrackets(text)
		if ok && (fault != nil || !reflect.DeepEqual(got, want)) {
			t.Fatalf("%q is read as %+v, by encoding/json as %+v, %v", text, got, want, fault)
		}
		plain := func(r rune) bool { return r >= ' ' && r < utf8.RuneSelf && r != '\\' }
		if fault == nil && want != nil && !ok && text == encodeBrackets(want) && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
			t.Fatalf("%q is left to encoding/json", text)
		}
	})
}
