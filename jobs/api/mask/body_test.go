package mask_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"concilia/jobs/api/mask"
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
		{"the name in a text", `{"a":"\"cardNumber\":\"4111111111111111\""}`, `{"a":"\"cardNumber\":\"411111******1111\""}`},
		{"a longer name", `{"cardNumbers":"4111111111111111"}`, `{"cardNumbers":"411111******1111"}`},
		{"a free text", `{"terminal":"T 5555-5555 5555.4444 x","nsu":"1"}`, `{"terminal":"T 5555-55** ****.4444 x","nsu":"1"}`},
		{"a free text behind escapes", `{"x":"\u0034111111111111111"}`, `{"x":"\u003411111******1111"}`},
		{"an order number that passes Luhn and is no issuer's", `{"x":"1234567890123452"}`, `{"x":"1234567890123452"}`},
		{"a number of an issuer that fails Luhn", `{"x":"4111111111111112"}`, `{"x":"4111111111111112"}`},
		{"a payee's CNPJ that is of an issuer's form", `{"x":"36100003000144"}`, `{"x":"36100003000144"}`},
		{"a part of a longer number", `{"x":"04111111111111111"}`, `{"x":"04111111111111111"}`},
		{"a member that identifies", `{"codAuth":"4111111111111111","x":"378282246310005"}`, `{"codAuth":"4111111111111111","x":"378282*****0005"}`},
		{"every text of a list", `{"x":["30569309025904","6062826786276634"]}`, `{"x":["305693****5904","606282******6634"]}`},
		{"a value that never ends", `{"cardNumber":"4111111111111111`, `{"cardNumber":"411111******1111`},
		{"a name without a value", `{"cardNumber":,"a":"4111111111111111"}`, `{"cardNumber":,"a":"411111******1111"}`},
	} {
		for _, n := range []int{1, 2, 7, 1 << 20} {
			if got := string(mask.Body([]byte(c.in), n)); got != c.want {
				t.Errorf("%s, by %d:\n got %s\nwant %s", c.name, n, got, c.want)
			}
		}
	}
}

// TestTextsPassedOverAreClean puts bodies together from what maskers look for, in any order: what is passed over in one look is what
// the maskers, text by text, leave as it is.
func TestTextsPassedOverAreClean(t *testing.T) {
	t.Parallel()
	pieces := []string{
		`"`, `"`, `"`, `"`, `:`, `:`, `,`, `,`, `{`, `}`, `[`, `]`, ` `, "\n", `\`, `\"`, `\u0034`, `cardNumber`, `"cardNumber":"`, `"cardNumber":`, `CARDNUMBER`,
		`"nsu":"`, `"id":`, `id`, `4111111111111111`, `378282246310005`, `411111******1111`, `5555-5555 5555.4444`, `12345678000195`, `1`, `é`, `x`, `null`, `12.5`,
		strings.Repeat("terminal ", 12), "4111 1111", "1111 1111",
	}
	r := rand.New(rand.NewPCG(7, 11))
	for range 20_000 {
		var b []byte
		for range r.IntN(40) {
			b = append(b, pieces[r.IntN(len(pieces))]...)
		}
		n := 1 + r.IntN(len(b)+1)
		want := mask.BodyByText(b)
		if got := mask.Body(b, n); !bytes.Equal(got, want) {
			t.Fatalf("by %d bytes:\n%q is\n%q, text by text\n%q", n, b, got, want)
		}
	}
}

// However a body arrives it is kept alike, in its own length; masked again it stays; no card number is left in a
// cardNumber member, and every other member says what it said.
func FuzzMaskBody(f *testing.F) {
	installment := func(terminal, card string) string {
		return `{"terminal":"` + terminal + `","cardNumber":"` + card + `","codAuth":"026603","nsu":"123456789","installmentValue":50.0000}`
	}
	f.Add([]byte("["+installment("T-0001", "4111111111111111")+","+installment("T-0001", "411111******1111")+"]"), 3)
	f.Add([]byte(`{"cardNumber":["41\u00311111111111111",{"a":4111111111111111}]}`), 1)
	f.Add([]byte(`{"id":123,"4111111111111111":1,"nsu":["4111111111111111","4111111111111111"],"x":"5555555555554444","é4111111111111111":"cardNumber"}`), 40)
	f.Add([]byte("["+strings.Repeat(installment("PÁGINA 5555555555554444", "4111111111111111")+",", 6)+installment("", "")+"]"), 97)
	f.Add([]byte(`{"id":10,"4111111111111111":"0","4111111111111111":""}`), 40)
	f.Add([]byte(`{"CardNumber":"\ud835\udfd2111111111111111","x":{"card\u004eumber":"5555 5555 5555 4444"}}`), 2)
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		if len(body) >= 1<<14 || n < 1 {
			return
		}
		before := bytes.Clone(body)
		whole := mask.Body(body, len(body)+1)
		if !bytes.Equal(body, before) {
			t.Fatal("what arrived was changed")
		}
		if parts := mask.Body(body, n); !bytes.Equal(whole, parts) {
			t.Fatalf("by %d bytes:\n%q, whole\n%q", n, parts, whole)
		}
		if texts := mask.BodyByText(body); !bytes.Equal(whole, texts) {
			t.Fatalf("text by text:\n%q, whole\n%q", texts, whole)
		}
		if len(whole) != len(body) {
			t.Fatalf("%d bytes became %d", len(body), len(whole))
		}
		if again := mask.Body(whole, n); !bytes.Equal(again, whole) {
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
		if len(is.(map[string]any)) != len(was) {
			return // a name that stood twice is masked once: behind an identifying member it is kept
		}
		for name, value := range was {
			if kept, ok := is.(map[string]any)[name]; ok { // a name with a card in it is masked, too
				compareMasked(t, value, kept, strings.EqualFold(name, "cardnumber"))
			}
		}
	case []any:
		for i, value := range was {
			compareMasked(t, value, is.([]any)[i], card)
		}
	case string:
		if card {
			if text := is.(string); mask.Card(text) != text || bytes.ContainsRune(mask.Cards([]byte(text)), '*') != strings.ContainsRune(text, '*') {
				t.Errorf("%q is in the clear", text)
			}
		} else if was != is && mask.Text(was) != is {
			t.Errorf("%q became %q", was, is)
		}
	default:
		if !card && was != is {
			t.Errorf("%v became %v", was, is)
		}
	}
}
