package salesview

import "testing"

// Why a day of a store is open is said in the reader's language, whatever the reason is.
func TestDescribeOpenDay(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{
		"no file has all of it":                                     "nenhum arquivo tem o dia inteiro",
		"series 11222333000181/65/001: no note after":               "série 11222333000181/65/001: nenhuma nota depois",
		"series 11222333000181/65/001: no note before":              "série 11222333000181/65/001: nenhuma nota antes",
		"series 11222333000181/65/001: number 7 is missing":         "série 11222333000181/65/001: falta o número 7",
		"series 11222333000181/65/001: numbers 7 to 12 are missing": "série 11222333000181/65/001: faltam os números de 7 a 12",
		"what is not known yet":                                     "what is not known yet",
	} {
		if got := DescribeOpenDay("pt-BR", why); got != want {
			t.Errorf("%s: %q, not %q", why, got, want)
		}
		if got := DescribeOpenDay("en", why); got != why {
			t.Errorf("in English %q is %q", why, got)
		}
	}
}
