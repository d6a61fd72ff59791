package report

import "testing"

func TestMasks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why, got, want string
	}{
		{"a payer's CPF", maskPayerDocument("529.982.247-25", false), "***982247**"},
		{"a payer's CNPJ", maskPayerDocument("11.222.333/0001-81", false), "11222333******"},
		{"what is neither is hidden whole", maskPayerDocument("1234567", false), "*******"},
		{"nothing stays nothing", maskPayerDocument("", false), ""},
		{"a kind that is told to shows it", maskPayerDocument("52998224725", true), "52998224725"},
		{"a beneficiary's CPF", maskBeneficiary("52998224725", false), "***982247**"},
		{"a beneficiary's CNPJ is a company's", maskBeneficiary("11444777000161", false), "11444777000161"},
		{"a beneficiary's name", maskBeneficiary("Loja Centro", false), "Loja Centro"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, tc.got, tc.want)
		}
	}
}
