package mask_test

import (
	"strings"
	"testing"

	"concilia/jobs/api/mask"
)

func TestMaskCards(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, card, anywhere string }{
		{"a card of 16", "4111111111111111", "411111******1111", "411111******1111"},
		{"a card of 13", "4222222222222", "422222***2222", "422222***2222"},
		{"a card of 19", "6304000000000000000", "630400*********0000", "630400*********0000"},
		{"groups", "4111 1111-1111.1111", "4111 11**-****.1111", "4111 11**-****.1111"},
		{"masked already", "411111******1111", "411111******1111", "411111******1111"},
		{"masked with x, eight digits at its end", "xxxxxxxx11111111", "xxxxxxxx****1111", "xxxxxxxx11111111"},
		{"ten digits may all be shown", "4111111111", "4111111111", "4111111111"},
		{"Luhn fails: hidden in a cardNumber alone", "4111111111111112", "411111******1112", "4111111111111112"},
		{"a longer number is no card", "020080286103040952150000006201850000000000", "020080********************************0000", "020080286103040952150000006201850000000000"},
		{"two blanks end a run", "4111  111111111111", "4111  11******1111", "4111  111111111111"},
		{"a card behind another number", "12 4111111111111111", "12 4111********1111", "12 411111******1111"},
		{"a card before another number", "4111111111111111.50", "411111********11.50", "411111******1111.50"},
		{"what a mask leaves may begin another number", "4111111111111111 222222220", "411111********** *****2220", "411111******1111 22***2220"},
		{"digits of other scripts", "٤١١١١١١١١١١١١١١١", "٤١١١١١" + strings.Repeat("*", 12) + "١١١١", "٤١١١١١" + strings.Repeat("*", 12) + "١١١١"},
		{"empty", "", "", ""},
	} {
		if got := mask.Card(c.in); got != c.card {
			t.Errorf("%s: in a cardNumber %q, want %q", c.name, got, c.card)
		}
		if got := string(mask.Cards([]byte(c.in))); got != c.anywhere {
			t.Errorf("%s: anywhere %q, want %q", c.name, got, c.anywhere)
		}
	}
}
