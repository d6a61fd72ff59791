package api_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"concilia/jobs/api"
)

func TestMaskBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"a card", `[{"cardNumber":"4111111111111111"}]`, `[{"cardNumber":"411111******1111"}]`},
		{"one that fails Luhn is a card by its member", `{"cardNumber":"4111111111111112"}`, `{"cardNumber":"411111******1112"}`},
		{"groups", `{"cardNumber":"4111 1111-1111.1111"}`, `{"cardNumber":"4111 11**-****.1111"}`},
		{"masked already", `{"cardNumber":"411111******1111"}`, `{"cardNumber":"411111******1111"}`},
		{"blanks around the colon", "{\"cardNumber\" \n:\t\"4111111111111111\" }", "{\"cardNumber\" \n:\t\"411111******1111\" }"},
		{"a name in other cases", `{"CARDNUMBER":"4111111111111111"}`, `{"CARDNUMBER":"411111******1111"}`},
		{"a name behind escapes", `{"card\u004eumber":"4111111111111111"}`, `{"card\u004eumber":"411111******1111"}`},
		{"digits behind escapes", `{"cardNumber":"411111\u00311111\u00311111\u0031"}`, `{"cardNumber":"411111\u002a****\u002a*111\u0031"}`},
		{"an escaped quote does not end it", `{"cardNumber":"4111111\"111111111"}`, `{"cardNumber":"411111*\"*****1111"}`},
		{"a number without quotes", `{"cardNumber":4111111111111111,"a":1}`, `{"cardNumber":411111******1111,"a":1}`},
		{"a list", `{"cardNumber":["4111111111111111",4111111111111111],"nsu":"4111111111111111"}`, `{"cardNumber":["411111******1111",411111******1111],"nsu":"4111111111111111"}`},
		{"an object", `{"cardNumber":{"pan":{"n":"4111111111111111"}},"nsu":"4111111111111111"}`, `{"cardNumber":{"pan":{"n":"411111******1111"}},"nsu":"4111111111111111"}`},
		{"a card within what nobody knows", `{"x":[{"y":{"cardNumber":"4111111111111111"}}]}`, `{"x":[{"y":{"cardNumber":"411111******1111"}}]}`},
		{"null", `{"cardNumber":null,"nsu":"4111111111111111"}`, `{"cardNumber":null,"nsu":"4111111111111111"}`},
		{"other members are not touched", `{"nsu":"4111111111111111","digitableLine":4111111111111111}`, `{"nsu":"4111111111111111","digitableLine":4111111111111111}`},
		{"the name as a value", `{"a":"cardNumber","nsu":"4111111111111111"}`, `{"a":"cardNumber","nsu":"4111111111111111"}`},
		{"the name in a text", `{"a":"\"cardNumber\":\"4111111111111111\""}`, `{"a":"\"cardNumber\":\"4111111111111111\""}`},
		{"a longer name", `{"cardNumbers":"4111111111111111"}`, `{"cardNumbers":"4111111111111111"}`},
		{"a value that never ends", `{"cardNumber":"4111111111111111`, `{"cardNumber":"411111******1111`},
		{"a name without a value", `{"cardNumber":,"a":"4111111111111111"}`, `{"cardNumber":,"a":"4111111111111111"}`},
	} {
		for _, n := range []int{1, 2, 7, 1 << 20} {
			if got := string(api.MaskBody([]byte(c.in), n)); got != c.want {
				t.Errorf("%s, by %d:\n got %s\nwant %s", c.name, n, got, c.want)
			}
		}
	}
}

// However a body arrives it is kept alike, in its own length; masked again it stays; no card number is left in a
// cardNumber member, and every other member says what it said.
func FuzzMaskBody(f *testing.F) {
	f.Add([]byte("["+record("cardNumber", `"4111111111111111"`)+","+record()+"]"), 3)
	f.Add([]byte(`{"cardNumber":["41\u00311111111111111",{"a":4111111111111111}]}`), 1)
	f.Add([]byte(`{"CardNumber":"\ud835\udfd2111111111111111","x":{"card\u004eumber":"5555 5555 5555 4444"}}`), 2)
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		if len(body) >= 1<<14 || n < 1 {
			return
		}
		before := bytes.Clone(body)
		whole := api.MaskBody(body, len(body)+1)
		if !bytes.Equal(body, before) {
			t.Fatal("what arrived was changed")
		}
		if parts := api.MaskBody(body, n); !bytes.Equal(whole, parts) {
			t.Fatalf("by %d bytes:\n%q, whole\n%q", n, parts, whole)
		}
		if len(whole) != len(body) {
			t.Fatalf("%d bytes became %d", len(body), len(whole))
		}
		if again := api.MaskBody(whole, n); !bytes.Equal(again, whole) {
			t.Fatalf("again\n%q, once\n%q", again, whole)
		}
		var was, is any
		if json.Unmarshal(body, &was) == nil && json.Unmarshal(whole, &is) == nil {
			compareMasked(t, was, is, false)
		}
	})
}

// compareMasked walks over what was sent and what is kept.
func compareMasked(t *testing.T, was, is any, card bool) {
	t.Helper()
	switch was := was.(type) {
	case map[string]any:
		if card {
			for name := range is.(map[string]any) {
				compareMasked(t, name, name, true)
			}
			return // names within are masked as well, so that members do not pair up
		}
		for name, value := range was {
			compareMasked(t, value, is.(map[string]any)[name], strings.EqualFold(name, "cardnumber"))
		}
	case []any:
		for i, value := range was {
			compareMasked(t, value, is.([]any)[i], card)
		}
	case string:
		if card {
			if text := is.(string); api.MaskCard(text) != text || bytes.ContainsRune(api.MaskCards([]byte(text)), '*') != strings.ContainsRune(text, '*') {
				t.Errorf("%q is in the clear", text)
			}
		} else if was != is {
			t.Errorf("%q became %q", was, is)
		}
	default:
		if !card && was != is {
			t.Errorf("%v became %v", was, is)
		}
	}
}
